"""Control flow: successors, basic blocks, reachability and post-dominators.

A graph is a list of successor lists over nodes ``0 … n-1``, so the same functions serve PTX instructions and lowered
operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from .ir import Function, Label

Successors = Sequence[Sequence[int]]

_LEAVES = frozenset(("ret", "exit", "trap", "brkpt"))


def successors(function: Function) -> list[tuple[int, ...]]:
    """Give, per instruction, where control can go next.

    Notes
    -----
    A guarded branch goes to its target and falls through (target first); ``ret``, ``exit``, ``trap``, ``brkpt`` and running off
    the end go nowhere. A *guarded* one of these only falls through: the lanes that leave need no reconvergence, so
    they add no edge. A call falls through.
    """
    body, labels = function.body, function.labels
    count, result = len(body), []
    for index, instruction in enumerate(body):
        following = (index + 1,) if index + 1 < count else ()
        opcode = instruction.opcode
        if opcode in {"bra", "brx"}:
            name = instruction.operands[-1].name if isinstance(instruction.operands[-1], Label) else ""
            targets = [labels[label] for label in ((name,) if opcode == "bra" else function.branch_targets[name])]
            ahead = tuple(dict.fromkeys(t for t in targets if t < count))
            if instruction.guard is not None:
                ahead += tuple(t for t in following if t not in ahead)
            result.append(ahead)
        elif opcode in _LEAVES and instruction.guard is None:
            result.append(())
        else:
            result.append(following)
    return result


def basic_blocks(function: Function) -> list[range]:
    """Cut a body into basic blocks, in program order."""
    return chains(successors(function))


def chains(graph: Successors) -> list[range]:
    """Cut nodes into maximal runs ``i, i+1, …`` that control enters only at the start and leaves only at the end."""
    if not graph:
        return []
    entered = _predecessor_counts(graph)
    entered[0] += 1
    blocks, start = [], 0
    for node in range(len(graph)):
        ahead = graph[node]
        if len(ahead) != 1 or ahead[0] != node + 1 or node + 1 == len(graph) or entered[node + 1] != 1:
            blocks.append(range(start, node + 1))
            start = node + 1
    return blocks


def reachable(graph: Successors, start: int = 0) -> list[bool]:
    """Tell, per node, whether control can get there from `start`."""
    return _reach(graph, [start] if graph else [])


def leading_to(graph: Successors, goals: list[int]) -> list[bool]:
    """Tell, per node, whether control can get from there to one of some nodes."""
    behind: list[list[int]] = [[] for _ in graph]
    for node, targets in enumerate(graph):
        for target in targets:
            behind[target].append(node)
    return _reach(behind, goals)


def post_dominators(graph: Successors) -> list[int]:
    """Give each node's immediate post-dominator: the first node that every path from it to the exit passes.

    -1 is the exit, where a node without successors leads. Diverged lanes reconverge at their branch's post-dominator.

    Notes
    -----
    Paths into an infinite loop never arrive and do not count: a branch with one side in such a loop reconverges on
    the other side. A set of nodes that cannot be left counts as a loop which all ways back to its first node could
    leave, before they come there: the lanes of a branch in ``while (true) { if … else … }`` meet before the next
    round, whatever the order of the code.

    Lengauer and Tarjan's algorithm with path compression, on basic blocks: O(n log n) whatever the graph.
    """
    return [parent if parent >= -1 else round_at(parent) for parent in post_dominator_tree(graph)]


def round_at(parent: int) -> int:
    """Give where the round begins that `post_dominator_tree` says is over."""
    return -2 - parent


def post_dominator_tree(graph: Successors) -> list[int]:
    """Give what `post_dominators` gives as a tree: where that is the beginning of a loop's next round, -2 less its node, which is a root then."""
    blocks = chains(graph)
    block_of = [0] * len(graph)
    for number, block in enumerate(blocks):
        for node in block:
            block_of[node] = number
    ahead, heads = _leading_out([[block_of[t] for t in graph[block[-1]]] for block in blocks])
    count = len(ahead)
    # Backwards from the exit, node `count`; ahead[] is the predecessor relation of that reversed graph.
    back: list[list[int]] = [[] for _ in range(count + 1)]
    for block, targets in enumerate(ahead):
        for target in targets:
            back[target].append(block)
    parents = _dominators(back, [*ahead, []], count)
    result = [node + 1 for node in range(len(graph))]
    for number, block in enumerate(blocks):
        parent = parents[number]
        result[block[-1]] = -1 if parent == count else -2 - blocks[heads[parent]][0] if parent in heads else blocks[parent][0]
    return result


def dominator_tree(graph: Successors) -> list[int]:
    """Give the immediate dominator of each node, from node 0, which is its own; -1 for what control never gets to."""
    reached = reachable(graph)
    kept = [node for node, there in enumerate(reached) if there]
    number = {node: k for k, node in enumerate(kept)}
    ahead = [[number[t] for t in graph[node]] for node in kept]
    behind: list[list[int]] = [[] for _ in kept]
    for node, targets in enumerate(ahead):
        for target in targets:
            behind[target].append(node)
    result = [-1] * len(graph)
    for node, parent in zip(kept, _dominators(ahead, behind, 0) if kept else (), strict=True):
        result[node] = kept[parent]
    return result


# -------------------------------------------------------------------------------------------------------------- helpers
def _predecessor_counts(graph: Successors) -> list[int]:
    entered = [0] * len(graph)
    for targets in graph:
        for target in targets:
            entered[target] += 1
    return entered


def _leading_out(graph: list[list[int]]) -> tuple[list[list[int]], dict[int, int]]:
    """Give the edges that count for post-dominance, and those to the exit, the node behind the last.

    A set that cannot be left gets one node more, on all ways to its first node, from which the exit can be reached; the nodes added so are given
    with the first node of their sets.
    """
    leaving = [node for node, targets in enumerate(graph) if not targets]
    leads_out = leading_to(graph, leaving)
    ahead = [
        [t for t in targets if leads_out[t]] if leads_out[node] else list(targets) for node, targets in enumerate(graph)
    ]
    heads: dict[int, int] = {}
    for members in [] if all(leads_out) else _closed(graph, leads_out):
        head, latch = members[0], len(ahead)
        for node in members:
            ahead[node] = [latch if target == head else target for target in ahead[node]]
        ahead.append([head])
        heads[latch] = head
    for node in (*leaving, *heads):
        ahead[node].append(len(ahead))
    return ahead, heads


def _closed(graph: list[list[int]], leads_out: list[bool]) -> list[list[int]]:
    """Give every strongly connected set that cannot be left; the node at which it is entered comes first."""
    sets = _components(graph, [node for node, out in enumerate(leads_out) if not out])
    set_of = {node: number for number, members in enumerate(sets) for node in members}
    entered = {0} | {t for node, targets in enumerate(graph) for t in targets if set_of.get(node, -1) != set_of.get(t, -1)}
    closed = [members for number, members in enumerate(sets) if all(set_of[t] == number for node in members for t in graph[node])]
    return [sorted(members, key=lambda node: (node not in entered, node)) for members in closed]


def _components(graph: list[list[int]], nodes: list[int]) -> list[list[int]]:
    """Tarjan's strongly connected components of the part of the graph that `nodes` reach, without recursion."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    stacked: set[int] = set()
    found = []
    for root in nodes:
        if root in order:
            continue
        path = [(root, iter(graph[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        stacked.add(root)
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    stacked.add(target)
                    path.append((target, iter(graph[target])))
                    break
                if target in stacked:
                    low[node] = min(low[node], order[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    members = _pop_until(stack, node)
                    stacked.difference_update(members)
                    found.append(members)
    return found


def _pop_until(stack: list[int], node: int) -> list[int]:
    members = [stack.pop()]
    while members[-1] != node:
        members.append(stack.pop())
    return members


def _reach(graph: Successors, starts: list[int]) -> list[bool]:
    found = [False] * len(graph)
    for start in starts:
        found[start] = True
    waiting = list(starts)
    while waiting:
        for target in graph[waiting.pop()]:
            if not found[target]:
                found[target] = True
                waiting.append(target)
    return found


def _dominators(ahead: list[list[int]], behind: list[list[int]], root: int) -> list[int]:
    """Immediate dominators from `root` (Lengauer and Tarjan 1979); every node must be reachable."""
    count = len(ahead)
    number = [-1] * count  # node -> depth-first number
    vertex: list[int] = []  # depth-first number -> node
    parent = [0] * count  # from here on everything is in depth-first numbers
    waiting = [(root, 0)]
    while waiting:
        node, origin = waiting.pop()
        if number[node] >= 0:
            continue
        number[node] = len(vertex)
        parent[len(vertex)] = origin
        vertex.append(node)
        waiting.extend((target, number[node]) for target in ahead[node] if number[target] < 0)
    semi = list(range(count))
    label = list(range(count))
    ancestor = [-1] * count
    dominator = [0] * count
    bucket: list[list[int]] = [[] for _ in range(count)]

    def evaluate(v: int) -> int:
        # The node of least semi-dominator on the path up to v's root; the path is compressed on the way.
        path = []
        while ancestor[v] >= 0 and ancestor[ancestor[v]] >= 0:
            path.append(v)
            v = ancestor[v]
        for u in reversed(path):
            above = ancestor[u]
            if semi[label[above]] < semi[label[u]]:
                label[u] = label[above]
            ancestor[u] = ancestor[above]
            v = u
        return label[v]

    for w in range(count - 1, 0, -1):
        for origin in behind[vertex[w]]:
            u = evaluate(number[origin])
            semi[w] = min(semi[w], semi[u])
        bucket[semi[w]].append(w)
        up = parent[w]
        ancestor[w] = up
        for v in bucket[up]:
            u = evaluate(v)
            dominator[v] = u if semi[u] < semi[v] else up
        bucket[up] = []
    for w in range(1, count):
        if dominator[w] != semi[w]:
            dominator[w] = dominator[dominator[w]]
    result = [0] * count
    for w in range(count):
        result[vertex[w]] = vertex[dominator[w]]
    return result
