"""Metrics: named functions of the engine's counters and the description, under the names that nvprof's users know."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from archdef.errors import ArchdefError, nearest
from archdef.metrics import dram, execution, lanes, memory, shared, stalls, texture
from archdef.metrics.counters import LANE_STATES, STALLS, Counters, FunctionalCounters
from archdef.metrics.metric import Measurement, Metric, metric, ratio

__all__ = ["BUILT_IN", "LANE_STATES", "STALLS", "Counters", "FunctionalCounters", "Measurement", "Metric", "Metrics", "UnknownMetric", "metric", "ratio"]

BUILT_IN: tuple[Metric, ...] = (*execution.METRICS, *memory.METRICS, *shared.METRICS, *texture.METRICS, *dram.METRICS, *stalls.METRICS,
                                *lanes.METRICS)
"""Every metric that archdef knows."""


class UnknownMetric(ArchdefError, KeyError):
    """No metric has this name or alias."""

    __str__ = Exception.__str__


class Metrics(Mapping[str, float | None]):
    """The metrics of one measurement, computed as they are asked for; aliases are accepted, own names are listed."""

    def __init__(self, measurement: Measurement, metrics: Iterable[Metric] = BUILT_IN):
        self.measurement = measurement
        self.definitions = {m.name: m for m in metrics}
        self._names = {alias: m.name for m in self.definitions.values() for alias in (m.name, *m.aliases)}

    def __getitem__(self, name: str) -> float | None:
        if name not in self._names:
            raise UnknownMetric(f"unknown metric {name!r}{nearest(str(name), self._names)}")
        return self.definitions[self._names[name]](self.measurement)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self.definitions)

    def __len__(self) -> int:
        return len(self.definitions)

    def __repr__(self) -> str:
        known = sum(value is not None for value in self.values())
        return f"<Metrics: {len(self)}, of which {known} have a value>"

    def __str__(self) -> str:
        return "\n".join(f"{name} {value:.6g} {self.definitions[name].unit}"
                         for name, value in self.items() if value is not None)

    def __reduce__(self) -> tuple[type[Metrics], tuple[Any, ...]]:
        own = tuple(self.definitions.values())
        return Metrics, (self.measurement,) if own == BUILT_IN else (self.measurement, own)     # the functions of those built in have no names of their own
