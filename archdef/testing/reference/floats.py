"""Floating-point arithmetic on bit patterns, one rounding each, in every direction.

Every function takes the format first and the rounding mode by name. ``.ftz`` is a property of the format for results
(`Format.flushes`), and a separate step for inputs; saturation is a step of its own.
"""
from __future__ import annotations

import math
from collections.abc import Callable

from archdef.testing.reference.formats import Format, Number


def negate(form: Format, x: int) -> int:
    """Turn the sign bit."""
    return x ^ form.sign


def add(form: Format, a: int, b: int, mode: str) -> int:
    """a + b."""
    return fma(form, a, form.one, b, mode) if not (form.is_nan(a) or form.is_nan(b)) else form.nan(b, a)


def subtract(form: Format, a: int, b: int, mode: str) -> int:
    """a - b. A NaN operand keeps its sign: only numbers are negated."""
    return add(form, a, b if form.is_nan(b) else negate(form, b), mode)


def multiply(form: Format, a: int, b: int, mode: str) -> int:
    """a * b."""
    if form.is_nan(a) or form.is_nan(b):
        return form.nan(b, a)
    negative = form.is_negative(a) != form.is_negative(b)
    if form.is_infinite(a) or form.is_infinite(b):
        return form.nan() if form.is_zero(a) or form.is_zero(b) else _signed(form, form.infinity, negative)
    x, y = form.number(a), form.number(b)
    return form.round(Number(negative, x.magnitude * y.magnitude, x.exponent + y.exponent), mode)


def fma(form: Format, a: int, b: int, c: int, mode: str) -> int:
    """a * b + c, rounded once."""
    if form.is_nan(a) or form.is_nan(b) or form.is_nan(c):
        return form.nan(b, c, a)
    negative = form.is_negative(a) != form.is_negative(b)
    if form.is_infinite(a) or form.is_infinite(b):
        if form.is_zero(a) or form.is_zero(b) or form.is_infinite(c) and form.is_negative(c) != negative:
            return form.nan()
        return _signed(form, form.infinity, negative)
    if form.is_infinite(c):
        return c
    x, y, z = form.number(a), form.number(b), form.number(c)
    return form.round(_sum(Number(negative, x.magnitude * y.magnitude, x.exponent + y.exponent), z, mode), mode)


def _sum(x: Number, y: Number, mode: str) -> Number:
    """Add exact numbers; an exact zero of two signs is +0, but -0 when rounding down."""
    exponent = min(x.exponent, y.exponent)
    total = _shifted(x, exponent) + _shifted(y, exponent)
    if total == 0:
        negative = x.negative if x.negative == y.negative else mode == "rm"
        return Number(negative, 0)
    return Number(total < 0, abs(total), exponent)


def _shifted(x: Number, exponent: int) -> int:
    whole = x.magnitude << x.exponent - exponent
    return -whole if x.negative else whole


def divide(form: Format, a: int, b: int, mode: str) -> int:
    """a / b."""
    if form.is_nan(a) or form.is_nan(b):
        return form.nan(a, b)
    negative = form.is_negative(a) != form.is_negative(b)
    if form.is_infinite(a) or form.is_zero(b):
        if form.is_infinite(b) or form.is_zero(a):
            return form.nan()
        return _signed(form, form.infinity, negative)
    if form.is_infinite(b):
        return _signed(form, 0, negative)
    x, y = form.number(a), form.number(b)
    guard = 2 * form.precision + 4  # at least precision + 2 quotient bits, whatever the magnitudes
    quotient, rest = divmod(x.magnitude << guard, y.magnitude)
    return form.round(Number(negative, quotient, x.exponent - y.exponent - guard, rest != 0), mode)


def reciprocal(form: Format, a: int, mode: str) -> int:
    """1 / a."""
    return form.nan(a) if form.is_nan(a) else divide(form, form.one, a, mode)


def square_root(form: Format, a: int, mode: str) -> int:
    """The square root; of -0 it is -0, of anything below NaN."""
    if form.is_nan(a):
        return form.nan(a)
    if form.is_zero(a):
        return a
    if form.is_negative(a):
        return form.nan()
    if form.is_infinite(a):
        return a
    x = form.number(a)
    guard = 2 * form.precision + 4
    guard += (x.exponent - guard) % 2  # the exponent left must be even
    scaled = x.magnitude << guard
    root = math.isqrt(scaled)
    return form.round(Number(False, root, (x.exponent - guard) // 2, root * root != scaled), mode)


def least(form: Format, a: int, b: int, nan_wins: bool = False) -> int:
    """The smaller one: a NaN loses to a number unless `nan_wins`; -0 is below +0."""
    return _extreme(form, a, b, nan_wins, lambda x, y: x <= y)


def greatest(form: Format, a: int, b: int, nan_wins: bool = False) -> int:
    """The larger one, by the same rules."""
    return _extreme(form, a, b, nan_wins, lambda x, y: x >= y)


def _extreme(form: Format, a: int, b: int, nan_wins: bool, first: Callable[[int, int], bool]) -> int:
    if form.is_nan(a) and form.is_nan(b) or nan_wins and (form.is_nan(a) or form.is_nan(b)):
        return form.nan(b, a)
    if form.is_nan(a) or form.is_nan(b):
        return b if form.is_nan(a) else a
    return a if first(order(form, a), order(form, b)) else b


def order(form: Format, x: int) -> int:
    """Give an integer that sorts as numbers do, with -0 just below +0."""
    return ~(x & (form.sign - 1)) if form.is_negative(x) else x


def saturate(form: Format, x: int) -> int:
    """Clamp to [0, 1]; NaN and -0 give +0."""
    if form.is_nan(x) or form.is_negative(x):
        return 0
    return min(x, form.one)


def rectify(form: Format, x: int) -> int:
    """``.relu``: +0 for everything below zero, -0 too; NaN stays NaN."""
    if form.is_nan(x):
        return form.default_nan
    return 0 if form.is_negative(x) else x


def to_whole(form: Format, x: int, mode: str) -> int:
    """Round a finite number to a Python integer."""
    number = form.number(x)
    if number.exponent >= 0:
        value = number.magnitude << number.exponent
    else:
        unit = 1 << -number.exponent
        value, rest = divmod(number.magnitude, unit)
        if mode == "rn":
            value += 2 * rest > unit or 2 * rest == unit and value & 1
        elif mode != "rz":
            value += rest != 0 and (mode == "rm") == number.negative
    return -value if number.negative else value


def round_to_whole(form: Format, x: int, mode: str) -> int:
    """Round to a whole number of the same format; the sign of a zero stays."""
    if form.is_nan(x):
        return form.nan(x)
    if form.is_infinite(x):
        return x
    whole = to_whole(form, x, mode)
    return form.round(Number(form.is_negative(x), abs(whole)), "rn")


def from_whole(form: Format, value: int, mode: str) -> int:
    """Round a Python integer to the format."""
    return form.round(Number(value < 0, abs(value)), mode)


def change_format(to: Format, from_: Format, x: int, mode: str) -> int:
    """Convert between formats, rounding once."""
    if from_.is_nan(x):
        return _changed_nan(to, from_, x)
    if from_.is_infinite(x):
        return _signed(to, to.infinity, from_.is_negative(x))
    return to.round(from_.number(x), mode)


def _changed_nan(to: Format, from_: Format, x: int) -> int:
    """A NaN that comes from f64 or goes there keeps its sign and what fits of its payload; the other formats have one NaN.

    bf16 to f32 moves bits, so there a NaN stays what it is.
    """
    widens = (to.name, from_.name) == ("f32", "bf16")
    if 64 not in (to.bits, from_.bits) and not widens:
        return to.default_nan
    payload, more = x & (1 << from_.precision - 1) - 1, to.precision - from_.precision
    payload = payload << more if more > 0 else payload >> -more
    quiet = 0 if widens else 1 << to.precision - 2
    return _signed(to, to.infinity | quiet | payload, from_.is_negative(x))


def compare(form: Format, relation: str, a: int, b: int) -> bool:
    """Compare: ``eq … ge`` are false with a NaN, ``equ … geu`` true; ``num`` and ``nan`` ask for NaNs."""
    unordered = form.is_nan(a) or form.is_nan(b)
    if relation in ("num", "nan"):
        return unordered == (relation == "nan")
    if unordered:
        return relation.endswith("u")
    x, y = (0 if form.is_zero(v) else order(form, v) + form.is_negative(v) for v in (a, b))
    return RELATIONS[relation.removesuffix("u")](x, y)


RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def _signed(form: Format, pattern: int, negative: bool) -> int:
    return pattern | (form.sign if negative else 0)
