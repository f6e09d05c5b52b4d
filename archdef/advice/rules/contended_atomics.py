"""Atomic operations that follow each other, since lanes of a warp, or many warps, have the same address.

Both are asked. Lanes on one word are supposed to have become one operation beforehand, at the line alone. That warps meet is seen by units of atomic operations
that are faster; where the first is worth nearly as much, it is the simpler remedy, and the second is not told.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, percent, three

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run
    from archdef.spec import Architecture

NAME: Final = "contended-atomics"
FASTER: Final = 16.0
"""How many times as fast the units are supposed to be: a block that adds up by itself first sends one operation where its warps, at most 16 or 32 of them, sent
one each."""
NEARLY: Final = 0.9
"""The remedy within a warp is enough where the launch then takes so little more."""
AT_ONE: Final = 0.5
"""Words are few where one partition has so much more to do than the average, of all transactions of atomic operations; words that lie apart are spread
evenly."""


def find(run: Run) -> Iterator[Finding]:
    """Find lines with atomic operations of more lanes than one."""
    lines = [line for line in run.lines if line.line and line.counters.atomics]
    for line in run.lines:
        c = line.counters
        if line.line and c.shared_atomics and c.shared_atomic_passes > c.shared_atomics:
            yield _of_shared(run, line)
        elif line.line and c.atomics and c.atomic_operations > c.atomics:
            yield _of_lanes(run, line)
    if lines and (share := _at_busiest(run)) >= AT_ONE:
        yield _of_warps(run, max(lines, key=lambda each: each.counters.atomic_operations), share, frozenset((each.file, each.line) for each in lines))


def _at_busiest(run: Run) -> float:
    """How much more the busiest partition has to do than the average one, over the transactions of atomic operations."""
    requests = run.counters.partition["requests"]
    return float(requests.max() - requests.mean()) / max(run.counters.atomic_transactions, 1)


def _of_lanes(run: Run, line: Cost) -> Finding:
    c, words = line.counters, run.architecture.words
    said = f"{three(c.atomic_operations / c.atomics)} operations of a {words.warp}'s lanes reach {three(c.atomic_transactions / c.atomics)} sectors"
    remedy = (f"add up the values that lanes of a {words.warp} have for one address first, by shuffles or votes, and let one lane operate, "
              f"or let each {words.block} operate on a copy in {words.shared} and add that up at its end")
    return Finding(NAME, Supposed(f"each {words.warp} did one operation on each address", together=frozenset({(line.file, line.line)})),
                   {"operations_per_request": c.atomic_operations / c.atomics, "sectors_per_request": c.atomic_transactions / c.atomics, "requests": c.atomics},
                   said, remedy, line)


def _of_shared(run: Run, line: Cost) -> Finding:
    c, words = line.counters, run.architecture.words
    each = c.shared_atomic_passes / c.shared_atomics
    return Finding(NAME, Supposed("no two lanes of these operations met", together=frozenset({(line.file, line.line)})),
                   {"passes_per_request": each, "requests": c.shared_atomics}, f"{three(each)} passes over {words.shared} for each operation of a {words.warp}",
                   f"give each lane, or each {words.warp}, a copy of the counters in {words.shared}, and add the copies up at the end", line)


def _of_warps(run: Run, line: Cost, share: float, atomics: frozenset[tuple[str, int]]) -> Finding:
    c, words = run.counters, run.architecture.words
    said = (f"{count(c.atomic_operations)} operations of {count(c.atomics)} requests, and one of {len(c.partition)} {words.partition}s has "
            f"{percent(100 * share)} of them more to do than the average")
    remedy = f"let each {words.block} keep a copy of the counters in {words.shared} or in registers, and add that to the one in global memory once, at its end"
    supposed = Supposed(f"the units of atomic operations were {three(FASTER)} times as fast", architecture=_with_faster_units(run.architecture))
    finding = Finding(NAME, supposed, {"operations": c.atomic_operations, "requests": c.atomics, "more_at_busiest_percent": 100 * share}, said, remedy, line)
    return attrs.evolve(finding, confirm=functools.partial(_unless_within_warps, finding, atomics))


def _unless_within_warps(finding: Finding, atomics: frozenset[tuple[str, int]], again: Callable[[Supposed], Run]) -> Finding | None:
    """Leave the finding out where combining the lanes of each warp is nearly as good."""
    within = again(Supposed("each warp did one operation on each address", together=atomics))
    return finding if again(finding.supposed).cycles < NEARLY * within.cycles else None


def _with_faster_units(architecture: Architecture) -> Architecture:
    """Shorten what an operation on global memory takes in its unit, that of special forms as well."""
    unit, isa = architecture.load_store, architecture.isa
    of_sector = None if unit.atomic_sector_cycles is None else unit.atomic_sector_cycles / FASTER
    forms = {name: form if form.global_atomic is None or form.global_atomic.address_cycles is None else attrs.evolve(
        form, global_atomic=attrs.evolve(form.global_atomic, address_cycles=form.global_atomic.address_cycles / FASTER)) for name, form in isa.forms.items()}
    return attrs.evolve(architecture, isa=attrs.evolve(isa, forms=forms),
                        load_store=attrs.evolve(unit, atomic_cycles=unit.atomic_cycles / FASTER, atomic_sector_cycles=of_sector))


RULE: Final = Rule(NAME, "Atomic operations that wait for each other on one address.", find)
