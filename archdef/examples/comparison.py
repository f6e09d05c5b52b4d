"""One workload on several architectures, launch by launch, each result checked against numpy."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from archdef.device import Device
from archdef.errors import ArchdefError, Interrupted
from archdef.examples.workload import Case, Input, Output, Workload
from archdef.run.explain import costliest, why
from archdef.run.module import Module
from archdef.run.result import Run
from archdef.spec import Architecture
from archdef.values import cut

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

    def __repr__(self) -> str:
        machines = dict.fromkeys(row.architecture.name for row in self.rows)
        return (f"<Comparison of {cut(self.workload.name)}, {self.size:,} {self.workload.size_means}: {len(self.rows)} launches on "
                f"{cut(', '.join(machines), 100)}, {'all correct' if self.correct else 'not all correct'}>")

    @property
    def correct(self) -> bool:
        """Whether every launch was made, ended and gave numpy's answer."""
        return not self.interrupted and all(row.correct for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        architectures = {row.architecture.label: row.architecture for row in self.rows}
        return {"workload": self.workload.name, "size": self.size, "correct": self.correct,
                "interrupted": self.interrupted,
                "architectures": {name: {"compiler": self.compilers.get(name), "assumed": list(architecture.assumed()),
                                         "evidence": architecture.evidence_counts()}
                                  for name, architecture in architectures.items()},
                "rows": [row.to_dict() for row in self.rows]}


def compare(workload: Workload, architectures: Iterable[Any], size: int | None = None, kernels: Iterable[str] = (),
            said: Callable[[str], None] = lambda message: None) -> Comparison:
    """Run `workload` on each architecture.

    said : called with a line of progress before each launch.

    A launch that fails becomes a row that says why; the others go on. Ctrl-C ends the comparison with the rows made so
    far.
    Raises WorkloadError.
    """
    size = workload.size if size is None else size
    rows: list[Row] = []
    compilers: dict[str, str] = {}
    try:
        for row in _rows(workload, architectures, size, tuple(kernels), compilers, said):
            rows.append(row)
    except (Interrupted, KeyboardInterrupt) as stop:
        where = str(stop) or "interrupted between two launches"
        return Comparison(workload, size, tuple(rows), compilers, f"{where}; launches done before: {len(rows)}")
    return Comparison(workload, size, tuple(rows), compilers)


def _rows(workload: Workload, architectures: Iterable[Architecture], size: int, kernels: tuple[str, ...], compilers: dict[str, str],
          said: Callable[[str], None]) -> Iterator[Row]:
    architectures = tuple(architectures)
    if len(architectures) > 1:
        for architecture in architectures:  # what is wrong with size or kernels is said before anything runs
            workload.launches(architecture, size, kernels)
    for architecture in architectures:
        cases = workload.launches(architecture, size, kernels)
        device = Device(architecture)
        try:
            module = device.compile(workload.source, **workload.options)
            compilers[architecture.label] = module.compiled.compiler
        except ArchdefError as error:
            yield from (Row(architecture, case, None, None, False, str(error)) for case in cases)
            continue
        for case in cases:
            said(f"{architecture.label} {case.kernel}")
            yield _launch(architecture, device, module, case)


def _launch(architecture: Architecture, device: Device, module: Module, case: Case) -> Row:
    try:
        arguments: list[Any] = [
            device.to_device(a.array) if isinstance(a, Input) else device.zeros(a.expected.shape, a.expected.dtype) if isinstance(a, Output) else a
            for a in case.arguments]
        for name, value in case.symbols.items():
            module.symbols[name].copy_from_host(value)
        launcher = module[case.kernel][case.grid, case.block, case.shared_bytes]
        run = launcher.launch(*arguments, cooperative=case.cooperative)
    except Interrupted:
        raise
    except ArchdefError as error:
        return Row(architecture, case, None, None, False, str(error))
    outputs = [(a, b.to_host()) for a, b in zip(case.arguments, arguments, strict=True) if isinstance(a, Output)]
    return Row(architecture, case, run, max((a.error(b) for a, b in outputs), default=0.0),
               all(a.accepts(b) for a, b in outputs))
