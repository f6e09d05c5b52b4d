"""Which byte of global memory a copy by a tensor map moves to which byte of shared memory: the text's rules, element by element.

A model to compare the engine and hardware with, from the PTX ISA's chapter on tensors. It takes what a descriptor says as a `Map`.
"""
from __future__ import annotations

import itertools

import attrs
import numpy as np

BYTES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "f32": 4, "f32_ftz": 4, "f64": 8, "bf16": 2, "tf32": 4, "tf32_ftz": 4}
"""Element type → bytes."""
FILL = 0x7FF7
"""What each 16 bits of an element outside the tensor are, where it is not zero (an H200's)."""
SHIFT = {32: 1, 64: 2, 128: 3}
"""Width of a swizzle → address bits, from the fourth on, that are changed by as many bits from the seventh on."""


@attrs.frozen
class Map:
    """What a descriptor says."""

    type: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes, from the second dimension on."""
    steps: tuple[int, ...]
    """Element strides: of so many elements one is copied."""
    box: tuple[int, ...] = ()
    """Of tiles: elements that a copy spans."""
    lower: tuple[int, ...] = ()
    """Of im2col: how far the box of pixels begins behind the tensor's first one, of width, height, depth …"""
    upper: tuple[int, ...] = ()
    """… and ends behind its last."""
    channels: int = 0
    pixels: int = 0
    swizzle: int = 0
    nan: bool = False
    address: int = 0


def swizzled(address: int, span: int) -> int:
    """Say where a byte goes that would be at a shared address."""
    if not span:
        return address
    mask = (1 << SHIFT[span]) - 1
    return address ^ (address >> 7 & mask) << 4


def rows(map: Map, coordinates, offsets=()):
    """Yield, of each row of the box, the tensor's coordinates of its first element."""
    if map.box:
        counts = [-(-b // s) for b, s in zip(map.box, map.steps)]
        for at in itertools.product(*(range(n) for n in reversed(counts[1:]))):
            yield (coordinates[0], *(c + k * s for c, k, s in zip(coordinates[1:], reversed(at), map.steps[1:])))
        return
    position = list(coordinates)
    spatial = range(1, len(map.dims) - 1)
    for _ in range(map.pixels):
        yield (position[0], *(position[d] + offsets[d - 1] for d in spatial), position[-1])
        for d in spatial:
            position[d] += map.steps[d]
            if position[d] < map.dims[d] + map.upper[d - 1]:
                break
            position[d] = map.lower[d - 1]
        else:
            position[-1] += 1


def inner(map: Map) -> int:
    """Give the elements of a row."""
    return map.box[0] if map.box else map.channels


def places(map: Map, coordinates, offsets, start: int):
    """Yield of each element its shared address, and its offset in the tensor's memory or None."""
    size = BYTES[map.type]
    at, pitch = start, map.swizzle or inner(map) * size
    for row in rows(map, coordinates, offsets):
        inside = all(0 <= c < n for c, n in zip(row[1:], map.dims[1:]))
        first = sum(c * s for c, s in zip(row[1:], map.strides))
        for k in range(inner(map)):
            yield swizzled(at + k * size, map.swizzle), first + (row[0] + k) * size if inside and 0 <= row[0] + k < map.dims[0] else None
        at += pitch


def load(map: Map, tensor: np.ndarray, shared: np.ndarray, coordinates, offsets=(), start: int = 0) -> int:
    """Copy a box to shared memory; `tensor` holds the bytes from the tensor's address on. Returns the bytes that count."""
    size, moved = BYTES[map.type], 0
    fill = np.frombuffer((FILL if map.nan else 0).to_bytes(2, "little") * (size // 2) if size > 1 else b"\0", "u1")
    for to, source in places(map, coordinates, offsets, start):
        shared[to:to + size] = fill if source is None else converted(map.type, tensor[source:source + size])
        moved += size
    return moved


def converted(type: str, data: np.ndarray) -> np.ndarray:
    """Give the bytes of an element as they arrive: those of tf32 are rounded to nearest, and any NaN becomes one."""
    if not type.startswith("tf32"):
        return data
    bits = int.from_bytes(data.tobytes(), "little")
    found = 0x7FFFE000 if bits & 0x7FFFFFFF > 0x7F800000 else (bits + 0x1000) & 0xFFFFE000
    return np.frombuffer(found.to_bytes(4, "little"), "u1")


def store(map: Map, tensor: np.ndarray, shared: np.ndarray, coordinates, offsets=(), start: int = 0, change=None) -> None:
    """Copy a box from shared memory, or combine it with the tensor by `change(old, new)`, which take and give bytes."""
    size = BYTES[map.type]
    offsets = offsets or (0,) * (len(map.dims) - 2)
    for source, to in places(map, coordinates, offsets, start):
        if to is not None:
            new = shared[source:source + size]
            tensor[to:to + size] = new if change is None else change(tensor[to:to + size], new)
