"""Arrays that textures and surfaces are made of (``cudaArray_t``): allocation, and copies from and to them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archdef import values
from archdef.errors import DeviceMemoryError
from archdef.run.array import DeviceArray
from archdef.run.pointer import Pointer
from archdef.runtime.base import Part
from archdef.runtime.ends import DEFAULT, DEVICE_TO_DEVICE, MOST_BYTES, End, Region, Source
from archdef.runtime.status import Refusal
from archdef.runtime.structures import FORMAT_FLOAT, FORMAT_NONE, FORMAT_SIGNED, FORMAT_UNSIGNED, ChannelFormatDesc, Extent

if TYPE_CHECKING:
    from archdef.host import Stream
    from archdef.run.memory import Memory

LAYERED, SURFACE_LOAD_STORE, CUBEMAP, TEXTURE_GATHER = 1, 2, 4, 8
_KNOWN_FLAGS: Final = LAYERED | SURFACE_LOAD_STORE | CUBEMAP | TEXTURE_GATHER
_LETTERS: Final = {FORMAT_SIGNED: "i", FORMAT_UNSIGNED: "u", FORMAT_FLOAT: "f"}
_FACES: Final = 6


def element_of(desc: object) -> tuple[str, int]:
    """Read a format: numpy's type of one channel, and how many channels. Raises Refusal."""
    if not isinstance(desc, ChannelFormatDesc):
        raise Refusal("InvalidChannelDescriptor", f"the format of an element is a ChannelFormatDesc, got {values.shown(desc)}")
    kind = FORMAT_NONE if (number := values.as_whole(desc.f)) is None else number
    bits = [values.as_whole(each) or 0 for each in (desc.x, desc.y, desc.z, desc.w)]
    channels = next((k for k, each in enumerate(bits) if not each), 4)
    size, letter = bits[0], _LETTERS.get(kind)
    fits = channels in (1, 2, 4) and bits == [size] * channels + [0] * (4 - channels) and size in ((16, 32) if letter == "f" else (8, 16, 32))
    if not fits or letter is None:
        raise Refusal("InvalidChannelDescriptor", f"1, 2 or 4 channels of 8, 16 or 32 bits, all alike (floats of 16 or 32), got {values.shown(desc)}")
    return f"{letter}{size // 8}", channels


class Array:
    """Device memory that has no address for programs: rows of elements, slices or layers of rows."""

    def __init__(self, memory: Memory, desc: ChannelFormatDesc, extent: Extent, flags: int):
        self.desc, self.extent, self.flags = desc, extent, flags
        self.dtype, self.channels = element_of(desc)
        width, height, depth = extent.width, max(1, extent.height), max(1, extent.depth)
        _check_shape(extent, flags)
        shape = [size for size, there in ((depth, extent.depth), (height, extent.height)) if there]
        self.data = DeviceArray(memory, (*shape, width, *[self.channels] * (self.channels > 1)), self.dtype)
        self.element_bytes: int = self.data.dtype.itemsize * self.channels
        self._sizes = width * self.element_bytes, height, depth

    @property
    def layered(self) -> bool:
        """Whether its slices are layers."""
        return bool(self.flags & LAYERED) and not self.cube

    @property
    def cube(self) -> bool:
        """Whether its slices are faces of cubes."""
        return bool(self.flags & CUBEMAP)

    def region(self, x: int, y: int, z: int, box: tuple[int, int, int]) -> Region:
        """Give a box of it as an end of a copy, from element x of row y of slice z on; widths are in bytes. Raises Refusal if it reaches out of it."""
        return self.region_of_bytes(x * self.element_bytes, y, z, box)

    def region_of_bytes(self, x: int, y: int, z: int, box: tuple[int, int, int]) -> Region:
        """Give the same where x counts bytes."""
        row, rows, _ = self._sizes
        for start, length, most, what in zip((x, y, z), box, self._sizes, ("bytes", "rows", "slices"), strict=True):
            if start < 0 or length < 0 or start + length > most:
                raise Refusal("InvalidValue", f"{length} {what} from {start} on of an array that has {most}")
        if x % self.element_bytes or box[0] % self.element_bytes:
            raise Refusal("InvalidValue", f"{box[0]} bytes from byte {x} of a row on are no whole elements of {self.element_bytes} bytes")
        return Region(self._pointer() + (x + y * row + z * row * rows), row, row * rows)

    def run_of_bytes(self, x: int, y: int, count: int) -> Region:
        """Give so many bytes on end, from byte x of row y on; they go on in the next row."""
        start = x + y * self._sizes[0]
        if min(x, y, count) < 0 or x >= self._sizes[0] or start + count > self.data.nbytes:
            raise Refusal("InvalidValue", f"{count} bytes from byte {x} of row {y} on of an array of {self.data.nbytes} bytes")
        return Region(self._pointer() + start, 0)

    def _pointer(self) -> Pointer:
        if self.data.freed:
            raise DeviceMemoryError("the array was freed")
        return Pointer(self.data.address, self.data.memory, self.data.nbytes)


class MipmappedArray:
    """Arrays of one picture, each half as large as the one before."""

    def __init__(self, memory: Memory, desc: ChannelFormatDesc, extent: Extent, levels: int, flags: int):
        """levels : how many are wanted; there are at most as many as it takes to come to one element."""
        _check_shape(extent, flags)
        halved = (extent.width, extent.height, 0 if flags & (LAYERED | CUBEMAP) else extent.depth)
        self.levels = [Array(memory, desc, Extent(*_halved(extent, flags, level)), flags) for level in range(max(1, min(levels, max(halved).bit_length())))]
        """From the largest to the smallest."""

    def level(self, level: int) -> Array:
        """Give the array of a level. Raises Refusal."""
        if not 0 <= level < len(self.levels):
            raise Refusal("InvalidValue", f"level {level} of {len(self.levels)}")
        return self.levels[level]


def _halved(extent: Extent, flags: int, level: int) -> tuple[int, int, int]:
    """Give the sizes of a level: dimensions that there are have one element at least, and layers and faces are not halved."""
    width, height, depth = (size and max(1, size >> level) for size in (extent.width, extent.height, extent.depth))
    return width, height, extent.depth if flags & (LAYERED | CUBEMAP) else depth


def _check_shape(extent: Extent, flags: int) -> None:
    width, height, depth = extent.width, extent.height, extent.depth
    sizes = f"an array of {width} x {height} x {depth} elements"
    if flags & ~_KNOWN_FLAGS:
        raise Refusal("NotSupported" if flags < 1 << 8 else "InvalidValue", f"arrays with the flags {flags:#x}")
    if not 0 < width <= MOST_BYTES or not 0 <= height <= MOST_BYTES or not 0 <= depth <= MOST_BYTES:
        raise Refusal("InvalidValue", sizes)
    if flags & CUBEMAP and (width != height or depth % _FACES or not depth or depth != _FACES and not flags & LAYERED):
        raise Refusal("InvalidValue", f"a cubemap has {_FACES} square faces, and a layered one several times that, got {sizes}")
    if not height and depth and not flags & LAYERED or flags & LAYERED and not depth:
        raise Refusal("InvalidValue", f"{sizes}: without rows there are no slices, and layers are counted as depth")
    if flags & TEXTURE_GATHER and (not height or depth):
        raise Refusal("InvalidValue", f"gathers are of two dimensions, got {sizes}")


class Arrays(Part):
    """Arrays, and copies from and to them."""

    def __init__(self) -> None:
        self._arrays: dict[int, Array] = {}
        self._mipmaps: dict[int, MipmappedArray] = {}
        super().__init__()

    def CreateChannelDesc(self, x: int, y: int, z: int, w: int, f: int) -> ChannelFormatDesc:
        """Describe the format of an element: bits of each channel, and whether they are signed (0), unsigned (1) or floats (2)."""
        return ChannelFormatDesc(x, y, z, w, f)

    def MallocArray(self, desc: ChannelFormatDesc, width: int, height: int = 0, flags: int = 0) -> Array:
        """Allocate an array of one dimension, or of two."""
        return self.Malloc3DArray(desc, Extent(width, height, 0), flags)

    def Malloc3DArray(self, desc: ChannelFormatDesc, extent: Extent, flags: int = 0) -> Array:
        """Allocate an array: heights and depths of 0 are dimensions that it has not; depth counts layers with the flag 1, faces with 4."""
        array = Array(self._memory(self.devices.current), desc, _extent(extent), flags)
        self._arrays[id(array)] = array
        return array

    def FreeArray(self, array: Array | None) -> None:
        """Wait for the device, and give an array back. None does nothing; nor does a level of a mipmapped array, which goes with the whole, as on an H100."""
        if array is None or any(array is each for whole in list(self._mipmaps.values()) for each in whole.levels):
            return
        if not isinstance(array, Array) or self._arrays.pop(id(array), None) is None:
            raise Refusal("InvalidValue", f"{values.shown(array)} was not given by MallocArray, or was freed")
        self._give_back(array)

    def ArrayGetInfo(self, array: Array) -> tuple[ChannelFormatDesc, Extent, int]:
        """Give format, size and flags of an array."""
        array = array_of(array)
        return array.desc, array.extent, array.flags

    def GetChannelDesc(self, array: Array) -> ChannelFormatDesc:
        """Give the format of an array."""
        return array_of(array).desc

    # --------------------------------------------------------------------------------------------- copies of two dimensions
    def Memcpy2DToArray(self, dst: Array, wOffset: int, hOffset: int, src: Source, spitch: int, width: int, height: int, kind: int = DEFAULT) -> None:
        """Copy rows into an array, from byte `wOffset` of row `hOffset` on, and wait."""
        box = width, height, 1
        self.copy_box(array_of(dst).region_of_bytes(wOffset, hOffset, 0, box), Region(src, spitch), box, kind, None, wait=True)

    def Memcpy2DToArrayAsync(self, dst: Array, wOffset: int, hOffset: int, src: Source, spitch: int, width: int, height: int, kind: int = DEFAULT,
                             stream: Stream | int | None = None) -> None:
        """Put a copy of rows into an array into a stream."""
        box = width, height, 1
        self.copy_box(array_of(dst).region_of_bytes(wOffset, hOffset, 0, box), Region(src, spitch), box, kind, stream, wait=False)

    def Memcpy2DFromArray(self, dst: End, dpitch: int, src: Array, wOffset: int, hOffset: int, width: int, height: int, kind: int = DEFAULT) -> None:
        """Copy rows out of an array, from byte `wOffset` of row `hOffset` on, and wait."""
        box = width, height, 1
        self.copy_box(Region(dst, dpitch), array_of(src).region_of_bytes(wOffset, hOffset, 0, box), box, kind, None, wait=True)

    def Memcpy2DFromArrayAsync(self, dst: End, dpitch: int, src: Array, wOffset: int, hOffset: int, width: int, height: int, kind: int = DEFAULT,
                               stream: Stream | int | None = None) -> None:
        """Put a copy of rows out of an array into a stream."""
        box = width, height, 1
        self.copy_box(Region(dst, dpitch), array_of(src).region_of_bytes(wOffset, hOffset, 0, box), box, kind, stream, wait=False)

    def Memcpy2DArrayToArray(self, dst: Array, wOffsetDst: int, hOffsetDst: int, src: Array, wOffsetSrc: int, hOffsetSrc: int, width: int, height: int,
                             kind: int = DEVICE_TO_DEVICE) -> None:
        """Copy rows from array to array and wait."""
        box = width, height, 1
        self.copy_box(array_of(dst).region_of_bytes(wOffsetDst, hOffsetDst, 0, box), array_of(src).region_of_bytes(wOffsetSrc, hOffsetSrc, 0, box), box,
                      kind, None, wait=True)

    # ------------------------------------------------------------------------------------- copies of bytes, as CUDA 9 and older had them
    def MemcpyToArray(self, dst: Array, wOffset: int, hOffset: int, src: Source, count: int, kind: int = DEFAULT) -> None:
        """Copy bytes into an array, from byte `wOffset` of row `hOffset` on and over the ends of rows, and wait."""
        self.copy_box(array_of(dst).run_of_bytes(wOffset, hOffset, count), Region(src, 0), (count, 1, 1), kind, None, wait=True)

    def MemcpyToArrayAsync(self, dst: Array, wOffset: int, hOffset: int, src: Source, count: int, kind: int = DEFAULT,
                           stream: Stream | int | None = None) -> None:
        """Put a copy of bytes into an array into a stream."""
        self.copy_box(array_of(dst).run_of_bytes(wOffset, hOffset, count), Region(src, 0), (count, 1, 1), kind, stream, wait=False)

    def MemcpyFromArray(self, dst: End, src: Array, wOffset: int, hOffset: int, count: int, kind: int = DEFAULT) -> None:
        """Copy bytes out of an array and wait."""
        self.copy_box(Region(dst, 0), array_of(src).run_of_bytes(wOffset, hOffset, count), (count, 1, 1), kind, None, wait=True)

    def MemcpyFromArrayAsync(self, dst: End, src: Array, wOffset: int, hOffset: int, count: int, kind: int = DEFAULT,
                             stream: Stream | int | None = None) -> None:
        """Put a copy of bytes out of an array into a stream."""
        self.copy_box(Region(dst, 0), array_of(src).run_of_bytes(wOffset, hOffset, count), (count, 1, 1), kind, stream, wait=False)

    def MemcpyArrayToArray(self, dst: Array, wOffsetDst: int, hOffsetDst: int, src: Array, wOffsetSrc: int, hOffsetSrc: int, count: int,
                           kind: int = DEVICE_TO_DEVICE) -> None:
        """Copy bytes from array to array and wait."""
        self.copy_box(array_of(dst).run_of_bytes(wOffsetDst, hOffsetDst, count), array_of(src).run_of_bytes(wOffsetSrc, hOffsetSrc, count), (count, 1, 1),
                      kind, None, wait=True)

    # ----------------------------------------------------------------------------------------------------------------- mipmaps
    def MallocMipmappedArray(self, desc: ChannelFormatDesc, extent: Extent, levels: int, flags: int = 0) -> MipmappedArray:
        """Allocate an array for each level of detail, as `Malloc3DArray` does for the first."""
        array = MipmappedArray(self._memory(self.devices.current), desc, _extent(extent), levels, flags)
        self._mipmaps[id(array)] = array
        return array

    def GetMipmappedArrayLevel(self, array: MipmappedArray, level: int) -> Array:
        """Give the array of a level, which stays part of the whole."""
        return self._mipmapped(array).level(level)

    def FreeMipmappedArray(self, array: MipmappedArray | None) -> None:
        """Wait for the device, and give all levels back. None does nothing."""
        if array is None:
            return
        found = self._mipmaps.pop(id(self._mipmapped(array)))
        for each in found.levels:
            self._give_back(each)

    # ----------------------------------------------------------------------------------------------------------------- helpers
    def _mipmapped(self, array: object) -> MipmappedArray:
        if not isinstance(array, MipmappedArray) or id(array) not in self._mipmaps:
            raise Refusal("InvalidResourceHandle", f"{values.shown(array)} is no mipmapped array, or was freed")
        return array

    @staticmethod
    def _give_back(array: Array) -> None:
        memory = array.data.memory
        if memory.context is not None:
            memory.context.host.wait("free", list(memory.context.holding), [])
        array.data.free()

    def _free_arrays(self, memory: Memory) -> None:
        """Free those that lie in a device's memory, as a reset does."""
        for key in [key for key, array in self._arrays.items() if array.data.memory is memory]:
            self._arrays.pop(key).data.free()
        for key in [key for key, mipmap in self._mipmaps.items() if mipmap.levels[0].data.memory is memory]:
            for array in self._mipmaps.pop(key).levels:
                array.data.free()


def _extent(extent: object) -> Extent:
    if not isinstance(extent, Extent) or None in [values.as_whole(each) for each in (extent.width, extent.height, extent.depth)]:
        raise Refusal("InvalidValue", f"the size of an array is an Extent, got {values.shown(extent)}")
    return extent


def array_of(array: object) -> Array:
    """Check that something is an array that was not freed. Raises Refusal."""
    if not isinstance(array, Array):
        raise Refusal("InvalidResourceHandle", f"{values.shown(array)} is no array; MallocArray gives some")
    if array.data.freed:
        raise Refusal("InvalidResourceHandle", "the array was freed")
    return array
