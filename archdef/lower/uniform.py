"""What lanes of a warp may read differently, and what one of them may therefore do for all."""
from __future__ import annotations

from archdef.lower.encoding import Kind, SpecialRegister
from archdef.lower.graph import BRANCHES
from archdef.lower.virtual import Code, Const, Unit

_EQUAL = frozenset(n for n in SpecialRegister if n.name.startswith(("CTAID", "NTID", "NCTAID")))
"""Special registers that all threads of a block read alike."""
_APART = frozenset((Kind.LOAD, Kind.ATOM, Kind.SHUFFLE, Kind.MATCH, Kind.SPECIAL, Kind.TEXTURE, Kind.SURFACE, Kind.CALL, Kind.CALL_INDIRECT))
"""Kinds whose results differ among lanes, as far as anybody knows."""
_CALLS = frozenset((Kind.CALL, Kind.CALL_INDIRECT))
_MERGED = ("add_", "min_", "max_", "and_", "or_", "xor_")


def merged_atomics(code: Code, unit: Unit, times: tuple[int, int]) -> dict[int, int]:
    """Give the 32-bit integer operations on a word whose address all lanes know to be the same, by identity, with the instructions by which one
    lane comes to do them for all. Which lane that is, is found once for what follows without a branch: without a result, two are left then.

    times : instructions without and with a result; 0: every lane does its own.
    """
    if not any(times) or all(op.kind != Kind.ATOM for op in code.ops):
        return {}
    differing = varying(code, unit)
    found: dict[int, int] = {}
    chosen = False
    for cut, op in code.straight():
        if cut:
            chosen = False
        whole = op.kind == Kind.ATOM and isinstance(op.fn, str) and op.fn.startswith(_MERGED) and op.fn.endswith(("b32", "u32", "s32"))
        wanted = times[any(v is not None for v in op.d)] if whole else 0
        if wanted and (isinstance(op.s[0], Const) or op.s[0] not in differing):
            found[id(op)] = wanted if not chosen or any(v is not None for v in op.d) else min(wanted, 2)
            chosen = True
    return found


def parting_branches(code: Code, unit: Unit) -> set[int]:
    """Give the numbers of the blocks at whose end lanes of a warp may branch differently, as far as data tell.

    As `varying` has it, but what a register holds is what was written to it last, where that is known: as long as control comes from nowhere else.
    """
    made_of: dict[int, list[int]] = {}      # what is written at place k is ~k, a register its number: where it is read → what is made of it
    found = {v for v, number in unit.specials.items() if number not in _EQUAL} | set(code.inputs)
    branches: list[tuple[int, list[int]]] = []
    latest: dict[int, int] = {}             # register → ~place of the last write since control came from elsewhere
    for k, (n, begins, op) in enumerate((n, not at and block.name is not None, op) for n, block in enumerate(code.blocks) for at, op in enumerate(block.ops)):
        if begins or op.kind in _CALLS:
            latest.clear()
        read = [latest.get(v, v) for v in op.reads()]
        if op.kind in BRANCHES:
            branches.append((n, read))
            continue
        written = list(op.writes())
        if op.kind in _APART:
            found.add(~k)
        if op.guard is not None:
            read += [latest.get(v, v) for v in written]
        for v in read:
            made_of.setdefault(v, []).append(~k)
        for v in written:
            made_of.setdefault(~k, []).append(v)
            latest[v] = ~k
    _spread(found, made_of)
    return {n for n, read in branches if not found.isdisjoint(read)}


def _spread(found: set[int], made_of: dict[int, list[int]]) -> None:
    """Add whatever is made of what has been found."""
    waiting = list(found)
    while waiting:
        for v in made_of.pop(waiting.pop(), ()):
            if v not in found:
                found.add(v)
                waiting.append(v)


def varying(code: Code, unit: Unit) -> set[int]:
    """Give the registers in which the lanes of a warp may differ, as far as data tell; what comes from memory may."""
    found = {v for v, number in unit.specials.items() if number not in _EQUAL}
    found.update(code.inputs)
    made_of: dict[int, list[int]] = {}
    for op in code.ops:
        written = tuple(op.writes())
        if op.kind in _APART:
            found.update(written)
        else:
            for v in op.reads():
                made_of.setdefault(v, []).extend(written)
    _spread(found, made_of)
    return found
