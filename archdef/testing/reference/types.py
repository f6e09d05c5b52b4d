"""PTX's scalar types: width, sign, and how a bit pattern is read and widened."""
from __future__ import annotations

import functools

INTEGERS = frozenset(f"{sign}{bits}" for sign in "us" for bits in (8, 16, 32, 64))
BITS = frozenset(f"b{bits}" for bits in (8, 16, 32, 64))
FLOATS = frozenset(("f16", "bf16", "f32", "f64"))
HALF_PAIRS = frozenset(("f16x2", "bf16x2"))
INTEGER_PAIRS = frozenset(("u16x2", "s16x2"))
SCALARS = INTEGERS | BITS | FLOATS | {"pred"}


@functools.cache
def width(type: str) -> int:
    """Give the bits of a scalar type; a predicate has 1."""
    if type == "pred":
        return 1
    return 16 if type == "bf16" else 32 if type.endswith("x2") or type == "tf32" else int(type[1:])


def signed(bits: int, pattern: int) -> int:
    """Read the low bits of a pattern as two's complement."""
    pattern &= (1 << bits) - 1
    return pattern - (1 << bits) if pattern >> bits - 1 else pattern


def read(type: str, pattern: int) -> int:
    """Read a pattern as an integer of a type; untyped bits count as unsigned."""
    bits = width(type)
    return signed(bits, pattern) if type[0] == "s" else pattern & (1 << bits) - 1


def extend(type: str, pattern: int, bits: int) -> int:
    """Put a value of a type into `bits` bits: sign-extended if signed, else with zeros."""
    return read(type, pattern) & (1 << bits) - 1


def limits(type: str) -> tuple[int, int]:
    """Give the least and the greatest integer of a type."""
    bits = width(type)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if type[0] == "s" else (0, (1 << bits) - 1)


def clamp(type: str, value: int) -> int:
    """Give the integer of a type next to `value`."""
    low, high = limits(type)
    return min(max(value, low), high)
