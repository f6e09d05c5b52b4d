"""Pass: let a counted loop of one basic block make several trips a round.

``L: body; i += c; @(i < n) bra L`` becomes a loop of `factor` copies of the body, entered and repeated as long as that many trips are
certain, and the loop as it was behind it, for what is left. The result is the same to the bit: every trip does what it did, in order.
"""
from __future__ import annotations

import attrs

from archdef.lower.encoding import Combine, ConstantKind, Kind
from archdef.lower.facts import definitions, live_outs, use_counts
from archdef.lower.virtual import PURE, Code, Const, Op, Unit, Value, immediate, signed

_MEMORY = (Kind.LOAD, Kind.STORE, Kind.ATOM)
_ALLOWED = (PURE | {Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.SPECIAL}) - {Kind.CARRY}
_TOGETHER = {Kind.BARRIER, Kind.SHUFFLE, Kind.VOTE}
"""Kinds that all lanes of a warp or block execute together: only where all make the same number of trips."""
_SUMS = ("add_b32", "add_b64")
_UNEQUAL = ("ne_s32", "ne_b32", "ne_u32")


@attrs.define
class _Loop:
    start: int
    """Index of the label."""
    end: int
    """Index of the branch back."""
    counter: int
    step: int
    bound: Value
    """What the counter is compared with."""
    down: bool
    """It runs down until it is there; otherwise up while it is less."""
    test: Op
    trips: int | None
    """How many there are, if that is known."""


def unroll(code: Code, unit: Unit, architecture, rolled: frozenset[int]) -> None:
    """Unroll what can be. `rolled`: statements at whose start the source forbids it."""
    assembler = architecture.isa.assembler
    if assembler.unroll_factor < 2:
        return
    at = 0
    while at < len(code.ops):
        if code.ops[at].kind == Kind.LABEL:
            loop = _loop_at(code, unit, at, assembler, rolled)
            if loop is not None:
                made = _whole_rounds(code, unit, loop, assembler.unroll_factor)
                if not made:
                    made = _unrolled(code, unit, loop, assembler.unroll_factor)
                    made[1].times += assembler.unroll_overhead_instructions
                code.ops[loop.start:loop.end + 1] = made
                at = loop.start + len(made)
                continue
        at += 1


def _loop_at(code: Code, unit: Unit, start: int, assembler, rolled: frozenset[int]) -> _Loop | None:
    """Recognise a loop at a label."""
    ops = code.ops
    end = start + 1
    while end < len(ops) and ops[end].kind in _ALLOWED | _TOGETHER:
        end += 1
    longest, known = assembler.unroll_max_instructions, assembler.unroll_max_known_instructions
    if end >= len(ops) or end - start - 1 > max(longest, known) or end - start < 3:
        return None
    back, test = ops[end], ops[end - 1]
    if back.kind != Kind.BRANCH or back.guard is None or back.guard < 0 or back.target != ops[start].fn or ops[start + 1].statement in rolled:
        return None
    if sum(op.kind == Kind.BRANCH and op.target == back.target for op in ops[start:end + 1]) != 1:
        return None
    if test.kind != Kind.SETP or test.guard is not None or test.combine or test.d != [back.guard, None] or len(test.s) < 2:
        return None
    body = ops[start + 1:end - 1]
    written = {v for op in body for v in op.writes()}
    if back.guard in written or not written.isdisjoint(code.foreign) or not written.isdisjoint(code.results) or written & {0, 1}:
        return None
    if use_counts(code).get(back.guard) != 1 or live_outs(code)[end] >> back.guard & 1:
        return None
    counter = test.s[0]
    if type(counter) is not int or unit.widths[counter] != 4:
        return None
    step = _step(body, counter)
    bound: Value = test.s[1]
    if step is None:
        return None
    down = test.fn in _UNEQUAL and step < 0 and isinstance(bound, Const) and bound.kind == ConstantKind.IMMEDIATE \
        and abs(signed(bound)) < 1 << 16
    trips = _trips(code, counter, body, step, bound, test.fn) if down or step > 0 else None
    if not down and trips is None and (test.fn != "lt_s32" or step <= 0 or not (isinstance(bound, Const) or bound not in written)):
        return None
    if end - start - 1 > (longest if trips is None else max(longest, known)):
        return None
    if any(op.kind in _TOGETHER for op in body) and not (_same_for_all(code, counter, body) and isinstance(bound, Const)):
        return None
    return _Loop(start, end, counter, step, bound, down, test, trips)


def _step(body: list[Op], register: int) -> int | None:
    """Give what each trip adds to a register, if that is all that it does to it and the amount is constant."""
    found = [op for op in body if register in op.d]
    if len(found) != 1:
        return None
    op = found[0]
    if op.kind != Kind.ALU or op.guard is not None or op.fn not in _SUMS or op.s[0] != register:
        return None
    amount = op.s[1]
    return signed(amount) if isinstance(amount, Const) and amount.kind == ConstantKind.IMMEDIATE else None


def _same_for_all(code: Code, counter: int, body: list[Op]) -> bool:
    """Tell whether every thread starts with the same counter."""
    inside = {id(op) for op in body}
    return all(id(op) in inside or op.kind == Kind.ALU and op.guard is None and all(s is None or isinstance(s, Const) for s in op.s)
               for op in definitions(code).get(counter, ()))


def _trips(code: Code, counter: int, body: list[Op], step: int, bound: Value, test: str) -> int | None:
    """Count the trips of a loop that starts and ends at constants; None if they are not known."""
    inside = {id(op) for op in body}
    before = [op for op in definitions(code).get(counter, ()) if id(op) not in inside]
    starts = {op.s[0].value for op in before if op.kind == Kind.ALU and op.fn == "mov_b32" and op.guard is None and isinstance(op.s[0], Const)
              and op.s[0].kind == ConstantKind.IMMEDIATE}
    if len(starts) != 1 or len(before) != 1 or not isinstance(bound, Const) or bound.kind != ConstantKind.IMMEDIATE or not step:
        return None
    way = signed(bound) - signed(before[0].s[0])
    if test == "lt_s32" and step > 0 and way > 0:
        return -(-way // step)
    return way // step if test in _UNEQUAL and way % step == 0 and way // step > 0 else None


def _whole_rounds(code: Code, unit: Unit, loop: _Loop, factor: int) -> list[Op]:
    """Give the code in place of a loop whose trips are known and make whole rounds, which needs no other test; else nothing."""
    if loop.trips is None or loop.trips < 2 * factor or loop.trips % factor:
        return []
    ops = code.ops
    kept = live_outs(code)[loop.start] | live_outs(code)[loop.end]
    return [ops[loop.start], *_copies(unit, ops[loop.start + 1:loop.end - 1], factor, kept), loop.test, ops[loop.end]]


def _unrolled(code: Code, unit: Unit, loop: _Loop, factor: int) -> list[Op]:
    """Give the code in place of the loop."""
    ops = code.ops
    label, back, test = ops[loop.start], ops[loop.end], loop.test
    body = ops[loop.start + 1:loop.end - 1]
    rounds, single, rest, behind = (f"{label.fn} {name}" for name in ("rounds", "single", "rest", "behind"))
    statement, fenv = test.statement, test.fpenv

    def branch(guard: int, target: str) -> Op:
        return attrs.evolve(back, guard=guard, target=target)

    def compare(fn: str, a: Value, b: Value, also: int | None = None) -> tuple[Op, int]:
        result = unit.new(0)
        return Op(Kind.SETP, fn, [result, None], [a, b, also], test.operation, statement=statement, fpenv=fenv, width=test.width,
                  combine=Combine.NONE if also is None else Combine.AND), result

    def certain(trips: int) -> tuple[list[Op], int, Value]:
        """Ask whether there are that many trips."""
        ahead = (trips - 1) * loop.step
        if loop.down:                       # `ahead` is negative
            limit: Value = immediate(signed(loop.bound) - ahead)
            enough, result = compare("gt_s32", loop.counter, limit)
            return [enough], result, limit
        if isinstance(loop.bound, Const) and loop.bound.kind == ConstantKind.IMMEDIATE and signed(loop.bound) - ahead >= -1 << 31:
            limit = immediate(signed(loop.bound) - ahead)
            enough, result = compare("lt_s32", loop.counter, limit)
            return [enough], result, limit
        limit = unit.new(4)
        made = Op(Kind.ALU, "add_b32", [limit], [loop.bound, immediate(-ahead)], "int_add", statement=statement)
        sound, valid = compare("le_s32", limit, loop.bound)     # the difference has not wrapped
        enough, result = compare("lt_s32", loop.counter, limit, valid)
        return [made, sound, enough], result, limit

    lives = live_outs(code)
    kept = lives[loop.start] | lives[loop.end]      # read by the next trip, or behind the loop
    asked, enough, limit = certain(factor)
    made = [label, *asked, branch(~enough, single), Op(Kind.LABEL, rounds), *_copies(unit, body, factor, kept)]
    again, more = compare("gt_s32" if loop.down else "lt_s32", loop.counter, limit)
    made += [again, branch(more, rounds)]
    made += [attrs.evolve(test, d=list(test.d), s=list(test.s)), branch(~back.guard, behind), Op(Kind.LABEL, single)]
    if factor > 2:                      # half as many at once of what is left
        asked, enough, limit = certain(factor // 2)
        made += [*asked, branch(~enough, rest), *_copies(unit, body, factor // 2, kept)]
        made += [attrs.evolve(test, d=list(test.d), s=list(test.s)), branch(~back.guard, behind), Op(Kind.LABEL, rest)]
    made += [*body, test, attrs.evolve(back, target=rest if factor > 2 else single), Op(Kind.LABEL, behind)]
    return made


def _copies(unit: Unit, body: list[Op], factor: int, kept: int) -> list[Op]:
    """Give `factor` trips in a row; `kept` is a bit mask of registers that keep their names at the end.

    Counters of all trips follow from the first one's; constant steps go into memory operands.
    """
    steps = {v: s for op in body for v in op.writes() if (s := _step(body, v)) is not None}
    written = {v for op in body for v in op.writes()}
    now: dict[int, int] = {}                    # register of the source → the one that holds its value at this place
    sums: dict[int, tuple[int, int]] = {}       # register → register of the first trip, constant: that it is the sum of
    first: dict[int, tuple[int, int]] = {}      # place in the body of an addition → its result in the first trip, what it exceeds its base by
    made: list[Op] = []

    def excess(op: Op) -> int | None:
        """By how much an addition exceeds what it would be with the registers of the first trip, if that is a constant."""
        total = 0
        for s in op.s[:2]:
            if isinstance(s, Const) or s not in written:
                continue
            place = now.get(s, s)
            if place in sums:
                total += sums[place][1]
            elif not (place == s and s in steps or any(place == result for result, _ in first.values())):
                return None
        return total

    for trip in range(factor):
        last = trip == factor - 1
        for place, op in enumerate(body):
            copy = attrs.evolve(op, d=list(op.d), s=[_renamed(s, now) for s in op.s], guard=_renamed(op.guard, now))
            made.append(copy)
            result = op.d[0] if len(op.d) == 1 else None
            if result in steps:
                copy.s = [result, immediate(steps[result] * (trip + 1), op.width)]
                now[result] = result if last else unit.new(unit.widths[result])
                copy.d = [now[result]]
                sums.pop(result, None)
                if not last:
                    sums[now[result]] = result, steps[result] * (trip + 1)
                continue
            if op.kind in _MEMORY and type(copy.s[0]) is int and copy.s[0] in sums:
                copy.s[0], more = sums[copy.s[0]]
                copy.offset = _offset(copy.offset + more, unit.widths[copy.s[0]])
            more = excess(op) if op.kind == Kind.ALU and op.fn in _SUMS and op.guard is None else None
            for k, v in enumerate(op.d):
                if v is not None and op.guard is not None and not op.kills:     # lanes that it leaves alone keep the value they had
                    copy.d[k] = now.get(v, v)
                    sums.pop(copy.d[k], None)
                elif v is not None:
                    now[v] = copy.d[k] = v if last and kept >> v & 1 else unit.new(unit.widths[v])
                    sums.pop(now[v], None)
            if more is not None and trip == 0:
                first[place] = copy.d[0], more
            elif more is not None and place in first:
                sums[copy.d[0]] = first[place][0], more - first[place][1]
    return made


def _renamed(value: Value, now: dict[int, int]) -> Value:
    if type(value) is not int:
        return value
    return now.get(value, value) if value >= 0 else ~now.get(~value, ~value)


def _offset(offset: int, width: int) -> int:
    bits = 8 * width
    return (offset + (1 << bits - 1) & (1 << bits) - 1) - (1 << bits - 1)
