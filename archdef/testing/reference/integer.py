"""Integer arithmetic, logic and shifts: Python integers, cut to the width at the end."""
from __future__ import annotations

from collections.abc import Callable

from archdef.testing.reference import bits as bit
from archdef.testing.reference import floating, packed
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.types import BITS, FLOATS, HALF_PAIRS, INTEGER_PAIRS, INTEGERS, clamp, read, width

_FLOATING = FLOATS | HALF_PAIRS
TWICE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def one_type(i, allowed=INTEGERS) -> str:
    """Give the instruction's only type, if it is one of these."""
    if len(i.types) != 1 or i.types[0] not in allowed or i.types[0] in ("u8", "s8", "b8"):
        raise unknown(i, "meaning for these types")
    return i.types[0]


def values(type: str, function: Callable) -> Callable:
    """Make a function of patterns out of one of integers of a type."""
    return lambda *patterns: function(*[read(type, p) for p in patterns])


@means("add", "sub")
def add(c: Context, i, words: Words) -> Step:
    """``add``, ``sub``; with ``.cc`` they leave the carry in the condition code.

    A subtraction is an addition of the complement and 1, as on hardware: its borrow is a carry that is missing. PTX does not say what
    ``addc`` does behind ``sub.cc``.
    """
    if i.types and i.types[-1] in _FLOATING:
        return floating.sum_or_product(c, i, words)
    if i.opcode == "add" and i.types and i.types[-1] in INTEGER_PAIRS:
        return packed.pair(c, i, words)
    type, sign = one_type(i), 1 if i.opcode == "add" else -1
    if words.flag("cc"):
        every = (1 << width(type)) - 1
        return with_carry(c, i, type, 2, (lambda a, b, _: a + b) if sign > 0 else lambda a, b, _: a + (b ^ every) + 1, True)
    if words.flag("sat"):
        if type != "s32":
            raise unknown(i, "saturation of this type")
        return c.calculate(i, type, (type, type), values(type, lambda a, b: clamp(type, a + sign * b)))
    return c.calculate(i, type, (type, type), lambda a, b: a + sign * b)


@means("addc", "subc")
def add_carry(c: Context, i, words: Words) -> Step:
    """``addc``, ``subc``: with the carry of the step before."""
    type = one_type(i)
    turn = 0 if i.opcode == "addc" else (1 << width(type)) - 1
    return with_carry(c, i, type, 2, lambda a, b, carry: a + (b ^ turn) + carry, words.flag("cc"))


def with_carry(c: Context, i, type: str, count: int, function: Callable, writes: bool) -> Step:
    """Make a step that sees the condition code; it is what the sum of the unsigned patterns carries."""
    sources, store = c.sources(i, [type] * count), c.destination(i, i.operands[0], type)
    bits = width(type)

    def act(t):
        total = function(*[s(t) for s in sources], t.carry)
        store(t, total & (1 << bits) - 1)
        if writes:
            t.carry = total >> bits
    return Step("plain", act)


@means("mul", "mad", "madc")
def multiply(c: Context, i, words: Words) -> Step:
    """``mul``, ``mad``, ``madc``: low, high or whole products, and a sum."""
    if i.types and i.types[-1] in _FLOATING:
        return floating.sum_or_product(c, i, words) if i.opcode == "mul" else floating.multiply_add(c, i, words)
    type = one_type(i)
    bits, part = width(type), words.one("lo", "hi", "wide")
    shift = bits if part == "hi" else 0
    if part == "wide":
        if type not in TWICE:
            raise unknown(i, "whole product of this type")
        types = (type, type) if i.opcode == "mul" else (type, type, TWICE[type])
        return c.calculate(i, TWICE[type], types, lambda a, b, d=0: read(type, a) * read(type, b) + d)

    def product(a, b):
        return (read(type, a) * read(type, b) >> shift) & (1 << bits) - 1
    if i.opcode == "mul":
        return c.calculate(i, type, (type, type), product)
    carries = words.flag("cc")
    if carries or i.opcode == "madc":
        add_in = i.opcode == "madc"
        return with_carry(c, i, type, 3, lambda a, b, d, carry: product(a, b) + d + (carry if add_in else 0), carries)
    if words.flag("sat"):
        if (type, part) != ("s32", "hi"):
            raise unknown(i, "saturation of this form")
        return c.calculate(i, type, [type] * 3, lambda a, b, d: clamp(type, read(type, product(a, b)) + read(type, d)))
    return c.calculate(i, type, [type] * 3, lambda a, b, d: product(a, b) + d)


@means("mul24", "mad24")
def multiply_24(c: Context, i, words: Words) -> Step:
    """``mul24``, ``mad24``: products of the low 24 bits; ``.hi`` are bits 16 to 47."""
    type = one_type(i, frozenset(("u32", "s32")))
    shift = 16 if words.one("lo", "hi") == "hi" else 0
    short = "s24" if type == "s32" else "u24"

    def product(a, b):
        return read(short, a) * read(short, b) >> shift
    if i.opcode == "mul24":
        return c.calculate(i, type, (type, type), product)
    if words.flag("sat"):
        if (type, shift) != ("s32", 16):
            raise unknown(i, "saturation of this form")
        return c.calculate(i, type, [type] * 3, lambda a, b, d: clamp(type, read(type, product(a, b)) + read(type, d)))
    return c.calculate(i, type, [type] * 3, lambda a, b, d: product(a, b) + d)


@means("sad")
def absolute_difference(c: Context, i, words: Words) -> Step:
    """``sad``: c + |a - b|."""
    type = one_type(i)
    return c.calculate(i, type, [type] * 3, values(type, lambda a, b, d: d + abs(a - b)))


@means("div", "rem")
def divide(c: Context, i, words: Words) -> Step:
    """``div``, ``rem``: toward zero. PTX leaves division by zero open; here quotient and remainder are all ones, as on an H100."""
    if i.types and i.types[-1] in FLOATS:
        return floating.divide(c, i, words)
    type = one_type(i)

    def quotient(a, b):
        return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if i.opcode == "div":
        return c.calculate(i, type, (type, type), values(type, quotient))
    return c.calculate(i, type, (type, type), values(type, lambda a, b: a - b * quotient(a, b) if b else -1))


@means("neg", "abs")
def sign(c: Context, i, words: Words) -> Step:
    """``neg``, ``abs``; the least integer stays."""
    if i.types and i.types[-1] in _FLOATING:
        return floating.sign(c, i, words)
    type = one_type(i, frozenset(("s16", "s32", "s64")))
    return c.calculate(i, type, (type,), values(type, abs if i.opcode == "abs" else lambda a: -a))


@means("min", "max")
def extreme(c: Context, i, words: Words) -> Step:
    """``min``, ``max``; with ``.relu`` at least 0."""
    if i.types and i.types[-1] in _FLOATING:
        return floating.extreme(c, i, words)
    if i.types and i.types[-1] in INTEGER_PAIRS:
        return packed.pair(c, i, words)
    type, choose = one_type(i), min if i.opcode == "min" else max
    if type == "s32" and words.flag("relu"):
        return c.calculate(i, type, (type, type), values(type, lambda a, b: max(choose(a, b), 0)))
    return c.calculate(i, type, (type, type), values(type, choose))


@means("dp4a", "dp2a")
def dot(c: Context, i, words: Words) -> Step:
    """``dp4a``, ``dp2a``: the result is signed if either factor is."""
    first, second = i.types
    if {first, second} - {"u32", "s32"}:
        raise unknown(i, "meaning for these types")
    signs = first == "s32", second == "s32"
    high = i.opcode == "dp2a" and words.one("lo", "hi") == "hi"
    function = (lambda *x: bit.dot_4(*signs, *x)) if i.opcode == "dp4a" else lambda *x: bit.dot_2(*signs, high, *x)
    return c.calculate(i, "s32" if any(signs) else "u32", (first, second, first), function)


# --------------------------------------------------------------------------------------------------------------- logic
@means("and", "or", "xor", "not")
def logic(c: Context, i, words: Words) -> Step:
    """Bitwise logic, on predicates too."""
    function = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: ~a}[i.opcode]
    count = 1 if i.opcode == "not" else 2
    if i.types == ("pred",):
        sources = [c.predicate(i, operand) for operand in i.operands[1:]]
        if len(sources) != count:
            raise unknown(i, f"form with {len(i.operands)} operands")
        store, _ = c.predicate_destinations(i, i.operands[0])
        return Step("plain", lambda t: store(t, function(*[int(s(t)) for s in sources]) & 1))
    type = one_type(i, BITS)
    return c.calculate(i, type, [type] * count, function)


@means("cnot")
def logical_not(c: Context, i, words: Words) -> Step:
    """``cnot``: 1 if zero."""
    type = one_type(i, BITS)
    return c.calculate(i, type, (type,), lambda a: int(a == 0))


@means("lop3")
def logic_3(c: Context, i, words: Words) -> Step:
    """``lop3``."""
    one_type(i, frozenset(("b32",)))
    return c.calculate(i, "b32", ("b32", "b32", "b32", "u32"), bit.logic_3)


@means("shl", "shr")
def shift(c: Context, i, words: Words) -> Step:
    """``shl``, ``shr``: the amount is unsigned 32 bits and clamps at the width; signed types copy the sign."""
    type = one_type(i, BITS if i.opcode == "shl" else BITS | INTEGERS)
    bits = width(type)
    if i.opcode == "shl":
        return c.calculate(i, type, (type, "u32"), lambda a, n: a << min(n, bits))
    return c.calculate(i, type, (type, "u32"), lambda a, n: read(type, a) >> min(n, bits))


@means("shf")
def funnel(c: Context, i, words: Words) -> Step:
    """``shf``."""
    one_type(i, frozenset(("b32",)))
    left, wraps = words.one("l", "r") == "l", words.one("clamp", "wrap") == "wrap"
    return c.calculate(i, "b32", ("b32", "b32", "u32"), lambda a, b, n: bit.funnel(left, wraps, a, b, n))


@means("popc", "clz", "brev")
def count(c: Context, i, words: Words) -> Step:
    """``popc``, ``clz`` (32-bit results), ``brev``."""
    type = one_type(i, frozenset(("b32", "b64")))
    bits = width(type)
    if i.opcode == "brev":
        return c.calculate(i, type, (type,), lambda a: bit.reverse(bits, a))
    return c.calculate(i, "u32", (type,), bit.population if i.opcode == "popc" else lambda a: bit.leading_zeros(bits, a))


@means("bfind")
def find(c: Context, i, words: Words) -> Step:
    """``bfind``."""
    type = one_type(i, INTEGERS - {"u16", "s16"})
    amount = words.flag("shiftamt")
    return c.calculate(i, "u32", (type,), lambda a: bit.find(width(type), type[0] == "s", amount, a))


@means("bfe", "bfi")
def field(c: Context, i, words: Words) -> Step:
    """``bfe``, ``bfi``."""
    if i.opcode == "bfi":
        type = one_type(i, frozenset(("b32", "b64")))
        return c.calculate(i, type, (type, type, "u32", "u32"), lambda a, b, p, n: bit.insert(width(type), a, b, p, n))
    type = one_type(i, INTEGERS - {"u16", "s16"})
    return c.calculate(i, type, (type, "u32", "u32"), lambda a, p, n: bit.extract(width(type), type[0] == "s", a, p, n))


@means("bmsk", "szext", "fns", "prmt")
def mask(c: Context, i, words: Words) -> Step:
    """``bmsk``, ``szext``, ``fns``, ``prmt``."""
    if i.opcode == "szext":
        type = one_type(i, frozenset(("u32", "s32")))
        wraps = words.one("clamp", "wrap") == "wrap"
        return c.calculate(i, type, (type, "u32"), lambda a, n: bit.extend(type == "s32", wraps, a, n))
    one_type(i, frozenset(("b32",)))
    if i.opcode == "bmsk":
        wraps = words.one("clamp", "wrap") == "wrap"
        return c.calculate(i, "b32", ("u32", "u32"), lambda a, n: bit.mask(wraps, a, n))
    if i.opcode == "fns":
        return c.calculate(i, "b32", ("b32", "b32", "s32"), bit.nth_set)
    mode = words.one("f4e", "b4e", "rc8", "ecl", "ecr", "rc16", default="")
    return c.calculate(i, "b32", ("b32", "b32", "b32"), lambda a, b, s: bit.permute(mode, a, b, s))
