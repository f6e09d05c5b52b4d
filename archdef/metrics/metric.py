"""What a metric is: a named function of counters and description."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import attrs

from archdef.metrics.counters import Counters
from archdef.values import cut

if TYPE_CHECKING:
    from archdef.occupancy import Occupancy
    from archdef.spec import Architecture


@attrs.frozen(eq=False, repr=False)
class Measurement:
    """What a metric may look at."""

    counters: Counters
    architecture: Architecture
    """The description that the launch ran on."""
    occupancy: Occupancy
    """The occupancy rule's answer for the launch."""

    def __repr__(self) -> str:
        return f"<Measurement on {cut(self.architecture.label)}: {self.counters!r}>"


Formula: TypeAlias = Callable[[Measurement], float | None]


@attrs.frozen(repr=False)
class Metric:
    """A named function of a measurement."""

    name: str
    unit: str
    """``%``, ``GB/s``, ``count``, ``ratio`` …"""
    about: str
    """What it says, in one line."""
    formula: str
    """How it follows from the counters."""
    function: Formula
    """Gives None where the metric has no meaning: no loads, no load efficiency."""
    aliases: tuple[str, ...] = ()
    """Other tools' names of the same quantity."""
    most: float | Callable[[Measurement], float] | None = None
    """The largest value that it can have, or what gives it for a measurement; None: 100 of a percentage, else unbounded. The least is 0."""

    def __repr__(self) -> str:
        return f"<Metric {cut(self.name)} [{self.unit}] = {cut(self.formula, 120)}>"

    def __call__(self, measurement: Measurement) -> float | None:
        return self.function(measurement)

    def range(self, measurement: Measurement) -> tuple[float, float]:
        """Give the least and the largest value that it can have for a measurement; what lies outside is an error of archdef's."""
        if self.most is None:
            return 0.0, 100.0 if self.unit == "%" else math.inf
        return 0.0, float(self.most(measurement) if callable(self.most) else self.most)


def metric(unit: str, formula: str, *aliases: str, most: float | Callable[[Measurement], float] | None = None) -> Callable[[Formula], Metric]:
    """Make a `Metric` of a function: its name is the metric's, its docstring says what the metric means; `most` as `Metric` has it."""
    def make(function: Formula) -> Metric:
        return Metric(function.__name__, unit, (function.__doc__ or "").strip().splitlines()[0], formula, function, aliases, most)
    return make


def ratio(part: float, whole: float, scale: float = 1.0) -> float | None:
    """Give ``scale * part / whole``, or None if `whole` is zero."""
    return scale * part / whole if whole else None
