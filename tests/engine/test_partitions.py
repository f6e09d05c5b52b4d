"""Does the engine send a word to the partition that the description's map names, and count for each statement how many work beside it?"""
import archdef
import numpy as np
import pytest
from archdef.spec import Interleaved, XorHash

BEFORE = archdef.architecture("gf100")
SCATTER = 'extern "C" __global__ void scatter(const unsigned long long *at) { *(int *)at[blockIdx.x] = 1; }'
WORDS, SPAN = 600, 1 << 24


@pytest.mark.parametrize("partitions", [6, 7, 8])
@pytest.mark.parametrize("chosen", [Interleaved(), XorHash(), XorHash((1,)), XorHash((1, 2)), XorHash((2, 5, 11))], ids=repr)
def test_as_many_words_reach_each_partition_as_the_map_says(chosen, partitions):
    """One word of each of many chunks at random: a request of its own."""
    arch = BEFORE.evolve({"dram.partition_map": chosen, "dram.partitions": partitions, "dram.bus_bits": 64 * partitions})
    device, interleave = archdef.Device(arch), arch.dram.interleave_bytes
    memory = device.zeros(SPAN, "u1")
    chunks = np.random.default_rng(partitions).choice(SPAN // interleave, WORDS, replace=False).astype("u8")
    at = memory.address + chunks * np.uint64(interleave)
    given = device.to_device(at)
    counted = device.compile(SCATTER).scatter[WORDS, 1](given).counters.partition["bytes_given"]
    named = np.bincount([chosen.partition(int(address), interleave, partitions) for address in at], minlength=partitions)
    np.testing.assert_array_equal(counted, named * counted.sum() // WORDS)


CAMPS = """
extern "C" __global__ void k(int *a, int *b, int between) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[blockIdx.x * between + threadIdx.x] = a[i];
}
"""


def test_of_each_statement_is_counted_how_many_partitions_work_when_its_requests_come():
    """Loads one after the other in memory keep all partitions at work; stores that are a turn of the partitions apart come to one."""
    arch = archdef.architecture("gt200")        # without an L2, so that each request is DRAM's
    device, turn = archdef.Device(arch), arch.dram.interleave_bytes * arch.dram.partitions // 4
    module, used = device.compile(CAMPS), {}
    for between in (64, turn):
        run = module.k[240, 64](device.zeros(240 * 64, "i4"), device.zeros(240 * turn, "i4"), between)
        c = run.counters.statements
        assert c["dram_requests"].sum() == run.counters.partition["requests"].sum()
        assert all(c["dram_requests"] <= c["dram_partitions"]) and all(c["dram_partitions"] <= c["dram_requests"] * arch.dram.partitions)
        loads, stores = (run.metrics_of(run.counters.only(c[kind] > 0)) for kind in ("global_loads", "global_stores"))
        used[between] = loads["partitions_per_request"], stores["partitions_per_request"]
    assert used[turn][1] < 3 < 4 < used[64][1] and used[turn][1] < used[turn][0]
    assert run.metrics_of(run.counters.only(c["dram_requests"] == 0))["partitions_per_request"] is None
