"""Does every limit that a program sets have its effect, and is the rest refused by its name?"""
import numpy as np
import pytest

from archdef.errors import GuestFault, GuestWarning, RuntimeApiError
from archdef.frontends import nvrtc
from archdef.runtime import cuda, maca

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
SOURCE = r"""
#include <cstdio>
__global__ void prints() { printf("%d\n", threadIdx.x); }
__global__ void takes(int *o, int bytes) { o[0] = malloc(bytes) != 0; }
__device__ __noinline__ int deep(int n, int *o) { volatile int x[16]; x[n & 15] = n; return n ? deep(n - 1, o) + x[n & 15] : o[1]; }
__global__ void calls(int *o, int n) { o[0] = deep(n, o); }
__global__ void adds(int *o) { atomicAdd(o, 1); }
__global__ void launches(int *o) { adds<<<1, 1>>>(o); }
__global__ void waits(int *o, int depth) { if (depth) waits<<<1, 1>>>(o + 1, depth - 1); o[0] = cudaDeviceSynchronize(); }
__global__ void asks(unsigned long long *o) { for (int l = 0; l < 5; l++) cudaDeviceGetLimit((size_t *)o + l, (cudaLimit)l); }
"""


def test_the_buffer_of_printf(device):
    module = device.compile(SOURCE)
    cuda.cudaDeviceSetLimit(cuda.cudaLimitPrintfFifoSize, 480)
    with pytest.warns(GuestWarning, match="22 calls"):
        assert module.prints[1, 32]().output.lost == 22
    with pytest.raises(RuntimeApiError, match=r"^cudaErrorInvalidValue \("):
        cuda.cudaDeviceSetLimit(cuda.cudaLimitPrintfFifoSize, 4096)
    assert cuda.cudaDeviceGetLimit(cuda.cudaLimitPrintfFifoSize) == 480


def test_the_heap(device):
    module, out = device.compile(SOURCE), device.zeros((2,), "i4")
    cuda.cudaDeviceSetLimit(cuda.cudaLimitMallocHeapSize, 1 << 16)
    module.takes[1, 1](out, 1 << 17)
    assert out.to_host()[0] == 0
    with pytest.raises(RuntimeApiError, match=r"^cudaErrorInvalidValue \("):
        cuda.cudaDeviceSetLimit(cuda.cudaLimitMallocHeapSize, 1 << 20)


def test_the_stack_also_of_kernels_that_were_launched_before(device):
    module, out = device.compile(SOURCE), device.zeros((2,), "i4")
    cuda.cudaDeviceSetLimit(cuda.cudaLimitStackSize, 1000)
    assert cuda.cudaDeviceGetLimit(cuda.cudaLimitStackSize) == 1008
    with pytest.raises(GuestFault, match="stack"):
        module.calls[1, 1](out, 60)
    cuda.cudaDeviceSetLimit(cuda.cudaLimitStackSize, 16384)
    module.calls[1, 1](out, 60)
    assert out.to_host()[0] == 60 * 61 // 2


def test_pending_launches_and_depth_of_synchronisation(device):
    module, out = device.compile(SOURCE), device.zeros((16,), "i4")
    slow = module.launches[64, 32](out).cycles
    cuda.cudaDeviceSetLimit(cuda.cudaLimitDevRuntimePendingLaunchCount, 64)
    assert module.launches[64, 32](out).cycles > slow       # nearly all in the virtualised pool
    for depth in (1, 4):
        cuda.cudaDeviceSetLimit(cuda.cudaLimitDevRuntimeSyncDepth, depth)
        out.zero()
        module.waits[1, 1](out, 5)
        assert out.to_host()[:6].tolist() == [0] * depth + [68] * (6 - depth)


def test_a_kernel_gets_what_the_host_has_set(device):
    values = {0: 4096, 1: 1 << 18, 2: 1 << 22, 3: 3, 4: 100}
    for limit, value in values.items():
        cuda.cudaDeviceSetLimit(limit, value)
    out = device.to_device(np.zeros(5, np.uint64))
    device.compile(SOURCE).asks[1, 1](out)
    assert out.to_host().tolist() == list(values.values()) == [cuda.cudaDeviceGetLimit(limit) for limit in values]


@pytest.mark.parametrize("name, limit", [("h100", 3), ("gt200", 4), ("gt200", 0), ("k40", 99), ("k40", -1)])
def test_limits_that_a_machine_has_not_are_refused(name, limit):
    cuda.use(name)
    for call in (lambda: cuda.cudaDeviceGetLimit(limit), lambda: cuda.cudaDeviceSetLimit(limit, 16)):
        with pytest.raises(RuntimeApiError, match=r"^cudaErrorUnsupportedLimit \("):
            call()
    cuda.use()


@pytest.mark.parametrize("value", [-1, 1.5, True, None])
def test_values_that_are_none_are_refused(device, value):
    with pytest.raises(RuntimeApiError, match=r"^cudaErrorInvalidValue \("):
        cuda.cudaDeviceSetLimit(cuda.cudaLimitMallocHeapSize, value)


def test_the_other_vocabulary_has_it_too():
    device, = maca.use("c500")
    maca.mcDeviceSetLimit(maca.mcLimitPrintfFifoSize, 1 << 16)
    assert maca.mcDeviceGetLimit(maca.mcLimitPrintfFifoSize) == device.print_bytes == 1 << 16
    maca.use()


def test_dynamic_shared_memory_has_to_be_asked_for_in_cuda_alone():
    for runtime, prefix, name, unasked in (cuda, "cuda", "v100", 48 << 10), (maca, "mc", "c500", 64 << 10):
        device, = runtime.use(name)
        kernel, out = device.compile(SOURCE).adds, device.zeros((1,), "i4")
        launch, set_attribute = getattr(runtime, f"{prefix}LaunchKernel"), getattr(runtime, f"{prefix}FuncSetAttribute")
        launch(kernel, (1,), (1,), (out,), unasked)
        with pytest.raises(RuntimeApiError, match=rf"^{prefix}ErrorInvalidValue \(.*at most {unasked} bytes of dynamic"):
            launch(kernel, (1,), (1,), (out,), unasked + 1)
        most = device.architecture.limits.shared_bytes_per_block
        set_attribute(kernel, getattr(runtime, f"{prefix}FuncAttributeMaxDynamicSharedMemorySize"), most)
        launch(kernel, (1,), (1,), (out,), most)
        assert out.to_host().tolist() == [2]
        runtime.use()
