"""Builders for what lanes of a warp do together: votes, shuffles, matches."""
from __future__ import annotations

from archdef.lower.encoding import Kind, ReduxOp, ShuffleOp, VoteOp
from archdef.lower.select.arithmetic import predicate_pair
from archdef.lower.select.selection import Selection, builds
from archdef.lower.virtual import ABSORBED, TRUE, Const, Value, immediate
from archdef.ptx import ir
from archdef.ptx.table import Match


def member_mask(s: Selection, i: ir.Instruction, position: int):
    """Give the mask of participating lanes, in the width of its register; None if the form has none.

    A literal -1, or a register that holds nothing else, means all lanes of the machine, however wide it is. A mask of 32 bits that is
    computed cannot name the lanes of a wider machine. In a 64-bit register 32 ones are what they say: lanes 0 to 31.
    """
    if len(i.operands) <= position:
        return None
    given = i.operands[position]
    operand, lanes = s.known(given), s.architecture.warp.size
    wide = isinstance(given, ir.Register) and given.type.endswith("64")
    if isinstance(operand, ir.Immediate):
        everyone = operand.value in (-1, 0xFFFFFFFFFFFFFFFF) or operand.value == 0xFFFFFFFF and not wide
        if everyone:
            return immediate(-1, 8 if lanes > 32 else 4)
        wide = wide or isinstance(operand.value, int) and operand.value >> 32 > 0
    elif not wide:
        narrow_mask(s, "a 32-bit member mask", "a .b64 register, or the literal -1 for all lanes")
    if wide:
        wide_mask(s)
        warn_half(s, i, position)
    return s.value(operand, "b64" if wide else "b32")


def wide_mask(s: Selection) -> None:
    """Refuse 64-bit masks of lanes on a machine that has so many and no such masks. Narrower ones leave the upper half alone."""
    if s.architecture.warp.size > 32:
        s.need("lane_masks_64")


def warn_half(s: Selection, i: ir.Instruction, position: int) -> None:
    """Say so if a 64-bit mask has 32 ones, or was made of 32 bits, and so leaves half of a wide warp out."""
    lanes, given = s.architecture.warp.size, i.operands[position]
    wide = isinstance(given, ir.Register) and given.type.endswith("64")
    if lanes > 32 and wide and (s.widened(given) or getattr(s.known(given), "value", None) == 0xFFFFFFFF):
        word, opcode = s.architecture.words.warp, ".".join((i.opcode, *i.modifiers))
        s.warn(f"a mask of 32 bits names lanes 0 to 31 of the {lanes} lanes of a {word}: lanes 32 to {lanes - 1} take no part in `{opcode}`; "
               f"a mask of 64 ones means the whole {word}")


def narrow_mask(s: Selection, what: str, instead: str) -> None:
    """Refuse a mask of 32 bits where warps are wider."""
    lanes = s.architecture.warp.size
    if lanes > 32:
        raise s.fault(f"{what} names 32 of the {lanes} lanes that a warp of {s.architecture.name} has: use {instead}")


def mask_width(s: Selection, value) -> int:
    return value.width if isinstance(value, Const) else s.unit.widths[value] if value is not None else 4


@builds("vote")
def vote(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``vote``."""
    holds, mask = s.predicate(i.operands[1]), member_mask(s, i, 2)
    if m.fn == "ballot":
        if m.bound["type"] == "b32":
            narrow_mask(s, "a 32-bit ballot", "vote.sync.ballot.b64")
        else:
            wide_mask(s)
        d, finish = s.destination(i.operands[0], m.bound["type"])
        s.emit(Kind.VOTE, VoteOp.BALLOT, [d], [holds, mask], "vote", width=s.unit.widths[d], element=mask_width(s, mask))
        finish()
    else:
        s.emit(Kind.VOTE, VoteOp[m.fn.upper()], predicate_pair(s, i.operands[0])[:1], [holds, mask], "vote",
               element=mask_width(s, mask))


@builds("active_mask")
def active_mask(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``activemask``."""
    if m.bound["type"] == "b32":
        narrow_mask(s, "a 32-bit active mask", "activemask.b64")
    else:
        wide_mask(s)
    d, finish = s.destination(i.operands[0], m.bound["type"])
    s.emit(Kind.VOTE, VoteOp.ACTIVE, [d], [TRUE, None], "vote", width=s.unit.widths[d])
    finish()


def _destinations(s: Selection, operand: ir.Operand, type: str):
    valid = None
    if isinstance(operand, ir.PredicatePair):
        operand, valid = operand.first, operand.second
    d, finish = s.destination(operand, type)
    return [d, s.register(valid.name, "pred") if isinstance(valid, ir.Predicate) else None], finish


@builds("shuffle")
def shuffle(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``shfl``: value, lane, clamp and segment mask, members."""
    sources = [s.value(operand, type) for operand, type in zip(i.operands[1:4], ("b32", "u32", "u32"))]
    mask = member_mask(s, i, 4)
    _check_control(s, m.fn, s.known(i.operands[3]))
    d, finish = _destinations(s, i.operands[0], "b32")
    s.emit(Kind.SHUFFLE, ShuffleOp[m.fn.upper()], d, [*sources, mask], "shuffle", element=mask_width(s, mask))
    finish()


def _check_control(s: Selection, mode: str, operand: ir.Operand) -> None:
    """Refuse a clamp and segment mask that were written for 32 lanes where warps are wider: half of the lanes would read themselves."""
    lanes = s.architecture.warp.size
    if lanes <= 32 or not isinstance(operand, ir.Immediate) or not isinstance(operand.value, int):
        return
    clamp, segment = operand.value & 63, operand.value >> 8 & 63
    if segment & 32 or (segment == 0 if mode == "up" else clamp != 31):
        return
    width = 32 - (segment & 31)
    raise s.fault(f"{operand.value:#x} divides 32 lanes into segments of {width}, a warp of {s.architecture.name} has {lanes}: use "
                  f"{64 - width << 8 | (0 if mode == 'up' else 63):#x}, or {0 if mode == 'up' else 63:#x} for the whole warp; shuffles of a language "
                  f"whose warps have 32 lanes, such as CUDA C++, say 32 unless a front end for {lanes} lanes compiles them")


@builds("shuffle_width")
def shuffle_width(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mx.shfl``: like ``shfl``, but the fourth operand is the width of a segment in lanes; ``idx`` counts modulo that width.

    The width that WARP_SZ names, or that a register holds as a constant, costs nothing.
    """
    value, lane = s.value(i.operands[1], "b32"), s.value(i.operands[2], "u32")
    clamp = 0 if m.fn == "up" else s.architecture.warp.size - 1
    lanes, width = 32 if s.architecture.warp.size <= 32 else 64, s.value(s.known(i.operands[3]), "u32")
    mask = member_mask(s, i, 4)
    _check_reach(s, m.fn, s.value(s.known(i.operands[2]), "u32"), width)
    if isinstance(width, Const):
        control = immediate((lanes - width.value) << 8 | clamp)
    else:
        rest = s.temporary("sub_b32", [immediate(lanes), width], 4, "int_add")
        segment = s.temporary("shl_b32", [rest, immediate(8)], 4, "int_shift")
        control = s.temporary("or_b32", [segment, immediate(clamp)], 4, "int_logic")
    d, finish = _destinations(s, i.operands[0], "b32")
    s.emit(Kind.SHUFFLE, ShuffleOp[m.fn.upper()], d, [value, lane, control, mask], "shuffle", element=mask_width(s, mask))
    finish()


def _check_reach(s: Selection, mode: str, lane: Value, width: Value) -> None:
    """Refuse segments wider than a warp; warn of a lane, or of a distance, that a warp of this machine has not: the source was written for wider ones.

    A distance up is not warned of: prefix sums drop what comes from below lane 0, at any width.
    """
    lanes, word = s.architecture.warp.size, s.architecture.words.warp
    if isinstance(width, Const) and width.value > lanes:
        raise s.missing(f"warps of {width.value} lanes",
                        f"segments of {width.value} lanes do not fit into a {word} of {s.architecture.name}, which has {lanes}")
    if isinstance(lane, Const) and lane.value >= lanes and mode != "up":
        meant = f"names lane {lane.value}" if mode == "idx" else f"reaches {lane.value} lanes far"
        s.warn(f"a shuffle {meant}, and a {word} has {lanes}: lanes read others than on a machine with wider ones; say it by waveSize")


@builds("lanes_needed")
def lanes_needed(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mxlanes``: nothing, on a machine whose warps have so many lanes; others refuse."""
    least, lanes = getattr(i.operands[0], "value", None), s.architecture.warp.size
    if not isinstance(least, int):
        raise s.fault("the number of lanes must be a literal")
    if least > lanes:
        word = s.architecture.words.warp
        raise s.unsupported(f"a tile of {least} lanes does not fit into a {word} of {s.architecture.name}, which has {lanes}")


@builds("redux")
def redux(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``redux``: one result for all members."""
    type = m.bound["type"]
    value, mask = s.value(i.operands[1], type), member_mask(s, i, 2)
    name = f"{m.fn}_{type[0]}" if m.fn in ("min", "max") else m.fn
    d, finish = s.destination(i.operands[0], type)
    s.emit(Kind.REDUX, ReduxOp[name.upper()], [d], [value, mask], "redux", element=mask_width(s, mask))
    finish()


@builds("elect")
def elect(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``elect``: the lowest member leads."""
    mask, pair = member_mask(s, i, 1), i.operands[0]
    if not isinstance(pair, ir.PredicatePair):
        raise s.fault("expected a register and a predicate, %r|%p, as destination")
    d, finish = s.destination(pair.first, "b32") if pair.first is not None else (None, lambda: None)
    leads = s.register(pair.second.name, "pred") if isinstance(pair.second, ir.Predicate) else None
    s.emit(Kind.VOTE, VoteOp.ELECT, [d, leads], [TRUE, mask], "vote", element=mask_width(s, mask))
    finish()


@builds("match")
def match(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``match``: which lanes hold the same value."""
    value, mask = s.value(i.operands[1], m.bound["type"]), member_mask(s, i, 2)
    operand = i.operands[0].first if isinstance(i.operands[0], ir.PredicatePair) else i.operands[0]
    wide = isinstance(operand, ir.Register) and operand.type.endswith("64")
    if not wide:
        narrow_mask(s, "a 32-bit mask of matching lanes", "a .b64 destination")
    if wide and mask_width(s, mask) == 4:
        mask = s.temporary("cvt_u64_u32", [mask], 8, "move")
    elif not wide and mask_width(s, mask) == 8:
        mask = s.temporary("low_b64", [mask], 4, ABSORBED)
    d, finish = _destinations(s, i.operands[0], "b64" if wide else "b32")
    s.emit(Kind.MATCH, 1 if m.fn == "all" else 0, d, [value, mask], "match", width=8 if wide else 4, element=mask_width(s, value))
    finish()
