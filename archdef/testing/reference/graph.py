"""Where the ways of a branch reconverge: immediate post-dominators, by the textbook's fixed point over sets."""
from __future__ import annotations

from archdef.ptx import ir


def successors(function: ir.Function) -> list[set[int]]:
    """Give where each instruction can go on; ``len(body)`` is the end of the function.

    A guarded ``ret`` or ``exit`` goes on to the next instruction only: the threads that leave meet nobody.
    """
    body, end = function.body, len(function.body)
    result = []
    for index, i in enumerate(body):
        if i.opcode == "bra":
            ahead = {function.labels[i.operands[0].name]}
        elif i.opcode == "brx":
            ahead = {function.labels[name] for name in function.branch_targets[i.operands[1].name]}
        elif i.opcode in ("ret", "exit", "trap", "brkpt") and i.guard is None:
            ahead = {end}
        else:
            ahead = {index + 1}
        result.append(ahead | {index + 1} if i.guard is not None else ahead)
    return result


def reconvergence_points(function: ir.Function) -> list[int]:
    """Give, per instruction, the first instruction that every way from it to the end passes; ``len(body)`` is the end.

    Nobody waits for others in order to end with them: a ``ret`` or ``exit`` that all ways pass is the end, too.

    Sets are bit masks. After: Cooper and Torczon, Engineering a Compiler, section 9.2, on the reversed graph.
    """
    ahead, end = successors(function), len(function.body)
    everything = (1 << end + 1) - 1
    after = [everything] * end + [1 << end]  # after[n]: what every way from n passes, n among it
    changed = True
    while changed:
        changed = False
        for node in range(end - 1, -1, -1):
            common = everything
            for target in ahead[node]:
                common &= after[target]
            common |= 1 << node
            if common != after[node]:
                after[node], changed = common, True
    result = []
    for node in range(end):
        candidates = after[node] & ~(1 << node)
        # the nearest of them is the one from which all the others still lie ahead
        nearest = [m for m in range(end + 1) if candidates >> m & 1 and after[m] & everything == candidates]
        nearest += [end]
        ends = nearest[0] < end and function.body[nearest[0]].opcode in ("ret", "exit") and function.body[nearest[0]].guard is None
        result.append(end if ends else nearest[0])
    return result
