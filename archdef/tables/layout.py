"""Which columns a table shows at a width, and how wide each is."""
from __future__ import annotations

from collections.abc import Sequence

import attrs
from rich.cells import cell_len
from rich.text import Text

from archdef.tables.breaking import WORD, pieces
from archdef.tables.column import Column, Kind

GAP = 2
"""Blanks between two columns."""
_LONG_WORD = 16
"""Letters from which a word may be broken."""
LONG_CELL = 72
"""Characters from which prose between two other columns is broken even where there is room: few rows would move the last column far away."""
_LONG_PLACE = 20
"""Letters from which the name of a file is shortened."""


@attrs.frozen
class Extent:
    """How much room a column takes."""

    least: int
    most: int


def extent(column: Column, cells: Sequence[Text], names_whole: bool = True) -> Extent:
    """Measure a column with its heading; `names_whole`: whether names keep the room they want."""
    lines = [line for cell in cells for line in cell.plain.splitlines()]
    most = max(map(cell_len, (*lines, *column.heading.splitlines())), default=0)
    if column.kind is Kind.NUMBER or (column.kind is Kind.NAME and names_whole):
        return Extent(most, most)
    least = max(map(cell_len, (*column.heading.splitlines(), "")))
    if column.kind is Kind.PLACE:
        least = max(least, _LONG_PLACE, *(len(line.rpartition(":")[2]) + len("…:") for line in (*lines, "")))
    elif column.kind in (Kind.PROSE, Kind.NAME):
        found = {word for cell in cells if not cell.no_wrap for word in map(str.strip, WORD.findall(cell.plain))}
        least = max((least, *(cell_len(word) if cell_len(word) <= _LONG_WORD else max(map(cell_len, pieces(word)), default=0) for word in found)))
        least = min(least, 3 * _LONG_WORD)
        least += max((len(line) - len(line.lstrip()) for line in lines), default=0)
    return Extent(min(max(least, column.least), most), most)


def widths(extents: Sequence[Extent], room: int) -> list[int] | None:
    """Share the room out; None where it is not enough. What is left goes to the columns that want more, in equal parts."""
    room -= GAP * (len(extents) - 1)
    found = [each.least for each in extents]
    left = room - sum(found)
    if left < 0:
        return None
    while hungry := [k for k, each in enumerate(extents) if found[k] < each.most]:
        share, rest = divmod(left, len(hungry))
        if not share and not rest:
            break
        for place, k in enumerate(hungry):
            more = min(share + (place < rest), extents[k].most - found[k])
            found[k] += more
            left -= more
    return found


def kept(columns: Sequence[Column], extents: Sequence[Extent], room: int) -> list[int] | None:
    """Choose the columns that are shown: by priority, those of one priority together, as far as they fit. None where not even the first do."""
    chosen: list[int] = []
    for priority in sorted({0, *(column.priority for column in columns)}):
        more = [k for k, column in enumerate(columns) if k in chosen or column.priority == priority]
        if widths([extents[k] for k in more], room) is not None:
            chosen = more
        elif priority == 0:
            return None
    return chosen


def repeated_whole(columns: Sequence[Column], extents: Sequence[Extent], room: int) -> list[Extent]:
    """Let columns that stand in every part have the room they want, up to half of what there is."""
    return [each if column.part is not None else Extent(min(each.most, max(each.least, room // 2)), each.most)
            for column, each in zip(columns, extents, strict=True)]


def parts(columns: Sequence[Column], extents: Sequence[Extent], room: int) -> list[list[int]] | None:
    """Divide columns of equal standing among several tables; the others are in each. None where that does not help."""
    repeated = [k for k, column in enumerate(columns) if column.part is None]
    groups: dict[int, list[int]] = {}
    for k, column in enumerate(columns):
        if column.part is not None:
            groups.setdefault(column.part, []).append(k)
    found: list[list[int]] = []
    for group in groups.values():
        if found and widths([extents[k] for k in (*found[-1], *group)], room) is not None:
            found[-1] += group
        elif widths([extents[k] for k in (*repeated, *group)], room) is not None:
            found.append([*repeated, *group])
        else:
            return None
    return found or None
