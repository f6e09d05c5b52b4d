"""What the lanes of traced warps did, as bars over time."""
from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from archdef.metrics.counters import LANE_STATES

if TYPE_CHECKING:
    from archdef.html.code import Code
    from archdef.run.result import Run

MOST_STEPS = 400
"""Of a warp that are drawn; the first ones."""


def traced(run: Run, code: Code) -> list[dict[str, Any]]:
    """Give of each traced warp the steps in which no lane changes what it does; empty if the launch recorded none."""
    trace = run.lane_trace
    if trace is None:
        return []
    found = []
    for block, warp in trace.window.warps:
        steps, cycles = trace.steps(warp, block), trace.lane_cycles(warp, block)
        together = sum(cycles.values()) == cycles["coherent"]
        bars = [{"begin": step.begin, "end": step.end, "issued": step.issued, "lanes": groups(step.states.tolist()),
                 "place": code.leads[code.sources[step.statements[0]]]} for step in steps[:MOST_STEPS]] if not together else []
        found.append({"block": block, "warp": warp, "size": trace.warp_size, "steps": bars, "left_out": 0 if together else len(steps) - len(bars),
                      "lost": trace.lost, "lane_cycles": cycles, "together": together and bool(steps)})
    return found


def groups(states: list[int]) -> list[list[Any]]:
    """Merge neighbouring lanes that do the same: first lane, the one behind the last, state."""
    groups, first = [], 0
    for state, members in groupby(states):
        behind = first + len(list(members))
        if state:
            groups.append([first, behind, LANE_STATES[state - 1]])
        first = behind
    return groups
