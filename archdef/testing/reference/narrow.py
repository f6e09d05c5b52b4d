"""``cvt`` among floats of 8, 6 and 4 bits in pairs, single and half precision; the first source is the upper half."""
from __future__ import annotations

from fractions import Fraction

import attrs

from archdef.testing.reference.code import Context, Step, Words
from archdef.testing.reference.formats import FORMATS


@attrs.frozen
class Narrow:
    """A format whose numbers are few enough to be listed."""

    name: str
    exponent: int
    fraction: int
    bias: int
    most: int
    """Pattern of the largest number."""
    nan: int
    """What a NaN becomes."""
    nans: tuple[int, ...] = ()
    """Patterns of no sign that are NaNs."""
    infinity: int | None = None

    @property
    def sign(self) -> int:
        """Pattern of the sign."""
        return 1 << self.exponent + self.fraction

    def value(self, magnitude: int) -> Fraction:
        """Give a number's value."""
        field, rest = divmod(magnitude, 1 << self.fraction)
        return Fraction(rest + (bool(field) << self.fraction)) * Fraction(2) ** (max(field, 1) - self.bias - self.fraction)

    def round(self, value: Fraction) -> int:
        """Give the nearest number's pattern, the even one of two, the largest beyond it."""
        return min(range(self.most + 1), key=lambda p: (abs(self.value(p) - value), p & 1))


NARROW = {f.name: f for f in (Narrow("e4m3x2", 4, 3, 7, 0x7E, 0x7F, (0x7F,)), Narrow("e5m2x2", 5, 2, 15, 0x7B, 0x7F, (0x7D, 0x7E, 0x7F), 0x7C),
                              Narrow("e2m3x2", 2, 3, 1, 0x1F, 0x1F), Narrow("e3m2x2", 3, 2, 3, 0x1F, 0x1F), Narrow("e2m1x2", 2, 1, 1, 7, 7))}
EXPONENT = "ue8m0x2"


def _number(form, x: int) -> Fraction:
    n = form.number(x)
    return Fraction(n.magnitude) * Fraction(2) ** n.exponent


def _narrowed(to: Narrow, form, x: int, relu: bool) -> int:
    if form.is_nan(x):
        return to.nan
    if form.is_negative(x) and relu:
        return 0
    return (to.most if form.is_infinite(x) else to.round(_number(form, x))) | to.sign * form.is_negative(x)


def _widened(from_: Narrow, x: int, relu: bool) -> int:
    magnitude, negative = x & from_.sign - 1, bool(x & from_.sign)
    if magnitude in from_.nans:
        return 0x7FFF
    if negative and relu:
        return 0
    value = from_.value(magnitude)
    half = 0x7C00 if magnitude == from_.infinity else next(p for p in _halves(value) if _number(FORMATS["f16"], p) == value)
    return half | 0x8000 * negative


def _halves(value: Fraction):
    """Guess patterns of f16: the value's exponent and the ten bits behind it."""
    if value == 0:
        yield 0
        return
    exponent = 0
    while value >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while value < Fraction(2) ** exponent:
        exponent -= 1
    if exponent < -14:
        yield int(value * 2 ** 24)
    else:
        yield exponent + 15 << 10 | int((value / Fraction(2) ** exponent - 1) * 1024)


def _exponent(form, x: int, up: bool, finite: bool) -> int:
    if form.is_nan(x):
        return 0xFF
    if form.is_infinite(x):
        return 0xFE if finite else 0xFF
    value = _number(form, x)
    power = next((k for k in range(255) if Fraction(2) ** (k - 127) >= value), 255)
    if not up and power and (power == 255 or Fraction(2) ** (power - 127) > value):
        power -= 1
    return min(power, 0xFE) if finite else power


def convert(c: Context, i, words: Words) -> Step:
    """``cvt`` from or to one of the narrow formats."""
    to, from_ = i.types
    mode = words.one("rn", "rz", "rp")
    finite, relu = words.flag("satfinite"), words.flag("relu")
    if from_ == EXPONENT:
        return c.calculate(i, "b32", ["b16"], lambda a: _two(16, lambda x: 0x7FFF if x == 255 else x << 7 or 0x40, a >> 8, a & 255))
    if from_ in NARROW:
        source = NARROW[from_]
        bits = 4 if from_ == "e2m1x2" else 8
        return c.calculate(i, "b32", ["b8" if bits == 4 else "b16"],
                           lambda a: _two(16, lambda x: _widened(source, x, relu), a >> bits & (1 << bits) - 1, a & (1 << bits) - 1))
    form = FORMATS[from_.removesuffix("x2")]

    def one(x):
        return _exponent(form, x, mode == "rp", finite) if to == EXPONENT else _narrowed(NARROW[to], form, x, relu)
    bits, result = (4, "b8") if to == "e2m1x2" else (8, "b16")
    if from_ == "f32":
        return c.calculate(i, result, ["f32", "f32"], lambda a, b: _two(bits, one, a, b))
    return c.calculate(i, result, ["b32"], lambda a: _two(bits, one, a >> 16, a & 0xFFFF))


def _two(bits: int, function, high: int, low: int) -> int:
    return function(high) << bits | function(low)
