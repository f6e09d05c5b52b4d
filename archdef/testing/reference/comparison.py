"""Comparison and selection."""
from __future__ import annotations

from archdef.testing.reference import floats
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.formats import FORMATS
from archdef.testing.reference.types import BITS, HALF_PAIRS, INTEGERS, SCALARS, read, width

_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_ORDERED = tuple(floats.RELATIONS)
_UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
_COMBINE = {"and": lambda a, b: a and b, "or": lambda a, b: a or b, "xor": lambda a, b: a != b}


def relation(c: Context, i, words: Words, type: str):
    """Take the comparison, and give a function of two patterns."""
    if type in FORMATS:
        form, name = FORMATS[type], words.one(*_ORDERED, *_UNORDERED)
        if words.flag("ftz"):
            if type not in ("f32", "f16"):
                raise unknown(i, f"flushing of .{type}")
            return lambda a, b: floats.compare(form, name, form.flush(a), form.flush(b))
        return lambda a, b: floats.compare(form, name, a, b)
    if type not in INTEGERS | BITS or width(type) == 8:
        raise unknown(i, f"comparison of .{type}")
    names = ("eq", "ne") if type[0] == "b" else _ORDERED if type[0] == "s" else (*_ORDERED, *_UNSIGNED)
    name = words.one(*names)
    holds = floats.RELATIONS[_UNSIGNED.get(name, name)]
    return lambda a, b: holds(read(type, a), read(type, b))


def combination(c: Context, i, words: Words):
    """Take the logic that joins a comparison with a predicate; give it and the predicate, or None."""
    name = words.one(*_COMBINE, default="")
    if (len(i.operands) == 4) != bool(name):
        raise unknown(i, f"form with {len(i.operands)} operands")
    return (_COMBINE[name], c.predicate(i, i.operands[3])) if name else None


@means("setp")
def set_predicate(c: Context, i, words: Words) -> Step:
    """``setp``: p = (a cmp b) bool c, q = !(a cmp b) bool c; of pairs, p is of the low halves and q of the high ones."""
    (type,) = i.types
    if type in HALF_PAIRS:
        return set_predicates(c, i, words, type)
    holds, joined = relation(c, i, words, type), combination(c, i, words)
    a, b = (c.source(i, operand, type) for operand in i.operands[1:3])
    first, second = c.predicate_destinations(i, i.operands[0])

    def act(t):
        value = holds(a(t), b(t))
        other = not value
        if joined:
            with_ = joined[1](t)
            value, other = joined[0](value, with_), joined[0](other, with_)
        first(t, value)
        second(t, other)
    return Step("plain", act)


def set_predicates(c: Context, i, words: Words, type: str) -> Step:
    """``setp`` of pairs."""
    holds, joined = relation(c, i, words, type.removesuffix("x2")), combination(c, i, words)
    a, b = (c.source(i, operand, type) for operand in i.operands[1:3])
    stores = c.predicate_destinations(i, i.operands[0])

    def act(t):
        x, y, with_ = a(t), b(t), joined and joined[1](t)
        for store, at in zip(stores, (0, 16)):
            value = holds(x >> at & 0xFFFF, y >> at & 0xFFFF)
            store(t, joined[0](value, with_) if joined else value)
    return Step("plain", act)


def set_pair(c: Context, i, words: Words, to: str, type: str) -> Step:
    """``set`` of pairs: 1.0 or all ones in each half."""
    if to not in ("u32", "s32", type):
        raise unknown(i, f"comparison of .{type} to .{to}")
    yes = FORMATS[type.removesuffix("x2")].one if to == type else 0xFFFF
    holds, joined = relation(c, i, words, type.removesuffix("x2")), combination(c, i, words)
    a, b = (c.source(i, operand, type) for operand in i.operands[1:3])
    store = c.destination(i, i.operands[0], to)

    def act(t):
        x, y, with_, result = a(t), b(t), joined and joined[1](t), 0
        for at in (0, 16):
            value = holds(x >> at & 0xFFFF, y >> at & 0xFFFF)
            result |= (yes if (joined[0](value, with_) if joined else value) else 0) << at
        store(t, result)
    return Step("plain", act)


@means("set")
def set_number(c: Context, i, words: Words) -> Step:
    """``set``: all ones, or 1.0, if the comparison holds."""
    to, type = i.types
    if type in HALF_PAIRS:
        return set_pair(c, i, words, to, type)
    if to not in ("u16", "s16", "u32", "s32", "f16", "bf16", "f32"):
        raise unknown(i, f"comparison to .{to}")
    yes = FORMATS[to].one if to in FORMATS else (1 << width(to)) - 1
    holds, joined = relation(c, i, words, type), combination(c, i, words)
    a, b = (c.source(i, operand, type) for operand in i.operands[1:3])
    store = c.destination(i, i.operands[0], to)

    def act(t):
        value = holds(a(t), b(t))
        store(t, yes if (joined[0](value, joined[1](t)) if joined else value) else 0)
    return Step("plain", act)


@means("selp")
def select(c: Context, i, words: Words) -> Step:
    """``selp``."""
    (type,) = i.types
    if type not in SCALARS or width(type) < 16 or len(i.operands) != 4:
        raise unknown(i, "meaning for this form")
    a, b = (c.source(i, operand, type) for operand in i.operands[1:3])
    chosen, store = c.predicate(i, i.operands[3]), c.destination(i, i.operands[0], type)
    return Step("plain", lambda t: store(t, (a if chosen(t) else b)(t)))


@means("slct")
def select_by_sign(c: Context, i, words: Words) -> Step:
    """``slct``: a if c >= 0, -0 and (with ``.ftz``) subnormal numbers among them; b for NaN."""
    type, by = i.types
    ftz = words.flag("ftz")
    if by == "s32" and not ftz:
        def takes_first(x):
            return not x >> 31
    elif by == "f32":
        form = FORMATS["f32"]

        def takes_first(x):
            return floats.compare(form, "ge", form.flush(x) if ftz else x, 0)
    else:
        raise unknown(i, f"selection by .{by}")
    return c.calculate(i, type, (type, type, by), lambda a, b, x: a if takes_first(x) else b)
