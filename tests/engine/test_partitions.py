"""Does the engine send a word to the partition that the description's map names?"""
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
