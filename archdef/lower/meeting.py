"""Where lanes that part at a branch meet again."""
from __future__ import annotations

from archdef.lower.encoding import Kind
from archdef.lower.virtual import Op, successors
from archdef.ptx.graph import Successors, chains, leading_to, post_dominators

END = -1
"""No meeting point of their own: lanes go on to where the code around the branch meets, if it does."""

MOST_ENDS = 64
"""Ends that are told apart, the last ones, so that the time grows with the program alone; who leads to none of them meets where the code around does."""


def meeting_points(ops: list[Op]) -> list[int]:
    """Give, per op, where lanes that part there meet again, `END`: nowhere.

    Notes
    -----
    It is the immediate post-dominator, of the ways that lead to the end that most of the code leads to: lanes that end elsewhere need not be
    waited for, and those who go on still meet. Code that never leads there is taken by itself, in the same manner. Nobody waits for others in
    order to end with them, so an end is no meeting point.
    """
    graph = successors(ops)
    found = [END if _ends(ops, k) else k for k in post_dominators(graph)]
    parting = [k for k, op in enumerate(ops) if op.kind in (Kind.BRANCH, Kind.BRANCH_INDEXED) and found[k] < 0 and len(graph[k]) > 1]
    if parting:
        inner = _within_levels(graph, [_ends(ops, k) for k in range(len(ops))])
        for k in parting:
            found[k] = inner[k]
    return found


def _ends(ops: list[Op], at: int) -> bool:
    """Tell whether all that is left of the way is the end of the thread, or a function's return."""
    while 0 <= at < len(ops) and ops[at].kind == Kind.LABEL:
        at += 1
    return 0 <= at < len(ops) and ops[at].kind in (Kind.EXIT, Kind.RETURN) and ops[at].guard is None


def _within_levels(graph: Successors, ending: list[bool]) -> list[int]:
    """Give the post-dominator of each node among the nodes that lead to the same end as it, the first that it can lead to; ends come in the order of
    how many blocks lead to them, most first. `END`: it has none. Each way to a node that is `ending` has an end of its own."""
    blocks = chains(graph)
    block_of = {block[0]: n for n, block in enumerate(blocks)}
    ahead = [[block_of[t] for t in graph[block[-1]]] for block in blocks]
    for n in range(len(blocks)):
        for place, target in enumerate(ahead[n]):
            if ending[blocks[target][0]]:
                ahead[n][place] = len(ahead)
                ahead.append([])
    result, left = [END] * len(graph), [True] * len(ahead)
    ends = [n for n, targets in enumerate(ahead) if not targets][-MOST_ENDS:]
    coming = {n: leading_to(ahead, [n]) for n in ends}
    for end in sorted(ends, key=lambda n: (-sum(coming[n]), -n)):
        level = [n for n, there in enumerate(coming[end]) if there and left[n]]
        number = {n: k for k, n in enumerate(level)}
        inside = [[number[t] for t in ahead[n] if t in number] for n in level]
        for n, meeting in zip(level, post_dominators(inside), strict=True):
            left[n] = False
            if meeting >= 0 and level[meeting] < len(blocks):
                result[blocks[n][-1]] = blocks[level[meeting]][0]
    return result
