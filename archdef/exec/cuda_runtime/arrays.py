"""Arrays that textures and surfaces are made of."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread, UInt, answers, signed
from archdef.exec.cuda_runtime.boxes import Place, copy_box
from archdef.runtime.arrays import Array, MipmappedArray
from archdef.runtime.ends import DEVICE_TO_DEVICE
from archdef.runtime.status import Refusal
from archdef.runtime.structures import ChannelFormatDesc, Extent

FORMAT: Final = struct.Struct("<5i")
"""cudaChannelFormatDesc: bits of each channel, and their kind."""
_EXTENT: Final = struct.Struct("<3Q")


def format_at(thread: Thread, address: int) -> ChannelFormatDesc:
    """Read the format of an element."""
    return ChannelFormatDesc(*FORMAT.unpack(thread.memory.get(address, FORMAT.size)))


def format_bytes(desc: ChannelFormatDesc) -> bytes:
    """Lay one out."""
    return FORMAT.pack(desc.x, desc.y, desc.z, desc.w, desc.f)


@answers("cudaCreateChannelDesc", status=False)
def create_format(thread: Thread, out: int, x: int, y: int, z: int, w: int, kind: int) -> int:
    """Describe a format; a structure of 20 bytes is returned where the caller wants it."""
    thread.memory.put(out, FORMAT.pack(*(signed(each) for each in (x, y, z, w, kind))))
    return out


@answers("cudaMallocArray")
def malloc_array(thread: Thread, out: int, desc: int, width: int, height: int, flags: UInt) -> None:
    """Allocate an array of one or two dimensions."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.MallocArray(format_at(thread, desc), width, height, flags)))


@answers("cudaMalloc3DArray")
def malloc_3d_array(thread: Thread, out: int, desc: int, flags: int) -> None:
    """Allocate an array of any kind; the extent is passed on the stack."""
    extent = Extent(*thread.stack[:3])
    thread.memory.put_word(out, thread.session.handle(thread.runtime.Malloc3DArray(format_at(thread, desc), extent, flags & 0xFFFFFFFF)))


@answers("cudaMallocMipmappedArray")
def malloc_mipmapped_array(thread: Thread, out: int, desc: int, levels: UInt, flags: UInt) -> None:
    """Allocate an array for each level of detail; the extent of the first is passed on the stack."""
    made = thread.runtime.MallocMipmappedArray(format_at(thread, desc), Extent(*thread.stack[:3]), levels, flags)
    thread.memory.put_word(out, thread.session.handle_of(made))


@answers("cudaFreeMipmappedArray")
def free_mipmapped_array(thread: Thread, handle: int) -> None:
    """Give all levels back."""
    if handle:
        found = thread.session.thing(handle, MipmappedArray)
        thread.runtime.FreeMipmappedArray(found)
        for each in (found, *found.levels):
            thread.session.forget_thing(each)


@answers("cudaGetMipmappedArrayLevel")
def mipmap_level(thread: Thread, out: int, handle: int, level: UInt) -> None:
    """Give the array of a level."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.GetMipmappedArrayLevel(thread.session.thing(handle, MipmappedArray), level)))


@answers("cudaFreeArray")
def free_array(thread: Thread, handle: int) -> None:
    """Give an array back."""
    if handle:
        thread.runtime.FreeArray(thread.session.thing(handle, Array))
        thread.session.forget(handle)


@answers("cudaArrayGetInfo")
def array_info(thread: Thread, desc: int, extent: int, flags: int, handle: int) -> None:
    """Say what an array is; what is not asked for is null."""
    found, size, made_with = thread.runtime.ArrayGetInfo(thread.session.thing(handle, Array))
    for out, data in ((desc, format_bytes(found)), (extent, _EXTENT.pack(size.width, size.height, size.depth)), (flags, struct.pack("<I", made_with))):
        if out:
            thread.memory.put(out, data)


@answers("cudaGetChannelDesc")
def channel_desc(thread: Thread, out: int, handle: int) -> None:
    """Say what the elements of an array are."""
    thread.memory.put(out, format_bytes(thread.runtime.GetChannelDesc(thread.session.thing(handle, Array))))


# ------------------------------------------------------------------------------------------------------- copies of rows
def _to_array(thread: Thread, array: int, x: int, y: int, source: int, pitch: int, width: int, height: int, kind: int, stream: int, wait: bool) -> None:
    box = width, height, 1
    if width > pitch:
        raise Refusal("InvalidPitchValue", f"rows of {width} bytes, {pitch} apart")
    copy_box(thread, thread.session.thing(array, Array).region_of_bytes(x, y, 0, box), Place(source, pitch), box, kind, stream, wait)


@answers("cudaMemcpy2DToArray", "cudaMemcpy2DToArray_ptds")
def to_array(thread: Thread, array: int, x: int, y: int, source: int, pitch: int, width: int, height: int, kind: Int) -> None:
    """Copy rows into an array and wait."""
    _to_array(thread, array, x, y, source, pitch, width, height, kind, 0, wait=True)


@answers("cudaMemcpy2DToArrayAsync", "cudaMemcpy2DToArrayAsync_ptsz")
def to_array_async(thread: Thread, array: int, x: int, y: int, source: int, pitch: int, width: int, height: int, kind: Int, stream: int) -> None:
    """Put a copy of rows into an array into a stream."""
    _to_array(thread, array, x, y, source, pitch, width, height, kind, stream, wait=False)


def _from_array(thread: Thread, to: int, pitch: int, array: int, x: int, y: int, width: int, height: int, kind: int, stream: int, wait: bool) -> None:
    box = width, height, 1
    if width > pitch:
        raise Refusal("InvalidPitchValue", f"rows of {width} bytes, {pitch} apart")
    copy_box(thread, Place(to, pitch), thread.session.thing(array, Array).region_of_bytes(x, y, 0, box), box, kind, stream, wait)


@answers("cudaMemcpy2DFromArray", "cudaMemcpy2DFromArray_ptds")
def from_array(thread: Thread, to: int, pitch: int, array: int, x: int, y: int, width: int, height: int, kind: Int) -> None:
    """Copy rows out of an array and wait."""
    _from_array(thread, to, pitch, array, x, y, width, height, kind, 0, wait=True)


@answers("cudaMemcpy2DFromArrayAsync", "cudaMemcpy2DFromArrayAsync_ptsz")
def from_array_async(thread: Thread, to: int, pitch: int, array: int, x: int, y: int, width: int, height: int, kind: Int, stream: int) -> None:
    """Put a copy of rows out of an array into a stream."""
    _from_array(thread, to, pitch, array, x, y, width, height, kind, stream, wait=False)


@answers("cudaMemcpy2DArrayToArray", "cudaMemcpy2DArrayToArray_ptds")
def between_arrays(thread: Thread, to: int, to_x: int, to_y: int, source: int, x: int, y: int, width: int, height: int, kind: Int) -> None:
    """Copy rows from array to array and wait."""
    arrays, box = [thread.session.thing(each, Array) for each in (to, source)], (width, height, 1)
    copy_box(thread, arrays[0].region_of_bytes(to_x, to_y, 0, box), arrays[1].region_of_bytes(x, y, 0, box), box, kind, 0, wait=True)


# --------------------------------------------------------------------------------- copies of bytes, as CUDA 9 and older had them
@answers("cudaMemcpyToArray", "cudaMemcpyToArray_ptds")
def bytes_to_array(thread: Thread, array: int, x: int, y: int, source: int, nbytes: int, kind: Int) -> None:
    """Copy bytes into an array, over the ends of its rows, and wait."""
    copy_box(thread, thread.session.thing(array, Array).run_of_bytes(x, y, nbytes), Place(source, 0), (nbytes, 1, 1), kind, 0, wait=True)


@answers("cudaMemcpyToArrayAsync", "cudaMemcpyToArrayAsync_ptsz")
def bytes_to_array_async(thread: Thread, array: int, x: int, y: int, source: int, nbytes: int, kind: Int, stream: int) -> None:
    """Put a copy of bytes into an array into a stream."""
    copy_box(thread, thread.session.thing(array, Array).run_of_bytes(x, y, nbytes), Place(source, 0), (nbytes, 1, 1), kind, stream, wait=False)


@answers("cudaMemcpyFromArray", "cudaMemcpyFromArray_ptds")
def bytes_from_array(thread: Thread, to: int, array: int, x: int, y: int, nbytes: int, kind: Int) -> None:
    """Copy bytes out of an array and wait."""
    copy_box(thread, Place(to, 0), thread.session.thing(array, Array).run_of_bytes(x, y, nbytes), (nbytes, 1, 1), kind, 0, wait=True)


@answers("cudaMemcpyFromArrayAsync", "cudaMemcpyFromArrayAsync_ptsz")
def bytes_from_array_async(thread: Thread, to: int, array: int, x: int, y: int, nbytes: int, kind: Int, stream: int) -> None:
    """Put a copy of bytes out of an array into a stream."""
    copy_box(thread, Place(to, 0), thread.session.thing(array, Array).run_of_bytes(x, y, nbytes), (nbytes, 1, 1), kind, stream, wait=False)


@answers("cudaMemcpyArrayToArray", "cudaMemcpyArrayToArray_ptds")
def bytes_between_arrays(thread: Thread, to: int, to_x: int, to_y: int, source: int, x: int, y: int, nbytes: int, kind: Int) -> None:
    """Copy bytes from array to array and wait."""
    arrays = [thread.session.thing(each, Array) for each in (to, source)]
    copy_box(thread, arrays[0].run_of_bytes(to_x, to_y, nbytes), arrays[1].run_of_bytes(x, y, nbytes), (nbytes, 1, 1), DEVICE_TO_DEVICE, 0, wait=True)
