"""The control-flow graph of a function: blocks of operations, in the order of the text, and the ways among them.

It is built once of what selection gives, changed by passes, and laid out once in the end, when branches get numbers for targets. A branch names the block
that it goes to; who comes to the end of a block without one goes on to the next block of the text. A block has a name, or nothing but the block before it
leads there.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from archdef.lower.encoding import Kind
from archdef.ptx.graph import dominator_tree, reachable

if TYPE_CHECKING:
    from archdef.lower.virtual import Op

BRANCHES = frozenset((Kind.BRANCH, Kind.BRANCH_INDEXED))
PARTS = BRANCHES | {Kind.CALL, Kind.CALL_INDIRECT}
"""Kinds at which control goes elsewhere: straight code ends, as it does where a block begins."""
ENDS = frozenset((Kind.EXIT, Kind.RETURN, Kind.TRAP))


@attrs.define(slots=True, eq=False, repr=False)
class Block:
    """Operations that are executed one after the other: control comes to the first of them alone, and goes elsewhere behind the last one alone."""

    name: str | None = None
    """Of what branches may go to; None: nothing but the block before leads here, and the two are one if that does not end in a branch."""
    ops: list[Op] = attrs.Factory(list)
    rounds: bool = False
    """A loop that was unrolled: each trip is a round of several."""
    behind_rounds: bool = False
    """What comes behind an unrolled loop."""

    @property
    def last(self) -> Op | None:
        """The last operation; None: there is none."""
        return self.ops[-1] if self.ops else None

    @property
    def branch(self) -> Op | None:
        """The branch to one place with which it ends, if it does."""
        return self.ops[-1] if self.ops and self.ops[-1].kind == Kind.BRANCH else None

    @property
    def falls_through(self) -> bool:
        """Whether control may go on to the next block of the text."""
        last = self.last
        return last is None or last.guard is not None or last.kind not in BRANCHES and last.kind not in ENDS

    @property
    def targets(self) -> tuple[Block, ...]:
        """The blocks to which its last operation may branch."""
        last = self.last
        if last is None or last.kind not in BRANCHES:
            return ()
        return (last.target,) if last.kind == Kind.BRANCH else tuple(dict.fromkeys(last.target))

    def straight(self) -> Iterator[tuple[bool, Op]]:
        """Yield its operations, with whether straight code is cut there: it begins, or control goes elsewhere."""
        cut = True
        for op in self.ops:
            yield cut or op.kind in PARTS, op
            cut = False

    def __repr__(self) -> str:
        return f"Block({self.name}, {len(self.ops)} ops)"


class Loop(NamedTuple):
    """A branch back, and what stands between the block that it goes to and the branch, by the order of the text."""

    first: int
    """Number of the block that it goes to."""
    last: int
    """Number of the block that it ends."""

    def holds(self, number: int) -> bool:
        """Tell whether a block stands within."""
        return self.first <= number <= self.last


def ends_block(op: Op) -> bool:
    """Tell whether control goes elsewhere behind an operation, or may."""
    return op.kind in BRANCHES or op.kind in ENDS and op.guard is None


class Graph:
    """Blocks in the order of the text. Who changes the ways among them does so by its methods, which forget what has been found out about them."""

    def __init__(self, blocks: Iterable[Block] = ()):
        self.blocks: list[Block] = list(blocks)
        self.version = 0
        """Grows with each change of the ways among blocks."""
        self._known: dict[str, Any] = {}

    @property
    def ops(self) -> list[Op]:
        """The operations of all blocks, in the order of the text, in a list of its own."""
        return [op for block in self.blocks for op in block.ops]

    # ------------------------------------------------------------------------------------------------------------- changes
    def write(self, text: Iterable[Op | Block]) -> None:
        """Write the text anew: operations, and before those to which branches may go a block that has a name, whose own operations are left out.

        What stands behind a branch begins a block without name.
        """
        blocks: list[Block] = []
        ops: list[Op] | None = None
        for one in text:
            if isinstance(one, Block):
                ops = []
                one.ops = ops
                blocks.append(one)
                continue
            if ops is None:
                ops = []
                blocks.append(Block(ops=ops))
            ops.append(one)
            if ends_block(one):
                ops = None
        self.blocks = blocks
        self.changed()

    def join(self) -> None:
        """Join blocks without a name to those before them that do not end in a branch any more."""
        blocks: list[Block] = []
        for block in self.blocks:
            if block.name is None and (not block.ops or blocks and not (blocks[-1].ops and ends_block(blocks[-1].ops[-1]))):
                if block.ops:
                    blocks[-1].ops += block.ops
            else:
                blocks.append(block)
        self.blocks = blocks
        self.changed()

    def changed(self) -> None:
        """Forget what has been found out about the ways among blocks."""
        self.version += 1
        self._known.clear()

    # ------------------------------------------------------------------------------------------------------------- questions
    def known(self, name: str, find: Callable[[Graph], Any]) -> Any:
        """Give what is found out about the ways among blocks; asked again, what was found before, until they change."""
        if name not in self._known:
            self._known[name] = find(self)
        return self._known[name]

    @property
    def numbers(self) -> Mapping[Block, int]:
        """Number of each block in the order of the text."""
        return self.known("numbers", lambda graph: {block: n for n, block in enumerate(graph.blocks)})

    @property
    def successors(self) -> Sequence[tuple[int, ...]]:
        """Numbers of the blocks to which control can go from each, the target of a branch first."""
        return self.known("successors", _successors)

    @property
    def predecessors(self) -> Sequence[Sequence[int]]:
        """Numbers of the blocks from which control can come to each."""
        return self.known("predecessors", _predecessors)

    @property
    def reached(self) -> Sequence[bool]:
        """Whether control can get to each block."""
        return self.known("reached", lambda graph: reachable(graph.successors))

    @property
    def dominators(self) -> Sequence[int]:
        """Number of the immediate dominator of each block, the first block's being its own; -1 for what control never gets to."""
        return self.known("dominators", lambda graph: dominator_tree(graph.successors))

    @property
    def loops(self) -> Sequence[Loop]:
        """The branches back that are there in the end, in the order of the text."""
        return self.known("loops", _loops)

    @property
    def references(self) -> Mapping[Block, int]:
        """How many times branches name each block; those that are never named are left out."""
        return self.known("references", _references)

    def behind(self, number: int) -> int:
        """Give the number of the block whose first operation comes first from the start of a block on; that of none, where nothing comes."""
        while number < len(self.blocks) and not self.blocks[number].ops:
            number += 1
        return number

    def leads_to(self, number: int, target: Block) -> bool:
        """Tell whether a block is among those that begin where a given one does."""
        return leads_to(self.blocks, number, target)


def leads_to(blocks: Sequence[Block], number: int, target: Block) -> bool:
    """Tell whether one of some blocks is among those that begin where a given one does."""
    while number < len(blocks) and blocks[number] is not target and not blocks[number].ops:
        number += 1
    return number < len(blocks) and blocks[number] is target


def leads_around(blocks: Sequence[Block], number: int) -> Op | None:
    """Give the branch around which, and nothing else, that at the end of one of some blocks leads, if it does."""
    branch, behind = blocks[number].branch, blocks[number + 1]
    if branch is None or branch.guard is None or behind.name is not None or len(behind.ops) != 1:
        return None
    jump = behind.branch
    return jump if jump is not None and jump.guard is None and leads_to(blocks, number + 2, branch.target) else None


def _successors(graph: Graph) -> list[tuple[int, ...]]:
    numbers, count, found = graph.numbers, len(graph.blocks), []
    for n, block in enumerate(graph.blocks):
        ahead = tuple(numbers[target] for target in block.targets)
        if n + 1 < count and block.falls_through and n + 1 not in ahead:
            ahead += (n + 1,)
        found.append(ahead)
    return found


def _predecessors(graph: Graph) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in graph.blocks]
    for n, targets in enumerate(graph.successors):
        for target in targets:
            found[target].append(n)
    return found


def _references(graph: Graph) -> dict[Block, int]:
    found: dict[Block, int] = {}
    for block in graph.blocks:
        last = block.last
        if last is not None and last.kind in BRANCHES:
            for target in (last.target,) if last.kind == Kind.BRANCH else last.target:
                found[target] = found.get(target, 0) + 1
    return found


def _loops(graph: Graph) -> list[Loop]:
    numbers, found = graph.numbers, []
    for n, block in enumerate(graph.blocks):
        branch = block.branch
        if branch is not None and not branch.absorbed and numbers[branch.target] <= n:
            found.append(Loop(numbers[branch.target], n))
    return found
