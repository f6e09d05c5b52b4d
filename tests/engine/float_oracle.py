"""Exact IEEE 754 arithmetic on bit patterns, in every rounding direction, by fractions: the oracle for lane functions."""
from __future__ import annotations

import math
from fractions import Fraction

CANONICAL = 0x7FFFFFFF


class Format:
    """A binary format: precision and exponent range."""

    def __init__(self, bits: int, precision: int):
        self.bits, self.precision = bits, precision
        self.exponent_bits = bits - precision
        self.bias = (1 << self.exponent_bits - 1) - 1
        self.infinity = ((1 << self.exponent_bits) - 1) << precision - 1
        self.largest = self.infinity - 1
        self.sign = 1 << bits - 1

    def is_nan(self, x: int) -> bool:
        return x & ~self.sign > self.infinity

    def is_infinite(self, x: int) -> bool:
        return x & ~self.sign == self.infinity

    def is_subnormal(self, x: int) -> bool:
        return 0 < x & ~self.sign < 1 << self.precision - 1

    def negative(self, x: int) -> bool:
        return bool(x & self.sign)

    def value(self, x: int) -> Fraction:
        """Value of a finite pattern."""
        magnitude = x & ~self.sign
        exponent, fraction = magnitude >> self.precision - 1, magnitude & (1 << self.precision - 1) - 1
        if exponent:
            fraction |= 1 << self.precision - 1
        else:
            exponent = 1
        value = fraction * Fraction(2) ** (exponent - self.bias - self.precision + 1)
        return -value if self.negative(x) else value

    def flush(self, x: int) -> int:
        return x & self.sign if self.is_subnormal(x) else x

    def round(self, value: Fraction, mode: str, zero_sign: bool = False) -> int:
        """Nearest pattern in a direction (rn, rz, rm, rp); `zero_sign` is the sign of an exact zero."""
        if value == 0:
            return self.sign if zero_sign else 0
        negative, magnitude = value < 0, abs(value)
        exponent = max(_floor_log2(magnitude), 1 - self.bias)
        unit = Fraction(2) ** (exponent - self.precision + 1)
        whole, rest = divmod(magnitude, unit)
        whole, half = int(whole), rest * 2
        up = {"rn": half > unit or (half == unit and whole & 1), "rz": False,
              "rm": negative and rest > 0, "rp": not negative and rest > 0}[mode]
        whole += up
        if whole >= 1 << self.precision:
            whole, exponent = whole >> 1, exponent + 1
        pattern = whole + ((exponent + self.bias - 1) << self.precision - 1) if whole >> self.precision - 1 else whole
        if pattern > self.largest:
            # beyond the largest number: infinity, unless the direction points back
            back = mode == "rz" or (mode == "rm" and not negative) or (mode == "rp" and negative)
            pattern = self.largest if back else self.infinity
        return pattern | (self.sign if negative else 0)


F16, F32, F64 = Format(16, 11), Format(32, 24), Format(64, 53)


def _floor_log2(x: Fraction) -> int:
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if Fraction(2) ** guess <= x else guess - 1


def nan(form: Format, *operands: int) -> int:
    """The NaN that an operation gives: canonical, or the first operand here that is one, made quiet (the order is an H100's)."""
    if form is F32:
        return CANONICAL
    for x in operands:
        if form.is_nan(x):
            return x | 1 << 51
    return 0xFFF8000000000000


def fma(form: Format, a: int, b: int, c: int, mode: str) -> int:
    """a * b + c with one rounding."""
    if any(map(form.is_nan, (a, b, c))):
        return nan(form, b, c, a)
    sign = form.negative(a) != form.negative(b)
    zero = a & ~form.sign == 0 or b & ~form.sign == 0
    if form.is_infinite(a) or form.is_infinite(b):
        if zero or (form.is_infinite(c) and form.negative(c) != sign):
            return nan(form)
        return form.infinity | (form.sign if sign else 0)
    if form.is_infinite(c):
        return c
    exact = form.value(a) * form.value(b) + form.value(c)
    both = sign == form.negative(c)
    zero_sign = sign if zero and c & ~form.sign == 0 and both else sign if both else mode == "rm"
    return form.round(exact, mode, zero_sign)


def add(form: Format, a: int, b: int, mode: str) -> int:
    """a + b."""
    if form.is_nan(a) or form.is_nan(b):
        return nan(form, b, a)
    if form.is_infinite(a) or form.is_infinite(b):
        if form.is_infinite(a) and form.is_infinite(b):
            return a if a == b else nan(form)
        return a if form.is_infinite(a) else b
    zero_sign = form.negative(a) if form.negative(a) == form.negative(b) else mode == "rm"
    return form.round(form.value(a) + form.value(b), mode, zero_sign)


def mul(form: Format, a: int, b: int, mode: str) -> int:
    """a * b."""
    if form.is_nan(a) or form.is_nan(b):
        return nan(form, b, a)
    sign = form.negative(a) != form.negative(b)
    if form.is_infinite(a) or form.is_infinite(b):
        if a & ~form.sign == 0 or b & ~form.sign == 0:
            return nan(form)
        return form.infinity | (form.sign if sign else 0)
    return form.round(form.value(a) * form.value(b), mode, sign)


def div(form: Format, a: int, b: int, mode: str) -> int:
    """a / b; the dividend's NaN comes first."""
    if form.is_nan(a) or form.is_nan(b):
        return nan(form, a, b)
    sign = form.sign if form.negative(a) != form.negative(b) else 0
    zero_a, zero_b = a & ~form.sign == 0, b & ~form.sign == 0
    if (zero_a and zero_b) or (form.is_infinite(a) and form.is_infinite(b)):
        return nan(form)
    if form.is_infinite(a) or zero_b:
        return form.infinity | sign
    if form.is_infinite(b):
        return sign
    return form.round(form.value(a) / form.value(b), mode, bool(sign))


def sqrt(form: Format, a: int, mode: str) -> int:
    """Square root: rounded from 200 bits and a sticky one."""
    if form.is_nan(a):
        return nan(form, a)
    if a & ~form.sign == 0:
        return a
    if form.negative(a):
        return nan(form)
    if form.is_infinite(a):
        return a
    scaled = form.value(a) * Fraction(4) ** 600
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    exact = root * root == whole and scaled.denominator == 1
    return form.round((2 * root + (not exact)) / Fraction(2) ** 601, mode)


def convert(value: int, to: Format, from_: Format, mode: str) -> int:
    """Change of format."""
    sign = to.sign if from_.negative(value) else 0
    if from_.is_nan(value):
        if from_ is F64:  # sign and upper payload stay, made quiet
            return sign | to.infinity | 1 << to.precision - 2 | (value & (1 << 52) - 1) >> 53 - to.precision
        return CANONICAL if to is F32 else 0x7FFF if to is F16 else nan(to)
    if from_.is_infinite(value):
        return to.infinity | sign
    return to.round(from_.value(value), mode, bool(sign))
