"""Pass: charge what an assembler issues besides the operations of the source: it brings constants into registers, sets up accesses to
memory and divisions, and lets lanes that part meet again. Such instructions compute nothing that the program reads."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from archdef.lower.encoding import BarrierOp, ConstantKind, Flag, Kind, Space, VoteOp
from archdef.lower.facts import use_counts
from archdef.lower.kept import keep_constants
from archdef.lower.layout import Layout
from archdef.lower.meeting import meeting_points
from archdef.lower.uniform import merged_atomics, varying
from archdef.lower.unroll import ROUNDS
from archdef.lower.virtual import ABSORBED, PARTS, TRUE, Code, Const, Op, Unit, Value, immediate, loops, mov, slow_paths, successors
from archdef.ptx import ir
from archdef.ptx.graph import reachable
from archdef.spec.isa import Operation

_WORD = (1 << 32) - 1
_LOADED = (ConstantKind.PARAMETER, ConstantKind.SPECIAL)
UNCOMMON = ("div_f32", "rcp_f32", "sqrt_f32", "div_f64", "rcp_f64", "sqrt_f64")
"""Lane functions for which there is a test whether operands are out of the ordinary."""
_ORDINARY = "@ordinary"
_DIVISIONS = ("div_s32", "div_u32", "rem_s32", "rem_u32")


def shared_bases(code: Code, source: Sequence[ir.Instruction], layout: Layout) -> set[int]:
    """Give the statements at which the address of a variable in shared memory is made: those that name one, unless control always comes
    from another such."""
    found: set[int] = set()
    graph = successors(code.ops)
    there: set[int] = set()         # operations that control cannot get to without passing one of those found
    for k, op in enumerate(code.ops):
        if op.kind != Kind.LABEL and k not in there and any(_is_shared(operand, code.function.name, layout)
                                                            for operand in source[op.statement].operands):
            found.add(op.statement)
            kept = reachable([() if n == k else ahead for n, ahead in enumerate(graph)])
            there.update(n for n in range(k, len(code.ops)) if n == k or not kept[n])
    return found


def _is_shared(operand, function: str, layout: Layout) -> bool:
    named = operand.base if isinstance(operand, ir.Address) else operand
    place = layout.find(function, named.name) if isinstance(named, ir.Symbol) else None
    return place is not None and place[0] == "shared"


def named_here(code: Code, source: list[ir.Instruction]) -> set[int]:
    """Give the statements that read a register to which the program gives an immediate in the same straight piece of its text."""
    body, starts = code.function.body, set(code.function.labels.values())
    named: set[str] = set()
    readers: set[int] = set()
    for index, instruction in enumerate(body):
        if index in starts or index and body[index - 1].opcode == "bra":
            named.clear()
        if any(isinstance(operand, ir.Register) and operand.name in named for operand in instruction.operands[1:]):
            readers.add(id(instruction))
        written = instruction.operands[0] if instruction.operands else None
        if isinstance(written, ir.Register):
            named.discard(written.name)
            if instruction.opcode == "mov" and isinstance(instruction.operands[1], ir.Immediate):
                named.add(written.name)
    return {op.statement for op in code.ops if id(source[op.statement]) in readers}


def charge_overheads(code: Code, unit: Unit, architecture, bases: set[int], named: set[int], room: int) -> None:
    """Insert charged operations, each before its first use in the text and outside of loops; nobody reads their results.

    bases : statements at which the address of a variable in shared memory is made.
    named : statements that read immediates which the program has in registers, `named_here`.
    room  : registers of a thread that cost nothing.
    """
    assembler = architecture.isa.assembler
    if assembler.division_setup_instructions:
        _set_up_divisions(code, unit, assembler.division_setup_instructions, architecture.isa.operations["fp32_rcp"].issues)
    if code.function.entry:
        _once(code, unit, assembler.prologue_instructions, lambda op: True)
        _once(code, unit, assembler.global_access_instructions, lambda op: _accesses(op, (Space.GLOBAL, Space.GENERIC)))
        for statement in sorted(bases):
            _once(code, unit, assembler.shared_access_instructions, lambda op, statement=statement: op.statement >= statement)
        if assembler.loads_constants:
            wanted = dict.fromkeys(s for op in code.ops for s in op.s if isinstance(s, Const) and s.kind in _LOADED)
            brought: dict[Const, list[Op]] = {}
            for constant in wanted:
                other = constant._replace(value=constant.value ^ 4)
                if constant.kind == ConstantKind.PARAMETER and constant.width == 4 and constant.value & 4 and other in wanted \
                        and _block_of(code.ops, constant) == _block_of(code.ops, other):
                    continue        # both halves of 64 bits are brought together
                if constant.kind == ConstantKind.PARAMETER and constant.width == 8:
                    brought[constant] = _bring_pointer(code, unit, constant)
                else:
                    brought[constant] = _once(code, unit, 1, lambda op, constant=constant: constant in op.s, constant)
            keep_constants(code, unit, architecture, room, brought)
    if assembler.loads_constants:
        _bring_immediates(code, unit, named)
    if assembler.copies_pointers:
        _copy_pointers(code, unit, assembler.copies_pointers)
    if assembler.guards_selections:
        _copy_counters(code, unit)
    if any(assembler.merged_atomics):
        _merge_atomics(code, unit, architecture)
    if assembler.loads_before_copies:
        _load_before_copies(code, assembler.loads_before_copies)
    _branch_to_slow_paths(code, unit, architecture)
    if assembler.warp_exchange_branches:
        _bring_together(code, unit)
    if assembler.convergence_instructions:
        _meet_again(code, unit, assembler.convergence_instructions)


def _copy_pointers(code: Code, unit: Unit, longest: int) -> None:
    """Charge, each trip of a short loop that was not unrolled and holds no other, what brings the halves of pointers together that step through it."""
    found = loops(code.ops)
    for start, end in sorted(found, reverse=True):
        label, body = code.ops[start], code.ops[start:end]
        if label.fn.endswith(ROUNDS) or sum(op.times for op in body) > longest or any(start <= a and b < end or start < a and b <= end for a, b in found):
            continue
        written = [v for op in body for v in op.writes()]
        bases = {op.s[0] for op in body if _accesses(op, (Space.GLOBAL, Space.GENERIC, Space.LOCAL)) and op.s}
        stepping = {op.d[0] for op in body if op.fn == "add_b64" and op.guard is None and op.d[0] in op.s[:2] and op.d[0] in bases
                    and written.count(op.d[0]) == 1}
        if stepping:
            times = 1 if len(stepping) == 1 else 2 * len(stepping)
            made = Op(Kind.ALU, "mov_b32", [unit.new(4)], [immediate(0)], "move", times=times, statement=body[1].statement)
            code.ops.insert(start + 1, made)


def _copy_counters(code: Code, unit: Unit) -> None:
    """Charge the copy, once a straight piece of a loop, of a sum whose addend is selected: it is two sums, the second under a predicate, beside the old value.
    """
    inside = loops(code.ops)
    uses = use_counts(code)
    selected: set[int] = set()      # results of selections between immediates, in this block
    copied: set[int] = set()
    places: list[tuple[int, Op]] = []
    for k, op in enumerate(code.ops):
        if op.kind in PARTS:
            selected.clear()
            copied.clear()
        if op.kind == Kind.ALU and op.fn == "add_b32" and op.guard is None and op.d[0] in op.s and op.d[0] not in copied:
            if any(type(v) is int and v in selected for v in op.s) and any(start < k < end for start, end in inside):
                copied.add(op.d[0])
                places.append((k + 1, Op(Kind.ALU, "mov_b32", [unit.new(4)], [immediate(0)], "move", statement=op.statement)))
        selected.difference_update(op.writes())
        if op.kind == Kind.SELP and op.guard is None and uses.get(op.d[0]) == 1 and all(
                isinstance(v, Const) and v.kind == ConstantKind.IMMEDIATE for v in op.s[:2]):
            selected.add(op.d[0])
    for k, made in reversed(places):
        code.ops.insert(k, made)


def _load_before_copies(code: Code, times: int) -> None:
    """Insert the loads that no lane does before asynchronous copies."""
    made: list[Op] = []
    done = False
    for op in code.ops:
        if op.kind == Kind.COPY:
            if not done:
                made += [Op(Kind.LOAD, 0, [None], [immediate(0)], "load_shared", space=Space.SHARED, element=4, vec=1, guard=~TRUE,
                            statement=op.statement) for _ in range(times)]
            done = True
        elif op.kind in PARTS or op.kind in (Kind.BARRIER, Kind.FENCE) or _accesses(op, (Space.SHARED,)):
            done = False
        made.append(op)
    code.ops = made


def _branch_to_slow_paths(code: Code, unit: Unit, architecture) -> None:
    """Insert the branches to routines for operands out of the ordinary, and those routines, which lie elsewhere; what they compute is computed
    anyway."""
    operations = architecture.isa.operations
    made: list[Op] = []
    for op in code.ops:
        paths = slow_paths(op, operations)
        if paths and op.fn in UNCOMMON and op.kind == Kind.ALU and op.guard is None and operations[op.operation].slow_issues:
            apart = unit.new(0)
            made += [Op(Kind.SETP, f"uncommon_{op.fn}", [apart, None], [op.s[0], op.s[1] if len(op.s) > 1 else op.s[0], None], ABSORBED,
                        statement=op.statement), op, *_slow_path(op, ~apart, unit, operations[op.operation], f"{_ORDINARY}{len(made)}")]
            paths -= 1
        else:
            made.append(op)
        for _ in range(paths):
            made += _passed(op, ~TRUE, f"{_ORDINARY}{len(made)}")
    code.ops = made


def _passed(op: Op, guard: int, label: str, elsewhere: int = 0) -> list[Op]:
    """Give a branch to what is behind it."""
    return [Op(Kind.BRANCH, 0, operation="branch", target=label, guard=guard, count=elsewhere, statement=op.statement), Op(Kind.LABEL, label)]


def _slow_path(op: Op, ordinary: int, unit: Unit, cost: Operation, label: str) -> list[Op]:
    """Give the branch around a routine for what is out of the ordinary, and that: something that waits for the operation, and branches that wait
    for it."""
    branch, end = _passed(op, ordinary, label)
    never, branches = unit.new(0), cost.slow_branches or 0
    waits = Op(Kind.SETP, f"lt_u{8 * op.width}", [never, None], [op.d[0], immediate(0, op.width), None], op.operation, slow=True,
               count=cost.slow_issues - branches, statement=op.statement)
    return [branch, waits, *(part for k in range(branches) for part in _passed(op, never, f"{label}.{k}", 1)), end]


def _bring_together(code: Code, unit: Unit) -> None:
    """Insert a branch before the exchanges of a basic block among lanes that may not all be there; one more before a barrier at its end.

    Lanes that a register names are waited for by one instruction, but before a match; who is there is asked without.
    """
    differing, meetings = varying(code, unit), meeting_points(code.ops)
    parted = [(k, meetings[k] if meetings[k] >= 0 else len(code.ops)) for k, op in enumerate(code.ops)
              if op.kind == Kind.BRANCH and op.guard is not None and (meetings[k] > k or meetings[k] < 0)
              and (op.guard if op.guard >= 0 else ~op.guard) in differing]
    made: list[Op] = []
    met = False                 # whether the lanes have been brought together in this basic block
    for k, op in enumerate(code.ops):
        if op.kind in PARTS:
            met = False
        barrier = op.kind == Kind.BARRIER and op.fn == BarrierOp.WARP
        last = barrier and k + 1 < len(code.ops) and code.ops[k + 1].kind in (Kind.LABEL, Kind.BRANCH)
        exchange = op.kind in (Kind.SHUFFLE, Kind.MATCH) or op.kind == Kind.VOTE and op.fn != VoteOp.ACTIVE
        if (barrier or exchange) and (last or not met) and any(start < k < end for start, end in parted):
            met = True
            together = f"@together{k}"
            if op.kind in (Kind.SHUFFLE, Kind.VOTE) and type(op.s[-1]) is int:
                made += [Op(Kind.ALU, "mov_b32", [unit.new(4)], [op.s[-1]], "move", statement=op.statement), op]
                continue
            made += [Op(Kind.BRANCH, 0, operation="branch", target=together, guard=~TRUE, statement=op.statement), Op(Kind.LABEL, together)]
        made.append(op)
    code.ops = made


def _merge_atomics(code: Code, unit: Unit, architecture) -> None:
    """Charge what it takes that one lane does the atomic operation of all."""
    merged = merged_atomics(code, unit, architecture)
    for op in [op for op in code.ops if id(op) in merged]:
        times = merged[id(op)]
        made = Op(Kind.ALU, "mov_b32", [unit.new(4)], [immediate(0)], "move", times=times, guard=op.guard, statement=op.statement)
        code.ops.insert(code.ops.index(op), made)
        op.merged = True


def _accesses(op: Op, spaces: tuple) -> bool:
    return op.kind in (Kind.LOAD, Kind.STORE, Kind.ATOM) and op.space in spaces


def _once(code: Code, unit: Unit, times: int, wants: Callable[[Op], bool], constant: Const = Const(ConstantKind.IMMEDIATE, 4, 0)) -> list[Op]:
    """Charge moves before the first op that wants them, or the loop around it; give them."""
    first = next((k for k, op in enumerate(code.ops) if op.kind != Kind.LABEL and wants(op)), None)
    if not times or first is None:
        return []
    made = Op(Kind.ALU, mov(constant.width), [unit.new(constant.width)], [constant], "move", times=times, width=constant.width,
              statement=code.ops[first].statement)
    code.ops.insert(_outside(code.ops, first), made)
    return [made]


def _bring_pointer(code: Code, unit: Unit, constant: Const) -> list[Op]:
    """Charge moves of a 64-bit parameter: on every way to a use, before the loops around it; a predicate's own, where it guards the first use.
    Gives those without a guard."""
    graph = successors(code.ops)
    places: list[tuple[int, Op]] = []
    there: set[int] = set()         # operations that control cannot get to without passing one for which it was brought
    guards: set[int] = set()        # predicates under which it has been brought, in this block
    for k, op in enumerate(code.ops):
        if op.kind in PARTS:
            guards.clear()
        guards.difference_update(op.writes())
        guards.difference_update({~v for v in op.writes()})
        if k in there or constant not in op.s or op.guard in guards:
            continue
        guard = op.guard if op.flags & Flag.PREDICATED else None
        made = Op(Kind.ALU, mov(constant.width), [unit.new(constant.width)], [constant], "move", width=constant.width, statement=op.statement,
                  guard=guard, flags=op.flags & Flag.PREDICATED if guard is not None else 0)
        if guard is None:
            places.append((_outside(code.ops, k), made))
            kept = reachable([() if n == k else ahead for n, ahead in enumerate(graph)])
            there.update(n for n in range(len(code.ops)) if n >= k and (n == k or not kept[n]))
        else:
            places.append((k, made))
            guards.add(guard)
    for k, made in reversed(places):
        code.ops.insert(k, made)
    return [made for _, made in places if made.guard is None]


def _block_of(ops: list[Op], constant: Const) -> int:
    """Give the basic block that reads a constant first, by the place of its first operation."""
    at = next(k for k, op in enumerate(ops) if constant in op.s)
    while at and ops[at - 1].kind not in (Kind.LABEL, Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL, Kind.EXIT):
        at -= 1
    return at


def _bring_immediates(code: Code, unit: Unit, named: set[int]) -> None:
    """Charge moves of immediates beyond one operand, once for each basic block or loop; where the program brings them itself, it is done there.

    Notes
    -----
    In machine code by ptxas 13.0 of 24 loops, immediates of floating-point operations are brought before the loop where the text has them as operands
    of an instruction, and within where it has them in registers that are set there. Numbers of double precision are operands of an instruction if their
    lower half is 0; else both halves are moved.
    """
    there: set[tuple[int, Const]] = set()       # basic block, by its first op, and what has been brought there
    for op in [op for op in code.ops if op.kind in (Kind.ALU, Kind.SELP, Kind.SETP)]:
        immediates = [s for s in op.s[:3] if isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE and s.value]   # a fourth is a table
        wide = op.kind == Kind.ALU and op.fn.endswith("_f64")
        plain = next((k for k, s in enumerate(immediates) if not (wide and s.value & _WORD)), len(immediates))
        for constant in dict.fromkeys(immediates[:plain] + immediates[plain + 1:]):
            start = outside = next(k for k, other in enumerate(code.ops) if other is op)
            if op.statement not in named:
                start = outside = _outside(code.ops, start)
            while start and code.ops[start - 1].kind not in (Kind.LABEL, Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL):
                start -= 1
            block = id(code.ops[start - 1]) if start else 0
            if (block, constant) not in there:
                there.add((block, constant))
                made = Op(Kind.ALU, mov(constant.width), [unit.new(constant.width)], [constant], "move", width=constant.width, statement=op.statement,
                          times=2 if wide and constant.width == 8 else 1)
                code.ops.insert(outside, made)


def _outside(ops: list[Op], at: int) -> int:
    """Give the place before all loops, by the order of the text, around a place."""
    while True:
        labels = {op.fn: k for k, op in enumerate(ops[:at + 1]) if op.kind == Kind.LABEL}
        start = min((labels[op.target] for op in ops[at:] if op.kind == Kind.BRANCH and op.target in labels), default=at)
        if start >= at:
            return at
        at = start


def _before_innermost(ops: list[Op], at: int) -> int:
    """Give the place before the loop around a place, by the order of the text, if it holds no other; else the place itself."""
    found = loops(ops)
    start, end = max((loop for loop in found if loop[0] <= at < loop[1]), default=(at, at))
    return at if any(start < first and last <= end for first, last in found) else start


def _set_up_divisions(code: Code, unit: Unit, times: int, reciprocal: int) -> None:
    """Let each division by a variable wait for what it needs of its divisor; divisions by the same value share it.

    Out of a loop that holds no other, ptxas takes what the first of its divisions needs, and no more. Signed divisors take one instruction
    more, for their magnitude.

    times, reciprocal : instructions in all for a signed divisor, and those of the reciprocal among them.
    """
    at = 0
    taken: set[int] = set()         # labels of loops before which something has been put
    ready: dict[Value, int] = {}    # divisor → what has been made of it, in this basic block
    while at < len(code.ops):
        op = code.ops[at]
        if op.kind in PARTS:
            ready.clear()
        elif op.kind == Kind.ALU and op.fn in _DIVISIONS and (type(op.s[1]) is int or op.s[1].kind in _LOADED):
            divisor, hoisted = op.s[1], False
            if divisor not in ready:
                ready[divisor] = unit.new(4)
                rest = times - reciprocal - op.fn.endswith("u32")
                # to floating point, the reciprocal and its correction, and back: one after the other
                steps = ["convert64"] * (rest // 2) + ["fp32_rcp"] + ["convert64"] * (rest - rest // 2)
                made = [Op(Kind.ALU, "mov_b32", [ready[divisor]], [ready[divisor] if k else divisor], operation, statement=op.statement)
                        for k, operation in enumerate(steps)]
                outside = _before_innermost(code.ops, at)
                loop = [*code.ops[outside:at], *_rest_of_loop(code.ops, outside, at)]
                if id(code.ops[outside]) in taken or any(divisor in o.d for o in loop):
                    outside = at
                elif outside < at:
                    hoisted = True
                    taken.add(id(code.ops[outside]))
                if op.fn.endswith("s32") and not hoisted and any(start < at < end for start, end in loops(code.ops)):
                    # magnitudes of numerator and divisor are taken once more, each trip, as in seven kernels
                    made.append(attrs.evolve(made[0], operation="move", times=2, d=[unit.new(4)], s=[immediate(0)]))
                code.ops[outside:outside] = made
                at += len(made)
            op.s = [*op.s[:2], ready[divisor]]
            if hoisted:
                del ready[divisor]
        for v in op.writes():
            ready.pop(v, None)
        at += 1


def _rest_of_loop(ops: list[Op], start: int, at: int) -> list[Op]:
    """Give what of the loops that begin at `start` lies behind a place."""
    labels = {op.fn for op in ops[start:at + 1] if op.kind == Kind.LABEL}
    ends = [k for k in range(at, len(ops)) if ops[k].kind == Kind.BRANCH and ops[k].target in labels]
    return ops[at:max(ends) + 1] if ends else []


def _meet_again(code: Code, unit: Unit, times: int) -> None:
    """Charge forward branches that lanes may take apart."""
    differing = varying(code, unit)
    labels = {op.fn: k for k, op in enumerate(code.ops) if op.kind == Kind.LABEL}
    meetings = meeting_points(code.ops)
    prepared: set[int] = set()          # meeting points: lanes that part on the way to one that is set up already meet there too
    around = loops(code.ops)
    for k, op in enumerate(code.ops):
        if op.kind != Kind.BRANCH or op.guard is None or (op.guard if op.guard >= 0 else ~op.guard) not in differing:
            continue
        if op.target.startswith(_ORDINARY):     # part of what the operation costs
            continue
        target = labels[op.target]
        # lanes that leave a loop early meet behind it, which costs once, not every trip
        if target > k and meetings[k] not in prepared and not any(start < k < end < target for start, end in around):
            op.times += times
            op.meets = True
            prepared.add(meetings[k])
