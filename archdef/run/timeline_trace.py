"""A launch's timeline as events of a trace: which processes, tracks and counters there are."""
from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import attrs
import numpy as np

from archdef.files.trace_events import TraceEvents
from archdef.metrics.counters import STALLS
from archdef.run.requests import KINDS, stages_of

if TYPE_CHECKING:
    from archdef.run.timeline import RunTimeline

FS_PER_US = 10**9


@attrs.frozen
class Place:
    """Where a launch goes in a trace, and how its cycles are written."""

    scale: float = 1.0
    """Of the trace's microseconds for a cycle."""
    whole: bool = True
    """Times are whole numbers."""
    origin: float = 0.0
    """Time of the launch's first cycle."""
    before: str = ""
    """What the names of processes begin with."""

    def at(self, cycle: int) -> float:
        """Give the time of a cycle."""
        return int(cycle) if self.whole else round(self.origin + int(cycle) * self.scale, 6)

    def span(self, begin: int, end: int) -> tuple[float, float]:
        """Give start and duration; what follows without a gap does so in the trace, too."""
        start = self.at(begin)
        return start, self.at(end) - start if self.whole else round(self.at(end) - start, 6)


def write(trace: TraceEvents, timeline: RunTimeline, place: Place, alone: bool = True) -> None:
    """Add a launch to a trace.

    alone : the trace has no other, so that it shows the launch itself, too.
    """
    if alone:
        _launches(trace, timeline, place)
    _machine(trace, timeline, place)
    _partitions(trace, timeline, place)
    if timeline.window.detail != "kernels":
        _multiprocessors(trace, timeline, place)
    _blocks(trace, timeline, place)
    _warps(trace, timeline, place)
    _requests(trace, timeline, place)


# --------------------------------------------------------------------------------------------------------------- launches
def _launches(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    """The kernel, and those that it launched: one below the other where they overlap."""
    run, process = timeline.run, f"{place.before}kernels"
    trace.span(process, "launched by the host", run.kernel, *place.span(0, run.cycles), "kernel", grid=run.grid, block=run.block, cycles=run.cycles,
               first_block=timeline.record.started)
    ready, ends = timeline.record.ready, list[int]()
    for child in sorted(run.launches, key=lambda each: (each.started, each.number)):
        start, end = child.started - ready, max(child.ended, child.started + 1) - ready
        row = next((i for i, last in enumerate(ends) if last <= start), len(ends))
        ends[row:row + 1] = [end]
        trace.span(process, f"launched by kernels {row + 1}", child.kernel, *place.span(start, end), "kernel", grid=child.grid, block=child.block,
                   number=child.number, parent=child.parent, asked=child.asked - ready)


# --------------------------------------------------------------------------------------------------------------- counters
def _counter(trace: TraceEvents, timeline: RunTimeline, place: Place, process: str, name: str, columns: dict[str, np.ndarray], digits: int = 4) -> None:
    """A counter with a value for each bucket, and nothing behind the last one."""
    begins = timeline.begins
    rounded = {key: np.round(column, digits).tolist() for key, column in columns.items()}
    values: Iterable[dict[str, float]] = (dict(zip(rounded, row, strict=True)) for row in zip(*rounded.values(), strict=True))
    end = int(begins[-1] + timeline.lengths[-1]) if len(begins) else 0
    trace.counter(f"{place.before}{process}", name, [place.at(begin) for begin in begins] + [place.at(end)],
                  [*values, dict.fromkeys(rounded, 0.0)])


def _share(part: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Percent of both; 0 where there is neither."""
    share: np.ndarray = 100.0 * part / np.maximum(part + other, 1)
    return share


def _machine(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    """What all multiprocessors, and all memory partitions, do together."""
    sms, memory, lengths = timeline.multiprocessors, timeline.partitions, timeline.lengths
    if not len(lengths):
        return
    process = "machine"
    total: Callable[[np.ndarray, str], np.ndarray] = lambda table, field: table[field].sum(axis=1)  # noqa: E731
    _counter(trace, timeline, place, process, "warp instructions a cycle", {"issued": total(sms, "issued") / lengths})
    _counter(trace, timeline, place, process, "resident warps", {"warps": total(sms, "warp_cycles") / lengths}, 2)
    _counter(trace, timeline, place, process, "L1 hits, %", {"hits": _share(total(sms, "l1_hits"), total(sms, "l1_misses"))}, 2)
    _counter(trace, timeline, place, process, "L2 hits, %", {"hits": _share(total(memory, "l2_hits"), total(memory, "l2_misses"))}, 2)
    _counter(trace, timeline, place, process, "DRAM bytes a cycle", {"read": total(memory, "bytes_read") / lengths,
                                                                     "written": total(memory, "bytes_written") / lengths}, 2)
    if timeline.activity is not None:
        _activity(trace, timeline, place, process, timeline.activity["stall_cycles"].sum(axis=1), timeline.activity["unit_issues"].sum(axis=1))


def _activity(trace: TraceEvents, timeline: RunTimeline, place: Place, process: str, stalls: np.ndarray, issues: np.ndarray) -> None:
    """What warps wait for, as a number of warps, and which units they use."""
    lengths = timeline.lengths
    causes = {cause: stalls[:, i] / lengths for i, cause in enumerate(STALLS) if stalls[:, i].any()}
    for cause, column in causes.items():
        _counter(trace, timeline, place, process, f"warps: {cause.replace('_', ' ')}", {"warps": column}, 3)
    for i, unit in enumerate(timeline.run.architecture.units):
        if issues[:, i].any():
            _counter(trace, timeline, place, process, f"issues to {unit.name} a cycle", {"issues": issues[:, i] / lengths})


def _partitions(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    lengths, period_fs = timeline.lengths, timeline.run.counters.elapsed_s * 1e15 / max(timeline.run.cycles, 1)
    for number in range(timeline.partitions.shape[1]):
        of, process = timeline.partitions[:, number], f"memory partition {number}"
        if not any(of[field].any() for field in of.dtype.names or ()):
            continue
        _counter(trace, timeline, place, process, "DRAM bytes a cycle", {"read": of["bytes_read"] / lengths, "written": of["bytes_written"] / lengths})
        _counter(trace, timeline, place, process, "data bus busy, %", {"busy": 100 * of["busy_fs"] / (lengths * period_fs)}, 2)
        _counter(trace, timeline, place, process, "DRAM queue", {"transactions": of["queue_cycles"] / lengths}, 2)
        _counter(trace, timeline, place, process, "ports that wait for the queue", {"ports": of["waiting_cycles"] / lengths}, 2)
        _counter(trace, timeline, place, process, "row hits, %", {"hits": _share(of["row_hits"], of["row_misses"])}, 2)
        _counter(trace, timeline, place, process, "L2 hits, %", {"hits": _share(of["l2_hits"], of["l2_misses"])}, 2)


def _multiprocessors(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    lengths = timeline.lengths
    for number in range(timeline.multiprocessors.shape[1]):
        of, process = timeline.multiprocessors[:, number], _multiprocessor(number)
        if not any(of[field].any() for field in of.dtype.names or ()):
            continue
        _counter(trace, timeline, place, process, "warp instructions a cycle", {"issued": of["issued"] / lengths})
        _counter(trace, timeline, place, process, "resident warps", {"warps": of["warp_cycles"] / lengths}, 2)
        _counter(trace, timeline, place, process, "L1 hits, %", {"hits": _share(of["l1_hits"], of["l1_misses"])}, 2)
        _counter(trace, timeline, place, process, "requests at the port", {"requests": of["request_cycles"] / lengths}, 2)
        if timeline.activity is not None:
            _activity(trace, timeline, place, process, timeline.activity["stall_cycles"][:, number], timeline.activity["unit_issues"][:, number])


def _multiprocessor(number: int) -> str:
    return f"multiprocessor {number}"


# ----------------------------------------------------------------------------------------------------------------- tracks
def _blocks(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    """A track for each place of a block; a process for each multiprocessor."""
    for block in timeline.blocks:
        kernel, at = timeline.kernel_of(block), _index(int(block["block"]), timeline.grid_of(block))
        trace.span(f"{place.before}{_multiprocessor(block['multiprocessor'])}", f"place {block['slot']} of blocks", f"{kernel} {at}",
                   *place.span(block["begin"], block["end"]), "block", block=int(block["block"]))


def _index(number: int, grid: tuple[int, int, int]) -> str:
    return f"({number % grid[0]}, {number // grid[0] % grid[1]}, {number // (grid[0] * grid[1])})"


def _warps(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    """A track for each place of a warp: the warp, and within it what it waits for and what it issues."""
    issues = timeline.issues
    if not len(issues):
        return
    change = np.flatnonzero(np.any([np.diff(issues[field]) != 0 for field in ("multiprocessor", "slot", "warp", "serial")], axis=0)) + 1
    for of in np.split(issues, change):
        first = of[0]
        process, thread = f"{place.before}{_multiprocessor(first['multiprocessor'])}", f"warp {first['slot']}"
        kernel, (block, warp) = timeline.kernel_of(first), timeline.warp_of(first)
        trace.span(process, thread, f"{kernel}, warp {warp} of block {block}", *place.span(first["begin"], of["end"].max()), "warp")
        fields = {field: of[field].tolist() for field in _FIELDS}
        for record in zip(*fields.values(), strict=True):
            _parts(trace, timeline, place, process, thread, *record)


_FIELDS = ("kernel", "statement", "unit", "cause", "begin", "since", "throttled", "unit_busy", "issue", "end")


def _parts(trace: TraceEvents, timeline: RunTimeline, place: Place, process: str, thread: str, kernel: int, statement: int, unit: int, cause: int,
           begin: int, since: int, throttled: int, busy: int, issue: int, end: int) -> None:
    """What a warp does from one issue to the next. How long it waits for which turn is known, in which order is not."""
    line, text = timeline.statement(kernel, statement)
    at = begin
    waits = ((STALLS[cause], since - begin), ("memory_throttle", throttled), ("pipe_busy", busy), ("not_selected", issue - since - throttled - busy))
    for what, cycles in waits:
        if cycles > 0:
            trace.span(process, thread, what.replace("_", " "), *place.span(at, at + cycles), "wait", statement=text, line=line)
            at += cycles
    if unit >= 0:
        trace.span(process, thread, text, *place.span(issue, end), "issue", line=line, unit=timeline.run.architecture.units[unit].name)


def _requests(trace: TraceEvents, timeline: RunTimeline, place: Place) -> None:
    """Requests of each multiprocessor from when they are sent to their answer, on as many tracks as are under way together."""
    free: dict[int, list[int]] = {}
    under_way: dict[int, list[tuple[int, int]]] = {}
    of = timeline.requests
    for request in of[np.argsort(of["sent"], kind="stable")]:
        sm, begin, end = int(request["multiprocessor"]), int(request["sent"]), int(request["answered"])
        if end < 0:     # behind what was recorded
            continue
        tracks, ends = free.setdefault(sm, []), under_way.setdefault(sm, [])
        while ends and ends[0][0] <= begin:
            heapq.heappush(tracks, heapq.heappop(ends)[1])
        track = heapq.heappop(tracks) if tracks else len(ends) + 1
        heapq.heappush(ends, (end, track))
        line, text = timeline.statement(int(request["kernel"]), int(request["statement"])) if request["warp"] >= 0 else ("", "of no warp")
        stages = {f"through {stage}": int(request[field]) for field, stage in stages_of(request) if request[field] >= 0}
        trace.span(f"{place.before}{_multiprocessor(sm)}", f"request {track}", f"{KINDS[request['kind']]}: {text}", *place.span(begin, end), "request",
                   line=line, address=f"{int(request['address']):#x}", bytes=int(request["bytes"]), partition=int(request["partition"]), **stages)
