"""Video instructions, as the manual's pseudo-code has them: parts of registers, wide results, saturation, a second operation or a merge."""
from __future__ import annotations

from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.packed import joined
from archdef.testing.reference.types import clamp, read

_COMPARE = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y,
            "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
_COMPUTE = {"vadd": lambda x, y: x + y, "vsub": lambda x, y: x - y, "vabsdiff": lambda x, y: abs(x - y), "vmin": min, "vmax": max,
            "vavrg": lambda x, y: x + y + (x + y >= 0) >> 1}


def place(selector: str) -> tuple[int, int]:
    """Give where a part of a register begins, and its bits."""
    if not selector:
        return 0, 32
    bits = 8 if selector[0] == "b" else 16
    return bits * int(selector[1:]), bits


def part(type: str, pattern: int, selector: str) -> int:
    """Read a part of a register as a type's signedness says."""
    at, bits = place(selector)
    return read(type[0] + str(bits), pattern >> at)


def _types(i) -> list[str]:
    return ["u32", *i.types] if len(i.types) == 2 else list(i.types)


@means("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset")
def scalar(c: Context, i, words: Words) -> Step:
    """One result out of two parts of registers; ``c`` is what it is added to, compared with, or merged into."""
    to, first, second = _types(i)
    saturates, then = words.flag("sat"), words.one("add", "min", "max", default="")
    if i.opcode in ("vshl", "vshr"):
        wraps = words.one("clamp", "wrap") == "wrap"
    holds = _COMPARE[words.one(*_COMPARE)] if i.opcode == "vset" else None
    target, *parts = [*i.selectors, ""][:4]
    at, bits = place(target)

    def compute(x, y):
        if holds:
            return int(holds(x, y))
        if i.opcode in _COMPUTE:
            return _COMPUTE[i.opcode](x, y)
        y = y & 31 if wraps else min(y, 32)
        return x << y if i.opcode == "vshl" else x >> y

    def function(a, b, d=0):
        value = compute(part(first, a, parts[0]), part(second, b, parts[1]))
        if saturates:
            value = clamp(to[0] + str(bits), value)
        if target:
            mask = (1 << bits) - 1 << at
            return d & ~mask | value << at & mask
        d = read(to, d)
        return {"": value, "add": value + d, "min": min(value, d), "max": max(value, d)}[then]
    return c.calculate(i, "u32", [first, second, to][:len(i.operands) - 1], function)


@means("vmad")
def multiply(c: Context, i, words: Words) -> Step:
    """``vmad``: the product of two parts plus c, shifted right; a minus before one factor, or before c, makes the result signed."""
    _, first, second = i.types
    one, saturates, scale = words.flag("po"), words.flag("sat"), int(words.one("shr7", "shr15", default="shr0")[3:])
    opposite = i.selectors[1].startswith("-") != i.selectors[2].startswith("-")
    negated = i.selectors[3].startswith("-")
    to = "s32" if "s" in first + second or opposite or negated else "u32"

    def function(a, b, d):
        product = part(first, a, i.selectors[1].lstrip("-")) * part(second, b, i.selectors[2].lstrip("-"))
        if opposite:
            product = -product
        # the manual adds the complement of c and one, in 32 bits before it is extended
        total = product + (read(to, ~d) + 1 if negated else read(to, d)) + one >> scale
        return clamp(to, total) if saturates else total
    return c.calculate(i, "u32", [first, second, to], function)


@means(*(f"v{op}{count}" for op in "add sub avrg absdiff min max set".split() for count in (2, 4)))
def lanes(c: Context, i, words: Words) -> Step:
    """Two halves or four bytes, each out of both sources' eight bytes; what the mask leaves out is c's, or is not added to it."""
    to, first, second = _types(i)
    count, name = int(i.opcode[-1]), i.opcode[:-1]
    holds = _COMPARE[words.one(*_COMPARE)] if name == "vset" else None
    compute = (lambda x, y: int(holds(x, y))) if holds else _COMPUTE[name]
    saturates, adds = words.flag("sat"), words.flag("add")
    bits = 32 // count
    if saturates and (adds or holds):
        raise unknown(i, "saturation here")
    mask, *picked = (list(map(int, reversed(s[1:]))) for s in i.selectors[:3])
    mask = mask or range(count)
    picked = [p or range(k * count, (k + 1) * count) for k, p in enumerate(picked)]

    def function(a, b, d):
        both = a | b << 32
        values = [compute(read(first[0] + str(bits), both >> bits * x), read(second[0] + str(bits), both >> bits * y)) for x, y in zip(*picked)]
        if adds:
            return d + sum(values[k] for k in mask)
        if saturates:
            values = [clamp(to[0] + str(bits), value) for value in values]
        return joined(bits, [values[k] if k in mask else d >> bits * k for k in range(count)])
    return c.calculate(i, "u32", [first, second, "u32"], function)
