"""What ran when: every copy, grid, event and call of the host, as a table, as data, and as a trace for chrome://tracing or Perfetto."""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import attrs
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from archdef.console import text
from archdef.files.trace_events import TraceEvents, save
from archdef.host.link import FS_PER_US
from archdef.tables import Column, Kind, Table

_WIDTH, _LEAST = 72, 32
"""Characters of a chart's line: at most, and below which it is not narrowed."""


class Recorded(Protocol):
    """What was recorded of a kernel while it ran."""

    def write(self, trace: TraceEvents, start_us: float, before: str) -> None:
        """Add it to a trace in which the kernel's first block starts at a time; `before`: what names of processes begin with."""


@attrs.frozen
class Span:
    """Something that took time."""

    place: str
    """Device, or ``host``."""
    row: str
    """Copy engine, ``kernels``, ``events``, ``functions``; on the host ``host``, ``ranges``, ``marks``."""
    name: str
    stream: str
    """The stream's label; empty for the host's own calls."""
    start: int
    """Femtoseconds of the host's clock."""
    end: int
    nbytes: int = 0
    kind: str = "call"
    """``copy``, ``kernel``, ``memset``, ``record``, ``wait``, ``function``, ``range``, or ``call``."""
    failed: bool = False
    recorded: Recorded | None = attrs.field(default=None, eq=False, repr=False)
    """Of a kernel: its `Run.timeline`, if that was asked for."""

    @property
    def start_us(self) -> float:
        """Microseconds of the host's clock."""
        return self.start / FS_PER_US

    @property
    def end_us(self) -> float:
        """Microseconds of the host's clock."""
        return self.end / FS_PER_US

    @property
    def duration_us(self) -> float:
        """Microseconds from start to end."""
        return (self.end - self.start) / FS_PER_US


class Timeline:
    """Spans in order of their starts. Prints as a chart: a row per engine and per stream, time to the right."""

    def __init__(self, spans: Iterable[Span], assumed: Iterable[str] = ()):
        self.spans = sorted(spans, key=lambda s: (s.start, s.end, s.place, s.row, s.name))
        self.assumed = list(assumed)
        """Devices that declare no `host_link`, so that a typical one was assumed."""

    def __iter__(self):
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)

    def of(self, place: str | None = None, row: str | None = None, kind: str | None = None, stream: str | None = None) -> list[Span]:
        """Pick spans; None takes all."""
        return [s for s in self.spans if (place is None or s.place == place) and (row is None or s.row == row)
                and (kind is None or s.kind == kind) and (stream is None or s.stream == stream)]

    @property
    def work(self) -> list[Span]:
        """What devices did: copies, kernels, memsets."""
        return [s for s in self.spans if s.kind in ("copy", "kernel", "memset")]

    @property
    def makespan_us(self) -> float:
        """From the first start of work on a device to its last end."""
        work = self.work
        return max(s.end_us for s in work) - min(s.start_us for s in work) if work else 0.0

    def busy_us(self, place: str, row: str) -> float:
        """Time in which an engine had work."""
        total, reached = 0, -1
        for s in self.of(place, row):
            total += max(0, s.end - max(s.start, reached))
            reached = max(reached, s.end)
        return total / FS_PER_US

    # -------------------------------------------------------------------------------------------------------------- data
    def to_dict(self) -> dict[str, Any]:
        """Give plain data; times in microseconds."""
        return {"makespan_us": self.makespan_us, "assumed_links": self.assumed, "spans": [
            {"place": s.place, "row": s.row, "name": s.name, "stream": s.stream, "kind": s.kind, "start_us": s.start_us, "end_us": s.end_us,
             "bytes": s.nbytes, "failed": s.failed} for s in self.spans]}

    def to_chrome(self) -> dict[str, Any]:
        """Give a trace in Chrome's JSON format: a process per device, a thread per engine and per stream; of launches that had the option ``timeline``
        also multiprocessors and memory partitions, each with the processes of its own."""
        trace = TraceEvents()
        for place, row, spans in self._rows():
            for s in spans:
                about = {"stream": s.stream, "bytes": s.nbytes, "failed": s.failed}
                if s.kind == "record":
                    trace.instant(place, row, s.name, s.start_us, s.kind, **about)
                else:
                    trace.span(place, row, s.name, s.start_us, s.duration_us, s.kind, **about)
        for number, (s, recorded) in enumerate(((s, s.recorded) for s in self.spans if s.recorded is not None), start=1):
            recorded.write(trace, s.start_us, f"{s.place}, {s.name} [{number}]: ")
        return trace.to_dict()

    def save(self, path: str | Path) -> None:
        """Write the trace, as a whole or not at all; compressed if the name ends in ``.gz``, in Perfetto's own format if in ``.perfetto-trace``."""
        save(path, self.to_chrome())

    # ------------------------------------------------------------------------------------------------------------ printing
    def _rows(self) -> list[tuple[str, str, list[Span]]]:
        """Rows of a chart: of each place its engines, where overlapping grids get rows of their own, then its streams."""
        rows: list[tuple[str, str, list[Span]]] = []
        for place in dict.fromkeys(s.place for s in self.spans):
            mine = self.of(place)
            for row in sorted({s.row for s in mine} - {"events"}):
                lanes: list[list[Span]] = []
                for s in self.of(place, row):
                    lane = next((lane for lane in lanes if lane[-1].end <= s.start), None)
                    if lane is None:
                        lanes.append(lane := [])
                    lane.append(s)
                rows += [(place, row if not i else f"{row} {i + 1}", lane) for i, lane in enumerate(lanes)]
            streams = dict.fromkeys(s.stream for s in sorted(mine, key=lambda s: s.stream) if s.stream)
            rows += [(place, stream, self.of(place, stream=stream)) for stream in streams]
        return rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.spans:
            yield Text("nothing ran")
            return
        wide = _WIDTH
        while wide > _LEAST and not self._chart(wide).fits(options.max_width):
            wide -= 4
        yield self._chart(wide)
        yield Text("stream rows: K kernel, > to the device, < to the host, = between devices or within one, 0 memset, f host function")
        for label in self.assumed:
            yield Text(f"{label} declares no host_link; a typical one is assumed")

    def _chart(self, wide: int) -> Table:
        """Draw the rows, time over so many characters."""
        first, last = min(s.start for s in self.spans), max(s.end for s in self.spans)
        scale = max(1, last - first) / wide
        ends = f"{first / FS_PER_US:,.1f} us", f"{last / FS_PER_US:,.1f} us"
        axis = f"{ends[0]} {'':─^{max(wide - len(ends[0]) - len(ends[1]) - 2, 1)}} {ends[1]}"
        table = Table(Column("", called="device"), Column("", called="row"), Column(axis), Column("busy", Kind.NUMBER), rule=False)
        shown = ""
        for place, row, spans in self._rows():
            line = ["·"] * wide
            for number, s in enumerate(spans):
                if s.kind in ("record", "wait") and s.row != "marks":
                    continue
                a = min(wide - 1, int((s.start - first) / scale))
                b = max(a + 1, min(wide, int((s.end - first) / scale + 0.5)))
                mark = "█▓"[number % 2] if row == s.row or row.startswith(s.row) else _letter(s)
                line[a:b] = mark * (b - a)
            busy = sum(s.duration_us for s in spans if s.kind != "record")
            table.add(place if place != shown else "", row, "".join(line), f"{busy:,.1f} us")
            shown = place
        return table

    def __str__(self) -> str:
        return text(self)


def _letter(span: Span) -> str:
    if span.kind == "copy":
        return ">" if span.name.startswith("copy to device") else "<" if span.name.startswith("copy to host") else "="
    return {"kernel": "K", "memset": "0", "function": "f"}.get(span.kind, "█")
