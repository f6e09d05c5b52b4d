"""What a launch gives back: cycles, time, metrics, and what each source line cost."""
from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.baseline import Difference, difference
from archdef.bounds import Bounds, Roofline, bounds, roofline
from archdef.console import text
from archdef.errors import LaunchError
from archdef.formatting import count, percent, seconds
from archdef.metrics import Counters, FunctionalCounters, Measurement, Metrics
from archdef.metrics.stalls import cpi_stack
from archdef.pack import prototypes
from archdef.plot.of_run import RunPlots
from archdef.run import html_report
from archdef.run.causes import Reason, reasons
from archdef.run.footprint import MemoryMap, WarpContents, warp_contents
from archdef.run.lanes import LaneTrace, Recorded
from archdef.run.printing import Output
from archdef.run.table import render
from archdef.run.timeline import RunTimeline, TimelineRecord
from archdef.run.why import Reason as Hold
from archdef.run.why import how_to_ask
from archdef.spec import Architecture
from archdef.tables import to_html
from archdef.values import cut

if TYPE_CHECKING:
    import pandas

    from archdef.host.managed import Moved
    from archdef.lower.program import Program
    from archdef.lower.records import Statement
    from archdef.occupancy import Occupancy
    from archdef.run.children import ChildLaunch
    from archdef.run.failures import IgnoredFailure
    from archdef.run.kept import Kept


@attrs.frozen(eq=False, slots=False, repr=False)
class Cost:
    """What one source line, or one PTX statement, cost."""

    file: str
    line: int
    """1-based line of `file`; 0 for instructions that the compiler ties to no line."""
    text: str
    """The line, stripped; empty if the source is not at hand."""
    counters: Counters
    """Counters of these statements only."""
    share: float
    """Part of all warp cycles of the launch that was spent here, 0 to 1."""

    @property
    def warp_cycles(self) -> int:
        """Cycles that warps spent here, issuing or waiting."""
        return sum(self.counters.stalls.values())

    @property
    def cause(self) -> str:
        """What the most warp cycles here went to; ``selected`` is issuing."""
        stalls = self.counters.stalls
        return max(stalls, key=stalls.__getitem__)

    def __repr__(self) -> str:
        return f"<Cost of {cut(self.file)}:{self.line}: {percent(100 * self.share)} of warp cycles, mostly {self.cause}, {cut(self.text)!r}>"

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"file": self.file, "line": self.line, "text": self.text, "share": self.share,
                "warp_cycles": self.warp_cycles,
                "cause": self.cause, **self.counters.totals(), "stalls": self.counters.stalls,
                "lane_cycles": self.counters.lane_cycles, "lane_slots": self.counters.lane_slots}


@attrs.frozen(eq=False, slots=False, repr=False)
class Run:
    """A finished launch.

    `pickle` and `copy` take what the launch left; what is worked out of it, such as `metrics`, the copy works out anew.
    """

    kernel: str
    architecture: Architecture
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    """Shared memory per block, static and dynamic."""
    registers: int
    """Registers per thread."""
    occupancy: Occupancy
    """The occupancy rule's answer: ``active_blocks``, ``occupancy``, ``limiter`` …"""
    counters: Counters
    """Everything that the engine counted."""
    program: Program
    """The lowered kernel, whose statements the counters belong to."""
    sources: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    """File name → its lines, as far as they are at hand."""
    output: Output = attrs.field(factory=Output)
    """What the kernel printed, call by call."""
    launches: tuple[ChildLaunch, ...] = ()
    """What kernels of this run launched, in order of their end. `counters`, `lines` and `statements` are of all of them together."""
    failures: tuple[IgnoredFailure, ...] = ()
    """Calls of the device runtime that failed without the kernel looking."""
    memory_map: MemoryMap | None = None
    """Shares of device memory during the launch: global, constant, private."""
    moved: Moved | None = None
    """Managed memory that moved to the device first, in the time before the launch began; None: none did."""
    constants_written: bool = False
    """Whether it stored to constant memory that its own code also loads from."""
    recorded: Recorded | None = None
    """What the engine recorded for the option ``lanes`` of the launch."""
    timeline_record: TimelineRecord | None = attrs.field(default=None, repr=False)
    """What the engine recorded for the option ``timeline`` of the launch."""
    interrupted: str = ""
    """How far it had got when the user stopped it: all figures are those until then; empty: it ran to its end."""

    kept: Kept | None = attrs.field(default=None, repr=False)
    """What the option ``keep`` of the launch kept to launch it again, for `archdef.advise`; copies have none."""

    def timeline(self) -> RunTimeline:
        """What happened when: blocks, warps, what multiprocessors and memory did over time; `save` writes it for a viewer such as Perfetto.

        Raises LaunchError if the launch did not have the option ``timeline``.
        """
        if self.timeline_record is None:
            raise LaunchError(f"the timeline of {self.kernel} was not recorded: launch it with timeline=True, or an archdef.TimelineWindow")
        return RunTimeline(self, self.timeline_record, self.place)

    def why(self, warp: int, cycle: int, block: int = 0) -> Hold:
        """Say what holds a warp at a cycle, until when, and what that waits for in turn: `RunTimeline.why`.

        A result has no arguments to launch with again: raises LaunchError, which says how to launch, unless the timeline that it needs was recorded.
        """
        if self.timeline_record is None:
            raise LaunchError(f"the timeline of {self.kernel} was not recorded: {how_to_ask(cycle)}")
        return self.timeline().why(warp, cycle, block)

    def __repr__(self) -> str:
        took = "not timed" if self.functional else f"{count(self.cycles)} cycles, {seconds(self.elapsed_s)}"
        return f"<Run of {cut(self.kernel)} {self.grid} x {self.block} on {cut(self.architecture.label)}: {took}>"

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in attrs.fields(type(self))} | {"kept": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @functools.cached_property
    def lane_trace(self) -> LaneTrace | None:
        """What the lanes of the warps that the option ``lanes`` chose did, cycle by cycle; None without it."""
        if self.recorded is None:
            return None
        places = ((*(place := self.place(statement)), self._source(*place)) for statement in self.program.statements)
        return LaneTrace.of(self.recorded, self.architecture.warp.size, self.occupancy.warps_per_block, places)

    @functools.cached_property
    def warp_contents(self) -> WarpContents:
        """What each warp holds: program counters, registers, private and shared memory."""
        return warp_contents(self.architecture, self.occupancy, self.program.local_bytes)

    @property
    def printed(self) -> str:
        """What the kernel printed, in order of time."""
        return self.output.text

    @property
    def registers_from(self) -> str:
        """Who counted `registers`: ``liveness``, or the assembler, its version and target."""
        return self.program.registers_from

    @property
    def spilled_registers(self) -> int:
        """Registers that the kernel needs beyond its budget: their values live in local memory, whose traffic is counted."""
        return self.program.spilled_registers

    @property
    def launch_bytes_read(self) -> int:
        """Bytes that the launch itself reads from device memory, where caches hold nothing of it: descriptor, parameters, code. Beside
        those that `counters` has of the kernel's accesses; 0 where the description does not say (`caches.code_fetch`)."""
        fetch = self.architecture.caches.code_fetch
        return 0 if fetch is None else fetch.launch_bytes + -(-self.program.code_bytes // fetch.fill_bytes) * fetch.fill_bytes

    @property
    def functional(self) -> bool:
        """Whether it was executed without being timed: it has what `counters` has of instructions and accesses, all else raises LaunchError."""
        return isinstance(self.counters, FunctionalCounters)

    @property
    def cycles(self) -> int:
        """SM cycles from launch to the last store landed."""
        return self.counters.cycles

    @property
    def elapsed_s(self) -> float:
        """Seconds from launch to the last store landed."""
        return self.counters.elapsed_s

    @property
    def partition(self) -> np.ndarray:
        """Counters of each DRAM partition, a structured array."""
        return self.counters.partition

    @functools.cached_property
    def prototypes(self) -> tuple[str, ...]:
        """Paths of the machine's policies that were carried out in Python, a call for each decision: for trying an idea, not for measuring
        how fast the simulator is."""
        return prototypes(self.architecture)

    @functools.cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the kernel did that gives other results on hardware than here, or that is probably not meant, with the lines that did it;
        calls that failed unseen, output that is lost; and prototypes."""
        found = [*self.complaints, *self._tried]
        stale, apart = self.counters.texture_hazards, self.counters.divergent_barriers
        if stale:
            found.append(f"{stale} reads through a texture or surface of bytes that this launch had written ({self._places('texture_hazards')}): "
                         "texture caches are not coherent, hardware may give the old value; write in one launch, read in the next")
        if apart:
            how = ("its threads at different barrier instructions" if self.architecture.warp.reconvergence.independent else
                   "threads that had missed an earlier one, at which the others counted for the whole warp")
            found.append(f"{apart} times a warp came to a barrier with {how} ({self._places('divergent_barriers')}): CUDA leaves undefined what "
                         "happens; let all threads that have not returned reach the same barrier")
        if self.constants_written:
            found.append("the kernel stored to constant memory of its module, and has loads from there: constant caches are not coherent within a launch, "
                         "hardware may give these loads the old value; the next launch sees the new one")
        if self.moved is not None and not self.functional and self.moved.duration_us > self.elapsed_s * 1e6:
            found.append(f"{self.moved.nbytes:,} bytes of managed memory came to the device before the kernel could work, in {self.moved.fault_groups} groups "
                         f"of page faults and {self.moved.duration_us:,.1f} us, the kernel itself took {self.elapsed_s * 1e6:,.1f} us; prefetch() moves it "
                         "without page faults, beside other work")
        link = self.architecture.host_link
        if not self.functional and self.counters.components.keys() & {"host_link", "peer_link"} and (link is None or link.mapped is None and link.peer is None):
            found.append(f"{self.architecture.name} does not declare host_link.mapped: how accesses go over the link is assumed, at the rates of copies")
        return (*self.program.warnings, *found)

    def _places(self, counter: str) -> str:
        """Name the source lines whose statements counted something."""
        rows = [row for row, n in enumerate(self.counters.statements[counter]) if n]
        return ", ".join(dict.fromkeys("{}:{}".format(*self.place(self.program.statements[row])) for row in rows))

    @property
    def _tried(self) -> tuple[str, ...]:
        return tuple(f"{path} is a prototype: carried out in Python, a call for each decision" for path in self.prototypes)

    @property
    def complaints(self) -> tuple[str, ...]:
        """What failed or was lost although the kernel ran to its end: also given as a `GuestWarning`."""
        return (*map(str, self.failures), *([self.output.lost_text] if self.output.lost else []), *([self.output.cut_text] if self.output.cut else []))

    @functools.cached_property
    def metrics(self) -> Metrics:
        """Metrics by name, computed as they are asked for."""
        return self.metrics_of(self.counters)

    def metrics_of(self, counters: Counters) -> Metrics:
        """Give the metrics of a part of the launch, such as one line's counters."""
        return Metrics(Measurement(counters, self.architecture, self.occupancy))

    @functools.cached_property
    def bounds(self) -> Bounds | None:
        """Cycles that this launch could not undercut, and could not exceed; None if it launched others."""
        return bounds(self)

    @functools.cached_property
    def roofline(self) -> Roofline | None:
        """Operations per byte at each level of memory, and what the machine allows at that; None without floating-point arithmetic."""
        return roofline(self)

    @functools.cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """What accounts for its time, the most first: causes, the part of the time of each, and what was measured of it."""
        return reasons(self)

    @property
    def cpi_stack(self) -> dict[str, float]:
        """A warp's cycles per instruction by cause, the time to issue among them; the sum is the whole."""
        return cpi_stack(self.counters)

    @functools.cached_property
    def lines(self) -> tuple[Cost, ...]:
        """What each source line cost, in source order; PTX lines where the compiler left no line table."""
        rows: dict[tuple[str, int], list[int]] = {}
        for row, statement in enumerate(self.program.statements):
            rows.setdefault(self.place(statement), []).append(row)
        return tuple(self._cost(file, line, self._source(file, line), rows[file, line]) for file, line in sorted(rows))

    @functools.cached_property
    def statements(self) -> tuple[Cost, ...]:
        """What each PTX statement cost, in the order of the text."""
        return tuple(self._cost(self.program.file, statement.line, statement.text, [row])
                     for row, statement in enumerate(self.program.statements))

    def place(self, statement: Statement) -> tuple[str, int]:
        """Give the file and the line that a statement of `program` belongs to: the source's, the PTX's where the compiler left no line table."""
        if statement.file and statement.source_line is not None:
            return statement.file, statement.source_line
        return self.program.file, statement.line

    def _source(self, file: str, line: int) -> str:
        lines = self.sources.get(file, ())
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def _cost(self, file: str, line: int, text: str, rows: Sequence[int]) -> Cost:
        counters = self.counters.only(rows)
        whole = sum(self.counters.stalls.values())
        return Cost(file, line, text, counters, sum(counters.stalls.values()) / whole if whole else 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return {
            "kernel": self.kernel, "architecture": self.architecture.label, "grid": self.grid, "block": self.block, "interrupted": self.interrupted,
            "cycles": self.cycles, "elapsed_s": self.elapsed_s, "registers": self.registers,
            "registers_from": self.registers_from, "spilled_registers": self.spilled_registers,
            "shared_bytes": self.shared_bytes,
            "warps": self.counters.warps, "threads": self.counters.threads,
            "lanes_launched": self.counters.lanes_launched,
            "occupancy": self.occupancy.to_dict(), "metrics": dict(self.metrics),
            "counters": self.counters.totals(),
            "bounds": self.bounds and self.bounds.to_dict(), "roofline": self.roofline and self.roofline.to_dict(),
            "reasons": [attrs.asdict(reason) for reason in self.reasons], "warnings": list(self.warnings),
            "stalls": self.counters.stalls, "lane_cycles": self.counters.lane_cycles, "lane_slots": self.counters.lane_slots,
            "partitions": list(_rows(self.partition)),
            "multiprocessors": list(_rows(self.counters.multiprocessor)),
            "lines": [line.to_dict() for line in self.lines],
            "memory_map": self.memory_map and self.memory_map.to_dict(), "warp_contents": self.warp_contents.to_dict(),
            "printed": self.printed, "printed_lost": self.output.lost, "managed": self.moved and self.moved.to_dict()}

    def compare(self, baseline: Run | Mapping[str, Any] | str | Path) -> Difference:
        """Say what has changed since an earlier run: the time, each metric, and each source line, moved, changed, added or removed.

        baseline : a run, its `to_dict`, or the path of a JSON file that holds one, as ``archdef run --json`` and `archdef.baseline.save` write it.

        Raises BaselineError for a file that holds no run, or several.
        """
        return difference(baseline, self)

    def to_pandas(self, per: str = "line") -> pandas.DataFrame:
        """Give a DataFrame with a row per source ``line``, per PTX ``statement``, per ``partition``, or for the whole
        ``run``.

        Raises ImportError if pandas is missing (``pip install archdef[pandas]``).
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install archdef[pandas]") from error
        if per == "run":
            return pandas.DataFrame([{"kernel": self.kernel, "architecture": self.architecture.label,
                                      "cycles": self.cycles,
                                      "elapsed_s": self.elapsed_s, **self.metrics}])
        if per == "partition":
            return pandas.DataFrame(list(_rows(self.partition)))
        if per not in ("line", "statement"):
            raise ValueError(f"per must be 'line', 'statement', 'partition' or 'run', got {per!r}")
        rows = []
        for cost in self.lines if per == "line" else self.statements:
            data = cost.to_dict()
            for group, prefix in (("stalls", "stall"), ("lane_cycles", "lane_cycles"), ("lane_slots", "lane_slots")):
                data |= {f"{prefix}_{name}": value for name, value in data.pop(group).items()}
            rows.append(data)
        return pandas.DataFrame(rows)

    def report(self, path: str | os.PathLike[str], *others: Run) -> Path:
        """Write an HTML file to look at: code, PTX and micro-ops with what each line cost, charts; `others` are shown beside this launch.

        Raises MissingExtra without the packages of ``archdef[report]``.
        """
        return html_report.save((self, *others), path)

    @property
    def plot(self) -> RunPlots:
        """Plots by matplotlib: ``run.plot.roofline()`` …"""
        return RunPlots(self)

    def __str__(self) -> str:
        return text(render(self))

    def _repr_html_(self) -> str:
        return to_html(render(self))


def _rows(table: np.ndarray) -> Iterator[dict[str, int]]:
    for row in table:
        yield {name: row[name].item() for name in table.dtype.names or ()}
