"""Moves, generic addresses and what tells spaces apart."""
from __future__ import annotations

from archdef.ptx import ir
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.memory import LOCAL_WINDOW, PARAMETER_BYTES, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_BYTES
from archdef.testing.reference.types import SCALARS, width


@means("mov")
def move(c: Context, i, words: Words) -> Step:
    """``mov``: registers, constants, addresses; packing ``{a, b}`` into a wider register and unpacking it, lowest first."""
    (type,), (target, source) = i.types, i.operands
    if type not in SCALARS and type != "b128":
        raise unknown(i, f"moves of .{type}")
    if type == "pred":
        store, read_predicate = c.predicate_destinations(i, target)[0], c.predicate(i, source)
        return Step("plain", lambda t: store(t, read_predicate(t)))
    bits = width(type)
    if isinstance(source, ir.Vector):
        part = bits // len(source.elements)
        parts = [c.source(i, element, f"b{part}") for element in source.elements]
        store = c.destination(i, target, type)
        return Step("plain", lambda t: store(t, sum(p(t) << part * k for k, p in enumerate(parts))))
    if isinstance(target, ir.Vector):
        part = bits // len(target.elements)
        stores = [c.destination(i, element, f"b{part}") for element in target.elements]
        whole = c.source(i, source, type)

        def unpack(t):
            value = whole(t)
            for k, store in enumerate(stores):
                store(t, value >> part * k & (1 << part) - 1)
        return Step("plain", unpack)
    return c.calculate(i, type, [type], lambda a: a)


# ------------------------------------------------------------------------------------------------------ generic addresses
_WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW, "param": PARAMETER_WINDOW, "global": 0, "const": 0}
_SPACES = (*_WINDOWS, "shared::cta", "shared::cluster", "param::entry")
"""A block is its own cluster, and only kernels' parameters have addresses: the longer names mean the same."""


@means("cvta")
def generic(c: Context, i, words: Words) -> Step:
    """``cvta``: from an address inside a space to a generic one; ``.to`` back."""
    (type,), back = i.types, words.flag("to")
    window = _WINDOWS[words.one(*_SPACES).partition("::")[0]]
    return c.calculate(i, type, [type], lambda a: a - window if back else a + window)


@means("isspacep")
def is_space(c: Context, i, words: Words) -> Step:
    """``isspacep``: does a generic address lie in a space. What is in no other space is global."""
    space = words.one(*_SPACES).partition("::")[0]
    operand = i.operands[1]
    read_address = c.source(i, operand, "u32" if isinstance(operand, ir.Register) and width(operand.type) == 32 else "u64")
    store, other = c.predicate_destinations(i, i.operands[0])

    def act(t):
        address = read_address(t)
        inside = {name: start <= address < start + length
                  for name, start, length in (("shared", SHARED_WINDOW, WINDOW_BYTES), ("local", LOCAL_WINDOW, WINDOW_BYTES),
                                              ("param", PARAMETER_WINDOW, PARAMETER_BYTES))}
        inside["const"] = any(start <= address < end for start, end in c.layout.constants)
        value = inside[space] if space in inside else not any(inside.values())
        store(t, value)
        other(t, not value)
    return Step("plain", act)
