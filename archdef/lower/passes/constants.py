"""Pass: constants that a warp reads as a whole, and what their addresses cost.

An address in constant memory has 32 bits, and the place of a variable there is part of the instruction. Where all lanes are known to name
one address, because nothing that they read differently has a part in it, the warp reads the constant once, into a register of its own.
"""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Flag, Kind, Space
from archdef.lower.def_use import definitions, use_counts
from archdef.lower.graph import Graph
from archdef.lower.uniform import varying
from archdef.lower.virtual import ABSORBED, Code, Const, Op, Unit

_WIDENED = ("cvt_s64_s32", "cvt_u64_u32")
_CHARGED = {"add_b64": "int_add", "sub_b64": "int_add", "shl_b64": "int_shift", "and_b64": "int_logic", "or_b64": "int_logic"}
"""64-bit operations as which part of a constant's address they are charged."""
_PRODUCTS = tuple(f"{how}_wide_{type}" for how in ("mul", "mad") for type in ("s32", "u32"))
_PIECE = 8
"""Bytes of the widest register that belongs to a warp as a whole."""


def read_constants(code: Code, unit: Unit, architecture, widest_load: int = 0) -> None:
    """Mark the loads that a warp does as a whole, and charge addresses of constants at 32 bits, where the machine has registers for that.

    widest_load : bytes of the widest load; 0: as wide as the program says.
    """
    if architecture.caches.constant_uniform is None:
        return
    loads = [op for op in code.ops if op.kind == Kind.LOAD and op.space == Space.CONST]
    if not loads:
        return
    own, used = _own(code, unit), use_counts(code)
    readers: dict[int, list[Op]] = {}
    for op in code.ops:
        for v in op.reads():
            readers.setdefault(v, []).append(op)
    for op in loads:
        results = [v for v in op.d if v is not None]
        if (isinstance(op.s[0], Const) or op.s[0] not in own) and all(_takes(reader, v) for v in results for reader in readers.get(v, ())):
            op.flags |= Flag.UNIFORM
        widest = min(widest_load or 16, _PIECE if op.flags & Flag.UNIFORM else 16)
        op.times = max(1, len({k * op.element // widest for k, v in enumerate(op.d) if v is not None and used.get(v)}))
    _charge_addresses(code, readers)


def _takes(reader: Op, v: int) -> bool:
    """Tell whether an operation reads a warp's own register: arithmetic does, once, beside registers of lanes."""
    if reader.kind not in (Kind.ALU, Kind.SETP, Kind.SELP):
        return False
    return reader.s.count(v) == 1 and not any(isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE and s.value for s in reader.s)


def _own(code: Code, unit: Unit) -> set[int]:
    """Give the registers in which every lane has a value of its own: those in which lanes may differ, that are written where not all lanes
    may be, or from which such a register is made."""
    found = varying(code, unit)
    ops, graph, starts = code.ops, code.graph, [*code.starts(), len(code.ops)]
    read: dict[int, list[int]] = {}
    for k, op in enumerate(ops):
        for v in op.reads():
            read.setdefault(v, []).append(k)
    # a product and a sum of 64 bits are one operation, on registers of lanes
    products = {v for op in ops if op.fn in ("mul_wide_s32", "mul_wide_u32") for v in op.writes()} | {
        v for op in ops if op.fn in ("mad_wide_s32", "mad_wide_u32") and not any(isinstance(s, Const) and s.kind == ConstantKind.CONST_SYMBOL for s in op.s)
        for v in op.writes()}

    def parts(op: Op) -> bool:
        return op.guard is not None and (op.guard if op.guard >= 0 else ~op.guard) in found

    while True:
        before = len(found)
        for loop in graph.loops:
            branches = [block.branch for block in graph.blocks[loop.first:loop.last + 1] if block.branch is not None]
            leaving = (graph.numbers[branch.target] for branch in branches if parts(branch))
            if any(not loop.first < target <= loop.last for target in leaving):
                found.update(v for op in ops[starts[loop.first]:starts[loop.last + 1]] for v in op.writes())
        for n, block in enumerate(graph.blocks):
            ahead = graph.numbers[block.branch.target] if block.branch is not None and parts(block.branch) else -1
            if ahead > n and not _ends(graph, ahead):
                within = range(starts[n + 1] - 1, starts[ahead])
                found.update(v for op in ops[within.start:within.stop] for v in op.writes() if any(n not in within for n in read.get(v, ())))
        for op in ops:
            if any(v in found for v in op.reads()) or op.fn == "add_b64" and any(type(s) is int and s in products for s in op.s):
                found.update(op.writes())
            if op.kind in (Kind.LOAD, Kind.STORE, Kind.ATOM) and op.space == Space.CONST or op.kind in (Kind.SETP, Kind.BRANCH, Kind.PRED):
                continue
            if op.kind != Kind.ALU or any(v in found for v in op.writes()):
                found.update(op.reads())
        if len(found) == before:
            return found


def _ends(graph: Graph, number: int) -> bool:
    """Tell whether nothing but the end of the kernel comes."""
    number = graph.behind(number)
    first = graph.blocks[number].ops[0] if number < len(graph.blocks) else None
    return first is None or first.kind in (Kind.EXIT, Kind.RETURN) and first.guard is None


def _charge_addresses(code: Code, readers: dict[int, list[Op]]) -> None:
    """Charge what is part of nothing but addresses of constants as 32-bit arithmetic."""
    made = definitions(code)
    only = {v for v in made if v not in code.results}
    while True:
        less = {v for v in only if all((reader.kind == Kind.LOAD and reader.space == Space.CONST and reader.s[0] == v)
                                       or (reader.d and reader.d[0] in only and reader.fn in (*_CHARGED, *_PRODUCTS, *_WIDENED, "mov_b64"))
                                       for reader in readers.get(v, ()))}
        if len(less) == len(only):
            break
        only = less
    for v in only:
        for op in made[v]:
            symbol = any(isinstance(s, Const) and s.kind == ConstantKind.CONST_SYMBOL for s in op.s)
            if op.operation == ABSORBED:
                continue
            if op.fn in _WIDENED or op.fn == "add_b64" and symbol:
                op.operation, op.times = ABSORBED, 1
            elif op.fn in _CHARGED:
                op.operation, op.times = _CHARGED[op.fn], 1
            elif op.fn in _PRODUCTS:
                factor = next((s.value for s in op.s[:2] if isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE), 0)
                op.operation, op.times = "int_shift" if factor and not factor & factor - 1 and (symbol or len(op.s) < 3) else "int_mul32", 1
