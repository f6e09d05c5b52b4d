"""A kernel that launches kernels cannot be launched cooperatively: an H200 says cudaErrorNotPermitted (tests/data/h200/device_runtime.txt)."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import LaunchError, RuntimeApiError
from archdef.frontends import nvrtc
from archdef.runtime import cuda

BOTH = [n for n in registry.names() if {"dynamic_parallelism", "cooperative_launch"} <= set(registry.get(n).isa.features)]
SOURCE = """
#include <cooperative_groups.h>
__global__ void child(int *o) { atomicAdd(o, 1); }
__device__ void deep(int *o) { child<<<1, 32>>>(o); }
__global__ void launches(int *o) { child<<<1, 32>>>(o); cooperative_groups::this_grid().sync(); }
__global__ void calls(int *o) { if (o[1]) deep(o); cooperative_groups::this_grid().sync(); }
__global__ void points(int *o) { void (*f)(int *) = o[1] ? deep : (void (*)(int *))0; if (f) f(o); cooperative_groups::this_grid().sync(); }
__global__ void asks(int *o) { cooperative_groups::this_grid().sync(); o[0] = cudaGetLastError(); }
"""
pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kernel", ["launches", "calls", "points"])
def test_it_is_refused_with_the_place(name, kernel):
    device = archdef.Device(name)
    module, out = device.compile(SOURCE), device.zeros((2,), "i4")
    with pytest.raises(LaunchError, match=rf"{kernel} cooperatively.*launches kernels itself \(source\.cu:[56]\)|launches kernels itself \(source\.cu:4\)"):
        module[kernel][2, 32].cooperative(out)
    assert not out.to_host().any()


@pytest.mark.parametrize("name", BOTH)
def test_other_calls_of_the_device_runtime_are_allowed(name):
    device = archdef.Device(name)
    out = device.to_device(np.full(2, 7, np.int32))
    device.compile(SOURCE).asks[2, 32].cooperative(out)
    assert out.to_host().tolist() == [0, 7]


def test_the_runtime_calls_it_not_permitted():
    device, = cuda.use(BOTH[0])
    kernel = device.compile(SOURCE).launches
    with pytest.raises(RuntimeApiError, match=r"^cudaErrorNotPermitted \("):
        cuda.cudaLaunchCooperativeKernel(kernel, 2, 32, [device.zeros((2,), "i4")])
