"""The passes of this assembler: those of archdef, with one of its own."""
from __future__ import annotations

from archdef.lower.options import Options
from archdef.lower.pipeline import Pass, after
from archdef.lower.target import PASSES, Target
from archdef_tesla.shared_operands import read_shared_operands

TESLA_PASSES = after(PASSES, "coalesce", Pass(
    name="read_shared_operands", function=read_shared_operands, takes="code architecture", options="fuse", declared="shared_operands",
    requires="fused, spaces, branches"))


class TeslaTarget(Target):
    """This assembler, for one machine."""

    def passes(self, options: Options) -> tuple[Pass, ...]:
        """Give the passes in their order."""
        return super().passes(options) if options.debug else TESLA_PASSES
