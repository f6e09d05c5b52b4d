"""CUDA C++ kernels that multiply matrices on the tensor units give numpy's answer, and are refused where there are none."""
import numpy as np
import pytest

from archdef import Device, registry
from archdef.errors import GuestFault, MissingFeature, UnsupportedInstruction
from archdef.frontends.nvrtc import toolchain

MATRIX = [name for name in registry.names() if "matrix_tiles" in registry.get(name).isa.features]
OTHERS = [name for name in registry.names() if "matrix" not in registry.get(name).isa.features]
pytestmark = pytest.mark.skipif(toolchain() is None, reason="no NVRTC: pip install archdef[cuda]")
HEADER = pytest.mark.skipif(not any((folder / "crt/mma.h").exists() for folder in getattr(toolchain(), "include", ())),
                            reason="no crt/mma.h: pip install archdef[ptxas]")

WMMA = """
#include <mma.h>
using namespace nvcuda;

// c = a b + c, one warp for each tile of 16 x 16; b lies by columns
__global__ void multiply(const half *a, const half *b, float *c, int n, int depth)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    float *tile = c + blockIdx.y * 16 * n + blockIdx.x * 16;
    wmma::load_matrix_sync(sum, tile, n, wmma::mem_row_major);
    for (int k = 0; k < depth; k += 16) {
        wmma::load_matrix_sync(left, a + blockIdx.y * 16 * depth + k, depth);
        wmma::load_matrix_sync(right, b + blockIdx.x * 16 * depth + k, depth);
        wmma::mma_sync(sum, left, right, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 2;
    wmma::store_matrix_sync(tile, sum, n, wmma::mem_row_major);
}

__global__ void bytes(const signed char *a, const signed char *b, int *c)
{
    __shared__ signed char left[256], right[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        left[i] = a[i];
        right[i] = b[i];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, -5);
    wmma::load_matrix_sync(x, left, 16);
    wmma::load_matrix_sync(y, right, 16);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}
"""

TILES = """
#include <cuda_fp16.h>

// a tile of 16 x 16 by one of 16 x 8, through shared memory: rows of 16 halves, padded against bank conflicts
__global__ void multiply(const half *a, const half *b, float *c, int rows_apart)
{
    extern __shared__ half tile[];
    half *left = tile, *right = tile + 16 * rows_apart;
    for (int i = threadIdx.x; i < 256; i += 32)
        left[i / 16 * rows_apart + i % 16] = a[i];
    for (int i = threadIdx.x; i < 128; i += 32)
        right[i / 8 * rows_apart + i % 8] = b[i];
    __syncwarp();
    int lane = threadIdx.x;
    unsigned x[4], y[2];
    float d[4] = {0, 0, 0, 0};
    unsigned place = __cvta_generic_to_shared(left + lane % 16 * rows_apart + lane / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(place));
    place = __cvta_generic_to_shared(right + lane % 16 * rows_apart);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(place));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
"""


@pytest.fixture
def random():
    return np.random.default_rng(2017)


@HEADER
@pytest.mark.parametrize("name", MATRIX)
def test_a_product_through_cuda_fragments_is_numpys(name, random):
    device = Device(name)
    a, b = random.integers(-9, 10, (32, 48)).astype("f2"), random.integers(-9, 10, (48, 64)).astype("f2")
    c = device.to_device(random.integers(-9, 10, (32, 64)).astype("f4"))
    expected = 2 * (a.astype("f4") @ b.astype("f4") + c.to_host())
    run = device.compile(WMMA).multiply[(4, 2), 32](device.to_device(a), device.to_device(np.ascontiguousarray(b.T)), c, 64, 48)
    np.testing.assert_array_equal(c.to_host(), expected)
    each = registry.get(name).isa.cost("matrix_f16_m16n8k16", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").issues
    assert sum(s.counters.totals()["instructions"] for s in run.statements if s.text.startswith("wmma.mma")) == 8 * 3 * 2 * each


@HEADER
@pytest.mark.parametrize("name", MATRIX)
def test_a_product_of_bytes_from_shared_memory_is_numpys(name, random):
    device = Device(name)
    a, b = (random.integers(-128, 128, (16, 16)).astype("i1") for _ in range(2))
    c = device.zeros((16, 16), "i4")
    device.compile(WMMA).bytes[1, 32](device.to_device(a), device.to_device(b), c)
    np.testing.assert_array_equal(c.to_host().T, a.astype("i4") @ b.astype("i4") - 5)


@pytest.mark.parametrize("name", [name for name in MATRIX if "matrix_tall" in registry.get(name).isa.features])
@pytest.mark.parametrize("rows_apart, passes", [(16, 4 * 2 + 2 * 2), (24, 4 + 2), (64, 4 * 8 + 2 * 8)])
def test_tiles_from_shared_memory_conflict_as_their_rows_lie(name, rows_apart, passes, random):
    device = Device(name)
    a, b = random.integers(-9, 10, (16, 16)).astype("f2"), random.integers(-9, 10, (16, 8)).astype("f2")
    c = device.zeros((16, 8))
    kernel = device.compile(TILES).multiply[1, 32, 2 * 32 * rows_apart]
    run = kernel(device.to_device(a), device.to_device(b), c, rows_apart)
    np.testing.assert_array_equal(c.to_host(), a.astype("f4") @ b.astype("f4"))
    assert sum(s.counters.totals()["shared_load_passes"] for s in run.statements if s.text.startswith("ldmatrix")) == passes


@HEADER
@pytest.mark.parametrize("name", MATRIX)
def test_part_of_a_warp_is_a_fault(name):
    device = Device(name)
    a = device.zeros(256, "i1")
    with pytest.raises(GuestFault, match="instruction of a whole warp that 12 of its 32 lanes do not execute"):
        device.compile(WMMA).bytes[1, 20](a, a, device.zeros(256, "i4"))


@pytest.mark.parametrize("name", OTHERS)
def test_machines_without_matrix_units_refuse(name):
    device = Device(name)
    text = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<20>; .reg .b64 %d<2>;
    ld.param.u64 %d0, [out];
    wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0];
    ret;
}
"""
    with pytest.raises((MissingFeature, UnsupportedInstruction), match=rf"`wmma\.load\.a.*{device.architecture.name}"):
        device.compile(text).k[1, 32](device.zeros(256))
