"""Atomic operations of many lanes on few words, which wait for each other."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, three
from archdef.spec.isa import Form, SharedAtomic

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run
    from archdef.spec import Architecture

NAME: Final = "contended-atomics"
TOGETHER: Final = 2.0
"""Operations that meet, in one transaction or in the passes over the banks, from which on they are worth a look."""
NOTHING: Final = 1e-3
"""Cycles that further operations on an address are supposed to take."""


def find(run: Run) -> Iterator[Finding]:
    """Find the lines whose operations meet, of global and of shared memory."""
    machine, words = run.architecture, run.architecture.words
    for line in run.lines:
        c = line.counters
        if not line.line:
            continue
        if c.atomic_transactions and c.atomic_operations >= TOGETHER * c.atomic_transactions:
            each = c.atomic_operations / c.atomic_transactions
            yield _finding(line, _without_order(machine), {"operations": c.atomic_operations, "operations_per_transaction": each},
                           f"{count(c.atomic_operations)} operations on global memory, {three(each)} in each of its transactions on the average",
                           f"let each {words.block} operate on a copy in {words.shared} and add the copies up in the end, "
                           f"or add up the values of a {words.warp} before one lane operates")
        elif c.shared_atomics and c.shared_atomic_passes >= TOGETHER * c.shared_atomics and (merged := _merging(machine)) is not None:
            each = c.shared_atomic_passes / c.shared_atomics
            yield _finding(line, merged, {"instructions": c.shared_atomics, "passes_per_instruction": each},
                           f"{three(each)} passes for each of {count(c.shared_atomics)} operations of a {words.warp} on {words.shared}",
                           f"give the lanes of a {words.warp} copies of their own, several of them in a {words.block}, and add them up in the end")


def _finding(line: Cost, machine: Architecture, evidence: dict[str, float], said: str, remedy: str) -> Finding:
    return Finding(NAME, Supposed("operations on one word did not wait for each other", architecture=machine), evidence, said, remedy, line)


def _without_order(machine: Architecture) -> Architecture:
    """Give the machine on which only the first operation on an address takes time; a sector holds its partition as long as before."""
    old = machine.load_store
    sector = old.atomic_cycles if old.atomic_sector_cycles is None else old.atomic_sector_cycles
    return attrs.evolve(machine, load_store=attrs.evolve(old, atomic_cycles=min(NOTHING, old.atomic_cycles), atomic_sector_cycles=sector))


def _merging(machine: Architecture) -> Architecture | None:
    """Give the machine whose shared memory serves lanes on one word together; None if it has no operations there."""
    usual = machine.isa.operations.get("atomic_shared")
    if usual is None:
        return None
    merging = SharedAtomic(lanes_merged=True)
    forms = {name: attrs.evolve(form, shared_atomic=merging) if form.operation == "atomic_shared" else form for name, form in machine.isa.forms.items()}
    if "atomic_shared" not in {form.operation for form in machine.isa.forms.values()}:
        costs = {field.name: getattr(usual, field.name) for field in attrs.fields(type(usual))}
        forms["advice_atomic_shared"] = Form(**costs, operation="atomic_shared", pattern="*", shared_atomic=merging)
    return attrs.evolve(machine, isa=attrs.evolve(machine.isa, forms=forms))


RULE: Final = Rule(NAME, "Atomic operations on few words, which wait for each other.", find)
