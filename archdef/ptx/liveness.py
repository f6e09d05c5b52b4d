"""Which registers are alive where, and how many a thread needs at once."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from .graph import Successors, chains, successors
from .ir import Address, CallTarget, Function, Instruction, Operand, Predicate, PredicatePair, Register, Vector
from .scan import words

_NO_DESTINATION = words("bar barrier bra brx nanosleep setmaxnreg stackrestore pmevent call ret exit trap")
"""Opcodes whose first operand is read even though it is a plain register."""
_READ_AND_WRITTEN = frozenset(("wgmma",))
"""Opcodes that accumulate into their destination."""
_STACK_POINTER = 1
"""Registers that every thread holds besides its values."""


class Lives:
    """Which values are alive where: kept at the starts of basic blocks alone, and followed from there.

    A value that is alive within one block alone takes no room, so that straight code of any length takes none; the rest is as much as the
    values alive at the starts of all blocks together.

    Parameters
    ----------
    graph : sequence of sequence of int
        Successors of each node.
    uses, defs : list of sequence of int
        Per node, the values that it reads and those that it overwrites *wholly*: a guarded instruction leaves the old value in some lanes,
        so what it writes does not belong in `defs`.
    """

    def __init__(self, graph: Successors, uses: list[Sequence[int]], defs: list[Sequence[int]]):
        self.uses, self.defs = uses, defs
        self.blocks = chains(graph)
        self._starts = [block[0] for block in self.blocks]
        number_of = {start: number for number, start in enumerate(self._starts)}
        self._ahead = [[number_of[t] for t in graph[block[-1]]] for block in self.blocks]
        self._behind: list[list[int]] = [[] for _ in self.blocks]
        self._into: list[set[int]] = []
        self._overwritten: list[set[int]] = []
        self._places: tuple[dict[int, list[int]], dict[int, list[int]]] | None = None
        self._solve()

    def _solve(self) -> None:
        """Follow each value backwards, from the blocks that read it first to those that overwrite it."""
        for number, targets in enumerate(self._ahead):
            for target in targets:
                self._behind[target].append(number)
        for block in self.blocks:
            needed: set[int] = set()
            killed: set[int] = set()
            for node in reversed(block):
                if self.defs[node]:
                    needed.difference_update(self.defs[node])
                    killed.update(self.defs[node])
                needed.update(self.uses[node])
            self._into.append(needed)
            self._overwritten.append(killed)
        for number, first in enumerate([tuple(needed) for needed in self._into]):
            self._follow(number, first)

    def _follow(self, number: int, values: Iterable[int]) -> None:
        """Let values that are alive at the start of a block be so wherever control comes from."""
        for value in values:
            waiting = [number]
            while waiting:
                for origin in self._behind[waiting.pop()]:
                    if value not in self._into[origin] and value not in self._overwritten[origin]:
                        self._into[origin].add(value)
                        waiting.append(origin)

    def expose(self, start: int, values: Iterable[int]) -> None:
        """Let values be alive before a node with which a block starts, as if it read them."""
        number = bisect_right(self._starts, start) - 1
        added = [value for value in values if value not in self._into[number]]
        self._into[number].update(added)
        self._follow(number, added)

    def leaving(self, number: int) -> set[int]:
        """Give the values alive at the end of a block, in a set of its own."""
        return set().union(*(self._into[target] for target in self._ahead[number]))

    def entering(self) -> frozenset[int]:
        """Give the values alive before the first node."""
        return frozenset(self._into[0]) if self._into else frozenset()

    def walk(self) -> Iterator[tuple[int, set[int]]]:
        """Yield every node with the values alive behind it, the blocks in order, each from its end.

        The set is good until the next node. Who takes a node out meanwhile sets its `uses` to nothing: then what it reads may be dead.
        """
        uses, defs = self.uses, self.defs
        for number, block in enumerate(self.blocks):
            alive = self.leaving(number)
            for node in reversed(block):
                yield node, alive
                if defs[node]:
                    alive.difference_update(defs[node])
                alive.update(uses[node])

    def sums(self, sizes: Sequence[int] | Mapping[int, int], written: Sequence[Sequence[int]], calls: Container[int] = ()) -> list[int]:
        """Give, per node, what the values alive behind it and those that it writes have in all, `sizes` being that of each.

        What a call makes is left out at its node: it is counted in the function that is called.
        """
        result = [0] * len(self.uses)
        for number, block in enumerate(self.blocks):
            alive = self.leaving(number)
            total = sum(sizes[v] for v in alive)
            for node in reversed(block):
                made = written[node]
                result[node] = total + sum(sizes[v] for v in (made if len(made) < 2 else set(made)) if v not in alive)
                for v in self.defs[node]:
                    if v in alive:
                        alive.remove(v)
                        total -= sizes[v]
                if node in calls:
                    result[node] = total
                for v in self.uses[node]:
                    if v not in alive:
                        alive.add(v)
                        total += sizes[v]
        return result

    def behind(self, node: int) -> set[int]:
        """Give the values alive behind a node; takes as long as the rest of its block."""
        number = bisect_right(self._starts, node) - 1
        alive = self.leaving(number)
        for later in range(self.blocks[number][-1], node, -1):
            alive.difference_update(self.defs[later])
            alive.update(self.uses[later])
        return alive

    def before(self, node: int) -> set[int]:
        """Give the values alive before a node with which a block starts."""
        return set(self._into[bisect_right(self._starts, node) - 1])

    def enters(self, value: int, node: int) -> bool:
        """Tell whether a value is alive before a node with which a block starts."""
        return value in self._into[bisect_right(self._starts, node) - 1]

    def is_alive_before(self, value: int, node: int) -> bool:
        """Tell whether a value is alive before a node."""
        return self.enters(value, node) if self._starts[bisect_right(self._starts, node) - 1] == node else self.is_alive(value, node - 1)

    def is_alive(self, value: int, node: int) -> bool:
        """Tell whether a value is alive behind a node; quick, however long its block is."""
        if self._places is None:
            self._places = _places(self.uses), _places(self.defs)
        number = bisect_right(self._starts, node) - 1
        end = self.blocks[number][-1]
        read, written = (_next(places.get(value, ()), node) for places in self._places)
        if read <= min(written, end):
            return True
        return written > end and any(value in self._into[target] for target in self._ahead[number])


def _places(values: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Give the nodes that have each value, in order."""
    found: dict[int, list[int]] = {}
    for node, mine in enumerate(values):
        for value in mine:
            found.setdefault(value, []).append(node)
    return found


def _next(places: Sequence[int], node: int) -> float:
    """Give the first of some places behind a node."""
    at = bisect_right(places, node)
    return places[at] if at < len(places) else math.inf


def read_and_written(instruction: Instruction) -> tuple[list[str], list[str]]:
    """Give the names of the registers that an instruction reads and writes, without the instruction table.

    The first operand is the destination, unless it is an address or the opcode has none (``bar``, ``nanosleep``, …).
    """
    reads: list[str] = []
    writes: list[str] = []
    if instruction.guard is not None:
        reads.append(instruction.guard.name)
    for position, operand in enumerate(instruction.operands):
        if isinstance(operand, CallTarget):
            writes.extend(operand.returns)
            reads.extend(
                name
                for argument in (operand.callee, *operand.arguments)
                if not isinstance(argument, str)
                for name in _registers(argument)
            )
            continue
        destination = position == 0 and not isinstance(operand, Address) and _writes_first(instruction)
        names = list(_registers(operand))
        if destination:
            writes += names
        if not destination or instruction.opcode in _READ_AND_WRITTEN:
            reads += names
    return reads, writes


def register_demand(function: Function) -> int:
    """Estimate the 32-bit registers per thread that an assembler would allocate: the most that are alive at once.

    A 64-bit value counts two, a 128-bit one four, predicates none, everything else (16-bit values too) one; one more
    for the stack pointer.

    Notes
    -----
    An assembler does better by recomputing cheap values (parameters, special registers) and folding addresses, and
    worse by moving loads up to hide their latency, by aligning vectors and by expanding divisions; it also rounds up
    to its allocation unit. So this is an order of magnitude for code that no assembler has seen.
    """
    body = function.body
    if not body:
        return 0
    numbers = {name: index for index, name in enumerate(function.registers)}
    widths = [_width(type) for type in function.registers.values()]
    uses, defs, written_by = [], [], []
    for instruction in body:
        reads, writes = read_and_written(instruction)
        written = _numbered(writes, numbers)
        uses.append(_numbered(reads, numbers))
        defs.append(written if instruction.guard is None else ())
        written_by.append(written)
    most = max(Lives(successors(function), uses, defs).sums(widths, written_by))  # a result that nobody reads takes a register too
    return most + _STACK_POINTER


# -------------------------------------------------------------------------------------------------------------- helpers
def _writes_first(instruction: Instruction) -> bool:
    # bar.red is the one barrier with a result.
    return instruction.opcode not in _NO_DESTINATION or "red" in instruction.modifiers


def _registers(operand: Operand | None) -> Iterator[str]:
    if isinstance(operand, (Register, Predicate)):
        yield operand.name
    elif isinstance(operand, Address):
        if isinstance(operand.base, Register):
            yield operand.base.name
    elif isinstance(operand, Vector):
        for element in operand.elements:
            yield from _registers(element)
    elif isinstance(operand, PredicatePair):
        yield from _registers(operand.first)
        yield from _registers(operand.second)


def _numbered(names: list[str], numbers: dict[str, int]) -> tuple[int, ...]:
    return tuple(numbers[name] for name in names if name in numbers)  # a .param variable of a call is no register


def _width(type: str) -> int:
    if type == "pred":
        return 0
    bits = int("".join(c for c in type.partition("x")[0] if c.isdigit()))
    return 4 if bits == 128 else 2 if bits == 64 else 1
