"""Do devices that share an address space have addresses of their own, and see of each other what they may?"""
import gc
import itertools

import numpy as np
import pytest

from archdef.engine import core
from archdef.errors import DeviceMemoryError

CAPACITY = 3 << 20


def test_no_two_devices_have_an_address_in_common():
    space = core.AddressSpace(3, CAPACITY)
    memories = [core.DeviceMemory(CAPACITY, space) for _ in range(3)]
    assert memories[0].first == core.DeviceMemory(CAPACITY).first
    places = [memory.allocate(CAPACITY - 65536) for memory in memories]
    assert sorted(places) == places and all(low + CAPACITY <= high for low, high in itertools.pairwise(places))
    assert {place - memory.first for place, memory in zip(places, memories, strict=True)} == {0}
    for number, (memory, place) in enumerate(zip(memories, places, strict=True), 1):
        memory.fill(place, 100, number)
    got = np.empty(100, "u1")
    for number, (memory, place) in enumerate(zip(memories, places, strict=True), 1):
        memory.read(place, got)
        assert (got == number).all() and memory.used_bytes == CAPACITY - 65536


def test_a_device_sees_another_ones_allocations_while_it_reaches_it():
    space = core.AddressSpace(2, CAPACITY)
    one, other = (core.DeviceMemory(CAPACITY, space) for _ in range(2))
    before, got = other.allocate(100), np.empty(4, "u1")
    with pytest.raises(DeviceMemoryError, match="not inside one allocation"):
        one.read(before, got)
    one.reach(other)
    one.reach(other)
    later = other.allocate(100)
    other.fill(before, 4, 5)
    one.read(before, got)
    assert (got == 5).all()
    one.write(later, np.full(4, 6, "u1"))
    other.read(later, got)
    assert (got == 6).all() and one.used_bytes == 0 and one.allocations == []
    other.free(later)
    for memory, address in ((one, later), (other, later)):
        with pytest.raises(DeviceMemoryError, match="not inside one allocation"):
            memory.read(address, got)
    with pytest.raises(DeviceMemoryError, match="not the start of an allocation"):
        one.free(before)
    one.leave(other)
    with pytest.raises(DeviceMemoryError, match="not inside one allocation"):
        one.read(before, got)


def test_devices_of_other_address_spaces_are_not_reached():
    one, space = core.DeviceMemory(CAPACITY), core.AddressSpace(2, CAPACITY)
    other = core.DeviceMemory(CAPACITY, space)
    for stranger in (other, one):
        with pytest.raises(DeviceMemoryError, match="addresses of its own"):
            one.reach(stranger)


@pytest.mark.parametrize("devices, capacity", [(0, CAPACITY), (-1, CAPACITY), (1, 1 << 63), (1 << 62, CAPACITY), ((1 << 42) + 1, CAPACITY), (1 << 20, 1 << 40)])
def test_what_the_computer_has_no_addresses_for_is_refused(devices, capacity):
    with pytest.raises(DeviceMemoryError):
        core.AddressSpace(devices, capacity)


def test_a_space_is_full_once_all_its_devices_have_theirs():
    space = core.AddressSpace(2, CAPACITY)
    with pytest.raises(DeviceMemoryError, match="no .* bytes for one more device"):
        core.DeviceMemory(1 << 40, space)
    kept = [core.DeviceMemory(CAPACITY, space) for _ in range(2)]
    with pytest.raises(DeviceMemoryError, match="no .* bytes for one more device"):
        core.DeviceMemory(CAPACITY, space)
    assert space.given == 2 == space.devices and len(kept) == 2


def test_devices_that_reach_each_other_go_when_nobody_has_them():
    for _ in range(200):        # of 64 GiB and more of addresses each
        space = core.AddressSpace(2, 1 << 38)
        one, other = (core.DeviceMemory(1 << 38, space) for _ in range(2))
        one.reach(other)
        other.reach(one)
        one.fill(one.allocate(8), 8, 1)
        del one, other, space
    gc.collect()


def test_memory_of_the_host_is_shown_to_all_at_one_address():
    space = core.AddressSpace(2, CAPACITY)
    one, other = (core.DeviceMemory(CAPACITY, space) for _ in range(2))
    assert one.host_gap(4096) == other.host_gap(4096) > other.first + CAPACITY


@pytest.mark.parametrize("number", range(3))
def test_an_allocation_lies_in_the_first_gap_that_holds_it(number):
    """Addresses decide which partition serves what, and so the time that kernels take: they follow from what was allocated and freed before, alone."""
    space = core.AddressSpace(3, CAPACITY)
    memory = [core.DeviceMemory(CAPACITY, space) for _ in range(3)][number]
    random, granule, there = np.random.default_rng(number), core_granule(), []
    sizes = [0, 1, 65535, 65536, 65537, 200_000, CAPACITY // 3, CAPACITY, CAPACITY + 1, 1 << 63, (1 << 64) - 1]
    for _ in range(600):
        nbytes = sizes[random.integers(len(sizes))]
        start = memory.first
        for low, high in there:
            if start + max(1, nbytes) + granule <= low:
                break
            start = (high + 2 * granule - 1) // granule * granule
        if start + max(1, nbytes) > memory.first + CAPACITY:
            with pytest.raises(DeviceMemoryError, match=f"out of device memory: {nbytes} bytes asked"):
                memory.allocate(nbytes)
        else:
            assert memory.allocate(nbytes) == start
            there = sorted([*there, (start, start + max(1, nbytes))])
        while there and random.random() < 0.4:
            memory.free(there.pop(int(random.integers(len(there))))[0])
        assert memory.allocations == there


def core_granule():
    """By how much two allocations of a byte are apart, halved."""
    memory = core.DeviceMemory(CAPACITY)
    first, second = memory.allocate(1), memory.allocate(1)
    return (second - first) // 2
