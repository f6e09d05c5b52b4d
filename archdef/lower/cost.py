"""What an operation costs on a machine: its unit, latency, interval and number of issues."""
from __future__ import annotations

from typing import NamedTuple

from archdef.errors import MissingFeature
from archdef.spec.isa import FEATURE_OF_CLASS


class Cost(NamedTuple):
    """Cost of one micro-op."""

    unit: int
    latency: int
    interval: int
    """Cycles for which one issue occupies the unit."""
    issues: int


class Costs:
    """Costs on one architecture, by class of operation."""

    def __init__(self, architecture):
        self.architecture = architecture
        self.units = {unit.name: (k, unit.lanes) for k, unit in enumerate(architecture.units)}
        self.known: dict[tuple[str, int], Cost] = {}

    def of(self, operation: str, times: int, where: dict, written: str) -> Cost:
        """Give the cost of `times` operations of a class; `where` and `written` are for the error if the machine has none."""
        found = self.known.get((operation, times))
        if found is None:
            declared = self.architecture.isa.operations.get(operation)
            if declared is None:
                feature = FEATURE_OF_CLASS.get(operation, operation).split()[-1]
                raise MissingFeature(f"`{written}` needs the operation {operation}, which {self.architecture.name} does not have",
                                     architecture=self.architecture.name, feature=feature, **where)
            unit, lanes = self.units[declared.unit]
            interval = declared.interval_cycles
            if interval is None:
                interval = -(-self.architecture.warp.size // lanes)
            found = Cost(unit, declared.latency_cycles, interval, max(1, declared.issues * times))
            self.known[operation, times] = found
        return found
