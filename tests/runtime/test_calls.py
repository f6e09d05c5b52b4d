"""Programs of the runtime API: memory, copies, streams, launches, several devices, and every refusal by its name."""
import numpy as np
import pytest
from expectations import refused

from archdef.frontends import nvrtc
from archdef.runtime import cuda, maca

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SCALE = """__global__ void scale(float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
__global__ void bad(int *x, int kind) { if (kind == 0) x[1 << 30] = 1; else if (kind == 1) *(int *)((char *)x + 2) = 1; else asm("trap;"); }"""
SUM = """
#include <cooperative_groups.h>
__global__ void total(int *out, int *parts)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < gridDim.x; i++)
            *out += parts[i];
}"""
N = 1 << 16


@pytest.mark.parametrize("module, prefix, name", [(cuda, "cuda", "k40"), (cuda, "cuda", "g80"), (maca, "mc", "c500")])
def test_a_program_of_streams_and_events_runs_in_either_vocabulary(module, prefix, name):
    device, = module.use(name)
    kernel = device.compile(SCALE).scale

    def call(what, *arguments):
        return getattr(module, prefix + what)(*arguments)
    data, out = call("MallocHost", 4 * N).view("f4"), call("MallocHost", 4 * N).view("f4")
    data[:] = np.arange(N)
    stream, begin, end = call("StreamCreate"), call("EventCreate"), call("EventCreate")
    pointer = call("Malloc", 4 * N)
    call("EventRecord", begin, stream)
    call("MemcpyAsync", pointer, data, 4 * N, getattr(module, prefix + "MemcpyHostToDevice"), stream)
    call("LaunchKernel", kernel, (N // 128,), (128,), (pointer, 3.0, N), 0, stream)
    call("MemcpyAsync", out, pointer, 4 * N, getattr(module, prefix + "MemcpyDeviceToHost"), stream)
    call("EventRecord", end, stream)
    assert not call("StreamQuery", stream) and not call("EventQuery", end)
    with refused(prefix + "ErrorNotReady"):
        call("EventElapsedTime", begin, end)
    call("StreamSynchronize", stream)
    assert np.array_equal(out, 3 * data)
    assert 0.001 < call("EventElapsedTime", begin, end) < 1
    call("Free", pointer)
    call("FreeHost", data)
    call("EventDestroy", begin)
    call("StreamDestroy", stream)


def test_copies_of_every_direction_move_the_bytes_asked():
    cuda.use("k40")
    a, b = cuda.cudaMalloc(64), cuda.cudaMalloc(64)
    data, out = np.arange(64, dtype="u1"), np.zeros(64, "u1")
    cuda.cudaMemcpy(a, data, 64, cuda.cudaMemcpyHostToDevice)
    cuda.cudaMemset(b, 255, 64)
    cuda.cudaMemcpy(b + 16, a + 8, 32, cuda.cudaMemcpyDeviceToDevice)
    cuda.cudaMemcpy(out, b, 64, cuda.cudaMemcpyDeviceToHost)
    assert np.array_equal(out, np.r_[[255] * 16, np.arange(8, 40), [255] * 16])
    other = np.zeros(64, "u1")
    cuda.cudaMemcpy(other, out, 10, cuda.cudaMemcpyHostToHost)
    assert np.array_equal(other[:10], out[:10]) and not other[10:].any()
    cuda.cudaMemcpy(other, b)                    # direction and size by themselves
    assert np.array_equal(other, out)


def test_what_copies_and_memory_refuse():
    cuda.use("k40", "v100")
    pointer, data = cuda.cudaMalloc(64), np.zeros(128, "u1")
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpy(pointer, data, 65)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpy(pointer + 60, data, 8)
    with refused("cudaErrorInvalidMemcpyDirection"):
        cuda.cudaMemcpy(pointer, data, 64, cuda.cudaMemcpyDeviceToHost)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpy(data[::2], pointer, 64)
    with refused("cudaErrorInvalidDevicePointer"):
        cuda.cudaMemset(data, 0, 4)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaFree(pointer + 4)
    cuda.cudaFree(pointer)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaFree(pointer)
    cuda.cudaFree(None)
    with refused("cudaErrorMemoryAllocation"):
        cuda.cudaMalloc(1 << 50)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpyPeer(cuda.cudaMalloc(4), 1, cuda.cudaMalloc(4), 0)


def test_memory_is_counted():
    cuda.use("k40")
    free, total = cuda.cudaMemGetInfo()
    pointer = cuda.cudaMalloc(1 << 20)
    assert cuda.cudaMemGetInfo()[0] <= free - (1 << 20) and cuda.cudaMemGetInfo()[1] == total
    cuda.cudaFree(pointer)
    assert cuda.cudaMemGetInfo()[0] == free
    cuda.cudaMalloc(1 << 20)
    cuda.cudaDeviceReset()
    assert cuda.cudaMemGetInfo()[0] == free


def test_pages_are_locked_once():
    cuda.use("k40")
    data = np.zeros(4096, "u1")
    cuda.cudaHostRegister(data)
    with refused("cudaErrorHostMemoryAlreadyRegistered"):
        cuda.cudaHostRegister(data)
    cuda.cudaHostUnregister(data)
    with refused("cudaErrorHostMemoryNotRegistered"):
        cuda.cudaHostUnregister(data)


def test_a_kernel_follows_the_current_device():
    one, _ = cuda.use("k40", "v100")
    kernel = one.compile(SCALE).scale
    for number in range(2):
        cuda.cudaSetDevice(number)
        pointer, data = cuda.cudaMalloc(4 * N), np.ones(N, "f4")
        cuda.cudaMemcpy(pointer, data)
        launched = cuda.cudaLaunchKernel(kernel, N // 128, 128, (pointer, 2.0 + number, N))
        assert launched.result().architecture.name == ("k40", "v100")[number]
        cuda.cudaMemcpy(data, pointer)
        assert (data == 2 + number).all()


def test_launches_refuse_streams_and_pointers_of_other_devices():
    one, _ = cuda.use("k40", "v100")
    kernel, stream, pointer = one.compile(SCALE).scale, cuda.cudaStreamCreate(), cuda.cudaMalloc(4 * N)
    cuda.cudaSetDevice(1)
    with refused("cudaErrorInvalidResourceHandle"):
        cuda.cudaLaunchKernel(kernel, 8, 128, (pointer, 2.0, N), 0, stream)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaLaunchKernel(kernel, 8, 128, (pointer, 2.0, N))
    with refused("cudaErrorInvalidConfiguration"):
        cuda.cudaLaunchKernel(kernel, 8, 4096, (cuda.cudaMalloc(4 * N), 2.0, N))
    with refused("cudaErrorInvalidResourceHandle"):
        cuda.cudaLaunchKernel("scale", 8, 128, ())


@pytest.mark.parametrize("kind, name", [(0, "cudaErrorIllegalAddress"), (1, "cudaErrorMisalignedAddress"), (2, "cudaErrorLaunchFailure")])
def test_faults_surface_at_the_next_synchronise_under_their_names(kind, name):
    device, = cuda.use("k40")
    module, pointer = device.compile(SCALE), cuda.cudaMalloc(4 * N)
    cuda.cudaLaunchKernel(module.bad, 1, 1, (pointer, kind))
    with refused(name) as caught:
        cuda.cudaDeviceSynchronize()
    assert "kernel bad at" in str(caught.value) and "thread (0, 0, 0)" in str(caught.value)
    assert cuda.cudaGetLastError() == name
    cuda.cudaDeviceSynchronize()


def test_streams_by_number_are_the_default_ones():
    device, = cuda.use("k40")
    for number in (None, 0, cuda.cudaStreamLegacy):
        assert cuda.runtime._stream(number) is device.default_stream
    assert cuda.runtime._stream(cuda.cudaStreamPerThread) is device.per_thread_stream
    cuda.default_stream_per_thread()
    try:
        assert cuda.runtime._stream(None) is device.per_thread_stream
    finally:
        cuda.default_stream_per_thread(False)
    with refused("cudaErrorInvalidResourceHandle"):
        cuda.cudaStreamSynchronize("mine")
    assert not cuda.cudaStreamCreateWithFlags(cuda.cudaStreamNonBlocking).blocking and cuda.cudaStreamCreate().blocking


def test_host_functions_and_events_of_other_devices_keep_streams_in_order():
    cuda.use("k40", "v100")
    seen, first, event = [], cuda.cudaStreamCreate(), cuda.cudaEventCreateWithFlags(cuda.cudaEventDisableTiming)
    cuda.cudaLaunchHostFunc(first, seen.append, 1)
    cuda.cudaEventRecord(event, first)
    cuda.cudaSetDevice(1)
    second = cuda.cudaStreamCreate()
    cuda.cudaStreamWaitEvent(second, event)
    cuda.cudaLaunchHostFunc(second, seen.append, 2)
    cuda.cudaStreamSynchronize(second)
    assert seen == [1, 2]


def test_peer_access_by_the_runtimes_rules():
    cuda.use("v100", "v100", "c500")
    assert cuda.cudaDeviceCanAccessPeer(0, 1) and not cuda.cudaDeviceCanAccessPeer(0, 2) and not cuda.cudaDeviceCanAccessPeer(0, 0)
    cuda.cudaDeviceEnablePeerAccess(1)
    with refused("cudaErrorPeerAccessAlreadyEnabled"):
        cuda.cudaDeviceEnablePeerAccess(1)
    with refused("cudaErrorPeerAccessUnsupported"):
        cuda.cudaDeviceEnablePeerAccess(2)
    cuda.cudaDeviceDisablePeerAccess(1)
    with refused("cudaErrorPeerAccessNotEnabled"):
        cuda.cudaDeviceDisablePeerAccess(1)
    a, data = cuda.cudaMalloc(4 * N), np.arange(N, dtype="f4")
    cuda.cudaMemcpy(a, data)
    for number in (1, 2):
        cuda.cudaSetDevice(number)
        b, out = cuda.cudaMalloc(4 * N), np.zeros(N, "f4")
        cuda.cudaMemcpyPeer(b, number, a, 0, 4 * N)
        cuda.cudaMemcpy(out, b)
        assert np.array_equal(out, data)


def test_cooperative_launches_run_where_declared_and_are_refused_elsewhere():
    for name, fits in (("p2000", True), ("k40", False)):
        device, = cuda.use(name)
        kernel, out, parts = device.compile(SUM).total, cuda.cudaMalloc(4), cuda.cudaMalloc(4 * 4096)
        cuda.cudaMemset(out, 0)
        if not fits:
            with refused("cudaErrorNotSupported"):
                cuda.cudaLaunchCooperativeKernel(kernel, 8, 32, (out, parts))
            continue
        cuda.cudaLaunchCooperativeKernel(kernel, 8, 32, (out, parts))
        got = np.zeros(1, "i4")
        cuda.cudaMemcpy(got, out)
        assert got[0] == 36
        most = cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 32) * cuda.cudaGetDeviceProperties().multiProcessorCount
        with refused("cudaErrorCooperativeLaunchTooLarge"):
            cuda.cudaLaunchCooperativeKernel(kernel, most + 1, 32, (out, parts))


def test_a_cooperative_launch_on_several_devices_is_checked_as_a_whole():
    one, _two, _ = cuda.use("p2000", "v100", "k40")
    kernel, launches, outs = one.compile(SUM).total, [], []
    for number in range(3):
        cuda.cudaSetDevice(number)
        outs.append(cuda.cudaMalloc(4))
        cuda.cudaMemset(outs[-1], 0)
        launches.append((kernel, 4, 32, (outs[-1], cuda.cudaMalloc(64)), 0, cuda.cudaStreamCreate()))
    for launched in cuda.cudaLaunchCooperativeKernelMultiDevice(launches[:2]):
        launched.result()
    for out in outs[:2]:
        got = np.zeros(1, "i4")
        cuda.cudaMemcpy(got, out)
        assert got[0] == 10
    first = launches[0]
    with refused("cudaErrorNotSupported"):
        cuda.cudaLaunchCooperativeKernelMultiDevice(launches)
    with refused("cudaErrorInvalidDevice"):
        cuda.cudaLaunchCooperativeKernelMultiDevice([first, first])
    with refused("cudaErrorInvalidValue"):
        cuda.cudaLaunchCooperativeKernelMultiDevice([first, (kernel, 8, *launches[1][2:])])
    with refused("cudaErrorInvalidResourceHandle"):
        cuda.cudaLaunchCooperativeKernelMultiDevice([(*first[:5], None)])
    with refused("cudaErrorInvalidValue"):
        cuda.cudaLaunchCooperativeKernelMultiDevice([])


MISLEADING = """
extern "C" __global__ void bytes_are_outside_assertion(int *x) { asm("trap;"); }
extern "C" __global__ void cooperative_launch_grid_dimensions(int *x) { x[1 << 30] = 1; }
"""


@pytest.mark.parametrize("kernel, name, kind", [("bytes_are_outside_assertion", "cudaErrorLaunchFailure", "trap"),
                                                ("cooperative_launch_grid_dimensions", "cudaErrorIllegalAddress", "bounds")])
def test_an_error_is_told_by_what_it_is_and_not_by_its_words(kernel, name, kind):
    device, = cuda.use("k40")
    out, module = cuda.cudaMalloc(4), device.compile(MISLEADING)
    cuda.cudaLaunchKernel(module[kernel], 1, 1, (out,))
    with refused(name) as error:
        cuda.cudaDeviceSynchronize()
    assert error.value.kind == kind
    with refused("cudaErrorInvalidValue") as error:      # too few arguments, whatever the kernel is called
        cuda.cudaLaunchKernel(module[kernel], 1, 1, ())
    assert error.value.kind == ""
    with refused("cudaErrorInvalidConfiguration") as error:
        cuda.cudaLaunchKernel(module[kernel], 1, 1 << 20, (out,))
    assert error.value.kind == "shape"


def test_pointers_that_arithmetic_has_led_astray_and_sizes_that_cannot_be():
    cuda.use("k40")
    pointer, data = cuda.cudaMalloc(4096), np.zeros(4, "u1")
    for astray in (pointer - (1 << 40), pointer - 4, pointer - (1 << 63)):
        with refused("cudaErrorInvalidValue"):
            cuda.cudaMemcpy(data, astray, 4)
        with refused("cudaErrorInvalidValue"):
            cuda.cudaMemset(astray, 0, 4)
            cuda.cudaDeviceSynchronize()
    for status, size in (("InvalidValue", -5), ("MemoryAllocation", 1 << 62), ("MemoryAllocation", 1 << 64)):
        for call in (cuda.cudaMalloc, cuda.cudaMallocManaged):
            with refused("cudaError" + status):
                call(size)
    assert np.array_equal(data, np.zeros(4))
