"""Texture fetches defined in plain numpy, after the CUDA C Programming Guide; the engine must equal this to the bit.

What the guide leaves open is settled here, each by an assumption of its own (see `ASSUMPTIONS`).

References: CUDA C++ Programming Guide 11.8, section 3.2.14 (texture and surface memory), appendix "Texture Fetching" (nearest-point
sampling, linear filtering, table lookup), PTX ISA 7.8, sections 9.7.9 (tex, tld4) and 5.3 (texture, sampler and surface types).
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ASSUMPTIONS = {
    "weight_rounding": "x - 0.5 is rounded to the nearest 1/256, halves up, before it is split into texel and weight; so a coordinate "
                       "less than 1/512 texel below a texel's centre selects that texel with weight 1",
    "product": "a normalised coordinate times the extent is not rounded before that",
    "sum": "the weighted mean is rounded to single precision once; texels of weight 0 add nothing, not even a NaN",
    "clamp": "clamping holds texel indices inside; filtering at an edge so repeats the edge texel",
    "wrap": "filtering across an edge wraps to the texel at the other side; mirroring repeats the edge texel",
    "not_a_number": "a coordinate that is no number counts as 0, also an infinite one that wraps",
    "integer_coordinates": "an integer coordinate out of range reads zero, whatever the address mode",
    "missing_channels": "channels that a texture has not read 0, the fourth too",
    "layer": "a layer out of range is clamped",
    "cube": "a face is filtered as a texture of its own, its edges by the texture's address modes",
    "conversion": "normalised integers are divided by 255, 127, 65535 or 32767 and rounded once; the least one counts as -1",
    "offset": "a texel offset moves the index of the texel before the address mode is applied",
    "gather": "the four texels that filtering would use, rounding included: (0,1), (1,1), (1,0), (0,0) as (column, row)",
}
"""What the model takes for granted where the guide is silent: to be checked on hardware."""


def indices(x: np.ndarray, size: int, *, address: str, normalized: bool, linear: bool, offset: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Give the texels that coordinates select along one axis.

    x : float32, shape (n,): coordinates in texels, or from 0 to 1; `offset`: texels by which they are moved.

    Returns indices, int64, shape (n, 2), -1 for a texel that is not there and reads zero; and weights, int64, shape (n, 2), in 1/256,
    whose sum is 256. Without filtering the second weight is 0.
    """
    x = np.nan_to_num(np.asarray(x, np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
    if not normalized and address in ("wrap", "mirror"):
        address = "clamp"
    if normalized:
        if address in ("wrap", "mirror"):
            x = np.where(np.isfinite(x), x, 0.0)
            whole = np.floor(x)
            fraction = x - whole                                # wrap: frac(x)
            # the second half of a mirrored period is mirrored texel by texel
            x = np.where(np.fmod(whole, 2) != 0, fraction + 1, fraction) if address == "mirror" else fraction
        x = x * size
    x = np.clip(x, -1e12, 1e12)
    if linear:
        fixed = np.floor((x - 0.5) * 256 + 0.5).astype(np.int64)  # xB = x - 0.5, with 8 fractional bits
        first, second = fixed >> 8, fixed & 255                   # i = floor(xB), alpha = frac(xB)
    else:
        first, second = np.floor(x).astype(np.int64), np.zeros(x.shape, np.int64)
    chosen = np.stack([first + offset, first + offset + 1], 1)
    inside = (chosen >= 0) & (chosen < size)
    if address == "border":
        chosen = np.where(inside, chosen, -1)
    elif address == "wrap":
        chosen = chosen % size
    elif address == "mirror":
        chosen = np.minimum(chosen % (2 * size), 2 * size - 1 - chosen % (2 * size))
    else:
        chosen = np.clip(chosen, 0, size - 1)
    return chosen, np.stack([256 - second, second], 1)


def greatest(dtype: np.dtype) -> int:
    """Give the value that a normalised read calls 1."""
    return np.iinfo(dtype).max


def elements(texels: np.ndarray, read: str) -> np.ndarray:
    """Give texels as registers hold them: integers of 32 bits, or single precision."""
    if read == "normalized_float":
        whole = np.maximum(texels.astype(np.float64), -greatest(texels.dtype))
        return (whole / greatest(texels.dtype)).astype(np.float32)
    if texels.dtype.kind == "f":
        return texels.astype(np.float32)
    return texels.astype(np.int32 if texels.dtype.kind == "i" else np.uint32)


def fetch(texels: np.ndarray, coordinates: Sequence[np.ndarray], *, filter: str = "point", address: str | Sequence[str] = "clamp",
          normalized: bool = False, read: str = "element", offsets: Sequence[int] = (0, 0, 0)) -> np.ndarray:
    """Fetch from a texture of one, two or three dimensions.

    texels      : shape (…, rows, columns, channels): one to three axes of texels, channels last.
    coordinates : float32, shape (n,) each: x, then y, then z.

    Returns shape (n, channels), single precision or 32-bit integers.
    """
    axes, count = texels.ndim - 1, len(coordinates[0])
    modes = [address] * axes if isinstance(address, str) else list(address)
    linear = filter == "linear"
    selected = [indices(x, size, address=mode, normalized=normalized, linear=linear, offset=offset)
                for x, size, mode, offset in zip(coordinates, texels.shape[axes - 1::-1], modes, offsets[:axes], strict=True)]
    if not linear:
        at = [chosen[:, 0] for chosen, _ in selected]
        return _take(elements(texels, read), at)
    total = np.zeros((count, texels.shape[-1]))
    numbers = texels.astype(np.float64)
    if read == "normalized_float":
        numbers = np.maximum(numbers, -greatest(texels.dtype))
    for corner in range(1 << axes):
        at = [chosen[:, corner >> axis & 1] for axis, (chosen, _) in enumerate(selected)]
        weight = np.prod([w[:, corner >> axis & 1] * (1 << 16 if axis == 0 and axes == 1 else 1 << 8 if axis == 0 and axes == 2 else 1)
                          for axis, (_, w) in enumerate(selected)], axis=0)
        with np.errstate(invalid="ignore"):
            total += np.where(weight[:, None] > 0, weight[:, None] * _take(numbers, at), 0)
    scale = greatest(texels.dtype) if read == "normalized_float" else 1
    with np.errstate(over="ignore"):
        return (total / (1 << 24) / scale).astype(np.float32)


def gather(texels: np.ndarray, x: np.ndarray, y: np.ndarray, *, component: int = 0, address: str | Sequence[str] = "clamp",
           normalized: bool = False, read: str = "element", offsets: Sequence[int] = (0, 0)) -> np.ndarray:
    """Give one channel of the four texels that linear filtering would use; shape (n, 4)."""
    modes = [address] * 2 if isinstance(address, str) else list(address)
    (column, _), (row, _) = (indices(v, size, address=mode, normalized=normalized, linear=True, offset=offset)
                             for v, size, mode, offset in zip((x, y), texels.shape[1::-1], modes, offsets, strict=True))
    values = elements(texels, read)
    if component >= texels.shape[-1]:
        return np.zeros((len(x), 4), values.dtype)
    return np.stack([_take(values, [column[:, i], row[:, j]])[:, component] for i, j in ((0, 1), (1, 1), (1, 0), (0, 0))], 1)


def _take(values: np.ndarray, at: Sequence[np.ndarray]) -> np.ndarray:
    """Read texels by index, x first; zero where an index is -1."""
    outside = np.any([a < 0 for a in at], axis=0)
    found = values[tuple(np.maximum(a, 0) for a in at[::-1])]
    return np.where(outside[:, None], np.zeros((), values.dtype), found)


def stored(values: np.ndarray, dtype: str) -> np.ndarray:
    """Give what formatted surface stores make of 32-bit registers: measured on an H100.

    Integers are held in the format's range; single precision becomes half by dropping bits, a NaN stays one. Channels of the surface
    that are not given become 0.
    """
    if dtype == "f4":
        return values.view(np.float32)
    if dtype == "f2":
        sign, magnitude = values >> 16 & 0x8000, (values & 0x7FFFFFFF).astype(np.int64)
        small = np.where(magnitude < 1 << 23, 0, (magnitude & 0x7FFFFF | 1 << 23) >> np.minimum(126 - (magnitude >> 23), 40).clip(0))
        half = np.where(magnitude >= 0x47800000, 0x7BFF, np.where(magnitude >= 0x38800000, magnitude - 0x38000000 >> 13, small))
        half = np.where(magnitude == 0x7F800000, 0x7C00, half)
        half = np.where(magnitude > 0x7F800000, 0x7C00 | np.maximum(magnitude >> 13 & 0x3FF, 1), half)
        return (sign | half).astype(np.uint16).view(np.float16)
    limits = np.iinfo(dtype)
    return np.clip(values.astype(np.int64) if limits.min == 0 else values.view(np.int32).astype(np.int64), limits.min, limits.max).astype(dtype)


def cube_face(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give face (+x -x +y -y +z -z) and the place on it, 0 to 1, that directions point at."""
    x, y, z = (np.asarray(v, np.float64) for v in (x, y, z))
    ax, ay, az = np.abs(x), np.abs(y), np.abs(z)
    by_x, by_y = (ax > ay) & (ax > az), ay > az
    face = np.where(by_x, np.where(x >= 0, 0, 1), np.where(by_y, np.where(y >= 0, 2, 3), np.where(z >= 0, 4, 5)))
    m = np.where(by_x, ax, np.where(by_y, ay, az))
    s = np.select([face == 0, face == 1, face == 5], [-z, z, -x], x)
    t = np.select([face == 2, face == 3], [z, -z], -y)
    with np.errstate(invalid="ignore", divide="ignore"):
        return face, np.where(m > 0, (s / m + 1) / 2, 0.5), np.where(m > 0, (t / m + 1) / 2, 0.5)
