"""What happened when in a launch: its blocks, its warps, and what multiprocessors and memory did over time."""
from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef import values
from archdef.engine.recorder import TimelineRecorder
from archdef.errors import LaunchError
from archdef.files import trace_events
from archdef.run import timeline_trace
from archdef.run.levels import DETAILS, FOREVER
from archdef.run.why import EXPLAINING, Prober, Reason, how_to_ask

if TYPE_CHECKING:
    from archdef.engine.core import Grid
    from archdef.files.trace_events import TraceEvents
    from archdef.lower.program import Program
    from archdef.lower.records import Statement
    from archdef.run.children import ChildLaunch
    from archdef.run.result import Run

MOST_BUCKETS = 1 << 14
MOST_RECORDS = 1 << 22
CLOCKS = ("cycles", "us")


def _detail(given: Any) -> str:
    return values.one_of(given, "detail of a timeline", DETAILS, LaunchError)


def _cycles(given: Any) -> tuple[int, int | None]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise LaunchError(f"cycles of a timeline are (first, behind the last or None), got {values.shown(given)}")
    first = values.whole(given[0], "the first cycle of a timeline", LaunchError, at_most=FOREVER - 1)
    if given[1] is None:
        return first, None
    return first, values.whole(given[1], "the cycle behind the last of a timeline", LaunchError, at_least=first + 1, at_most=FOREVER)


def _numbers(given: Any) -> tuple[int, ...] | None:
    if given is None:
        return None
    each = given if isinstance(given, (list, tuple, set, frozenset, range)) else (given,)
    if not each:
        raise LaunchError("the multiprocessors of a timeline are none at all; None takes all")
    return tuple(sorted({values.whole(n, "a multiprocessor of a timeline", LaunchError) for n in each}))


def _used(table: np.ndarray) -> int:
    """Count buckets up to the last in which something happened."""
    found = np.flatnonzero(table.view(np.int64).reshape(len(table), -1).any(axis=1)) if table.size else np.zeros(0, int)
    return int(found[-1]) + 1 if len(found) else 0


def _long(table: np.ndarray, buckets: int) -> np.ndarray:
    """Give so many buckets, those that there are not without anything."""
    made = np.zeros((buckets, *table.shape[1:]), table.dtype)
    made[:len(table)] = table[:buckets]
    return made


@attrs.frozen
class TimelineWindow:
    """What a timeline shall hold, and of which cycles: the option ``timeline`` of a launch."""

    detail: str = attrs.field(default="blocks", converter=_detail)
    """``kernels``: sums over time, of multiprocessors and memory partitions; ``blocks``: also every block; ``units``: also, over time, what warps of every
    multiprocessor wait for and which units they use, and what banks of shared memory serve; ``warps``: also every issue, and every wait, of warps;
    ``requests``: also every request to memory, stage by stage."""
    cycles: tuple[int, int | None] = attrs.field(default=(0, None), converter=_cycles)
    """First cycle of the launch that is of interest, and the first one behind; None: to the end."""
    multiprocessors: tuple[int, ...] | None = attrs.field(default=None, converter=_numbers)
    """Those whose warps' issues are recorded; None: all. Everything else, requests among it, is always of all."""
    buckets: int = attrs.field(default=256)
    """Buckets of time that sums are kept for, at most; an even number."""
    bucket_cycles: int = attrs.field(default=1)
    """Cycles of a bucket to begin with, at least those of an epoch of the engine (60 to 256). When there are no more buckets, two become one: the memory that
    a timeline takes does not depend on how long it is."""
    records: int = attrs.field(default=1 << 16)
    """Blocks, issues of warps, and requests that are kept; 56, 56 and 152 bytes each while the launch runs. What is beyond is counted as lost."""

    @buckets.validator
    def _buckets_are_few(self, attribute: attrs.Attribute[int], value: int) -> None:
        if values.whole(value, "buckets of a timeline", LaunchError, at_least=2, at_most=MOST_BUCKETS) % 2:
            raise LaunchError(f"buckets of a timeline are an even number, got {value}")

    @bucket_cycles.validator
    def _buckets_last(self, attribute: attrs.Attribute[int], value: int) -> None:
        values.whole(value, "cycles of a bucket of a timeline", LaunchError, at_least=1, at_most=1 << 40)

    @records.validator
    def _records_are_few(self, attribute: attrs.Attribute[int], value: int) -> None:
        values.whole(value, "records of a timeline", LaunchError, at_least=1, at_most=MOST_RECORDS)

    @classmethod
    def of(cls, given: Any) -> TimelineWindow | None:
        """Take the option of a launch. Raises LaunchError."""
        if given is None or given is False:
            return None
        if given is True:
            return cls()
        if isinstance(given, cls):
            return given
        raise LaunchError(f"timeline must be True or an archdef.TimelineWindow, got {values.shown(given)}")

    def recorder(self, kernel: str, multiprocessors: int) -> TimelineRecorder:
        """Make what the engine fills. Raises LaunchError if the machine has no such multiprocessor."""
        if self.multiprocessors is not None and self.multiprocessors[-1] >= multiprocessors:
            raise LaunchError(f"cannot record multiprocessor {self.multiprocessors[-1]} for the timeline of {kernel}: the machine has {multiprocessors}")
        first, last = self.cycles
        return TimelineRecorder(DETAILS.index(self.detail), first, FOREVER if last is None else last, self.bucket_cycles, self.buckets, self.records,
                                self.records, self.multiprocessors)


@attrs.frozen(eq=False)
class TimelineRecord:
    """What the engine has recorded for a window: plain arrays, cycles count from the launch."""

    window: TimelineWindow
    width: int
    """Cycles of a bucket."""
    ready: int
    """Cycle of the session from which blocks could start: the first one of the launch."""
    started: int
    """Cycle of the first block."""
    kernels: tuple[str, ...]
    """The kernel, then those that it could come to launch; records name them by number."""
    statements: tuple[int, ...]
    """Row of `Run.statements` at which those of each kernel begin."""
    blocks: np.ndarray
    issues: np.ndarray
    multiprocessors: np.ndarray
    partitions: np.ndarray
    activity: np.ndarray | None
    bank_words: np.ndarray | None
    """Words that banks of shared memory served, ``[bucket, bank]``."""
    requests: np.ndarray
    blocks_lost: int
    issues_lost: int
    requests_lost: int

    @classmethod
    def of(cls, window: TimelineWindow, cycles: int, grid: Grid, kernels: Sequence[str], programs: Sequence[Program]) -> TimelineRecord:
        """Copy what the recorder of a grid of so many cycles has; `kernels` and `programs` are those that it could come to, its own first."""
        assert grid.timeline is not None, "its timeline is recorded"
        recorder, counts = grid.timeline, [len(program.statements) for program in programs]
        first, last = window.cycles
        multiprocessors, partitions, activity, banks = recorder.sums()
        # the last epoch reaches beyond the launch, or ends before its last store has landed
        used = max(-(-(min(cycles, FOREVER if last is None else last) - first) // recorder.width), _used(multiprocessors), _used(partitions))
        blocks, issues = recorder.blocks(), recorder.warps()
        blocks = blocks[np.lexsort((blocks["slot"], blocks["multiprocessor"], blocks["begin"]))]
        issues = issues[np.lexsort((issues["begin"], issues["slot"], issues["multiprocessor"]))]
        return cls(window, recorder.width, grid.ready, grid.started - grid.ready, tuple(kernels),
                   tuple(itertools.accumulate(counts[:-1], initial=0)), blocks, issues, _long(multiprocessors, used), _long(partitions, used),
                   None if activity is None else _long(activity, used), None if banks is None else _long(banks, used), recorder.memory_requests(),
                   *recorder.lost)


class RunTimeline:
    """What happened when in a launch; `save` writes it for a viewer of traces, such as Perfetto."""

    def __init__(self, run: Run, record: TimelineRecord, place: Callable[[Statement], tuple[str, int]]):
        self.run, self.record, self._place = run, record, place
        self._statements: dict[int, tuple[str, str]] = {}

    @property
    def window(self) -> TimelineWindow:
        """What was asked for."""
        return self.record.window

    @property
    def bucket_cycles(self) -> int:
        """Cycles of a bucket, the last one's may be fewer."""
        return self.record.width

    @property
    def begins(self) -> np.ndarray:
        """First cycle of each bucket."""
        return self.window.cycles[0] + self.record.width * np.arange(len(self.record.multiprocessors) + 1)[:-1]

    @property
    def lengths(self) -> np.ndarray:
        """Cycles of each bucket that lie in the window and in the launch."""
        last = self.run.cycles if self.window.cycles[1] is None else min(self.run.cycles, self.window.cycles[1])
        begins = self.begins
        lengths: np.ndarray = np.maximum(np.minimum(begins + self.record.width, last) - begins, 1)
        return lengths

    @property
    def multiprocessors(self) -> np.ndarray:
        """Sums of each multiprocessor, ``[bucket, multiprocessor]``, structured.

        ``issued`` warp instructions, ``l1_hits`` and ``l1_misses`` sectors, ``warp_cycles`` of resident warps of the launch, ``request_cycles`` of requests
        that wait at the port to the network. What ends in ``_cycles`` is a number of things times the cycles for which they were there: divide by `lengths`.
        All but the warps are of all launches that the machine worked on.
        """
        return self.record.multiprocessors

    @property
    def partitions(self) -> np.ndarray:
        """Sums of each memory partition, ``[bucket, partition]``, structured, of all launches that the machine worked on.

        ``requests``, ``bytes_read`` and ``bytes_written`` of DRAM, ``row_hits``, ``row_misses``, ``l2_hits``, ``l2_misses``, ``busy_fs`` of the data bus,
        ``queue_cycles`` of transactions in the controller's queue, ``waiting_cycles`` of ports that wait for a place in it.
        """
        return self.record.partitions

    @property
    def activity(self) -> np.ndarray | None:
        """What warps of the launch did, ``[bucket, multiprocessor]``, structured: ``stall_cycles[cause]`` and ``unit_issues[unit]``; None below ``units``."""
        return self.record.activity

    def partition_activity(self) -> tuple[np.ndarray, np.ndarray, str]:
        """Give how busy each memory partition is over time, for a heat map.

        Returns
        -------
        cycles : ndarray of int
            First cycle of each bucket, as `begins`.
        busy : ndarray of float
            ``[bucket, partition]``, in percent of the bucket's time. What begins in a bucket counts there, so that one can have a little more than 100.
        unit : str
            What `busy` is, in words.
        """
        period_fs = self.run.counters.elapsed_s * 1e15 / max(self.run.cycles, 1)
        busy = 100 * self.partitions["busy_fs"] / (self.lengths * period_fs)[:, None]
        return self.begins, busy, "% of the time in which the DRAM data bus of the partition moves data"

    def bank_activity(self) -> tuple[np.ndarray, np.ndarray, str]:
        """Give what each bank of shared memory serves over time, for a heat map.

        An access of a warp asks a bank for each different word once, or once for each group of lanes that goes over the banks by itself; what copies without
        warps bring is not in it. Banks of one number are taken together, of all multiprocessors.

        Returns
        -------
        cycles : ndarray of int
            First cycle of each bucket, as `begins`.
        words : ndarray of float
            ``[bucket, bank]``, words a cycle.
        unit : str
            What `words` is, in words.

        Raises
        ------
        LaunchError
            The detail is less than ``units``.
        """
        if self.record.bank_words is None:
            raise LaunchError(f"what banks serve is in timelines of the detail 'units' and of those above, this one has {self.window.detail!r}")
        return self.begins, self.record.bank_words / self.lengths[:, None], "words a cycle that the bank serves, in all multiprocessors together"

    @property
    def blocks(self) -> np.ndarray:
        """Blocks, structured, in order of their starts: ``multiprocessor``, ``slot``, ``block``, ``kernel``, ``serial``, cycles ``begin`` and ``end``."""
        return self.record.blocks

    @property
    def issues(self) -> np.ndarray:
        """Issues and waits of warps, structured, by multiprocessor, slot and time.

        ``[begin, since)`` the warp waits for ``cause``, until ``issue`` for its turn (``throttled`` cycles for the load/store unit, ``unit_busy`` for its unit,
        the rest while another warp was issued), and issues ``statement`` to ``unit`` until ``end``. A wait that ends with no issue has the unit -1.
        """
        return self.record.issues

    @property
    def requests(self) -> np.ndarray:
        """Requests to memory, structured, in the order in which they were sent; none below ``requests``. Of all launches that the machine worked on.

        ``warp`` of the grid (-1: no access of a warp has sent it, such as bulk copies and instruction fetches), ``kernel``, ``serial``, ``statement``,
        ``multiprocessor``, ``kind`` (a place in `archdef.run.requests.KINDS`), ``address``, ``bytes``, ``partition`` of memory. Then the cycles at which it
        came from one stage to the next, -1 where it did not pass or has not come so far: ``begun`` by the load/store unit; ``sent`` past L1 to the port;
        ``refused``: first of its port, but its partition's queue was full; ``left`` the port; ``arrived`` through the port of its partition or slice;
        ``queued``: DRAM got a transaction that it waits for; ``served``: that was over; ``answered``: the multiprocessor has its data, or the store has landed.
        ``ahead`` is the place in this array of the request that asked DRAM for what it waits for, itself if it did; ``gathered`` is 1 if it was
        answered together with an equal one.
        """
        return self.record.requests

    @property
    def lost(self) -> int:
        """Blocks, issues and requests that found no room in the window's `records`."""
        return self.record.blocks_lost + self.record.issues_lost + self.record.requests_lost

    @functools.cached_property
    def _launches(self) -> dict[int, ChildLaunch]:
        return {each.number: each for each in self.run.launches}

    def kernel_of(self, record: np.void) -> str:
        """Name the kernel of a block or of an issue."""
        number = int(record["kernel"])
        return self.record.kernels[number] if number else self.run.kernel

    def grid_of(self, record: np.void) -> tuple[int, int, int]:
        """Give the grid of a block or of an issue."""
        child = self._launches.get(int(record["serial"]))
        return self.run.grid if child is None else child.grid

    def warp_of(self, record: np.void) -> tuple[int, int]:
        """Give the block of an issue, and the number of the warp in it."""
        child, size = self._launches.get(int(record["serial"])), self.run.architecture.warp.size
        threads = math.prod(self.run.block if child is None else child.block)
        block, warp = divmod(int(record["warp"]), -(-threads // size))
        return block, warp

    def statement(self, kernel: int, number: int) -> tuple[str, str]:
        """Give place and text of the statement that an issue names, with its kernel, by number."""
        row = self.record.statements[kernel] + number
        if row not in self._statements:
            statement = self.run.program.statements[row]
            file, line = self._place(statement)
            self._statements[row] = f"{file}:{line}", statement.text
        return self._statements[row]

    @functools.cached_property
    def _prober(self) -> Prober:
        return Prober(self)

    def why(self, warp: int, cycle: int, block: int = 0) -> Reason:
        """Say what holds a warp at a cycle, until when, and what that waits for in turn; it prints as a chain of reasons.

        Raises LaunchError unless the detail is ``warps``, or ``requests``, which also says for which request it waits and which are ahead of that,
        and that cycle of the warp was recorded.
        """
        if self.window.detail not in EXPLAINING:
            raise LaunchError(f"why a warp waits is in timelines of the detail {' or '.join(map(repr, EXPLAINING))}, this one has {self.window.detail!r}: "
                              + how_to_ask(cycle))
        warp, block = self.check_warp(warp, block)
        return self._prober.why(block, warp, values.whole(cycle, "a cycle to ask for", LaunchError))

    def check_warp(self, warp: int, block: int) -> tuple[int, int]:
        """Refuse a warp that the launch does not have. Raises LaunchError."""
        warp, block = (values.whole(n, what, LaunchError) for n, what in ((warp, "a warp to ask for"), (block, "a block to ask for")))
        if block >= math.prod(self.run.grid) or warp >= self.run.occupancy.warps_per_block:
            raise LaunchError(f"there is no warp {warp} of block {block} of {self.run.kernel}: it has {math.prod(self.run.grid)} blocks of "
                              f"{self.run.occupancy.warps_per_block} warps")
        return warp, block

    def write(self, trace: TraceEvents, start_us: float, before: str) -> None:
        """Add multiprocessors and memory to a trace in microseconds that has the launch itself, whose first block starts at a time."""
        origin = start_us - self.record.started * self._cycle_us
        timeline_trace.write(trace, self, timeline_trace.Place(self._cycle_us, False, origin, before), alone=False)

    @property
    def _cycle_us(self) -> float:
        return self.run.counters.elapsed_s * 1e6 / max(self.run.cycles, 1)

    def to_dict(self, clock: str = "cycles") -> dict[str, Any]:
        """Give a trace in the Trace Event Format.

        clock : ``cycles``: a microsecond of the trace is a cycle, so nothing is rounded; ``us``: microseconds.
        """
        values.one_of(clock, "clock of a trace", CLOCKS, LaunchError)
        trace = trace_events.TraceEvents()
        timeline_trace.write(trace, self, timeline_trace.Place() if clock == "cycles" else timeline_trace.Place(self._cycle_us, whole=False))
        return trace.to_dict(kernel=self.run.kernel, architecture=self.run.architecture.label, clock=clock, cycles=self.run.cycles,
                             bucket_cycles=self.bucket_cycles, lost=self.lost)

    def save(self, path: str | Path, clock: str = "cycles") -> None:
        """Write the trace of `to_dict`, as a whole or not at all; compressed if the name ends in ``.gz``, in Perfetto's format if in ``.perfetto-trace``.

        The latter needs the package ``perfetto`` (``pip install archdef[perfetto]``); raises MissingExtra without it.
        """
        trace_events.save(path, self.to_dict(clock))

    def __repr__(self) -> str:
        return (f"<RunTimeline {self.run.kernel}: {len(self.begins)} buckets of {self.bucket_cycles:,} cycles, {len(self.blocks):,} blocks, "
                f"{len(self.issues):,} issues, {self.lost:,} lost>")
