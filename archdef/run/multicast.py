"""Multicast addresses, which the instructions ``multimem`` access."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef import values
from archdef.errors import LaunchError
from archdef.run.array import DeviceArray
from archdef.spec import Architecture

if TYPE_CHECKING:
    from archdef.run.memory import Memory

FIRST = 1 << 47
"""What is mapped lies so far behind its own address; no allocation reaches so far."""


class Multicast:
    """A device array under a multicast address: a multicast object with one member, the array's device.

    As an argument of a launch it is its address. Only ``multimem`` instructions access it; it lasts as long as someone holds it.
    """

    def __init__(self, array: DeviceArray):
        self.array = array
        """The memory that is mapped."""
        self.address = FIRST + array.address
        """First multicast address."""
        array.memory.multicasts.add(self)

    @property
    def memory(self) -> Memory:
        """The memory of the one device."""
        return self.array.memory

    @property
    def live(self) -> bool:
        """Whether there is something behind the address."""
        return not self.array.freed

    def __repr__(self) -> str:
        return f"<Multicast {self.address:#x} of {self.array!r}>"


def multicast(architecture: Architecture, memory: Memory, array: DeviceArray) -> Multicast:
    """Map an array of a device. Raises LaunchError where the machine has no ``multimem``, and for what is no array of the device."""
    if "multimem" not in architecture.isa.features:
        raise LaunchError(f"{architecture.label} has no multicast addresses: it does not declare the feature multimem", "feature")
    if not isinstance(array, DeviceArray):
        raise LaunchError(f"multicast takes a device array, got {values.shown(array)}")
    if array.memory is not memory:
        raise LaunchError("multicast takes an array of this device, got one of another")
    if array.freed:
        raise LaunchError("multicast takes a device array, got one that was freed")
    return Multicast(array)


def spans(memory: Memory) -> tuple[tuple[int, int, int], ...]:
    """Give first multicast address, bytes and address of everything that is mapped."""
    if not len(memory.multicasts):      # asked at every launch, and nearly always so
        return ()
    return tuple((FIRST + address, nbytes, address)
                 for address, nbytes in {(m.array.address, m.array.nbytes) for m in memory.multicasts if m.live and m.array.nbytes})
