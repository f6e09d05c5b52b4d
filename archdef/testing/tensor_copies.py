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
    interleave: int = 0
    nan: bool = False

    @property
    def unit(self) -> int:
        """Bytes of what the first dimension counts: an element, or a slice of channels."""
        return self.interleave or BYTES[self.type]


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
        if map.interleave:
            counts[-2] = 1      # slices of channels: a copy is of one
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


def line(map: Map) -> int:
    """Give the units of a row."""
    return map.channels if map.pixels else -(-map.box[0] // map.steps[0]) if map.interleave else map.box[0]


def places(map: Map, coordinates, offsets, start: int):
    """Yield of each element its shared address, its offset in the tensor's memory, and whether it lies inside the tensor."""
    size = BYTES[map.type]
    units, step = line(map), map.steps[0] if map.interleave else 1
    at, pitch = start, map.swizzle if map.swizzle and not map.interleave else units * map.unit
    for row in rows(map, coordinates, offsets):
        inside = all(0 <= c < n for c, n in zip(row[1:], map.dims[1:]))
        first = sum(c * s for c, s in zip(row[1:], map.strides))
        for k in range(units):
            c = row[0] + k * step
            for part in range(0, map.unit, size):
                yield swizzled(at + k * map.unit + part, map.swizzle), first + c * map.unit + part, inside and 0 <= c < map.dims[0]
        at += pitch


def load(map: Map, tensor: np.ndarray, shared: np.ndarray, coordinates, offsets=(), start: int = 0) -> int:
    """Copy a box to shared memory; `tensor` holds the bytes from the tensor's address on. Returns the bytes that count."""
    size, moved = BYTES[map.type], 0
    fill = np.frombuffer((FILL if map.nan else 0).to_bytes(2, "little") * (size // 2) if size > 1 else b"\0", "u1")
    for to, source, inside in places(map, coordinates, offsets, start):
        shared[to:to + size] = converted(map.type, tensor[source:source + size]) if inside else fill
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
    """Copy a box from shared memory, or combine it with the tensor by `change(old, new)`, which take and give bytes.

    A piece of 16 bytes that lies partly inside the tensor is written as a whole, as an H200 does.
    """
    size, pieces = BYTES[map.type], {}
    offsets = offsets or (0,) * (len(map.dims) - 2)
    for k, (source, to, inside) in enumerate(places(map, coordinates, offsets, start)):
        pieces.setdefault(k * size // 16, []).append((source, to, inside))
    for piece in pieces.values():
        for source, to, _ in piece if any(inside for *_, inside in piece) else ():
            new = shared[source:source + size]
            tensor[to:to + size] = new if change is None else change(tensor[to:to + size], new)
