"""Branches that split warps though threads could be grouped so that all lanes of a warp go one way.

The launch runs again with the threads of a block in another order, that of their indices read backwards, bit by bit: threads whose indices agree in the last
bits, the even ones, every fourth, then lie in warps of their own. A branch that splits no warp any more depends on nothing but these bits.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, percent
from archdef.lower.encoding import Kind, SpecialRegister

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

NAME: Final = "lane-parity-divergence"
OFTEN: Final = 0.25
"""Part of a branch's executions that must split warps, for it to be looked at: others are ends of loops and edges of arrays."""
SELDOM: Final = 0.5
"""What remains at most of the splits in the other order. Less than half: where it is chance that decides, as many remain."""
IN_ORDER_PERCENT: Final = 40.0
"""Accesses of which more bytes are used are in order, but for lanes that are off: of those of every other lane, half are. In the other order of threads they
are timed as in order, too, as they would be if the data were given to threads anew."""
PASSES: Final = 1.05
"""Accesses of shared memory with less than so many passes are in order."""
_EXCHANGES: Final = frozenset((Kind.VOTE, Kind.SHUFFLE, Kind.MATCH, Kind.REDUX, Kind.MATRIX, Kind.MATRIX_LOAD, Kind.MATRIX_STORE, Kind.GROUP_PRODUCT,
                               Kind.GROUP))
"""What depends on which threads are in a warp."""


def find(run: Run) -> Iterator[Finding]:
    """Find the line whose branch splits warps most often, where blocks have a power of two of threads, two warps at least."""
    threads, machine = run.block[0], run.architecture
    if run.block[1:] != (1, 1) or threads & (threads - 1) or threads < 2 * machine.warp.size or _knows_its_warp(run):
        return
    splitting = [line for line in run.lines if line.line and line.counters.divergent_branches > OFTEN * line.counters.branches]
    if not splitting:
        return
    line = max(splitting, key=lambda each: each.counters.divergent_branches)
    c = line.counters
    order = tuple(reversed(range(threads.bit_length() - 1)))
    active = 100 * run.counters.thread_instructions / (run.counters.instructions * machine.warp.size)
    supposed = Supposed("threads were grouped by the last bits of their indices", thread_order=order, together=_in_order(run), certain=False)
    finding = Finding(NAME, supposed, {"branches": c.branches, "divergent_branches": c.divergent_branches, "active_lanes_percent": active},
                      f"{count(c.divergent_branches)} of {count(c.branches)} branches split a {machine.words.warp}; {percent(active)} of the lanes of the "
                      "average instruction are active", f"let whole {machine.words.warp}s go one way", line)
    yield attrs.evolve(finding, confirm=functools.partial(_confirmed, run, line, finding))


def _knows_its_warp(run: Run) -> bool:
    """Tell whether results may depend on which threads make a warp."""
    of_lanes = {int(number) for name, number in SpecialRegister.__members__.items() if "LANE" in name or name.endswith("WARPID")}
    return bool(_EXCHANGES & set(run.program.ops["kind"].tolist())) or bool(of_lanes & set(run.program.specials["special"].tolist()))


def _in_order(run: Run) -> frozenset[tuple[str, int]]:
    """Lines whose accesses lie together as they are."""
    found = set()
    for line in run.lines:
        c = line.counters
        asked, moved = c.global_load_bytes_asked + c.global_store_bytes_asked, c.global_load_bytes_moved + c.global_store_bytes_moved
        passes, groups = c.shared_load_passes + c.shared_store_passes, c.shared_load_groups + c.shared_store_groups
        if (moved or passes) and 100 * asked >= IN_ORDER_PERCENT * moved and passes <= PASSES * groups:
            found.add((line.file, line.line))
    return frozenset(found)


def _confirmed(run: Run, line: Cost, finding: Finding, again: Callable[[Supposed], Run]) -> Finding | None:
    """Look whether the branch goes one way then."""
    other = next((each.counters for each in again(finding.supposed).lines if (each.file, each.line) == (line.file, line.line)), None)
    if other is None or other.divergent_branches > SELDOM * line.counters.divergent_branches:
        return None
    words = run.architecture.words
    remedy = (f"give the sides to whole {words.warp}s: branch on the index over {run.architecture.warp.size}, or compute from the index which datum a thread "
              "takes, so that threads of one side have consecutive indices")
    said = f"{finding.said}; grouped by the last bits of the index, {count(other.divergent_branches)} of {count(other.branches)} do"
    return attrs.evolve(finding, said=said, remedy=remedy, evidence={**finding.evidence, "divergent_branches_grouped": other.divergent_branches})


RULE: Final = Rule(NAME, "Branches whose sides alternate within a warp, as those of even and odd threads do.", find)
