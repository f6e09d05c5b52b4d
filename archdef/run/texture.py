"""Textures, samplers and surfaces: views of device arrays that kernels read and write by coordinates."""
from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from archdef import values
from archdef.engine.texture_table import TEXTURE_DTYPE
from archdef.errors import DeviceMemoryError, LaunchError, nearest
from archdef.ptx import ir
from archdef.run.array import DeviceArray

if TYPE_CHECKING:
    from archdef.lower.program import Program
    from archdef.run.memory import Memory
    from archdef.run.module import Module

FORMATS = {"u1": 0, "i1": 1, "u2": 2, "i2": 3, "u4": 4, "i4": 5, "f2": 6, "f4": 7}
"""Element type → the engine's ``TexelFormat``."""
ADDRESSES = {"clamp": 0, "wrap": 1, "mirror": 2, "border": 3}
"""Address mode → the engine's ``AddressMode``."""
BOUNDARIES = ("trap", "clamp", "zero")
FIRST_HANDLE = 0x7E00_0000_0000_0001
"""Handles are far from device addresses, so that one taken for the other is found out."""
_KINDS = {"texture": 0, "surface": 1, "sampler": 2}


class Handle:
    """What a kernel names a texture, sampler or surface by: pass it as a 64-bit argument."""

    def __init__(self, kind: str, memory: Memory, array: DeviceArray | None, fields: dict[str, Any]):
        self.kind, self.memory, self.array = kind, memory, array
        self._fields = fields
        self.destroyed = False
        """Whether it was given up, though somebody may hold it."""
        self.handle: int = of(memory).add(self)
        """The 64-bit number; it is never used again."""

    @property
    def live(self) -> bool:
        """Whether it was not destroyed, nor its array freed."""
        return not self.destroyed and (self.array is None or not self.array.freed)

    def __int__(self) -> int:
        return self.handle

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {value}" for name, value in self.described.items())
        return f"<{self.kind.capitalize()} {self.handle:#x}: {shown}>"

    @property
    def described(self) -> dict[str, object]:
        """What it is, in words."""
        f, names = self._fields, list(ADDRESSES)
        data: dict[str, object] = {}
        if self.array is not None:
            extents = [f[n] for n, k in (("depth", 3), ("height", 2), ("width", 1)) if f["dimensions"] >= k]
            data["texels"] = " x ".join(map(str, extents))
            if f["layered"] or f["cube"]:
                data["layers"] = f["layers"]
            data["format"] = f"{list(FORMATS)[f['format']]} x {f['channels']}"
        if self.kind != "surface":
            data["filter"] = "linear" if f["linear"] else "point"
            data["address"] = "/".join(names[m] for m in f["address_mode"][:f.get("dimensions", 3)])
            data["normalized"] = bool(f["normalized"])
        return data


class View(DeviceArray):
    """Memory that something else has allocated, as texels: rows of `dtype`, the last of which may end before the others do."""

    def __init__(self, memory: Memory, address: int, shape: tuple[int, ...], dtype: str, reach: int):
        self.memory, self.address, self.shape, self.dtype, self.reach = memory, address, shape, np.dtype(dtype), reach

    @property
    def freed(self) -> bool:
        """Whether its bytes do not lie in one allocation, or in what is mapped side by side, or no longer."""
        return not self.memory.engine.holds(self.address, self.reach)

    def free(self) -> None:
        """Refuse: it is not its own."""
        raise DeviceMemoryError("memory is freed by who allocated it")


class Handles:
    """The textures, samplers and surfaces of one device memory, by handle; those that nobody holds any more are gone."""

    def __init__(self) -> None:
        self._live: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
        self._numbers = itertools.count(FIRST_HANDLE)
        self._lock = threading.Lock()

    def add(self, handle: Handle) -> int:
        """Give the next number."""
        with self._lock:
            number = next(self._numbers)
            self._live[number] = handle
            return number

    def pack(self, references: Iterable[tuple[int, Handle]] = ()) -> bytes | None:
        """Give the engine's table: all live ones, and those that stand behind references, under the references' addresses."""
        with self._lock:
            named = {number: h for number, h in self._live.items() if h.live} if self._live else {}
        named.update((address, h) for address, h in references if h.live)
        if not named:
            return None
        table = np.zeros(len(named), TEXTURE_DTYPE)
        for row, number in zip(table, sorted(named), strict=True):
            row["handle"], row["kind"] = number, _KINDS[named[number].kind]
            for name, value in named[number]._fields.items():
                row[name] = value
        return table.tobytes()


_MAKES = threading.Lock()


def of(memory: Memory) -> Handles:
    """Give the handles of a device memory."""
    if (found := memory.handles) is None:       # every launch asks
        with _MAKES:
            found = memory.handles = memory.handles or Handles()
    return found


# ------------------------------------------------------------------------------------------------------------ descriptions
def _choice(what: str, value: object, known: Collection[object]) -> Any:
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value not in known:
        raise LaunchError(f"{what} must be one of {', '.join(map(str, known))}, got {values.shown(value)}"
                          + (nearest(value, map(str, known)) if isinstance(value, str) else ""))
    return value


def _extents(memory: Memory, array: DeviceArray, what: str, channels: int, layered: bool, cube: bool, layout: str, width: int | None) -> dict[str, Any]:
    """Read an array as texels: rows behind one another, channels last, layers first."""
    if not isinstance(array, DeviceArray):
        raise LaunchError(f"a {what} is made of a device array, got {type(array).__name__}; copy it with to_device")
    if array.memory is not memory:
        raise LaunchError(f"a {what} is made of an array of its own device; copy it with to_device")
    if array.freed:
        raise DeviceMemoryError(f"the array of the {what} was freed")
    if array.dtype.str[1:] not in FORMATS or array.dtype.byteorder == ">":
        raise LaunchError(f"a {what} holds {', '.join(FORMATS)}, got {array.dtype}")
    layered, cube = values.flag(layered, "layered", LaunchError), values.flag(cube, "cube", LaunchError)
    _choice("channels", channels, (1, 2, 4))
    _choice("layout", layout, ("array", "linear", "pitch"))
    shape = list(array.shape)
    if channels > 1 and (not shape or shape.pop() != channels):
        raise LaunchError(f"the last axis of an array of {channels} channels has length {channels}, got shape {array.shape}")
    layers = shape.pop(0) if (layered or cube) and len(shape) > 1 else 1
    if not 1 <= len(shape) <= 3 or cube and (len(shape) != 2 or layers % 6 or shape[0] != shape[1]) or layered and len(shape) == 3:
        form = "faces, rows, columns: 6 square faces a cube" if cube else "layers, rows, columns" if layered else "1 to 3 axes"
        raise LaunchError(f"a {'cubemap' if cube else 'layered ' * layered + what} has the axes {form}, got shape {array.shape}")
    if layout == "linear" and len(shape) != 1 or layout == "pitch" and len(shape) != 2 or layout != "array" and (layered or cube):
        raise LaunchError(f"layout {layout!r} is of {'one axis' if layout == 'linear' else 'two axes'}, got shape {array.shape}")
    if array.size == 0:
        raise LaunchError(f"a {what} needs texels, got shape {array.shape}")
    depth, height, row = [1, 1, *shape][-3:]
    width = row if width is None else values.whole(width, "width in columns of the array", LaunchError, at_least=1, at_most=row)
    texel = array.dtype.itemsize * channels
    return dict(address=array.address, width=width, height=height, depth=depth, layers=layers, pitch=row * texel,
                slice=height * row * texel, format=FORMATS[array.dtype.str[1:]], channels=channels, dimensions=len(shape),
                layered=int(layered), cube=int(cube), array=int(layout == "array"),
                tiled=int(layout == "array" and len(shape) > 1))


def _sampling(filter: str, address: str | Sequence[str], normalized: bool, axes: int = 3) -> dict[str, Any]:
    _choice("filter", filter, ("point", "linear"))
    if not isinstance(address, (str, list, tuple)) or not address:
        raise LaunchError(f"address is one mode, or one for each axis, x first, got {values.shown(address)}")
    normalized = values.flag(normalized, "normalized", LaunchError)
    per_axis = [address] * axes if isinstance(address, str) else [*address]
    per_axis += per_axis[-1:] * (axes - len(per_axis))
    per_axis += ["clamp"] * (3 - len(per_axis))
    if len(per_axis) != 3:
        raise LaunchError(f"address is one mode, or one for each axis, x first, got {address!r}")
    modes = [ADDRESSES[_choice("address", a, ADDRESSES)] for a in per_axis]
    if not normalized:  # hardware wraps and mirrors normalised coordinates only, and clamps others
        modes = [0 if m in (ADDRESSES["wrap"], ADDRESSES["mirror"]) else m for m in modes]
    return dict(linear=int(filter == "linear"), normalized=int(normalized), address_mode=modes)


def texture(memory: Memory, array: DeviceArray, *, filter: str, address: str | Sequence[str], normalized: bool, read: str, layered: bool,
            cube: bool, channels: int, layout: str, width: int | None) -> Handle:
    """Make a texture; see `Device.texture`."""
    fields = _extents(memory, array, "texture", channels, layered, cube, layout, width)
    fields |= _sampling(filter, address, normalized, fields["dimensions"])
    _choice("read", read, ("element", "normalized_float"))
    integer = array.dtype.kind in "iu"
    if read == "normalized_float" and (not integer or array.dtype.itemsize > 2):
        raise LaunchError(f"normalized_float reads integers of 8 or 16 bits, got {array.dtype}")
    if filter == "linear" and integer and read == "element":
        raise LaunchError(f"linear filtering gives floats: read {array.dtype} as 'normalized_float', or filter by 'point'")
    return Handle("texture", memory, array, fields | dict(normalized_read=int(read == "normalized_float")))


def surface(memory: Memory, array: DeviceArray, *, layered: bool, channels: int, layout: str, width: int | None) -> Handle:
    """Make a surface; see `Device.surface`."""
    return Handle("surface", memory, array, _extents(memory, array, "surface", channels, layered, False, layout, width))


def sampler(memory: Memory, *, filter: str, address: str | Sequence[str], normalized: bool) -> Handle:
    """Make a sampler; see `Device.sampler`."""
    return Handle("sampler", memory, None, _sampling(filter, address, normalized))


class References:
    """What the texture, sampler and surface references of a module stand for: ``module.textures["name"] = texture``."""

    def __init__(self, module: Module):
        self._file, self._memory = module.compiled.file, module.device.memory
        self._bound: dict[str, Handle] = {}
        self.extend(module.ptx)

    def extend(self, ptx: ir.Module) -> None:
        """Take the references of what the module has become."""
        self._kinds = {v.name: v.opaque.removesuffix("ref") for v in ptx.variables.values() if v.opaque}

    def __setitem__(self, name: str, handle: Handle) -> None:
        kind = {"tex": "texture", "surf": "surface"}.get(self[name], self[name])
        if not isinstance(handle, Handle) or handle.kind != kind:
            raise LaunchError(f"{name} of {self._file} takes a {kind}, got {handle!r}")
        if handle.memory is not self._memory:
            raise LaunchError(f"{name} of {self._file} takes a {kind} of the module's own device")
        self._bound[name] = handle

    def __getitem__(self, name: str) -> str:
        if name not in self._kinds:
            raise LaunchError(f"{self._file} has no texture, sampler or surface reference {name!r}{nearest(name, self._kinds)}")
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __delitem__(self, name: str) -> None:
        """Let a reference stand for nothing, as before it was bound."""
        self._bound.pop(name, None)

    @property
    def bound(self) -> dict[str, Handle]:
        """What each of them stands for now."""
        return dict(self._bound)


def placed(bound: Mapping[str, Handle], program: Program, base: int) -> list[tuple[int, Handle]]:
    """Give address and handle of the references of a program that are bound; `base` is where the module's variables lie."""
    return [(base + offset, bound[name]) for name, offset in program.references if name in bound]
