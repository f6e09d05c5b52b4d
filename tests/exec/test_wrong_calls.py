"""Is every wrong call of a program a status of its own, with a reason, while archdef and the program go on?"""
import struct

import pytest
from fat import ELF, LZ4, PTX, ZSTD, binary, entry
from hypothesis import given, settings
from hypothesis import strategies as st

from archdef import exec as programs
from archdef import registry
from archdef.exec import calls, fatbin
from archdef.exec.calls import CALLS, NAMES
from archdef.exec.cuda_driver import calls as driver_calls

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
NEWER = b""".version 6.0
.target sm_30
.address_size 64
.visible .entry vector_add(.param .u64 sum, .param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .b32 %r<3>; .reg .pred %p<2>;
    mov.u32 %r1, %tid.x; shfl.sync.down.b32 %r2, %r1, 1, 31, -1; ret;
}
"""
"""What needs more than a GT200 has."""
TEXT = b".version 7.8\n.target sm_50\n"
STATUSES = """cudaMalloc(&none, (size_t)-1)                         cudaErrorMemoryAllocation
cudaMalloc((void **)-1, 16)                                        cudaErrorInvalidValue
cudaMalloc(0, 16)                                                  cudaErrorInvalidValue
cudaFree(here)                                                     cudaErrorInvalidValue
cudaMemcpy(there, (void *)16, 16, ToDevice)                        cudaErrorInvalidValue
cudaMemcpy((void *)-1, there, 16, ToHost)                          cudaErrorInvalidValue
cudaMemcpy(there, here, 1000, ToDevice)                            cudaErrorInvalidValue
cudaMemcpy(there, here, (size_t)-1, ToDevice)                      cudaErrorInvalidValue
cudaMemcpy(there, here, 16, ToHost)                                cudaErrorInvalidValue
cudaMemcpy(there, here, 16, 9)                                     cudaErrorInvalidMemcpyDirection
cudaMemcpy(locked, wide, (size_t)1 << 60, 0)                       cudaErrorInvalidValue
cudaMallocHost(&none, (size_t)1 << 45)                             cudaErrorMemoryAllocation
cudaMemset(here, 0, 16)                                            cudaErrorInvalidValue
cudaMemset(there, 0, (size_t)1 << 63)                              cudaErrorInvalidValue
cudaStreamSynchronize((void *)0x77777777)                          cudaErrorInvalidResourceHandle
cudaEventSynchronize(0)                                            cudaErrorInvalidResourceHandle
cudaLaunchKernel(nobody, one, one, 0, 0, 0)                        cudaErrorInvalidDeviceFunction
cudaLaunchKernel(faults, one, many, given, 0, 0)                   cudaErrorInvalidConfiguration
cudaLaunchKernel(faults, one, one, wild, 0, 0)                     cudaErrorInvalidValue
cudaLaunchKernel(faults, one, one, (void **)-1, 0, 0)              cudaErrorInvalidValue
cudaSetDevice(9)                                                   cudaErrorInvalidDevice
cudaGraphicsMapResources(0, 0, 0)                                  cudaErrorNotSupported
cudaGetLastError()                                                 cudaErrorNotSupported
cudaGetLastError()                                                 cudaSuccess
cudaGetErrorString(-5)                                             unrecognized error code
cudaDeviceSynchronize()                                            cudaErrorIllegalAddress"""


def test_each_wrong_call_gets_the_status_that_cuda_gives(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("wrong")], "gt200", output=output)
        output.seek(0)
        got = output.read().splitlines()
    calls, expected = zip(*(line.rsplit(None, 1) if "unrec" not in line else (line[:30], "unrecognized error code") for line in STATUSES.splitlines()), strict=True)
    assert dict(enumerate(zip(calls, got, strict=True))) == dict(enumerate(zip(calls, expected, strict=True)))
    assert found.missing == {"cudaGraphicsMapResources": 1}
    assert any("no kernel is registered" in text for text in found.failures) and any("store" in text or "st.global" in text for text in found.failures)


def test_functions_of_libraries_that_are_not_there_are_refused_by_name(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("others")], "gt200", output=output)
        output.seek(0)
        assert output.read() == "3000 9 5 15 0 (nil) (nil) cudaSuccess\n"
    assert set(found.missing) == {"cudnnCreateActivationDescriptor", "cusolverSpCreate", "ncclCommDestroy", "cublasLtMatrixTransformDescCreate",
                                  "ncclGetErrorString", "nppiMalloc_8u_C1", "cudnnGetMaxDeviceVersion"}
    assert "cusolverSpCreate" in str(found)


def test_every_function_that_is_answered_is_exported():
    assert set(CALLS) - set(NAMES) == set()


@pytest.mark.parametrize("fat, status, why", [
    (binary(entry(b"\x7fELF", ELF, 70)), "NoKernelImageForDevice", "machine code (sm_70) and no PTX; compile it with -gencode"),
    (binary(), "NoKernelImageForDevice", "(nothing) and no PTX"),
    (binary(entry(NEWER.replace(b".version 6.0", b".version 10.0"))), "UnsupportedPtxVersion", "PTX of version 10.0"),
    (binary(entry(b".version 6.0\n.target sm_20\nnonsense")), "InvalidPtx", "nonsense"), (binary(entry(b"\0" * 100, packing=0)), "InvalidPtx", ""),
    (binary(entry(b"packed", flags=LZ4)), "InvalidKernelImage", "cannot be unpacked"),
    (binary(entry(NEWER, target=30)), "NoKernelImageForDevice", "needs the feature")])
def test_a_program_whose_device_code_cannot_be_run_is_told_why(build, fat, status, why, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("vector_add", "shared", fat)], "gt200", output=output)
        output.seek(0)
        printed = output.read()
    assert found.exit_code == 1 and printed.startswith("cudaLaunchKernel") and printed.endswith(f": cudaError{status}\n")
    assert found.failures and any(why in text for text in found.failures)


@pytest.mark.parametrize("packing", [0, LZ4, ZSTD])
def test_packed_code_is_unpacked(packing):
    if packing:
        pytest.importorskip("lz4" if packing == LZ4 else "zstandard")
    data = TEXT * 100
    (found,) = fatbin.entries(binary(entry(data, PTX, 50, packing)))
    assert (found.kind, found.target, found.data.rstrip(b"\0")) == (PTX, 50, data)


@pytest.mark.parametrize("target, best", [(90, 80), (80, 80), (75, 52), (52, 52), (20, 35), (0, 35)])
def test_the_newest_code_that_is_not_too_new_is_taken(target, best):
    fat = binary(*(entry(f"// {number}".encode(), PTX, number) for number in (52, 35, 80)), entry(b"code", ELF, 60))
    assert fatbin.best_ptx(fat, target) == f"// {best}"


@pytest.mark.parametrize("version, cuda", [("9.5", 13), ("8.7", 12), ("7.8", 11), ("6.5", 10)])
def test_the_ptx_says_which_cuda_compiled_a_program(version, cuda):
    assert fatbin.compiled_for(binary(entry(f".version {version}\n".encode()), entry(b"code", ELF, 60))) == cuda


@given(st.binary(max_size=200), st.integers(0, 200), st.sampled_from([0, LZ4, ZSTD]))
@settings(max_examples=300, deadline=None)
def test_no_damage_does_more_than_a_clear_error(noise, place, packing):
    if packing:
        pytest.importorskip("lz4" if packing == LZ4 else "zstandard")
    fat = bytearray(binary(entry(TEXT * 3, PTX, 50, packing), entry(b"code", ELF, 60)))
    fat[place:place + len(noise)] = noise
    try:
        list(fatbin.entries(bytes(fat)))
    except fatbin.FatbinError as error:
        assert str(error)


@pytest.mark.parametrize("nbytes", [0, 15, 16, 17, 40])
def test_code_that_was_cut_is_said_to_be(nbytes):
    with pytest.raises(fatbin.FatbinError):
        list(fatbin.entries(binary(entry(TEXT))[:nbytes]))


def test_a_length_that_would_take_all_memory_is_refused():
    with pytest.raises(fatbin.FatbinError, match="says that it has"):
        fatbin.total_bytes(struct.pack("<IHHQ", fatbin.MAGIC, 1, 16, 1 << 63))


@pytest.mark.parametrize("refuses, name", [(calls.refuses, "cudaMalloc"), (driver_calls.refuses, "cuMemAlloc_v2"), (driver_calls.refuses, "cuNonesuch")])
def test_a_function_is_refused_only_if_it_is_declared_and_not_answered(refuses, name):
    with pytest.raises(ValueError, match=name):
        refuses("it is a test", name)
    assert name == "cuNonesuch" or not CALLS[name].refused
