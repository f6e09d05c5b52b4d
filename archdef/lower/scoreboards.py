"""Which loads a warp waits for together: it has few scoreboards, and an assembler deals them out."""
from __future__ import annotations

from collections.abc import Iterator

from archdef.lower.encoding import Flag, Kind
from archdef.lower.graph import PARTS, Graph
from archdef.lower.virtual import Op

_MOST = 16
"""Results, besides those that it reads, that an operation is made to wait for at most."""
_LATE = frozenset((Kind.LOAD, Kind.ATOM, Kind.SHUFFLE, Kind.TEXTURE, Kind.MATRIX_LOAD))


def shared_waits(graph: Graph, scoreboards: int) -> dict[int, list[int]]:
    """Give, by the place of an operation, the registers for which it waits though it does not touch them, as they share a scoreboard with one that
    it does.

    Straight code by itself: a result goes to the scoreboard of another that the same operation waits for first, else to a free one, else to that of
    the result which is wanted at the time nearest to its own.

    Calls of routines, among them those for special operands, wait for all results that are under way.

    Notes
    -----
    With four scoreboards, that gives 82 % of the sets of results that code by ptxas 13.0 for compute capability 9.0 waits for, in 154 straight pieces with
    five or more loads (with three 61 %, with five 62 %): two of the six go to operands that are read late.
    """
    found: dict[int, list[int]] = {}
    ops = graph.ops
    for start, end in _pieces(graph) if scoreboards else ():
        if sum(_late(op) for op in ops[start:end]) > scoreboards:
            _piece(ops, start, end, scoreboards, found)
    if scoreboards and any(map(_calls, ops)):
        _before_calls(ops, found)
    return found


def _pieces(graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield where each piece of straight code begins, and where it ends: behind a branch or call, or where a block begins."""
    start = at = 0
    for block in graph.blocks:
        for op in block.ops:
            at += 1
            if op.kind in PARTS:
                yield start, at
                start = at
        if block.ops and start < at:
            yield start, at
            start = at


def _calls(op: Op) -> bool:
    """Tell whether an operation begins with a call of a routine."""
    return op.slow or op.kind in (Kind.CALL, Kind.CALL_INDIRECT)


def _before_calls(ops: list[Op], found: dict[int, list[int]]) -> None:
    """Let calls wait for all results that are under way, by the order of the text: the routine has the scoreboards for itself."""
    under_way: dict[int, None] = {}
    for k, op in enumerate(ops):
        if _calls(op) and under_way:
            found[k] = [*dict.fromkeys([*found.get(k, []), *under_way])][-_MOST:]
            under_way.clear()
        for v in _touched(op):
            under_way.pop(v, None)
        if _late(op):
            under_way[next(op.writes())] = None


def _late(op: Op) -> bool:
    return op.kind in _LATE and not op.flags & Flag.UNIFORM and any(v is not None for v in op.d)


def _touched(op: Op) -> list[int]:
    return [*op.reads(), *op.writes()]


def _piece(ops: list[Op], start: int, end: int, scoreboards: int, found: dict[int, list[int]]) -> None:
    """Deal out the scoreboards in one straight piece."""
    first: dict[int, int] = {}              # result, by the place of what makes it → operation that waits for it first
    maker: dict[int, int] = {}              # register → place of the result that it holds
    for k in range(start, end):
        for v in _touched(ops[k]):
            if v in maker:
                first.setdefault(maker.pop(v), k)
        if _late(ops[k]):
            maker.update(dict.fromkeys(ops[k].writes(), k))
    under_way: list[list[int]] = [[] for _ in range(scoreboards)]
    for k in range(start, end):
        touched = set(_touched(ops[k]))
        waited = {s for s, results in enumerate(under_way) if any(not touched.isdisjoint(ops[n].writes()) for n in results)}
        others = [n for s in waited for n in under_way[s] if touched.isdisjoint(ops[n].writes())]
        if others:
            found[k] = [max(ops[n].writes()) for n in others[-_MOST:]]
        for s in waited:
            under_way[s] = []
        if _late(ops[k]):
            wanted = first.get(k, end)
            place = next((s for s, results in enumerate(under_way) if results and first.get(results[-1], end) == wanted and k in first), None)
            if place is None:
                place = next((s for s, results in enumerate(under_way) if not results), None)
            if place is None:
                place = min(range(scoreboards), key=lambda s: min(abs(first.get(n, end) - wanted) for n in under_way[s]))
            under_way[place].append(k)
