"""Atomics: read, compute, write, in one step of one thread. What several threads do to one place happens in some order.

PTX ISA, atom: an f32 addition on global memory flushes subnormal inputs and results, one on shared memory does not. 16-bit floats are
never flushed. A vector or a pair is so many atomics, one for each element.
"""
from __future__ import annotations

from collections.abc import Callable

from archdef.testing.reference import floats
from archdef.testing.reference.access import address_of, area, elements_of, take_space
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.formats import FORMATS, Format
from archdef.testing.reference.types import extend, read, width

_INTEGER_OPERATIONS = {
    "add": lambda old, b: old + b, "min": min, "max": max, "and": lambda old, b: old & b, "or": lambda old, b: old | b,
    "xor": lambda old, b: old ^ b, "exch": lambda old, b: b,
    "inc": lambda old, b: 0 if old >= b else old + 1, "dec": lambda old, b: b if old == 0 or old > b else old - 1}


def add(form: Format, old: int, b: int, in_global: bool, ftz: bool = False) -> int:
    """Add. In global memory a NaN operand of f64 stays as it is, a signalling one too; in shared memory, where a
    loop adds, the old one of two NaNs stays: so an H100."""
    if form.bits == 64 and in_global and (form.is_nan(old) or form.is_nan(b)):
        return b if form.is_nan(b) else old
    if form.bits == 64 and not in_global:
        old, b = b, old
    flushes = ftz or form.bits == 32 and in_global
    if flushes:
        old, b = form.flush(old), form.flush(b)
    result = floats.add(form, old, b, "rn")
    return form.flush(result) if flushes else result


def operation(i, words: Words, name: str, type: str, count: int) -> Callable:
    """Give the function of an atomic: old pattern, operand, and whether they lie in global memory, to new pattern."""
    if type in FORMATS and name != "exch":
        form, ftz = FORMATS[type], type == "f32" and words.flag("ftz")
        if form.bits == 16 and (name == "add" or i.opcode != "cp") and i.opcode != "multimem":
            words.one("noftz")
        if name == "add":
            return lambda old, b, in_global: add(form, old, b, in_global, ftz)
        if name not in ("min", "max") or form.bits != 16 or count == 1:
            raise unknown(i, f"atomic {name} of .{type}")
        choose = floats.least if name == "min" else floats.greatest
        return lambda old, b, in_global: choose(form, old, b)
    if name in ("inc", "dec") and type != "u32":
        raise unknown(i, f"atomic {name} of .{type}")
    function, mask = _INTEGER_OPERATIONS[name], (1 << width(type)) - 1
    return lambda old, b, in_global: function(read(type, old), read(type, b)) & mask


@means("atom", "red")
def atomic(c: Context, i, words: Words) -> Step:
    """``atom``, ``red``."""
    (type,) = i.types
    space = take_space(words)
    name = words.one("cas", *_INTEGER_OPERATIONS)
    count = int(words.one("v2", "v4", default="v1")[1:])
    halves = 2 if type.endswith("x2") else 1
    element = type.removesuffix("x2")
    if name == "cas":
        def change(old, b, new, in_global):
            return new if old == b else old
    else:
        change = operation(i, words, name, element, count)
    operands = i.operands[1:] if i.opcode == "atom" else i.operands
    sources = [elements_of(i, operand, count) for operand in operands[1:3 if name == "cas" else 2]]
    values = [[c.source(i, e, type) for e in source] for source in sources]
    puts = [c.destination(i, e, type) for e in elements_of(i, i.operands[0], count)] if i.opcode == "atom" else []
    address, space = address_of(c, i, operands[0], space)
    size, bits = width(type) // 8, width(element)

    def act(t):
        held, at = area(t, space, address(t), size * count)
        in_global = held is not t.block.shared
        found = []
        for k in range(count):
            place = slice(at + k * size, at + (k + 1) * size)
            old, operands = int.from_bytes(held[place], "little"), [v[k](t) for v in values]
            found.append(old)
            new = 0
            for low in range(0, bits * halves, bits):
                mask = (1 << bits) - 1
                new |= change(old >> low & mask, *[x >> low & mask for x in operands], in_global) << low
            held[place] = new.to_bytes(size, "little")
        for put, old in zip(puts, found):
            put(t, extend(type, old, width(type)))
    return Step("plain", act)
