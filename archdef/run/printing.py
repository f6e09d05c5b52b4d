"""What kernels print: the engine's records, formatted as C's printf does.

The engine collects format, values and strings without understanding them; here they become text, in order of time, then of
multiprocessor, then as each lane came by.
"""
from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from fractions import Fraction

import attrs

_RECORD = struct.Struct("<IIqii")
_VALUE = struct.Struct("<IIQ")
_INT, _LONG, _FLOAT, _STRING, _NULL = range(5)
_CONVERSION = re.compile(rb"%([-+ #0]*)(\*|\d*)(?:(\.)(\*|\d*))?([hljztLq]*)(.)", re.DOTALL)
_WIDEST = 8192
"""Most characters that a width or a precision may ask for."""
_CUT = 1 << 16
"""In a record's number of values: its format or one of its strings was cut off."""
TEXT_PER_BYTE, LEAST_TEXT = 16, 1 << 20
"""Most characters of text for each byte of the buffer, and of any buffer: widths ask for many with few bytes."""


@attrs.frozen
class Printed:
    """One call of printf by one thread."""

    cycle: int
    multiprocessor: int
    text: str


@attrs.frozen
class Output:
    """Everything that a launch has printed."""

    calls: tuple[Printed, ...] = ()
    lost: int = 0
    """Earlier calls whose output later ones have overwritten, since the buffer is circular."""
    cut: int = 0
    """Calls whose format, string, width or precision was longer than there is room for."""

    @property
    def cut_text(self) -> str:
        """What to say of what was cut off."""
        calls = "1 call" if self.cut == 1 else f"{self.cut:,} calls"
        return (f"{calls} of printf {'was' if self.cut == 1 else 'were'} cut short: a format has room for 8192 characters, a string for 65536, "
                f"a width or precision is at most {_WIDEST}")

    @property
    def lost_text(self) -> str:
        """What to say of what is lost."""
        calls = "1 call" if self.lost == 1 else f"{self.lost:,} calls"
        return f"the output of {calls} of printf was overwritten by later ones; Device(print_bytes=…) makes the buffer larger"

    @property
    def text(self) -> str:
        """All of it, in order."""
        return "".join(call.text for call in self.calls)


def read(records: bytes, room: int, calls: int) -> Output:
    """Decode and format the engine's records: the latest, of `room` bytes together, of so many calls."""
    if not records:
        return Output((), calls, 0)
    ordered = sorted(_records(records), key=lambda record: (record.cycle, record.multiprocessor))
    used, text, kept, cut = 0, 0, [], 0
    for record in reversed(ordered):
        used += record.size
        if used > room:
            break
        printed, short = record.printed()
        text += len(printed)
        if text > max(TEXT_PER_BYTE * room, LEAST_TEXT):
            break
        kept.append(Printed(record.cycle, record.multiprocessor, printed))
        cut += short
    return Output(tuple(reversed(kept)), calls - len(kept), cut)


@attrs.frozen
class _Record:
    """One call as the engine wrote it down."""

    data: bytes
    at: int
    size: int
    cycle: int
    multiprocessor: int
    cut: bool

    def printed(self) -> tuple[str, bool]:
        """Give its text, and whether anything of that was cut off."""
        _, length, _, _, count = _RECORD.unpack_from(self.data, self.at)
        start = self.at + _RECORD.size
        template, place = self.data[start:start + length], start + (length + 7 & ~7)
        values: list[tuple[int, int | bytes]] = []
        for _ in range(count & _CUT - 1):
            kind, _, value = _VALUE.unpack_from(self.data, place)
            place += _VALUE.size
            if kind == _STRING:
                values.append((kind, self.data[place:place + value]))
                place += value + 7 & ~7
            else:
                values.append((kind, value))
        text, short = _format(template, values)
        return text, short or self.cut


def _records(data: bytes) -> Iterator[_Record]:
    at = 0
    while at < len(data):
        size, _, cycle, multiprocessor, count = _RECORD.unpack_from(data, at)
        yield _Record(data, at, size, cycle, multiprocessor, bool(count & _CUT))
        at += size


def formatted(template: bytes, values: list[tuple[int, int | bytes]]) -> str:
    """Format like C: `values` are (kind, bits or string) in the order in which the format asks for them."""
    return _format(template, values)[0]


def _format(template: bytes, values: list[tuple[int, int | bytes]]) -> tuple[str, bool]:
    """Format, and say whether a width or a precision was too large."""
    left, short = iter(values), False

    def conversion(match: re.Match[bytes]) -> bytes:
        nonlocal short
        flags, width, dot, precision, size, letter = match.groups()
        if width == b"*":
            asked = _signed(_bits(next(left, None)), 32)
            flags, columns = flags + b"-" * (asked < 0), abs(asked)
        else:
            columns = _number(width)
        digits = None
        if dot:
            digits = _signed(_bits(next(left, None)), 32) if precision == b"*" else _number(precision)
            digits = None if digits < 0 else digits
        if letter == b"%":
            return b"%"
        if letter not in b"diuoxXcfFeEgGaAps":
            return match.group()
        value = next(left, None)
        if value is None:
            return match.group()
        short = short or columns > _WIDEST or digits is not None and digits > _WIDEST and letter != b"s"
        return _convert(letter.decode(), flags.decode(), min(columns, _WIDEST), _at_most(digits, letter), size, value)

    return _CONVERSION.sub(conversion, template).decode("utf-8", "replace"), short


def _at_most(digits: int | None, letter: bytes) -> int | None:
    """Bound a precision; that of a string can only shorten it."""
    return digits if digits is None or letter == b"s" else min(digits, _WIDEST)


def _number(digits: bytes) -> int:
    """Read a width or precision, of any number of digits."""
    digits = digits.lstrip(b"0")
    return int(digits or 0) if len(digits) < 10 else 10 ** 9


def _bits(value: tuple[int, int | bytes] | None) -> int:
    return value[1] if value is not None and isinstance(value[1], int) else 0


def _signed(bits: int, width: int) -> int:
    bits &= (1 << width) - 1
    return bits - (bits >> width - 1 << width)


def _convert(letter: str, flags: str, columns: int, digits: int | None, size: bytes, value: tuple[int, int | bytes]) -> bytes:
    kind, content = value
    if letter == "s":
        text = b"(null)" if kind == _NULL else content if kind == _STRING and isinstance(content, bytes) else b""
        return _pad("", text if digits is None else text[:digits], flags.replace("0", ""), columns)
    bits = _bits(value)
    if letter == "c":
        return _pad("", bytes([bits & 255]), flags.replace("0", ""), columns)
    if letter == "p":
        return _pad("", b"(nil)" if not bits else f"{bits:#x}".encode(), flags.replace("0", ""), columns)
    if letter in "diuoxX":
        width = 64 if kind == _LONG else 8 if size == b"hh" else 16 if size == b"h" else 32
        return _integer(letter, flags, columns, digits, bits, width)
    return _float(letter, flags, columns, digits, struct.unpack("<d", bits.to_bytes(8, "little"))[0])


def _integer(letter: str, flags: str, columns: int, digits: int | None, bits: int, width: int) -> bytes:
    number = _signed(bits, width) if letter in "di" else bits & (1 << width) - 1
    text = format(abs(number), {"o": "o", "x": "x", "X": "X"}.get(letter, "d"))
    if digits is not None:
        text = "" if digits == 0 and number == 0 else text.zfill(digits)
        flags = flags.replace("0", "")
    sign = _sign(number < 0, flags) if letter in "di" else ""
    if "#" in flags and letter == "o" and not text.startswith("0"):
        text = "0" + text
    if "#" in flags and letter in "xX" and number:
        sign = "0" + letter
    return _pad(sign, text.encode(), flags, columns)


def _float(letter: str, flags: str, columns: int, digits: int | None, number: float) -> bytes:
    negative = math.copysign(1.0, number) < 0
    sign = _sign(negative, flags)
    if not math.isfinite(number):
        text = "nan" if math.isnan(number) else "inf"
        return _pad(sign, (text.upper() if letter.isupper() else text).encode(), flags.replace("0", ""), columns)
    number = abs(number)
    if letter in "aA":
        text = _hexadecimal(number, digits, "#" in flags)
        text = text.upper() if letter == "A" else text
        sign, text = sign + text[:2], text[2:]
    else:
        text = f"%{'#' if '#' in flags else ''}.{6 if digits is None else digits}{letter}" % number
    return _pad(sign, text.encode(), flags, columns)


def _hexadecimal(number: float, digits: int | None, point: bool) -> str:
    """Give ``0x1.8p+1``; a precision rounds to the nearest, ties to even."""
    if number == 0:
        return "0x0" + ("." + "0" * (digits or 0) if digits or point else "") + "p+0"
    exponent = max(math.frexp(number)[1] - 1, -1022)  # subnormals keep the least exponent, as the C library prints them
    scaled = Fraction(number) / Fraction(2) ** exponent
    places = 13 if digits is None else digits
    units = round(scaled * 16 ** places)
    whole, rest = divmod(units, 16 ** places)
    fraction = format(rest, "x").zfill(places) if places else ""
    if digits is None:
        fraction = fraction.rstrip("0")
    return f"0x{whole:x}{'.' if fraction or point else ''}{fraction}p{exponent:+d}"


def _sign(negative: bool, flags: str) -> str:
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def _pad(sign: str, text: bytes, flags: str, columns: int) -> bytes:
    missing = columns - len(sign) - len(text)
    if "-" in flags:
        return sign.encode() + text + b" " * max(missing, 0)
    if "0" in flags:
        return sign.encode() + b"0" * max(missing, 0) + text
    return b" " * max(missing, 0) + sign.encode() + text
