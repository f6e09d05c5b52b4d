"""Operands of the conformance kernels: edge values and pseudo-random ones, the same bits on every machine.

A column of operands is named by a `Column`; `values` gives its uint64 patterns, operand in the low bits. They come from Python's own
generator, whose stream of ``getrandbits`` does not change between versions.
"""
from __future__ import annotations

import random
import re
from functools import cache
from typing import NamedTuple

import numpy as np

TUPLES = 512
"""Operand tuples per form, one per thread."""
FRACTION = {"f16": 10, "f32": 23, "f64": 52, "bf16": 7, "tf32": 23, "e4m3": 3, "e5m2": 2}
"""Types that are floats, and their fraction bits."""


class Column(NamedTuple):
    """One operand of all tuples."""

    kind: str
    """Type of PTX, or ``pred``, or ``mask``: a member mask, the same in a warp."""
    place: int
    """Position among the operands; it is the seed."""
    alone: bool = False
    """Whether it is the only operand: then it takes every edge value."""
    warps: bool = False
    """Whether the last warps hold one value each, so that votes and matches can agree."""
    near: str = ""
    """Results lie at the least normal number: of a product (``mul``), a quotient (``div``), or a conversion to the type named."""


def bits_of(kind: str) -> int:
    """Width of an operand, bits."""
    if kind in ("pred", "mask"):
        return 1 if kind == "pred" else 32
    digits = re.fullmatch(r"[a-z]+(\d+)(?:m(\d))?(?:x(\d))?", kind)
    return (8 if digits[2] else int(digits[1])) * int(digits[3] or 1)


def _float_edges(bits: int, fraction: int) -> list[int]:
    """Patterns at which rules change; the first sixteen are the most telling."""
    bias = (1 << bits - fraction - 2) - 1
    top, full = 2 * bias + 1, (1 << fraction) - 1
    first = [(e, m) for e in (0, bias, top, top - 1) for m in (0, full)]
    rest = [(e, m) for e in (1, 2, 0, *range(bias - 26, bias + 66), top) for m in (1, full + 1 >> 1)]
    return [e % (top + 1) << fraction | m | sign for e, m in first + rest for sign in (0, 1 << bits - 1)]


def _integer_edges(bits: int) -> list[int]:
    """Powers of two, their neighbours and complements."""
    mask = (1 << bits) - 1
    first = [(e, d) for e in (0, bits - 1, 5, 4) for d in (0, -1)]
    rest = [(e, d) for e in range(bits) for d in (0, -1, 1)]
    return [((1 << e) + d ^ flip) & mask for e, d in first + rest for flip in (0, mask)]


def _near(kind: str, place: int, near: str) -> np.ndarray:
    """Operands whose result is a few units below or above the least normal number, or where a conversion overflows."""
    if "x" in kind:
        narrow, count = kind.split("x")
        return np.bitwise_or.reduce([_near(narrow, place + 8 * k, near) << np.uint64(bits_of(narrow) * k) for k in range(int(count))])
    fraction, bits = FRACTION[kind], bits_of(kind)
    bias, one = (1 << bits - fraction - 2) - 1, 1 << fraction
    draw, made = random.Random(99 + place // 8).getrandbits, []
    for _ in range(TUPLES):
        significand, off, signs, exponent, tiny = one + draw(fraction), draw(4) - 8, draw(3), draw(5), draw(2)
        def pack(exponent, whole, sign):
            while whole >= 2 * one:
                whole, exponent = whole + 1 >> 1, exponent + 1
            if whole < one:
                whole, exponent = whole << 1, exponent - 1
            return exponent + bias << fraction | whole - one | sign << bits - 1
        least = 1 - bias
        if near in FRACTION:            # a conversion: half units of the narrower format below its least and above its greatest number
            narrow = FRACTION[near]
            target = (1 << bits_of(near) - narrow - 2) - 1
            half = 1 << fraction - narrow - 1
            if signs & 2:
                made.append(pack(1 - target, one + off // 4 * half + tiny - 1, signs & 1))
            else:
                made.append(pack(target, 2 * one - half * (1 + exponent % 3) + tiny - 1, signs & 1))
        elif place % 8 == 2:            # what is added to the product
            made.append((tiny if signs & 2 else one + tiny - 1) | (signs >> 2) << bits - 1)
        elif near == "div":
            made.append(pack(least + exponent, significand + off, signs & 1) if place % 8 == 0 else pack(exponent, significand, signs >> 1 & 1))
        elif place % 8 == 0:
            made.append(pack(least // 2, significand, signs & 1))
        else:
            made.append(pack(least - least // 2 - 1, 2 * one * one // significand + off, signs >> 1 & 1))
    return np.array(made, np.uint64)


@cache
def values(column: Column) -> np.ndarray:
    """Operands of all tuples, uint64: all pairs of the first edges, edges beside random values, random values."""
    kind, place, alone, warps, near = column
    if near:
        return _near(kind, place, near)
    if "x" in kind:
        narrow, count = kind.split("x")
        parts = [values(Column(narrow, place + 8 * k)) << np.uint64(bits_of(narrow) * k) for k in range(int(count))]
        return np.bitwise_or.reduce(parts)
    draw, bits = random.Random(place).getrandbits, bits_of(kind)
    if kind == "mask":
        masks = [0xFFFFFFFF, 1, 0x80000000, *(draw(32) for _ in range(TUPLES // 32 - 3))]
        return np.repeat(np.array(masks, np.uint64), 32)
    fraction, mask = FRACTION.get(kind), (1 << bits) - 1
    edges = _float_edges(bits, fraction) if fraction else _integer_edges(bits)

    def one(i: int) -> int:
        how, x, choice = draw(3), draw(bits), draw(16)
        if alone and i < len(edges):
            return edges[i]
        if place < 2 and i < 256:
            return edges[i >> 4 * place & 15]
        if how & 1:
            return edges[choice % len(edges)]
        if not fraction:
            return x >> choice % bits ^ -(how >> 1 & 1)
        if how & 2:  # near one
            bias = (mask >> fraction + 2)
            x = x % (1 << fraction) + (choice % 32 + bias - 16) * (1 << fraction) | x >> bits - 1 << bits - 1
        cut = choice // 32 % fraction  # half-way between two numbers of a narrower format, or just below
        return (x >> cut << cut) + (1 << cut >> 1) - cut % 2 if how > 5 else x

    drawn = [one(i) & mask for i in range(TUPLES)]
    if warps and place < 1:
        drawn[352:] = drawn[:1] * 96 + [0] * 64
    return np.array(drawn, np.uint64)
