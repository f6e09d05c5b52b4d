"""Mapped host memory through the runtime API: kernels and numpy see one memory, and every refusal has its name."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from expectations import refused

import archdef
from archdef import registry
from archdef.errors import RuntimeApiError
from archdef.host import Host
from archdef.runtime import cuda, maca

VOCABULARIES = [(module, prefix, name) for module, prefix, name in ((cuda, "cuda", "gf100"), (cuda, "cuda", "v100"), (maca, "mc", "c500"))
                if name in registry.names()]
pytestmark = pytest.mark.skipif(not VOCABULARIES, reason="needs the plugins of this repository")
DOUBLE = """.version 6.0
.target sm_20
.address_size 64
.visible .entry twice(.param .u64 data)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [data]; add.s64 %rd3, %rd2, %rd1;
    ld.global.u32 %r2, [%rd3]; add.u32 %r3, %r2, %r2; st.global.u32 [%rd3], %r3;
    ret;
}
"""


WAIT = DOUBLE.partition(".visible")[0] + """
.visible .entry waits(.param .u64 p)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.volatile.global.u32 [%rd1], %r1;
LOOP: ld.volatile.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;
    add.u32 %r3, %r2, 1; st.volatile.global.u32 [%rd1+8], %r3;
    ret;
}
"""


@pytest.mark.parametrize("module, prefix, name", VOCABULARIES)
def test_kernels_and_the_host_see_one_memory(module, prefix, name):
    def call(what, *arguments):
        return getattr(module, prefix + what)(*arguments)
    device, = module.use(archdef.Device(name, host=Host()))
    before, _ = call("MemGetInfo")
    memory = call("HostAlloc", 256, getattr(module, prefix + "HostAllocMapped"))
    seen = memory.view("u4")
    seen[:] = range(64)
    pointer = call("HostGetDevicePointer", memory)
    assert pointer.left == 256 and call("HostGetFlags", memory) == 2 and call("MemGetInfo")[0] == before
    twice = device.compile(DOUBLE).twice
    call("LaunchKernel", twice, 1, 32, (pointer,))
    call("LaunchKernel", twice, 1, 32, (call("HostGetDevicePointer", seen[32:]),))
    call("DeviceSynchronize")
    assert (seen == 2 * np.arange(64)).all()
    call("LaunchKernel", twice, 1, 32, (pointer,))
    call("FreeHost", memory)                            # waits for the launch
    assert seen[1] == 4
    with refused(prefix + "ErrorInvalidValue"):
        call("HostGetDevicePointer", memory)
    call("LaunchKernel", twice, 1, 32, (pointer,))
    with refused(prefix + "ErrorIllegalAddress"):
        call("DeviceSynchronize")
    module.use()


def test_a_kernel_that_waits_for_the_host_is_not_taken_for_one_that_waits_for_ever():
    device, = cuda.use(archdef.Device(VOCABULARIES[0][2], host=Host()))
    memory, waits = cuda.cudaHostAlloc(12, cuda.cudaHostAllocMapped), device.compile(WAIT).waits
    flags = memory.view("u4")
    cuda.cudaLaunchKernel(waits, 1, 1, (cuda.cudaHostGetDevicePointer(memory),))
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(cuda.cudaDeviceSynchronize)
        while not flags[0] and not ended.done():
            pass
        flags[1] = 41
        ended.result()
    assert flags.tolist() == [1, 41, 42]
    cuda.cudaFreeHost(memory)
    plain = cuda.cudaMalloc(12)
    cuda.cudaMemset(plain, 0)
    cuda.cudaLaunchKernel(waits, 1, 1, (plain,))
    with pytest.raises(RuntimeApiError, match="no warp can go on"):
        cuda.cudaDeviceSynchronize()
    cuda.use()


def test_the_bounds_of_mapped_memory_hold():
    device, = cuda.use(archdef.Device(VOCABULARIES[0][2], host=Host()))
    memory = cuda.cudaHostAlloc(100, cuda.cudaHostAllocMapped)
    cuda.cudaLaunchKernel(device.compile(DOUBLE).twice, 1, 32, (cuda.cudaHostGetDevicePointer(memory),))
    with refused("cudaErrorIllegalAddress"):
        cuda.cudaDeviceSynchronize()
    cuda.use()


def test_each_device_sees_it_at_an_address_of_its_own():
    names = [name for name in ("gf100", "h100") if name in registry.names()]
    host = Host()
    cuda.use(*(archdef.Device(name, host=host) for name in names))
    memory = cuda.cudaHostAlloc(128, cuda.cudaHostAllocMapped)
    memory.view("u4")[:] = 1
    for number in range(len(names)):
        cuda.cudaSetDevice(number)
        cuda.cudaLaunchKernel(cuda.device().compile(DOUBLE).twice, 1, 32, (cuda.cudaHostGetDevicePointer(memory),))
        cuda.cudaDeviceSynchronize()
    assert (memory.view("u4") == 1 << len(names)).all()
    cuda.use()


@pytest.mark.parametrize("name, call", [
    ("InvalidValue", lambda: cuda.cudaHostAlloc(64, 0x100)), ("InvalidValue", lambda: cuda.cudaHostAlloc(-1, 2)),
    ("MemoryAllocation", lambda: cuda.cudaHostAlloc(1 << 45, 2)), ("InvalidValue", lambda: cuda.cudaHostGetDevicePointer(cuda.cudaMallocHost(64))),
    ("InvalidValue", lambda: cuda.cudaHostGetDevicePointer(cuda.cudaHostAlloc(64, 2), 1)), ("InvalidValue", lambda: cuda.cudaHostGetFlags(np.zeros(4))),
    ("NotSupported", lambda: cuda.cudaHostRegister(np.zeros(4), cuda.cudaHostRegisterMapped))])
def test_what_cannot_be_is_refused(name, call):
    cuda.use(VOCABULARIES[0][2])
    with refused("cudaError" + name):
        call()
    cuda.use()


@pytest.mark.skipif("g80" not in registry.names(), reason="needs the plugins of this repository")
def test_a_machine_whose_kernels_do_not_see_it_says_so():
    cuda.use("g80")
    assert not cuda.cudaGetDeviceProperties().canMapHostMemory
    with pytest.raises(RuntimeApiError, match=r"^cudaErrorNotSupported \(.*unified_addressing"):
        cuda.cudaHostAlloc(64, cuda.cudaHostAllocMapped)
    cuda.use()
