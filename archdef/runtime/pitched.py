"""Pitched memory: rows at equal distances, in two and three dimensions."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from archdef import values
from archdef.errors import DeviceMemoryError, LaunchError
from archdef.host.box import Box
from archdef.host.pinned import host_bytes
from archdef.run.array import DeviceArray
from archdef.run.pointer import Pointer
from archdef.runtime.arrays import Array, array_of
from archdef.runtime.base import Part
from archdef.runtime.ends import DEFAULT, DEVICE_TO_DEVICE, MOST_BYTES, End, Region, Source, check_kind, check_reach, host_end, host_rows
from archdef.runtime.status import Refusal
from archdef.runtime.structures import Extent, Memcpy3DParms, Memcpy3DPeerParms, PitchedPtr, Pos

if TYPE_CHECKING:
    from archdef.host import Stream

PITCH_BYTES: Final = 512
"""Rows of pitched memory begin at multiples of it, as on NVIDIA's devices."""


class Pitched(Part):
    """Allocations, copies and sets of rows. Each copy and each set is one operation of the device, which takes the time of its bytes."""

    # ------------------------------------------------------------------------------------------------------- allocation
    def MallocPitch(self, width: int, height: int) -> tuple[Pointer, int]:
        """Allocate rows of `width` bytes; gives the pointer, and the bytes from row to row."""
        pitch = _pitch(width)
        return self.Malloc(pitch * _number(height, "height")), pitch

    def Malloc3D(self, extent: Extent) -> PitchedPtr:
        """Allocate planes of rows of `extent.width` bytes."""
        width, height, depth = _extent(extent)
        pitch = _pitch(width)
        return PitchedPtr(self.Malloc(pitch * height * depth), pitch, width, height)

    # ------------------------------------------------------------------------------------------------------------ copies
    def Memcpy2D(self, dst: End, dpitch: int, src: Source, spitch: int, width: int, height: int, kind: int = DEFAULT) -> None:
        """Copy `height` rows of `width` bytes and wait; rows of each end are its pitch apart."""
        self.copy_box(Region(dst, dpitch), Region(src, spitch), (width, height, 1), kind, None, wait=True)

    def Memcpy2DAsync(self, dst: End, dpitch: int, src: Source, spitch: int, width: int, height: int, kind: int = DEFAULT,
                      stream: Stream | int | None = None) -> None:
        """Put a copy of rows into a stream."""
        self.copy_box(Region(dst, dpitch), Region(src, spitch), (width, height, 1), kind, stream, wait=False)

    def Memcpy3D(self, p: Memcpy3DParms) -> None:
        """Copy a box and wait."""
        self._copy_3d(p, _kind_of(p), None, wait=True)

    def Memcpy3DAsync(self, p: Memcpy3DParms, stream: Stream | int | None = None) -> None:
        """Put a copy of a box into a stream."""
        self._copy_3d(p, _kind_of(p), stream, wait=False)

    def Memcpy3DPeer(self, p: Memcpy3DPeerParms) -> None:
        """Copy a box between devices and wait."""
        self._copy_3d(p, DEVICE_TO_DEVICE, None, wait=True)

    def Memcpy3DPeerAsync(self, p: Memcpy3DPeerParms, stream: Stream | int | None = None) -> None:
        """Put a copy of a box between devices into a stream of either."""
        self._copy_3d(p, DEVICE_TO_DEVICE, stream, wait=False)

    # -------------------------------------------------------------------------------------------------------------- sets
    def Memset2D(self, pointer: Pointer | DeviceArray, pitch: int, value: int, width: int, height: int) -> None:
        """Set bytes of rows. As CUDA's it does not wait."""
        self.set_box(Region(pointer, pitch), value, (width, height, 1), None)

    def Memset2DAsync(self, pointer: Pointer | DeviceArray, pitch: int, value: int, width: int, height: int, stream: Stream | int | None = None) -> None:
        """Set bytes of rows in a stream."""
        self.set_box(Region(pointer, pitch), value, (width, height, 1), stream)

    def Memset3D(self, pitched: PitchedPtr, value: int, extent: Extent) -> None:
        """Set bytes of a box; its width is in bytes."""
        self.Memset3DAsync(pitched, value, extent)

    def Memset3DAsync(self, pitched: PitchedPtr, value: int, extent: Extent, stream: Stream | int | None = None) -> None:
        """Set bytes of a box in a stream."""
        self.set_box(_linear(pitched, Pos(), write=True), value, _extent(extent), stream)

    # ----------------------------------------------------------------------------------------------------------- helpers
    def copy_box(self, dst: Region, src: Region, extent: tuple[int, int, int], kind: int, stream: Stream | int | None, wait: bool) -> None:
        """Copy planes of rows of bytes. Raises Refusal."""
        there, here = check_kind(dst.end, src.end, kind)
        if not min(extent):
            for region in (dst, src):
                check_reach(region, extent, 0)
            return
        if there and here:
            self._copy_on_devices(dst, src, extent, stream, wait)
        elif there:
            memory, box = self._box(dst, extent, write=True)
            memory.context.to_device(box, host_rows(src, extent, write=False), self._stream(stream), wait)
        elif here:
            memory, box = self._box(src, extent)
            memory.context.to_host(host_rows(dst, extent, write=True), box, self._stream(stream), wait)
        else:
            to, source = host_bytes(host_rows(dst, extent, write=True)), host_bytes(host_rows(src, extent, write=False))
            into = self._stream(stream)
            if into.capture is not None and not wait:
                into.capture.add(into, self.copy_work(to, source, to.nbytes))
                return
            into.synchronize()
            to.write(source.read())

    def _copy_on_devices(self, dst: Region, src: Region, extent: tuple[int, int, int], stream: Stream | int | None, wait: bool) -> None:
        memory, to = self._box(dst, extent, write=True)
        other, source = self._box(src, extent)
        context = memory.context
        into = self._stream(stream)
        if other is memory:
            context.within(to, source, to.nbytes, into)
            return
        context.from_peer(to, other.context, source, to.nbytes, into)
        if wait:
            into.synchronize()

    def set_box(self, region: Region, value: int, extent: tuple[int, int, int], stream: Stream | int | None, width: int = 1) -> None:
        """Set bytes of planes of rows, or values of `width` bytes, of which rows have a whole number. Raises Refusal."""
        memory, box = self._box(region, extent, write=True)
        if box.nbytes:
            context = memory.context
            context.fill(box, box.nbytes, value & (1 << 8 * width) - 1, self._stream(stream), width)

    def _box(self, region: Region, extent: tuple[int, int, int], write: bool = False) -> tuple[Any, Box]:
        memory, address, left = self._device_end(region.end)
        check_reach(region, extent, left)
        box = Box(int(address), *extent, region.pitch, region.plane)
        if write and box.nbytes:
            self.check_written(box.address, box.reach)
        return memory, box

    def _copy_3d(self, p: Memcpy3DParms | Memcpy3DPeerParms, kind: int, stream: Stream | int | None, wait: bool) -> None:
        if not isinstance(p, (Memcpy3DParms, Memcpy3DPeerParms)):
            raise Refusal("InvalidValue", f"what is copied is said by Memcpy3DParms, got {values.shown(p)}")
        width, height, depth = _extent(p.extent)
        box = width * unit_of(p.dstArray, p.srcArray), height, depth
        dst = _end_3d(p.dstArray, p.dstPtr, p.dstPos, box, write=True)
        src = _end_3d(p.srcArray, p.srcPtr, p.srcPos, box, write=False)
        if isinstance(p, Memcpy3DPeerParms):
            self._peer(dst.end, _number(p.dstDevice, "dstDevice"), src.end, _number(p.srcDevice, "srcDevice"))
        self.copy_box(dst, src, box, kind, stream, wait)


def unit_of(*arrays: object) -> int:
    """Give the bytes of what the width of a box counts: elements of the arrays that are given, else bytes. Raises Refusal."""
    sizes = {array_of(each).element_bytes for each in arrays if each is not None}
    if len(sizes) > 1:
        raise Refusal("InvalidValue", "elements of the two arrays are of different sizes")
    return sizes.pop() if sizes else 1


def _kind_of(p: object) -> int:
    if not isinstance(p, Memcpy3DParms):
        raise Refusal("InvalidValue", f"what is copied is said by Memcpy3DParms, got {values.shown(p)}")
    return _number(p.kind, "kind")


def _end_3d(array: Array | None, pointer: PitchedPtr | None, pos: Pos, box: tuple[int, int, int], write: bool) -> Region:
    if (array is None) == (pointer is None):
        raise Refusal("InvalidValue", "each end of a copy is an array or a pointer, and not both")
    return _linear(pointer, pos, write) if array is None else array.region(*_pos(pos), box)


def _linear(pitched: object, pos: Pos, write: bool) -> Region:
    if not isinstance(pitched, PitchedPtr):
        raise Refusal("InvalidValue", f"rows are given by a PitchedPtr, got {values.shown(pitched)}")
    pitch, rows = _number(pitched.pitch, "pitch"), _number(pitched.ysize, "ysize")
    x, y, z = _pos(pos)
    return Region(_moved(pitched.ptr, x + y * pitch + z * pitch * rows, write), pitch, pitch * rows)


def _moved(end: Source, offset: int, write: bool) -> Source:
    """Give what begins some bytes further on."""
    if isinstance(end, DeviceArray):
        if end.freed:
            raise DeviceMemoryError("the device array was freed")
        end = Pointer(end.address, end.memory, end.nbytes)
    return end + offset if isinstance(end, Pointer) else host_end(end, write)[offset:]


def _number(value: object, name: str) -> int:
    return values.whole(value, name, LaunchError, at_most=MOST_BYTES)


def _extent(extent: object) -> tuple[int, int, int]:
    if not isinstance(extent, Extent):
        raise Refusal("InvalidValue", f"a size is given by an Extent, got {values.shown(extent)}")
    return _number(extent.width, "width"), _number(extent.height, "height"), _number(extent.depth, "depth")


def _pos(pos: object) -> tuple[int, int, int]:
    if not isinstance(pos, Pos):
        raise Refusal("InvalidValue", f"a place is given by a Pos, got {values.shown(pos)}")
    return _number(pos.x, "x"), _number(pos.y, "y"), _number(pos.z, "z")


def _pitch(width: int) -> int:
    return -(-max(_number(width, "width"), 1) // PITCH_BYTES) * PITCH_BYTES
