"""Kernels run on every installed architecture through the public interface."""
import json

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import (BudgetExceeded, CompileError, DeviceMemoryError, GuestFault, Interrupted, LaunchError, PtxError)
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SOURCE = """
struct Pair { int scale; float offset; double unused; };
__constant__ int table[4] = {10, 20, 30, 40};
__device__ int counter = 5;
__device__ int *where = &counter;

__global__ void add(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void affine(float *out, Pair pair)
{
    out[threadIdx.x] = pair.scale * (int)threadIdx.x + pair.offset;
}

__global__ void globals(int *out)
{
    out[threadIdx.x] = table[threadIdx.x % 4] + *where;
    __syncthreads();
    if (threadIdx.x == 0)
        counter += 1;
}

__global__ void reversed(int *out)
{
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void outside(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x == 3)
        out[1 << 28] = 1;
}

__global__ void forever(int *out)
{
    out[0] = 1;
    while (true)
        ((volatile int *)out)[1] += 1;
}
"""


@pytest.fixture(scope="module", params=registry.names())
def device(request):
    return archdef.Device(request.param)


@pytest.fixture(scope="module")
def module(device):
    return device.compile(SOURCE)


def add(device, module, n=1000, threads=200):
    """Launch the vector addition."""
    a, b = np.arange(n, dtype="f4"), np.full(n, 0.5, "f4")
    out = device.zeros(n)
    run = module.add[-(-n // threads), threads](out, device.to_device(a), device.to_device(b), n)
    return out.to_host(), a + b, run


def test_a_kernel_gives_numpys_answer(device, module):
    out, expected, run = add(device, module)
    np.testing.assert_array_equal(out, expected)
    assert run.cycles > 0 and run.elapsed_s > 0


def test_the_same_launch_takes_the_same_cycles_on_a_fresh_device(device):
    first, second = (add(d, d.compile(SOURCE))[2] for d in (archdef.Device(device.architecture),
                                                            archdef.Device(device.architecture)))
    assert first.to_dict() == second.to_dict()


def test_lanes_are_launched_in_whole_warps(device, module):
    run = add(device, module, 1000, 200)[2]
    size = device.architecture.warp.size
    assert run.counters.threads == 1000
    assert run.counters.warps == 5 * -(-200 // size)
    assert run.counters.lanes_launched == run.counters.warps * size


def test_every_cycle_of_every_warp_has_one_cause(device, module):
    counters = add(device, module)[2].counters
    assert sum(counters.stalls.values()) == counters.multiprocessor["warp_cycles"].sum()


def test_lines_and_statements_share_out_the_whole(device, module):
    run = add(device, module)[2]
    for costs in (run.lines, run.statements):
        assert sum(cost.share for cost in costs) == pytest.approx(1)
        assert sum(cost.counters.instructions for cost in costs) == run.counters.instructions
    (line,) = (line for line in run.lines if line.text == "out[i] = a[i] + b[i];")
    assert line.file == "source.cu" and line.counters.global_loads > 0 and line.counters.global_stores > 0


def test_bytes_asked_for_are_those_of_the_threads(device, module):
    counters = add(device, module, 1000)[2].counters
    assert counters.global_load_bytes_asked == 2 * 4 * 1000 and counters.global_store_bytes_asked == 4 * 1000


def test_a_run_prints_as_a_table_that_fits(device, module, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    printed = str(add(device, module)[2])
    assert "add" in printed and device.architecture.name in printed and "out[i] = a[i] + b[i];" in printed
    assert max(map(len, printed.splitlines())) <= 120


def test_a_run_is_plain_data_on_request(device, module):
    assert json.loads(json.dumps(add(device, module)[2].to_dict()))["kernel"] == "add"


@pytest.mark.parametrize("per", ["run", "line", "statement", "partition"])
def test_a_run_converts_to_pandas(device, module, per):
    pytest.importorskip("pandas")
    assert len(add(device, module)[2].to_pandas(per)) > 0


def test_a_structure_is_passed_by_value(device, module):
    out = device.zeros(8)
    module.affine[1, 8](out, np.array((3, 0.5, 0.0), [("scale", "i4"), ("offset", "f4"), ("unused", "f8")])[()])
    np.testing.assert_array_equal(out.to_host(), 3 * np.arange(8) + np.float32(0.5))


def test_module_variables_are_initialised_relocated_and_kept_between_launches(device):
    module = device.compile(SOURCE)
    for launch in range(2):
        out = device.zeros(8, "i4")
        module.globals[1, 8](out)
        np.testing.assert_array_equal(out.to_host(), np.array([10, 20, 30, 40] * 2) + 5 + launch)


def test_dynamic_shared_memory_is_the_third_part_of_the_configuration(device, module):
    out = device.zeros(64, "i4")
    run = module.reversed[1, 64, 256](out)
    np.testing.assert_array_equal(out.to_host(), np.arange(64)[::-1])
    assert run.shared_bytes == module.reversed.shared_bytes + 256


# ------------------------------------------------------------------------------------------------------------ refusals
@pytest.mark.parametrize("grid, block, shared, limit", [
    (1, (1, 1, 10_000), 0, "block_dimensions.z"), ((1, 1 << 40), 1, 0, "grid_dimensions.y"),
    (1, (64, 64), 0, "threads_per_block"),
    (1, 64, 1 << 24, "shared_bytes_per_block")])
def test_a_launch_outside_the_limits_names_limit_value_and_machine(device, module, grid, block, shared, limit):
    with pytest.raises(LaunchError) as refused:
        module.reversed[grid, block, shared](device.zeros(64, "i4"))
    assert f"limits.{limit} is " in str(refused.value) and device.architecture.name in str(refused.value)


def test_parameters_of_as_many_bytes_as_the_machine_takes_are_passed(device):
    most, ptx = device.architecture.limits.parameter_bytes, """.version 8.1
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .align 4 .b8 rest[{bytes}])
{{ .reg .b64 %d<2>; .reg .b32 %r; ld.param.u64 %d0, [out]; ld.param.u32 %r, [rest+{last}]; st.global.u32 [%d0], %r; ret; }}"""
    for extra in (0, 4):
        data, out = np.arange((most - 8 + extra) // 4, dtype="i4"), device.zeros(1, "i4")
        launch = device.compile(ptx.format(bytes=data.nbytes, last=data.nbytes - 4)).k[1, 1]
        if not extra:
            launch(out, data.tobytes())
            assert out.to_host()[0] == len(data) - 1
            continue
        with pytest.raises(LaunchError, match=f"limits.parameter_bytes is {most}, got {most + 4}"):
            launch(out, data.tobytes())


@pytest.mark.parametrize("configuration", [(0, 1), (1, -1), (1.5, 1), ("a", 1), ((1, 1, 1, 1), 1), ((), 1), (1, 1, -4),
                                           (1, 1, "4")])
def test_a_configuration_that_is_none_is_refused(module, configuration):
    with pytest.raises(LaunchError, match="of add (in bytes )?must be"):
        module.add[configuration]


def test_a_kernel_too_long_for_the_machine_is_refused(device):
    short = archdef.Device(device.architecture.evolve({"limits.kernel_instructions": 3}))
    with pytest.raises(PtxError, match=r"instructions; .* takes kernels of at most 3 instructions \(limits.kernel_instructions\)"):
        short.compile(SOURCE).add[1, 1](0, 0, 0, 0)


def test_arguments_are_counted(module):
    with pytest.raises(LaunchError, match=r"add takes 4 arguments \(float \*out, const float \*a, const float \*b, int n\), got 1"):
        module.add[1, 1](0)


def test_an_unknown_kernel_is_an_attribute_error_with_the_nearest_name(module):
    with pytest.raises(AttributeError, match=r"has no kernel 'ad' \(did you mean add\?\)"):
        _ = module.ad
    assert not hasattr(module, "subtract")


def test_a_kernel_without_a_configuration_says_what_is_missing(module):
    with pytest.raises(LaunchError, match=r"add needs a launch configuration"):
        module.add(1)


@pytest.mark.parametrize("ptx, error", [
    (".version 7.8\n.target sm_35\n.address_size 64\n.visible .entry f()\n{\n    frobnicate.u32 %r1;\n}\n", PtxError),
    ("__global__ void f() { nothing }\n", CompileError)])
def test_a_source_that_is_wrong_is_refused_with_its_place(device, ptx, error):
    with pytest.raises(error, match=r"6|\(1\)"):
        device.compile(ptx).f[1, 1]()


def test_a_fault_names_the_place_and_leaves_memory_readable(device, module):
    out = device.zeros(64, "i4")
    with pytest.raises(GuestFault, match="outside"):
        module.outside[1, 64](out)
    assert out.to_host().shape == (64,)


def test_a_kernel_that_never_ends_runs_into_its_budget(device, module):
    out = device.zeros(64, "i4")
    with pytest.raises(BudgetExceeded):
        module.forever[1, 1].launch(out, max_instructions=10_000)
    with pytest.raises(BudgetExceeded):
        module.forever[1, 1].launch(out, max_cycles=100_000)
    assert out.to_host()[0] == 1


def test_more_memory_than_the_device_has_is_refused(device):
    with pytest.raises(DeviceMemoryError):
        device.empty(1 << 50, "u1")


def test_ctrl_c_gives_what_was_counted_until_then_and_leaves_the_device_whole(device, module, monkeypatch):
    from archdef.engine import core

    whole = add(device, module)[2]

    class Stopped(core.Session):
        def advance(self, milliseconds):
            super().advance(1000, until_cycle=whole.cycles // 2)
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(Interrupted, match="add on .* was interrupted at cycle [0-9,]+, after [0-5] of 5 blocks") as stopped:
        patched.setattr(core, "Session", Stopped)
        add(device, module)
    run = stopped.value.run
    assert run.cycles == whole.cycles // 2 and 0 < run.counters.totals()["instructions"] <= whole.counters.totals()["instructions"]
    assert str(run).startswith(f"Interrupted at cycle {run.cycles:,}, after") and run.to_dict()["interrupted"] == run.interrupted and not whole.interrupted
    result, expected, again = add(device, module)
    assert np.array_equal(result, expected) and not again.interrupted
