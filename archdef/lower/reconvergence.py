"""Where lanes that diverge at a branch reconverge."""
from __future__ import annotations

from collections.abc import Mapping

from archdef.lower.encoding import BarrierOp, BranchOp, Kind
from archdef.lower.graph import BRANCHES, Block, Graph
from archdef.lower.virtual import Code, Op
from archdef.ptx.graph import Successors, chains, leading_to, post_dominator_tree, post_dominators, round_at

END = -1
"""No meeting point of their own: lanes go on to where the code around the branch meets, if it does."""

MOST_ENDS = 64
"""Ends that are told apart, the last ones, so that the time grows with the program alone; who leads to none of them meets where the code around does."""


_WARP, _BLOCK = 1, 2
"""Whom an op waits for: lanes of its warp, threads of its block."""
_EXCHANGES = frozenset((Kind.VOTE, Kind.SHUFFLE, Kind.MATCH, Kind.REDUX, Kind.MATRIX, Kind.MATRIX_LOAD, Kind.MATRIX_STORE, Kind.GROUP_PRODUCT,
                        Kind.GROUP, Kind.REGISTERS))


def waits_within(codes: list[Code]) -> dict[str, int]:
    """Give, per function, whom it waits for, or a function that it calls."""
    found = {code.function.name: 0 for code in codes}
    while True:
        before = dict(found)
        for code in codes:
            found[code.function.name] = max((_waits_for(op, before) for op in code.ops), default=0)
        if found == before:
            return found


def _waits_for(op: Op, functions: Mapping[str, int]) -> int:
    if op.kind == Kind.BARRIER:
        return _WARP if op.fn == BarrierOp.WARP else _BLOCK
    if op.kind == Kind.CALL:
        return functions.get(op.target, 0)
    if op.kind == Kind.CALL_INDIRECT:
        return max(functions.values(), default=0)
    return _WARP if op.kind in _EXCHANGES else 0


def reconvergence_points(graph: Graph, functions: Mapping[str, int] | None = None) -> list[int]:
    """Give, per block, the number of the block at whose start lanes reconverge that part at its end, `END`: nowhere.

    functions : whom functions that are called wait for, see `waits_within`.

    Notes
    -----
    It is the immediate post-dominator, of the ways that lead to the end that most of the code leads to: lanes that end elsewhere need not be
    waited for, and those who go on still meet. Code that never leads there is taken by itself, in the same manner. Nobody waits for others in
    order to end with them, so an end is no meeting point.

    Where several ways lead to a barrier of the block, all who go there come together before: only those ways count then. Lanes that can come to
    none any more, wherever compilers have merged the code with which they end, are as good as ended. The same holds of exchanges within a warp.
    """
    ahead, blocks = graph.successors, graph.blocks
    found = [END if _ends(graph, n) else n for n in post_dominators(ahead)]
    parting = [n for n, block in enumerate(blocks) if len(ahead[n]) > 1 and block.ops[-1].kind in BRANCHES]
    if any(found[n] < 0 for n in parting):
        inner = _within_levels(ahead, [_ends(graph, n) for n in range(len(blocks))])
        for n in parting:
            if found[n] < 0:
                found[n] = inner[n]
    waits = [{_waits_for(op, functions or {}) for op in block.ops} for block in blocks] if parting else []
    for least in (_WARP, _BLOCK):       # what holds for the block comes last, and counts
        if any(least in wait for wait in waits):
            for n, meeting in _before_waiting(ahead, [n for n, wait in enumerate(waits) if max(wait, default=0) >= least], parting).items():
                found[n] = meeting
    return found


def _before_waiting(graph: Successors, goals: list[int], parting: list[int]) -> dict[int, int]:
    """Give where lanes that part meet before they come to one of some ops.

    If several ways lead there, it is the post-dominator among those ways. If only one does, and others wait for the lanes on it before they come
    to the op, the lanes do not part at all in this respect: they must not be made to wait for those that do not come any more.
    """
    leads = leading_to(graph, goals)
    open_ways = {k: sum(leads[t] for t in graph[k]) for k in parting if leads[k]}
    if max(open_ways.values(), default=0) < 2:
        return {}
    kept = [k for k, there in enumerate(leads) if there]
    number = {k: n for n, k in enumerate(kept)}
    ways = [[number[t] for t in graph[k] if leads[t]] for k in kept]
    tree = post_dominator_tree(ways)
    awaited = _awaited(ways, tree)
    meetings = {k: tree[number[k]] for k, count in open_ways.items() if count > 1}
    found = {k: kept[at if at >= 0 else round_at(at)] for k, at in meetings.items() if at != END}
    return found | {k: END for k, count in open_ways.items() if count == 1 and awaited[number[k]]}


def _awaited(graph: Successors, tree: list[int]) -> list[bool]:
    """Tell, per node, whether it lies on a way from a branch to where that branch's ways meet: it depends on a branch which way is taken.

    Those are the nodes from a branch's targets up to its post-dominator, in the tree of post-dominators (Cytron and others 1991, section 6).
    """
    depth = _depths(tree)
    above = list(range(len(graph)))         # the nearest node upwards that is not marked; below 0: there is none

    def up(node: int) -> int:
        path = []
        while node >= 0 and above[node] != node:
            path.append(node)
            node = above[node]
        for n in path:
            above[n] = node
        return node

    marked = [False] * len(graph)
    for node, targets in enumerate(graph):
        if len(targets) < 2:
            continue
        end = depth[tree[node]] if tree[node] >= 0 else 0
        for target in targets:
            at = up(target)
            while at >= 0 and depth[at] > end:
                marked[at] = True
                above[at] = tree[at]
                at = up(at)
    return marked


def _depths(parents: list[int]) -> list[int]:
    """Give how deep each node lies in a tree, children of a root (below 0) at 1."""
    depth = [0] * len(parents)
    for node in range(len(parents)):
        path = []
        while node >= 0 and not depth[node]:
            path.append(node)
            node = parents[node]
        below = depth[node] if node >= 0 else 0
        for n in reversed(path):
            below += 1
            depth[n] = below
    return depth


def _ends(graph: Graph, number: int) -> bool:
    """Tell whether all that is left of the way is the end of the thread, or a function's return."""
    number = graph.behind(number) if number >= 0 else len(graph.blocks)
    first = graph.blocks[number].ops[0] if number < len(graph.blocks) else None
    return first is not None and first.kind in (Kind.EXIT, Kind.RETURN) and first.guard is None


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


def behind_join(block: Block) -> Block:
    """Give where lanes meet that are to meet at a join: behind it, so that each group of them executes it."""
    op = block.ops[0] if block.ops and block.name is None else None
    return op.target if op is not None and op.kind == Kind.BRANCH and op.fn == BranchOp.JOIN and op.guard is None else block
