"""Lowering: PTX and a description become the micro-ops that a machine of that description would issue.

`lower` asks the target of the machine (`target`), which selects micro-ops instruction by instruction (`select`), runs passes over them (`passes`,
in an order that `pipeline` checks), assigns registers and packs the result into a `Program`.
"""
from __future__ import annotations

from typing import Any

import attrs

from archdef.lower.options import Options
from archdef.lower.pipeline import Ran
from archdef.lower.program import Program
from archdef.lower.records import Parameter, Relocation, Statement
from archdef.lower.target import target_of
from archdef.ptx import ir

__all__ = ["Options", "Parameter", "Program", "Ran", "Relocation", "Statement", "lower"]


def lower(module: ir.Module, entry: str, architecture: Any, *, predicate: bool = True, options: Options = Options(), trace: list[Ran] | None = None) -> Program:
    """Lower one kernel of a module for an architecture, by the target that it declares.

    predicate : turn short branches into predicated code (also needs `options.predicate`).
    trace     : what each pass did to the code of each function is put there.

    Raises UnsupportedInstruction, MissingFeature (both with file, line, column) or LaunchError (kernel too long).
    """
    if not predicate:
        options = attrs.evolve(options, predicate=False)
    return target_of(architecture).lower(module, entry, options, trace)
