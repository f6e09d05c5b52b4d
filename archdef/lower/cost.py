"""What an operation costs on a machine: its unit, latency, interval and number of issues."""
from __future__ import annotations

from typing import NamedTuple

from archdef.errors import MissingFeature
from archdef.lower.virtual import ABSORBED
from archdef.spec.clocking import at_clocks
from archdef.spec.isa import FEATURE_OF_CLASS, Form, GlobalAtomic, Operation, SharedAtomic


class AtomicTechnique(NamedTuple):
    """How an atomic operation is performed."""

    retry_cycles: int = 0
    """SM cycles of one more try of a loop; 0: the memory operates by itself."""
    bank_passes: int = 1
    """In shared memory: passes over the banks, for each that an access takes."""
    lanes_merged: bool = False
    """… lanes on one word are served together."""
    weight: int = 8
    """In global memory: eighths of the time that the partition takes for a usual one."""
    value_count: int = 1
    """… values that each lane sends."""


class Cost(NamedTuple):
    """Cost of one micro-op."""

    unit: int
    latency: int
    interval: int
    """Cycles for which it occupies the unit, all its issues together: to the nearest whole number …"""
    issues: int
    technique: AtomicTechnique = AtomicTechnique()
    """Of atomic operations."""
    parts: int = 0
    """… and exactly, in 256ths of a cycle."""
    rare: int = 0
    """Of the issues, those that no lane executes."""


BROUGHT = "brought"
"""What forms of moves that load a constant of the launch have behind the colon."""
LONGEST_INTERVAL = 0xFFFF
"""Cycles that a micro-op has room for."""
ABSORBED_COST = Cost(0, 0, 0, 0)


class Costs:
    """Costs on one architecture, by class of operation."""

    def __init__(self, architecture):
        self.architecture = architecture
        self.units = {unit.name: (k, unit.lanes) for k, unit in enumerate(architecture.units)}
        self.known: dict[tuple[str, int, str], Cost] = {}
        self.formed = {form.operation for form in architecture.isa.forms.values()}

    def of(self, operation: str, times: int, instruction, where: dict, operand: int | str | None = None) -> Cost:
        """Give the cost of `times` operations of a class, of which an instruction consists or is one; `where` is for the error if the
        machine has none, `operand` the immediate of an atomic operation, that a load is uniform, or that a move is a load."""
        form = ".".join((instruction.opcode, *instruction.modifiers)) if operation in self.formed else ""
        if operand is not None and form:
            form += f":{operand}"
        found = self.known.get((operation, times, form))
        if operation == ABSORBED:
            return ABSORBED_COST
        if found is None:
            if operation not in self.architecture.isa.operations:
                feature = FEATURE_OF_CLASS.get(operation, operation).split()[-1]
                raise MissingFeature(f"`{instruction.text}` needs the operation {operation}, which {self.architecture.name} does not have",
                                     architecture=self.architecture.name, feature=feature, **where)
            declared = at_clocks(self.architecture, self.architecture.isa.cost(operation, form))
            unit, lanes = self.units[declared.unit]
            interval = declared.interval_cycles
            if interval is None:
                interval = -(-self.architecture.warp.size // lanes)
            issues = max(1, declared.issues * times) if times else 0      # 0: another one's, which reads the operand itself
            held = min(max(1, interval * max(issues, 1)), LONGEST_INTERVAL)
            found = Cost(unit, declared.latency_cycles, round(held), issues, self._technique(declared), round(256 * held),
                         (declared.slow.guarded_issues or 0) * times)
            self.known[operation, times, form] = found
        return found

    def slow(self, operation: str) -> Cost:
        """Give the cost of the code of an operation for special operands, beside its branches."""
        operations = self.architecture.isa.operations
        slow, costs = operations[operation].slow, self.architecture.isa.branching
        branches = slow.branches or 0
        issues = max(1, slow.issues - branches)
        apart = operations["branch"].latency_cycles if costs.untaken_cycles is None else costs.untaken_cycles
        latency = max(1, (slow.cycles or 0) - branches * apart - (costs.guard_latency_cycles if branches else 0))
        return Cost(self.units[operations[operation].unit][0], latency, issues, issues)

    def _technique(self, declared: Operation) -> AtomicTechnique:
        """Say how an operation is performed, should it be an atomic one."""
        if not isinstance(declared, Form):
            return AtomicTechnique()
        usual = self.architecture.load_store.atomic_cycles
        at_banks, at_partition = declared.shared_atomic or SharedAtomic(), declared.global_atomic or GlobalAtomic()
        weight = min(round(8 * (at_partition.address_cycles or usual) / usual), 255)
        return AtomicTechnique(at_banks.retry_cycles or 0, at_banks.bank_passes, at_banks.lanes_merged, weight, at_partition.operands)
