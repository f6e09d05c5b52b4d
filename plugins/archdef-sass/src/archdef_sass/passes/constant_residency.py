"""Pass: constants of the launch that operations read from registers of lanes, because an instruction has room for one constant alone."""
from __future__ import annotations

from collections.abc import Mapping

import attrs

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.def_use import definitions
from archdef_sass.passes.peephole import zero_halves
from archdef.lower.places import Insertions
from archdef.lower.pressure import alive_words, next_registers
from archdef.lower.virtual import ABSORBED, Code, Const, Op, Unit, successors
from archdef.ptx.graph import reachable

_READERS = frozenset((Kind.ALU, Kind.SETP, Kind.SELP))


@attrs.define
class _Resident:
    """A constant in a register."""

    constant: Const
    register: int
    readers: list[Op]
    depth: int
    """Loops around its readers."""
    moves: list[Op]
    """What brings it; nothing, where each basic block that reads it does."""


def keep_constants_resident(code: Code, unit: Unit, architecture, room: int, brought: Mapping[Const, list[Op]]) -> None:
    """Let operations that read a constant of the launch beside another constant read it from a register.

    room    : registers of a thread that cost nothing.
    brought : constants, and the moves that are charged for bringing them, whose results nobody reads yet.

    Notes
    -----
    In machine code by ptxas 13.0 for compute capability 9.0 no arithmetic reads constants: uniform registers hold them, of which an instruction
    takes one, in place of an immediate, or registers of lanes do. Those are brought before a loop that holds no other, and stay taken throughout it;
    elsewhere in loops, where they are read. Where that makes a kernel need more registers than it gets anyway, they are brought within such loops, too.
    """
    def need() -> int:
        return max(alive_words(code, unit, set(zero_halves(code, definitions(code))), architecture), default=0)

    most = next_registers(need(), room, architecture)
    found = [one for constant, moves in brought.items() for one in _keep(code, unit, constant, moves)]
    code.kept_words = sum(unit.widths[one.register] // 4 for one in {one.constant: one for one in found if one.depth}.values())
    for one in sorted((one for one in found if one.moves and one.depth), key=lambda one: one.depth):
        if need() <= most:
            break
        code.drop(set(map(id, one.moves)))
        _reload_within(code, unit, one)


def _keep(code: Code, unit: Unit, constant: Const, moves: list[Op]) -> list[_Resident]:
    """Bring a constant to those that read it beside another, wherever control comes from `moves`."""
    readers = _behind(code, moves, [op for op in code.ops if _reads(op, constant)])
    if all(not any(type(s) is int for s in op.s) for op in readers):     # what has constants alone is made in uniform registers
        return []
    blocks, starts = list(code.blocks), [*code.starts(), len(code.ops)]
    around = sorted(code.graph.loops, key=lambda loop: starts[loop.last + 1] - starts[loop.first])
    holding = {loop for loop in around if any(loop != other and loop.first <= other.first and other.last <= loop.last for other in around)}
    at = {id(op): n for n, block in enumerate(blocks) for op in block.ops}
    homes: dict[int, _Resident] = {}         # number of the block before which it is brought; -1: where it is already, -2: in each basic block
    for op in readers:
        mine = [loop for loop in around if loop.holds(at[id(op)])]
        home = -1 if not mine else -2 if mine[0] in holding else mine[0].first if len(mine) > 1 else -1
        if home not in homes:
            homes[home] = _Resident(constant, moves[0].d[0] if home == -1 else unit.new(unit.widths[moves[0].d[0]]), [], len(mine), [])
        homes[home].readers.append(op)
    for home, one in homes.items():
        if home == -1:
            one.moves = moves
        elif home >= 0:
            one.moves = [_reload(one, moves[0], one.readers[0].statement)]
            insertions = Insertions()
            insertions.put(blocks[home], *one.moves)
            insertions.apply(code)
            if len(_behind(code, one.moves, one.readers)) < len(one.readers):      # control comes to the loop some other way, too
                code.drop(set(map(id, one.moves)))
                one.moves = []
        if one.moves:
            for move in one.moves:
                move.d, move.brought = [one.register], True
            for op in one.readers:
                _replace(op, constant, one.register)
        else:
            _reload_within(code, unit, one, moves[0])
    if -1 not in homes and not any(constant in op.s and not op.brought for op in code.ops if not any(op is move for move in moves)):
        code.drop(set(map(id, moves)))
    return list(homes.values())


def _behind(code: Code, moves: list[Op], readers: list[Op]) -> list[Op]:
    """Give the readers that control cannot get to but past one of the moves."""
    cut = {id(op) for op in moves}
    ops = code.ops
    others = reachable([() if id(op) in cut else ahead for op, ahead in zip(ops, successors(code), strict=True)])
    free = {id(op) for op, there in zip(ops, others, strict=True) if there}
    return [op for op in readers if id(op) not in free]


def _reload(one: _Resident, like: Op, statement: int) -> Op:
    return attrs.evolve(like, d=[one.register], s=[one.constant], statement=statement, brought=True)


def _reads(op: Op, constant: Const) -> bool:
    """Tell whether an operation reads a constant, and another."""
    return (op.kind in _READERS and op.operation != ABSORBED and constant in op.s
            and sum(isinstance(s, Const) and (s.kind != ConstantKind.IMMEDIATE or s.value != 0) for s in op.s) > 1)


def _replace(op: Op, old, new: int) -> None:
    op.s = [new if type(s) is type(old) and s == old else s for s in op.s]


def _reload_within(code: Code, unit: Unit, one: _Resident, like: Op | None = None) -> None:
    """Bring a constant in each basic block that reads it."""
    like, one.moves = like or one.moves[0], []
    readers = {id(op) for op in one.readers}
    insertions = Insertions()
    here: int | None = None
    for cut, op in code.straight():
        if cut:
            here = None
        if id(op) in readers:
            if here is None:
                here = unit.new(unit.widths[one.register])
                insertions.put(op, attrs.evolve(like, d=[here], s=[one.constant], statement=op.statement, brought=True))
            _replace(op, one.constant, here)
            _replace(op, one.register, here)
    insertions.apply(code)
