"""Do kernels that launch kernels end where one thread of a block returns before the barrier that the others come to?"""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
WAITING = [name for name in registry.names() if "dynamic_parallelism" in registry.get(name).isa.features
           and registry.get(name).device_launches.synchronization_depth]
# After the recursive reduction of Cheng, Grossman and McKercher, Professional CUDA C Programming, chapter 3: each block halves its part and launches
# itself on it; where two words are left one thread returns with their sum.
HALVES = """
__global__ void halve(int *words, int *sums, unsigned left)
{
    unsigned t = threadIdx.x;
    int *mine = words + blockIdx.x * blockDim.x, *sum = sums + blockIdx.x;
    if (left == 2 && t == 0) {
        *sum = mine[0] + mine[1];
        return;
    }
    unsigned half = left >> 1;
    if (half > 1 && t < half)
        mine[t] += mine[t + half];
    __syncthreads();
    if (t == 0) {
        halve<<<1, half>>>(mine, sum, half);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}
"""


@pytest.mark.parametrize("threads", [2, 8, 64])
@pytest.mark.parametrize("name", WAITING)
def test_a_recursive_reduction_ends_with_the_sums(name, threads):
    device = archdef.Device(registry.get(name).evolve({"device_launches.synchronization_depth": 24}))
    words = np.arange(4 * threads, dtype="i4").reshape(4, threads) % 17
    sums = device.zeros(4, "i4")
    device.compile(HALVES, target="compute_60").halve[4, threads](device.to_device(words), sums, threads)
    assert np.array_equal(sums.to_host(), words.sum(1))
