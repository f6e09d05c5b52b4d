"""Accesses at multicast addresses, of which one device is the only member (PTX ISA, multimem).

A reduction of what the members hold is what the one holds, whatever the precision of the sum. ``multimem.red`` is an atomic of each element.
"""
from __future__ import annotations

from archdef.testing.reference.access import address_of, elements_of
from archdef.testing.reference.atomics import operation
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.types import extend, width

_BYTES = {"e4m3": 1, "e5m2": 1, "e4m3x2": 2, "e5m2x2": 2, "e4m3x4": 4, "e5m2x4": 4}
_OPERATIONS = ("add", "min", "max", "and", "or", "xor")


def _size(type: str) -> int:
    return _BYTES.get(type) or width(type) // 8


@means("multimem")
def multimem(c: Context, i, words: Words) -> Step:
    """``multimem.ld_reduce``, ``.st``, ``.red``."""
    (type,) = i.types
    what = words.one("ld_reduce", "st", "red")
    words.ignore("global", "weak", "relaxed", "acquire", "release", "cta", "cluster", "gpu", "sys", "acc::f32", "acc::f16")
    count, size = int(words.one("v2", "v4", "v8", default="v1")[1:]), _size(type)
    name = words.one(*_OPERATIONS) if what != "st" else ""
    place, values = (i.operands[1], i.operands[0]) if what == "ld_reduce" else i.operands
    address, space = address_of(c, i, place, "global")
    if space != "global":
        raise unknown(i, f"multicast address in {space} memory")
    held = f"b{8 * size}" if type in _BYTES else type
    elements = elements_of(i, values, count)
    puts = [c.destination(i, e, held) if e is not None else None for e in elements] if what == "ld_reduce" else []
    takes = [] if what == "ld_reduce" else [c.source(i, e, held) for e in elements]
    halves = 2 if type.endswith("x2") else 1
    change = operation(i, words, name, type.removesuffix("x2"), count * halves) if what == "red" else None

    def act(t):
        memory = t.block.memory
        if address(t) % (size * count):
            raise Wrong(f"misaligned access of {size * count} bytes at {address(t):#x}")
        area, at = memory.area(memory.behind(address(t), size * count), size * count)
        for k in range(count):
            part = slice(at + k * size, at + (k + 1) * size)
            old = int.from_bytes(area[part], "little")
            if what == "ld_reduce":
                if puts[k] is not None:
                    puts[k](t, old if type in _BYTES else extend(type, old, width(type)))
                continue
            new = takes[k](t)
            if what == "red":
                bits = 8 * size // halves
                mask = (1 << bits) - 1
                new = sum(change(old >> low & mask, new >> low & mask, True) << low for low in range(0, 8 * size, bits))
            area[part] = (new & (1 << 8 * size) - 1).to_bytes(size, "little")
    return Step("plain", act)
