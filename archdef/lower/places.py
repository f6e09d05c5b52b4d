"""Where things stand in the text of a function: the loops around an op, the block that holds it, and what is put before it."""
from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import accumulate

from archdef.lower.encoding import Kind
from archdef.lower.graph import Block, Graph, Loop
from archdef.lower.virtual import Code, Op

_BOUNDARIES = (Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL)


class Insertions:
    """Ops to be put before others, or where control falls through to a block, all at once, so that many take no longer than few."""

    def __init__(self):
        self._before: dict[int, list[Op | Block]] = {}
        self._behind: dict[int, list[Op]] = {}
        self._between = False

    def put(self, before: Op | Block, *made: Op | Block) -> None:
        """Put ops right before another, or at the end of what stands before a block, behind what has been put there."""
        self._before.setdefault(id(before), []).extend(made)
        self._between = self._between or any(isinstance(one, Block) for one in (before, *made))

    def put_behind(self, behind: Op, made: Op) -> None:
        """Put an op right behind another, which is no branch."""
        self._behind.setdefault(id(behind), []).append(made)

    def apply(self, code: Code) -> None:
        """Write the code anew."""
        before, behind = self._before, self._behind
        if before or behind:
            if self._between:
                code.graph.write(self._text(code))
            else:
                code.replace(lambda op: (*before.get(id(op), ()), op, *behind.get(id(op), ())))
            self._before, self._behind, self._between = {}, {}, False

    def _text(self, code: Code) -> list[Op | Block]:
        text: list[Op | Block] = []
        for block in code.blocks:
            text += self._before.get(id(block), ())
            if block.name is not None:
                text.append(block)
            for op in block.ops:
                text += (*self._before.get(id(op), ()), op, *self._behind.get(id(op), ()))
        return text


def outermost(graph: Graph) -> dict[int, Block]:
    """Give, by identity, for each op within loops, by the order of the text, the first block of all loops around it."""
    numbers = graph.numbers
    until: dict[int, int] = {}              # block → that which ends in the last branch back to it
    for n, block in enumerate(graph.blocks):
        if block.branch is not None and numbers[block.branch.target] <= n:
            until[numbers[block.branch.target]] = n
    found: dict[int, Block] = {}
    start, end = 0, -1
    for n, block in enumerate(graph.blocks):
        if n > end:
            start = n
        end = max(end, until.get(n, -1))
        if end >= n:
            found.update(dict.fromkeys(map(id, block.ops), graph.blocks[start]))
    return found


def innermost(count: int, found: Sequence[Loop]) -> dict[int, Loop]:
    """Give, per block within loops, of `count`, the one that starts last and, of those, ends last."""
    begin: dict[int, list[int]] = {}
    for first, last in found:
        begin.setdefault(first, []).append(last)
    result: dict[int, Loop] = {}
    active: list[tuple[int, int]] = []
    for n in range(count):
        for last in begin.get(n, ()):
            heapq.heappush(active, (-n, -last))
        while active and -active[0][1] < n:
            heapq.heappop(active)
        if active:
            result[n] = Loop(-active[0][0], -active[0][1])
    return result


def earliest_ends(count: int, found: Sequence[Loop]) -> dict[int, int]:
    """Give, per block, of `count`, the least end of the loops in which what comes behind it stands, too."""
    begin: dict[int, list[int]] = {}
    for first, last in found:
        begin.setdefault(first, []).append(last)
    result: dict[int, int] = {}
    active: list[int] = []
    for n in range(count):
        for last in begin.get(n, ()):
            heapq.heappush(active, last)
        while active and active[0] <= n:
            heapq.heappop(active)
        if active:
            result[n] = active[0]
    return result


def within(count: int, found: Iterable[tuple[int, int]]) -> list[bool]:
    """Tell, per block, of `count`, whether it is one of a range, whose first block and the one behind the last are given."""
    change = [0] * (count + 1)
    for first, behind in found:
        change[first] += 1
        change[behind] -= 1
    return [depth > 0 for depth in accumulate(change[:-1])]


def holding_loops(found: Iterable[Loop]) -> set[Loop]:
    """Give the loops that hold one which ends before them."""
    holding, latest = set(), -1         # the latest start of those that end before
    for loop in sorted(found, key=lambda loop: loop.last):
        if latest >= loop.first:
            holding.add(loop)
        latest = max(latest, loop.first)
    return holding


def blocks_begun(graph: Graph, *more: int) -> dict[int, int]:
    """Give, by identity, the number of the piece of straight code in which each op stands, or the end of what stands before a block; calls end one, as
    do ops of `more` kinds."""
    kinds, piece, found = (*_BOUNDARIES, *more), 0, {}
    for block in graph.blocks:
        found[id(block)] = piece
        piece += block.name is not None
        for op in block.ops:
            found[id(op)] = piece
            piece += op.kind in kinds
    return found


class Passed:
    """Which blocks control cannot get to without having passed one of those that are marked, in the order of the text."""

    def __init__(self, graph: Graph):
        self._below: list[list[int]] = [[] for _ in graph.blocks]
        self._unreachable = {number for number, parent in enumerate(graph.dominators) if parent < 0}
        for number, parent in enumerate(graph.dominators):
            if number and parent >= 0:
                self._below[parent].append(number)

    def none(self) -> Marks:
        """Begin with no mark."""
        return Marks(self)


class Marks:
    """Marks at blocks, set in the order of the text."""

    def __init__(self, passed: Passed):
        self._of, self._covered, self._any = passed, set(), False

    def __contains__(self, number: int) -> bool:
        return number in self._covered or self._any and number in self._of._unreachable

    def add(self, number: int) -> None:
        """Mark a place in a block: what follows there, and all blocks that control gets to through it alone, have been passed to."""
        self._any = True
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if number not in self._covered:
                self._covered.add(number)
                waiting += self._of._below[number]
