"""Pass: find out into which memory a generic address points, from where the pointer comes.

A pointer made by ``cvta.shared`` points into shared memory, whatever is added to it; the address of a variable and a kernel's
pointer parameters (the host can hand over nothing else) point into global memory. What stays unknown is decided lane by lane
at run time, by machines that can.
"""
from __future__ import annotations

from archdef.lower.encoding import GENERIC_LOCAL, GENERIC_SHARED, ConstantKind, Kind, Space
from archdef.lower.select.memory import OPERATIONS
from archdef.lower.virtual import Code, Const, Op, Unit, Value

_NUMBER, _UNKNOWN = -1, -2
"""States beside the spaces: not a pointer; a pointer to anywhere."""
_WINDOWS = {Space.SHARED: GENERIC_SHARED, Space.LOCAL: GENERIC_LOCAL}
_SUMS = frozenset(("add_b64", "add_b32", "and_b64", "or_b64", "min_u64", "max_u64", "min_s64", "max_s64"))
_MEMORY = (Kind.LOAD, Kind.STORE, Kind.ATOM)


def resolve_spaces(code: Code, unit: Unit) -> None:
    """Turn generic accesses whose space is known into accesses of that space."""
    generic = [op for op in code.ops if op.kind in _MEMORY and op.space == Space.GENERIC]
    if not generic:
        return
    states = _states(code, unit)
    for op in generic:
        space = _state(op.s[0], states, code)
        if space < 0:
            continue
        op.space = space = Space.GLOBAL if space == Space.CONST else Space(space)
        op.offset -= _WINDOWS.get(space, 0)
        op.operation = OPERATIONS[op.kind].get(space, op.operation)


def _states(code: Code, unit: Unit) -> dict[int, int]:
    states: dict[int, int] = {v: _UNKNOWN for v in code.inputs | code.foreign if unit.widths[v] == 8}
    changed = True
    while changed:
        changed = False
        for op in code.ops:
            for v in op.d:
                if v is None or v in code.foreign:
                    continue
                new = _result(op, states, code)
                old = states.get(v)
                if new is not None and old is not None:
                    new = _join(old, new)
                if new is not None and new != old:
                    states[v] = new
                    changed = True
    return states


def _result(op: Op, states: dict[int, int], code: Code) -> int | None:
    if op.origin is not None:
        return op.origin
    if op.kind in (Kind.LOAD, Kind.ATOM, Kind.SHUFFLE):
        return _UNKNOWN if op.width == 8 else _NUMBER
    if op.kind == Kind.SELP:
        return _join_known(op.s[:2], states, code)
    if op.kind == Kind.ALU:
        if op.fn in ("mov_b64", "mov_b32", "sub_b64", "sub_b32"):
            return _state_or_none(op.s[0], states, code)
        if op.fn in _SUMS:
            return _sum(op.s[:2], states, code)
        if op.fn.startswith("mad_wide"):
            return _sum([op.s[2]], states, code)
        if op.fn == "pack_b64":
            return _UNKNOWN
    return _NUMBER


def _sum(values: list[Value], states: dict[int, int], code: Code) -> int | None:
    known = [s for s in (_state_or_none(v, states, code) for v in values) if s is not None]
    if not known:
        return None
    spaces = {s for s in known if s >= 0}
    if len(spaces) == 1:
        return spaces.pop()
    return _UNKNOWN if spaces or _UNKNOWN in known else _NUMBER


def _join_known(values: list[Value], states: dict[int, int], code: Code) -> int | None:
    known = [s for s in (_state_or_none(v, states, code) for v in values) if s is not None]
    result = known[0] if known else None
    for state in known[1:]:
        result = _join(result, state)
    return result


def _join(a: int, b: int) -> int:
    if b in (a, _NUMBER):
        return a
    return b if a == _NUMBER else _UNKNOWN


def _state_or_none(value: Value, states: dict[int, int], code: Code) -> int | None:
    if isinstance(value, Const):
        return _state(value, states, code)
    return states.get(value) if value is not None else _NUMBER


def _state(value: Value, states: dict[int, int], code: Code) -> int:
    if isinstance(value, Const):
        if value.kind == ConstantKind.PARAMETER:
            return Space.GLOBAL if code.function.entry else _UNKNOWN
        symbols = (ConstantKind.GLOBAL_SYMBOL, ConstantKind.CONST_SYMBOL, ConstantKind.PARAM_SYMBOL)
        return Space.GLOBAL if value.kind in symbols else _NUMBER
    return states.get(value, _UNKNOWN)
