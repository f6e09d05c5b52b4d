"""Which registers are alive where, and how many a thread needs at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .graph import Successors, chains, successors
from .ir import Address, CallTarget, Function, Instruction, Operand, Predicate, PredicatePair, Register, Vector
from .scan import words

_NO_DESTINATION = words("bar barrier bra brx nanosleep setmaxnreg stackrestore pmevent call ret exit trap")
"""Opcodes whose first operand is read even though it is a plain register."""
_READ_AND_WRITTEN = frozenset(("wgmma",))
"""Opcodes that accumulate into their destination."""
_STACK_POINTER = 1
"""Registers that every thread holds besides its values."""


def live_sets(graph: Successors, uses: Sequence[int], defs: Sequence[int]) -> list[int]:
    """Give, per node, the set of values alive behind it, as a bit mask.

    Parameters
    ----------
    graph : sequence of sequence of int
        Successors of each node.
    uses, defs : sequence of int
        Bit masks, per node, of the values it reads and of those it overwrites *wholly*: a guarded instruction leaves
        the old value in some lanes, so what it writes does not belong in `defs`.
    """
    result = [0] * len(graph)
    for node, alive in walk_live(graph, uses, defs):
        result[node] = alive
    return result


def walk_live(graph: Successors, uses: Sequence[int], defs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield every node with its live-out set, each block from its end: `live_sets` without keeping the sets.

    Notes
    -----
    Solved on basic blocks with a work list; only their sets are kept, since a set can be as long as the kernel.
    """
    blocks = chains(graph)
    first = {block[0]: number for number, block in enumerate(blocks)}
    ahead = [[first[t] for t in graph[block[-1]]] for block in blocks]
    behind: list[list[int]] = [[] for _ in blocks]
    for number, targets in enumerate(ahead):
        for target in targets:
            behind[target].append(number)
    read, kept = [0] * len(blocks), [0] * len(blocks)
    for number, block in enumerate(blocks):
        needed, killed = 0, 0
        for node in reversed(block):
            needed = needed & ~defs[node] | uses[node]
            killed |= defs[node]
        read[number], kept[number] = needed, ~killed
    live_in, live_out = read[:], [0] * len(blocks)
    waiting, queued = list(range(len(blocks))), [True] * len(blocks)
    while waiting:
        number = waiting.pop()
        queued[number] = False
        out = 0
        for target in ahead[number]:
            out |= live_in[target]
        live_out[number] = out
        entering = read[number] | out & kept[number]
        if entering != live_in[number]:
            live_in[number] = entering
            for origin in behind[number]:
                if not queued[origin]:
                    queued[origin] = True
                    waiting.append(origin)
    for number, block in enumerate(blocks):
        alive = live_out[number]
        for node in reversed(block):
            yield node, alive
            alive = alive & ~defs[node] | uses[node]


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
    uses, defs, written_by = [], [], []
    for instruction in body:
        reads, writes = read_and_written(instruction)
        read = _mask(reads, numbers)
        written = _mask(writes, numbers)
        uses.append(read)
        defs.append(written if instruction.guard is None else 0)
        written_by.append(written)
    width_masks = [0, 0, 0, 0, 0]
    for name, index in numbers.items():
        width_masks[_width(function.registers[name])] |= 1 << index
    most = 0
    for node, live in walk_live(successors(function), uses, defs):
        alive = live | written_by[node]  # a result that nobody reads takes a register too
        most = max(most, sum(n * (alive & width_masks[n]).bit_count() for n in (1, 2, 4)))
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


def _mask(names: list[str], numbers: dict[str, int]) -> int:
    mask = 0
    for name in names:
        if name in numbers:  # a .param variable of a call is no register
            mask |= 1 << numbers[name]
    return mask


def _width(type: str) -> int:
    if type == "pred":
        return 0
    bits = int("".join(c for c in type.partition("x")[0] if c.isdigit()))
    return 4 if bits == 128 else 2 if bits == 64 else 1
