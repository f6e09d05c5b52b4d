"""Values that live in local memory because registers have no room for them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count

if TYPE_CHECKING:
    from archdef.run.result import Run

NAME: Final = "spills"


def find(run: Run) -> Iterator[Finding]:
    """Find it where lowering has spilled."""
    spilled = run.spilled_registers
    if spilled:
        yield Finding(NAME, Supposed("registers had room for all values", spill=False),
                      {"spilled_registers": spilled, "registers": run.registers},
                      f"{count(spilled)} of {count(run.registers + spilled)} registers have no room and live in local memory",
                      f"allow {run.registers + spilled} registers a thread (__launch_bounds__, maxrregcount), or keep fewer values alive: smaller "
                      "tiles, less unrolling")


RULE: Final = Rule(NAME, "Values in local memory for which registers have no room.", find)
