"""Pass: let arithmetic read an operand from shared memory itself, in place of a load that nothing else reads.

The micro-op of the load stays, with its way through the banks; it costs no issue of its own any more.
"""
from __future__ import annotations

from archdef.lower.encoding import Kind, Space
from archdef.lower.def_use import definitions, use_counts
from archdef.lower.virtual import Code, Op

_ARITHMETIC = (Kind.ALU, Kind.SETP)
_OTHERS = (Kind.SELP, Kind.PRED, Kind.P2R, Kind.SPECIAL)
"""Kinds that leave shared memory as it is, and go straight on."""


def read_shared_operands(code: Code, architecture) -> None:
    """Charge one load from shared memory for each operation with the operation."""
    operations = architecture.isa.operations
    uses, written = use_counts(code), definitions(code)
    loaded: dict[int, Op] = {}      # register → the load that it comes from, since shared memory was written last in this block
    for op in code.ops:
        if op.kind in _ARITHMETIC and op.times == 1 and op.operation in operations and operations[op.operation].issues == 1:
            operand = next((s for s in reversed(op.s) if type(s) is int and s in loaded), None)
            if operand is not None:
                loaded.pop(operand).times = 0
        elif op.kind == Kind.LOAD:
            if _plain(op) and uses.get(op.d[0]) == 1 and len(written[op.d[0]]) == 1 and op.d[0] not in code.foreign | code.results:
                loaded[op.d[0]] = op
        elif op.kind not in _OTHERS:
            loaded.clear()


def _plain(op: Op) -> bool:
    """Tell whether a load brings one 32-bit word from shared memory, whatever lanes run."""
    return op.space == Space.SHARED and op.vec == 1 and op.element == 4 and op.guard is None and not op.spill and op.d[0] is not None
