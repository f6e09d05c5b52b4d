"""Literals and constant expressions, with PTX's 64-bit signed and unsigned arithmetic."""

from __future__ import annotations

import operator
import struct

from .ir import Immediate
from .scan import Cursor

_PRECEDENCE = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    "==": 6,
    "!=": 6,
    "<": 7,
    ">": 7,
    "<=": 7,
    ">=": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "%": 10,
}
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_COMBINE = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_DEEPEST = 32
"""Nesting of parentheses and signs: bounds the Python stack, far above what any compiler writes."""
_LONGEST = 70
"""Characters of an integer literal: ``0b``, 64 digits and the suffix fit."""


def literal(cursor: Cursor) -> Immediate:
    """Take one number, keeping the exact bits of ``0f…`` and ``0d…``."""
    text = cursor.texts[cursor.at]
    value = _number(text)
    if isinstance(value, str):
        raise cursor.fail(f"{cursor.shown()} is not a number: {value}")
    cursor.at += 1
    return value


def constant(cursor: Cursor) -> Immediate:
    """Take a constant expression, ``(1<<4)|3``, and give its value.

    Notes
    -----
    Values are 64 bits wide; one unsigned operand (suffix ``U``, or too large for a signed one) makes the operation
    unsigned. A lone literal, signed or not, keeps its exact value and bits.
    """
    return _ternary(cursor, 0)[0]


def integer(cursor: Cursor, what: str, least: int = 0) -> int:
    """Take a constant expression that must be a whole number of at least `least`."""
    at = cursor.at
    value = constant(cursor).value
    if not isinstance(value, int) or value < least:
        raise cursor.fail(f"{what} must be a whole number of at least {least}, got {value}", at)
    return value


def starts_constant(text: str) -> bool:
    """Tell whether a token can begin a constant expression."""
    return text[:1].isdigit() or text in ("-", "+", "~", "!", "(") or (text[:1] == "." and text[1:2].isdigit())


# ------------------------------------------------------------------------------------------------------------ literals
def _number(text: str) -> Immediate | str:
    """Read a literal; a string says what is wrong with it."""
    kind, digits = text[:2].lower(), text[2:]
    if kind in ("0f", "0d"):
        width = 32 if kind == "0f" else 64
        if len(digits) != width // 4 or not _is_hexadecimal(digits):
            return f"`{text[:2]}` takes {width // 4} hexadecimal digits"
        bits = int(digits, 16)
        packed = bits.to_bytes(width // 8, "little")
        return Immediate(struct.unpack("<f" if width == 32 else "<d", packed)[0], bits, width)
    if not text[:1].isdigit() and text[:1] != ".":
        return "it does not start with a digit"
    if len(text) <= _LONGEST:
        try:
            value = _integer(text[:-1] if text[-1] == "U" else text)
        except ValueError:
            pass
        else:
            return Immediate(value) if value < 1 << 64 else "it does not fit 64 bits"
    if kind in ("0x", "0b"):
        return "wrong or too many digits"
    try:
        return Immediate(float(text)) if "_" not in text and not text.isdigit() else "wrong or too many digits"
    except ValueError:
        return "wrong digits"


def _integer(text: str) -> int:
    if "_" in text:
        raise ValueError(text)  # Python would take it for a separator
    if text[:2] in ("0x", "0X", "0b", "0B"):
        return int(text, 0)
    return int(text, 8 if text[0] == "0" else 10)


def _is_hexadecimal(digits: str) -> bool:
    return all(c in "0123456789abcdefABCDEF" for c in digits)


# ---------------------------------------------------------------------------------------------------------- expressions
# Each level returns the value and whether it is unsigned.
def _ternary(cursor: Cursor, depth: int) -> tuple[Immediate, bool]:
    if depth > _DEEPEST:
        raise cursor.fail(f"constant expression nested more than {_DEEPEST} deep")
    chosen = _binary(cursor, depth, 1)
    if not cursor.next_is("?"):
        return chosen
    yes = _ternary(cursor, depth + 1)
    cursor.expect(":", "the first choice of `?`")
    no = _ternary(cursor, depth + 1)
    return yes if chosen[0].value else no


def _binary(cursor: Cursor, depth: int, lowest: int) -> tuple[Immediate, bool]:
    left = _unary(cursor, depth)
    while (rank := _PRECEDENCE.get(cursor.texts[cursor.at], 0)) >= lowest:
        at, symbol = cursor.at, cursor.texts[cursor.at]
        cursor.at += 1
        right = _binary(cursor, depth, rank + 1)
        left = _combine(cursor, at, symbol, left, right)
    return left


def _unary(cursor: Cursor, depth: int) -> tuple[Immediate, bool]:
    if depth > _DEEPEST:
        raise cursor.fail(f"constant expression nested more than {_DEEPEST} deep")
    at, text = cursor.at, cursor.texts[cursor.at]
    if text in ("-", "+", "~", "!"):
        cursor.at += 1
        operand, unsigned = _unary(cursor, depth + 1)
        return _sign(cursor, at, text, operand, unsigned)
    if text == "(":
        cursor.at += 1
        if cursor.texts[cursor.at] in (".s64", ".u64"):
            unsigned = cursor.texts[cursor.at] == ".u64"
            cursor.at += 1
            cursor.expect(")", "a cast")
            operand = _unary(cursor, depth + 1)[0].value
            return Immediate(_wrap(_whole(cursor, at, operand), unsigned)), unsigned
        inside = _ternary(cursor, depth + 1)
        cursor.expect(")", "the expression")
        return inside
    if text == "WARP_SZ":
        raise cursor.fail("WARP_SZ is known only with the architecture, so it cannot be part of a constant expression")
    if not starts_constant(text):
        raise cursor.fail(f"expected a number, got {cursor.shown()}")
    value = literal(cursor)
    return value, text[-1] == "U" and text[:2] not in ("0f", "0d") or isinstance(
        value.value, int
    ) and value.value >= 1 << 63


def _sign(cursor: Cursor, at: int, symbol: str, operand: Immediate, unsigned: bool) -> tuple[Immediate, bool]:
    value = operand.value
    if symbol == "+":
        return operand, unsigned
    if symbol == "!":
        return Immediate(int(not value)), False
    if symbol == "~":
        return Immediate(_wrap(~_whole(cursor, at, value), unsigned)), unsigned
    if operand.bits is not None:
        return Immediate(-value, operand.bits ^ 1 << operand.bits_width - 1, operand.bits_width), False
    if isinstance(value, float) or 0 <= value <= 1 << 63:
        return Immediate(-value), False
    return Immediate(_wrap(-value, unsigned)), unsigned


def _combine(cursor: Cursor, at: int, symbol: str, left, right) -> tuple[Immediate, bool]:
    (a, a_unsigned), (b, b_unsigned) = (left[0].value, left[1]), (right[0].value, right[1])
    if symbol in ("&&", "||"):
        return Immediate(int(bool(a) and bool(b) if symbol == "&&" else bool(a) or bool(b))), False
    if symbol in ("/", "%") and b == 0:
        raise cursor.fail("division by zero in a constant expression", at)
    if isinstance(a, float) or isinstance(b, float):
        if symbol in _COMPARE:
            return Immediate(int(_COMPARE[symbol](a, b))), False
        if symbol not in ("+", "-", "*", "/"):
            raise cursor.fail(f"`{symbol}` takes whole numbers", at)
        a, b = float(a), float(b)
        return Immediate(a / b if symbol == "/" else _COMBINE[symbol](a, b)), False
    if symbol in ("<<", ">>"):
        if b < 0:
            raise cursor.fail("shift by a negative number in a constant expression", at)
        a, b = _wrap(a, a_unsigned), min(b, 64)
        return Immediate(_wrap(a << b if symbol == "<<" else a >> b, a_unsigned)), a_unsigned
    unsigned = a_unsigned or b_unsigned
    a, b = _wrap(a, unsigned), _wrap(b, unsigned)
    if symbol in _COMPARE:
        return Immediate(int(_COMPARE[symbol](a, b))), False
    if symbol in ("/", "%"):
        quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)  # C rounds towards zero
        return Immediate(_wrap(quotient if symbol == "/" else a - quotient * b, unsigned)), unsigned
    return Immediate(_wrap(_COMBINE[symbol](a, b), unsigned)), unsigned


def _whole(cursor: Cursor, at: int, value: float) -> int:
    if isinstance(value, float):
        raise cursor.fail("this takes a whole number, not a floating-point one", at)
    return value


def _wrap(value: int, unsigned: bool) -> int:
    value &= (1 << 64) - 1
    return value if unsigned or value < 1 << 63 else value - (1 << 64)
