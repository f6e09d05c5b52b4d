"""Where lanes that part at a branch meet again."""
from __future__ import annotations

from archdef.lower.encoding import Kind
from archdef.lower.virtual import Op, successors
from archdef.ptx.graph import Successors, chains, dominator_tree, post_dominators

END = -1
"""No meeting point of their own: lanes go on to where the code around the branch meets, if it does."""


def meeting_points(ops: list[Op]) -> list[int]:
    """Give, per op, where lanes that part there meet again, `END`: nowhere.

    Notes
    -----
    It is the immediate post-dominator. Where lanes may end on the way there is none, and those who go on still meet: at the last node that the
    branch dominates and that several ways lead to. Nobody waits for others in order to end with them, so an end is no meeting point.
    """
    graph = successors(ops)
    found = [END if _ends(ops, k) else k for k in post_dominators(graph)]
    parting = [k for k, op in enumerate(ops) if op.kind in (Kind.BRANCH, Kind.BRANCH_INDEXED) and found[k] < 0 and len(graph[k]) > 1]
    merges = _merges(graph) if parting else {}
    for k in parting:
        if k in merges and not _ends(ops, merges[k]):
            found[k] = merges[k]
    return found


def _ends(ops: list[Op], at: int) -> bool:
    """Tell whether all that is left of the way is the end of the thread, or a function's return."""
    while 0 <= at < len(ops) and ops[at].kind == Kind.LABEL:
        at += 1
    return 0 <= at < len(ops) and ops[at].kind in (Kind.EXIT, Kind.RETURN) and ops[at].guard is None


def _merges(graph: Successors) -> dict[int, int]:
    """Give, for ends of basic blocks, the first node of the last block that they dominate immediately and that several ways lead to."""
    blocks = chains(graph)
    block_of = {block[0]: n for n, block in enumerate(blocks)}
    ahead = [[block_of[t] for t in graph[block[-1]]] for block in blocks]
    above = dominator_tree(ahead)
    below: list[list[int]] = [[] for _ in blocks]
    behind: list[list[int]] = [[] for _ in blocks]
    for n, parent in enumerate(above):
        if parent < 0:              # nothing leads there
            continue
        if parent != n:
            below[parent].append(n)
        for t in ahead[n]:
            behind[t].append(n)
    entered, left = _walk(below)
    order = _walk(ahead)[1]
    merges: dict[int, int] = {}
    for n, children in enumerate(below):
        # Ways from within what a block dominates turn back to it: it is the head of a loop.
        meeting = [c for c in children if sum(not entered[c] <= entered[p] <= left[c] for p in behind[c]) > 1]
        if meeting:
            merges[blocks[n][-1]] = blocks[min(meeting, key=order.__getitem__)][0]
    return merges


def _walk(graph: Successors) -> tuple[list[int], list[int]]:
    """Walk depth first from node 0; give, per node, when the walk enters it and when it leaves it, by one clock."""
    entered, left = [-1] * len(graph), [-1] * len(graph)
    clock, path = 0, [(0, iter(graph[0]))]
    entered[0] = 0
    while path:
        node, targets = path[-1]
        clock += 1
        for target in targets:
            if entered[target] < 0:
                entered[target] = clock
                path.append((target, iter(graph[target])))
                break
        else:
            left[node] = clock
            path.pop()
    return entered, left
