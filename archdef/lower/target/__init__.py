"""Targets: what an assembler makes of PTX. `Target` is what all have in common; PTX goes in, the program of one machine comes out."""
from __future__ import annotations

import functools
from typing import Any

import attrs

from archdef.lower.kernel import Recipe, lower_kernel
from archdef.lower.options import Options
from archdef.lower.pipeline import Pass, Ran, check
from archdef.lower.program import Program
from archdef.lower.select import Accesses
from archdef.lower.target.usual import AS_WRITTEN, PASSES
from archdef.ptx import ir

__all__ = ["AS_WRITTEN", "PASSES", "Target", "target_of"]


_check_once = functools.lru_cache(maxsize=64)(check)
"""Check a pipeline, unless it has been checked before."""


class Target:
    """An assembler for one machine: PTX goes in (`lower`), the program of that machine comes out.

    One that does more derives from it. It gives other `passes`, or makes programs in another way altogether, by a `lower` of its own.
    """

    def __init__(self, architecture: Any):
        self.architecture = architecture
        self.assembler = architecture.isa.assembler
        """What the machine declares of it."""

    def passes(self, options: Options) -> tuple[Pass, ...]:
        """Give the passes in their order; which of them run on a function, each says itself (`Pass.skipped`)."""
        return AS_WRITTEN if options.debug else PASSES

    @property
    def accesses(self) -> Accesses:
        """What selection puts around accesses to memory."""
        return Accesses()

    @property
    def result_scoreboards(self) -> int:
        """Scoreboards of a warp for results that come after a time nobody knows beforehand; 0: each result has its own."""
        return 0

    def lower(self, module: ir.Module, entry: str, options: Options, trace: list[Ran] | None = None) -> Program:
        """Make the program of one kernel of a module; with `trace`, say there what each pass did.

        Raises UnsupportedInstruction, MissingFeature (both with file, line, column) or LaunchError (kernel too long).

        A kernel that has to spill is lowered once more without what makes values live longer, and the one that spills less is taken.
        """
        def made(chosen: Options) -> tuple[Program, list[Ran] | None]:
            ran: list[Ran] | None = None if trace is None else []
            recipe = Recipe(passes=self.passes(chosen), accesses=self.accesses, result_scoreboards=self.result_scoreboards)
            _check_once(tuple(recipe.passes), frozenset(attrs.fields_dict(type(self.assembler))))
            return lower_kernel(module, entry, self.architecture, recipe, chosen, ran), ran

        def spilled(one: tuple[Program, list[Ran] | None]) -> int:
            return one[0].spill_store_bytes + one[0].spill_load_bytes

        found = made(options)
        if spilled(found):
            found = min((found, made(attrs.evolve(options, unroll=False, share_products=False, merge_loads=False))), key=spilled)
        program, ran = found
        if trace is not None:
            trace += ran or ()
        return program


def target_of(architecture: Any) -> Target:
    """Give the assembler of a machine."""
    return architecture.isa.assembler.target(architecture) or Target(architecture)
