"""What passes ask about code: who defines a register, how often it is read, whether its one definition reaches every use."""
from __future__ import annotations

from collections.abc import Iterable

from archdef.lower.virtual import Code, Op, Unit, lives


def definitions(code: Code) -> dict[int, list[Op]]:
    """Give the ops that write each register."""
    found: dict[int, list[Op]] = {}
    for op in code.ops:
        for v in op.d:
            if v is not None:
                found.setdefault(v, []).append(op)
    return found


def use_counts(code: Code) -> dict[int, int]:
    """Count the reads of each register."""
    counts: dict[int, int] = {}
    for op in code.ops:
        for v in op.reads():
            counts[v] = counts.get(v, 0) + 1
    return counts


def single(code: Code, unit: Unit) -> dict[int, Op | None]:
    """Give the registers that have one value throughout: register → the op that defines it, None if it comes from outside.

    That is so if there is exactly one definition, without guard, and no use that can come before it. Such a value can be read
    anywhere behind its definition instead of a copy of it.
    """
    entry = lives(code).entering()      # read before anything writes them: parameters, special registers, undefined values
    found: dict[int, Op | None] = {}
    written = definitions(code)
    for v, ops in written.items():
        if len(ops) == 1 and ops[0].guard is None and v not in entry and v not in code.foreign:
            found[v] = ops[0]
    for v in (*code.inputs, *unit.specials, 0):
        if v not in written:
            found[v] = None
    return found


class Near:
    """Registers of a basic block that hold what was made of others, until one of these or they themselves are written again."""

    def __init__(self):
        self._made: dict[int, object] = {}
        self._of: dict[int, list[tuple[int, object]]] = {}

    def __contains__(self, v: int) -> bool:
        return v in self._made

    def get(self, v: int):
        """Give what was noted for a register, or None."""
        return self._made.get(v)

    def put(self, v: int, note: object, sources: Iterable[object]) -> None:
        """Note something for a register that was made of some operands."""
        self._made[v] = note
        for source in sources:
            if type(source) is int:
                self._of.setdefault(source, []).append((v, note))

    def drop(self, v: int) -> None:
        """Forget a register."""
        self._made.pop(v, None)

    def write(self, written: Iterable[int]) -> None:
        """Forget what was made of registers, or is in registers, that are written now."""
        for v in written:
            self._made.pop(v, None)
            for other, note in self._of.pop(v, ()):
                if self._made.get(other) is note:
                    del self._made[other]

    def clear(self) -> None:
        """Forget all: the block is at its end."""
        self._made.clear()
        self._of.clear()
