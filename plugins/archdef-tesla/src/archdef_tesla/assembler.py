"""The assembler of compute capability 1.x, as a target of archdef's lowering: `TeslaAssembler`."""
from __future__ import annotations

from typing import Any

from archdef.spec import Assembler, named
from archdef.spec.fields import flag

__all__ = ["TeslaAssembler"]


@named("tesla")
class TeslaAssembler(Assembler):
    """What the assembler does to PTX beyond choosing instructions. Nothing of it, unless declared."""

    shared_operands: bool = flag(default=False)
    """Arithmetic reads one 32-bit operand from shared memory itself, in place of a load that only it reads."""

    def target(self, architecture: Any) -> Any:
        """Give what makes programs as this assembler does."""
        from archdef_tesla.target import TeslaTarget  # lowering is not needed to describe a machine

        return TeslaTarget(architecture)
