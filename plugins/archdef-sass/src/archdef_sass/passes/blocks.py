"""Passes: where blocks of code stand, and which branches are asked together."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

import attrs

from archdef.lower.encoding import Kind
from archdef.lower.graph import Block, leads_around
from archdef.lower.passes.branches import issues
from archdef.lower.virtual import ABSORBED, PURE, TRUE, Code, Const, Op, Unit, lives, slow_paths
from archdef.ptx.liveness import Lives

_EITHER = 0xFC
"""Truth table of `or`, see `archdef.lower.select.arithmetic.TRUTH`."""


def else_first(code: Code) -> None:
    """Turn ``@p bra A; bra B; A: …; bra M; B: …; M:`` into ``@p bra A; B: …; bra M; A: …; M:``."""
    graph = code.graph
    blocks: list[Block | None] = list(graph.blocks)     # None: what is gone, all before the place that is looked at
    numbers = dict(graph.numbers)
    for n in range(len(blocks) - 2):
        jump = leads_around(blocks, n) if blocks[n] is not None and blocks[n + 1] is not None else None
        if jump is None:
            continue
        other = numbers[jump.target]
        last = blocks[other - 1].branch if other >= n + 3 else None
        if last is None or last.guard is not None or numbers[last.target] <= other:
            continue
        end = numbers[last.target]
        final = blocks[end - 1].last
        back = [] if final is not None and _leaves(final) else [Block(ops=[attrs.evolve(jump, target=last.target, statement=(
            final.statement if final is not None else 0))])]
        blocks[other - 1].ops = blocks[other - 1].ops[:-1]
        moved = [block for block in (*blocks[other:end], *back, *blocks[n + 2:other]) if block.ops or block.name is not None]
        room = end - n - 1 - len(moved)
        blocks[n + 1:end] = [*[None] * room, *moved]
        numbers.update((block, at) for at, block in enumerate(blocks[n + 1:end], n + 1) if block is not None)
    graph.blocks = [block for block in blocks if block is not None]
    graph.join()


def _leaves(op: Op) -> bool:
    return op.kind in (Kind.BRANCH, Kind.EXIT, Kind.RETURN, Kind.TRAP) and op.guard is None


def copy_first(code: Code) -> None:
    """Turn ``@p bra A; copies; bra M; A: …; M:`` into ``copies; @!p bra M; A: …; M:``: copies alone are not worth a way of their own."""
    graph = code.graph
    found: Lives | None = None          # stays what it is at starts of blocks: where both ways meet, nobody can tell how control came
    starts: list[int] = []
    changes = False
    for n, block in enumerate(graph.blocks[:-2]):
        branch, behind = block.branch, graph.blocks[n + 1]
        jump, copies = behind.branch, behind.ops[:-1]
        if branch is None or branch.guard is None or behind.name is not None or jump is None or jump.guard is not None or not copies:
            continue
        if not all(op.kind == Kind.ALU and op.operation == "move" and op.guard is None and isinstance(op.s[0], Const) for op in copies):
            continue
        if not graph.leads_to(n + 2, branch.target):
            continue
        written = {v for copy in copies for v in copy.writes()}
        if found is None:
            found, starts = lives(code), code.starts()
        if any(found.enters(v, starts[n + 2]) for v in written) or written & set(branch.reads()):
            continue
        block.ops = [*block.ops[:-1], *copies, attrs.evolve(branch, guard=~branch.guard, target=jump.target)]
        behind.ops = []
        changes = True
    if changes:
        graph.join()


def _spaced(blocks: Iterable[Block]) -> tuple[list[Block | None], dict[Block, int]]:
    """Give a list in which one more fits behind each block (None: what is gone, or where one fits), and where each is."""
    spaced = [one for block in blocks for one in (block, None)]
    return spaced, {block: at for at, block in enumerate(spaced) if block is not None}


def begin_within(code: Code) -> None:
    """Turn ``bra X; B: …; X: … bra B`` into ``X: … B: …; bra X``: a loop that begins in its middle begins with that."""
    graph = code.graph
    blocks, numbers = _spaced(graph.blocks)
    jumps: dict[Block, list[Block]] = {}        # block → those that end in a branch there, whatever holds
    for block in graph.blocks:
        if block.branch is not None and block.branch.guard is None:
            jumps.setdefault(block.branch.target, []).append(block)
    n, changes = 0, False
    while n < len(blocks):
        here = blocks[n]
        n += 1
        while n < len(blocks) and blocks[n] is None:
            n += 1
        jump = here.branch if here is not None else None
        if jump is None or jump.guard is not None or n == len(blocks) or blocks[n].name is None:
            continue
        first, middle = blocks[n], numbers[jump.target]
        back = max((numbers[block] for block in jumps.get(first, ())), default=-1)
        if middle <= n or back < middle:
            continue
        start, last = numbers[here] + 1, blocks[back]
        moved = [block for block in blocks[n:middle] if block is not None]
        around = [] if moved[-1].ops and _leaves(moved[-1].ops[-1]) else [Block(ops=[attrs.evolve(jump, statement=last.ops[-1].statement)])]
        jumps[jump.target] = [block for block in jumps[jump.target] if block is not here] + around
        jumps[first] = [block for block in jumps[first] if block is not last]
        here.ops, last.ops = here.ops[:-1], last.ops[:-1]
        if not here.ops and here.name is None:
            start -= 1
        placed = [block for block in (*blocks[middle:back + 1], *moved, *around) if block is not None and (block.ops or block.name is not None)]
        changes = True
        n = back + 1 - len(placed)
        if n < start:       # nothing is gone there, and one more does not fit
            blocks[start:back + 1] = placed
            blocks, numbers = _spaced(block for block in blocks if block is not None)
            n = numbers[placed[0]]
            continue
        blocks[start:back + 1] = [*[None] * (n - start), *placed]
        numbers.update((block, at) for at, block in enumerate(placed, n))
    if changes:
        graph.blocks = [block for block in blocks if block is not None]
        graph.join()


def join_tests(code: Code, unit: Unit, architecture, longest: int) -> None:
    """Turn ``@p bra A; a few operations; @q bra A`` into those operations and one branch, if nobody at A reads what they write."""
    operations, graph = architecture.isa.operations, code.graph
    around = sorted({loop.first for loop in graph.loops})
    found: Lives | None = None                  # stays what it is at starts of blocks
    starts: list[int] = []
    joined: Block | None = None                 # what the last ones have been made part of
    for n, behind in enumerate(graph.blocks):
        block, joined = joined, behind
        branch, other, between = block.branch if block is not None else None, behind.branch, behind.ops[:-1]
        if branch is None or branch.guard is None or branch.operation == ABSORBED or behind.name is not None or other is None or other.guard is None \
                or other.target is not branch.target or other.operation == ABSORBED:
            continue
        predicate = branch.guard if branch.guard >= 0 else ~branch.guard
        if any(op.kind not in PURE or op.guard is not None or predicate in op.d or slow_paths(op, operations) for op in between) \
                or sum(issues(op, architecture) for op in between) > longest:
            continue
        place = graph.numbers[branch.target]
        after = graph.behind(place)
        inner = bisect_right(around, n - 1)
        if graph.blocks[after].ops[0].kind in (Kind.EXIT, Kind.RETURN) or inner < len(around) and around[inner] < place:
            continue                            # a loop to skip is worth two branches
        if found is None:
            found, starts = lives(code), code.starts()
        if any(found.enters(v, starts[place]) for op in between for v in op.writes()):
            continue
        either = unit.new(0)
        test = Op(Kind.PRED, _EITHER, [either], [branch.guard, other.guard, TRUE], "predicate", statement=other.statement)
        block.ops = [*block.ops[:-1], *between, test, attrs.evolve(other, guard=either)]
        behind.ops, joined = [], block
    if found is not None:
        graph.join()
