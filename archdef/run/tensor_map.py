"""Tensor maps: 128 bytes that describe a tensor in global memory and the box of it that one copy moves.

The layout is that of the NVIDIA driver, learned from 14,241 calls of it on an H200 (CUDA 13.0): a map that a program was captured with, one
that is made here and one that a kernel changes by ``tensormap.replace`` are the same thing. Of the 32 words,

=======  ==========================================================================================================================
0, 1     address
2        bit 0 pixels (im2col), 4-6 dimensions - 1, 7-10 element type, 11-12 interleave, 13-14 swizzle, 15 NaN outside, 16 rounded to
         tf32, 17-18 promotion in L2
3 … 6    strides / 16, from the second dimension on; their bits 32-35 are in word 7, four bits each
8 … 12   extents - 1
13       bits 0-14 element strides - 1, three bits each; 24-31 first extent of the box (pixels: channels) - 1
14       tiles: other extents of the box - 1, a byte each. Pixels: lower corners in the low, upper corners in the high half, of 16, 8 or 5
         bits each in 3, 4 and 5 dimensions
15       pixels: pixels - 1
16       bytes that a copy moves, as the driver counts them; hardware does not look
18       0x10 without swizzle, otherwise eight times the width in bytes
=======  ==========================================================================================================================
"""
from __future__ import annotations

import numbers
import struct
from collections.abc import Collection, Sequence
from typing import Any

import attrs

from archdef import values
from archdef.errors import LaunchError
from archdef.run.array import DeviceArray

BYTES = 128
ALIGNMENT = 64
TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "s32": (3, 4), "u64": (4, 8), "s64": (5, 8), "f16": (6, 2), "f32": (7, 4),
         "f32_ftz": (8, 4), "f64": (9, 8), "bf16": (10, 2), "tf32": (7, 4), "tf32_ftz": (8, 4)}
"""Element type → number in the map, bytes."""
OF_DTYPE = {"u1": "u8", "u2": "u16", "u4": "u32", "i4": "s32", "u8": "u64", "i8": "s64", "f2": "f16", "f4": "f32", "f8": "f64", "i1": "u8",
            "i2": "u16"}
"""numpy's type → element type, where none is named."""
DRIVER_TYPES = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz")
"""Element types as CUtensorMapDataType numbers them."""
MOST_BOX, MOST_STEP, MOST_PIXELS, MOST_BYTES = 256, 8, 1024, 232448
"""Largest extent of a box, element stride, number of pixels, and bytes that a copy moves (of an H200's block)."""
SWIZZLES, INTERLEAVES, PROMOTIONS = (0, 32, 64, 128), (0, 16, 32), (0, 64, 128, 256)
_CORNER_BITS = {3: 16, 4: 8, 5: 5}
_ROUNDED, _NAN = 1 << 16, 1 << 15


class _Refused(ValueError):
    """An argument that no map can hold."""


@attrs.frozen(eq=False)
class TensorMap:
    """A tensor map as a launch takes it, by value. `bytes(map)` gives its 128 bytes, for a copy in device memory."""

    data: bytes = attrs.field(repr=False)

    def __bytes__(self) -> bytes:
        return self.data


@attrs.frozen
class Layout:
    """What maps of tiles and of pixels have in common."""

    type: str
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes, from the second dimension on."""
    steps: tuple[int, ...]
    """Element strides."""
    interleave: int = 0
    """Bytes of a slice of channels, 16 or 32; 0: none."""
    swizzle: int = 0
    """Bytes of a line whose pieces are exchanged, 32, 64 or 128; 0: none."""
    nan: bool = False
    """Elements outside the tensor are NaN, not zero."""
    l2_promotion: int = 0
    """Bytes that L2 is asked for at least. It changes nothing here."""

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return TYPES[self.type][1]


def encode_tiles(layout: Layout, box: Sequence[int]) -> bytes:
    """Make the map of a tiled tensor. Raises LaunchError for what ``cuTensorMapEncodeTiled`` refuses."""
    try:
        words = _common(layout, 3 if layout.interleave else 1)
        box = _listed("box", box, len(layout.dims), 1, MOST_BOX)
        _check_row(layout, box[0])
    except _Refused as error:
        raise LaunchError(f"no tensor map of tiles: {error}") from None
    moved = layout.size
    for extent, step in zip(box, layout.steps):
        moved *= extent // step
    _check_bytes("tiles", moved)
    words[13] |= box[0] - 1 << 24
    words[14] = sum(extent - 1 << 8 * k for k, extent in enumerate(box[1:]))
    words[16] = moved
    return struct.pack("<32I", *words)


def encode_pixels(layout: Layout, lower: Sequence[int], upper: Sequence[int], channels: int | None, pixels: int | None) -> bytes:
    """Make the map of a tensor of pixels. Raises LaunchError for what ``cuTensorMapEncodeIm2col`` refuses."""
    rank = len(layout.dims)
    try:
        words = _common(layout, 3)
        if layout.interleave:
            raise _Refused("interleaved tensors of pixels are not modelled")
        bits = _CORNER_BITS[rank]
        lower, upper = (_listed(name, corner, rank - 2, -(1 << bits - 1), (1 << bits - 1) - 1) for name, corner in
                        (("lower corner", lower), ("upper corner", upper)))
        (channels,), (pixels,) = (_listed("channels per pixel", (channels,), 1, 1, MOST_BOX),
                                  _listed("pixels per column", (pixels,), 1, 1, MOST_PIXELS))
        _check_row(layout, channels)
        for k, (low, high, extent) in enumerate(zip(lower, upper, layout.dims[1:])):
            if extent >= 1 << 31 or extent + high - low <= 0:
                raise _Refused(f"the box of pixels is empty or too wide in dimension {k + 1}: {extent} elements, corners {low} and {high}")
    except _Refused as error:
        raise LaunchError(f"no tensor map of pixels: {error}") from None
    _check_bytes("pixels", moved := layout.size * channels * pixels)
    words[2] |= 1
    words[13] |= channels - 1 << 24
    words[14] = sum((low % (1 << bits)) << bits * k | (high % (1 << bits)) << 16 + bits * k for k, (low, high) in enumerate(zip(lower, upper)))
    words[15] = pixels - 1
    words[16] = moved
    return struct.pack("<32I", *words)


def _check_bytes(what: str, moved: int) -> None:
    if moved > MOST_BYTES:
        raise LaunchError(f"no tensor map of {what}: a copy would move {moved} bytes, at most {MOST_BYTES} are allowed")


def _common(layout: Layout, least_rank: int) -> list[int]:
    """Check what all maps have, and fill the words that say it."""
    rank, aligned = len(layout.dims), 32 if layout.interleave == 32 else 16
    if not least_rank <= rank <= 5:
        raise _Refused(f"a tensor of {least_rank} to 5 dimensions is wanted, got {rank}")
    for name, found, allowed in (("element type", layout.type, TYPES), ("interleave", layout.interleave, INTERLEAVES),
                                 ("swizzle", layout.swizzle, SWIZZLES), ("L2 promotion", layout.l2_promotion, PROMOTIONS)):
        if not _is_one_of(found, allowed):
            raise _Refused(f"{name} must be one of {', '.join(map(str, allowed))}, got {values.shown(found)}")
    if layout.nan and TYPES[layout.type][0] < TYPES["f16"][0]:
        raise _Refused(f"elements of type {layout.type} have no NaN to be filled with")
    (address,) = _listed("address", (layout.address,), 1, 0, (1 << 57) - 1, aligned)
    dims = _listed("extent", layout.dims, rank, 1, 1 << 32)
    strides = _listed("stride", layout.strides, rank - 1, 0, (1 << 40) - 1, aligned)
    steps = _listed("element stride", layout.steps, rank, 1, MOST_STEP)
    words = [0] * 32
    words[0], words[1] = address & 0xFFFFFFFF, address >> 32
    words[2] = (rank - 1 << 4 | TYPES[layout.type][0] << 7 | INTERLEAVES.index(layout.interleave) << 11 | SWIZZLES.index(layout.swizzle) << 13
                | _NAN * bool(layout.nan) | _ROUNDED * layout.type.startswith("tf32") | PROMOTIONS.index(layout.l2_promotion) << 17)
    for k, stride in enumerate(strides):
        words[3 + k] = stride >> 4 & 0xFFFFFFFF
        words[7] |= stride >> 36 << 4 * k
    words[8:8 + rank] = [extent - 1 for extent in dims]
    words[13] = sum(step - 1 << 3 * k for k, step in enumerate(steps))
    words[18] = layout.swizzle * 8 or 0x10
    return words


def _is_one_of(given: Any, allowed: Collection[str | int]) -> bool:
    """Whether a text or a whole number is one of several, and no object that is merely equal to it."""
    plain = isinstance(given, (str, numbers.Integral)) and not isinstance(given, bool)
    return plain and given in allowed


def _listed(name: str, given: Sequence[Any], count: int, least: int, most: int, multiple: int = 1) -> tuple[int, ...]:
    """Check a list of integers."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence) or len(given) != count:
        raise _Refused(f"{count} numbers are wanted as {name}, got {values.shown(given)}")
    found = []
    for value in given:
        number = values.as_whole(value)
        if number is None or isinstance(value, float) or not least <= number <= most or number % multiple:
            raise _Refused(f"{name} must be {least} to {most}" + f", a multiple of {multiple}" * (multiple > 1) + f", got {values.shown(value)}")
        found.append(number)
    return tuple(found)


def _dimensions(name: str, given: Any) -> tuple[int, ...]:
    """Give what is listed by dimension as a tuple of whole numbers, whose bounds `_common` checks. Raises LaunchError."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        raise LaunchError(f"no tensor map: {name} must be a list of whole numbers, got {values.shown(given)}")
    return tuple(values.whole(value, f"no tensor map: each of {name}", LaunchError) for value in given)


def _check_row(layout: Layout, elements: int) -> None:
    """Check the bytes of a row of the box; those of interleaved tensors count slices."""
    size = elements * layout.size
    if layout.interleave:
        return
    if size % 16:
        raise _Refused(f"a row of the box must be a multiple of 16 bytes, got {size}")
    if layout.swizzle and size > layout.swizzle:
        raise _Refused(f"a row of the box must not be longer than the {layout.swizzle} bytes of the swizzle, got {size}")


def of_array(array: Any, *, box: Sequence[int] | None = None, lower: Sequence[int] | None = None, upper: Sequence[int] | None = None,
             channels: int | None = None, pixels: int | None = None, type: str | None = None, shape: Sequence[int] | None = None,
             strides: Sequence[int] | None = None, element_strides: Sequence[int] | None = None, interleave: int = 0, swizzle: int = 0,
             oob_fill: str = "zero", l2_promotion: int = 0) -> TensorMap:
    """Make the map of a device array; see `Device.tensor_map`."""
    if not isinstance(array, DeviceArray):
        raise LaunchError(f"no tensor map: it is of an array in device memory, got {values.shown(array)}")
    if array.freed:
        raise LaunchError("no tensor map: the device array was freed")
    extents = tuple(reversed(array.shape)) if shape is None else _dimensions("shape", shape)
    kind = OF_DTYPE.get(array.dtype.str[1:]) if type is None else type
    if kind is None or not _is_one_of(kind, TYPES):
        raise LaunchError(f"no tensor map: elements of type {array.dtype if type is None else values.shown(type)} are none of {', '.join(TYPES)}")
    if not _is_one_of(oob_fill, ("zero", "nan")):
        raise LaunchError(f"no tensor map: oob_fill is zero or nan, got {values.shown(oob_fill)}")
    if not _is_one_of(interleave, INTERLEAVES):
        raise LaunchError(f"no tensor map: interleave must be one of {', '.join(map(str, INTERLEAVES))}, got {values.shown(interleave)}")
    if strides is None:
        strides, size = [], interleave or TYPES[kind][1]
        for extent in extents[:-1]:
            size *= extent
            strides.append(size)
    steps = (1,) * len(extents) if element_strides is None else _dimensions("element_strides", element_strides)
    layout = Layout(type=kind, address=array.address, dims=extents, strides=_dimensions("strides", strides), interleave=interleave, swizzle=swizzle,
                    steps=steps, nan=oob_fill == "nan", l2_promotion=l2_promotion)
    if (box is None) == (pixels is None):
        raise LaunchError("no tensor map: give either box, for tiles, or lower, upper, channels and pixels")
    if box is not None:
        return TensorMap(encode_tiles(layout, box))
    return TensorMap(encode_pixels(layout, () if lower is None else lower, () if upper is None else upper, channels, pixels))
