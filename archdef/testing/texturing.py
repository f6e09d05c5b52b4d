"""Texture fetches defined in plain numpy, after the CUDA C Programming Guide and real hardware; the engine must equal this to the bit.

The guide gives the formulas and the weights' 8 fractional bits. What it leaves open was fitted to the outputs of an H100, bit for bit:
`tests/hardware` holds them, and compares the engine with them. The widths are data of the description, `spec.TextureUnits`.

References: CUDA C++ Programming Guide 13.1, chapter 19 (texture fetching) and section 3.2.14 (texture and surface memory); PTX ISA 9.1,
sections 9.7.10 (tex, tld4) and 5.3 (texture, sampler and surface types).
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from archdef.spec import TextureUnits

RULES = {
    "flushing": "a coordinate that is no number, or subnormal, counts as 0",
    "product": "a normalised coordinate is cut down to a number of fraction bits, more for large textures, and multiplied exactly",
    "position": "x - 0.5 is rounded to the nearest 1/256, halves up, and split into texel and weight",
    "clamp": "a clamped axis whose two texels are one has weight 0; a wrapped, mirrored or bordered one keeps its weight",
    "wrap": "filtering across an edge wraps to the texel at the other side; mirroring repeats the edge texel",
    "corners": "weights of corners are products rounded to 1/256, which sum to 1: slices share out z, columns what their slice has, rows "
               "what their column has",
    "float_sum": "texels are aligned at the greatest exponent that has a weight, cut to 4 bits below its last bit, multiplied and added "
                 "exactly; the slices of a volume are added at an exponent that is a multiple of 4, cut downwards; the sum is rounded "
                 "once, to the format of the texels, halves away from zero",
    "integer_sum": "normalised integers are widened to 16 bits first, their mean is rounded to 16 bits, halves up, and divided by 65535 or "
                   "32767; bytes with a sign are widened after the mean, by a short product",
    "subnormal": "filters flush subnormal single-precision texels and results; half precision keeps them",
    "special": "a NaN or infinity shows wherever its texel is used, even if its weight was rounded to 0; nearest texels keep their bits",
    "zero": "a filter gives -0 if all its texels are negative",
    "integer_coordinates": "an integer coordinate out of range reads zero, whatever the address mode, and so does a layer beside it",
    "missing_channels": "channels that a texture has not read 0, the fourth too",
    "layer": "layers are unsigned; beside other coordinates one out of range is clamped",
    "cube": "the direction times the reciprocal of its greatest coordinate, in single precision; z wins ties, then y; a face is filtered "
            "as a texture of its own, its edges by the texture's address modes",
    "offset": "a texel offset moves the index of the texel before the address mode is applied",
    "gather": "the four texels that filtering would use, rounding included: (0,1), (1,1), (1,0), (0,0) as (column, row)",
    "one_dimension": "a filter of one dimension has a second one of one row, fetched at its edge: it halves under a second mode `border`",
}
"""What hardware does where the guide is silent; measured."""
DOCUMENTED = TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4)
"""The widths of an H100."""
_SMALLEST = 2.0**-126


# ------------------------------------------------------------------------------------------------------------- coordinates
def _resolve(i: np.ndarray, size: int, address: str) -> np.ndarray:
    """Texels that stand for indices; -1 where none does."""
    if address == "border":
        return np.where((i >= 0) & (i < size), i, -1)
    if address == "wrap":
        return i % size
    if address == "mirror":
        return np.where(i % (2 * size) < size, i % (2 * size), 2 * size - 1 - i % (2 * size))
    return np.clip(i, 0, size - 1)


def indices(x: np.ndarray, size: int, *, address: str, normalized: bool, linear: bool, largest: int = 0, centred: bool = False,
            offset: int = 0, units: TextureUnits = DOCUMENTED) -> tuple[np.ndarray, np.ndarray]:
    """Give the texels that coordinates select along one axis.

    x : float32, shape (n,): coordinates in texels, or from 0 to 1, or (`centred`, on cubes) from -1 to 1.
    largest : the texture's greatest extent, if it is not `size`; `offset`: texels by which coordinates are moved.

    Returns indices, int64, shape (n, 2), -1 for a texel that is not there and reads zero; and the second one's weight, int64, shape (n,),
    in 1/2**weight_bits. Without filtering it is 0.
    """
    given = np.asarray(x, np.float32)
    x = np.where(np.isnan(given) | (np.abs(given) < np.float32(_SMALLEST)), 0, given).astype(np.float64)
    one = 1 << units.weight_bits
    if not normalized and address in ("wrap", "mirror"):
        address = "clamp"
    if normalized:
        bits = units.coordinate_bits + sum(max(size, largest) > extent for extent in units.coordinate_extents)
        if centred:
            place = np.floor(np.clip(x, -1, 1) * 2.0**(bits - 1)).astype(np.int64) + (1 << bits - 1)
        elif address in ("wrap", "mirror"):
            place = np.floor(np.where(np.abs(x) < 2.0**31, x, 0) * 2.0**bits).astype(np.int64) % (2 << bits)
        else:
            place = np.floor(np.clip(x, -2, 3) * 2.0**bits).astype(np.int64)
        place = place * size
        first = (place * one + (1 << bits - 1)) >> bits if linear else place >> bits
    else:
        x = np.clip(x, -2.0**40, 2.0**40)
        first = np.floor(x * one + 0.5 if linear else x).astype(np.int64)
    weight = np.zeros(first.shape, np.int64)
    if linear:
        first = first - one // 2
        weight, first = first % one, first // one
    chosen = _resolve(np.stack([first, first + 1], 1) + offset, size, address)
    if address == "clamp":
        weight = np.where(chosen[:, 0] == chosen[:, 1], 0, weight)
    return chosen, weight


def corner_weights(weights: Sequence[np.ndarray], one: int = 256) -> np.ndarray:
    """Give the weights of all corners, x fastest, from the second texel's weight along each axis; int64, shape (n, 2**axes)."""
    x, *rest = weights
    if not rest:
        return np.stack([one - x, x], 1)

    def rounded(a, b):
        return (a * b + one // 2) // one

    y, parts = rest[0], []
    for whole in (np.full_like(x, one),) if len(rest) == 1 else (one - rest[1], rest[1]):
        right = rounded(x, whole)
        near, far = rounded(whole - right, one - y), rounded(right, y)
        parts += [near, right - far, whole - right - near, far]
    return np.stack(parts, 1)


# --------------------------------------------------------------------------------------------------------------- texels
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


def _exponent(value: np.ndarray) -> np.ndarray:
    """Give floor(log2(|value|)), exactly; -1000 for zero."""
    return np.where(value == 0, -1000, np.frexp(value)[1] - 1)


def _mean_of_floats(texels: np.ndarray, weight: np.ndarray, used: np.ndarray, units: TextureUnits) -> np.ndarray:
    """Mean of corners; texels of shape (n, corners, channels), weight and used (n, corners)."""
    fraction, least = (23, -126) if texels.dtype == np.float32 else (10, -14)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
        t = texels.astype(np.float64)
    if fraction == 23:
        t = np.where(np.abs(t) < _SMALLEST, np.copysign(0, t), t)
    w, used = weight[:, :, None], used[:, :, None]
    with np.errstate(invalid="ignore"):
        plain = np.where((w > 0) & np.isfinite(t), t, 0)
    half = 4 if texels.shape[1] == 8 else texels.shape[1]
    sums, tops = [], []
    for part in (slice(k, k + half) for k in range(0, texels.shape[1], half)):
        top = np.maximum(_exponent(plain[:, part]), np.where(plain[:, part] == 0, -1000, least)).max(1)
        step = np.ldexp(1.0, np.maximum(top, -200) - fraction - units.guard_bits)
        sums.append((np.trunc(plain[:, part] / step[:, None]) * w[:, part]).sum(1) * step / (1 << units.weight_bits))
        tops.append(top)
    total = sums[0]
    if len(sums) == 2:
        shared = (np.maximum(*tops) + 3) // 4 * 4 - 3 - fraction - units.guard_bits - units.weight_bits
        step = np.ldexp(1.0, np.maximum(shared, -300))
        total = (np.floor(sums[0] / step) + np.floor(sums[1] / step)) * step
    unit = np.ldexp(1.0, np.maximum(_exponent(total), least if fraction == 10 else -900) - fraction)
    mean = np.copysign(np.floor(np.abs(total) / unit + 0.5) * unit, total)
    mean = np.where(np.abs(mean) < _SMALLEST if fraction == 23 else False, np.copysign(0, mean), mean)
    mean = np.where(np.abs(mean) > 65504 if fraction == 10 else False, np.copysign(np.inf, mean), mean)
    mean = np.where(total == 0, np.where((np.signbit(t) | ~used).all(1), -0.0, 0.0), mean)
    up, down, nan = (((t == np.inf) & used).any(1), ((t == -np.inf) & used).any(1), (np.isnan(t) & used).any(1))
    mean = np.where(up, np.inf, np.where(down, -np.inf, mean))
    bits = mean.astype(np.float32).view(np.uint32)
    return np.where(nan | up & down, np.uint32(0x7FFFFFFF if fraction == 23 else 0x7FFFE000), bits).view(np.float32)


def _mean_of_integers(texels: np.ndarray, weight: np.ndarray, units: TextureUnits) -> np.ndarray:
    """Mean of corners as fractions; texels of shape (n, corners, channels), weight (n, corners)."""
    t, most = texels.astype(np.int64), 65535 if texels.dtype.kind == "u" else 32767
    total = (t * (257 if texels.dtype == np.uint8 else 1) * weight[:, :, None]).sum(1)
    if texels.dtype == np.int8:
        total <<= 8 - units.weight_bits
        total += ((total & ~15) * 257 + 16384) >> 15
    else:
        total = (total + (1 << units.weight_bits >> 1)) >> units.weight_bits
    return (np.clip(total, -most, most) / most).astype(np.float32)


# -------------------------------------------------------------------------------------------------------------- fetches
def fetch(texels: np.ndarray, coordinates: Sequence[np.ndarray], *, filter: str = "point", address: str | Sequence[str] = "clamp",
          normalized: bool = False, read: str = "element", centred: bool = False, offsets: Sequence[int] = (0, 0, 0),
          units: TextureUnits = DOCUMENTED) -> np.ndarray:
    """Fetch from a texture of one, two or three dimensions.

    texels      : shape (…, rows, columns, channels): one to three axes of texels, channels last.
    coordinates : float32, shape (n,) each: x, then y, then z.

    Returns shape (n, channels), single precision or 32-bit integers.
    """
    axes, count = texels.ndim - 1, len(coordinates[0])
    modes = [address] * axes if isinstance(address, str) else list(address)
    linear = filter == "linear"
    selected = [indices(x, size, address=mode, normalized=normalized, linear=linear, largest=max(texels.shape[:-1]), centred=centred,
                        offset=offset, units=units)
                for x, size, mode, offset in zip(coordinates, texels.shape[axes - 1::-1], modes, offsets)]
    if not linear:
        return _take(elements(texels, read), [chosen[:, 0] for chosen, _ in selected])
    if axes == 1 and modes[1:2] == ["border"]:
        texels, half = texels[None], 1 << units.weight_bits >> 1
        selected.append((np.tile(np.array([[-1, 0]]), (count, 1)), np.full(count, half)))
    weight = corner_weights([w for _, w in selected], 1 << units.weight_bits)
    corners = range(1 << len(selected))
    used = np.stack([np.all([w > 0 for axis, (_, w) in enumerate(selected) if corner >> axis & 1] or [np.full(count, True)], axis=0)
                     for corner in corners], 1)
    taken = np.stack([_take(texels, [chosen[:, corner >> axis & 1] for axis, (chosen, _) in enumerate(selected)]) for corner in corners], 1)
    if texels.dtype.kind == "f":
        return _mean_of_floats(taken, weight, used, units)
    return _mean_of_integers(taken, weight, units)


def gather(texels: np.ndarray, x: np.ndarray, y: np.ndarray, *, component: int = 0, address: str | Sequence[str] = "clamp",
           normalized: bool = False, read: str = "element", centred: bool = False, offsets: Sequence[int] = (0, 0),
           units: TextureUnits = DOCUMENTED) -> np.ndarray:
    """Give one channel of the four texels that linear filtering would use; shape (n, 4)."""
    modes = [address] * 2 if isinstance(address, str) else list(address)
    (column, _), (row, _) = (indices(v, size, address=mode, normalized=normalized, linear=True, largest=max(texels.shape[:2]),
                                     centred=centred, offset=offset, units=units)
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
    """Give face (+x -x +y -y +z -z) and the place on it, -1 to 1, that directions point at."""
    x, y, z = (np.asarray(v, np.float32) for v in (x, y, z))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        most = np.fmax.reduce([np.abs(x), np.abs(y), np.abs(z), np.zeros_like(x)])
        reciprocal = np.float32(1) / np.where(most < _SMALLEST, np.float32(0), most)
        reciprocal = np.where(reciprocal < _SMALLEST, np.float32(0), reciprocal).astype(np.float32)
        x, y, z = x * reciprocal, y * reciprocal, z * reciprocal
    ax, ay, az = (np.where(np.isnan(v), -1, np.abs(v)) for v in (x, y, z))
    by_z, by_y = (az >= ax) & (az >= ay), ay >= ax
    face = np.where(by_z, np.where(z < 0, 5, 4), np.where(by_y, np.where(y < 0, 3, 2), np.where(x < 0, 1, 0)))
    return face, np.select([face == 0, face == 1, face == 5], [-z, z, -x], x), np.select([face == 2, face == 3], [z, -z], -y)
