"""Memory at reserved addresses: do kernels and copies find there what is mapped, and does it come back?"""
import numpy as np
import pytest
from expectations import ON_A_MACHINE, refused

from archdef.engine import core
from archdef.errors import DeviceMemoryError
from archdef.runtime import cuda

pytestmark = [ON_A_MACHINE, pytest.mark.usefixtures("device")]
PTX = """.version 6.0
.target sm_20
.address_size 64
.visible .entry count(.param .u64 p)
{
    .reg .b32 %r<3>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [p]; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;
    ret;
}
"""


def mapped(size, place=None):
    place = cuda.cuMemAddressReserve(size) if place is None else place
    memory = cuda.cuMemCreate(size)
    cuda.cuMemMap(place, size, 0, memory)
    cuda.cuMemSetAccess(place, size, [0])
    cuda.cuMemRelease(memory)
    return place


def test_kernels_and_copies_go_over_the_border_of_two_mappings(device):
    size = cuda.cuMemGetAllocationGranularity()
    place = cuda.cuMemAddressReserve(2 * size)
    for half in (place, place + size):
        mapped(size, half)
    words = np.arange(64, dtype="u4")
    middle = place + (size - 128)
    cuda.cudaMemcpy(middle, words)
    cuda.cudaLaunchKernel(device.compile(PTX)["count"], 1, 64, [middle])
    out = np.zeros(64, "u4")
    cuda.cudaMemcpy(out, middle)
    assert (out == words + 1).all()
    free = cuda.cudaMemGetInfo()[0]
    cuda.cuMemUnmap(place, 2 * size)
    assert cuda.cudaMemGetInfo()[0] == free + 2 * size
    with refused("InvalidValue"):
        cuda.cudaMemcpy(out, middle)


def test_an_unmapped_address_faults_and_a_mapped_one_takes_as_long_as_any_other(device):
    size = cuda.cuMemGetAllocationGranularity()
    count = device.compile(PTX)["count"]
    usual, place = cuda.cudaMalloc(size), mapped(size)
    cycles = [count[1, 64](each).cycles for each in (usual, place)]
    assert cycles[0] == cycles[1]
    cuda.cuMemUnmap(place, size)
    cuda.cudaLaunchKernel(count, 1, 64, [place])
    with refused("IllegalAddress"):
        cuda.cudaDeviceSynchronize()


def test_a_device_has_no_more_memory_than_it_has_however_it_is_taken(device):
    size, (free, _) = cuda.cuMemGetAllocationGranularity(), cuda.cudaMemGetInfo()
    most = free // size * size
    memory = cuda.cuMemCreate(most)
    with refused("MemoryAllocation"):
        cuda.cudaMalloc(free - most + 1)
    with refused("MemoryAllocation"):
        cuda.cuMemCreate(size)
    cuda.cuMemRelease(memory)
    with refused("InvalidValue"):
        cuda.cuMemRelease(memory)
    kept = cuda.cudaMalloc(free // 2)
    with refused("MemoryAllocation"):
        cuda.cuMemCreate(most)
    cuda.cudaFree(kept)
    assert cuda.cudaMemGetInfo()[0] == free


def test_addresses_are_reserved_once_and_again_when_they_are_given_back():
    memory = core.DeviceMemory(1 << 24)
    places = [memory.reserve(1 << 20, 1 << 21) for _ in range(4)]
    assert len(set(places)) == 4 and all(place % (1 << 21) == 0 for place in places)
    assert all(abs(one - other) > 1 << 20 for one in places for other in places if one != other)
    memory.unreserve(places[1])
    assert memory.reserve(1 << 20, 1 << 21) == places[1]
    with pytest.raises(DeviceMemoryError, match="can be reserved"):
        memory.reserve(1 << 60, 1)
    assert memory.allocations == [] and memory.used_bytes == 0


@pytest.mark.parametrize("handle", [None, 7, "memory"])
def test_what_is_no_handle_is_an_invalid_value(handle):
    place = cuda.cuMemAddressReserve(cuda.cuMemGetAllocationGranularity())
    for call in (cuda.cuMemRelease, cuda.cuMemGetAllocationPropertiesFromHandle, lambda given: cuda.cuMemMap(place, 2 << 20, 0, given)):
        with refused("InvalidValue"):
            call(handle)
