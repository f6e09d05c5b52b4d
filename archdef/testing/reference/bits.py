"""Instructions about bits: fields, counts, shifts of pairs, permutations. Arguments are unsigned patterns, written from the manual."""
from __future__ import annotations

from archdef.testing.reference.types import signed


def population(a: int) -> int:
    """``popc``."""
    return a.bit_count()


def leading_zeros(bits: int, a: int) -> int:
    """``clz``."""
    return bits - a.bit_length()


def find(bits: int, is_signed: bool, shift_amount: bool, a: int) -> int:
    """``bfind``: the highest bit that is not a copy of the sign; all ones if there is none."""
    if is_signed and a >> bits - 1:
        a ^= (1 << bits) - 1
    if a == 0:
        return 0xFFFFFFFF
    position = a.bit_length() - 1
    return bits - 1 - position if shift_amount else position


def reverse(bits: int, a: int) -> int:
    """``brev``."""
    return int(format(a, f"0{bits}b")[::-1], 2)


def extract(bits: int, is_signed: bool, a: int, position: int, length: int) -> int:
    """``bfe``, as the manual's loop: bits past the end are the sign bit, which is 0 for unsigned types or empty fields.

    The manual takes 8 bits of position and length; an H100 does so for 32-bit types, and takes all 32 bits for 64-bit ones.
    """
    top = bits - 1
    if bits == 32:
        position, length = position & 255, length & 255
    sign = a >> min(position + length - 1, top) & 1 if is_signed and length else 0
    result = 0
    for i in range(bits):
        inside = i < length and position + i <= top
        result |= (a >> position + i & 1 if inside else sign) << i
    return result


def insert(bits: int, a: int, b: int, position: int, length: int) -> int:
    """``bfi``: the low bits of `a` into `b`; position and length as of `extract`."""
    if bits == 32:
        position, length = position & 255, length & 255
    for i in range(min(length, bits - position)):
        b = b & ~(1 << position + i) | (a >> i & 1) << position + i
    return b


def mask(wraps: bool, start: int, length: int) -> int:
    """``bmsk``: `length` ones from bit `start` up."""
    if wraps:
        start, length = start & 31, length & 31
    return ((1 << min(length, 32)) - 1 << min(start, 32)) & 0xFFFFFFFF


def extend(is_signed: bool, wraps: bool, a: int, length: int) -> int:
    """``szext``: the low `length` bits, extended."""
    length = length & 31 if wraps else min(length, 32)
    if length == 0:
        return 0
    field = a & (1 << length) - 1
    return signed(length, field) & 0xFFFFFFFF if is_signed else field


def nth_set(mask_: int, base: int, offset: int) -> int:
    """``fns``: the offset-th set bit from `base` on, upward or downward; all ones if there is none.

    The manual asks for a base of 0 to 31. An H100 gives all ones for others, and 0 if the offset is the least integer.
    """
    offset = signed(32, offset)
    if offset == -1 << 31:
        return 0
    if base > 31:
        return 0xFFFFFFFF
    if offset == 0:
        return base if mask_ >> base & 1 else 0xFFFFFFFF
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [place for place in places if mask_ >> place & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else 0xFFFFFFFF


def logic_3(a: int, b: int, c: int, table: int) -> int:
    """``lop3``: bit by bit, the table's bit that the three inputs number."""
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))


def funnel(left: bool, wraps: bool, low: int, high: int, amount: int) -> int:
    """``shf``: 32 bits of the shifted pair high:low, the upper ones to the left, the lower ones to the right."""
    amount = amount & 31 if wraps else min(amount, 32)
    pair = high << 32 | low
    return (pair << amount >> 32 if left else pair >> amount) & 0xFFFFFFFF


_PERMUTATIONS = {  # result bytes for c = 0 … 3, the highest byte first, as the manual's table lists them
    "f4e": ("3210", "4321", "5432", "6543"), "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"), "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"), "rc16": ("1010", "3232", "1010", "3232")}


def permute(mode: str, a: int, b: int, c: int) -> int:
    """``prmt``: four bytes of the pair b:a; bit 3 of a selector asks for eight copies of the byte's sign."""
    pair = (b << 32 | a).to_bytes(8, "little")
    if mode:
        return int.from_bytes(bytes(pair[int(k)] for k in _PERMUTATIONS[mode][c & 3]), "big")
    result = 0
    for i in range(4):
        selector = c >> 4 * i & 15
        byte = pair[selector & 7]
        if selector & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * i
    return result


def dot_4(a_signed: bool, b_signed: bool, a: int, b: int, c: int) -> int:
    """``dp4a``: four products of bytes, added to c."""
    return c + sum(_part(a, i, 8, a_signed) * _part(b, i, 8, b_signed) for i in range(4))


def dot_2(a_signed: bool, b_signed: bool, high: bool, a: int, b: int, c: int) -> int:
    """``dp2a``: two products of a half and a byte, added to c; the bytes are the lower or the upper two of b."""
    return c + sum(_part(a, i, 16, a_signed) * _part(b, i + 2 * high, 8, b_signed) for i in range(2))


def _part(x: int, index: int, bits: int, is_signed: bool) -> int:
    part = x >> bits * index & (1 << bits) - 1
    return signed(bits, part) if is_signed else part
