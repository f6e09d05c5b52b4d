"""Where things stand in the text of a function: the loops around an op, the block that holds it, and what is put before it."""
from __future__ import annotations

import heapq

from archdef.lower.encoding import Kind
from archdef.lower.virtual import Code, Op, successors
from archdef.ptx.graph import chains, dominator_tree

_BOUNDARIES = (Kind.LABEL, Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL)


class Insertions:
    """Ops to be put before others, all at once, so that many take no longer than few."""

    def __init__(self):
        self._before: dict[int, list[Op]] = {}

    def put(self, before: Op, *made: Op) -> None:
        """Put ops right before another, behind what has been put there."""
        self._before.setdefault(id(before), []).extend(made)

    def apply(self, code: Code) -> None:
        """Write the code anew."""
        if self._before:
            code.ops = [one for op in code.ops for one in (*self._before.get(id(op), ()), op)]
            self._before = {}


def outermost(ops: list[Op]) -> dict[int, Op]:
    """Give, by identity, for each op within loops, by the order of the text, the first op of all loops around it."""
    labels = {op.fn: k for k, op in enumerate(ops) if op.kind == Kind.LABEL}
    until = list(range(len(ops)))           # per label, the last branch back to it
    for k, op in enumerate(ops):
        if op.kind == Kind.BRANCH and labels[op.target] < k:
            until[labels[op.target]] = k
    found: dict[int, Op] = {}
    start, end = 0, -1
    for k, op in enumerate(ops):
        if k > end:
            start, end = k, until[k]
        end = max(end, until[k])
        if end > start:
            found[id(op)] = ops[start]
    return found


def innermost(ops: list[Op], found: list[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """Give, per place within loops, the one that starts last and, of those, ends last; its end is not within."""
    begin: dict[int, list[int]] = {}
    for start, end in found:
        begin.setdefault(start, []).append(end)
    result: dict[int, tuple[int, int]] = {}
    active: list[tuple[int, int]] = []
    for k in range(len(ops)):
        for end in begin.get(k, ()):
            heapq.heappush(active, (-k, -end))
        while active and -active[0][1] <= k:
            heapq.heappop(active)
        if active:
            result[k] = -active[0][0], -active[0][1]
    return result


def earliest_ends(ops: list[Op], found: list[tuple[int, int]]) -> dict[int, int]:
    """Give, per place between the first op of some loop and its last, the least end of those loops."""
    begin: dict[int, list[int]] = {}
    for start, end in found:
        begin.setdefault(start + 1, []).append(end)
    result: dict[int, int] = {}
    active: list[int] = []
    for k in range(len(ops)):
        for end in begin.get(k, ()):
            heapq.heappush(active, end)
        while active and active[0] <= k:
            heapq.heappop(active)
        if active:
            result[k] = active[0]
    return result


def blocks_begun(ops: list[Op], *more: int) -> dict[int, int]:
    """Give, by identity, the label, branch or call before each op (or what else of `more` kinds), by identity; 0 before the first."""
    kinds, before, found = (*_BOUNDARIES, *more), 0, {}
    for op in ops:
        found[id(op)] = before
        if op.kind in kinds:
            before = id(op)
    return found


class Passed:
    """Which places control cannot get to without having passed one of those that are marked, in the order of the text."""

    def __init__(self, ops: list[Op]):
        graph = successors(ops)
        self._blocks = chains(graph)
        self._number = [number for number, block in enumerate(self._blocks) for _ in block]
        firsts = {block[0]: number for number, block in enumerate(self._blocks)}
        parents = dominator_tree([[firsts[t] for t in graph[block[-1]]] for block in self._blocks])
        self._below: list[list[int]] = [[] for _ in self._blocks]
        self._unreachable = {number for number, parent in enumerate(parents) if parent < 0}
        for number, parent in enumerate(parents):
            if number and parent >= 0:
                self._below[parent].append(number)

    def none(self) -> Marks:
        """Begin with no mark."""
        return Marks(self)


class Marks:
    """Marks at places, set in the order of the text."""

    def __init__(self, passed: Passed):
        self._of, self._covered, self._any = passed, set(), False

    def __contains__(self, place: int) -> bool:
        number = self._of._number[place]
        return number in self._covered or self._any and number in self._of._unreachable

    def add(self, place: int) -> None:
        """Mark a place: what follows in its block, and all blocks that control gets to through it alone, have been passed to."""
        self._any = True
        waiting = [self._of._number[place]]
        while waiting:
            number = waiting.pop()
            if number not in self._covered:
                self._covered.add(number)
                waiting += self._of._below[number]
