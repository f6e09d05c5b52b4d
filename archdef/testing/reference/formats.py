"""Binary floating-point formats, and the one place where a number is rounded.

A finite number is ``(-1)**negative * magnitude * 2**exponent`` with a Python integer magnitude, so sums and products are exact. What
cannot be exact (quotients, roots, transcendental values) comes with a *tail*: True if the real number is a little larger in magnitude
than what is given. Rounding needs no more than that.
"""
from __future__ import annotations

import attrs


@attrs.frozen(slots=True)
class Number:
    """A finite real number, exact but for `tail`."""

    negative: bool
    magnitude: int
    exponent: int = 0
    tail: bool = False
    """Whether the real magnitude lies strictly between this one and the next integer."""


@attrs.frozen(slots=True)
class Format:
    """An IEEE 754 interchange format. Patterns are unsigned Python integers."""

    name: str
    bits: int
    precision: int
    """Significant bits, the hidden one included."""
    flushes: bool = False
    """Whether results that would be subnormal are zeros of their sign, as ``.ftz`` asks."""

    @property
    def sign(self) -> int:
        """Pattern of the sign bit."""
        return 1 << self.bits - 1

    @property
    def infinity(self) -> int:
        """Pattern of positive infinity."""
        return (1 << self.bits - 1) - (1 << self.precision - 1)

    @property
    def least_exponent(self) -> int:
        """Exponent of the last place of a subnormal number."""
        return 3 - (1 << self.bits - self.precision - 1) - self.precision

    @property
    def default_nan(self) -> int:
        """The NaN of an invalid operation. PTX: 0x7fffffff for f32, 0x7fff for f16 and bf16; f64 is the common negative quiet NaN."""
        return 0xFFF8000000000000 if self.bits == 64 else self.sign - 1

    @property
    def one(self) -> int:
        """Pattern of 1."""
        return (self.infinity >> 1) & ~((1 << self.precision - 1) - 1)

    def is_nan(self, x: int) -> bool:
        """Tell a NaN."""
        return x & (self.sign - 1) > self.infinity

    def is_infinite(self, x: int) -> bool:
        """Tell an infinity of either sign."""
        return x & (self.sign - 1) == self.infinity

    def is_zero(self, x: int) -> bool:
        """Tell a zero of either sign."""
        return x & (self.sign - 1) == 0

    def is_subnormal(self, x: int) -> bool:
        """Tell a subnormal number."""
        return 0 < x & (self.sign - 1) < 1 << self.precision - 1

    def is_negative(self, x: int) -> bool:
        """Tell a set sign bit."""
        return bool(x & self.sign)

    def flush(self, x: int) -> int:
        """Make a subnormal number a zero of its sign, as ``.ftz`` does."""
        return x & self.sign if self.is_subnormal(x) else x

    def nan(self, *operands: int) -> int:
        """Give the NaN that an operation on `operands` gives.

        PTX: all but f64 give the canonical NaN. PTX leaves the payload of f64 open; here the first NaN operand is made quiet, so the
        caller lists operands in the order in which hardware looks at them.
        """
        if self.bits == 64:
            for x in operands:
                if self.is_nan(x):
                    return x | 1 << self.precision - 2
        return self.default_nan

    def number(self, x: int) -> Number:
        """Give the value of a finite pattern."""
        field = x >> self.precision - 1 & (1 << self.bits - self.precision) - 1
        fraction = x & (1 << self.precision - 1) - 1
        if field:
            return Number(self.is_negative(x), fraction | 1 << self.precision - 1, field - 1 + self.least_exponent)
        return Number(self.is_negative(x), fraction, self.least_exponent)

    def round(self, number: Number, mode: str) -> int:
        """Give the pattern next to a number: ``rn`` nearest even, ``rna`` nearest, halves away; ``rz`` toward zero, ``rm`` down, ``rp`` up."""
        sign = self.sign if number.negative else 0
        magnitude, exponent = number.magnitude, number.exponent
        if magnitude == 0 and not number.tail:
            return sign
        if self.flushes and self._is_tiny(number, mode):
            return sign
        # Keep at least two bits below the last place, so that a half and a tail are told apart.
        room = self.precision + 2 - magnitude.bit_length()
        if room > 0:
            magnitude, exponent = magnitude << room, exponent - room
        last = max(magnitude.bit_length() + exponent - self.precision, self.least_exponent)
        drop = last - exponent
        kept, lost = (magnitude >> drop, magnitude & (1 << drop) - 1) if drop > 0 else (magnitude << -drop, 0)
        half = 1 << drop - 1 if drop > 0 else 1
        inexact = lost != 0 or number.tail
        if mode == "rn":
            up = drop > 0 and (lost > half or lost == half and (number.tail or kept & 1))
        elif mode == "rna":
            up = drop > 0 and lost >= half
        elif mode == "rz":
            up = False
        else:
            up = inexact and (mode == "rm") == number.negative
        kept += up
        if kept.bit_length() > self.precision:
            kept, last = kept >> 1, last + 1
        if kept.bit_length() < self.precision:
            return sign | kept
        pattern = (last - self.least_exponent + 1 << self.precision - 1) + kept - (1 << self.precision - 1)
        if pattern < self.infinity:
            return sign | pattern
        away = mode in ("rn", "rna") or mode in ("rm", "rp") and (mode == "rm") == number.negative
        return sign | (self.infinity if away else self.infinity - 1)

    def _is_tiny(self, number: Number, mode: str) -> bool:
        """Tell whether a number is below the least normal one, once it is rounded to the precision with exponents to spare.

        PTX leaves open when ``.ftz`` looks; so an H100 does, in all formats.
        """
        spare = 64
        power = (number.magnitude.bit_length() + number.exponent) - (self.least_exponent + self.precision)
        if power not in (-1, 0):
            return power < 0
        wide = Format(self.name, self.bits + spare.bit_length(), self.precision)
        least = wide.round(Number(False, 1, self.least_exponent + self.precision - 1), "rz")
        return wide.round(number, mode) & (wide.sign - 1) < least


F16 = Format("f16", 16, 11)
BF16 = Format("bf16", 16, 8)
TF32 = Format("tf32", 19, 11)
"""A register holds it in its upper 19 bits."""
F32 = Format("f32", 32, 24)
F64 = Format("f64", 64, 53)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}
"""By PTX type, those that instructions compute in."""
