"""Managed memory under the runtimes' names."""
import numpy as np
import pytest
from expectations import refused

from archdef import registry
from archdef.frontends import nvrtc
from archdef.runtime import cuda, maca

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
ADD = "__global__ void add(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }"
CASES = [(m, p, n) for m, p, n in ((cuda, "cuda", "p100"), (cuda, "cuda", "h100"), (maca, "mc", "c500")) if n in registry.names()]


@pytest.mark.parametrize("module, prefix, name", CASES)
def test_a_program_without_copies(module, prefix, name):
    def call(what, *arguments):
        return getattr(module, prefix + what)(*arguments)
    device, = module.use(name)
    free = call("MemGetInfo")[0]
    data = call("MallocManaged", 4 * 1000).view("i4")
    data[:] = 7
    stream = call("StreamCreate")
    call("MemPrefetchAsync", data, 4 * 1000, 0, stream)
    launched = call("LaunchKernel", device.compile(ADD).add, 4, 256, (data, 1000), 0, stream)
    call("StreamSynchronize", stream)
    assert np.array_equal(np.asarray(data), np.arange(1000) + 7) and launched.result().moved is None
    call("MemAdvise", data, 4 * 1000, getattr(module, prefix + "MemAdviseSetReadMostly"), 0)
    call("LaunchKernel", device.compile(ADD).add, 4, 256, (data.pointer(400), 900))
    call("DeviceSynchronize")
    assert data[99:102].tolist() == [106, 107, 109]
    call("MemPrefetchAsync", data, None, getattr(module, prefix + "CpuDeviceId"))
    call("Free", data)
    assert call("MemGetInfo")[0] == free and call("GetDeviceProperties").managedMemory == 1
    assert call("DeviceGetAttribute", "ConcurrentManagedAccess") == 1


def test_what_is_not_there_is_refused_by_name():
    with refused("cudaErrorNotSupported"):
        cuda.use("gf100" if "gf100" in registry.names() else "g80")
        cuda.cudaMallocManaged(64)
    cuda.use("k40")
    array = cuda.cudaMallocManaged(256)
    assert cuda.cudaGetDeviceProperties().managedMemory == 1 and cuda.cudaDeviceGetAttribute("ConcurrentManagedAccess") == 0
    with refused("cudaErrorInvalidDevice"):
        cuda.cudaMemPrefetchAsync(array, 256, 0)
    with refused("cudaErrorInvalidDevice"):
        cuda.cudaMemAdvise(array, 256, cuda.cudaMemAdviseSetReadMostly, 0)
    for status, use in {"InvalidValue": lambda: cuda.cudaMallocManaged(0), "NotSupported": lambda: cuda.cudaMallocManaged(64, cuda.cudaMemAttachHost)}.items():
        with refused("cudaError" + status):
            use()
    cuda.use("p100", "p100")
    array = cuda.cudaMallocManaged(256)
    for status, use in (("InvalidValue", lambda: cuda.cudaMemPrefetchAsync(array, 257, 0)), ("InvalidDevice", lambda: cuda.cudaMemPrefetchAsync(array, 256, 7)),
                        ("NotSupported", lambda: cuda.cudaMemPrefetchAsync(array, 256, 1)), ("NotSupported", lambda: cuda.cudaMemAdvise(array, 256, 3, 0)),
                        ("NotSupported", lambda: cuda.cudaMemAdvise(array, 128, 1, 0)), ("InvalidValue", lambda: cuda.cudaMemAdvise(array, 256, 9, 0)),
                        ("InvalidValue", lambda: cuda.cudaMemPrefetchAsync(cuda.cudaMalloc(64), 64, 0))):
        with refused("cudaError" + status):
            use()
    cuda.cudaFree(array)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaFree(array)
