"""Pass: read values where they come from. Copies, constants, parameters and launch-wide registers become operands; operations
that do nothing (adding 0) become copies first; a predicate's negation moves into the operand."""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.def_use import single
from archdef.lower.select.arithmetic import TRUTH
from archdef.lower.virtual import TRUE, Code, Const, Op, Unit, Value, immediate, mov

_NEUTRAL = {"add": 0, "sub": 0, "shl": 0, "shr": 0, "or": 0, "xor": 0}
"""Operations that a second operand of 0 turns into a copy."""
_COMMUTES = frozenset(("add", "or", "xor", "mul_lo"))


def propagate(code: Code, unit: Unit, architecture) -> None:
    """Replace reads of copies by reads of the originals, until nothing changes."""
    operations = architecture.isa.operations
    free_specials = operations["special_register"].issues == 0
    cheap_shift = operations["int_mul32"].issues > operations["int_shift"].issues
    while True:
        for op in code.ops:
            if op.kind == Kind.ALU:
                _simplify(op, cheap_shift)
            elif op.kind == Kind.PRED:
                _simplify_logic(op)
        known = single(code, unit)
        found: dict[int, Value] = {}
        for v, op in known.items():
            source = _copied(op, free_specials) if op is not None else None
            if source is not None and (isinstance(source, Const) or (source if source >= 0 else ~source) in known):
                found[v] = source
        if not _substitute(code, found):
            return


def _copied(op: Op, free_specials: bool) -> Value:
    """Give what an op copies, or None."""
    if op.kind == Kind.ALU and op.fn[:4] == "mov_":
        if op.operation == "special_register" and not free_specials:
            return None
        return op.s[0]
    if op.kind == Kind.PRED and op.fn in (TRUTH["mov"], TRUTH["not"]):
        return op.s[0] if op.fn == TRUTH["mov"] else ~op.s[0]
    return None


def _substitute(code: Code, found: dict[int, Value]) -> bool:
    ends: dict[int, Value] = {}

    def origin(v: int) -> Value:
        """Follow copies of copies; a cycle of copies, which is code that nothing reaches, is followed once round."""
        value, path = v, {}
        while type(value) is int and value not in ends and value not in path:
            path[value] = None
            source = found.get(value if value >= 0 else ~value)
            if source is None:
                break
            value = source if value >= 0 else ~source
        value = ends.get(value, value) if type(value) is int else value
        ends.update(dict.fromkeys(path, value))
        return value

    changed = False
    for op in code.ops:
        sources = op.s
        for k, v in enumerate(sources):
            if type(v) is int and (v if v >= 0 else ~v) in found:
                sources[k] = origin(v)
                changed = changed or sources[k] != v
        guard = op.guard
        if guard is not None and (guard if guard >= 0 else ~guard) in found:
            op.guard = origin(guard)
            changed = changed or op.guard != guard
    return changed


def _simplify(op: Op, cheap_shift: bool) -> None:
    name, _, width = op.fn.rpartition("_")
    s = op.s
    if name[:4] == "mad_" and isinstance(s[2], Const) and s[2].kind == ConstantKind.IMMEDIATE and s[2].value == 0:
        if "sat" not in name:
            op.fn, op.s = f"mul_{name[4:]}_{width}", s[:2]
        return
    if name in _COMMUTES and isinstance(s[0], Const) and not isinstance(s[1], Const):
        s[0], s[1] = s[1], s[0]
    second = s[1] if len(s) > 1 else None
    if not isinstance(second, Const) or second.kind != ConstantKind.IMMEDIATE or width in ("b16", "u16", "s16"):
        return
    if name in _NEUTRAL and second.value == 0:
        op.fn, op.s, op.operation, op.times = mov(op.width), [s[0]], "move", 1
    elif name == "mul_lo" and cheap_shift and second.value and second.value & (second.value - 1) == 0:
        wide = "64" if op.width == 8 else ""
        op.fn, op.s = f"shl_{width}", [s[0], immediate(second.value.bit_length() - 1)]
        op.operation, op.times = f"int{wide}_shift", 1


def _simplify_logic(op: Op) -> None:
    """Turn logic with a constant predicate into a copy or a negation."""
    for k in (0, 1):
        constant, other = op.s[k], op.s[1 - k]
        if op.fn in (TRUTH["mov"], TRUTH["not"]) or constant not in (TRUE, ~TRUE):
            continue
        holds = constant == TRUE
        if op.fn == TRUTH["xor"]:
            op.fn, op.s = TRUTH["not" if holds else "mov"], [other, TRUE, TRUE]
        elif holds == (op.fn == TRUTH["and"]):
            op.fn, op.s = TRUTH["mov"], [other, TRUE, TRUE]
        else:
            op.fn, op.s = TRUTH["mov"], [constant, TRUE, TRUE]
        return
