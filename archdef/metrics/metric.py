"""What a metric is: a named function of counters and description."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from archdef.metrics.counters import Counters


@attrs.frozen(eq=False)
class Measurement:
    """What a metric may look at."""

    counters: Counters
    architecture: Any
    """The description that the launch ran on."""
    occupancy: Any
    """The occupancy rule's answer for the launch."""


@attrs.frozen
class Metric:
    """A named function of a measurement."""

    name: str
    unit: str
    """``%``, ``GB/s``, ``count``, ``ratio`` …"""
    about: str
    """What it says, in one line."""
    formula: str
    """How it follows from the counters."""
    function: Callable[[Measurement], float | None]
    """Gives None where the metric has no meaning: no loads, no load efficiency."""
    aliases: tuple[str, ...] = ()
    """Other tools' names of the same quantity."""

    def __call__(self, measurement: Measurement) -> float | None:
        return self.function(measurement)


def metric(unit: str, formula: str, *aliases: str) -> Callable[[Callable], Metric]:
    """Make a `Metric` of a function: its name is the metric's, its docstring says what the metric means."""
    def make(function):
        return Metric(function.__name__, unit, function.__doc__.strip().splitlines()[0], formula, function, aliases)
    return make


def ratio(part: float, whole: float, scale: float = 1.0) -> float | None:
    """Give ``scale * part / whole``, or None if `whole` is zero."""
    return scale * part / whole if whole else None
