"""Operands worth trying: edges of every type first, then random ones of every size."""
from __future__ import annotations

import random

from archdef.testing.reference.formats import FORMATS, Format

_AMOUNTS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 23, 24, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 255, 256, 257)
"""Small numbers that are shift amounts, lanes, positions and lengths too."""


def integers(bits: int) -> list[int]:
    """List edges of an integer width, as patterns."""
    top = 1 << bits
    edges = [0, 1, top - 1, top >> 1, (top >> 1) - 1, (top >> 1) + 1, top - 2, *_AMOUNTS, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000,
             0xFFFF, 0x10000, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x55555555, 0xAAAAAAAA,
             0x0123456789ABCDEF, top - 128, top - 129, top - 32768, top - 32769]
    return list(dict.fromkeys(e % top for e in edges))


def numbers(form: Format) -> list[int]:
    """List edges of a floating-point format, both signs."""
    inf, one = form.infinity, (form.infinity >> 1) & ~((1 << form.precision - 1) - 1)
    unit = 1 << form.precision - 1
    edges = [0, 1, 2, unit - 1, unit, unit + 1, inf - 1, inf, inf + 1, inf + (unit >> 1), inf + unit - 1, one - 1, one, one + 1,
             one + unit, one + unit + (unit >> 1), one - unit, one + (unit >> 1), one - unit + (unit >> 1), one + 2 * unit]
    if form.bits >= 32:  # around the limits of integers, and halves between them
        for power in (7, 8, 15, 16, 31, 32, 63, 64, form.precision - 1, form.precision):
            exact = one + power * unit
            edges += [exact - 1, exact, exact + 1]
        edges += [one + unit * k + unit // 4 for k in (1, 2, 3, 22)]
    if form.bits == 32:
        edges += [0x7E800000, 0x7E800001, 0x7E7FFFFF, 0x40490FDB, 0x3FC90FDB, 0x42FE0000, 0xC2FC0000 & 0x7FFFFFFF, 0x43160000]
    if form.bits == 64:  # where rounding to f32 and f16 overflows, vanishes, ties
        edges += [0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x47EFFFFFEFFFFFFF, 0x380FFFFFC0000000, 0x36A0000000000000,
                  0x3690000000000000, 0x3690000000000001, 0x40EFFC0000000000, 0x40EFFE0000000000, 0x3FF0000010000000,
                  0x3FF0000030000000]
    return edges + [e | form.sign for e in edges]


def edges(type: str) -> list[int]:
    """List edges of a PTX type."""
    if type == "pred":
        return [0, 1]
    if type.endswith("x2"):
        half = edges(type.removesuffix("x2"))
        return [a | half[(7 * k + 5) % len(half)] << 16 for k, a in enumerate(half)]
    return numbers(FORMATS[type]) if type in FORMATS else integers(int(type[1:]))


def some(source: random.Random, type: str) -> int:
    """Draw a pattern of a type: any magnitude, any kind."""
    if type == "pred":
        return source.randrange(2)
    if type.endswith("x2"):
        return some(source, type.removesuffix("x2")) | some(source, type.removesuffix("x2")) << 16
    if type in FORMATS:
        form, kind = FORMATS[type], source.randrange(10)
        unit = 1 << form.precision - 1
        if kind < 4:  # of like size, so that sums cancel and products stay in range
            exponent = (form.infinity // unit >> 1) + source.randrange(-3, 4)
            pattern = exponent * unit + source.randrange(unit)
            if source.random() < 0.3:
                pattern &= ~((1 << source.randrange(form.precision - 1)) - 1)
            return pattern | (form.sign if source.random() < 0.5 else 0)
        if kind < 5:
            return source.randrange(2 * unit) | (form.sign if source.random() < 0.5 else 0)
        if kind < 6:
            return source.choice(numbers(form))
        return source.getrandbits(form.bits)
    bits = int(type[1:])
    kind = source.randrange(4)
    if kind == 0:
        return source.choice(integers(bits))
    value = source.getrandbits(source.randint(1, bits))
    return value if kind < 3 else -value % (1 << bits)


def rows(seed: int, types: list[str], count: int) -> list[tuple[int, ...]]:
    """Give `count` tuples of operands: every edge of each type turns up, then pairs of edges, then random ones."""
    source = random.Random(seed)
    found: list[tuple[int, ...]] = []
    choices = [edges(t) for t in types]
    for k in range(max(map(len, choices), default=0)):
        found.append(tuple(c[k % len(c)] if n == 0 else source.choice(c) for n, c in enumerate(choices)))
    source.shuffle(found)
    found = found[:count * 2 // 3]
    while len(found) < count * 3 // 4:
        found.append(tuple(source.choice(c) for c in choices))
    while len(found) < count:
        found.append(tuple(some(source, t) for t in types))
    return found
