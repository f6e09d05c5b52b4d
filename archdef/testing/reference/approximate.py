"""Exact values of the approximate instructions, to 60 digits by series of our own in `decimal`, and the errors that PTX allows.

PTX ISA, div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh: the bounds below are those of its pages, the laxest where editions differ.
"""
from __future__ import annotations

import math
from decimal import Decimal, localcontext

from archdef.testing.reference import floats
from archdef.testing.reference.formats import F32, F64, Format, Number

DIGITS = 60
_GUARD = 130
"""Bits kept behind the binary point of a result's leading digit, far more than any format has."""


def _pi() -> Decimal:
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239)."""
    with localcontext() as context:
        context.prec = DIGITS + 60

        def arctangent(n):
            total, power, k = Decimal(0), Decimal(1) / n, 1
            while abs(power) > Decimal(10) ** -(DIGITS + 55):
                total += power / k if k % 4 == 1 else -power / k
                power, k = power / (n * n), k + 2
            return total
        return 16 * arctangent(5) - 4 * arctangent(239)


PI = _pi()


def exact(form: Format, x: int) -> Decimal:
    """Give the value of a finite pattern."""
    n = form.number(x)
    with localcontext() as context:
        context.prec = 1200  # a subnormal f64 has 1074 binary places
        value = Decimal(n.magnitude) * Decimal(2) ** n.exponent if n.exponent >= 0 else Decimal(n.magnitude) / Decimal(2) ** -n.exponent
    return -value if n.negative else value


def rounded(form: Format, value: Decimal, mode: str = "rn") -> int:
    """Round a decimal value; it is taken to be inexact in its last digit, so ties do not matter."""
    if value == 0:
        return 0
    with localcontext() as context:
        context.prec = 400
        magnitude = abs(value)
        exponent = max(math.floor(magnitude.adjusted() * math.log2(10)) - _GUARD, -1400)
        whole = int(magnitude * Decimal(2) ** -exponent if exponent < 0 else magnitude / Decimal(2) ** exponent)
    return form.round(Number(value < 0, whole, exponent, False), mode)


# ------------------------------------------------------------------------------------------------------------- functions
def sine_value(x: Decimal) -> Decimal:
    """sin x, by its series after whole turns are taken off."""
    with localcontext() as context:
        context.prec = DIGITS + 50
        x = x % (2 * PI)
        total, term, k = Decimal(0), x, 1
        while abs(term) > Decimal(10) ** -(DIGITS + 40):
            total += term
            term = -term * x * x / ((k + 1) * (k + 2))
            k += 2
        return +total


def cosine_value(x: Decimal) -> Decimal:
    """cos x = sin(x + pi/2)."""
    with localcontext() as context:
        context.prec = DIGITS + 110
        return sine_value(x + PI / 2)


def _plain(value, at_infinity, at_minus_infinity, at_zero=None):
    """Make a rounded function of a pattern out of one of decimals and its limits: functions of the format, of the zero too."""
    def function(form: Format, x: int, mode: str) -> int:
        if form.is_nan(x):
            return form.nan(x)
        if form.is_infinite(x):
            return at_minus_infinity(form) if form.is_negative(x) else at_infinity(form)
        if form.is_zero(x) and at_zero is not None:
            return at_zero(form, x)
        with localcontext() as context:
            context.prec = DIGITS
            result = value(exact(form, x))
        return form.default_nan if result is None else rounded(form, result, mode)
    return function


def power_value(x: Decimal) -> Decimal:
    """2**x; limits stand for what no format can hold."""
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(2) ** min(max(x, Decimal(-400)), Decimal(400))


def logarithm_value(x: Decimal) -> Decimal | None:
    """log2 x; None below zero."""
    with localcontext() as context:
        context.prec = DIGITS
        return None if x < 0 else x.ln() / Decimal(2).ln()


def tangent_value(x: Decimal) -> Decimal:
    """tanh x = (e**2x - 1) / (e**2x + 1), with digits enough for small x."""
    with localcontext() as context:
        context.prec = DIGITS + 50
        grown = (2 * min(max(x, Decimal(-100)), Decimal(100))).exp()
        return (grown - 1) / (grown + 1)


def reciprocal_root(form: Format, a: int, mode: str) -> int:
    """1 / sqrt a, rounded once."""
    if form.is_nan(a):
        return form.nan(a)
    if form.is_zero(a):
        return form.infinity | a
    if form.is_negative(a):
        return form.nan()
    if form.is_infinite(a):
        return 0
    with localcontext() as context:
        context.prec = DIGITS
        return rounded(form, 1 / exact(form, a).sqrt(), mode)


def _nan(form: Format) -> int:
    return form.default_nan


def _infinity(form: Format) -> int:
    return form.infinity


def _same(form: Format, x: int) -> int:
    return x


FUNCTIONS = {
    "rsqrt": reciprocal_root,
    "sin": _plain(sine_value, _nan, _nan, _same),
    "cos": _plain(cosine_value, _nan, _nan),
    "lg2": _plain(logarithm_value, _infinity, _nan, lambda form, x: form.infinity | form.sign),
    "ex2": _plain(power_value, _infinity, lambda form: 0),
    "tanh": _plain(tangent_value, lambda form: form.one, lambda form: form.one | form.sign, _same)}


def divide(form: Format, a: int, b: int) -> int:
    """``div.approx.f32``: for 2**126 < |b| the quotient is 0, or NaN if a is infinite."""
    magnitude = b & 0x7FFFFFFF
    if 0x7E800000 < magnitude < F32.infinity and not F32.is_nan(a):
        return F32.default_nan if F32.is_infinite(a) else (a ^ b) & F32.sign
    return floats.divide(form, a, b, "rn")


def upper_word(a: int, function) -> int:
    """``rcp.approx.ftz.f64`` and its like: the lower word of input and result is zero, subnormal numbers are flushed."""
    if F64.is_nan(a):
        return 0x7FFFFFFF00000000
    result = function(F64, F64.flush(a & ~0xFFFFFFFF), "rn")
    return 0x7FFFFFFF00000000 if F64.is_nan(result) else F64.flush(result & ~0xFFFFFFFF)
