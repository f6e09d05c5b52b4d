"""Are addresses in the slices of the L2 in which contention finds them on an H100, and does the engine let those of one slice wait for each other?"""
import csv
import importlib.resources

import numpy as np
import pytest
from archdef_hopper import H100

import archdef

SLICES, CHUNK, COUNT = H100.interconnect.slices.map, H100.dram.interleave_bytes, H100.dram.partitions
AT = {64 << 20: 0, 40 << 30: 299 << 21}
"""Where the two allocations lie, as far as the masks look: the only one of 1024 places at which each further address bit has one effect."""
with (importlib.resources.files("archdef_hopper_evidence") / "data" / "slice_map.csv").open() as table:
    ROWS = list(csv.DictReader(table))


@pytest.mark.parametrize("size", AT)
def test_slices_are_those_that_contention_finds(size):
    """Names of slices are their own in each allocation: every one stands for one of ours."""
    names = {}
    for row in ROWS:
        if int(row["allocation_bytes"]) == size:
            for k, measured in enumerate(row["slices"].split()):
                address = AT[size] + int(row["first_byte"]) + k * int(row["step_bytes"])
                assert names.setdefault(SLICES.partition(address, CHUNK, COUNT), measured) == measured, hex(address)
    assert sorted(map(int, names.values())) == list(range(COUNT))


def test_lines_of_one_slice_take_twice_as_long_to_operate_on():
    device = archdef.Device(H100)
    kernel = device.compile("""extern "C" __global__ void add(unsigned *memory, int other) {
        unsigned *at = memory + (threadIdx.x / 32 & 1 ? other : 0) + threadIdx.x % 32;
        for (int k = 0; k < 4; k++) atomicAdd(at, 1u); }""").add
    memory = device.zeros(1 << 14, "u4")

    def cycles(other: int) -> int:
        return kernel[132, 64](memory, np.int32(other // 4)).cycles
    mine = SLICES.partition(memory.address, CHUNK, COUNT)
    theirs = np.array([SLICES.partition(memory.address + at, CHUNK, COUNT) for at in range(0, 1 << 16, CHUNK)])
    same, other = (int(np.flatnonzero(found)[-1]) * CHUNK for found in (theirs == mine, theirs % (COUNT // 2) != mine % (COUNT // 2)))
    assert 1.6 < cycles(same) / cycles(other) < 2.1


def test_answers_to_a_cluster_come_as_fast_as_its_way_in_allows():
    """Each multiprocessor reads lines of its own, so nothing is answered together; some come from the far side, and hold up none of the near one."""
    rate = 100
    device = archdef.Device(H100.evolve({"interconnect.cluster_ports.response_bytes_per_cycle": rate}))
    kernel = device.compile("""extern "C" __global__ void read(const float *memory, float *out, int trips) {
        const float *at = memory + blockIdx.x * 2048 + threadIdx.x; float sum = 0;
        for (int k = 0; k < trips; k++) { sum += __ldcg(at); sum += __ldcg(at + 1024); }
        if (sum == 1) out[0] = sum; }""").read
    memory, out = device.zeros(132 * 2048, "f4"), device.zeros(1, "f4")
    few, many = (kernel[132, 1024](memory, out, np.int32(trips)).cycles for trips in (4, 12))
    largest = max(H100.chip.cluster_sizes)
    assert largest * 8 * 8192 / (many - few) == pytest.approx(rate, rel=0.05)
