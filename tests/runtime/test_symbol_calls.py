"""Variables of modules through the runtime API: bytes in and out, addresses, each device's own, and every refusal by its name."""
import numpy as np
import pytest

from archdef import registry
from archdef.errors import RuntimeApiError
from archdef.frontends import nvrtc
from archdef.runtime import cuda, maca

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = """
namespace ns { __constant__ float taps[4] = {1, 2, 3, 4}; }
__device__ int counter = 5;
__global__ void read(float *out) { out[threadIdx.x] = ns::taps[threadIdx.x] + counter; }
__global__ void count() { counter += 1; }
"""
VOCABULARIES = [(module, prefix, driver, name) for module, prefix, driver, names in (
    (cuda, "cuda", "cu", ("g80", "gt200", "k40", "h100")), (maca, "mc", "mc", ("c500",))) for name in names if name in registry.names()]


def refused(name):
    return pytest.raises(RuntimeApiError, match=rf"^{name} \(")


@pytest.mark.parametrize("module, prefix, driver, name", VOCABULARIES)
def test_bytes_go_in_and_out_in_either_vocabulary(module, prefix, driver, name):
    device, = module.use(name)
    loaded = device.compile(SOURCE)
    taps, counter = loaded.symbols["taps"], loaded.symbols["counter"]

    def call(what, *arguments):
        return getattr(module, prefix + what)(*arguments)

    def kind(what):
        return getattr(module, f"{prefix}Memcpy{what}")
    assert call("GetSymbolSize", taps) == 16 and call("GetSymbolSize", counter) == 4
    pointer, nbytes = getattr(module, driver + "ModuleGetGlobal")(loaded, "ns::taps")
    assert (int(pointer), nbytes, pointer.left) == (int(call("GetSymbolAddress", taps)), 16, 16) == (taps.address, 16, 16)
    call("MemcpyToSymbol", taps, np.array([20, 30], "f4"), 8, 4)
    call("MemcpyToSymbol", counter, np.int32(100))
    out, stream = call("Malloc", 16), call("StreamCreate")
    call("LaunchKernel", loaded.read, 1, 4, (out,), 0, stream)
    call("MemcpyToSymbolAsync", taps, call("MallocHost", 16), 16, 0, kind("HostToDevice"), stream)
    call("MemcpyToSymbolAsync", taps, out + 4, 4, 12, kind("DeviceToDevice"), stream)
    back = call("MallocHost", 16).view("f4")
    call("MemcpyFromSymbolAsync", back, taps, 16, 0, kind("DeviceToHost"), stream)
    call("StreamSynchronize", stream)
    seen = np.zeros(4, "f4")
    call("Memcpy", seen, out)
    assert seen.tolist() == [101, 120, 130, 104] and back.tolist() == [0, 0, 0, 120]
    call("LaunchKernel", loaded.count, 1, 1)
    one = np.zeros(1, "i4")
    call("MemcpyFromSymbol", one, counter)
    call("MemcpyFromSymbol", out, taps, 4, 12, kind("DeviceToDevice"))
    call("Memcpy", seen, out)
    assert one.tolist() == [101] and seen[0] == 120
    call("Memset", pointer, 0, 16)
    assert not taps.to_host().any()


def test_each_device_has_its_own_and_the_current_one_is_meant():
    first, second = cuda.use("k40", "k40")
    loaded = first.compile(SOURCE)
    counter, value = loaded.symbols["counter"], np.zeros(1, "i4")
    for number, start in ((0, 10), (1, 20)):
        cuda.cudaSetDevice(number)
        cuda.cudaMemcpyToSymbol(counter, np.array([start], "i4"))
        for _ in range(number + 1):
            cuda.cudaLaunchKernel(loaded.count, 1, 1)
    for number, end in ((0, 11), (1, 22)):
        cuda.cudaSetDevice(number)
        cuda.cudaMemcpyFromSymbol(value, counter)
        assert value[0] == end and cuda.cudaGetSymbolAddress(counter).memory is (first, second)[number].memory
    assert counter.to_host() == 11


def test_a_synchronous_copy_waits_for_what_is_in_blocking_streams():
    device, = cuda.use("h100")
    loaded = device.compile("__device__ int n; __global__ void slow() { for (int i = 0; i < 2000; i++) ((volatile int &)n) += 1; }")
    stream, value = cuda.cudaStreamCreate(), np.zeros(1, "i4")
    cuda.cudaLaunchKernel(loaded.slow, 1, 1, (), 0, stream)
    cuda.cudaMemcpyFromSymbol(value, loaded.symbols["n"])
    assert value[0] == 2000


def test_a_reset_lets_variables_be_as_loaded():
    device, = cuda.use("k40")
    loaded = device.compile(SOURCE)
    cuda.cudaLaunchKernel(loaded.count, 1, 1)
    cuda.cudaMemcpyToSymbol(loaded.symbols["taps"], np.zeros(4, "f4"))
    cuda.cudaDeviceReset()
    assert loaded.symbols["counter"].to_host() == 5 and loaded.symbols["taps"].to_host().tolist() == [1, 2, 3, 4]


def test_what_is_wrong_is_refused_by_the_runtimes_name():
    device, = cuda.use("k40")
    loaded = device.compile(SOURCE)
    taps, data = loaded.symbols["taps"], np.zeros(16, "u1")
    pointer = cuda.cudaMalloc(16)
    for count, offset in ((17, 0), (16, 1), (1, 16), (-1, 0), (4, -4), (4, 20), (None, 4)):
        with refused("cudaErrorInvalidValue"):
            cuda.cudaMemcpyToSymbol(taps, data, count, offset)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpyToSymbol(taps, np.zeros(5, "f4"))
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpyFromSymbol(np.zeros(1, "u1"), taps, 16)
    for arguments in ((taps, data, 4, 0, cuda.cudaMemcpyDeviceToHost), (taps, data, 4, 0, cuda.cudaMemcpyDeviceToDevice),
                      (taps, pointer, 4, 0, cuda.cudaMemcpyHostToDevice), (taps, data, 4, 0, 9)):
        with refused("cudaErrorInvalidMemcpyDirection"):
            cuda.cudaMemcpyToSymbol(*arguments)
    with refused("cudaErrorInvalidMemcpyDirection"):
        cuda.cudaMemcpyFromSymbol(data, taps, 4, 0, cuda.cudaMemcpyHostToDevice)
    for wrong in ("taps", None, pointer, data):
        with refused("cudaErrorInvalidSymbol"):
            cuda.cudaGetSymbolSize(wrong)
    with refused("cudaErrorSymbolNotFound"):
        cuda.cuModuleGetGlobal(loaded, "tap")
    with refused("cudaErrorInvalidResourceHandle"):
        cuda.cuModuleGetGlobal("module.cubin", "taps")
    with refused("cudaErrorInvalidValue"):
        cuda.cudaFree(cuda.cudaGetSymbolAddress(taps))
    assert taps.to_host().tolist() == [1, 2, 3, 4]


def test_a_variable_is_an_end_of_ordinary_copies_too():
    device, = cuda.use("k40")
    loaded = device.compile(SOURCE)
    cuda.cudaMemcpy(loaded.symbols["taps"], np.full(4, 6, "f4"), 16, cuda.cudaMemcpyHostToDevice)
    assert loaded.symbols["taps"].to_host().tolist() == [6] * 4
