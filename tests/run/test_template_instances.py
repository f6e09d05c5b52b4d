"""Instances of templates become kernels by their names, as name expressions of NVRTC do."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import CompileError, LaunchError
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]
SOURCE = """
#include <stdio.h>
__device__ int counter = 5; __constant__ int taps[2]; static __device__ int hidden = 100;
template <unsigned int SIZE> __global__ void unrolled(int *out)
{
    __shared__ int part[SIZE];
    part[threadIdx.x % SIZE] = SIZE + counter;
    __syncthreads();
    out[threadIdx.x] = part[0] + taps[1];
    if (threadIdx.x == 0) { atomicAdd(&counter, 1); hidden += SIZE; printf("size %d\\n", SIZE); }
}
namespace ns {
struct Pair { short a, b; };
template <typename T, int N = 3> __global__ void fill(T *out) { out[threadIdx.x] = (T)N / 2; }
template <typename T> __global__ void size(int *out) { out[threadIdx.x] = sizeof(T); }
}
template <int N> __device__ __noinline__ int twice(int x) { return N * x; }
template <int N, bool B> __global__ void calls(int *out) { out[threadIdx.x] = twice<N>(threadIdx.x) + B; }
__global__ void plain(int *out) { out[threadIdx.x] = hidden; }
"""


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


def device(**arguments):
    """Give a device that has what the source needs."""
    wanted = {"device_calls", "atomics_global"}
    found = next((name for name in registry.names() if wanted <= registry.get(name).isa.features), None)
    return archdef.Device(found, **arguments) if found else pytest.skip(f"no installed architecture has {wanted}")


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("expression, dtype, wanted", [("ns::fill<float, 4>", "f4", 2), ("ns::fill<double,5>", "f8", 2.5), ("ns::fill<float>", "f4", 1.5)])
def test_an_instance_is_made_when_it_is_asked_for(name, expression, dtype, wanted):
    if dtype == "f8" and "fp64" not in registry.get(name).isa.features:
        pytest.skip(f"{name} has no double precision")
    machine = archdef.Device(name)
    out = machine.zeros(32, dtype)
    source = SOURCE[SOURCE.index("namespace ns"):SOURCE.index("template <int N> __device__")]
    run = machine.compile(source)[expression][1, 32](out)
    assert out.to_host().tolist() == [wanted] * 32 and run.kernel == expression


def test_instances_share_the_variables_of_the_module():
    machine = device()
    module, out = machine.compile(SOURCE), machine.zeros(32, "i4")
    module.symbols["taps"].copy_from_host(np.array([0, 7], "i4"))
    for k, size in enumerate((16, 8, 32)):
        run = module[f"unrolled<{size}>"][1, 32](out)
        assert out.to_host()[0] == size + 5 + k + 7 and run.printed == f"size {size}\n"
    module.plain[1, 32](out)
    assert out.to_host()[3] == 100 + 16 + 8 + 32
    assert module.symbols["counter"].to_host() == 8
    module["unrolled<16>"][1, 32](out)
    assert out.to_host()[0] == 16 + 8 + 7


def test_code_listings_and_registers_follow():
    machine = device()
    module, out = machine.compile(SOURCE), machine.zeros(32, "i4")
    before = module.plain[1, 32](out)
    run = module["calls<3, true>"][1, 32](out)
    assert out.to_host().tolist() == [3 * t + 1 for t in range(32)]
    assert any(cost.text.startswith("template <int N, bool B> __global__ void calls") for cost in run.lines)
    for cost in (*run.statements, *before.statements):
        assert "".join(module.sources[cost.file][cost.line - 1].split()) in "".join(cost.text.split()), "the line is where the listing says"
    assert {"plain", "calls<3, true>"} <= set(module.resources) and "calls<3, true>" in repr(module)


def test_spelling_does_not_matter_and_each_is_made_once():
    module = device().compile(SOURCE)
    assert module["ns::fill<float, 4>"] is module["ns::fill<float,4>"] is module[" ns::fill < float , 4 > "]
    made = module.compiled
    assert module["ns::fill<float, 4>"].name == "ns::fill<float, 4>" and module.compiled is made
    assert module["ns::size<unsigned int>"] is not module["ns::size<ns::Pair>"]


def test_names_can_be_given_at_once_and_come_from_the_cache():
    machine = device()
    names = ["unrolled<512>", "ns::size<ns::Pair>"]
    module = machine.compile(SOURCE, name_expressions=names)
    assert set(module.resources) == {*names, "plain"}
    assert module["unrolled"] is module["unrolled<512>"], "the one instance of a template needs no arguments"
    again = machine.compile(SOURCE, name_expressions=names)
    assert again.compiled.compiler.endswith(", cached") and again["unrolled<512>"].name == "unrolled<512>"
    assert "cached" not in machine.compile(SOURCE, name_expressions=names[:1]).compiled.compiler
    out = machine.zeros(32, "i4")
    module["ns::size<ns::Pair>"][1, 32](out)
    assert out.to_host()[0] == 4


@pytest.mark.parametrize("name, message", [
    ("ns::nothing<3>", 'has no kernel \'ns::nothing<3>\', and it cannot be made of a template:\n(.|\n)*"ns::nothing"|no member "nothing"'),
    ("unrolled<float>", 'cannot determine which instance of function template "unrolled"'), ("unrolled<512>::k<3>", "error: ")])
def test_what_cannot_be_made_gets_the_compilers_message(name, message):
    module = device().compile(SOURCE)
    with pytest.raises(CompileError, match=message):
        module[name]
    assert module["unrolled<4>"], "a failure leaves the module as it was"


def test_a_source_without_instances_says_how_to_name_one(tmp_path):
    module = device().compile(SOURCE)
    with pytest.raises(LaunchError, match=r"has no kernel 'unrolled'; .*is a template: give its arguments, such as module\['unrolled<…>'\]"):
        module["unrolled"]
    text = module.compiled.ptx
    with pytest.raises(LaunchError, match=r"has no kernel 'unrolled<4>', and an instance of a template cannot be made by its name by PTX text"):
        device().compile(text)["unrolled<4>"]
    with pytest.raises(CompileError, match=r"ptx makes no instances of templates by name, got name_expressions=\['a<1>'\]"):
        device().compile(text, name_expressions="a<1>")


def test_a_runtime_launches_an_instance_on_another_device():
    from archdef.runtime import cuda

    here, there = device(), device()
    cuda.use(here, there)
    cuda.cudaSetDevice(1)
    module, pointer, out = here.compile(SOURCE), cuda.cudaMalloc(128), np.zeros(32, "f4")
    for kernel in (module.plain, module["ns::fill<float, 4>"]):
        cuda.cudaLaunchKernel(kernel, 1, 32, (pointer,))
    cuda.cudaMemcpy(out, pointer, 128, cuda.cudaMemcpyDeviceToHost)
    assert out.tolist() == [2] * 32


def test_the_command_line_takes_an_instance(tmp_path):
    from click.testing import CliRunner

    from archdef.cli import main

    (tmp_path / "fill.cu").write_text("template <int N> __global__ void fill(int *out) { out[threadIdx.x] = N; }\n")
    done = CliRunner().invoke(main, ["run", str(tmp_path / "fill.cu"), "fill<42>", "--arch", registry.names()[0], "--grid", "1", "--block", "4",
                                     "--arg", "out:i4[4]"])
    assert done.exit_code == 0 and "int32[4] = 42, 42, 42, 42" in done.output, done.output
