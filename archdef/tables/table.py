"""A table that is laid out when it is printed, for the width there is."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table as Grid
from rich.text import Text

from archdef.tables.breaking import fold, shorten, shorten_place, wrap
from archdef.tables.column import Column, Kind
from archdef.tables.layout import GAP, LONG_CELL, Extent, extent, kept, parts, repeated_whole, widths
from archdef.values import printable

_INDENT = "  "
Cell = str | Text


@attrs.frozen
class _Plan:
    """Which columns stand beside each other, in one part or in several below each other."""

    extents: list[Extent]
    parts: list[list[int]]


@attrs.frozen
class _Row:
    cells: tuple[Text, ...]


@attrs.frozen
class _Heading:
    text: Text


class Table:
    """Rows under columns. At a width that has no room for all columns, those that matter least are left out, and named below.

    Where even the others do not fit, each row becomes a record: a line for every column, ``heading  value``.
    """

    def __init__(self, *columns: Column, title: Cell = "", rule: bool = True, header: bool = True, more: str = "a wider terminal or --json shows them"):
        """Make an empty table.

        rule   : whether there is a line below the headings, and an empty one around the table.
        header : whether headings are shown.
        more   : where what was left out is found.
        """
        self.columns, self.rows = columns, list[_Row | _Heading]()
        self.title, self.rule, self.header, self.more = _text(title), rule and header, header, more

    def add(self, *cells: Cell) -> None:
        """Add a row; cells that are missing at its end are empty. A `Text` with `no_wrap` is shortened as lines of programs are."""
        texts = tuple(map(_text, (*cells, *[""] * (len(self.columns) - len(cells)))))
        assert len(texts) == len(self.columns), f"a row of {len(texts)} cells in a table of {len(self.columns)} columns"
        self.rows.append(_Row(texts))

    def heading(self, text: Cell) -> None:
        """Add a line over the rows that follow; it goes across all columns."""
        self.rows.append(_Heading(_text(text)))

    def __bool__(self) -> bool:
        return bool(self.rows)

    def fits(self, width: int) -> bool:
        """Tell whether all columns have room."""
        return widths(self._extents(), width) is not None

    def shows(self, heading: str, width: int) -> bool:
        """Tell whether a column is among those that have room."""
        plan = self._plan(width)
        return any(self.columns[k].heading == heading for k in (plan.parts[0] if plan and len(plan.parts) == 1 else range(len(self.columns))))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.title:
            yield self.title
        if self.rule:
            yield Text()
        yield from self._laid_out(options.max_width)
        if self.rule:
            yield Text()

    # ------------------------------------------------------------------------------------------------------------- layout
    def _extents(self, names_whole: bool = True) -> list[Extent]:
        rows = [row.cells for row in self.rows if isinstance(row, _Row)]
        found = [extent(column if self.header else attrs.evolve(column, heading=""), [cells[k] for cells in rows], names_whole)
                 for k, column in enumerate(self.columns)]
        return [attrs.evolve(each, most=max(each.least, min(each.most, LONG_CELL))) if column.kind is Kind.PROSE and 0 < k < len(found) - 1 else each
                for k, (column, each) in enumerate(zip(self.columns, found, strict=True))]

    def _plan(self, width: int) -> _Plan | None:
        """Say which columns stand where; None if each row has to be a record."""
        divided = any(column.part is not None for column in self.columns)
        for names_whole in (True, False):
            extents = self._extents(names_whole)
            if divided:
                wanted = repeated_whole(self.columns, extents, width)
                if found := parts(self.columns, wanted, width):
                    return _Plan(wanted, found)
            elif (chosen := kept(self.columns, extents, width)) is not None:
                return _Plan(extents, [chosen])
        return None

    def _laid_out(self, width: int) -> Iterator[RenderableType]:
        plan = self._plan(width)
        if plan is None:
            yield from self._records(width)
            return
        for number, each in enumerate(plan.parts):
            if number:
                yield Text()
            yield from self._drawn(each, plan.extents, width)
        if left_out := [column.name for k, column in enumerate(self.columns) if column.name and not any(k in each for each in plan.parts)]:
            yield Text(f"left out at {width} columns: {', '.join(left_out)}; {self.more}", style="dim")

    def _drawn(self, chosen: Sequence[int], extents: Sequence[Extent], width: int) -> Iterator[RenderableType]:
        columns = [self.columns[k] for k in chosen]
        room = widths([extents[k] for k in chosen], width) or []
        if self.header:
            head = _grid(columns, room)
            lines = [wrap(Text(column.heading), each) for column, each in zip(columns, room, strict=True)]
            deep = max(map(len, lines))
            head.add_row(*(Text("\n" * (deep - len(each))) + Text("\n").join(each) for each in lines))
            yield head
        if self.rule:
            yield Text("─" * min(sum(room) + GAP * (len(room) - 1), width))
        rows: list[tuple[Text, ...]] = []
        for row in self.rows:
            if isinstance(row, _Row):
                rows.append(row.cells)
                continue
            yield from _body(columns, room, rows, chosen)
            rows = []
            yield row.text
        yield from _body(columns, room, rows, chosen)

    def _records(self, width: int) -> Iterator[RenderableType]:
        """Give each row as lines of its own."""
        longest = max((len(column.name) for column in self.columns[1:]), default=0)
        for row in self.rows:
            if isinstance(row, _Heading):
                yield row.text
                continue
            yield from wrap(row.cells[0], width)
            for column, cell in zip(self.columns[1:], row.cells[1:], strict=True):
                if cell.plain.strip():
                    label = f"{_INDENT}{column.name:{longest}}{_INDENT}" if column.name else 2 * _INDENT
                    label = label if len(label) <= width // 2 else 2 * _INDENT
                    for number, line in enumerate(fitted(cell, column, max(width - len(label), 1))):
                        yield Text.assemble(" " * len(label) if number else label, line)


class Pairs:
    """Names with their values, in as many columns beside each other as fit."""

    def __init__(self, pairs: Iterable[tuple[Cell, Cell]], most: int = 2):
        self.pairs, self.most = list(pairs), most

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        beside = self.most
        while beside > 1 and not self._table(beside).fits(options.max_width):
            beside -= 1
        yield Text()
        if self.pairs:
            yield self._table(beside)
            yield Text()

    def _table(self, beside: int) -> Table:
        table = Table(*[Column("", kind) for _ in range(beside) for kind in (Kind.NAME, Kind.NUMBER)], header=False)
        deep = -(-len(self.pairs) // beside)
        for row in range(deep):
            table.add(*(cell for pair in self.pairs[row::deep] for cell in pair))
        return table


class Footnotes:
    """Lines to which a column of some tables refers by number; they are left out with that column."""

    def __init__(self, tables: Sequence[Table], column: str, lines: Iterable[Cell]):
        self.tables, self.column, self.lines = tables, column, [_text(line) for line in lines]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if any(table.shows(self.column, options.max_width) for table in self.tables):
            yield from self.lines


# ----------------------------------------------------------------------------------------------------------------------- cells
def fitted(cell: Text, column: Column, width: int) -> list[Text]:
    """Give the lines of a cell in its column's width."""
    if column.kind is Kind.SOURCE or cell.no_wrap:
        return [shorten(cell, width)]
    if column.kind is Kind.PLACE:
        return [shorten_place(cell, width)]
    if column.kind is Kind.PICTURE:
        return fold(cell, width, column.least)
    return wrap(cell, width)


def _body(columns: Sequence[Column], room: Sequence[int], rows: Sequence[tuple[Text, ...]], chosen: Sequence[int]) -> Iterator[RenderableType]:
    if not rows:
        return
    grid = _grid(columns, room)
    for cells in rows:
        grid.add_row(*(Text("\n").join(fitted(cells[k], column, each)) for k, column, each in zip(chosen, columns, room, strict=True)))
    yield grid


def _grid(columns: Sequence[Column], room: Sequence[int]) -> Grid:
    grid = Grid.grid(padding=(0, GAP, 0, 0))
    for column, each in zip(columns, room, strict=True):
        grid.add_column(width=max(each, 1), no_wrap=True, justify="right" if column.right else "left")
    return grid


def _text(cell: Any) -> Text:
    """Give a cell as a text, without what would control a terminal."""
    text = cell if isinstance(cell, Text) else Text(str(cell))
    clean = printable(text.plain).expandtabs(4)
    return text if clean == text.plain else Text(clean, style=text.style, no_wrap=text.no_wrap)
