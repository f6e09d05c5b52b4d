"""Measured launches beside modelled ones: which belong together, and how far their counters are apart."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Group
from rich.text import Text

from archdef.console import text
from archdef.formatting import NOTHING, three
from archdef.ncu.launch import Launch, Measured, NcuError, plain_name
from archdef.ncu.pairs import PAIRS, Pair
from archdef.tables import Column, Footnotes, Kind, Table

if TYPE_CHECKING:
    from archdef.run.result import Run

NEAR = 0.5
"""Per cent up to which nobody asks why two figures differ."""
_LISTED = 12
"""Metrics without counterpart that a table names."""


@attrs.frozen
class Compared:
    """A measured figure beside the model's."""

    pair: Pair
    measured: float
    modelled: float

    @property
    def difference(self) -> float | None:
        """Model over measured, less 1, in per cent; 0 where both are 0, None where only the measured one is."""
        if self.measured:
            return 100 * (self.modelled / self.measured - 1)
        return None if self.modelled else 0.0

    @property
    def near(self) -> bool:
        """Whether there is nothing to explain."""
        return self.difference is not None and abs(self.difference) <= NEAR


@attrs.frozen(eq=False, repr=False)
class Beside:
    """One launch: what was measured of it, and what the model says."""

    launch: Launch
    run: Run
    rows: tuple[Compared, ...]
    """In the order of `PAIRS`."""
    unmatched: dict[str, Measured]
    """Metrics of the export that have no counterpart, or of which the model has no value for this launch."""
    warnings: tuple[str, ...] = ()

    @property
    def architecture(self) -> Any:
        """The machine of the model."""
        return self.run.architecture

    def __repr__(self) -> str:
        return (f"<Beside: launch {self.launch.id}, {self.run.kernel} on {self.run.architecture.label}: {len(self.rows)} figures, "
                f"{len(self.unmatched):,} without counterpart>")

    def __getitem__(self, measured: str) -> Compared:
        """Give the row of a metric of Nsight Compute. Raises KeyError if there is none."""
        for row in self.rows:
            if measured in (row.pair.measured, *row.pair.names):
                return row
        raise KeyError(measured)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return {"kernel": self.run.kernel, "architecture": self.run.architecture.label, "measured_kernel": self.launch.kernel, "launch": self.launch.id,
                "compute_capability": self.launch.capability, "warnings": list(self.warnings),
                "rows": [{"measured_name": row.pair.measured, "modelled_name": row.pair.modelled, "unit": row.pair.unit, "measured": row.measured,
                          "modelled": row.modelled, "difference_percent": row.difference, "why": row.pair.why} for row in self.rows],
                "unmatched": {name: {"value": measured.value, "unit": measured.unit, "text": measured.text} for name, measured in self.unmatched.items()}}

    def __rich__(self) -> Group:
        launch, run = self.launch, self.run
        reasons: dict[str, int] = {}
        table = Table(Column("measured", Kind.NAME), Column("ncu", Kind.NUMBER), Column("model", Kind.NUMBER), Column("unit", priority=2),
                      Column("model is", Kind.NUMBER), Column("why", Kind.NUMBER, priority=1), Column("compared with", Kind.PROSE, priority=3),
                      title=f"{run.kernel} {launch.shape}: launch {launch.id} of the export beside {run.architecture.label}")
        for row in self.rows:
            difference = row.difference
            said = NOTHING if difference is None else "equal" if not round(difference, 1) else f"{difference:+.1f} %"
            table.add(row.pair.measured.replace(" + ", " +\n"), _shown(row.measured), _shown(row.modelled), row.pair.unit, said,
                      "" if row.near else f"[{reasons.setdefault(row.pair.why, len(reasons) + 1)}]", row.pair.modelled)
        names = list(self.unmatched)
        more = f" … and {len(names) - _LISTED:,} more; --json and --data beside=FILE have all" if len(names) > _LISTED else ""
        rest = [Text(f"without counterpart: {', '.join(names[:_LISTED])}{more}", style="dim")] if names else []
        why = Footnotes([table], "why", [f"[{number}] {reason}" for reason, number in reasons.items()])
        return Group(*(Text(f"warning: {warning}", style="bold") for warning in self.warnings), table, why, *rest)

    def __str__(self) -> str:
        return text(self)


def _shown(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.3g}"
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.3e}" if abs(value) >= 1e9 else three(value)


def laid(launch: Launch, run: Run, warnings: Iterable[str] = ()) -> Beside:
    """Lay one launch beside a run, whatever they are of."""
    rows, used = [], set[str]()
    for pair in PAIRS:
        measured = pair.of(launch.metrics)
        modelled = None if measured is None else pair.figure(run)
        if measured is not None and modelled is not None and math.isfinite(measured):
            rows.append(Compared(pair, measured, modelled))
            used.update(pair.names)
    found = tuple(dict.fromkeys([*warnings, *_machine(launch, run)]))
    return Beside(launch, run, tuple(rows), {name: value for name, value in launch.metrics.items() if name not in used}, found)


def _machine(launch: Launch, run: Run) -> list[str]:
    capability = run.architecture.compute_capability
    if launch.capability and capability and launch.capability != capability:
        return [f"launch {launch.id} was measured on a GPU of compute capability {launch.capability}, {run.architecture.label} has {capability}"]
    return []


def beside(launches: Sequence[Launch], *runs: Run) -> tuple[Beside, ...]:
    """Lay the launches of an export beside runs of the same kernels.

    launches : what `archdef.ncu.read` gives, or some of them.
    runs     : each takes the first launch of its kernel's name, grid and block that no run of the same machine has taken before. Where the export has a
               single launch, whose grid and block are the run's, names may differ, with a warning.

    Raises NcuError if a run has none, and says what the export has.
    """
    found = []
    for one in matched(launches, runs):
        if isinstance(one, NcuError):
            raise one
        found.append(one)
    return tuple(found)


def matched(launches: Sequence[Launch], runs: Iterable[Run]) -> Iterator[Beside | NcuError]:
    """Do the same run by run; one that has no launch gives the error."""
    taken: dict[str, set[int]] = {}
    for run in runs:
        own = taken.setdefault(run.architecture.label, set())
        try:
            place, warnings = _place(launches, run, own)
        except NcuError as error:
            yield error
            continue
        own.add(place)
        yield laid(launches[place], run, warnings)


def _place(launches: Sequence[Launch], run: Run, taken: set[int]) -> tuple[int, list[str]]:
    named = [place for place, launch in enumerate(launches) if _same_name(launch, run)]
    fitting = [place for place in named if _same_shape(launches[place], run)]
    if free := [place for place in fitting if place not in taken]:
        old = launches[free[0]]
        unsaid = f"the export does not say grid and block of launch {old.id}: it was taken by its kernel's name alone"
        return free[0], [] if old.grid and old.block else [unsaid]
    shape = f"{tuple(run.grid)} x {tuple(run.block)}"
    if fitting:
        raise NcuError(f"the export has {len(fitting)} {'launch' if len(fitting) == 1 else 'launches'} of {run.kernel} {shape}, and there ran more")
    if named:
        had = ", ".join(dict.fromkeys(launches[place].shape for place in named))
        raise NcuError(f"the export has {run.kernel} as {had}, what ran is {shape}: launch it in the same shape")
    if len(launches) == 1 and _same_shape(launches[0], run) and 0 not in taken:
        return 0, [f"the export's only launch is of {launches[0].kernel}, what ran is {run.kernel}"]
    names = list(dict.fromkeys(launch.name for launch in launches))
    raise NcuError(f"the export has no launch of {run.kernel}; it has {', '.join(names[:_LISTED])}{' …' if len(names) > _LISTED else ''}")


def _same_name(launch: Launch, run: Run) -> bool:
    measured, modelled = plain_name(launch.kernel), plain_name(run.kernel)
    arguments = {part for part in (measured[1], modelled[1]) if part is not None}
    same = measured[0] == modelled[0] or measured[0].rpartition("::")[2] == modelled[0].rpartition("::")[2] and "" in (
        measured[0].rpartition("::")[0], modelled[0].rpartition("::")[0])
    return same and len(arguments) <= 1


def _same_shape(launch: Launch, run: Run) -> bool:
    return launch.grid in (None, tuple(run.grid)) and launch.block in (None, tuple(run.block))
