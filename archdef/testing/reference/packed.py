"""Small integers side by side in a 32-bit register: pairs of 16 bits."""
from __future__ import annotations

from archdef.testing.reference.code import Context, Step, Words
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.types import read


def parts(type: str, count: int, pattern: int) -> list[int]:
    """Split a pattern into integers of a type, lowest first."""
    bits = int(type[1:])
    return [read(type, pattern >> bits * k) for k in range(count)]


def joined(bits: int, values) -> int:
    """Put the low bits of integers side by side, lowest first."""
    return sum((value & (1 << bits) - 1) << bits * k for k, value in enumerate(values))


def pair(c: Context, i, words: Words) -> Step:
    """``add``, ``min``, ``max`` of ``u16x2`` and ``s16x2``; ``.relu`` gives 0 for what is below."""
    (type,) = i.types
    element, relu = type.removesuffix("x2"), words.flag("relu")
    if relu and (i.opcode == "add" or element == "u16"):
        raise unknown(i, "meaning for .relu here")
    function = {"add": lambda a, b: a + b, "min": min, "max": max}[i.opcode]

    def both(a, b):
        results = [function(x, y) for x, y in zip(parts(element, 2, a), parts(element, 2, b))]
        return joined(16, [max(r, 0) for r in results] if relu else results)
    return c.calculate(i, type, (type, type), both)
