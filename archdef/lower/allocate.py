"""Register assignment: which row or predicate holds each virtual register.

Every function has rows of its own, since its caller's values stay alive across the call. Within a function a row is used again
once liveness says that its value is dead. That lanes diverge changes nothing: liveness speaks of one thread, and an op leaves the
rows of lanes that it does not execute for alone. That holds among values of one width only, since lane k of a row pair lies
where lanes 2k and 2k + 1 of a row do; so 32-bit and 64-bit values never share rows.
"""
from __future__ import annotations

import heapq
from collections.abc import Iterable

import attrs

from archdef.lower.encoding import PRED_CARRY, PRED_TRUE, Kind
from archdef.lower.virtual import ABSORBED, CARRY, TRUE, Code, Const, Op, Unit, lives

_OVERLAPS = frozenset((Kind.ALU, Kind.SELP, Kind.MATRIX, Kind.GROUP_PRODUCT))
"""Kinds whose destination may be the very row of a source of the same width."""
_FIRST_PREDICATE = PRED_CARRY + 1


@attrs.define(slots=True)
class Assignment:
    """Places of virtual registers; filled function by function."""

    rows: dict[int, int] = attrs.Factory(dict)
    predicates: dict[int, int] = attrs.Factory(lambda: {TRUE: PRED_TRUE, CARRY: PRED_CARRY})
    row_count: int = 0
    predicate_count: int = _FIRST_PREDICATE


def assign_passed(interfaces, unit: Unit, codes: list[Code], places: Assignment) -> None:
    """Assign the registers that belong to no function: the stack pointer, interfaces that are apart, and the special registers that
    called functions read, which must last until the next call.
    """
    wanted = {v: None for i in interfaces if i.apart for v in sorted(i.registers(i.parameters) | i.registers(i.returns))}
    wanted.update((v, None) for code in codes[1:] for op in code.ops for v in op.reads() if v in unit.specials)
    if unit.stack is not None:
        wanted[unit.stack] = None
    for v in sorted(wanted, key=lambda v: -unit.widths[v]):
        if unit.widths[v]:
            places.rows[v] = places.row_count
            places.row_count += unit.widths[v] // 4
        else:
            places.predicates[v] = places.predicate_count
            places.predicate_count += 1


def coalesce(code: Code, unit: Unit) -> None:
    """Give source and destination of a copy one register where their lives allow it, and drop the copy; not what is charged as something else."""
    def copies(op: Op) -> bool:
        return op.kind == Kind.ALU and op.fn[:4] == "mov_" and op.operation in ("move", ABSORBED)

    moves = [op for op in code.ops if copies(op) and op.guard is None
             and type(op.s[0]) is int and _own(op.s[0], code, unit) and _own(op.d[0], code, unit)]
    if not moves:
        return
    involved = {v for op in moves for v in (op.s[0], op.d[0])}
    against = _interference(code, involved)
    pinned = code.inputs | code.results  # callers know these by number
    parent: dict[int, int] = {}
    members: dict[int, set[int]] = {}

    def find(v: int) -> int:
        while v in parent:
            above = parent[v]
            if above in parent:
                parent[v] = parent[above]
            v = above
        return v

    for op in moves:
        a, b = find(op.s[0]), find(op.d[0])
        if b in pinned:
            a, b = b, a
        if a == b or b in pinned:
            continue
        in_a, in_b = members.get(a, {a}), members.get(b, {b})
        if not against[a].isdisjoint(in_b) or not against[b].isdisjoint(in_a):
            continue
        parent[b] = a
        members.pop(b, None)
        members[a] = _joined(in_a, in_b)
        against[a] = _joined(against[a], against.pop(b))
    if not parent:
        return
    gone: set[int] = set()
    for op in code.ops:
        op.d = [v if v is None or v not in parent else find(v) for v in op.d]
        op.s = [v if type(v) is not int or v < 0 or v not in parent else find(v) for v in op.s]
        if copies(op) and op.d[0] == op.s[0]:
            gone.add(id(op))
    code.drop(gone)


def _joined(one: set[int], other: set[int]) -> set[int]:
    """Add the smaller of two sets to the larger, so that a long chain of copies takes time in proportion to its length."""
    if len(one) < len(other):
        one, other = other, one
    one |= other
    return one


def _own(v: int, code: Code, unit: Unit) -> bool:
    return v not in code.foreign and v not in unit.specials


def _interference(code: Code, involved: set[int]) -> dict[int, set[int]]:
    """Give, for registers of copies, those of them that are alive where they are written (the copied one left out)."""
    against: dict[int, set[int]] = {v: set() for v in involved}
    ops, found = code.ops, lives(code)
    for k, behind in found.walk():
        op = ops[k]
        for v in op.d:
            if v is None or v not in involved:
                continue
            copied = op.s[0] if op.kind == Kind.ALU and op.fn[:4] == "mov_" and op.guard is None else None
            against[v].update(other for other in involved & behind if other not in (v, copied))
    entering = found.entering() & involved
    for v in entering:
        against[v].update(other for other in entering if other != v)
    return against


def assign(code: Code, unit: Unit, places: Assignment) -> None:
    """Assign rows and predicates to one function's registers, behind what is assigned already."""
    first, last = _intervals(code, unit)
    base = places.row_count
    for width in (4, 8):
        wanted = [(first[v], last[v], v, width // 4) for v in first
                  if unit.widths[v] == width and v not in code.foreign and v not in places.rows]
        base = _scan(wanted, base + (base & 1), places.rows)
    places.row_count = max(places.row_count, base)
    predicates = [(first[v], last[v], v, 1) for v in first if not unit.widths[v] and v not in (TRUE, CARRY)
                  and v not in code.foreign]
    places.predicate_count = max(places.predicate_count, _scan(predicates, places.predicate_count, places.predicates))


def _intervals(code: Code, unit: Unit) -> tuple[dict[int, int], dict[int, int]]:
    """Give first and last point of each register's life; op i reads at 2i and writes at 2i + 1."""
    ops, found = code.ops, lives(code)
    first: dict[int, int] = {}
    last: dict[int, int] = {}

    def spread(values: Iterable[int], point: int) -> None:
        for v in values:
            if first.setdefault(v, point) > point:
                first[v] = point
            if last.get(v, -1) < point:
                last[v] = point

    starts = {block[0]: number for number, block in enumerate(found.blocks)}
    before = found.entering() | code.inputs         # behind the op before, in the order of the text
    spread(before, -1)
    for k, _behind in found.walk():
        op = ops[k]
        written = tuple(op.writes())
        if k in starts:         # within a block, what lives are from and to is read or written there
            entering = found.before(k)
            spread(entering - before, 2 * k)
            spread(before - entering, 2 * k)
            before = found.leaving(starts[k])
        spread(found.uses[k], 2 * k if _shares(op, unit) else 2 * k + 1)
        spread(written, 2 * k + 1)
    spread(before, 2 * len(ops))
    spread(code.results - first.keys(), 2 * len(ops))       # of a function that never returns: the caller reads them nevertheless
    return first, last


def _shares(op: Op, unit: Unit) -> bool:
    """Tell whether the destination may be put over a source that dies here."""
    if op.kind not in _OVERLAPS or op.d[0] is None:
        return False
    if op.kind == Kind.GROUP_PRODUCT:       # all else that it reads has other widths, and rows of its own
        return True
    width = unit.widths[op.d[0]]
    for v in op.s:
        if type(v) is int and (unit.widths[v] if v >= 0 else 0) not in (width, 0):
            return False
    return True


def _scan(intervals: list[tuple[int, int, int, int]], base: int, places: dict[int, int]) -> int:
    """Linear scan: give each interval (first, last, register, rows, the same number for all) the lowest free place; the end of all."""
    free: list[int] = []
    ends: list[tuple[int, int]] = []
    top = 0
    for start, end, v, size in sorted(intervals):
        while ends and ends[0][0] < start:
            heapq.heappush(free, heapq.heappop(ends)[1])
        if free:
            lowest = heapq.heappop(free)
        else:
            lowest, top = top, top + size
        heapq.heappush(ends, (end, lowest))
        places[v] = base + lowest
    return base + top


def row_operand(value, places: Assignment, constants) -> int:
    """Give the number of a row operand: a row of the warp, or of the launch's constants."""
    if isinstance(value, Const):
        return -1 - constants(value)
    return places.rows[value]
