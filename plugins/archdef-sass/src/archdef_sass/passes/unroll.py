"""Pass: let a counted loop of one basic block make several trips a round.

``L: body; i += c; @(i < n) bra L`` becomes a loop of `factor` copies of the body, entered and repeated as long as that many trips are
certain, half as many copies of what is left, and one trip more. The result is the same to the bit: every trip does what it did, in order.

The tests are those that ptxas leaves: whether there are enough trips for a round, at the end of a round, whether there are enough for half
of one, and whether one is left. A loop that counts down until it is there asks first whether it will come there at all, and is kept as it
was for what is left.
"""
from __future__ import annotations

from collections import Counter
from functools import cached_property
from operator import ge, gt, le, lt, ne

import attrs

from archdef.lower.encoding import Combine, ConstantKind, Flag, Kind, Space
from archdef.lower.def_use import definitions, use_counts
from archdef.lower.select.arithmetic import TRUTH
from archdef.lower.virtual import ABSORBED, PURE, TRUE, Block, Code, Const, Op, Unit, Value, immediate, lives, signed, slow_paths
from archdef.ptx.liveness import Lives
from archdef_sass import Sass

_MEMORY = (Kind.LOAD, Kind.STORE, Kind.ATOM)
_ALLOWED = (PURE | {Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.SPECIAL}) - {Kind.CARRY}
_TOGETHER = {Kind.BARRIER, Kind.SHUFFLE, Kind.VOTE, Kind.GROUP, Kind.GROUP_PRODUCT, Kind.REGISTERS}
"""Kinds that all lanes of a warp or block execute together: only where all make the same number of trips."""
_STRAIGHT = _ALLOWED | _TOGETHER
_SUMS = ("add_b32", "add_b64")
_COMPARED = {"ne_s32": ne, "ne_b32": ne, "ne_u32": ne, "lt_s32": lt, "gt_s32": gt, "le_s32": le, "ge_s32": ge}
_KNOWN_TRIPS = 4096
"""Trips that are counted beforehand at most."""


@attrs.define
class _Loop:
    block: Block
    """All of it, with the branch back at its end."""
    end: int
    """Place of the branch back."""
    counter: int
    step: int
    bound: Value
    """What the counter is compared with."""
    down: bool
    """It runs down until it is there; otherwise up while it is less."""
    test: Op
    trips: int = 0
    """How many it makes, if that is known."""
    straight: bool = False
    """They are few enough for straight code."""

    @property
    def body(self) -> list[Op]:
        """What a trip does besides asking whether there is another."""
        return [op for op in self.block.ops[:-1] if op is not self.test]


def unroll(code: Code, unit: Unit, architecture, rolled: frozenset[int]) -> None:
    """Unroll what can be. `rolled`: statements at whose start the source forbids it."""
    assembler, facts = architecture.isa.assembler, _Facts(code)
    text: list[Op | Block] = []
    changes = False
    for number, block in enumerate(code.blocks):
        loop = _loop_of(code, unit, number, architecture, rolled, facts) if block.name is not None else None
        if loop is None:
            text += [*((block,) if block.name is not None else ()), *block.ops]
            continue
        kept = facts.lives.before(facts.starts[number]) | facts.lives.behind(loop.end)       # read by the next trip, or behind the loop
        if loop.straight:
            made = _whole(unit, loop, kept)
        elif loop.trips:
            made = _counted(unit, loop, assembler, kept)
        else:
            made = _unrolled(unit, loop, assembler.unroll_factor, kept)
            facts.may_be_passed(number, loop)
        facts.replace(block.ops, [op for op in made if not isinstance(op, Block)])
        text += made
        changes = True
    if changes:
        code.graph.write(text)


class _Facts:
    """What is known of a function's registers and branches while its loops are replaced, one after the other."""

    def __init__(self, code: Code):
        self.code = code

    @cached_property
    def starts(self) -> list[int]:
        """The place of the first operation of each block, as they were given."""
        return self.code.starts()

    @cached_property
    def lives(self) -> Lives:
        """Which registers are alive where, by the places of the ops as they were given."""
        return lives(self.code)

    @cached_property
    def uses(self) -> dict[int, int]:
        """Reads of each register."""
        return use_counts(self.code)

    @cached_property
    def written(self) -> dict[int, dict[int, Op]]:
        """The ops that write each register, by identity."""
        return {v: {id(op): op for op in ops} for v, ops in definitions(self.code).items()}

    @cached_property
    def branches(self) -> dict[Block, int]:
        """Branches to each block."""
        return dict(Counter(block.branch.target for block in self.code.blocks if block.branch is not None))

    def may_be_passed(self, number: int, loop: _Loop) -> None:
        """Take into account that, as far as the text says, control may get past a loop without a trip: what it was before must last."""
        if number + 1 < len(self.starts):
            behind = self.lives.behind(loop.end)
            self.lives.expose(self.starts[number], {v for op in loop.block.ops for v in op.writes() if v in behind})

    def replace(self, old: list[Op], new: list[Op]) -> None:
        """Take note of ops that stand in the place of others."""
        uses, written, branches = self.uses, self.written, self.branches
        for op in old:
            for v in op.reads():
                uses[v] -= 1
            for v in op.writes():
                written[v].pop(id(op), None)
            if op.kind == Kind.BRANCH:
                branches[op.target] -= 1
        for op in new:
            for v in op.reads():
                uses[v] = uses.get(v, 0) + 1
            for v in op.writes():
                written.setdefault(v, {})[id(op)] = op
            if op.kind == Kind.BRANCH:
                branches[op.target] = branches.get(op.target, 0) + 1


def _loop_of(code: Code, unit: Unit, number: int, architecture, rolled: frozenset[int], facts: _Facts) -> _Loop | None:
    """Recognise a loop that is one block."""
    assembler: Sass = architecture.isa.assembler
    block = code.blocks[number]
    back, ops = block.branch, block.ops[:-1]
    if back is None or back.target is not block or back.guard is None or back.guard < 0 or len(ops) < 2 or ops[0].statement in rolled:
        return None
    if any(op.kind not in _STRAIGHT or slow_paths(op, architecture.isa.operations) for op in ops):
        return None
    end = facts.starts[number] + len(ops)
    tests = [op for op in ops if back.guard in op.d]
    if len(tests) != 1:
        return None
    test = tests[0]
    body = [op for op in ops if op is not test]
    if any(v in op.d for v in test.s if type(v) is int for op in ops[ops.index(test):]):
        return None         # what is tested must be so at the end, too
    if test.kind != Kind.SETP or test.guard is not None or test.combine or test.d != [back.guard, None] or len(test.s) < 2:
        return None
    written = {v for op in body for v in op.writes()}
    if back.guard in written or not written.isdisjoint(code.foreign) or not written.isdisjoint(code.results) or written & {0, 1}:
        return None
    if facts.uses.get(back.guard) != 1 or back.guard in code.results and back.guard in facts.lives.behind(end):
        return None
    counter = test.s[0]
    if type(counter) is not int or unit.widths[counter] != 4:
        return None
    step = _step(body, counter)
    bound: Value = test.s[1]
    if step is None:
        return None
    weights = _weights(body, assembler)
    trips = _trips(facts, counter, step, test, body) if assembler.unroll_full_instructions else 0
    alone = trips > 0 and facts.branches[back.target] == 1
    if alone and trips <= assembler.unroll_full_trips and trips * (
            weights - assembler.unroll_full_trip_instructions) <= assembler.unroll_full_instructions:
        return _Loop(block, end, counter, step, bound, False, test, trips, True)
    if alone and assembler.unroll_known_instructions:
        return _Loop(block, end, counter, step, bound, False, test, trips) if _round(weights, trips, assembler) > 1 else None
    if weights > _longest(body, assembler):
        return None
    down = test.fn in ("ne_s32", "ne_b32", "ne_u32") and step < 0 and isinstance(bound, Const) and bound.kind == ConstantKind.IMMEDIATE \
        and abs(signed(bound)) < 1 << 16
    if not down and (test.fn != "lt_s32" or not 0 < step < 1 << 27 or not (isinstance(bound, Const) or bound not in written)):
        return None
    if any(op.kind in _TOGETHER for op in body):
        if not (_same_for_all(facts, counter, body) and isinstance(bound, Const)) or any(op.flags & Flag.PREDICATED for op in body):
            return None
    return _Loop(block, end, counter, step, bound, down, test)


def _trips(facts: _Facts, counter: int, step: int, test: Op, body: list[Op]) -> int:
    """Give how many trips a loop makes; 0 if that is not known."""
    inside = {id(op) for op in body}
    outside = [op for op in facts.written.get(counter, {}).values() if id(op) not in inside]
    if len(outside) != 1 or not _is_immediate(outside[0].s[0] if outside[0].s else None) or not _is_immediate(test.s[1]) \
            or outside[0].kind != Kind.ALU or outside[0].guard is not None or not outside[0].fn.startswith("mov_") or test.fn not in _COMPARED:
        return 0
    holds, value = _COMPARED[test.fn], signed(outside[0].s[0])
    for trips in range(1, _KNOWN_TRIPS + 1):
        value = (value + step + (1 << 31) & 0xFFFFFFFF) - (1 << 31)
        if not holds(value, signed(test.s[1])):
            return trips
    return 0


def _is_immediate(value: Value) -> bool:
    return isinstance(value, Const) and value.kind == ConstantKind.IMMEDIATE


def _whole(unit: Unit, loop: _Loop, kept: set[int]) -> list[Op | Block]:
    """Give the code in place of a loop whose trips are known: all of them, one behind the other."""
    return [*_copies(unit, loop.body, loop.trips, kept)]


def _round(weights: int, trips: int, assembler: Sass) -> int:
    """Give the trips of a round where all are known: the most that make, with those that are left over, no more instructions than a round may have."""
    if weights > assembler.unroll_known_max_instructions:
        return 1
    most = assembler.unroll_known_instructions // max(1, weights - 1)
    return next((f for f in range(min(most, trips), 1, -1) if f + trips % f <= most), 1)


def _counted(unit: Unit, loop: _Loop, assembler: Sass, kept: set[int]) -> list[Op | Block]:
    """Give the code in place of a loop whose trips are known: those that are left over come first, then rounds without any question whether there
    are enough."""
    body, back = loop.body, loop.block.ops[-1]
    factor = _round(_weights(body, assembler), loop.trips, assembler)
    first = _copies(unit, body, loop.trips % factor, kept) if loop.trips % factor else []
    return [*first, loop.block, *_copies(unit, body, factor, kept), loop.test, back]


def _weights(body: list[Op], assembler: Sass) -> int:
    """Give the instructions as which a body counts, without the step of its counter."""
    products = {op.d[0] for op in body if op.operation == "int_mul_wide" and op.d}
    added = {s for op in body if isinstance(op.fn, str) and op.fn[:3] == "add" for s in op.s}
    return sum(_weight(op, products, added, assembler) for op in body) - 1


def _longest(body: list[Op], assembler: Sass) -> int:
    """Give the instructions that a loop may have, for what it loads."""
    shared = sum(op.kind == Kind.LOAD and op.space == Space.SHARED for op in body)
    loads = any(op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC) for op in body)
    limit = assembler.unroll_max_instructions + max(assembler.unroll_global_load_instructions if loads else 0,
                                                    assembler.unroll_shared_load_instructions * shared)
    return min(limit, assembler.unroll_most_instructions)


def _weight(op: Op, products: set[int | None], added: set[Value], assembler: Sass) -> int:
    """Give the instructions as which an operation counts, beside wide products and what is added."""
    if op.operation == ABSORBED or assembler.source_modifiers and op.fn in ("neg_f32", "neg_f64", "abs_f32", "abs_f64"):
        return 0
    if op.kind in (Kind.LOAD, Kind.STORE):
        return assembler.unroll_access_instructions
    if op.kind == Kind.ATOM:
        return assembler.unroll_atomic_instructions
    if op.fn == "add_b64" or op.fn in ("mul_wide_s32", "mul_wide_u32"):      # product and sum are one
        return int(op.fn != "add_b64" or products.isdisjoint(op.s))
    if op.fn in ("mul_f32", "mul_f64") and op.d[0] in added:
        return 0
    return op.times


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


def _same_for_all(facts: _Facts, counter: int, body: list[Op]) -> bool:
    """Tell whether every thread starts with the same counter."""
    inside = {id(op) for op in body}
    return all(id(op) in inside or op.kind == Kind.ALU and op.guard is None and all(s is None or isinstance(s, Const) for s in op.s)
               for op in facts.written.get(counter, {}).values())


def _unrolled(unit: Unit, loop: _Loop, factor: int, kept: set[int]) -> list[Op | Block]:
    """Give the code in place of the loop."""
    entry, back, test, body = loop.block, loop.block.ops[-1], loop.test, loop.body
    rounds, single, behind = Block(f"{entry.name} rounds", rounds=True), Block(f"{entry.name} single"), Block(f"{entry.name} behind", behind_rounds=True)
    statement, fenv = test.statement, test.fpenv
    first = unit.new(0)                 # whether no trip has been made

    def branch(guard: int, target: Block) -> Op:
        return attrs.evolve(back, guard=guard, target=target)

    def compare(fn: str, a: Value, b: Value, also: int | None = None, combine: Combine = Combine.AND) -> tuple[Op, int]:
        result = unit.new(0)
        return Op(Kind.SETP, fn, [result, None], [a, b, also], test.operation, statement=statement, fpenv=fenv, width=test.width,
                  combine=Combine.NONE if also is None else combine), result

    def is_first(truth: str) -> Op:
        return Op(Kind.PRED, TRUTH[truth], [first], [TRUE, TRUE, TRUE], "predicate", statement=statement)

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
        sound, valid = compare("le_s32", limit, loop.bound)     # the difference has not wrapped, as ptxas takes for granted
        sound.operation = ABSORBED
        enough, result = compare("lt_s32", loop.counter, limit, valid)
        return [made, sound, enough], result, limit

    made: list[Op | Block] = [entry]
    if loop.down:
        ahead, result = compare("gt_s32", loop.counter, loop.bound)
        made += [ahead, branch(~result, single)]
    asked, enough, limit = certain(factor)
    parts = [Block(f"{entry.name} {trips}") for trips in (*_halves(factor), "last")]
    made += [*asked, is_first("mov"), branch(~enough, parts[0]), is_first("not"), rounds, *_copies(unit, body, factor, kept)]
    again, more = compare("gt_s32" if loop.down else "lt_s32", loop.counter, limit)
    made += [again, branch(more, rounds)]
    for trips, here, following in zip(_halves(factor), parts, parts[1:]):
        asked, enough, limit = certain(trips)
        made += [here, *asked, branch(~enough, following), *_copies(unit, body, trips, kept), is_first("not")]
    left, result = compare(test.fn, loop.counter, loop.bound, first, Combine.OR)
    made += [parts[-1], left, branch(~result, behind), single, *body]
    if loop.down:
        return [*made, test, attrs.evolve(back, target=single), behind]
    # More than one trip is left only where the counter has wrapped. ptxas does not ask for that.
    wrapped, result = compare(test.fn, loop.counter, loop.bound)
    wrapped.operation = ABSORBED
    return [*made, behind, wrapped, attrs.evolve(branch(result, entry), operation=ABSORBED)]


def _halves(factor: int) -> list[int]:
    """Give how many trips are made at once of those that are left of a round."""
    return [factor >> k for k in range(1, factor.bit_length()) if factor >> k > 1]


def _copies(unit: Unit, body: list[Op], factor: int, kept: set[int]) -> list[Op]:
    """Give `factor` trips in a row; `kept` are registers that keep their names at the end.

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
                    now[v] = copy.d[k] = v if last and v in kept else unit.new(unit.widths[v])
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
