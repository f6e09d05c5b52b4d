"""Values that live in local memory because registers have no room for them.

The launch runs again as if there were room, with as many blocks at a time as there can be of threads with so many registers.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.errors import LaunchError
from archdef.formatting import count
from archdef.occupancy import occupancy

if TYPE_CHECKING:
    from archdef.run.result import Run

NAME: Final = "spills"


def find(run: Run) -> Iterator[Finding]:
    """Find it where lowering has spilled, at the line that accesses local memory most."""
    spilled, words = run.spilled_registers, run.architecture.words
    accesses = run.counters.local_loads + run.counters.local_stores
    if not spilled or not accesses:
        return
    wanted = run.registers + spilled
    fewer = "keep fewer values alive: smaller tiles, less unrolling"
    try:
        held = occupancy(run.architecture, threads=run.occupancy.threads, registers=wanted, shared_bytes=run.shared_bytes)
    except LaunchError:         # not one block of such threads fits
        supposed, remedy = Supposed("registers had room for all values", spill=False), fewer
    else:
        blocks = min(held.active_blocks, run.occupancy.active_blocks)
        supposed = Supposed(f"threads had {wanted} registers, and a {words.multiprocessor} {blocks} {words.block}{'s' * (blocks > 1)}", spill=False,
                            architecture=run.architecture.evolve({"limits.blocks_per_multiprocessor": blocks}))
        remedy = f"allow {wanted} registers a thread (__launch_bounds__, maxrregcount), or {fewer}"
    line = max(run.lines, key=lambda each: each.counters.local_load_transactions + each.counters.local_store_transactions)
    yield Finding(NAME, supposed, {"spilled_registers": spilled, "registers": run.registers, "local_accesses": accesses},
                  f"{count(spilled)} of {count(wanted)} registers have no room and live in local memory, which {words.warp}s access {count(accesses)} times; "
                  "most at this line", remedy, line if line.line else None)


RULE: Final = Rule(NAME, "Values in local memory for which registers have no room.", find)
