"""Lowered code before registers are assigned: micro-ops over virtual registers.

A virtual register is a number; `Unit.widths` says what it is: 0 a predicate, 4 or 8 a row value of that many bytes a lane.
Operands are

- ``v >= 0``: a virtual register,
- ``v < 0``: the negation of predicate ``~v``,
- a `Const`: a constant row,
- None: absent.
"""
from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

import attrs

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.graph import Block, Graph
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
    """One micro-op over virtual registers."""

    kind: int
    fn: str | int = 0
    """Name of the lane function, or number of the sub-operation."""
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
    target: Block | str | tuple[Block, ...] | tuple[str, ...] | None = None
    """Block or blocks to which a branch goes, name or names of the callee."""
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
    """A branch whose lanes reconverge at a place that was set up for it."""
    own: bool = False
    """A branch that is part of what an operation costs."""
    slow: bool = False
    """What the operation does for special operands, besides itself."""
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

    @property
    def absorbed(self) -> bool:
        """Whether no machine issues anything for it."""
        return self.operation == ABSORBED


ABSORBED = "absorbed"
"""Operation of a micro-op that no machine issues anything for: halves of 64-bit registers are registers."""
PURE = frozenset((Kind.NOP, Kind.ALU, Kind.SETP, Kind.SELP, Kind.PRED, Kind.P2R, Kind.CARRY))
"""Kinds without any effect but their destination (K_CARRY too, unless it sets the carry flag)."""


def slow_paths(op: Op, operations) -> int:
    """Give the branches that the code of an operation contains."""
    return operations[op.operation].slow.paths or 0 if op.operation in operations else 0


def mov(width: int) -> str:
    """Give the lane function that copies a row."""
    return "mov_b64" if width == 8 else "mov_b32"


@attrs.define(slots=True, eq=False)
class Code:
    """The code of one function."""

    function: ir.Function
    graph: Graph = attrs.Factory(Graph)
    inputs: frozenset[int] = frozenset()
    """Registers that carry this function's parameters."""
    results: frozenset[int] = frozenset()
    """Registers that carry this function's results: read after it returns."""
    foreign: set[int] = attrs.Factory(set)
    """Parameters and results of the functions that it calls: registers that belong to them."""
    kept_words: int = 0
    """Words of constants that are brought in loops where an assembler counts registers as if it were done once."""

    @property
    def ops(self) -> list[Op]:
        """The operations of all blocks, in the order of the text, in a list of its own."""
        return self.graph.ops

    def straight(self) -> Iterator[tuple[bool, Op]]:
        """Yield the operations, in the order of the text, with whether straight code is cut there: a block begins, or control goes elsewhere."""
        for block in self.blocks:
            yield from block.straight()

    def drop(self, gone: Container[int]) -> None:
        """Drop operations, given by their identities, none of them a branch."""
        self.replace(lambda op: () if id(op) in gone else (op,))

    def replace(self, made: Callable[[Op], Iterable[Op]]) -> None:
        """Put other operations in the place of each; a branch stays, and none is made: the ways among blocks stay what they are."""
        for block in self.blocks:
            block.ops = [one for op in block.ops for one in made(op)]

    def rewrite(self, made: Callable[[Op], Iterable[Op | Block]]) -> None:
        """Put other operations, branches and starts of blocks in the place of each."""
        self.graph.write([one for block in self.blocks for one in (*((block,) if block.name is not None else ()),
                                                                 *(part for op in block.ops for part in made(op)))])

    def starts(self) -> list[int]:
        """Give, per block, the place of its first operation among those of all blocks; of one without any, that of what comes behind."""
        return list(accumulate((len(block.ops) for block in self.blocks), initial=0))[:-1]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of its graph, in the order of the text."""
        return self.graph.blocks


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


def successors(code: Code, arrivals: bool = False) -> list[tuple[int, ...]]:
    """Give, per operation, the places to which control can go next; the same rules as `archdef.ptx.graph.successors`.

    arrivals : where control comes to a block from elsewhere is a place of its own, before the block's operations.
    """
    lengths = [len(block.ops) + (arrivals and block.name is not None) for block in code.blocks]
    starts, found = list(accumulate(lengths, initial=0)), []
    for first, length, ahead in zip(starts, lengths, code.graph.successors):
        if length:
            found += [(place,) for place in range(first + 1, first + length)]
            found.append(tuple(dict.fromkeys(starts[n] for n in ahead)))
    return found


def accesses(code: Code, arrivals: bool = False) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Give, per place as `successors` has them, the registers that are read and those that are overwritten in every lane."""
    uses, defs, results = [], [], tuple(code.results)
    for block in code.blocks:
        if arrivals and block.name is not None:
            uses.append(())
            defs.append(())
        for op in block.ops:
            read = tuple(op.reads())
            uses.append(read + results if op.kind == Kind.RETURN else read)
            defs.append((*op.writes(), *op.gives) if op.guard is None or op.kills else ())
    return uses, defs


def lives(code: Code, arrivals: bool = False) -> Lives:
    """Find out which registers are alive where, per place as `successors` has them."""
    return Lives(successors(code, arrivals), *accesses(code, arrivals))
