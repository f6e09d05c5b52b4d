"""The same kernels give numpy's answer whatever the warp size: 1, 2, 4 … 64 lanes, on every installed architecture."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.frontends import nvrtc
from archdef.testing.compare import with_warp_size

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SOURCE = """
extern "C" __global__ void collatz(int *steps, int n)          // lanes leave the loop one by one
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = i + 1, count = 0;
    while (value != 1) {
        if (value & 1) value = 3 * value + 1;
        else value /= 2;
        ++count;
    }
    steps[i] = count;
}

extern "C" __global__ void scan(int *out, const int *in)        // inclusive sum over the block, through shared memory
{
    __shared__ int part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    for (int step = 1; step < 64; step *= 2) {
        __syncthreads();
        int left = t >= step ? part[t - step] : 0;
        __syncthreads();
        part[t] += left;
    }
    out[blockIdx.x * 64 + t] = part[t];
}

extern "C" __global__ void axpy(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]);
}
"""


def collatz_steps(n):
    """Steps to 1 of the numbers 1 … n."""
    steps = []
    for value in range(1, n + 1):
        count = 0
        while value != 1:
            value = 3 * value + 1 if value & 1 else value // 2
            count += 1
        steps.append(count)
    return np.array(steps, np.int32)


@pytest.fixture(scope="module", params=[(name, size) for name in registry.names() for size in (1, 2, 4, 8, 16, 32, 64)],
                ids=lambda p: f"{p[0]}-{p[1]}")
def device(request):
    name, size = request.param
    # room for a block of 64 threads as warps of any size; all else as declared
    return archdef.Device(with_warp_size(registry.get(name), size))


@pytest.fixture(scope="module")
def module(device):
    return device.compile(SOURCE)


def test_divergent_loops(device, module):
    out = device.zeros(200, "i4")
    module.collatz[4, 64](out, 200)
    assert (out.to_host() == collatz_steps(200)).all()


def test_barriers_and_shared_memory(device, module):
    numbers = np.random.default_rng(1).integers(-99, 99, (5, 64), dtype="i4")
    out = device.zeros((5, 64), "i4")
    module.scan[5, 64](out, device.to_device(numbers))
    assert (out.to_host() == numbers.cumsum(axis=1)).all()


def test_floats_round_as_they_should(device, module):
    random = np.random.default_rng(2)
    x, y = random.standard_normal(1000, "f4"), random.standard_normal(1000, "f4")
    out = device.to_device(y)
    run = module.axpy[3, 64](out, device.to_device(x), 1.7, 1000)
    assert (out.to_host() == np.float32(1.7) * x + y).all()
    assert run.counters.warps == 3 * -(-64 // device.architecture.warp.size)
