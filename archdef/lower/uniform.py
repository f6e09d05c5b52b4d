"""What lanes of a warp may read differently, and what one of them may therefore do for all."""
from __future__ import annotations

from archdef.lower.encoding import Kind, SpecialRegister
from archdef.lower.virtual import PARTS, Code, Const, Unit

_EQUAL = frozenset(n for n in SpecialRegister if n.name.startswith(("CTAID", "NTID", "NCTAID")))
"""Special registers that all threads of a block read alike."""
_MERGED = ("add_", "min_", "max_", "and_", "or_", "xor_")


def merged_atomics(code: Code, unit: Unit, architecture) -> dict[int, int]:
    """Give the 32-bit integer operations on a word whose address all lanes know to be the same, by identity, with the instructions by which one
    lane comes to do them for all. Which lane that is, is found once for what follows without a branch: without a result, two are left then."""
    times = architecture.isa.assembler.merged_atomics
    if not any(times) or all(op.kind != Kind.ATOM for op in code.ops):
        return {}
    differing = varying(code, unit)
    found: dict[int, int] = {}
    chosen = False
    for op in code.ops:
        if op.kind in PARTS:
            chosen = False
        whole = op.kind == Kind.ATOM and isinstance(op.fn, str) and op.fn.startswith(_MERGED) and op.fn.endswith(("b32", "u32", "s32"))
        wanted = times[any(v is not None for v in op.d)] if whole else 0
        if wanted and (isinstance(op.s[0], Const) or op.s[0] not in differing):
            found[id(op)] = wanted if not chosen or any(v is not None for v in op.d) else min(wanted, 2)
            chosen = True
    return found


def varying(code: Code, unit: Unit) -> set[int]:
    """Give the registers in which the lanes of a warp may differ, as far as data tell; what comes from memory may."""
    found = {v for v, number in unit.specials.items() if number not in _EQUAL}
    found.update(code.inputs)
    apart = (Kind.LOAD, Kind.ATOM, Kind.SHUFFLE, Kind.MATCH, Kind.SPECIAL, Kind.TEXTURE, Kind.SURFACE, Kind.CALL, Kind.CALL_INDIRECT)
    made_of: dict[int, list[int]] = {}
    for op in code.ops:
        written = tuple(op.writes())
        if op.kind in apart:
            found.update(written)
        else:
            for v in op.reads():
                made_of.setdefault(v, []).extend(written)
    waiting = list(found)
    while waiting:
        for v in made_of.pop(waiting.pop(), ()):
            if v not in found:
                found.add(v)
                waiting.append(v)
    return found
