"""What changed between two runs of a kernel: the time, each metric, each source line."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef.baseline.lines import LineChange, aligned
from archdef.baseline.saved import BaselineError, PlainRun, Saved, load, plain
from archdef.baseline.table import UNITS, render
from archdef.console import text
from archdef.tables import to_html

FORMAT = "archdef.difference"
VERSION = 1


@attrs.frozen
class MetricChange:
    """One metric, before and after."""

    name: str
    before: float | None
    """None: it had no meaning there."""
    after: float | None

    @property
    def effect(self) -> float:
        """How much it changed, 0 to 1: percentages by their difference, others by the difference over the greater value; 1 where one is missing."""
        if self.before is None or self.after is None:
            return 0.0 if self.before is self.after else 1.0
        whole = 100.0 if UNITS.get(self.name) == "%" else max(abs(self.before), abs(self.after))
        return abs(self.after - self.before) / whole if whole else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"name": self.name, "before": self.before, "after": self.after, "effect": self.effect}


@attrs.frozen
class Difference:
    """What changed from one run to another."""

    before: PlainRun
    """The baseline, as `Run.to_dict` gives it."""
    after: PlainRun
    metrics: tuple[MetricChange, ...]
    """Those that changed, that of the greatest effect first."""
    lines: tuple[LineChange, ...]
    """All source lines, that of the greatest change of warp cycles first."""

    @property
    def name(self) -> str:
        """Machine and kernel, a space between; both of each where they differ."""
        return " ".join(self._name(key) for key in ("architecture", "kernel"))

    def _name(self, key: str) -> str:
        old, new = self.before[key], self.after[key]
        return str(new) if new == old else f"{old} → {new}"

    @property
    def change(self) -> float:
        """Change of the time as a part of the baseline's: 0.05 is five per cent slower."""
        return float(self.after["elapsed_s"] / self.before["elapsed_s"] - 1) if self.before["elapsed_s"] else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        sides = {side: {key: run[key] for key in ("architecture", "kernel", "cycles", "elapsed_s")} for side, run in (
            ("before", self.before), ("after", self.after))}
        return {**sides, "change": self.change, "metrics": [metric.to_dict() for metric in self.metrics],
                "lines": [line.to_dict() for line in self.lines]}

    def __str__(self) -> str:
        return text(render([self]))

    def _repr_html_(self) -> str:
        return to_html(render([self]))


@attrs.frozen
class Differences:
    """What changed from a baseline to runs of today."""

    baseline: str
    """The baseline's file."""
    kernels: tuple[Difference, ...]
    """In the order of today's runs."""
    new: tuple[str, ...]
    """Machines and kernels of today that the baseline has not."""
    missing: tuple[str, ...]
    """Machines and kernels of the baseline that did not run today."""

    def slower(self, percent: float) -> tuple[Difference, ...]:
        """Give those whose time has grown by more than so many per cent."""
        return tuple(one for one in self.kernels if 100 * one.change > percent)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return {"format": FORMAT, "version": VERSION, "baseline": self.baseline, "kernels": [one.to_dict() for one in self.kernels],
                "new": list(self.new), "missing": list(self.missing)}

    def __str__(self) -> str:
        return text(render(self.kernels, self.baseline, self.new, self.missing))

    def _repr_html_(self) -> str:
        return to_html(render(self.kernels, self.baseline, self.new, self.missing))


def difference(before: Any, after: Any) -> Difference:
    """Say what changed between two runs.

    before, after : each a `Run`, its `to_dict`, or the path of a file that holds one run.

    Raises BaselineError for a file that holds none, or several.
    """
    old, new = _one(before), _one(after)
    names = dict.fromkeys([*old["metrics"], *new["metrics"]])
    metrics = [MetricChange(name, old["metrics"].get(name), new["metrics"].get(name)) for name in names]
    changed = sorted((metric for metric in metrics if metric.effect), key=lambda metric: -metric.effect)
    return Difference(old, new, tuple(changed), aligned(old, new))


def _one(run: Any) -> PlainRun:
    if not isinstance(run, (str, Path)):
        return plain(run)
    found = load(run)
    if len(found.runs) != 1:
        raise BaselineError(f"{found.source} holds {len(found.runs)} runs, not one: {', '.join(map(_label, found.runs))}")
    return found.runs[0]


def differences(before: Saved, after: Iterable[Any]) -> Differences:
    """Say what changed from a baseline to runs of today: those of one kernel on one machine, in their order.

    Where each side has a single machine, it may be another one, or have a field changed; where each has a single run, the kernel may have another name.

    Raises BaselineError if the baseline has none of them.
    """
    today = [plain(run) for run in after]
    pairs = [(before.runs[0], today[0])] if len(before.runs) == len(today) == 1 else _pairs(before.runs, today)
    if not pairs:
        raise BaselineError(f"nothing to compare: {before.source} has {', '.join(dict.fromkeys(map(_label, before.runs)))}, "
                            f"and there ran {', '.join(dict.fromkeys(map(_label, today))) or 'nothing'}")
    known, done = ({id(run) for run in side} for side in zip(*pairs, strict=True))
    return Differences(before.source, tuple(difference(old, new) for old, new in pairs), tuple(_label(run) for run in today if id(run) not in done),
                       tuple(_label(run) for run in before.runs if id(run) not in known))


def _pairs(before: Sequence[PlainRun], after: Sequence[PlainRun]) -> list[tuple[PlainRun, PlainRun]]:
    machines = [{run["architecture"] for run in side} for side in (before, after)]
    name: Callable[[PlainRun], str] = (lambda run: str(run["kernel"])) if len(machines[0]) == len(machines[1]) == 1 else _label
    waiting: dict[str, list[PlainRun]] = {}
    for run in before:
        waiting.setdefault(name(run), []).append(run)
    return [(waiting[name(run)].pop(0), run) for run in after if waiting.get(name(run))]


def _label(run: PlainRun) -> str:
    return f"{run['architecture']} {run['kernel']}"
