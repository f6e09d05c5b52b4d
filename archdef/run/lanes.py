"""What the lanes of chosen warps do, cycle by cycle."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np
from rich.console import Group

from archdef import values
from archdef.console import text
from archdef.engine.lane_states import LaneTracer
from archdef.errors import LaunchError
from archdef.metrics.counters import LANE_STATES
from archdef.run.lane_chart import SIGNS, LaneState, render

MOST_CYCLES = 1 << 20
MOST_RECORDS = 1 << 22


def _warps(given: Any) -> tuple[tuple[int, int], ...]:
    pairs = tuple(pair if isinstance(pair, tuple) else (0, pair) for pair in (given if isinstance(given, (list, tuple, set)) else (given,)))
    return tuple(map(_warp, pairs))


def _warp(pair: tuple[Any, ...]) -> tuple[int, int]:
    if len(pair) == 2:
        block, warp = map(values.as_whole, pair)
        if block is not None and warp is not None and block >= 0 and warp >= 0:
            return block, warp
    raise LaunchError(f"a warp to trace is its number in block 0, or (block, warp), got {values.shown(pair)}")


def _cycles(given: Any) -> tuple[int, int]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise LaunchError(f"cycles to trace are (first, behind the last), got {values.shown(given)}")
    first, behind = (values.whole(n, "a cycle to trace", LaunchError, at_most=1 << 62) for n in given)
    return first, behind


@attrs.frozen
class LaneWindow:
    """Which lanes to trace, and when: the option ``lanes`` of a launch."""

    warps: tuple[tuple[int, int], ...] = attrs.field(default=((0, 0),), converter=_warps)
    """``(block, warp)`` of each warp; a plain number is a warp of block 0."""
    cycles: tuple[int, int] = attrs.field(default=(0, 4096), converter=_cycles)
    """First cycle of the launch that is of interest, and the first one behind."""
    records: int = attrs.field(default=1 << 16)
    """Issues of all these warps that are kept; 64 bytes each. What is beyond is counted as lost."""

    @cycles.validator
    def _cycles_are_a_range(self, attribute: attrs.Attribute[tuple[int, int]], value: tuple[int, int]) -> None:
        if value[0] >= value[1] or value[1] - value[0] > MOST_CYCLES:
            raise LaunchError(f"cycles to trace are (first, behind the last), at most {MOST_CYCLES:,} of them, got {value!r}")

    @records.validator
    def _records_are_few(self, attribute: attrs.Attribute[int], value: int) -> None:
        values.whole(value, "records of a trace", LaunchError, at_least=1, at_most=MOST_RECORDS)

    def tracer(self, kernel: str, blocks: int, block_warps: int) -> LaneTracer:
        """Make what the engine fills. Raises LaunchError if the launch has no such warp."""
        for block, warp in self.warps:
            if block >= blocks or warp >= block_warps:
                raise LaunchError(f"cannot trace warp {warp} of block {block} of {kernel}: it has {blocks} blocks of {block_warps} warps")
        return LaneTracer([block * block_warps + warp for block, warp in self.warps], *self.cycles, self.records)


@attrs.frozen(eq=False)
class Recorded:
    """What the engine has recorded for a window."""

    window: LaneWindow
    records: np.ndarray = attrs.field(repr=lambda records: f"<{len(records):,} records>")
    lost: int


@attrs.frozen
class Step:
    """Cycles of a warp in which its lanes do not change what they do."""

    begin: int
    end: int
    issued: int
    """Instructions issued in them; what takes several slots is one."""
    statements: tuple[int, ...]
    """Statements (rows of `Run.statements`) that it issued or waited for."""
    running: int
    """Mask of the lanes that run."""
    states: np.ndarray = attrs.field(repr=lambda states: "".join(SIGNS[state] for state in states))
    """`LaneState` of each lane."""


@attrs.frozen(eq=False)
class LaneTrace:
    """What the lanes of some warps did. Prints as a chart: time goes down, lanes to the right."""

    window: LaneWindow
    warp_size: int
    block_warps: int
    records: np.ndarray = attrs.field(repr=False)
    """Structured, a row per issue or wait: ``warp`` (block times warps of a block, plus its number), cycles ``begin``, ``issue``,
    ``end`` (waiting from `begin` to `issue`, issuing to `end`), ``statement``, masks ``running`` and ``alive``, ``path``."""
    lost: int = 0
    """Records that found no room: of the warps that were still running then, later cycles are missing."""
    places: tuple[tuple[str, int, str], ...] = attrs.field(default=(), repr=False)
    """File, line and text of each statement; empty: not known."""

    @classmethod
    def of(cls, recorded: Recorded, warp_size: int, block_warps: int, places: Iterable[tuple[str, int, str]] = ()) -> LaneTrace:
        """Put what the engine has recorded in order."""
        order = np.lexsort((recorded.records["begin"], recorded.records["warp"]))
        return cls(recorded.window, warp_size, block_warps, recorded.records[order], recorded.lost, tuple(places))

    def of_warp(self, warp: int = 0, block: int = 0) -> np.ndarray:
        """Give the records of one warp, in order of time."""
        if (block, warp) not in self.window.warps:
            raise KeyError(f"warp {warp} of block {block} was not traced; these were: {list(self.window.warps)}")
        found: np.ndarray = self.records[self.records["warp"] == block * self.block_warps + warp]
        return found

    def states(self, warp: int = 0, block: int = 0) -> np.ndarray:
        """Give `LaneState` as an array ``[cycle of the window, lane]``; cycles in which the warp was not there are ABSENT."""
        first, last = self.window.cycles
        made = np.zeros((last - first, self.warp_size), np.uint8)
        records = self.of_warp(warp, block)
        for record, row in zip(records, self._states(records), strict=True):
            made[max(record["begin"] - first, 0):max(record["end"] - first, 0)] = row
        return made

    def issuing(self, warp: int = 0, block: int = 0) -> np.ndarray:
        """Say of each cycle of the window whether the warp issued in it."""
        first, last = self.window.cycles
        made = np.zeros(last - first, bool)
        for record in self.of_warp(warp, block):
            made[max(record["issue"] - first, 0):max(record["end"] - first, 0)] = True
        return made

    def statements(self, warp: int = 0, block: int = 0) -> np.ndarray:
        """Give of each cycle of the window the statement (row of `Run.statements`) that the warp issued or waited for, or -1."""
        first, last = self.window.cycles
        made = np.full(last - first, -1, np.int64)
        for record in self.of_warp(warp, block):
            made[max(record["begin"] - first, 0):max(record["end"] - first, 0)] = record["statement"]
        return made

    def lane_cycles(self, warp: int = 0, block: int = 0) -> dict[str, int]:
        """Count cycles of the window by lane state, summed over the lanes of the warp."""
        counted = np.bincount(self.states(warp, block).ravel(), minlength=len(LaneState))
        return dict(zip(LANE_STATES, counted[1:].tolist(), strict=True))

    def steps(self, warp: int = 0, block: int = 0) -> list[Step]:
        """Merge neighbouring cycles of a warp in which the states of its lanes are the same."""
        records = self.of_warp(warp, block)
        states, (first, last) = self._states(records), self.window.cycles
        steps: list[Step] = []
        for record, row in zip(records, states, strict=True):
            begin, end, at = max(int(record["begin"]), first), min(int(record["end"]), last), int(record["statement"])
            issued = int(record["end"] > record["issue"] >= first)
            if steps and steps[-1].end == begin and np.array_equal(steps[-1].states, row):
                last_step = steps[-1]
                steps[-1] = attrs.evolve(last_step, end=end, issued=last_step.issued + issued,
                                         statements=tuple(sorted({*last_step.statements, at})))
            elif end > begin:
                steps.append(Step(begin, end, issued, (at,), int(record["running"]), row))
        return steps

    def to_dict(self) -> dict[str, Any]:
        """Give plain data: of each warp the steps, lanes as a text with a character each, lane 0 first."""
        return {"cycles": self.window.cycles, "lost": self.lost, "warps": [
            {"block": block, "warp": warp, "lane_cycles": self.lane_cycles(warp, block), "steps": [
                {"begin": step.begin, "end": step.end, "issued": step.issued, "statements": step.statements,
                 "lanes": "".join(SIGNS[state] for state in step.states)} for step in self.steps(warp, block)]}
            for block, warp in self.window.warps]}

    def _states(self, records: np.ndarray) -> np.ndarray:
        lane = np.arange(self.warp_size, dtype=np.uint64)
        running, alive = ((records[mask][:, None] >> lane & np.uint64(1)).astype(bool) for mask in ("running", "alive"))
        path = np.where(records["running"] == records["alive"], LaneState.COHERENT, LaneState.FIRST_PATH + records["path"])
        return np.where(running, path[:, None], np.where(alive, LaneState.STALLED, LaneState.ABSENT)).astype(np.uint8)

    def __rich__(self) -> Group:
        return render(self)

    def __str__(self) -> str:
        return text(self.__rich__())
