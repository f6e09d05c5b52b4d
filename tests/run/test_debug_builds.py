"""Does code compiled for debugging (-G) execute as it is written: every branch, and the same results?"""
import json
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import main
from archdef.examples.workload import SHIPPED, load
from archdef.frontends import nvrtc
from archdef.lower.encoding import Flag, Kind
from archdef.report.comparison import compare

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
SOURCE = Path(__file__).parents[2] / "docs" / "examples" / "simple_divergence.cu"
SIZES = {"divergence": 2048, "matmul": 64, "reduction": 1 << 12, "transpose": 64, "vector_add": 1 << 12}
JOINS = [name for name in registry.names() if registry.get(name).isa.assembler.debug_joins_by_branch]
KERNELS = ("even_odd", "by_warp", "two_ifs", "predicated")


def runs(name, **options):
    device = archdef.Device(name)
    module, out = device.compile(SOURCE, **options), device.zeros((2 * device.architecture.warp.size,), "f4")
    found = {}
    for kernel in KERNELS:
        found[kernel] = module[kernel][1, out.shape[0]](out)
        assert set(out.to_host().tolist()) == {100.0, 200.0}
    return found


@pytest.mark.parametrize("name", JOINS)
def test_branches_are_those_that_nvprof_counts(name):
    """Professional CUDA C Programming 3.2 and nvprof on a Quadro P2000: 12 and 2, 11 and 0, 16 and 0 (mathKernel1 to 3)."""
    counted = {kernel: (run.metrics["branch"], run.metrics["divergent_branch"]) for kernel, run in runs(name, debug=True).items()}
    assert counted["even_odd"] == (12, 2) and counted["predicated"] == (16, 0)
    assert counted["by_warp"] == (13, 0)       # DEVIATIONS P9: corrections that a whole warp leaves out


@pytest.mark.parametrize("name", JOINS)
def test_a_condition_that_is_always_false_is_branched_on_as_nvcc_does(name):
    """mathKernel4 of the same text, whose compiler made three branches for each warp; nvcc 13.0 and NVRTC 11.8 make two, one to the arm and one at its end."""
    source = """__global__ void k(float *c) { int tid = blockIdx.x * blockDim.x + threadIdx.x; float ia, ib; ia = ib = 0.0f; int itid = tid >> 5;
        if (itid & 0x01 == 0) { ia = 100.0f; } else { ib = 200.0f; } c[tid] = ia + ib; }"""
    device = archdef.Device(name)
    out = device.zeros((64,), "f4")
    metrics = device.compile(source, debug=True).k[1, 64](out).metrics
    assert (metrics["branch"], metrics["divergent_branch"]) == (4, 0) and (out.to_host() == 200).all()


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
