"""Passes: charge what this assembler issues besides the operations of the source: it brings constants into registers, sets up accesses to memory and
divisions, and lets lanes that diverge reconverge. Such instructions compute nothing that the program reads."""
from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set

import attrs

from archdef.lower.encoding import BarrierOp, ConstantKind, Flag, Kind, Space, VoteOp
from archdef.lower.def_use import use_counts
from archdef.lower.graph import PARTS, Block, Graph, Loop
from archdef.lower.layout import Layout
from archdef.lower.reconvergence import reconvergence_points
from archdef.lower.passes.overheads import moved, once
from archdef.lower.places import Insertions, Marks, Passed, blocks_begun, holding_loops, innermost, outermost, within
from archdef.lower.uniform import merged_atomics, varying
from archdef.lower.virtual import TRUE, Code, Const, Op, Unit, Value, immediate
from archdef.ptx import ir
from archdef_sass.passes.constant_residency import keep_constants_resident

_WORD = (1 << 32) - 1
_LOADED = (ConstantKind.PARAMETER, ConstantKind.SPECIAL)
_DIVISIONS = ("div_s32", "div_u32", "rem_s32", "rem_u32")


def shared_bases(code: Code, source: Sequence[ir.Instruction], layout: Layout) -> set[int]:
    """Give the statements at which the address of a variable in shared memory is made: those that name one, unless control always comes
    from another such."""
    found: set[int] = set()
    there: Marks | None = None      # operations that control cannot get to without passing one of those found
    for n, block in enumerate(code.blocks):
        for op in block.ops:
            if (there is None or n not in there) and any(_is_shared(operand, code.function.name, layout) for operand in source[op.statement].operands):
                found.add(op.statement)
                there = Passed(code.graph).none() if there is None else there
                there.add(n)
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


def set_up_divisions(code: Code, unit: Unit, architecture, times: int) -> None:
    """Let each division by a variable wait for what it needs of its divisor; divisions by the same value share it.

    Out of a loop that holds no other, ptxas takes what the first of its divisions needs, and no more. Signed divisors take one instruction
    more, for their magnitude.

    times : instructions in all for a signed divisor, those of the reciprocal among them.
    """
    reciprocal = architecture.isa.operations["fp32_rcp"].issues
    graph, insertions = code.graph, Insertions()
    around, holding = innermost(len(graph.blocks), graph.loops), _holding(graph.loops)
    reach = _last_branches(graph)
    headers = sorted(reach)
    places: dict[int, list[int]] | None = None      # register → numbers of the blocks in which it is written
    taken: set[int] = set()         # loops before which something has been put
    ready: dict[Value, int] = {}    # divisor → what has been made of it, in this basic block
    for cut, n, op in ((cut, n, op) for n, block in enumerate(graph.blocks) for cut, op in block.straight()):
        if cut:
            ready.clear()
        if op.kind == Kind.ALU and op.fn in _DIVISIONS and (type(op.s[1]) is int or op.s[1].kind in _LOADED):
            divisor, hoisted = op.s[1], False
            if divisor not in ready:
                ready[divisor] = unit.new(4)
                rest = times - reciprocal - op.fn.endswith("u32")
                # to floating point, the reciprocal and its correction, and back: one after the other
                steps = ["convert64"] * (rest // 2) + ["fp32_rcp"] + ["convert64"] * (rest - rest // 2)
                made = [Op(Kind.ALU, "mov_b32", [ready[divisor]], [ready[divisor] if k else divisor], operation, statement=op.statement)
                        for k, operation in enumerate(steps)]
                loop = around.get(n)
                if loop is not None and loop not in holding and loop.first not in taken:
                    places = _written_in(graph) if places is None else places
                    mine = places.get(divisor, ())
                    first = bisect_left(mine, loop.first)
                    hoisted = first == len(mine) or mine[first] > max(reach[k] for k in headers[bisect_left(headers, loop.first):bisect_right(headers, n)])
                if hoisted:
                    taken.add(loop.first)
                if op.fn.endswith("s32") and not hoisted and loop is not None:
                    # magnitudes of numerator and divisor are taken once more, each trip, as in seven kernels
                    made.append(attrs.evolve(made[0], operation="move", times=2, d=[unit.new(4)], s=[immediate(0)]))
                insertions.put(graph.blocks[loop.first] if hoisted else op, *made)
            op.s = [*op.s[:2], ready[divisor]]
            if hoisted:
                del ready[divisor]
        for v in op.writes():
            ready.pop(v, None)
    insertions.apply(code)


def _holding(found: Sequence[Loop]) -> set[Loop]:
    """Give the loops that hold one which starts behind their start."""
    holding, earliest = set(), math.inf         # the earliest end of those that start later
    for start, ends in sorted(_grouped(found).items(), reverse=True):
        holding.update(Loop(start, end) for end in ends if earliest <= end)
        earliest = min(earliest, *ends)
    return holding


def _grouped(found: Sequence[Loop]) -> dict[int, list[int]]:
    """Give the ends of loops by their starts."""
    ends: dict[int, list[int]] = {}
    for start, end in found:
        ends.setdefault(start, []).append(end)
    return ends


def _last_branches(graph: Graph) -> dict[int, int]:
    """Give, by the number of each block that is branched back to, that of the block with the last branch there."""
    numbers = graph.numbers
    return {numbers[block.branch.target]: n for n, block in enumerate(graph.blocks) if block.branch is not None and numbers[block.branch.target] <= n}


def _written_in(graph: Graph) -> dict[int, list[int]]:
    """Give the numbers of the blocks in which each register is written."""
    found: dict[int, list[int]] = {}
    for n, block in enumerate(graph.blocks):
        for op in block.ops:
            for v in op.writes():
                found.setdefault(v, []).append(n)
    return found


def charge_accesses(code: Code, unit: Unit, bases: set[int], global_access: int, shared_access: int) -> None:
    """Charge what prepares accesses of a kernel to global memory, and the addresses of its variables in shared memory.

    bases : statements at which such an address is made, `shared_bases`.
    """
    if not code.function.entry:
        return
    once(code, unit, global_access, lambda op: _accesses(op, (Space.GLOBAL, Space.GENERIC)))
    for statement in sorted(bases):
        once(code, unit, shared_access, lambda op, statement=statement: op.statement >= statement)


def materialise_constants(code: Code, unit: Unit, architecture, room: int) -> None:
    """Charge what brings constants of the launch into registers, and let operations read them there.

    room : registers of a thread that cost nothing.
    """
    if code.function.entry:
        keep_constants_resident(code, unit, architecture, room, _materialise_constants(code, unit))


def _materialise_constants(code: Code, unit: Unit) -> dict[Const, list[Op]]:
    """Charge moves of the constants of the launch; give those that are not guarded."""
    ops, graph = code.ops, code.graph
    readers: dict[Const, list[int]] = {}
    for k, op in enumerate(ops):
        for s in dict.fromkeys(s for s in op.s if isinstance(s, Const) and s.kind in _LOADED):
            readers.setdefault(s, []).append(k)
    if not readers:
        return {}
    outside, block, passed, insertions = outermost(graph), blocks_begun(graph, Kind.EXIT), Passed(graph), Insertions()
    number_of, starts = [n for n, one in enumerate(graph.blocks) for _ in one.ops], frozenset(code.starts())
    # what reads a constant first, or what its move stands before
    first: dict[Const, Op | Block] = {constant: ops[places[0]] for constant, places in readers.items()}
    brought: dict[Const, list[Op]] = {}
    for constant, places in readers.items():
        other = constant._replace(value=constant.value ^ 4)
        if constant.kind == ConstantKind.PARAMETER and constant.width == 4 and constant.value & 4 and other in readers \
                and block[id(first[constant])] == block[id(first[other])]:
            continue        # both halves of 64 bits are brought together
        if constant.kind == ConstantKind.PARAMETER and constant.width == 8:
            brought[constant] = _materialise_pointer(ops, starts, unit, constant, [(number_of[k], k) for k in places], outside, passed, insertions)
        else:
            reader = ops[places[0]]
            before = outside.get(id(reader), reader)
            brought[constant] = [moved(unit, constant, reader)]
            insertions.put(before, brought[constant][0])
            first[constant] = before
    insertions.apply(code)
    return brought


def _materialise_pointer(ops: Sequence[Op], starts: Set[int], unit: Unit, constant: Const, readers: list[tuple[int, int]], outside: dict[int, Block],
                         passed: Passed, insertions: Insertions) -> list[Op]:
    """Charge moves of a 64-bit parameter: on every way to a use, before the loops around it; a predicate's own, where it guards the first use.
    Gives those without a guard."""
    there = passed.none()           # operations that control cannot get to without passing one for which it was brought
    guards: set[int] = set()        # predicates under which it has been brought, in this block
    found, seen = [], 0
    for n, k in readers:
        op = ops[k]
        for at, between in enumerate(ops[seen:k + 1], seen) if guards else ((k, op),):
            if at in starts or between.kind in PARTS:
                guards.clear()
            guards.difference_update(between.writes())
            guards.difference_update({~v for v in between.writes()})
        seen = k + 1
        if n in there or op.guard in guards:
            continue
        guard = op.guard if op.flags & Flag.PREDICATED else None
        made = moved(unit, constant, op, guard=guard, flags=op.flags & Flag.PREDICATED if guard is not None else 0)
        if guard is None:
            insertions.put(outside.get(id(op), op), made)
            found.append(made)
            there.add(n)
        else:
            insertions.put(op, made)
            guards.add(guard)
    return found


def materialise_immediates(code: Code, unit: Unit, named: set[int]) -> None:
    """Charge moves of immediates beyond one operand, once for each basic block or loop; where the program brings them itself, it is done there.

    Notes
    -----
    In machine code by ptxas 13.0 of 24 loops, immediates of floating-point operations are brought before the loop where the text has them as operands
    of an instruction, and within where it has them in registers that are set there. Numbers of double precision are operands of an instruction if their
    lower half is 0; else both halves are moved.
    """
    there: set[tuple[int, Const]] = set()       # basic block, by the op before it, and what has been brought there
    outside, blocks, insertions = outermost(code.graph), blocks_begun(code.graph), Insertions()
    for op in code.ops:
        if op.kind not in (Kind.ALU, Kind.SELP, Kind.SETP):
            continue
        immediates = [s for s in op.s[:3] if isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE and s.value]   # a fourth is a table
        wide = op.kind == Kind.ALU and op.fn.endswith("_f64")
        plain = next((k for k, s in enumerate(immediates) if not (wide and s.value & _WORD)), len(immediates))
        for constant in dict.fromkeys(immediates[:plain] + immediates[plain + 1:]):
            before = op if op.statement in named else outside.get(id(op), op)
            if (blocks[id(before)], constant) not in there:
                there.add((blocks[id(before)], constant))
                insertions.put(before, moved(unit, constant, op, times=2 if wide and constant.width == 8 else 1))
    insertions.apply(code)


def move_constants(code: Code, unit: Unit) -> None:
    """Charge moves of constants and immediates for which an instruction has no operand, once a basic block.

    Notes
    -----
    In machine code by ptxas 11.8 for compute capability 8.0 arithmetic reads one constant of the launch, or one immediate. Of both the immediate is
    moved, even within loops; an access to memory takes its address and what it stores from registers.
    """
    there: set[tuple[int, Const]] = set()       # basic block, by its number, and what has been moved there
    blocks, insertions = blocks_begun(code.graph), Insertions()
    for op in code.ops:
        if op.absorbed:
            continue
        constants = dict.fromkeys(s for s in op.s if isinstance(s, Const) and (s.kind in _LOADED or s.kind == ConstantKind.IMMEDIATE and s.value))
        if op.kind in (Kind.ALU, Kind.SELP, Kind.SETP):
            beyond = sorted(constants, key=lambda s: s.kind != ConstantKind.IMMEDIATE)[:-1]
        else:
            beyond = list(constants) if op.kind in (Kind.LOAD, Kind.STORE, Kind.ATOM) and op.space != Space.CONST else []
        for constant in beyond:
            if (blocks[id(op)], constant) not in there:
                there.add((blocks[id(op)], constant))
                insertions.put(op, moved(unit, constant, op, times=max(1, constant.width // 4)))
    insertions.apply(code)


def copy_pointers(code: Code, unit: Unit, longest: int) -> None:
    """Charge, each trip of a short loop that was not unrolled and holds no other, what brings the halves of pointers together that step through it."""
    graph, insertions = code.graph, Insertions()
    holding = holding_loops(graph.loops)
    for loop in sorted(graph.loops, reverse=True):
        if graph.blocks[loop.first].rounds or loop in holding:
            continue
        body = [op for block in graph.blocks[loop.first:loop.last + 1] for op in block.ops]
        if sum(op.times for op in body) > longest:      # the branch back among them
            continue
        written = [v for op in body for v in op.writes()]
        bases = {op.s[0] for op in body if _accesses(op, (Space.GLOBAL, Space.GENERIC, Space.LOCAL)) and op.s}
        stepping = {op.d[0] for op in body if op.fn == "add_b64" and op.guard is None and op.d[0] in op.s[:2] and op.d[0] in bases
                    and written.count(op.d[0]) == 1}
        if stepping:
            times = 1 if len(stepping) == 1 else 2 * len(stepping)
            made = Op(Kind.ALU, "mov_b32", [unit.new(4)], [immediate(0)], "move", times=times, statement=body[0].statement)
            insertions.put(body[0], made)
    insertions.apply(code)


def copy_counters(code: Code, unit: Unit) -> None:
    """Charge the copy, once a straight piece of a loop, of a sum whose addend is selected: it is two sums, the second under a predicate, beside the old value.
    """
    insertions = Insertions()
    inside = within(len(code.blocks), ((loop.first, loop.last + 1) for loop in code.graph.loops))
    uses = use_counts(code)
    selected: set[int] = set()      # results of selections between immediates, in this block
    copied: set[int] = set()
    for inside_loop, cut, op in ((inside[n], cut, op) for n, block in enumerate(code.blocks) for cut, op in block.straight()):
        if cut:
            selected.clear()
            copied.clear()
        if op.kind == Kind.ALU and op.fn == "add_b32" and op.guard is None and op.d[0] in op.s and op.d[0] not in copied:
            if any(type(v) is int and v in selected for v in op.s) and inside_loop:
                copied.add(op.d[0])
                insertions.put_behind(op, Op(Kind.ALU, "mov_b32", [unit.new(4)], [immediate(0)], "move", statement=op.statement))
        selected.difference_update(op.writes())
        if op.kind == Kind.SELP and op.guard is None and uses.get(op.d[0]) == 1 and all(
                isinstance(v, Const) and v.kind == ConstantKind.IMMEDIATE for v in op.s[:2]):
            selected.add(op.d[0])
    insertions.apply(code)


def merge_atomics(code: Code, unit: Unit, times: tuple[int, int]) -> None:
    """Charge what it takes that one lane does the atomic operation of all."""
    merged = merged_atomics(code, unit, times)
    insertions = Insertions()
    for op in code.ops:
        if id(op) in merged:
            insertions.put(op, Op(Kind.ALU, "mov_b32", [unit.new(4)], [immediate(0)], "move", times=merged[id(op)], guard=op.guard, statement=op.statement))
            op.merged = True
    insertions.apply(code)


def load_before_copies(code: Code, times: int) -> None:
    """Insert the loads that no lane does before asynchronous copies."""
    insertions = Insertions()
    done = False
    for cut, op in code.straight():
        done = done and not cut
        if op.kind == Kind.COPY:
            if not done:
                insertions.put(op, *(Op(Kind.LOAD, 0, [None], [immediate(0)], "load_shared", space=Space.SHARED, element=4, vec=1, guard=~TRUE,
                                        statement=op.statement) for _ in range(times)))
            done = True
        elif op.kind in (Kind.BARRIER, Kind.FENCE) or _accesses(op, (Space.SHARED,)):
            done = False
    insertions.apply(code)


def reconverge_for_shuffles(code: Code, unit: Unit) -> None:
    """Insert a branch before the exchanges of a basic block among lanes that may not all be there; one more before a barrier at its end.

    Lanes that a register names are waited for by one instruction, but before a match; who is there is asked without.
    """
    graph, differing, insertions = code.graph, varying(code, unit), Insertions()
    count, meetings = len(graph.blocks), reconvergence_points(graph)
    parted = [(n + 1, meetings[n] if meetings[n] >= 0 else count) for n, block in enumerate(graph.blocks)
              if block.branch is not None and block.branch.guard is not None and (meetings[n] > n or meetings[n] < 0)
              and (block.branch.guard if block.branch.guard >= 0 else ~block.branch.guard) in differing]
    for n, (block, apart) in enumerate(zip(graph.blocks, within(count, parted), strict=True)):
        met = False                 # whether the lanes have been brought together in this piece of straight code
        for k, op in enumerate(block.ops if apart else ()):
            if op.kind in PARTS:
                met = False
            barrier = op.kind == Kind.BARRIER and op.fn == BarrierOp.WARP
            last = barrier and (block.ops[k + 1].kind == Kind.BRANCH if k + 1 < len(block.ops) else n + 1 < count)
            exchange = op.kind in (Kind.SHUFFLE, Kind.MATCH) or op.kind == Kind.VOTE and op.fn != VoteOp.ACTIVE
            if not (barrier or exchange) or met and not last:
                continue
            met = True
            if op.kind in (Kind.SHUFFLE, Kind.VOTE) and type(op.s[-1]) is int:
                insertions.put(op, Op(Kind.ALU, "mov_b32", [unit.new(4)], [op.s[-1]], "move", statement=op.statement))
            else:
                together = Block("@together")
                insertions.put(op, Op(Kind.BRANCH, 0, operation="branch", target=together, guard=~TRUE, statement=op.statement), together)
    insertions.apply(code)


def _accesses(op: Op, spaces: tuple) -> bool:
    return op.kind in (Kind.LOAD, Kind.STORE, Kind.ATOM) and op.space in spaces
