"""Maps of tensors for bulk copies. Reference: cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col of cuda.h."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.cuda_driver.calls import answers
from archdef.runtime.status import Refusal

_MOST_RANK: Final = 5
_BYTES: Final = 128
_ALIGNMENT: Final = 64
_ADDRESS: Final = struct.Struct("<Q")
"""What a map begins with."""
_MOST_ADDRESS: Final = 1 << 57
_INTERLEAVE: Final = slice(8, 12)
"""The bytes that have two bits of how channels are interleaved, from the eleventh on."""


def _numbers(thread: Thread, address: int, count: int, letter: str) -> list[int]:
    if not count:
        return []
    layout = struct.Struct(f"<{count}{letter}")
    return list(layout.unpack(thread.memory.get(address, layout.size)))


def _put(thread: Thread, out: int, data: bytes) -> None:
    if out % _ALIGNMENT:
        raise Refusal("InvalidValue", f"a map at {out:#x}, which is no multiple of {_ALIGNMENT}")
    thread.memory.put(out, data)


def _check_rank(rank: int, least: int) -> None:
    if not least <= rank <= _MOST_RANK:
        raise Refusal("InvalidValue", f"a tensor of {rank} dimensions: {least} to {_MOST_RANK} can be mapped so")


@answers("cuTensorMapEncodeTiled", context=False, initialised=False)
def tiles(thread: Thread, out: int, kind: Int, rank: UInt, address: int, dims: int, strides: int, box: int, steps: int, interleave: Int, swizzle: Int,
          promotion: Int, fill: Int) -> None:
    """Make a map of tiles."""
    _check_rank(rank, 1)
    made = thread.runtime.TensorMapEncodeTiled(kind, rank, address, _numbers(thread, dims, rank, "Q"), _numbers(thread, strides, rank - 1, "Q"),
                                               _numbers(thread, box, rank, "I"), _numbers(thread, steps, rank, "I"), interleave, swizzle, promotion, fill)
    _put(thread, out, bytes(made))


@answers("cuTensorMapEncodeIm2col", context=False, initialised=False)
def pixels(thread: Thread, out: int, kind: Int, rank: UInt, address: int, dims: int, strides: int, lower: int, upper: int, channels: UInt, columns: UInt,
           steps: int, interleave: Int, swizzle: Int, promotion: Int, fill: Int) -> None:
    """Make a map of pixels."""
    _check_rank(rank, 3)
    made = thread.runtime.TensorMapEncodeIm2col(
        kind, rank, address, _numbers(thread, dims, rank, "Q"), _numbers(thread, strides, rank - 1, "Q"), _numbers(thread, lower, rank - 2, "i"),
        _numbers(thread, upper, rank - 2, "i"), channels, columns, _numbers(thread, steps, rank, "I"), interleave, swizzle, promotion, fill)
    _put(thread, out, bytes(made))


@answers("cuTensorMapReplaceAddress", context=False, initialised=False)
def replace_address(thread: Thread, out: int, address: int) -> None:
    """Let a map be of the same tensor elsewhere."""
    data = thread.memory.get(out, _BYTES)
    alignment = 32 if int.from_bytes(data[_INTERLEAVE], "little") >> 11 & 3 == 2 else 16
    if address % alignment or address >= _MOST_ADDRESS:
        raise Refusal("InvalidValue", f"a tensor at {address:#x}, which is no multiple of {alignment}, or none that there can be")
    _put(thread, out, _ADDRESS.pack(address) + data[_ADDRESS.size:])
