"""What makes a driver refuse a whole module when it loads it, though nobody has asked for a kernel of it yet."""
from __future__ import annotations

from typing import Final

from archdef.errors import UndefinedFunction
from archdef.lower.calls import call_of
from archdef.lower.select.control import is_served
from archdef.ptx import ir, table

_LISTED: Final = (9, 0)
"""The version of PTX whose instructions are all known by name; a later one may have more."""
_NOT_EXECUTED: Final = frozenset(("tcgen05", "clusterlaunchcontrol"))
"""Instructions of PTX up to that version of which the table has no form. Reference: PTX ISA 9.0, instruction set."""


def check_known(module: ir.Module) -> None:
    """Refuse what no machine can run: code that cannot be read, instructions that PTX has not, calls of functions without a body.

    Forms of instructions that only archdef does not know, or only this machine lacks, are no fault of the module, and refused with the kernel that
    has them.

    Raises
    ------
    UndefinedFunction
        For a call.
    PtxError
        For the rest, at the first place.
    """
    every_name = module.version <= _LISTED
    for function in module.functions.values():
        if function.broken is not None:
            raise function.broken
        for instruction in function.body:
            if every_name and instruction.opcode not in table.ROWS and instruction.opcode not in _NOT_EXECUTED:
                raise table.unsupported(instruction, module)
            if (call := call_of(instruction)) is not None:
                _check_callee(module, instruction, call)


def _check_callee(module: ir.Module, instruction: ir.Instruction, call: ir.CallTarget) -> None:
    if not isinstance(call.callee, ir.Symbol) or is_served(call.callee.name):
        return
    callee = module.functions.get(call.callee.name)
    if callee is None or not callee.defined:
        nowhere = "any module that was linked" if module.parts else "this module"
        raise UndefinedFunction(f"`{call.callee.name}` has no body in {nowhere}", **table.place(instruction, module))
