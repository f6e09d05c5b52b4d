"""Is memory of the host that kernels see kept apart from the device's own, and given back?"""
import itertools
import mmap
import os

import numpy as np
import pytest

from archdef.engine import core
from archdef.engine.memory import GRANULE
from archdef.errors import DeviceMemoryError
from archdef.run.mapped import shared_file

CAPACITY = (1 << 20) + 1000


@pytest.fixture
def shared():
    """A file, and what the host sees of it."""
    descriptor = shared_file(100_000)
    yield descriptor, np.frombuffer(mmap.mmap(descriptor, 100_000), "u1")
    os.close(descriptor)


def test_both_sides_see_one_memory_which_is_none_of_the_devices(shared):
    descriptor, host = shared
    memory = core.DeviceMemory(CAPACITY)
    address = memory.host_gap(100_000)
    memory.map_host(descriptor, 100_000, address)
    host[5] = 77
    got = np.zeros(10, "u1")
    memory.read(address, got)
    memory.write(address + 99_999, np.array([9], "u1"))
    assert got.tolist() == [0, 0, 0, 0, 0, 77, 0, 0, 0, 0] and host[99_999] == 9
    assert memory.used_bytes == 0 and memory.free_bytes == CAPACITY
    memory.free(address)
    assert host[5] == 77
    for call in (lambda: memory.read(address, got), lambda: memory.free(address)):
        with pytest.raises(DeviceMemoryError):
            call()


def test_what_is_allocated_and_what_is_mapped_never_touch(shared):
    descriptor, _ = shared
    memory, own, mapped = core.DeviceMemory(CAPACITY), [], []
    for _ in range(4):
        mapped.append(memory.host_gap(100_000))
        memory.map_host(descriptor, 100_000, mapped[-1])
        own.append(memory.allocate(150_000))
    with pytest.raises(DeviceMemoryError, match="out of device memory"):
        memory.allocate(700_000)
    spans = memory.allocations
    assert spans == sorted(spans) and all(high + GRANULE <= low for (_, high), (low, _) in itertools.pairwise(spans))
    memory.free(mapped[1])
    assert memory.host_gap(100_000) == mapped[1] and memory.host_gap(200_000) > mapped[3] and memory.host_gap(1, mapped[3]) > mapped[3]


@pytest.mark.parametrize("place", [0, -65536, 100])
def test_only_a_gap_behind_the_device_is_taken(shared, place):
    memory = core.DeviceMemory(CAPACITY)
    first = memory.host_gap(100)
    with pytest.raises(DeviceMemoryError, match="cannot be shown"):
        memory.map_host(shared[0], 100, first + place if place else 1 << 32)
    assert memory.allocations == []


@pytest.mark.parametrize("nbytes", [(1 << 36) + 1, (1 << 64) - 1])
def test_more_than_there_are_addresses_is_refused(nbytes):
    with pytest.raises(DeviceMemoryError, match="are left in which kernels see"):
        core.DeviceMemory(CAPACITY).host_gap(nbytes)
