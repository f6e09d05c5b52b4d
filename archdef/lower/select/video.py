"""Builders for video instructions. What an instruction says of parts, signs, saturation and second operations goes to its lane function
as a fourth operand; ``lanes_video.h`` lists the bits."""
from __future__ import annotations

import re

from archdef.lower.encoding import Kind
from archdef.lower.select.selection import Selection, builds
from archdef.lower.virtual import immediate
from archdef.ptx import ir
from archdef.ptx.table import Match

PARTS = {"": 0, "b0": 1, "b1": 2, "b2": 3, "b3": 4, "h0": 5, "h1": 6}
SECOND = {"": 0, "add": 1, "min": 2, "max": 3}
MERGE = 4
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
SCALES = {"": 0, "shr7": 1, "shr15": 2}


def _is_signed(type: str) -> bool:
    return type[0] == "s"


def _types(m: Match) -> tuple[str, str, str]:
    """Give the types of d, a and b."""
    if "type3" in m.bound:
        return m.bound["type"], m.bound["type2"], m.bound["type3"]
    return "u32", m.bound["type"], m.bound["type2"]


@builds("video")
def video(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``vadd``, ``vsub``, ``vabsdiff``, ``vmin``, ``vmax``, ``vshl``, ``vshr``, ``vset``, ``vmad``."""
    d, a, b = _types(m)
    parts = [selector.lstrip("-") for selector in i.selectors]
    negated = [selector.startswith("-") for selector in i.selectors]
    _check_scalar(s, m, i, parts, negated)
    second = MERGE if parts[0] else SECOND[m.bound.get("second", "")]
    how = (PARTS[parts[1]] | PARTS[parts[2]] << 3 | _is_signed(a) << 6 | _is_signed(b) << 7 | _is_signed(d) << 8
           | bool(m.bound.get("sat")) << 9 | second << 10 | PARTS[parts[0]] << 13)
    if i.opcode == "vmad":
        how |= sum(minus << 15 + k for k, minus in enumerate(negated)) | SCALES[m.bound["scale"]] << 19 | bool(m.bound["po"]) << 21
    how |= (m.bound.get("mode") == "wrap") << 22
    if i.opcode == "vset":
        how |= COMPARISONS.index(m.bound["cmp"]) << 22
    _emit(s, m, i, how)


def _check_scalar(s: Selection, m: Match, i: ir.Instruction, parts: list[str], negated: list[bool]) -> None:
    wrong = [part for part in parts if part not in PARTS]
    if wrong:
        raise s.fault(f"`.{wrong[0]}` is no part that {i.opcode} takes: .b0 to .b3, .h0 and .h1")
    if parts[3:] and parts[3]:
        raise s.fault("the third operand is a whole register")
    if any(negated) and (i.opcode != "vmad" or negated[0]):
        raise s.fault(f"{'a destination' if negated[0] else 'an operand of ' + i.opcode} cannot be negated")
    if i.opcode == "vmad":
        if parts[0]:
            raise s.fault("the destination of vmad is a whole register")
        if m.bound["po"] and any(negated):
            raise s.fault("vmad.po takes no negated operand")
        if negated[3] and negated[1] != negated[2]:
            raise s.fault("vmad takes a negated product or a negated third operand, not both")
        return
    needs = bool(m.bound["second"]) + bool(parts[0])
    if needs > 1:
        raise s.fault("a second operation and a part of the destination exclude each other")
    if needs != len(i.operands) - 3:
        raise s.fault("a third operand belongs to a second operation, or to a part of the destination" if not needs else
                      "a second operation, or a part of the destination, needs a third operand")


@builds("video_lanes")
def video_lanes(s: Selection, m: Match, i: ir.Instruction) -> None:
    """Two or four at once: ``vadd2``, ``vset4`` and the like."""
    d, a, b = _types(m)
    letter, count = ("h", 2) if i.opcode[-1] == "2" else ("b", 4)
    parts = [selector.removeprefix("-") for selector in i.selectors]
    if any(selector.startswith("-") for selector in i.selectors) or parts[3]:
        raise s.fault(f"{i.opcode} takes its third operand whole, and none negated")
    first = _digits(s, parts[1] or letter + "".join(map(str, reversed(range(count)))), letter, count, 2 * count)
    second = _digits(s, parts[2] or letter + "".join(map(str, reversed(range(count, 2 * count)))), letter, count, 2 * count)
    mask = _mask(s, parts[0] or letter + "".join(map(str, reversed(range(count)))), letter, count)
    then = m.bound["then"]
    how = 3 if then == "add" else (1 + _is_signed(d)) * (then == "sat")
    _emit(s, m, i, sum(x << 3 * k for k, x in enumerate(first)) | sum(x << 12 + 3 * k for k, x in enumerate(second)) | mask << 24
          | _is_signed(a) << 28 | _is_signed(b) << 29 | how << 30)


def _digits(s: Selection, part: str, letter: str, count: int, below: int) -> list[int]:
    """Give the elements that a selector names, that of the lowest first."""
    if not re.fullmatch(f"{letter}[0-{below - 1}]{{{count}}}", part):
        raise s.fault(f"`.{part}` must be .{letter} and {count} digits from 0 to {below - 1}")
    return [int(digit) for digit in reversed(part[1:])]


def _mask(s: Selection, part: str, letter: str, count: int) -> int:
    digits = [int(digit) for digit in part[1:]]
    if part[0] != letter or any(digit >= count for digit in digits) or digits != sorted(set(digits), reverse=True):
        raise s.fault(f"`.{part}` must be .{letter} and digits below {count}, the highest first")
    return sum(1 << digit for digit in digits)


def _emit(s: Selection, m: Match, i: ir.Instruction, how: int) -> None:
    sources = [s.value(operand, type) for operand, (_, type) in zip(i.operands[1:], m.operands[1:])]
    sources += [immediate(0)] * (3 - len(sources))
    d, finish = s.destination(i.operands[0], "u32")
    s.emit(Kind.ALU, m.fn, [d], [*sources, immediate(how)], m.operation, times=m.times)
    finish()
