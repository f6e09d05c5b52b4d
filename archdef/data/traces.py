"""Views of what happened when: lanes, blocks, warps, multiprocessors and partitions of a launch, and what a host's streams did."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from archdef.data.launches import LAUNCH, runs_of
from archdef.data.view import Row, flag, real, text, view, whole
from archdef.errors import LaunchError
from archdef.metrics import STALLS
from archdef.run.lane_chart import SIGNS

if TYPE_CHECKING:
    from archdef.run.timeline import RunTimeline

WINDOW = (whole("begin_cycle", "First cycle, counted from the launch.", "cycles"), whole("end_cycle", "The first cycle behind the last.", "cycles"))


@view("lane_steps", "Cycles of a warp in which its lanes do not change what they do, of a launch with the option `lanes`.", *LAUNCH,
      whole("block", "Number of the block."), whole("warp", "Number of the warp in the block."), *WINDOW,
      whole("issued", "Instructions that it issued in them."),
      text("lanes", "State of each lane, lane 0 first: ``C`` coherent, ``1`` first path, ``2`` second path, ``.`` stalled, a blank: it is not there."))
def lane_steps(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each step."""
    for launch, run in runs_of(results):
        if (trace := run.lane_trace) is None:
            raise LaunchError(f"the lanes of {run.kernel} were not traced: launch it with lanes=archdef.LaneWindow()")
        for block, warp in trace.window.warps:
            for step in trace.steps(warp, block):
                yield (*launch, block, warp, step.begin, step.end, step.issued, "".join(SIGNS[state] for state in step.states))


def _timelines(results: Sequence[Any]) -> Iterator[tuple[Row, RunTimeline]]:
    for launch, run in runs_of(results):
        yield launch, run.timeline()


@view("timeline_blocks", "A block: where it ran, and when. Of a launch with the option `timeline`.", *LAUNCH,
      text("block_kernel", "Kernel that it is of: a launch may launch others."), whole("block", "Number of the block."),
      whole("multiprocessor", "Where it ran."), whole("slot", "Place there."), *WINDOW)
def timeline_blocks(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each block."""
    for launch, timeline in _timelines(results):
        for block in timeline.blocks:
            yield (*launch, timeline.kernel_of(block), *(int(block[field]) for field in ("block", "multiprocessor", "slot", "begin", "end")))


def _buckets(timeline: RunTimeline) -> Iterator[tuple[int, int, int]]:
    """Give number, first cycle and the first one behind of each bucket."""
    for number, (begin, length) in enumerate(zip(timeline.begins, timeline.lengths, strict=True)):
        yield number, int(begin), int(begin + length)


@view("timeline_multiprocessors", "What a multiprocessor did in a bucket of time; those in which it did nothing are left out.", *LAUNCH,
      whole("multiprocessor", "Its number."), *WINDOW, whole("issued", "Warp instructions issued."), whole("l1_hits", "Sectors found in L1."),
      whole("l1_misses", "Sectors not found there."), whole("warp_cycles", "Cycles of resident warps, summed over them.", "cycles"),
      whole("request_cycles", "Cycles of requests that waited at the port to the network, summed over them.", "cycles"))
def timeline_multiprocessors(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each bucket of each multiprocessor."""
    for launch, timeline in _timelines(results):
        yield from _sums(launch, timeline, timeline.multiprocessors)


@view("timeline_partitions", "What a memory partition did in a bucket of time; those in which it did nothing are left out.", *LAUNCH,
      whole("partition", "Its number."), *WINDOW, whole("requests", "Requests that came in."), whole("bytes_read", "Read from DRAM.", "bytes"),
      whole("bytes_written", "Written to DRAM.", "bytes"), whole("row_hits", "Accesses that found their row open."),
      whole("row_misses", "Accesses that did not."),
      whole("l2_hits", "Requests that L2 answered."), whole("l2_misses", "Requests that it did not."),
      whole("busy_fs", "Time for which the data bus was busy.", "fs"),
      whole("queue_cycles", "Cycles of transactions in the queue, summed over them.", "cycles"),
      whole("waiting_cycles", "Cycles of ports that waited for a place in it.", "cycles"))
def timeline_partitions(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each bucket of each partition."""
    for launch, timeline in _timelines(results):
        yield from _sums(launch, timeline, timeline.partitions)


def _sums(launch: Row, timeline: RunTimeline, table: np.ndarray) -> Iterator[Row]:
    for bucket, begin, end in _buckets(timeline):
        for number, row in enumerate(table[bucket].tolist()):
            if any(row):
                yield (*launch, number, begin, end, *row)


@view("timeline_waits", "What warps of a multiprocessor spent a bucket of time on; of a launch whose timeline has the detail ``units`` or ``warps``.", *LAUNCH,
      whole("multiprocessor", "Its number."), *WINDOW, text("cause", "What they waited for; ``selected`` is issuing."),
      whole("warp_cycles", "Cycles that warps spent so.", "cycles"))
def timeline_waits(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each cause of each bucket of each multiprocessor."""
    for launch, timeline in _timelines(results):
        if (activity := timeline.activity) is None:
            raise LaunchError(f"what warps wait for is in timelines of the detail 'units' or 'warps', this one has {timeline.window.detail!r}")
        for bucket, begin, end in _buckets(timeline):
            for number, cause in np.argwhere(activity["stall_cycles"][bucket]).tolist():
                yield (*launch, number, begin, end, STALLS[cause], activity["stall_cycles"][bucket, number, cause])


@view("timeline_issues", "An issue of a warp, with the wait before it; of a launch whose timeline has the detail ``warps``.", *LAUNCH,
      text("warp_kernel", "Kernel that the warp is of."), whole("block", "Number of its block."), whole("warp", "Its number in the block."),
      whole("multiprocessor", "Where it ran."), whole("slot", "Place there."), text("place", "``file:line`` of the statement."),
      text("statement", "The statement."),
      text("unit", "Unit that it was issued to; missing: the wait ended with no issue."), text("cause", "What the warp waited for."),
      whole("begin_cycle", "From when it waited.", "cycles"), whole("since_cycle", "From when it could have been issued.", "cycles"),
      whole("throttled_cycles", "Cycles after that for which the load/store unit took nothing.", "cycles"),
      whole("unit_busy_cycles", "Cycles after that for which its unit was busy.", "cycles"), whole("issue_cycle", "When it was issued.", "cycles"),
      whole("end_cycle", "The first cycle behind the issue.", "cycles"))
def timeline_issues(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each issue."""
    for launch, timeline in _timelines(results):
        if timeline.window.detail != "warps":
            raise LaunchError(f"issues of warps are in timelines of the detail 'warps', this one has {timeline.window.detail!r}")
        units = [unit.name for unit in timeline.run.architecture.units]
        for issue in timeline.issues:
            yield (*launch, timeline.kernel_of(issue), *timeline.warp_of(issue), issue["multiprocessor"], issue["slot"],
                   *timeline.statement(int(issue["kernel"]), int(issue["statement"])), units[issue["unit"]] if issue["unit"] >= 0 else None,
                   STALLS[issue["cause"]], *(issue[field] for field in ("begin", "since", "throttled", "unit_busy", "issue", "end")))


@view("spans", "Something that a device or the host did: a copy, a kernel, a call.", text("place", "Device, or ``host``."),
      text("row", "Copy engine, ``kernels``, ``events``, ``functions`` or ``host``."), text("name", "What it was."), text("stream", "Label of the stream."),
      text("kind", "``copy``, ``kernel``, ``memset``, ``record``, ``wait``, ``function`` or ``call``."), real("begin_us", "When it began.", "us"),
      real("end_us", "When it ended.", "us"), whole("moved_bytes", "What it moved.", "bytes"), flag("failed", "Whether it failed."))
def spans(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each span."""
    for timeline in results:
        yield from ((s.place, s.row, s.name, s.stream, s.kind, s.start_us, s.end_us, s.nbytes, s.failed) for s in timeline.spans)
