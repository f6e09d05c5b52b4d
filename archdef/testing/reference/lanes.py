"""What the lanes of a warp do together: votes, shuffles, matches.

A step of kind ``warp`` has two parts. ``details`` gives the lanes that a thread names as participants (a mask; None where the form
names none, then those are meant that are converged). ``act`` takes the participating threads, all arrived, and does the work for each.
"""
from __future__ import annotations

import functools
import operator

from archdef.ptx import ir
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.types import read, width


def members(c: Context, i, position: int):
    """Give a function of a thread to the member mask; a literal of all ones names every lane of the machine."""
    if len(i.operands) <= position:
        return None
    operand, everyone = i.operands[position], (1 << c.warp_size) - 1
    if isinstance(operand, ir.Immediate):
        value = everyone if operand.value in (-1, 0xFFFFFFFF, (1 << 64) - 1) else operand.value & everyone
        return lambda t: value
    wide = isinstance(operand, ir.Register) and width(operand.type) == 64
    mask = c.source(i, operand, "b64" if wide else "b32")
    return lambda t: mask(t) & everyone


def lanes_of(threads) -> int:
    """Give the mask of some threads of a warp."""
    return sum(1 << t.lane for t in threads)


@means("vote")
def vote(c: Context, i, words: Words) -> Step:
    """``vote``: over the participating lanes."""
    mode = words.one("all", "any", "uni", "ballot")
    sync = words.flag("sync")
    mask, holds = members(c, i, 2), c.predicate(i, i.operands[1])
    if sync != (mask is not None):
        raise unknown(i, "form whose mask and .sync disagree")
    if mode == "ballot":
        store = c.destination(i, i.operands[0], i.types[0])
    elif i.types == ("pred",):
        store = c.predicate_destinations(i, i.operands[0])[0]
    else:
        raise unknown(i, "meaning for these types")

    def act(threads):
        ballot, everyone = lanes_of(t for t in threads if holds(t)), lanes_of(threads)
        result = {"all": ballot == everyone, "any": ballot != 0, "uni": ballot in (0, everyone), "ballot": ballot}[mode]
        for t in threads:
            store(t, result & (1 << width(i.types[0])) - 1 if mode == "ballot" else result)
    return Step("warp", act, details=mask)


@means("activemask")
def active_mask(c: Context, i, words: Words) -> Step:
    """``activemask``: the converged lanes."""
    (type,) = i.types
    store = c.destination(i, i.operands[0], type)

    def act(threads):
        mask = lanes_of(threads) & (1 << width(type)) - 1
        for t in threads:
            store(t, mask)
    return Step("warp", act)


@means("shfl", "mx")
def shuffle(c: Context, i, words: Words) -> Step:
    """``shfl``: read a register of another lane of the same segment; ``mx.shfl`` names the segment by its width in lanes.

    Lane numbers and clamps have 5 bits up to 32 lanes, 6 bits beyond. A lane whose source lies outside its segment reads its own
    value, and 0 where the source does not take part (which PTX leaves open; an H100 does so). The predicate tells whether the source was inside.
    """
    if i.types != ("b32",):
        raise unknown(i, "meaning for these types")
    by_width = i.opcode == "mx"
    if by_width and not words.flag("shfl"):
        raise unknown(i, "meaning for this mx form")
    mode = words.one("up", "down", "bfly", "idx")
    words.flag("sync")
    value, lane, control = (c.source(i, operand, type) for operand, type in zip(i.operands[1:4], ("b32", "u32", "u32")))
    mask = members(c, i, 4)
    pair = i.operands[0] if isinstance(i.operands[0], ir.PredicatePair) else ir.PredicatePair(i.operands[0], None)
    store = c.destination(i, pair.first, "b32")
    tell = c.predicate_destinations(i, ir.PredicatePair(None, pair.second))[1]
    field = 31 if c.warp_size <= 32 else 63

    def act(threads):
        values = {t.lane: value(t) for t in threads}
        results = []
        for t in threads:
            if by_width:
                clamp, segment = 0 if mode == "up" else c.warp_size - 1, -control(t)
            else:
                clamp, segment = control(t) & field, control(t) >> 8
            results.append(source_lane(mode, t.lane, lane(t) & field, clamp, segment & field))
        for t, (at, inside) in zip(threads, results):
            store(t, values.get(at, 0) if inside else values[t.lane])
            tell(t, inside)
    return Step("warp", act, details=mask)


def source_lane(mode: str, own: int, b: int, clamp: int, segment: int) -> tuple[int, bool]:
    """Give the lane to read and whether it is inside the segment, as the manual's pseudocode computes them."""
    most = own & segment | clamp & ~segment
    least = own & segment
    if mode == "up":
        return own - b, own - b >= most
    if mode == "down":
        return own + b, own + b <= most
    if mode == "bfly":
        return own ^ b, own ^ b <= most
    at = least | b & ~segment
    return at, at <= most


_REDUCTIONS = {"add": sum, "min": min, "max": max, "and": lambda v: functools.reduce(operator.and_, v),
               "or": lambda v: functools.reduce(operator.or_, v), "xor": lambda v: functools.reduce(operator.xor, v)}


@means("redux")
def reduce(c: Context, i, words: Words) -> Step:
    """``redux.sync``: one result for all participating lanes."""
    (type,) = i.types
    words.one("sync")
    name = words.one(*(("and", "or", "xor") if type == "b32" else ("add", "min", "max")))
    if type not in ("b32", "u32", "s32"):
        raise unknown(i, "meaning for these types")
    value, store = c.source(i, i.operands[1], type), c.destination(i, i.operands[0], type)

    def act(threads):
        result = _REDUCTIONS[name]([read(type, value(t)) for t in threads]) & 0xFFFFFFFF
        for t in threads:
            store(t, result)
    return Step("warp", act, details=members(c, i, 2))


@means("elect")
def elect(c: Context, i, words: Words) -> Step:
    """``elect.sync``: one of the participating lanes; PTX does not say which, here (as on hardware) it is the lowest."""
    words.one("sync")
    pair = i.operands[0] if isinstance(i.operands[0], ir.PredicatePair) else ir.PredicatePair(i.operands[0], None)
    store = c.destination(i, pair.first, "b32")
    tell = c.predicate_destinations(i, ir.PredicatePair(None, pair.second))[1]

    def act(threads):
        leader = min(t.lane for t in threads)
        for t in threads:
            store(t, leader)
            tell(t, t.lane == leader)
    return Step("warp", act, details=members(c, i, 1))


@means("match")
def match(c: Context, i, words: Words) -> Step:
    """``match``: which participating lanes hold the same value."""
    (type,) = i.types
    mode = words.one("any", "all")
    words.flag("sync")
    value, mask = c.source(i, i.operands[1], type), members(c, i, 2)
    pair = i.operands[0] if isinstance(i.operands[0], ir.PredicatePair) else ir.PredicatePair(i.operands[0], None)
    if mask is None or mode == "any" and pair.second is not None:
        raise unknown(i, "meaning for this form")
    wide = isinstance(pair.first, ir.Register) and width(pair.first.type) == 64
    store = c.destination(i, pair.first, "b64" if wide else "b32")
    tell = c.predicate_destinations(i, ir.PredicatePair(None, pair.second))[1]

    def act(threads):
        values = {t.lane: value(t) for t in threads}
        same = len(set(values.values())) == 1
        for t in threads:
            if mode == "any":
                found = sum(1 << lane for lane, v in values.items() if v == values[t.lane])
            else:
                found = lanes_of(threads) if same else 0
                tell(t, same)
            store(t, found & (1 << (64 if wide else 32)) - 1)
    return Step("warp", act, details=mask)
