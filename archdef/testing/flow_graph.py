"""Code as blocks and ways between them, and the shapes into which compilers bring it: what `kernel_flow` draws is written through this."""
from __future__ import annotations

from collections.abc import Callable

import attrs

MOST_GUARDED = 4
"""Instructions of a piece that becomes guarded code."""


@attrs.define(slots=True, eq=False)
class Block:
    """Straight code and where it leads."""

    label: str
    lines: list[str] = attrs.Factory(list)
    guardable: bool = True
    """Whether each of its lines may be given a guard."""
    way: str = "ret"
    """How it goes on: jump, branch (by a predicate: there, else here), index, or not at all: ret, exit."""
    targets: list[Block] = attrs.Factory(list)
    by: str = ""
    """The predicate or register that decides."""

    def jump(self, target: Block) -> None:
        """Go on there."""
        self.way, self.targets = "jump", [target]

    def branch(self, predicate: str, yes: Block, no: Block) -> None:
        """Go on at one of two."""
        self.way, self.targets, self.by = "branch", [yes, no], predicate

    def index(self, register: str, targets: list[Block]) -> None:
        """Go on at one of several."""
        self.way, self.targets, self.by = "index", targets, register


@attrs.frozen
class Shape:
    """What a compiler makes of the ways."""

    one_end: bool = False
    """All returns go to one, as NVRTC and nvcc have it."""
    threaded: bool = False
    """A jump to a jump goes to where that one leads."""
    guarded: bool = False
    """Short pieces under a condition become guarded instructions."""
    split: bool = False
    """Blocks are cut by jumps and no way is left out: code that is made to be debugged."""
    order: str = "source"
    """Of the blocks: source, ``late`` (what ends the thread comes last), ``any``."""


def shaped(blocks: list[Block], shape: Shape, integer: Callable[[int, int], int]) -> str:
    """Give the text of blocks, the first of which is where control comes in."""
    if shape.one_end:
        end = Block("END")
        for block in blocks:
            if block.way == "ret" and (block.lines or block is blocks[0]):
                block.jump(end)
            elif block.way == "ret":
                block.jump(end)
        blocks.append(end)
    if shape.split:
        _split(blocks, integer)
    if shape.guarded:
        _guard_pieces(blocks)
    if shape.threaded:
        for block in blocks:
            block.targets = [_behind(target) for target in block.targets]
    blocks = _reached(blocks)
    return _text(_ordered(blocks, shape.order, integer), shape, integer)


def _behind(block: Block) -> Block:
    seen = set()
    while not block.lines and block.way == "jump" and id(block) not in seen:
        seen.add(id(block))
        block = block.targets[0]
    return block


def _reached(blocks: list[Block]) -> list[Block]:
    found, waiting = {id(blocks[0])}, [blocks[0]]
    while waiting:
        for target in waiting.pop().targets:
            if id(target) not in found:
                found.add(id(target))
                waiting.append(target)
    return [block for block in blocks if id(block) in found]


def _split(blocks: list[Block], integer: Callable[[int, int], int]) -> None:
    """Cut some blocks in two, with a jump between."""
    for block in list(blocks):
        if len(block.lines) > 1 and integer(0, 1):
            at = integer(1, len(block.lines) - 1)
            rest = Block(block.label + "S", block.lines[at:], block.guardable, block.way, block.targets, block.by)
            del block.lines[at:]
            block.jump(rest)
            blocks.insert(blocks.index(block) + 1, rest)


def _guard_pieces(blocks: list[Block]) -> None:
    """Turn a branch around a short piece into guards on it, innermost first."""
    changed = True
    while changed:
        changed = False
        entered: dict[int, int] = {}
        for block in blocks:
            for target in block.targets:
                entered[id(target)] = entered.get(id(target), 0) + 1
        for block in blocks:
            if block.way != "branch":
                continue
            for piece, end, no in ((*block.targets, ""), (*block.targets[::-1], "!")):
                if (piece.way == "jump" and piece.targets[0] is end and entered[id(piece)] == 1 and piece.guardable
                        and 0 < len(piece.lines) <= MOST_GUARDED):
                    block.lines += [f"@{no}{block.by} {line}" for line in piece.lines]
                    block.guardable = False
                    block.jump(end)
                    changed = True
                    break


def _ordered(blocks: list[Block], order: str, integer: Callable[[int, int], int]) -> list[Block]:
    if order == "source":
        return blocks
    if order == "late":
        return [blocks[0], *(b for b in blocks[1:] if b.targets), *(b for b in blocks[1:] if not b.targets)]
    rest, result = blocks[1:], [blocks[0]]
    while rest:
        result.append(rest.pop(integer(0, len(rest) - 1)))
    return result


def _text(blocks: list[Block], shape: Shape, integer: Callable[[int, int], int]) -> str:
    lines = []
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        lines.append(f"{block.label}:")
        lines += [f"    {line};" for line in block.lines]
        falls = None if shape.split else after
        labels = [target.label for target in block.targets]
        if block.way == "index":
            lines.append(f"T{block.label}: .branchtargets {', '.join(labels)};\n    brx.idx {block.by}, T{block.label};")
            continue
        if block.way == "branch" and block.targets[0] is block.targets[1]:
            labels, block.way, block.targets = labels[:1], "jump", block.targets[:1]
        if block.way == "branch" and block.targets[0] is falls:
            lines.append(f"    @!{block.by} bra {labels[1]};")
        elif block.way == "branch":
            lines.append(f"    @{block.by} bra {labels[0]};")
        if block.way in ("jump", "branch") and block.targets[-1] is not falls and not (block.way == "branch" and block.targets[0] is falls):
            lines.append(f"    bra{'.uni' if shape.split or integer(0, 1) else ''} {labels[-1]};")
        if not block.targets:
            lines.append(f"    {block.way};")
    return "\n".join(lines)
