"""Parts of what passes between functions: an access takes the whole of a piece, or some bytes of one that carries more.

Compilers pass a ``char`` or a ``bool`` as 32 bits and read 8 of them; hand-written code may fill a structure byte by byte and
read it in words.
"""
from __future__ import annotations

from collections.abc import Callable

from archdef.lower.encoding import Kind
from archdef.lower.select.selection import Piece, Selection
from archdef.lower.virtual import ABSORBED, Value, immediate, mov

_WORD_BYTES, _LARGEST_BYTES = 4, 8


def read_part(s: Selection, name: str, offset: int, size: int) -> int:
    """Give the register that holds some bytes of a parameter, low bytes first; what is above them is undefined below a word.

    Raises UnsupportedInstruction if nothing is there.
    """
    start = _carrier(offset, size, lambda at: piece.bytes if (piece := s.pieces.get((name, at))) else None)
    if start is None:
        raise s.unsupported(f"{size} bytes at offset {offset} of `{name}`, where nothing is stored at such an address")
    piece = s.pieces[name, start]
    part, at = piece.register, offset - start
    if piece.bytes == size:
        return part
    if piece.bytes == _LARGEST_BYTES:
        part = s.temporary("high_b64" if at >= _WORD_BYTES else "low_b64", [part], _WORD_BYTES, ABSORBED)
    if at % _WORD_BYTES:
        part = s.temporary("shr_u32", [part, immediate(8 * (at % _WORD_BYTES))], _WORD_BYTES, "int_shift")
    return part


def write_part(s: Selection, name: str, offset: int, size: int, value: Value) -> None:
    """Set some bytes of a parameter and keep the rest of what carries them. Raises UnsupportedInstruction."""
    carriers = s.carriers.get((s.function.name, name), {})
    start = _carrier(offset, size, carriers.get)
    if start is None:
        raise s.unsupported(f"{size} bytes at offset {offset} of `{name}`, which is no multiple of that size")
    piece = s.pieces.get((name, start))
    if piece is None:
        width = _LARGEST_BYTES if carriers[start] == _LARGEST_BYTES else _WORD_BYTES
        piece = s.pieces[name, start] = Piece(s.unit.new(width), carriers[start])
    width = s.unit.widths[piece.register]
    if piece.bytes == size:
        s.emit(Kind.ALU, mov(width), [piece.register], [value], "move", width=width)
    elif width == _WORD_BYTES:
        word = _inserted(s, piece.register, offset - start, size, value)
        s.emit(Kind.ALU, mov(width), [piece.register], [word], "move", width=width)
    else:
        _write_half(s, piece.register, offset - start, size, value)


def _write_half(s: Selection, register: int, at: int, size: int, value: Value) -> None:
    halves = [s.temporary(fn, [register], _WORD_BYTES, ABSORBED) for fn in ("low_b64", "high_b64")]
    half = at // _WORD_BYTES
    halves[half] = value if size == _WORD_BYTES else _inserted(s, halves[half], at % _WORD_BYTES, size, value)
    s.emit(Kind.ALU, "pack_b64", [register], halves, ABSORBED, width=_LARGEST_BYTES)


def _inserted(s: Selection, word: int, at: int, size: int, value: Value) -> int:
    mask, shift = (1 << 8 * size) - 1, 8 * at
    kept = s.temporary("and_b32", [word, immediate(~(mask << shift))], _WORD_BYTES, "int_logic")
    part = s.temporary("and_b32", [value, immediate(mask)], _WORD_BYTES, "int_logic")
    if shift:
        part = s.temporary("shl_b32", [part, immediate(shift)], _WORD_BYTES, "int_shift")
    return s.temporary("or_b32", [kept, part], _WORD_BYTES, "int_logic")


def _carrier(offset: int, size: int, bytes_at: Callable[[int], int | None]) -> int | None:
    """Find the piece that holds `size` bytes at `offset`, and give where it starts."""
    widths = (size, 2, _WORD_BYTES, _LARGEST_BYTES) if offset % size == 0 else ()
    return next((offset - offset % width for width in widths if width >= size and bytes_at(offset - offset % width) == width), None)
