"""What the device runtime tells a kernel, whether or not it launches anything: an answer that is right, or a clear error."""
import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import main
from archdef.errors import ArchdefError, GuestWarning
from archdef.frontends import nvrtc
from archdef.lower.select.children import REFUSED as REFUSED_NAMES
from archdef.lower.select.system import SERVICES
from archdef.run.properties import ATTRIBUTES, DeviceProperties

ABLE = [name for name in registry.names() if "dynamic_parallelism" in registry.get(name).isa.features]
pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
ASK = r"""
__global__ void attributes(int *code, int *value) { for (int a = 0; a < 150; a++) code[a] = cudaDeviceGetAttribute(value + a, (cudaDeviceAttr)a, 0); }
__global__ void limits(int *code, unsigned long long *value) {
    for (int l = 0; l < 5; l++) code[l] = cudaDeviceGetLimit((size_t *)value + l, (cudaLimit)l);
    code[5] = cudaGetLastError();
}
__global__ void others(int *o, unsigned char *text) {
    int value = -1;
    void *p = (void *)77;
    enum cudaFuncCache cache = cudaFuncCachePreferL1;
    o[0] = cudaRuntimeGetVersion(&value); o[1] = value;
    o[2] = cudaDeviceGetCacheConfig(&cache); o[3] = cache;
    o[4] = cudaGetDevice(&value); o[5] = value;
    o[6] = cudaGetDeviceCount(&value); o[7] = value;
    o[8] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3);
    o[9] = cudaPeekAtLastError(); o[10] = cudaGetLastError(); o[11] = cudaGetLastError();
    o[12] = cudaMalloc(&p, 1ull << 45); o[13] = p == (void *)77;
    o[14] = cudaMalloc(&p, 64); ((int *)p)[15] = 5; o[15] = ((int *)p)[15]; o[16] = cudaFree(p); o[17] = cudaFree(p);
    const char *name = cudaGetErrorName(cudaErrorLaunchPendingCountExceeded);
    for (int i = 0; (text[i] = name[i]); i++);
}
"""
PRELUDE = "__global__ void leaf(int *o) { o[0] = 1; }\n__global__ void k(int *o) { "
REFUSED = {
    "cudaFuncGetAttributes": "cudaFuncAttributes f; o[0] = cudaFuncGetAttributes(&f, (const void *)leaf);",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": "o[0] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(o, (const void *)leaf, 64, 0);",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags":
        "o[0] = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(o, (const void *)leaf, 64, 0, 0);",
    "cudaMemcpy2DAsync": "o[0] = cudaMemcpy2DAsync(o, 8, o + 64, 8, 4, 4, cudaMemcpyDeviceToDevice, 0);",
    "cudaMemset2DAsync": "o[0] = cudaMemset2DAsync(o, 8, 1, 4, 4, 0);",
    "cudaMemcpy3DAsync": "cudaMemcpy3DParms m = {}; o[0] = cudaMemcpy3DAsync(&m, 0);",
    "cudaMemset3DAsync": "cudaPitchedPtr p = {}; cudaExtent x = {}; o[0] = cudaMemset3DAsync(p, 1, x, 0);",
    "cudaDeviceGetSharedMemConfig": "enum cudaSharedMemConfig c; o[0] = cudaDeviceGetSharedMemConfig(&c);",
    "cudaEventRecordWithFlags": "o[0] = cudaEventRecordWithFlags(0, 0, 0);",
    "cudaGetParameterBuffer": "o[0] = cudaGetParameterBuffer(64, 64) != 0;",
}
STAND_IN = """
.version 7.8
.target sm_35
.address_size 64
.weak .func (.param .b32 func_retval0) NAME(.param .b64 a, .param .b32 b) { .reg .b32 %r<2>; mov.u32 %r1, 999; st.param.b32 [func_retval0], %r1; ret; }
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0;
    { .param .b64 p0; st.param.b64 [p0], %rd1; .param .b32 p1; st.param.b32 [p1], %r1; .param .b32 ret0;
      call.uni (ret0), NAME, (p0, p1); ld.param.b32 %r2, [ret0]; }
    st.global.u32 [%rd1+8], %r2;
    ret;
}
"""


@pytest.fixture(params=ABLE)
def device(request):
    return archdef.Device(request.param)


def test_attributes_are_those_that_the_host_gets(device):
    code, value = device.zeros((150,), "i4"), device.to_device(np.full(150, -7, np.int32))
    device.compile(ASK).attributes[1, 1](code, value)
    codes, values = code.to_host(), value.to_host()
    properties = DeviceProperties(device.architecture, {})
    known = {number: int(properties.attribute(name)) for name, (number, _) in ATTRIBUTES.items()}
    assert {n: v for n, v in enumerate(values.tolist()) if n in known} == known
    assert all(codes[n] == (0 if n in known else 1) for n in range(150)) and all(values[n] == -7 for n in range(150) if n not in known)


def test_limits_are_the_devices(device):
    device.heap_bytes, device.print_bytes = 3 << 20, 1 << 18
    code, value = device.zeros((6,), "i4"), device.to_device(np.full(5, 77, np.uint64))
    run = device.compile(ASK).limits[1, 1](code, value)
    machine = device.architecture
    depth = machine.device_launches.synchronization_depth
    assert value.to_host().tolist() == [machine.limits.stack_bytes_per_thread, 1 << 18, 3 << 20, depth or 77, machine.device_launches.pending]
    assert code.to_host().tolist() == [0, 0, 0, 0 if depth else 215, 0, 0] and not run.warnings


def test_the_other_calls_answer_as_an_h200_does(device):
    """tests/data/h200/device_runtime.txt."""
    out, text = device.zeros((18,), "i4"), device.zeros((64,), "u1")
    run = device.compile(ASK).others[1, 1](out, text)
    assert out.to_host().tolist() == [0, 6000, 0, 0, 0, 0, 0, 1, 101, 101, 101, 0, 2, 1, 0, 5, 0, 1]
    assert bytes(text.to_host()).split(b"\0")[0] == b"cudaErrorLaunchPendingCountExceeded" and not run.warnings


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_not_served_is_refused_by_name_and_never_returns_success(call):
    device = archdef.Device(ABLE[0])
    module = device.compile(PRELUDE + REFUSED[call] + " }")
    with pytest.raises(ArchdefError, match=rf"{call}\b.*not served") as refused:
        module.k[1, 1](device.zeros((256,), "i4"))
    assert "source.cu" in str(refused.value)


def test_a_stand_in_of_the_compiler_is_not_taken_for_the_call():
    """Without relocatable code a compiler may put a function there that only fails."""
    device = archdef.Device(ABLE[0])
    out = device.to_device(np.full(4, -1, np.int32))
    device.compile(STAND_IN.replace("NAME", "cudaDeviceGetLimit")).k[1, 1](out)
    assert out.to_host()[2] == 0 and out.to_host()[0] == device.architecture.limits.stack_bytes_per_thread
    with pytest.raises(ArchdefError, match="cudaDeviceGetSharedMemConfig.*not served"):
        device.compile(STAND_IN.replace("NAME", "cudaDeviceGetSharedMemConfig")).k[1, 1](out)


def declared_by_the_header():
    """Names of all functions that CUDA's header of the device runtime declares."""
    found = importlib.util.find_spec("nvidia.cuda_runtime") if importlib.util.find_spec("nvidia") else None
    files = [Path(place) / "include" / "cuda_device_runtime_api.h" for place in (found.submodule_search_locations if found else ())]
    names = {name for file in files if file.is_file() for name in re.findall(r"\b((?:__)?cuda[A-Z]\w+) *\(", file.read_text())}
    return sorted(name for name in names if not name.startswith("__cudaCDP2"))


@pytest.mark.parametrize("stand_in", [True, False])
def test_every_function_of_the_header_is_served_or_refused_by_name(stand_in):
    """None is taken from a stand-in of the compiler, which returns success or failure and does nothing."""
    names = declared_by_the_header()
    if not names:
        pytest.skip("the wheel nvidia-cuda-runtime, which has the header, is not installed")
    assert {"cudaDeviceGetLimit", "cudaLaunchDevice", "cudaMemcpy3DAsync", "cudaCGSynchronize"} <= set(names) and len(names) >= 45
    device = archdef.Device(ABLE[0])
    text = STAND_IN if stand_in else re.sub(r"(?m)^\.weak (.*\)) \{.*$", r".extern \1;", STAND_IN)
    unserved = [name for name in names if name not in SERVICES]
    assert sorted(unserved) == [name for name in names if name.removesuffix("_ptsz").removeprefix("cuda") in (*REFUSED_NAMES, "LaunchDeviceV2")
                                and name not in SERVICES]
    for name in unserved:
        out = device.to_device(np.full(4, -1, np.int32))
        with pytest.raises(ArchdefError, match=rf"`{name}`"):
            device.compile(text.replace("NAME", name)).k[1, 1](out)
        assert out.to_host().tolist() == [-1] * 4


@pytest.mark.parametrize("name", sorted(set(registry.names()) - set(ABLE)))
def test_a_machine_without_the_device_runtime_says_so(name):
    device = archdef.Device(name)
    with pytest.raises(ArchdefError, match="dynamic_parallelism"):
        device.compile(ASK).limits[1, 1](device.zeros((6,), "i4"), device.zeros((5,), "u8"))


UNSEEN = {      # call → the error that nobody looks at
    "void *p; cudaMalloc(&p, 1ull << 45);": "MemoryAllocation", "cudaMemcpyAsync(o, o + 1, 4, cudaMemcpyHostToDevice, 0);": "InvalidMemcpyDirection",
    "cudaStreamDestroy((cudaStream_t)1234);": "InvalidResourceHandle", "cudaEventRecord((cudaEvent_t)77, 0);": "InvalidResourceHandle",
    "cudaStreamWaitEvent(0, (cudaEvent_t)77, 0);": "InvalidResourceHandle", "leaf<<<1, 4096>>>(o);": "InvalidConfiguration",
    "leaf<<<1, 1, 1 << 22>>>(o);": "InvalidConfiguration", "leaf<<<0, 1>>>(o);": "InvalidConfiguration", "cudaFree((void *)123);": "InvalidValue",
    "size_t v; cudaDeviceGetLimit(&v, (cudaLimit)44);": "InvalidValue", "size_t v; cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize);": "UnsupportedLimit", "int v; cudaDeviceGetAttribute(&v, (cudaDeviceAttr)4444, 0);": "InvalidValue",
    "fails<<<1, 1>>>(o);": "InvalidConfiguration",
}


@pytest.mark.parametrize("call", UNSEEN)
def test_every_call_that_failed_and_nobody_looked_at_is_said(device, call):
    """In `run.failures`, in `run.warnings` and to Python, whether the kernel of the host or its child made it."""
    source = "__global__ void leaf(int *o) {}\n__global__ void fails(int *o) { leaf<<<1, 4096>>>(o); }\n__global__ void k(int *o) { " + call + " }"
    out = device.to_device(np.zeros(4, np.int32))
    with pytest.warns(GuestWarning, match=f"1 call .*cudaError{UNSEEN[call]} "):
        run = device.compile(source, target="compute_60").k[1, 1](out)
    (failure,), (warning,) = run.failures, run.warnings
    assert failure.count == 1 and f"cudaError{UNSEEN[call]}" in warning and "source.cu:" in warning


def test_the_command_line_says_it_too(tmp_path):
    file = tmp_path / "many.cu"
    file.write_text("__global__ void leaf(int *o) {}\n__global__ void k(int *o) { leaf<<<1, 4096>>>(o); }\n")
    arguments = ["run", str(file), "k", "-a", ABLE[0], "-g", "1", "-b", "2", "--arg", "out:i4[1]"]
    plain = CliRunner().invoke(main, arguments)
    assert plain.exit_code == 0 and "2 calls of the device runtime failed with cudaErrorInvalidConfiguration" in plain.output
    (row,) = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert "2 calls" in row["warnings"][0] and "many.cu:2" in row["warnings"][0]


def test_a_failed_call_of_a_kernel_that_launches_nothing_is_said():
    device = archdef.Device(ABLE[0])
    with pytest.warns(GuestWarning, match="cudaErrorInvalidDevice"):
        run = device.compile("__global__ void k(int *o) { cudaDeviceGetAttribute(o, cudaDevAttrWarpSize, 9); }").k[1, 64](device.zeros((1,), "i4"))
    assert run.failures[0].count == 64
