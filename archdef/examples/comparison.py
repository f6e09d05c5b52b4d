"""One workload on several architectures, launch by launch, each result checked against numpy."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Group

from archdef import html
from archdef.baseline.saved import COMPARISON, VERSION
from archdef.device import Device
from archdef.errors import ArchdefError, Interrupted
from archdef.formatting import percent, seconds, three
from archdef.examples.workload import Case, Input, Output, Workload
from archdef.run import html_report
from archdef.run.explain import costliest, why
from archdef.run.lanes import LaneWindow
from archdef.run.module import Module
from archdef.run.result import Run
from archdef.run.timeline import TimelineWindow
from archdef.spec import Architecture
from archdef.tables import Column, Kind, Table, to_html
from archdef.values import cut

if TYPE_CHECKING:
    from archdef.html.advised import Advised

GIGA = 1e9


@attrs.frozen(eq=False, repr=False)
class Row:
    """One kernel on one architecture."""

    architecture: Any
    case: Case
    run: Run | None
    """None if the launch failed."""
    error: float | None
    """Largest error relative to numpy's answer."""
    correct: bool
    failure: str = ""
    """Why the launch failed."""

    def __repr__(self) -> str:
        what = repr(self.run) if self.run else f"failed: {cut(self.failure)}"
        return f"<Row {cut(self.case.kernel)} on {cut(self.architecture.label)}, {'correct' if self.correct else 'not correct'}: {what}>"

    @property
    def bandwidth(self) -> float | None:
        """GB/s of the bytes that the algorithm has to move."""
        return self.case.bytes_moved / self.run.elapsed_s / GIGA if self.run else None

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        data = {"architecture": self.architecture.label, "kernel": self.case.kernel, "correct": self.correct,
                "error": self.error,
                "failure": self.failure}
        if self.run is None:
            return data
        line = costliest(self.run)
        return data | {"gigabytes_per_second": self.bandwidth, **self.run.to_dict(),
                       "why": {"line": line.line if line else None, "text": why(self.run)}}


@attrs.frozen
class Recording:
    """What launches record beside their counters."""

    lanes: LaneWindow | None
    timeline: TimelineWindow | None


@attrs.frozen(eq=False, repr=False)
class Comparison:
    """Every row of a comparison."""

    workload: Workload
    size: int
    rows: tuple[Row, ...]
    compilers: dict[str, str]
    """Architecture → where its PTX is from."""
    interrupted: str = ""
    """How far the run got that the user stopped; empty if all were done."""
    unfinished: Run | None = None
    """What was counted of the launch that was stopped; None if all were done, or none was under way."""

    def __repr__(self) -> str:
        machines = dict.fromkeys(row.architecture.name for row in self.rows)
        return (f"<Comparison of {cut(self.workload.name)}, {self.size:,} {self.workload.size_means}: {len(self.rows)} launches on "
                f"{cut(', '.join(machines), 100)}, {'all correct' if self.correct else 'not all correct'}>")

    def _repr_html_(self) -> str:
        title = f"{self.workload.about}; {self.workload.size_means}: {self.size:,}"
        table = Table(Column("architecture"), Column("kernel"), *(Column(heading, Kind.NUMBER) for heading in ("cycles", "time", "GB/s", "occupancy")),
                      Column("output", Kind.PROSE), title=title)
        for row in self.rows:
            output = row.failure or ("correct" if row.correct else f"wrong by {row.error:.0e}")
            figures = ("", "", "", "") if row.run is None else (
                f"{row.run.cycles:,}", seconds(row.run.elapsed_s), three(row.bandwidth or 0.0), percent(100 * row.run.occupancy.occupancy))
            table.add(row.architecture.label, row.case.kernel, *figures, output)
        return to_html(Group(table, self.interrupted))

    @property
    def correct(self) -> bool:
        """Whether every launch was made, ended and gave numpy's answer."""
        return not self.interrupted and all(row.correct for row in self.rows)

    def report(self, path: str | os.PathLike[str], advice: Mapping[tuple[str, str], Sequence[Advised]] | None = None) -> Path:
        """Write an HTML file to look at, with all launches beside each other.

        advice : label of the machine and kernel → what to change in it.

        Raises MissingExtra without the packages of ``archdef[report]``.
        """
        shown = [html_report.shown(row.run, "correct" if row.correct else f"wrong by {row.error:.0e}",
                                   (advice or {}).get((row.architecture.label, row.case.kernel))) for row in self.rows if row.run]
        failures = [f"{row.case.kernel} on {row.architecture.label}: {row.failure}" for row in self.rows if row.failure]
        return html.document.save(shown, path, self.workload.about, [*failures, *([self.interrupted] if self.interrupted else [])])

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        architectures = {row.architecture.label: row.architecture for row in self.rows}
        return {"format": COMPARISON, "version": VERSION, "workload": self.workload.name, "size": self.size, "correct": self.correct,
                "interrupted": self.interrupted,
                "architectures": {name: {"compiler": self.compilers.get(name), "assumed": list(architecture.assumed()),
                                         "evidence": architecture.evidence_counts()}
                                  for name, architecture in architectures.items()},
                "rows": [row.to_dict() for row in self.rows], "unfinished": self.unfinished and self.unfinished.to_dict()}


def compare(workload: Workload, architectures: Iterable[Any], size: int | None = None, kernels: Iterable[str] = (),
            said: Callable[[int, int, str], None] = lambda done, all, name: None, lanes: LaneWindow | None = None,
            timeline: TimelineWindow | None = None) -> Comparison:
    """Run `workload` on each architecture.

    said     : called before each launch with how many are done, how many there are, and what is next.
    lanes    : warps whose lanes are traced in each launch.
    timeline : what each launch records over time.

    A launch that fails becomes a row that says why; the others go on. Ctrl-C ends the comparison with the rows made so
    far, and what was counted of the launch under way.
    Raises WorkloadError.
    """
    size = workload.size if size is None else size
    rows: list[Row] = []
    compilers: dict[str, str] = {}
    try:
        for row in _rows(workload, architectures, size, tuple(kernels), compilers, said, Recording(lanes, timeline)):
            rows.append(row)
    except (Interrupted, KeyboardInterrupt) as stop:
        where = str(stop) or "interrupted between two launches"
        return Comparison(workload, size, tuple(rows), compilers, f"{where}; launches done before: {len(rows)}", getattr(stop, "run", None))
    return Comparison(workload, size, tuple(rows), compilers)


def _rows(workload: Workload, architectures: Iterable[Architecture], size: int, kernels: tuple[str, ...], compilers: dict[str, str],
          said: Callable[[int, int, str], None], recording: Recording) -> Iterator[Row]:
    architectures, done = tuple(architectures), 0
    planned = 0
    if len(architectures) > 1:
        for architecture in architectures:  # what is wrong with size or kernels is said before anything runs
            planned += len(workload.launches(architecture, size, kernels))
    for architecture in architectures:
        cases = workload.launches(architecture, size, kernels)
        device = Device(architecture)
        try:
            module = device.compile(workload.source, **workload.options)
            compilers[architecture.label] = module.compiled.compiler
        except ArchdefError as error:
            yield from (Row(architecture, case, None, None, False, str(error)) for case in cases)
            done += len(cases)
            continue
        for case in cases:
            said(done, planned or len(cases), f"{architecture.label} {case.kernel}")
            done += 1
            yield _launch(architecture, device, module, case, recording)


def _launch(architecture: Architecture, device: Device, module: Module, case: Case, recording: Recording) -> Row:
    try:
        arguments: list[Any] = [
            device.to_device(a.array) if isinstance(a, Input) else device.zeros(a.expected.shape, a.expected.dtype) if isinstance(a, Output) else a
            for a in case.arguments]
        for name, value in case.symbols.items():
            module.symbols[name].copy_from_host(value)
        launcher = module[case.kernel][case.grid, case.block, case.shared_bytes]
        run = launcher.launch(*arguments, cooperative=case.cooperative, lanes=recording.lanes, timeline=recording.timeline)
    except Interrupted:
        raise
    except ArchdefError as error:
        return Row(architecture, case, None, None, False, str(error))
    outputs = [(a, b.to_host()) for a, b in zip(case.arguments, arguments, strict=True) if isinstance(a, Output)]
    return Row(architecture, case, run, max((a.error(b) for a, b in outputs), default=0.0),
               all(a.accepts(b) for a, b in outputs))
