"""Lowered code before registers are assigned: micro-ops over virtual registers.

A virtual register is a number; `Unit.widths` says what it is: 0 a predicate, 4 or 8 a row value of that many bytes a lane.
Operands are

- ``v >= 0``: a virtual register,
- ``v < 0``: the negation of predicate ``~v``,
- a `Const`: a constant row,
- None: absent.
"""
from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import attrs

from archdef.lower.encoding import ConstantKind, Kind
from archdef.ptx import ir
from archdef.ptx.liveness import Lives


class Const(NamedTuple):
    """One value replicated in every lane: an immediate, a parameter, an address …"""

    kind: int
    """ConstantKind."""
    width: int
    """Bytes a lane, 4 or 8."""
    value: int
    """As unsigned number of 32 or 64 bits."""


Value = int | Const | None
TRUE, CARRY = 0, 1
"""Virtual registers that exist in every program: the constantly true predicate and the carry flag."""


def immediate(value: int, width: int = 4) -> Const:
    """Make the constant for an integer, cut to `width` bytes."""
    return Const(ConstantKind.IMMEDIATE, width, value & ((1 << 8 * width) - 1))


def signed(constant: Const) -> int:
    """Give the value of an immediate as a signed number."""
    bits = 8 * constant.width
    return constant.value - (constant.value >> bits - 1 << bits)


@attrs.define(slots=True, eq=False)
class Op:
    """One micro-op over virtual registers, or a label."""

    kind: int
    fn: str | int = 0
    """Name of the lane function, or number of the sub-operation; for a label its name."""
    d: list[int | None] = attrs.Factory(list)
    s: list[Value] = attrs.Factory(list)
    operation: str = ""
    """Class of operation that it is charged as."""
    times: int = 1
    """How many operations of that class."""
    statement: int = 0
    guard: int | None = None
    width: int = 4
    """Bytes per lane of d[0]."""
    fpenv: int = 0
    flags: int = 0
    space: int = 0
    element: int = 0
    vec: int = 0
    combine: int = 0
    offset: int = 0
    count: int = 0
    target: str | tuple[str, ...] | None = None
    """Label, labels, or name of the callee."""
    gives: tuple[int, ...] = ()
    """Registers in which what is called leaves its results: where it is called they begin to live."""
    exact: bool = False
    """The source forbids contraction of this floating-point operation."""
    kills: bool = True
    """Although guarded, nobody needs the old value of the destination in the lanes that it leaves alone."""
    spill: bool = False
    """An access to a value that has no register."""
    merged: bool = False
    """An atomic operation that one lane does for all lanes that operate on the same word."""
    meets: bool = False
    """A branch whose lanes meet again at a place that was set up for it."""
    slow: bool = False
    """What the operation does for operands out of the ordinary, besides itself."""
    brought: bool = False
    """A move that loads a constant of the launch into a register of each lane."""
    origin: int | None = None
    """Space into which the result points, as a generic address."""

    def reads(self) -> Iterator[int]:
        """Yield the virtual registers read, the guard's among them."""
        for v in self.s:
            if type(v) is int:
                yield v if v >= 0 else ~v
        if self.guard is not None:
            yield self.guard if self.guard >= 0 else ~self.guard

    def writes(self) -> Iterator[int]:
        """Yield the virtual registers written."""
        for v in self.d:
            if v is not None:
                yield v


ABSORBED = "absorbed"
"""Operation of a micro-op that no machine issues anything for: halves of 64-bit registers are registers."""
PURE = frozenset((Kind.NOP, Kind.ALU, Kind.SETP, Kind.SELP, Kind.PRED, Kind.P2R, Kind.CARRY))
"""Kinds without any effect but their destination (K_CARRY too, unless it sets the carry flag)."""

PARTS = frozenset((Kind.LABEL, Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL, Kind.CALL_INDIRECT))
"""Kinds at which control comes from elsewhere, or goes there: straight code ends."""


def loops(ops: list[Op]) -> list[tuple[int, int]]:
    """Give where each branch back goes to, and where it is."""
    labels = {op.fn: k for k, op in enumerate(ops) if op.kind == Kind.LABEL}
    return [(labels[op.target], k) for k, op in enumerate(ops)
            if op.kind == Kind.BRANCH and op.operation != ABSORBED and labels[op.target] < k]


def within_loops(ops: list[Op], found: list[tuple[int, int]]) -> list[bool]:
    """Tell, per op, whether it stands between the first op of some loop and its last."""
    change = [0] * (len(ops) + 1)
    for start, end in found:
        change[start + 1] += 1
        change[end] -= 1
    return [depth > 0 for depth in accumulate(change[:-1])]


def holding_loops(found: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Give the loops that hold one which ends before them."""
    holding, latest = set(), -1         # the latest start of those that end before
    for start, end in sorted(found, key=lambda loop: loop[1]):
        if latest >= start:
            holding.add((start, end))
        latest = max(latest, start)
    return holding


def slow_paths(op: Op, operations) -> int:
    """Give the branches that the code of an operation contains."""
    return operations[op.operation].slow_paths or 0 if op.operation in operations else 0


def mov(width: int) -> str:
    """Give the lane function that copies a row."""
    return "mov_b64" if width == 8 else "mov_b32"


@attrs.define(slots=True, eq=False)
class Code:
    """The code of one function."""

    function: ir.Function
    ops: list[Op] = attrs.Factory(list)
    inputs: frozenset[int] = frozenset()
    """Registers that carry this function's parameters."""
    results: frozenset[int] = frozenset()
    """Registers that carry this function's results: read after it returns."""
    foreign: set[int] = attrs.Factory(set)
    """Parameters and results of the functions that it calls: registers that belong to them."""
    kept_words: int = 0
    """Words of constants that are brought in loops where an assembler counts registers as if it were done once."""


@attrs.define(slots=True, eq=False)
class Unit:
    """What the functions of one program share."""

    widths: list[int] = attrs.Factory(lambda: [0, 0])
    specials: dict[int, int] = attrs.Factory(dict)
    """Virtual register → SpecialRegister that the engine puts there before the first op."""
    special_of: dict[int, int] = attrs.Factory(dict)
    """SpecialRegister → its virtual register."""
    uniform: set[int] = attrs.Factory(set)
    """Registers that hold one value for all lanes, and are none of a thread's own."""
    stack: int | None = None
    """Virtual register of the stack pointer, where the program has a call stack."""

    def new(self, width: int) -> int:
        """Make a virtual register."""
        self.widths.append(width)
        return len(self.widths) - 1

    def special(self, number: int, width: int = 4) -> int:
        """Give the virtual register of a per-thread special register."""
        if number not in self.special_of:
            v = self.special_of[number] = self.new(width)
            self.specials[v] = number
        return self.special_of[number]


def successors(ops: list[Op]) -> list[tuple[int, ...]]:
    """Give, per op, where control can go next; the same rules as `archdef.ptx.graph.successors`."""
    labels = {op.fn: i for i, op in enumerate(ops) if op.kind == Kind.LABEL}
    last = len(ops) - 1
    result: list[tuple[int, ...]] = []
    for i, op in enumerate(ops):
        kind = op.kind
        after = (i + 1,) if i < last else ()
        if kind == Kind.BRANCH:
            ahead = (labels[op.target],)
            result.append(ahead if op.guard is None or after == ahead else ahead + after)
        elif kind == Kind.BRANCH_INDEXED:
            ahead = tuple(dict.fromkeys(labels[name] for name in op.target))
            result.append(ahead if op.guard is None else ahead + tuple(t for t in after if t not in ahead))
        elif kind in (Kind.EXIT, Kind.RETURN, Kind.TRAP) and op.guard is None:
            result.append(())
        else:
            result.append(after)
    return result


def leads_to(ops: list[Op], at: int, label: str) -> bool:
    """Tell whether a label is among those that stand at a place."""
    while at < len(ops) and ops[at].kind == Kind.LABEL:
        if ops[at].fn == label:
            return True
        at += 1
    return False


def accesses(code: Code) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Give, per op, the registers that it reads and those that it overwrites in every lane."""
    uses, defs, results = [], [], tuple(code.results)
    for op in code.ops:
        read = tuple(op.reads())
        uses.append(read + results if op.kind == Kind.RETURN else read)
        defs.append((*op.writes(), *op.gives) if op.guard is None or op.kills else ())
    return uses, defs


def lives(code: Code) -> Lives:
    """Find out which registers are alive where."""
    return Lives(successors(code.ops), *accesses(code))
