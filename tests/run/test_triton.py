"""Triton kernels compile without a GPU, run on an installed architecture, and give numpy's answer."""
import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("triton", reason="no Triton: pip install archdef[triton]")
import triton_kernels as kernels

from archdef import Device, registry
from archdef.errors import CompileError, LaunchError, MissingFeature

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")
ADD = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def random():
    return np.random.default_rng(2009)


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("promise, vectors", [("", False), (":16", True)])
def test_a_kernel_gives_numpys_answer_on_every_machine(name, promise, vectors, random):
    machine = Device(name)
    x, y, out = random.random(1008, dtype="f4"), random.random(1008, dtype="f4"), machine.zeros(1008)
    module = machine.compile(kernels.add, signature={n: t + promise for n, t in ADD.items()}, constants={"BLOCK": 512},
                             num_warps=4)
    run = module.add[2](machine.to_device(x), machine.to_device(y), out, 1008)
    np.testing.assert_array_equal(out.to_host(), x + y)
    assert run.block == (128, 1, 1) and run.grid == (2, 1, 1)
    assert ("ld.global.v4" in module.compiled.ptx) == vectors
    assert any(line.file == "triton_kernels.py" and line.text.startswith("tl.store(") for line in run.lines)


def test_a_reduction_exchanges_values_within_and_between_warps(random):
    machine = Device(shuffling(32))
    x, out = random.random((6, 200), dtype="f4"), machine.zeros((6, 200))
    module = machine.compile(kernels.softmax, signature="*fp32, *fp32, i32, i32", constants={"BLOCK": 256}, num_warps=4)
    run = module.softmax[(6,)](out, machine.to_device(x), 200, 200)
    power = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out.to_host(), power / power.sum(axis=1, keepdims=True), rtol=1e-5)
    assert run.shared_bytes > 0, "the kernel's dynamic shared memory comes with it"


def test_code_for_another_warp_size_is_refused_where_it_matters(random):
    machine = Device(shuffling(64))
    module = machine.compile(kernels.softmax, signature="*fp32, *fp32, i32, i32", constants={"BLOCK": 256})
    with pytest.raises(LaunchError, match="softmax was compiled for warps of 32 lanes and exchanges values within them .*shfl"):
        module.softmax[1](machine.zeros(256), machine.zeros(256), 256, 256)


def shuffling(warp_size):
    """Give an installed architecture that can shuffle, with warps of this size."""
    for architecture in registry.all().values():
        if "shuffle" in architecture.isa.features:
            return architecture.evolve({"warp.size": warp_size})
    return pytest.skip("no installed architecture can shuffle")


def test_a_matrix_product(random):
    machine = next((Device(a) for a in registry.all().values() if "fp32_fma" in a.isa.features), None)
    if machine is None:
        pytest.skip("no installed architecture has fused multiply-adds")
    a, b, c = random.random((16, 16), dtype="f4"), random.random((16, 16), dtype="f4"), machine.zeros((16, 16))
    module = machine.compile(kernels.dot, signature="*fp32, *fp32, *fp32", constants={"SIZE": 16}, num_warps=2)
    module.dot[1](c, machine.to_device(a), machine.to_device(b))
    np.testing.assert_allclose(c.to_host(), a @ b, rtol=1e-5)


def test_a_missing_feature_names_the_triton_line():
    poor = next((Device(a) for a in registry.all().values() if "shuffle" not in a.isa.features and a.warp.size == 32), None)
    if poor is None:
        pytest.skip("every installed architecture can shuffle")
    module = poor.compile(kernels.softmax, signature="*fp32, *fp32, i32, i32", constants={"BLOCK": 256})
    with pytest.raises(MissingFeature, match="needs the feature shuffle"):
        module.softmax[1](poor.zeros(256), poor.zeros(256), 256, 256)


def test_a_second_compilation_comes_from_the_cache():
    machine = Device(registry.names()[0])
    first, again = (machine.compile(kernels.add, signature=ADD, constants={"BLOCK": 64}).compiled for _ in range(2))
    assert again.compiler.endswith(", cached") and again.ptx == first.ptx
    assert again.interfaces["add"].block == first.interfaces["add"].block == (128, 1, 1)


def test_the_same_text_in_another_file_is_that_files(tmp_path):
    machine, text = Device(registry.names()[0]), Path(kernels.__file__).read_text(encoding="utf-8")
    for folder in "one", "two":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.py").write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(folder, tmp_path / folder / f"{folder}.py")
        spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
        add = machine.compile(module.add, signature=ADD, constants={"BLOCK": 64}, num_warps=2).add
        run = add[1](*(machine.zeros(64) for _ in "xyo"), 64)
        assert {line.file for line in run.lines} == {f"{folder}.py"}
        assert any(line.text.startswith("tl.store(") for line in run.lines)


def test_a_compiler_error_has_file_and_line():
    line = kernels.broken.fn.__code__.co_firstlineno + 2
    with pytest.raises(CompileError, match=rf"^triton_kernels\.py:{line}: broken does not compile \(Triton [^)]+\):\n(.|\n)*"
                                           "undefined_name is not defined"):
        Device(registry.names()[0]).compile(kernels.broken, signature="*fp32")


@pytest.mark.parametrize("options, message", [
    ({}, "add needs a type or a constant for each of x, y, out, n, BLOCK"),
    ({"signature": ADD}, "got types for x, y, out, n and constants for none"),
    ({"signature": ADD, "constants": {"BLOCKS": 1}}, "add has no parameter 'BLOCKS'; it has x, y, out, n, BLOCK"),
    ({"signature": ADD | {"x": "*fp32:8"}, "constants": {"BLOCK": 64}}, r"the type of x can promise :16 alone, got '\*fp32:8'"),
    ({"signature": ADD, "constants": {"BLOCK": 64}, "num_warp": 4}, r"no option 'num_warp' \(did you mean num_warps\?\)"),
    ({"signature": ADD, "constants": {"BLOCK": 64}, "target": "sm_10"}, "Triton does not compile for 'sm_10'; it knows")])
def test_wrong_options_are_named(options, message):
    with pytest.raises(CompileError, match=message):
        Device(registry.names()[0]).compile(kernels.add, **options)


def test_wrong_launches_are_named():
    machine = Device(registry.names()[0])
    x = machine.zeros(64)
    kernel = machine.compile(kernels.add, signature=ADD | {"n": "i32:16"}, constants={"BLOCK": 64}, num_warps=2).add
    with pytest.raises(LaunchError, match=r"add takes 4 arguments \(x: \*fp32, .*, got 3"):
        kernel[1](x, x, x)
    with pytest.raises(LaunchError, match=r"add was compiled for n \(i32:16\) a multiple of 16, got 63"):
        kernel[1](x, x, x, 63)
    with pytest.raises(LaunchError, match=r"compiled for blocks of \(64,\) \(\.reqntid\), got \(128, 1, 1\)"):
        kernel[(1,), (128,)](x, x, x, 64)
    assert kernel[(1,), (64,)](x, x, x, 64).block == kernel[(1, 1, 1)](x, x, x, 64).block == (64, 1, 1)


@pytest.mark.parametrize("name", registry.names())
def test_the_newest_target_that_the_machine_takes_is_compiled_for(name, capfd):
    machine = Device(name)
    target = int(machine.compile(kernels.softmax, signature="*fp32, *fp32, i32, i32", constants={"BLOCK": 256}).ptx.target.strip("sm_af"))
    try:
        limit = int(machine.architecture.compute_capability.replace(".", ""))
    except ValueError:
        limit = 0
    assert target == max((t for t in (50, 60, 70, 75, 80, 90) if t <= limit), default=50)
    assert capfd.readouterr().err == "", "compilers and assemblers keep what they print to themselves"


def test_tensor_descriptors_work_whatever_the_target_makes_of_them(random):
    for name in registry.names():
        machine = Device(name)
        if machine.architecture.warp.size != 32 or not {"shuffle", "fp32_fma"} <= machine.architecture.isa.features:
            continue
        x, out = random.random((64, 64), dtype="f4"), machine.zeros((64, 64))
        module = machine.compile(kernels.doubled_tiles, signature="*fp32, *fp32, i32, i32", constants={"SIZE": 32})
        module.doubled_tiles[2, 2](out, machine.to_device(x), 64, 64)
        np.testing.assert_array_equal(out.to_host(), 2 * x)
        assert "not compiled for compute_90: " in module.compiled.log or ".target sm_90" not in module.compiled.ptx or "tensormap" in module.compiled.ptx


def test_a_configuration_of_an_autotuned_kernel_is_chosen():
    import triton

    machine = Device(registry.names()[0])
    with pytest.raises(CompileError, match=r"tuned is under @triton.autotune.* choose one(.|\n)*config=0: BLOCK: 64(.|\n)*config=1: BLOCK: 256"):
        machine.compile(kernels.tuned, signature="*fp32, i32")
    for config, block, even in ((0, 64, 0), (1, 256, 1), (triton.Config({"BLOCK": 128}, num_warps=4), 128, 1)):
        x = machine.to_device(np.arange(512, dtype="f4"))
        run = machine.compile(kernels.tuned, signature="*fp32, i32", config=config).tuned[512 // block](x, 512)
        assert x.to_host().tolist() == [2 * i + even for i in range(512)] and run.block == (block, 1, 1)
    x = machine.to_device(np.arange(512, dtype="f4"))
    given = {"BLOCK": 32, "EVEN": 7}
    assert machine.compile(kernels.tuned, signature="*fp32, i32", constants=given, num_warps=1).tuned[16](x, 512).block == (32, 1, 1)
    assert x.to_host()[1] == 9
    assert machine.compile(kernels.tuned, signature="*fp32, i32", config=1, num_warps=2).tuned[2](x, 512).block == (64, 1, 1)


@pytest.mark.parametrize("kernel, options, message", [
    ("tuned", {"config": 2}, "tuned has 2 configurations, 0 to 1, got config=2"),
    ("tuned", {"config": "big"}, "config must be the number of a configuration of tuned, or a triton.Config, got 'big'"),
    ("add", {"config": 0}, r"add is not under @triton.autotune, got config=0"),
    ("needs_arguments", {}, r"the heuristic of BLOCK cannot be computed from the constants \(none\) alone \(KeyError: 'n'\); give constants="),
    ("apply", {"signature": "*fp99", "constants": {"BLOCK": 64, "F": kernels.twice}}, "apply does not compile (.|\n)*fp99"),
    ("apply", {"signature": "*fp32", "constants": {"BLOCK": 64, "F": kernels.twice}, "num_warps": 3}, "power of 2"),
    ("apply", {"signature": "*fp32", "constants": {"BLOCK": 64, "F": object()}}, "apply does not compile (.|\n)*not callable"),
    ("twice", {"signature": "fp32"}, "twice does not compile for any of compute_(.|\n)*error: "),
    ("apply", {"signature": "*fp32", "constants": {"BLOCK": 100, "F": kernels.twice}}, r"triton_kernels.py:\d+: apply does not compile(.|\n)*power of 2")])
def test_what_triton_refuses_is_an_error_of_the_front_end(kernel, options, message, capfd):
    with pytest.raises(CompileError, match=message) as caught:
        Device(registry.names()[0]).compile(getattr(kernels, kernel), **{"signature": "*fp32, i32", **options})
    assert len(str(caught.value).splitlines()) < 15 and capfd.readouterr().err == ""


def test_functions_and_globals_count_in_the_cache(monkeypatch):
    machine = Device(registry.names()[0])
    for function, factor in ((kernels.twice, 2), (kernels.thrice, 3), (kernels.twice, 2)):
        x = machine.to_device(np.arange(64, dtype="f4"))
        machine.compile(kernels.apply, signature="*fp32", constants={"F": function, "BLOCK": 64}).apply[1](x)
        assert x.to_host()[5] == 5 * factor
