"""Arrays that textures and surfaces are made of. References: CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR and CUarray_format of cuda.h."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Thread, UInt
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime import arrays
from archdef.exec.cuda_runtime.boxes import Place, copy_box
from archdef.exec.cuda_runtime.memory import device_end
from archdef.runtime.arrays import Array, MipmappedArray
from archdef.runtime.ends import DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, Region
from archdef.runtime.status import Refusal
from archdef.runtime.structures import FORMAT_FLOAT, FORMAT_SIGNED, FORMAT_UNSIGNED, ChannelFormatDesc, Extent

DESCRIPTION: Final = struct.Struct("<2Q2I")
"""CUDA_ARRAY_DESCRIPTOR: width, height, format of a channel, channels."""
_DESCRIPTION_3D: Final = struct.Struct("<3Q3I4x")
"""CUDA_ARRAY3D_DESCRIPTOR: width, height, depth, format, channels, flags."""
_FORMATS: Final = {0x01: (8, FORMAT_UNSIGNED), 0x02: (16, FORMAT_UNSIGNED), 0x03: (32, FORMAT_UNSIGNED), 0x08: (8, FORMAT_SIGNED),
                   0x09: (16, FORMAT_SIGNED), 0x0a: (32, FORMAT_SIGNED), 0x10: (16, FORMAT_FLOAT), 0x20: (32, FORMAT_FLOAT)}
"""CUarray_format → bits, and the runtime's kind."""
_MOST_CHANNELS: Final = 4


def element(kind: int, channels: int) -> ChannelFormatDesc:
    """Give the runtime's description of a format. Raises Refusal for one that is not simulated."""
    if not 0 < channels <= _MOST_CHANNELS:
        raise Refusal("InvalidValue", f"{channels} channels")
    if kind not in _FORMATS:
        raise Refusal("NotSupported", f"arrays and textures of the format {kind:#x}")
    bits, meaning = _FORMATS[kind]
    x, y, z, w = (bits if channel < channels else 0 for channel in range(_MOST_CHANNELS))
    return ChannelFormatDesc(x, y, z, w, meaning)


def format_of(desc: ChannelFormatDesc) -> tuple[int, int]:
    """Give the driver's numbers for a format: that of a channel, and how many channels."""
    kind = next(number for number, known in _FORMATS.items() if known == (desc.x, desc.f))
    return kind, sum(bits > 0 for bits in (desc.x, desc.y, desc.z, desc.w))


def _create(thread: Thread, out: int, desc: ChannelFormatDesc, extent: Extent, flags: int) -> None:
    thread.memory.put_word(out, thread.session.handle(thread.runtime.Malloc3DArray(desc, extent, flags)))


@answers("cuArrayCreate_v2")
def create(thread: Thread, out: int, description: int) -> None:
    """Allocate an array of one or two dimensions."""
    width, height, kind, channels = DESCRIPTION.unpack(thread.memory.get(description, DESCRIPTION.size))
    _create(thread, out, element(kind, channels), Extent(width, height, 0), 0)


@answers("cuArray3DCreate_v2")
def create_3d(thread: Thread, out: int, description: int) -> None:
    """Allocate an array of any kind."""
    width, height, depth, kind, channels, flags = _DESCRIPTION_3D.unpack(thread.memory.get(description, _DESCRIPTION_3D.size))
    _create(thread, out, element(kind, channels), Extent(width, height, depth), flags)


@answers("cuMipmappedArrayCreate")
def create_mipmapped(thread: Thread, out: int, description: int, levels: UInt) -> None:
    """Allocate an array for each level of detail."""
    width, height, depth, kind, channels, flags = _DESCRIPTION_3D.unpack(thread.memory.get(description, _DESCRIPTION_3D.size))
    made = thread.runtime.MallocMipmappedArray(element(kind, channels), Extent(width, height, depth), levels, flags)
    thread.memory.put_word(out, thread.session.handle_of(made))


@answers("cuMipmappedArrayDestroy")
def destroy_mipmapped(thread: Thread, handle: int) -> None:
    """Give all levels back."""
    thread.session.thing(handle, MipmappedArray)
    arrays.free_mipmapped_array(thread, handle)


@answers("cuMipmappedArrayGetLevel")
def level_of(thread: Thread, out: int, handle: int, level: UInt) -> None:
    """Give the array of a level."""
    arrays.mipmap_level(thread, out, handle, level)


@answers("cuArrayDestroy")
def destroy(thread: Thread, handle: int) -> None:
    """Give an array back."""
    arrays.free_array(thread, _named(thread, handle))


def _named(thread: Thread, handle: int) -> int:
    thread.session.thing(handle, Array)
    return handle


@answers("cuArrayGetDescriptor_v2")
def describe(thread: Thread, out: int, handle: int) -> None:
    """Say what an array is."""
    desc, extent, _ = thread.runtime.ArrayGetInfo(thread.session.thing(handle, Array))
    thread.memory.put(out, DESCRIPTION.pack(extent.width, extent.height, *format_of(desc)))


@answers("cuArray3DGetDescriptor_v2")
def describe_3d(thread: Thread, out: int, handle: int) -> None:
    """Say what an array is, with depth and flags."""
    desc, extent, flags = thread.runtime.ArrayGetInfo(thread.session.thing(handle, Array))
    thread.memory.put(out, _DESCRIPTION_3D.pack(extent.width, extent.height, extent.depth, *format_of(desc), flags))


# ------------------------------------------------------------------------------------------------------------ copies of bytes
def _run(thread: Thread, array: int, offset: int, nbytes: int) -> Region:
    made = thread.session.thing(array, Array)
    row, column = divmod(offset, made.extent.width * made.element_bytes)
    return made.run_of_bytes(column, row, nbytes)


@answers("cuMemcpyHtoA_v2")
def from_host(thread: Thread, array: int, offset: int, source: int, nbytes: int) -> None:
    """Copy from the host and wait."""
    copy_box(thread, _run(thread, array, offset, nbytes), Place(source, 0), (nbytes, 1, 1), HOST_TO_DEVICE, 0, wait=True)


@answers("cuMemcpyHtoAAsync_v2")
def from_host_async(thread: Thread, array: int, offset: int, source: int, nbytes: int, stream: int) -> None:
    """Put a copy from the host into a stream."""
    copy_box(thread, _run(thread, array, offset, nbytes), Place(source, 0), (nbytes, 1, 1), HOST_TO_DEVICE, stream, wait=False)


@answers("cuMemcpyAtoH_v2")
def to_host(thread: Thread, to: int, array: int, offset: int, nbytes: int) -> None:
    """Copy to the host and wait."""
    copy_box(thread, Place(to, 0), _run(thread, array, offset, nbytes), (nbytes, 1, 1), DEVICE_TO_HOST, 0, wait=True)


@answers("cuMemcpyAtoHAsync_v2")
def to_host_async(thread: Thread, to: int, array: int, offset: int, nbytes: int, stream: int) -> None:
    """Put a copy to the host into a stream."""
    copy_box(thread, Place(to, 0), _run(thread, array, offset, nbytes), (nbytes, 1, 1), DEVICE_TO_HOST, stream, wait=False)


@answers("cuMemcpyDtoA_v2")
def from_device(thread: Thread, array: int, offset: int, source: int, nbytes: int) -> None:
    """Copy from device memory."""
    copy_box(thread, _run(thread, array, offset, nbytes), Region(device_end(thread, source), 0), (nbytes, 1, 1), DEVICE_TO_DEVICE, 0, wait=False)


@answers("cuMemcpyAtoD_v2")
def to_device(thread: Thread, to: int, array: int, offset: int, nbytes: int) -> None:
    """Copy to device memory."""
    copy_box(thread, Region(device_end(thread, to), 0), _run(thread, array, offset, nbytes), (nbytes, 1, 1), DEVICE_TO_DEVICE, 0, wait=False)


@answers("cuMemcpyAtoA_v2")
def between(thread: Thread, to: int, to_offset: int, source: int, offset: int, nbytes: int) -> None:
    """Copy from array to array."""
    copy_box(thread, _run(thread, to, to_offset, nbytes), _run(thread, source, offset, nbytes), (nbytes, 1, 1), DEVICE_TO_DEVICE, 0, wait=False)
