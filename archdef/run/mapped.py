"""Memory of the host that kernels see where it is (mapped memory, zero copy): behind the device's own addresses, and checked like those.

Accesses go over the link to the host; see docs/explanation/host.md.
"""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from archdef.engine import core
from archdef.errors import DeviceMemoryError

if TYPE_CHECKING:
    from archdef.run.memory import Memory
    from archdef.spec import Architecture

NEEDED = "neither unified_addressing nor host_link.mapped"
"""What a machine declares whose kernels do not see memory of the host."""


def unified(architecture: Architecture) -> bool:
    """Say whether an address stands for one byte of all memory, of the host or of a device."""
    return "unified_addressing" in architecture.isa.features


def can_map(architecture: Architecture) -> bool:
    """Say whether kernels of a machine see page-locked memory of the host, be it at other addresses than the host."""
    return unified(architecture) or architecture.host_link is not None and architecture.host_link.mapped is not None


def address_space(architectures: Sequence[Architecture]) -> core.AddressSpace | None:
    """Give the addresses that the devices of a host divide among themselves; None where a machine has no unified addressing, or there is one device.

    Raises DeviceMemoryError if there are too many devices.
    """
    if len(architectures) < 2 or not all(map(unified, architectures)):      # one device has all addresses to itself
        return None
    return core.AddressSpace(len(architectures), max(architecture.dram.capacity_bytes for architecture in architectures))


def shared_file(nbytes: int) -> int:
    """Give the descriptor of a file without a name that holds so many zeros. Raises OSError, OverflowError or ValueError where there is none."""
    descriptor = os.memfd_create("archdef", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, nbytes)
    except (OSError, OverflowError, ValueError):
        os.close(descriptor)
        raise
    return descriptor


def used_ranges(descriptor: int, nbytes: int) -> Iterator[tuple[int, int]]:
    """Give start and length of what somebody has touched of the first bytes of such a file: the system has given it pages."""
    end = 0
    while end < nbytes:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError:         # nothing behind it
            return
        if start >= nbytes:
            return
        end = min(os.lseek(descriptor, start, os.SEEK_HOLE), nbytes)
        yield start, end - start


def show(descriptor: int, nbytes: int, memories: Sequence[Memory]) -> int:
    """Show the first bytes of a file to kernels of some devices, at one address in all of them; gives it.

    Raises DeviceMemoryError if no such address is left.
    """
    start = 0
    while True:
        gaps = [memory.engine.host_gap(nbytes, start) for memory in memories]
        if len(set(gaps)) == 1:
            break
        start = max(gaps)
    shown: list[Memory] = []
    try:
        for memory in memories:
            memory.engine.map_host(descriptor, nbytes, gaps[0])
            shown.append(memory)
    except DeviceMemoryError:
        hide(gaps[0], shown)
        raise
    return gaps[0]


def expect(address: int, memories: Sequence[Memory]) -> None:
    """Note that kernels may be given this memory, so that one which waits there for the host is not taken for one that waits for ever."""
    for memory in memories:
        memory.shared_with_host.add(address)


def hide(address: int, memories: Sequence[Memory]) -> None:
    """Take it away from kernels again; waits for those that were launched, and may use it."""
    for memory in memories:         # they may have it at one place
        if memory.context is not None:
            memory.context.host.wait("free", list(memory.context.holding), [])
    for memory in memories:
        memory.shared_with_host.discard(address)
        memory.free(address)
