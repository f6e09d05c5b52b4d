"""Tables as HTML, for notebooks: self-contained, every text escaped, and in the colours of the page around them, light or dark."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from archdef.tables.column import Column, Kind
from archdef.tables.table import Footnotes, Pairs, Table
from archdef.values import printable

MOST_ROWS = 200
"""Of a table; a notebook keeps what it shows in its file."""
_LINE = "1px solid rgba(128,128,128,.45)"        # seen on white and on black
_CODE = (Kind.PLACE, Kind.SOURCE, Kind.PICTURE)


def to_html(shown: Any) -> str:
    """Give HTML of a table, pairs, footnotes, a text, a group of them, or of what has one of them as its ``__rich__``."""
    return f'<div style="color:inherit;background:none;overflow-x:auto">{"".join(_parts(shown))}</div>'


def _parts(shown: Any) -> Iterator[str]:
    if isinstance(shown, Group):
        for part in shown.renderables:
            yield from _parts(part)
    elif isinstance(shown, Table):
        yield _table(shown)
    elif isinstance(shown, Pairs):
        yield _grid("", [_row((Column("", Kind.NAME), Column("", Kind.NUMBER)), [_text(cell) for cell in pair]) for pair in shown.pairs])
    elif isinstance(shown, Grid):
        columns = tuple(Column("", Kind.NUMBER if column.justify == "right" else Kind.NAME) for column in shown.columns)
        yield _grid("", [_row(columns, [_text(cell) for cell in cells]) for cells in zip(*(column.cells for column in shown.columns), strict=True)])
    elif isinstance(shown, Footnotes):
        yield from (_paragraph(line) for line in shown.lines)
    elif isinstance(shown, (str, Text)):
        text = _text(shown)
        if text.plain.strip():
            yield _paragraph(text)
    elif hasattr(shown, "__rich__"):
        yield from _parts(shown.__rich__())
    else:
        raise TypeError(f"no HTML is made of a {type(shown).__name__}")


def _table(table: Table) -> str:
    rows = []
    if table.header:
        cells = "".join(f'<th style="{_style(column)};border-bottom:{_LINE}">{escape(" ".join(printable(column.heading).split()))}</th>'
                        for column in table.columns)
        rows.append(f"<tr>{cells}</tr>")
    for row in table.rows[:MOST_ROWS]:
        if hasattr(row, "cells"):
            rows.append(_row(table.columns, row.cells))
        else:
            rows.append(f'<tr><td colspan="{len(table.columns)}" style="text-align:left">{_marked(row.text) or "&nbsp;"}</td></tr>')
    left = len(table.rows) - MOST_ROWS
    if left > 0:
        rows.append(f'<tr><td colspan="{len(table.columns)}" style="text-align:left">and {left:,} more rows: print it to see them</td></tr>')
    return _grid(_marked(table.title), rows)


def _grid(title: str, rows: Sequence[str]) -> str:
    caption = f'<caption style="text-align:left;color:inherit">{title}</caption>' if title else ""
    return f'<table style="border-collapse:collapse;color:inherit;margin:.4em 0">{caption}{"".join(rows)}</table>'


def _row(columns: Sequence[Column], cells: Sequence[Text]) -> str:
    return f'<tr>{"".join(f"""<td style="{_style(column)}">{_marked(cell)}</td>""" for column, cell in zip(columns, cells, strict=True))}</tr>'


def _style(column: Column) -> str:
    code = ";font-family:monospace;white-space:pre" if column.kind in _CODE else ""
    return f"text-align:{'right' if column.right else 'left'};padding:.1em .6em{code}"


def _paragraph(text: Text) -> str:
    return f'<div style="margin:.2em 0">{_marked(text)}</div>'


def _text(cell: Any) -> Text:
    text = cell if isinstance(cell, Text) else Text(str(cell))
    clean = printable(text.plain)
    return text if clean == text.plain else Text(clean)


def _marked(text: Text) -> str:
    """Escape a text; what is bold as a whole stays bold."""
    inner = escape(printable(text.plain)).replace("\n", "<br>")
    bold = "bold" in str(text.style) or any(span.start == 0 and span.end >= len(text.plain) and "bold" in str(span.style) for span in text.spans)
    return f"<b>{inner}</b>" if bold and inner else inner
