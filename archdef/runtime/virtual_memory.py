"""Memory that is mapped at reserved addresses, as the driver's calls have it. Reference: CUDA driver API, virtual memory management."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef import values
from archdef.host.context import Context, context_of
from archdef.run.mapped import unified
from archdef.run.pointer import Pointer
from archdef.runtime.base import Part
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.run.memory import Memory

GRANULARITY: Final = 2 << 20
"""What sizes and addresses are multiples of: the pages in which NVIDIA's devices map memory."""
NONE, READ, READ_WRITE = 0, 1, 3
_MOST: Final = 1 << 46
"""More addresses than any device has."""


@attrs.define(eq=False)
class Physical:
    """Memory of a device without an address."""

    memory: Memory = attrs.field(repr=False)
    size: int
    number: int
    """By which the engine knows it."""
    holders: int = 1
    """How often it is to be released."""
    mappings: int = 0
    """At how many addresses it lies."""

    @property
    def gone(self) -> bool:
        """Whether nobody can come by it any more."""
        return not self.holders and not self.mappings


@attrs.define
class _Mapping:
    start: int
    end: int
    physical: Physical
    may: dict[int, Memory] = attrs.Factory(dict)
    """Whose kernels may access it, by their numbers."""
    only_read: set[int] = attrs.Factory(set)
    """Those of them that may not store to it."""


@attrs.define(eq=False)
class _Reservation:
    start: int
    end: int
    memory: Memory
    mappings: list[_Mapping] = attrs.Factory(list)
    """By their addresses."""


class VirtualMemoryCalls(Part):
    """The part of a runtime that maps memory at reserved addresses."""

    if TYPE_CHECKING:
        def device(self, number: int | None = None) -> Device: ...

    def __init__(self) -> None:
        self._reservations: list[_Reservation] = []
        super().__init__()

    # ---------------------------------------------------------------------------------------------------------- addresses
    def MemGetAllocationGranularity(self, device: int | None = None) -> int:
        """Give what sizes and addresses of mapped memory must be multiples of."""
        self._capable(device)
        return GRANULARITY

    def MemAddressReserve(self, size: int, alignment: int = 0, address: int = 0) -> Pointer:
        """Reserve addresses of the current device, where nothing lies yet. `address` is where they would best begin, which is not heeded."""
        if size < 1 or size % GRANULARITY or alignment < 0 or alignment & alignment - 1:
            raise Refusal("InvalidValue", f"{size} addresses, aligned to {alignment}, from {address:#x} on")
        if max(size, alignment) > _MOST:
            raise Refusal("MemoryAllocation", f"no device has {size} addresses to reserve, aligned to {alignment}")
        memory = self._memory(self._capable(None))
        start = memory.engine.reserve(size, max(alignment, GRANULARITY))
        with self._context(memory).host.lock:
            self._reservations.append(_Reservation(start, start + size, memory))
        return Pointer(start, memory, size)

    def MemAddressFree(self, pointer: Pointer, size: int) -> None:
        """Give reserved addresses back, at which nothing is mapped any more."""
        found = self._reserved(pointer, 1)
        with self._context(found.memory).host.lock:
            if (found.start, found.end) != (int(pointer), int(pointer) + size) or found.mappings or found not in self._reservations:
                raise Refusal("InvalidValue", f"{size} addresses from {int(pointer):#x} on were not reserved so, or something is mapped there")
            self._reservations.remove(found)
            found.memory.engine.unreserve(found.start)

    # ------------------------------------------------------------------------------------------------------------- memory
    def MemCreate(self, size: int, device: int | None = None) -> Physical:
        """Take memory of a device, to be mapped. Raises Refusal for what is no multiple of the granularity."""
        memory = self._memory(self._capable(device))
        if size < 1 or size % GRANULARITY:
            raise Refusal("InvalidValue", f"{size} bytes are no multiple of {GRANULARITY}")
        if size > _MOST:
            raise Refusal("MemoryAllocation", f"no device has {size} bytes")
        return Physical(memory, size, memory.engine.back(size))

    def MemRelease(self, handle: Physical) -> None:
        """Give a handle up; the memory stays as long as it is mapped."""
        found = self._physical(handle)
        with self._context(found.memory).host.lock:
            self._physical(handle)      # another thread may have released it since
            found.holders -= 1
            self._take_if_gone(found)

    def MemRetainAllocationHandle(self, pointer: Pointer) -> Physical:
        """Give the handle of what is mapped at an address, which is to be released once more."""
        found = self._reserved(pointer, 1)
        with self._context(found.memory).host.lock:
            mapping = next(self._at(found, int(pointer), 1))
            mapping.physical.holders += 1
        return mapping.physical

    def MemGetAllocationPropertiesFromHandle(self, handle: Physical) -> int:
        """Give the number of the device whose memory it is."""
        memory = self._physical(handle).memory
        return next(number for number, device in enumerate(self.devices.all()) if device.memory is memory)

    # ------------------------------------------------------------------------------------------------------------ mapping
    def MemMap(self, pointer: Pointer, size: int, offset: int, handle: Physical) -> None:
        """Map the first bytes of memory at reserved addresses. Nobody may access them yet; the offset is 0, as CUDA has it."""
        physical, found = self._physical(handle), self._reserved(pointer, size)
        start = int(pointer)
        if offset:
            raise Refusal("NotSupported", f"memory mapped from byte {offset} on: CUDA maps from the first on only")
        if size % GRANULARITY or start % GRANULARITY or not 0 < size <= physical.size:
            raise Refusal("InvalidValue", f"{size} bytes at {start:#x}, from byte {offset} of {physical.size} on")
        if physical.memory is not found.memory:
            raise Refusal("NotSupported", f"memory of {self._context(physical.memory).label} at addresses of {self._context(found.memory).label}: addresses "
                                          "are those of the device that is current when they are reserved")
        with self._context(found.memory).host.lock:
            if not physical.holders or found not in self._reservations or any(each.start < start + size and start < each.end for each in found.mappings):
                raise Refusal("InvalidValue", f"something is mapped from {start:#x} to {start + size:#x}")
            found.memory.engine.map_pages(physical.number, size, start)
            physical.mappings += 1
            found.mappings.append(_Mapping(start, start + size, physical))
            found.mappings.sort(key=lambda each: each.start)

    def MemUnmap(self, pointer: Pointer, size: int) -> list[Physical]:
        """Wait for the devices, and take whole mappings away, also such with gaps between them; gives what lay there."""
        found, start, end = self._reserved(pointer, self._whole(size)), int(pointer), int(pointer) + size
        with self._context(found.memory).host.lock:
            mappings = [each for each in found.mappings if each.start < end and start < each.end]
            if not mappings or mappings[0].start < start or mappings[-1].end > end:
                raise Refusal("InvalidValue", f"nothing is mapped from {start:#x} to {end:#x}, or a mapping is not there as a whole")
            used = [device.context for device in self.devices.all() if device.streams_in_use]
            self._context(found.memory).host.wait("unmap", [operation for context in used for operation in context.holding], [])
            for mapping in mappings:
                for memory in mapping.may.values():
                    memory.engine.let_access(mapping.start, mapping.end - mapping.start, False)
                found.memory.engine.unmap_pages(mapping.start, mapping.end - mapping.start)
                found.mappings.remove(mapping)
                mapping.physical.mappings -= 1
                self._take_if_gone(mapping.physical)
        return [mapping.physical for mapping in mappings]

    def MemSetAccess(self, pointer: Pointer, size: int, devices: Sequence[int], flags: int = READ_WRITE) -> None:
        """Say how kernels of devices may access whole mappings: not at all (0), to read (1), or to read and write (3)."""
        self.set_access(pointer, size, [(number, flags) for number in devices])

    def set_access(self, pointer: Pointer, size: int, wanted: Sequence[tuple[int, int]]) -> None:
        """Say it of devices by their numbers, each with its flags: of all of them, or of none. Raises Refusal."""
        for _, flags in wanted:
            if flags not in (NONE, READ, READ_WRITE):
                raise Refusal("InvalidValue", f"access {flags} to mapped memory: it is all (3), to read (1) or none (0)")
        found = self._reserved(pointer, self._whole(size))
        memories = [self._memory(self._reaching(number, found.memory)) for number, _ in wanted]
        with self._context(found.memory).host.lock:
            for mapping in list(self._at(found, int(pointer), size)):
                for memory, (number, flags) in zip(memories, wanted, strict=True):
                    memory.engine.let_access(mapping.start, mapping.end - mapping.start, flags != NONE, flags == READ_WRITE)
                    mapping.only_read.discard(number)
                    if flags:
                        mapping.may[number] = memory
                    else:
                        mapping.may.pop(number, None)
                    if flags == READ:
                        mapping.only_read.add(number)

    def MemGetAccess(self, pointer: Pointer, device: int) -> int:
        """Say how kernels of a device may access what is mapped at an address: 0, 1 or 3."""
        self.device(device)
        found = self._reserved(pointer, 1)
        with self._context(found.memory).host.lock:
            mapping = next((each for each in found.mappings if each.start <= pointer < each.end), None)
        if mapping is None:
            raise Refusal("InvalidValue", f"nothing is mapped at {int(pointer):#x}")
        return READ if device in mapping.only_read else READ_WRITE if device in mapping.may else NONE

    # ------------------------------------------------------------------------------------------------------------ helpers
    def mapped_at(self, address: int, device: int | None = None) -> Pointer | None:
        """Give what is mapped at an address and may be accessed there by its own device, and all of that kind behind it without a gap, from the first
        byte of its mapping on; None: nothing is."""
        found, memory = self._reservation(address), self.device(device).memory
        if found is None or not found.mappings or memory is not found.memory and self._context(memory).host.addresses is None:
            return None
        with self._context(found.memory).host.lock:
            start = end = None
            for each in [each for each in found.mappings if any(memory is found.memory for memory in each.may.values())]:
                if each.start <= address < each.end:
                    start, end = each.start, each.end
                elif end == each.start:
                    end = each.end
        return None if start is None or end is None else Pointer(start, found.memory, end - start)

    def check_written(self, address: int, nbytes: int) -> None:
        """Raise Refusal where copies and sets would write what its device may only read."""
        if not self._reservations or (found := self._reservation(address)) is None:
            return
        with self._context(found.memory).host.lock:
            for each in found.mappings:
                if each.start < address + nbytes and address < each.end and any(each.may[number] is found.memory for number in each.only_read):
                    raise Refusal("InvalidValue", f"{nbytes} bytes written from {address:#x} on: memory that is mapped to be read")

    def mapping_at(self, address: int) -> Pointer | None:
        """Give the mapping that an address lies in, whoever may access it, from its first byte on; None: nothing is mapped there."""
        found = self._reservation(address)
        if found is None:
            return None
        with self._context(found.memory).host.lock:
            mapping = next((each for each in found.mappings if each.start <= address < each.end), None)
        return None if mapping is None else Pointer(mapping.start, found.memory, mapping.end - mapping.start)

    def reserved_at(self, address: int) -> Pointer:
        """Give an address that was reserved, whether something is mapped there or not. Raises Refusal."""
        found = self._reservation(address)
        if found is None:
            raise Refusal("InvalidValue", f"{address:#x} was not reserved")
        return Pointer(address, found.memory, found.end - address)

    def _reservation(self, address: int) -> _Reservation | None:
        known = list(self._reservations) if self._reservations else []      # other threads reserve meanwhile
        fitting = [each for each in known if each.start <= address < each.end]
        own = self.device().memory if len(fitting) > 1 else None        # devices that have addresses of their own have the same ones
        return next((each for each in fitting if own is None or each.memory is own), None)

    def _reserved(self, pointer: object, size: int) -> _Reservation:
        """Give the reservation that holds some bytes from a pointer on. Raises Refusal."""
        found = self._reservation(int(pointer)) if isinstance(pointer, int) else None
        if found is None or size < 1 or int(pointer) + size > found.end:  # type: ignore[call-overload]
            raise Refusal("InvalidValue", f"{size} addresses from {values.shown(pointer)} on are not of one reservation")
        return found

    @staticmethod
    def _whole(size: int) -> int:
        if size < 1 or size % GRANULARITY:
            raise Refusal("InvalidValue", f"{size} bytes are no multiple of {GRANULARITY}, as mappings are")
        return size

    @staticmethod
    def _at(reservation: _Reservation, start: int, size: int) -> Iterator[_Mapping]:
        """Give the mappings of a range, or that of one byte. Raises Refusal unless a range is full of them, and has all of each."""
        end, at = start + size, start
        for each in [each for each in reservation.mappings if each.start < end and start < each.end]:
            if size > 1 and (each.start != at or each.end > end):
                break
            at = each.end
            yield each
        if at < end:
            raise Refusal("InvalidValue", f"from {start:#x} to {end:#x} is not all of what is mapped there, or nothing is")

    @staticmethod
    def _physical(handle: object) -> Physical:
        if not isinstance(handle, Physical) or not handle.holders:
            raise Refusal("InvalidValue", f"{values.shown(handle)} is no memory that MemCreate gave, or it was released")
        return handle

    @staticmethod
    def _take_if_gone(physical: Physical) -> None:
        if physical.gone:
            with contextlib.suppress(KeyError):     # the device is another one by now
                physical.memory.engine.unback(physical.number)

    @staticmethod
    def _context(memory: Any) -> Context:
        return context_of(memory)

    def _capable(self, number: int | None) -> Device:
        device = self.device(number)
        if not unified(device.architecture):
            raise Refusal("NotSupported", f"{device.architecture.label} does not map memory at reserved addresses: it has no unified addressing")
        return device

    def _reaching(self, number: int, memory: Memory) -> Device:
        device = self.device(number)
        owner = next(each for each in self.devices.all() if each.memory is memory)
        if device is not owner and not device.can_access_peer(owner):
            raise Refusal("InvalidDevice", f"{device.context.label} can not reach {owner.context.label}")
        if device is not owner and self._context(memory).host.addresses is None:
            raise Refusal("NotSupported", f"{device.context.label} and {owner.context.label} have addresses of their own: they do not share one range")
        return device
