"""Memory that is mapped at reserved addresses. References: CUmemAllocationProp, CUmemAccessDesc and CUmemLocation of cuda.h."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread
from archdef.exec.cuda_driver.calls import answers
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal
from archdef.runtime.virtual_memory import Physical

_PROPERTIES: Final = struct.Struct("<Ii2iQ2BH4x")
"""CUmemAllocationProp: kind, kinds of handles for other processes, kind and number of the place, for Windows; compression, RDMA, usage."""
_ACCESS: Final = struct.Struct("<2iI")
"""CUmemAccessDesc: kind and number of the place, flags."""
_PLACE: Final = struct.Struct("<2i")
_PINNED, _ON_DEVICE = 1, 1
_PLACES: Final = range(1, 6)
"""The kinds of places that there are: devices, the host, its nodes, and parts of a device."""
_MINIMUM, _RECOMMENDED = 0, 1
_MOST: Final = 1 << 12
"""More descriptions of access than there can be devices."""


def _device(kind: int, number: int) -> int:
    """Give the number of the device that a place is. Raises Refusal for other places."""
    if kind != _ON_DEVICE:
        raise Refusal("NotSupported" if kind in _PLACES else "InvalidValue", f"mapped memory of a place of the kind {kind}: it is that of devices here")
    return number


def _described(thread: Thread, address: int) -> int:
    """Read what memory is to be; gives the number of its device. Raises Refusal. Compression is a hint, which is not heeded."""
    kind, handles, place, number, _, _, remote, usage = _PROPERTIES.unpack(thread.memory.get(address, _PROPERTIES.size))
    if kind != _PINNED:
        raise Refusal("InvalidValue", f"mapped memory of the kind {kind}")
    if handles:
        raise Refusal("NotSupported", "memory that other processes can map: every process has devices of its own here")
    if remote or usage:
        raise Refusal("NotSupported", "memory for RDMA, or for tiles of sparse arrays")
    return _device(place, number)


def _physical(thread: Thread, handle: int) -> Physical:
    try:
        return thread.session.thing(handle, Physical)
    except Refusal:
        raise Refusal("InvalidValue", f"{handle:#x} is no memory that cuMemCreate gave, or it was released") from None


def _reserved(thread: Thread, address: int) -> Pointer:
    return thread.runtime.reserved_at(address)


def _check_flags(flags: int) -> None:
    if flags:
        raise Refusal("InvalidValue", f"the flags {flags:#x}, where there are none")


@answers("cuMemGetAllocationGranularity", context=False)
def granularity(thread: Thread, out: int, properties: int, option: Int) -> None:
    """Give what sizes and addresses must be multiples of: the same as what they best are."""
    if option not in (_MINIMUM, _RECOMMENDED):
        raise Refusal("InvalidValue", f"the granularity {option}")
    thread.memory.put_word(out, thread.runtime.MemGetAllocationGranularity(_described(thread, properties)))


@answers("cuMemAddressReserve", context=False)
def reserve(thread: Thread, out: int, nbytes: int, alignment: int, address: int, flags: int) -> None:
    """Reserve addresses."""
    _check_flags(flags)
    thread.memory.put_word(out, int(thread.runtime.MemAddressReserve(nbytes, alignment, address)))


@answers("cuMemAddressFree", context=False)
def unreserve(thread: Thread, address: int, nbytes: int) -> None:
    """Give them back."""
    thread.runtime.MemAddressFree(_reserved(thread, address), nbytes)


@answers("cuMemCreate", context=False)
def create(thread: Thread, out: int, nbytes: int, properties: int, flags: int) -> None:
    """Take memory of a device."""
    _check_flags(flags)
    made = thread.runtime.MemCreate(nbytes, _described(thread, properties))
    thread.memory.put_word(out, thread.session.handle_of(made))


def _forget_gone(thread: Thread, *physical: Physical) -> None:
    for each in physical:
        if each.gone:
            thread.session.forget_thing(each)


@answers("cuMemRelease", context=False)
def release(thread: Thread, handle: int) -> None:
    """Give a handle up."""
    found = _physical(thread, handle)
    thread.runtime.MemRelease(found)
    _forget_gone(thread, found)


@answers("cuMemRetainAllocationHandle", context=False)
def retain(thread: Thread, out: int, address: int) -> None:
    """Give the handle of what is mapped at an address."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.MemRetainAllocationHandle(_reserved(thread, address))))


@answers("cuMemGetAllocationPropertiesFromHandle", context=False)
def properties_of(thread: Thread, out: int, handle: int) -> None:
    """Say what memory was made with: not compressed, whatever was hinted."""
    number = thread.runtime.MemGetAllocationPropertiesFromHandle(_physical(thread, handle))
    thread.memory.put(out, _PROPERTIES.pack(_PINNED, 0, _ON_DEVICE, number, 0, 0, 0, 0))


@answers("cuMemMap", context=False)
def map_memory(thread: Thread, address: int, nbytes: int, offset: int, handle: int, flags: int) -> None:
    """Map memory at reserved addresses."""
    _check_flags(flags)
    thread.runtime.MemMap(_reserved(thread, address), nbytes, offset, _physical(thread, handle))


@answers("cuMemUnmap", context=False)
def unmap(thread: Thread, address: int, nbytes: int) -> None:
    """Take mappings away."""
    _forget_gone(thread, *thread.runtime.MemUnmap(_reserved(thread, address), nbytes))


@answers("cuMemSetAccess", context=False)
def set_access(thread: Thread, address: int, nbytes: int, descriptions: int, count: int) -> None:
    """Let devices access mappings, or not."""
    if not 0 < count <= _MOST:
        raise Refusal("InvalidValue", f"{count} descriptions of access")
    wanted = _ACCESS.iter_unpack(thread.memory.get(descriptions, count * _ACCESS.size))
    thread.runtime.set_access(_reserved(thread, address), nbytes, [(_device(kind, number), flags) for kind, number, flags in wanted])


@answers("cuMemGetAccess", context=False)
def get_access(thread: Thread, out: int, place: int, address: int) -> None:
    """Say how a device may access what is mapped at an address."""
    kind, number = _PLACE.unpack(thread.memory.get(place, _PLACE.size))
    thread.memory.put_word(out, thread.runtime.MemGetAccess(_reserved(thread, address), _device(kind, number)))
