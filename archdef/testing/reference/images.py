"""Textures and surfaces: an image in memory, and the instructions that read and write it by coordinates.

What a fetch gives is defined in `archdef.testing.texturing`; here are the instructions around it. There is one level of detail.
"""
from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from archdef.ptx import ir
from archdef.testing import texturing
from archdef.testing.reference import floats
from archdef.testing.reference.access import elements_of
from archdef.testing.reference.atomics import operation
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.formats import F16, F32
from archdef.testing.reference.types import clamp, read, signed, width

_GEOMETRIES = {"1d": "x", "2d": "xy", "3d": "xyz", "a1d": "lx", "a2d": "lxy", "cube": "xyz", "acube": "lxyz"}
"""Geometry → what its coordinates are: l is a layer, which is unsigned."""


@attrs.frozen(kw_only=True)
class Image:
    """How an array is seen: axes are layers (or faces), slices, rows, columns, and channels if there are several."""

    surface: bool = False
    shape: tuple[int, ...] = ()
    dtype: str = "u4"
    address: int = 0
    channels: int = 1
    layered: bool = False
    cube: bool = False
    filter: str = "point"
    modes: tuple[str, ...] = ("clamp",)
    """Address mode of each axis, x first; the last one is of the axes behind, too."""
    normalized: bool = False
    read: str = "element"

    @property
    def axes(self) -> tuple[int, ...]:
        """Lengths of the spatial axes, x last."""
        shape = self.shape[:-1] if self.channels > 1 else self.shape
        return shape[1:] if self.layered or self.cube else shape

    @property
    def layers(self) -> int:
        """Layers, or faces."""
        return self.shape[0] if self.layered or self.cube else 1

    def texels(self, memory, layer: int) -> np.ndarray:
        """Give a layer as it is in memory now, channels last."""
        shape = (*self.axes, self.channels)
        size = int(np.prod(shape)) * np.dtype(self.dtype).itemsize
        data = memory.read(self.address + layer * size, size)
        return np.frombuffer(data, self.dtype).reshape(shape)


def image_of(c: Context, i, operand: ir.Operand, surface: bool) -> Callable:
    """Give a function of a thread to the image that a handle in a register or a parameter names."""
    base = operand.base if isinstance(operand, ir.Address) else operand
    if isinstance(base, ir.Register):
        handle = c.source(i, base, "u64")
    else:
        place = c.layout.find(c.function.name, base.name) if isinstance(base, ir.Symbol) else None
        if place is None or place[0] != "param":
            raise unknown(i, "meaning for a texture that is named by its reference")
        held = bytes(c.layout.parameters[place[1]:place[1] + 8])

        def handle(t):
            return int.from_bytes(held, "little")

    def image(t) -> Image:
        found = t.block.memory.images.get(handle(t))
        if found is None or found.surface != surface:
            raise Wrong(f"`{i.text}`: {handle(t):#x} is no {'surface' if surface else 'texture'}")
        return found
    return image


def coordinates(c: Context, i, operand: ir.Operand, geometry: str, type: str) -> list[Callable]:
    """Give functions of a thread to the coordinates; vectors of three are padded to four."""
    elements = operand.elements if isinstance(operand, ir.Vector) else (operand,)
    letters = _GEOMETRIES[geometry]
    return [c.source(i, e, "u32" if letter == "l" else type) for letter, e in zip(letters, elements, strict=False)]


def _number(type: str, pattern: int) -> np.float32 | int:
    return np.uint32(pattern).view(np.float32) if type == "f32" else read(type, pattern)


@means("tex", "tld4")
def fetch(c: Context, i, words: Words) -> Step:
    """``tex``, ``tld4``: four channels of what the texture holds at the thread's coordinates."""
    to, type = i.types
    geometry = words.one(*_GEOMETRIES)
    words.one("v4")
    gathers = i.opcode == "tld4"
    component = "rgba".index(words.one("r", "g", "b", "a")) if gathers else 0
    behind = 0 if gathers else {"": 0, "base": 0, "level": 1, "grad": 2}[words.one("base", "level", "grad", default="")]
    if type not in ("f32", "s32") or len(i.operands) != 3 + behind:
        raise unknown(i, f"form with {len(i.operands)} operands")
    image, places = image_of(c, i, i.operands[1], False), coordinates(c, i, i.operands[2], geometry, type)
    stores = [c.destination(i, e, f"b{width(to)}") if e is not None else None for e in elements_of(i, i.operands[0], 4)]

    def act(t):
        values = _sample(t, image(t), geometry, type, [place(t) for place in places], component if gathers else None)
        patterns = [*values.view(np.uint32).tolist(), 0, 0, 0]
        for store, pattern in zip(stores, patterns):
            if store is not None:
                store(t, pattern)
    return Step("plain", act)


def _sample(t, image: Image, geometry: str, type: str, patterns: list[int], gathered: int | None) -> np.ndarray:
    """Fetch for one thread; give the channels."""
    memory = t.block.memory
    layer, at = 0, [_number(type, p) for p in patterns]
    if geometry[0] == "a":
        layer = min(patterns[0], image.layers // (6 if image.cube else 1) - 1)
        at = at[1:]
    where = [np.array([x]) for x in at]
    modes = [*image.modes, *image.modes[-1:] * 3][:3]
    how = {"filter": image.filter, "address": modes, "normalized": image.normalized, "read": image.read}
    if geometry.endswith("cube"):
        face, x, y = texturing.cube_face(*where)
        where, layer, how["centred"] = [x, y], 6 * layer + int(face[0]), True
    if len(where) != len(image.axes):
        raise Wrong(f"a texture of {len(image.axes)} axes is not .{geometry}")
    texels = image.texels(memory, layer)
    if type == "s32":
        inside = all(0 <= x < size for x, size in zip(at, texels.shape[-2::-1])) and (geometry[0] != "a" or patterns[0] < image.layers)
        elements = texturing.elements(texels, image.read)
        return elements[tuple(at[::-1])] if inside else np.zeros(image.channels, elements.dtype)
    if gathered is not None:
        del how["filter"]
        how["address"] = modes[:2]
        return texturing.gather(texels, *where, component=gathered, **how)[0]
    return texturing.fetch(texels, where, **how)[0]


@means("txq", "suq")
def query(c: Context, i, words: Words) -> Step:
    """``txq``, ``suq``: what an image is. What numbers stand for data types and channel orders PTX leaves to the driver."""
    image, store = image_of(c, i, i.operands[1], i.opcode == "suq"), c.destination(i, i.operands[0], "b32")
    words.flag("level")
    name = words.one("width", "height", "depth", "array_size", "normalized_coords", "num_mipmap_levels", "num_samples")

    def act(t):
        found = image(t)
        axes = (*found.axes[::-1], 1, 1)
        store(t, {"width": axes[0], "height": axes[1], "depth": axes[2], "array_size": found.layers,
                  "normalized_coords": int(found.normalized), "num_mipmap_levels": 1, "num_samples": 1}[name])
    return Step("plain", act)


_SURFACE_REDUCTIONS = ("add", "min", "max", "and", "or")


@means("sured")
def surface_reduction(c: Context, i, words: Words) -> Step:
    """``sured``: on elements of a surface; ``.b`` counts bytes, ``.p`` texels, whose signedness is then the surface's."""
    (type,) = i.types
    geometry, formatted = words.one(*_GEOMETRIES), words.one("b", "p") == "p"
    boundary, name = words.one("trap", "clamp", "zero"), words.one(*_SURFACE_REDUCTIONS)
    image, at = image_of(c, i, i.operands[0], True), coordinates(c, i, i.operands[1], geometry, "s32")
    value, size = c.source(i, elements_of(i, i.operands[2], 1)[0], type), width(type) // 8

    def act(t):
        found, place = image(t), [p(t) for p in at]
        if formatted:
            place[0] *= np.dtype(found.dtype).itemsize * found.channels
        address = _surface_address(i, found, geometry, boundary, place, size)
        if address is not None:
            signs = formatted and name in ("min", "max") and np.dtype(found.dtype).kind == "i"
            change = operation(i, words, name, f"s{8 * size}" if signs else type, 1)
            old = int.from_bytes(t.block.memory.read(address, size), "little")
            t.block.memory.write(address, change(old, value(t), True).to_bytes(size, "little"))
    return Step("plain", act)


@means("istypep")
def is_type(c: Context, i, words: Words) -> Step:
    """``istypep``: whether a handle in a register is one of a texture, a sampler or a surface."""
    kind = words.one("texref", "samplerref", "surfref")
    handle, store = c.source(i, i.operands[1], "u64"), c.predicate_destinations(i, i.operands[0])[0]

    def act(t):
        found = t.block.memory.images.get(handle(t))
        store(t, found is not None and kind == ("surfref" if found.surface else "texref"))
    return Step("plain", act)


@means("suld", "sust")
def surface(c: Context, i, words: Words) -> Step:
    """``suld.b``, ``sust.b``: bytes of a surface; x counts bytes. ``sust.p``: texels, made of registers of 32 bits.

    Out of range ``.trap`` ends the kernel, ``.zero`` reads zeros and drops what is stored, ``.clamp`` takes the nearest place.
    """
    (type,) = i.types
    loads, geometry = i.opcode == "suld", words.one(*_GEOMETRIES)
    formatted = words.one("b", *([] if loads else ["p"])) == "p"
    boundary, count = words.one("trap", "clamp", "zero"), int(words.one("v2", "v4", default="v1")[1:])
    words.ignore("ca", "cg", "cs", "cv", "wb", "wt")
    named, place, data = (1, 2, 0) if loads else (0, 1, 2)
    image, at = image_of(c, i, i.operands[named], True), coordinates(c, i, i.operands[place], geometry, "s32")
    elements = elements_of(i, i.operands[data], count)
    stores = [c.destination(i, e, type) for e in elements] if loads else []
    values = [] if loads else [c.source(i, e, type) for e in elements]
    size = width(type) // 8

    def act(t):
        found, place = image(t), [p(t) for p in at]
        if formatted:
            return store_texel(t, found, place)
        address = _surface_address(i, found, geometry, boundary, place, size * count)
        if loads:
            held = bytes(size * count) if address is None else t.block.memory.read(address, size * count)
            for k, store in enumerate(stores):
                store(t, int.from_bytes(held[k * size:(k + 1) * size], "little"))
        elif address is not None:
            t.block.memory.write(address, b"".join(v(t).to_bytes(size, "little") for v in values))
        return None

    def store_texel(t, found, place):
        element = np.dtype(found.dtype)
        place[0 if geometry[0] != "a" else 1] *= element.itemsize * found.channels
        address = _surface_address(i, found, geometry, boundary, place, element.itemsize * found.channels)
        if address is not None:
            given = [v(t) for v in values] + [0] * found.channels
            t.block.memory.write(address, b"".join(_channel(element, x).to_bytes(element.itemsize, "little")
                                                   for x in given[:found.channels]))
    return Step("plain", act)


def _channel(element: np.dtype, pattern: int) -> int:
    """Make a channel of 32 bits as an H100 does: integers are held in range, half precision is cut, a NaN keeps the bits that fit."""
    bits = 8 * element.itemsize
    if element.kind != "f":
        return clamp(f"{'s' if element.kind == 'i' else 'u'}{bits}", read("s32" if element.kind == "i" else "u32", pattern)) & (1 << bits) - 1
    if bits == 32:
        return pattern
    if F32.is_nan(pattern):
        return pattern >> 16 & 0x8000 | 0x7C00 | max(pattern >> 13 & 0x3FF, 1)
    return floats.change_format(F16, F32, pattern, "rz")


def _surface_address(i, image: Image, geometry: str, boundary: str, at: list[int], size: int) -> int | None:
    """Give the address that coordinates name; None for nowhere."""
    texel = np.dtype(image.dtype).itemsize * image.channels
    layer = at.pop(0) if geometry[0] == "a" else 0
    at = [signed(32, x) for x in at]
    extents = [image.axes[-1] * texel, *image.axes[-2::-1], image.layers]
    if len(at) != len(image.axes) or at[0] % size:
        raise Wrong(f"`{i.text}`: .{geometry} of {len(image.axes)} axes, byte {at[0]}")
    last = [extents[0] - size, *(extent - 1 for extent in extents[1:])]
    inside = [min(max(x, 0), end) for x, end in zip([*at, layer], last)]
    if inside != [*at, layer]:
        if boundary == "trap":
            raise Wrong(f"`{i.text}`: {at} is outside")
        if boundary == "zero":
            return None
    offset = 0
    for x, extent in zip(inside[:0:-1], extents[:0:-1]):
        offset = offset * extent + x
    return image.address + offset * extents[0] + inside[0]
