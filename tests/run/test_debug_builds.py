"""Does code compiled for debugging (-G) execute as it is written: every branch, and the same results?"""
import json
from pathlib import Path

import attrs
import numpy as np
import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import main
from archdef.examples.workload import SHIPPED, load
from archdef.frontends import nvrtc
from archdef.lower.encoding import Flag, Kind
from archdef.examples.comparison import compare

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
SOURCE = Path(__file__).parents[2] / "docs" / "examples" / "simple_divergence.cu"
SIZES = {"divergence": 2048, "matmul": 64, "reduction": 1 << 12, "transpose": 64, "vector_add": 1 << 12}
JOINS = [name for name in registry.names() if registry.get(name).isa.assembler.joins_by_branch]
KERNELS = ("even_odd", "by_warp", "two_ifs", "predicated")


MATH_KERNELS = """
#define HEAD int tid = blockIdx.x * blockDim.x + threadIdx.x; float a = 0.0f, b = 0.0f;
__global__ void mathKernel1(float *c) { HEAD if (tid % 2 == 0) { a = 100.0f; } else { b = 200.0f; } c[tid] = a + b; }
__global__ void mathKernel2(float *c) { HEAD if ((tid / warpSize) % 2 == 0) { a = 100.0f; } else { b = 200.0f; } c[tid] = a + b; }
__global__ void mathKernel3(float *c) { HEAD bool even = tid % 2 == 0; if (even) { a = 100.0f; } if (!even) { b = 200.0f; } c[tid] = a + b; }
__global__ void mathKernel4(float *c) { HEAD int itid = tid >> 5; if (itid & 0x01 == 0) { a = 100.0f; } else { b = 200.0f; } c[tid] = a + b; }
__global__ void kept(float *c) { HEAD bool even = tid % 2 == 0; if (even) { a = 100.0f; } else { b = 200.0f; } c[tid] = a + b; }
"""
COUNTED = {"mathKernel1": (12, 2), "mathKernel2": (11, 0), "mathKernel3": (16, 0), "mathKernel4": (6, 0), "kept": (12, 2)}
"""Branches, and those that divide a warp: Professional CUDA C Programming 3.2 by nvprof on a Quadro P2000; `kept` is mathKernel3 of the notes in
Bartonzany/EdgeComputingCV (chapter 3 of the same book), counted on a GeForce GTX 1060 as mathKernel1 and 2 with the same figures."""


def runs(name, **options):
    device = archdef.Device(name)
    module, out = device.compile(SOURCE, **options), device.zeros((2 * device.architecture.warp.size,), "f4")
    found = {}
    for kernel in KERNELS:
        found[kernel] = module[kernel][1, out.shape[0]](out)
        assert set(out.to_host().tolist()) == {100.0, 200.0}
    return found


@pytest.mark.parametrize("name", JOINS)
@pytest.mark.parametrize("kernel", COUNTED)
def test_branches_are_those_that_nvprof_counts(kernel, name):
    device = archdef.Device(name)
    out = device.zeros((64,), "f4")
    metrics = device.compile(MATH_KERNELS, debug=True)[kernel][1, 64](out).metrics
    assert (metrics["branch"], metrics["divergent_branch"]) == COUNTED[kernel]
    assert set(out.to_host().tolist()) <= {100.0, 200.0}
    if kernel == "mathKernel1":
        assert round(metrics["branch_efficiency"], 2) == 83.33


@pytest.mark.parametrize("name", JOINS)
@pytest.mark.parametrize("sign, joins", [("none negative", 1), ("some negative", 2), ("all negative", 2)])
def test_quotients_are_negated_by_a_branch_where_a_lane_has_a_negative_one(sign, joins, name):
    """Machine code of ptxas 11.8 for sm_61: `@P0 SYNC`, the negation, `SYNC`; nothing for unsigned ones."""
    device = archdef.Device(name)
    module = device.compile("""
        __global__ void divide(int *o, const int *a, const int *b) { int i = threadIdx.x; o[i] = a[i] / b[i]; }
        __global__ void rest(int *o, const int *a, const int *b) { int i = threadIdx.x; o[i] = a[i] % b[i]; }
        __global__ void unsigned_divide(unsigned *o, const unsigned *a, const unsigned *b) { int i = threadIdx.x; o[i] = a[i] / b[i]; }
        __global__ void unsigned_rest(unsigned *o, const unsigned *a, const unsigned *b) { int i = threadIdx.x; o[i] = a[i] % b[i]; }
        __global__ void copy(int *o, const int *a, const int *b) { int i = threadIdx.x; o[i] = a[i] + b[i]; }""", debug=True)
    a = np.arange(32, dtype=np.int32) * 3 + 1
    a[{"none negative": [], "some negative": [3, 8, 31], "all negative": range(32)}[sign]] *= -1
    b = np.full(32, 7, np.int32)
    out, ran = device.zeros((32,), "i4"), {}
    for kernel in ("copy", "divide", "rest", "unsigned_divide", "unsigned_rest"):
        ran[kernel] = module[kernel][1, 32](out, device.to_device(a), device.to_device(b)).metrics["branch"]
        if kernel == "divide":
            assert out.to_host().tolist() == np.trunc(a / b).astype("i4").tolist()
        if kernel == "rest":
            assert out.to_host().tolist() == np.fmod(a, b).tolist()
    assert ran == {"copy": 1, "divide": 1 + joins, "rest": 1 + joins, "unsigned_divide": 1, "unsigned_rest": 1}


REDUCE = """
__global__ void reduce0(float *in, float *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    float *data = in + blockIdx.x * blockDim.x;
    if (blockIdx.x * blockDim.x + tid >= n) return;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0) data[tid] += data[tid + stride];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}"""


@pytest.mark.parametrize("name", JOINS)
def test_an_optimised_reduction_makes_the_branches_that_a_geforce_gtx_1060_counted(name):
    """nvprof: 26,214,400 branches of 1,048,576 warps, none divergent. Two guarded ends a warp and a third in one of eight, the branch around the loop, and
    each of eight trips a guarded join, a join where a lane adds (47 of 64 trips of a block's warps) and the branch back."""
    device = archdef.Device(name)
    values, out = np.arange(1024, dtype=np.float32), device.zeros((4,), "f4")
    metrics = device.compile(REDUCE).reduce0[4, 256](device.to_device(values), out, values.size).metrics
    assert out.to_host().tolist() == values.reshape(4, 256).sum(1).tolist()
    assert metrics["branch"] == 4 * 8 * 26_214_400 / 1_048_576 and metrics["divergent_branch"] == 0


@pytest.mark.parametrize("name", JOINS)
def test_each_group_of_lanes_that_leaves_a_loop_joins_for_itself(name):
    device = archdef.Device(name)
    module = device.compile("""__global__ void turns(int *o, const int *n) {
        int left = n[threadIdx.x], sum = 0;
        #pragma unroll 1
        do { sum = sum * 5 ^ left; sum = sum * 7 ^ o[sum & 31]; } while (--left > 0);
        o[threadIdx.x + 32] = sum; }""")
    out = device.zeros((64,), "i4")
    for turns, groups in ((np.full(32, 4), 1), (np.arange(32) // 8 + 1, 4), (np.arange(32) % 4 + 1, 4)):
        metrics = module.turns[1, 32](out, device.to_device(turns.astype("i4"))).metrics
        assert metrics["branch"] == 4 + groups + 1         # back, or on; the joins; the end


DIVISIONS_IN_PLACE = """.version 7.8
.target sm_35
.address_size 64
.visible .entry k(.param .u64 out) { .reg .b16 %h<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; ld.global.s32 %r2, [%rd1]; cvt.s16.s32 %h1, %r2; mov.u16 %h2, 5;
    rem.s32 %r2, %r2, 5; div.s16 %h1, %h1, %h2; rem.s16 %h2, %h1, %h2; cvt.s32.s16 %r3, %h2; mad.lo.s32 %r2, %r3, 100, %r2; st.global.s32 [%rd1], %r2; ret; }
"""


@pytest.mark.parametrize("name", JOINS)
def test_a_quotient_may_replace_its_dividend(name):
    device = archdef.Device(name)
    values = np.array([23, -23] * 16, np.int32)
    out = device.to_device(values)
    metrics = device.compile(DIVISIONS_IN_PLACE, debug=True).k[1, 32](out).metrics
    assert out.to_host().tolist() == [403, -403] * 16
    assert (metrics["branch"], metrics["divergent_branch"]) == (7, 0)


@pytest.mark.parametrize("name", registry.names())
def test_ends_count_as_branches_where_the_machine_counts_them(name):
    """And nowhere else: 25 branches a warp of an optimised reduction on a GeForce GTX 1060 count guarded ends, taken or not."""
    device = archdef.Device(name)
    module = device.compile("__global__ void k(int *o, int n) { if (threadIdx.x >= n) return; o[threadIdx.x] = 1; }")
    lanes = device.architecture.warp.size
    out = device.zeros((2 * lanes,), "i4")
    for n, ends in ((lanes, 3), (2 * lanes, 4), (2 * lanes - 1, 4)):
        metrics = module.k[1, 2 * lanes](out, n).metrics
        assert (metrics["branch"], metrics["divergent_branch"]) == (ends if device.architecture.isa.exits_count_as_branches else 0, 0)


@pytest.mark.parametrize("name", registry.names())
def test_no_branch_is_predicated_away_and_not_every_one_divides(name):
    plain, debug = runs(name), runs(name, debug=True)
    for kernel in KERNELS:
        program, metrics = debug[kernel].program, debug[kernel].metrics
        assert not (program.ops["flags"][program.ops["kind"] != Kind.LOAD] & Flag.PREDICATED).any()
        assert metrics["branch"] >= 4 and metrics["branch_efficiency"] > 50
        assert debug[kernel].counters.instructions > plain[kernel].counters.instructions
    assert debug["even_odd"].metrics["divergent_branch"] == 2 and debug["by_warp"].metrics["divergent_branch"] == 0


@pytest.mark.parametrize("name", ["m2070", "k40", "p2000", "v100", "h100", "c500"])
@pytest.mark.parametrize("workload", SHIPPED)
def test_workloads_give_the_same_results(workload, name):
    recipe = load(workload)
    made = compare(attrs.evolve(recipe, options={**recipe.options, "debug": True}), [registry.get(name)], SIZES[workload])
    plain = compare(recipe, [registry.get(name)], SIZES[workload])
    assert [(row.case.kernel, row.correct, row.error) for row in made.rows] == [(row.case.kernel, row.correct, row.error) for row in plain.rows]


def test_ptx_and_lists_of_sources_take_it_too():
    device = archdef.Device("p2000")
    text = device.compile(SOURCE, debug=True).compiled.ptx
    assert ", debug" in text
    out = device.zeros((64,), "f4")
    assert device.compile(text, debug=True).even_odd[1, 64](out).metrics["branch"] == 12
    assert device.compile([SOURCE, "__global__ void other() {}"], debug=True).even_odd[1, 64](out).metrics["branch"] == 12
    assert device.compile(text).even_odd[1, 64](out).metrics["branch"] < 12


@pytest.mark.parametrize("flag", ["-G", "--device-debug"])
def test_the_command_line_has_it(flag):
    ran = CliRunner().invoke(main, ["run", str(SOURCE), "even_odd", "-a", "p2000", "--grid", "1", "--block", "64", "--arg", "f4[64]", flag, "--json"])
    assert ran.exit_code == 0, ran.output
    (data,) = json.loads(ran.output)
    assert data["metrics"]["branch"] == 12
    listed = CliRunner().invoke(main, ["resources", str(SOURCE), "-a", "p2000", flag])
    assert listed.exit_code == 0
    plain, debug = (CliRunner().invoke(main, ["compare", "divergence", "-a", "p2000", "-n", "2048", *more, "--json"]) for more in ((), (flag,)))
    assert plain.exit_code == debug.exit_code == 0 and plain.output != debug.output
