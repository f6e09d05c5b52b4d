"""A trace of lanes as a chart: time goes down, lanes to the right."""
from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from archdef.formatting import count
from archdef.tables import Column, Kind, Table

if TYPE_CHECKING:
    from archdef.run.lanes import LaneTrace, Step


class LaneState(enum.IntEnum):
    """What a lane does in a cycle; docs/explanation/lane-states.md."""

    ABSENT = 0
    """It has ended, or was never launched."""
    COHERENT = 1
    FIRST_PATH = 2
    SECOND_PATH = 3
    STALLED = 4


SIGNS = " C12."
"""A character for each `LaneState`."""
STEPS = 48
"""Rows of a chart."""
_STYLES = {LaneState.ABSENT: "", LaneState.COHERENT: "green", LaneState.FIRST_PATH: "cyan", LaneState.SECOND_PATH: "magenta",
           LaneState.STALLED: "dim"}
_LEGEND = "C coherent, 1 first path, 2 second path, . stalled, blank: ended or never launched"
_TOGETHER = 32
"""Lanes of a row that stay on one line."""


def render(trace: LaneTrace, steps: int = STEPS) -> Group:
    """Lay out all traced warps; `steps` bounds the rows of each."""
    parts: list[RenderableType] = []
    for block, warp in trace.window.warps:
        found = trace.steps(warp, block)
        first, last = trace.window.cycles
        parts.append(Text(f"lanes of warp {warp} of block {block}, cycles {count(first)} to {count(last)} of the launch: {_LEGEND}"))
        parts.append(_chart(trace, found[:steps]) if found else Text("  the warp was not resident then"))
        if len(found) > steps:
            parts.append(Text(f"  … {len(found) - steps} more rows, up to cycle {count(found[-1].end)}"))
    if trace.lost:
        parts.append(Text(f"{count(trace.lost)} records found no room: later cycles are missing", style="bold"))
    return Group(*parts)


def _chart(trace: LaneTrace, steps: list[Step]) -> Table:
    table = Table(Column("cycle", Kind.NUMBER), Column("cycles", Kind.NUMBER, priority=1, called="how many cycles"), Column("issued", Kind.NUMBER, priority=3),
                  Column("lanes", Kind.PICTURE, least=_TOGETHER), Column("source", Kind.SOURCE, priority=2, least=16))
    for step in steps:
        lanes = Text()
        for state in step.states:
            lanes.append(SIGNS[state], _STYLES[LaneState(state)])
        table.add(count(step.begin), count(step.end - step.begin), count(step.issued), lanes, _source(trace, step))
    return table


def _source(trace: LaneTrace, step: Step) -> str:
    """Say which lines a row is of: the text of one, the numbers of several."""
    places = {trace.places[row][:2]: trace.places[row][2] for row in step.statements if row < len(trace.places)}
    places = {place: text for place, text in places.items() if place[1]} or places
    if not places:
        return ""
    files = {file for file, _ in places}
    numbers = sorted(line for _, line in places)
    if len(places) == 1:
        return f"{numbers[0]}: {next(iter(places.values()))}"
    if len(files) == 1:
        return f"lines {_ranges(numbers)}"
    return ", ".join(sorted(f"{file.rpartition('/')[2]}:{line}" for file, line in places))


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)
