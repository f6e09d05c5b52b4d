"""Pass: ask early whether a loop goes on. Where its trip is code of several blocks, an assembler counts and compares in the first of them."""
from __future__ import annotations

from collections.abc import Sequence, Set

from archdef.lower.encoding import Kind
from archdef.lower.graph import Block, Graph, Loop
from archdef.lower.places import holding_loops
from archdef.lower.virtual import PURE, Code, Op, lives
from archdef.ptx.liveness import Lives


def hoist_compares(code: Code) -> None:
    """Move what decides whether a loop goes on from the last of its blocks to the end of the first, where nothing in between has a part in it.

    Only where every trip goes through both blocks, the first one and the one before the branch back: no other branch goes to the first one from
    within, none from outside into the loop. What is moved is read by nobody in between, nor behind a branch that leaves the loop there.

    Notes
    -----
    So it is in machine code by ptxas 13.0 for compute capability 9.0, in nine of eleven loops of 170 kernels with branches, but no loop and no barrier within;
    of 18 with loops or barriers it is so in five.
    """
    graph = code.graph
    if any(block.ops and block.ops[-1].kind == Kind.BRANCH_INDEXED for block in graph.blocks):      # nobody sees where it goes
        return
    back_to: dict[int, list[Loop]] = {}
    for loop in graph.loops:
        back_to.setdefault(loop.first, []).append(loop)
    holding = holding_loops(graph.loops)
    found: Lives | None = None                  # stays what it is outside of a loop that changes
    starts: list[int] = []
    for loop, *others in back_to.values():
        if others or loop in holding or loop.first == loop.last or graph.blocks[loop.last].ops[-1].guard is None or not _whole(graph, loop):
            continue
        if found is None:
            found, starts = lives(code), code.starts()
        blocks = graph.blocks[loop.first:loop.last + 1]
        outside = {graph.numbers[block.branch.target] for block in blocks if block.branch is not None} - set(range(loop.first, loop.last + 1))
        _ahead(code, blocks, {v for n in outside for v in found.before(starts[n])})


def _ahead(code: Code, blocks: Sequence[Block], outside: Set[int]) -> None:
    """Move what decides about the branch back from the last block of a loop to the end of the first one, if that can be.

    outside : registers that are read where branches lead out of the loop.
    """
    first, last = blocks[0], blocks[-1]
    at = len(first.ops) - (first.branch is not None)
    between = [*first.ops[at:], *(op for block in blocks[1:] for op in block.ops)][:-1]
    moved = _deciding(between[:len(between) - len(last.ops) + 1], last)
    written = {v for op in moved for v in op.writes()}
    if not moved or written & {0, 1} or not written.isdisjoint(code.foreign) or not written.isdisjoint(code.results):
        return
    # what is moved is read before its old place by nobody, and written by nobody
    taken = {v for op in between if op not in moved for v in op.writes()}
    read: set[int] = set()
    for op in between:
        if op not in moved:
            read.update(op.reads())
        elif not read.isdisjoint(op.writes()) or not taken.isdisjoint(op.writes()):
            return
    if written & outside:
        return
    first.ops = [*first.ops[:at], *(op for op in last.ops if op in moved), *first.ops[at:]]
    last.ops = [op for op in last.ops if op not in moved]


def _whole(graph: Graph, loop: Loop) -> bool:
    """Tell whether a loop that holds no other is entered at its first operation only, holds no barrier, and nothing in it goes where one does not see."""
    for n in range(loop.first, loop.last + 1):
        block = graph.blocks[n]
        if any(op.kind in (Kind.CALL, Kind.CALL_INDIRECT, Kind.BARRIER) for op in block.ops):
            return False
        if n < loop.last and block.branch is not None and not block.branch.absorbed and block.branch.target is graph.blocks[loop.first]:
            return False
        if n > loop.first and any(not loop.holds(origin) and _branches_to(graph.blocks[origin], block) for origin in graph.predecessors[n]):
            return False
    return True


def _branches_to(origin: Block, target: Block) -> bool:
    return origin.branch is not None and not origin.branch.absorbed and origin.branch.target is target


def _deciding(before: Sequence[Op], last: Block) -> set[Op]:
    """Give, of the last block, what decides about the branch at its end; nothing if that depends on what comes before it from the end of the first on."""
    guard = last.ops[-1].guard
    wanted, found = {guard if guard >= 0 else ~guard}, set()
    for op in reversed(last.ops[:-1]):
        if wanted.isdisjoint(op.writes()):
            continue
        if op.kind not in PURE or op.kind == Kind.CARRY or op.guard is not None:
            return set()
        found.add(op)
        wanted.difference_update(op.writes())
        wanted.update(op.reads())
    return set() if any(not wanted.isdisjoint(op.writes()) for op in before) else found
