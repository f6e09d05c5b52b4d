"""Device properties, attributes and occupancy, against what hardware says of itself."""
import csv
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import RuntimeApiError
from archdef.frontends import nvrtc
from archdef.runtime import cuda, maca
from archdef.run.properties import ATTRIBUTES

NOT_SIMULATED = {"CanMapHostMemory", "HostNumaId", "ManagedMemory", "StreamPrioritiesSupported"}
with (Path(__file__).parents[1] / "data" / "h100" / "host.csv").open() as _file:
    MEASURED = {int(r[2]): int(float(r[3])) for r in csv.reader(_file) if r[0] == "attribute"}
needs_nvrtc = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
SHARED = "__global__ void k(float *x) { __shared__ float s[1024]; s[threadIdx.x % 1024] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[0]; }"
DYNAMIC = "__global__ void k(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[0]; }"


EXTENTS = {name for name in ATTRIBUTES if name.startswith(("MaxTexture", "MaxSurface"))}


@pytest.mark.parametrize("name", sorted(EXTENTS))
def test_extents_of_textures_are_limited_by_memory_alone(name):
    cuda.use("h100", "g80")
    assert cuda.cudaDeviceGetAttribute(f"cudaDevAttr{name}", 0) >= MEASURED[ATTRIBUTES[name][0]] - 1
    without = "Surface" in name or any(word in name for word in ("Layered", "Cubemap", "Gather"))      # came with compute capability 2.0
    assert (cuda.cudaDeviceGetAttribute(f"cudaDevAttr{name}", 1) == 0) == without


@pytest.mark.parametrize("name", sorted(set(ATTRIBUTES) - NOT_SIMULATED - EXTENTS))
def test_the_h100s_attributes_are_what_the_card_says(name):
    cuda.use("h100")
    number, _ = ATTRIBUTES[name]
    value = cuda.cudaDeviceGetAttribute(number, 0)
    # limits of the plugin that are known to differ: error correction does not cost bandwidth there, so it is not declared; pools are shared with nobody
    assert value == MEASURED[number] or name in ("EccEnabled", "MaxThreadsPerMultiProcessor", "MemoryPoolSupportedHandleTypes") and value <= MEASURED[number]
    assert cuda.cudaDeviceGetAttribute(f"cudaDevAttr{name}") == value == cuda.cudaDeviceGetAttribute(getattr(cuda, f"cudaDevAttr{name}"))


def test_an_unknown_attribute_is_an_invalid_value():
    cuda.use("h100")
    for attribute in (12345, "cudaDevAttrShoeSize"):
        with pytest.raises(RuntimeApiError, match="cudaErrorInvalidValue"):
            cuda.cudaDeviceGetAttribute(attribute, 0)


def test_features_follow_the_description():
    cuda.use("g80", "gt200", "gf100", "m2070", "k40", "v100", "h100")
    every = [cuda.cudaGetDeviceProperties(n) for n in range(7)]
    assert [p.asyncEngineCount for p in every] == [0, 1, 1, 2, 2, 4, 3]
    assert [p.deviceOverlap for p in every] == [0, 1, 1, 1, 1, 1, 1]
    assert [p.concurrentKernels for p in every] == [0, 0, 1, 1, 1, 1, 1]
    assert [p.cooperativeLaunch for p in every] == [0, 0, 0, 0, 0, 1, 1]
    assert [p.singleToDoublePrecisionPerfRatio for p in every] == [0, 8, 8, 2, 3, 2, 2]
    assert [(p.major, p.minor) for p in every] == [(1, 0), (1, 3), (2, 0), (2, 0), (3, 5), (7, 0), (9, 0)]


def test_waves_of_64_lanes_are_described_in_the_other_vocabulary():
    maca.use("c500")
    properties = maca.mcGetDeviceProperties(0)
    assert properties.waveSize == properties.warpSize == 64
    assert properties.maxThreadsPerMultiProcessor // properties.waveSize == 32
    assert properties.sharedMemPerBlock == 64 << 10
    assert "waveSize" in repr(properties)


@needs_nvrtc
@pytest.mark.parametrize("threads, waves", [(64, 32), (256, 32), (192, 30), (1024, 32)])
def test_wave_occupancy_comes_out_of_the_api(threads, waves):
    device, = maca.use("c500")
    kernel = device.compile("__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }").k
    properties = maca.mcGetDeviceProperties(0)
    blocks = maca.mcOccupancyMaxActiveBlocksPerMultiprocessor(kernel, threads, 0)
    active = blocks * -(-threads // properties.waveSize)
    assert active == waves
    expected = archdef.occupancy("c500", threads=threads, registers=kernel.registers).occupancy
    assert active / (properties.maxThreadsPerMultiProcessor / properties.waveSize) == expected


@needs_nvrtc
@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("source", [SHARED, DYNAMIC])
def test_the_potential_block_size_is_the_largest_of_those_with_most_threads(name, source):
    device, = cuda.use(name)
    kernel, limits, warp = device.compile(source).k, device.architecture.limits, device.architecture.warp.size

    def threads(block):
        return block * cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, block, 4 * block)
    grid, block = cuda.cudaOccupancyMaxPotentialBlockSizeVariableSMem(kernel, lambda size: 4 * size)
    best = max(threads(b) for b in range(warp, limits.threads_per_block + 1, warp))
    assert threads(block) == best
    assert all(threads(b) < best for b in range(block + warp, limits.threads_per_block + 1, warp))
    assert grid == threads(block) // block * device.architecture.chip.multiprocessors


@needs_nvrtc
def test_the_potential_block_size_keeps_the_callers_and_the_kernels_limits():
    device, = cuda.use("k40")
    plain = device.compile("__global__ void k(float *x) { x[threadIdx.x] = 1; }").k
    bound = device.compile("__global__ void __launch_bounds__(96) k(float *x) { x[threadIdx.x] = 1; }").k
    assert cuda.cudaOccupancyMaxPotentialBlockSize(plain, 0, 200)[1] <= 200
    assert cuda.cudaOccupancyMaxPotentialBlockSize(bound)[1] <= 96
    assert cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(bound, 128) == 0
    assert cuda.cudaFuncGetAttributes(bound)["maxThreadsPerBlock"] == 96


@needs_nvrtc
def test_a_block_that_fits_nowhere_counts_no_blocks():
    device, = cuda.use("k40")
    kernel = device.compile(DYNAMIC).k
    assert cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 256, 64 << 10) == 0
    with pytest.raises(RuntimeApiError, match="cudaErrorInvalidValue"):
        cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 0)


@pytest.mark.parametrize("machine", ["gt200", "gf100", "k40", "v100", "c500"])
def test_the_largest_block_is_what_a_kernels_registers_allow(machine):
    device, = cuda.use(machine)
    limits, warp = device.architecture.limits, device.architecture.warp.size
    many = min(100, limits.registers_per_thread - 8)
    loads = "".join(f"ld.volatile.global.u32 %r{k}, [%rd1+{4 * k}];\n" for k in range(many))
    sums = "".join(f"add.u32 %r0, %r0, %r{k};\n" for k in range(1, many))
    kernel = device.compile(f".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) {{ .reg .u32 %r<{many}>; .reg .u64 %rd<2>;\n"
                            f"ld.param.u64 %rd1, [p];\n{loads}{sums}st.global.u32 [%rd1], %r0; ret; }}").k
    largest = cuda.cudaFuncGetAttributes(kernel)["maxThreadsPerBlock"]
    there = cuda.cudaMalloc(4 * many)
    cuda.cudaLaunchKernel(kernel, 1, largest, [there])
    cuda.cudaDeviceSynchronize()
    assert largest == limits.threads_per_block or cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, largest + warp) == 0


def test_memory_is_set_to_values_of_several_bytes():
    cuda.use("gf100")
    there = cuda.cudaMalloc(32)
    cuda.cudaMemsetAsync(there, 0x12345678, 16, None, 4)
    cuda.cudaMemsetAsync(there + 16, 0x2345, 16, None, 2)
    back = np.empty(32, "u1")
    cuda.cudaMemcpy(back, there)
    assert (back[:16].view("<u4") == 0x12345678).all() and (back[16:].view("<u2") == 0x2345).all()
    for count, width in ((6, 4), (8, 3)):
        with pytest.raises(RuntimeApiError, match="InvalidValue"):
            cuda.cudaMemsetAsync(there, 1, count, None, width)
