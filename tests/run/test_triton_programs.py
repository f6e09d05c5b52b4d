"""Triton programs run as they are on simulated devices: launches, autotuning, benchmarks, tensors of torch, arrays of numpy."""
import math
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("triton", minversion="3.8", reason="no Triton, or one before 3.8: pip install archdef[triton]")
import triton
import triton_kernels as kernels
from triton.tools.tensor_descriptor import TensorDescriptor

import archdef.triton
from archdef import Device, registry
from archdef.errors import CompileError, GuestFault, GuestWarning, HostError, LaunchError, UnknownArchitecture
from archdef.triton import tensor

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "triton.md"
pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path / "triton"))


@pytest.fixture
def random():
    return np.random.default_rng(2009)


def shuffling():
    """Names of machines that run what exchanges values within warps of 32."""
    return [name for name, machine in registry.all().items() if machine.warp.size == 32 and "shuffle" in machine.isa.features]


@pytest.fixture
def simulated():
    if not shuffling():
        pytest.skip("no installed architecture can shuffle")
    with archdef.triton.use(shuffling()[0]) as simulated:
        yield simulated


@pytest.mark.parametrize("name", [name for name, machine in registry.all().items() if machine.warp.size == 32])
def test_a_launch_gives_numpys_answer_on_every_machine(name, random):
    x, y, out = random.random(1000, dtype="f4"), random.random(1000, dtype="f4"), np.zeros(1000, "f4")
    with archdef.triton.use(name) as simulated:
        compiled = kernels.add[(2,)](tensor(x), tensor(y), tensor(out), 1000, BLOCK=512)
    np.testing.assert_array_equal(out, x + y)
    (total,) = simulated.kernels
    assert (total.kernel, total.launches, total.architecture) == ("add", 1, simulated.device.architecture.label)
    assert total.longest.grid == (2, 1, 1) and total.longest.block == (32 * compiled.metadata.num_warps, 1, 1)
    assert compiled.n_regs == total.longest.registers and total.seconds == total.longest.elapsed_s
    assert any(line.file == "triton_kernels.py" and line.text.startswith("tl.store(") for line in total.longest.lines)


def test_grids_are_functions_and_keywords_are_constants(simulated, random):
    x, out = random.random((6, 200), dtype="f4"), np.zeros((6, 200), "f4")
    kernels.softmax[lambda meta: (6 * meta["BLOCK"] // 256,)](tensor(out), tensor(x), 200, 200, BLOCK=256, num_warps=4)
    power = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, power / power.sum(axis=1, keepdims=True), rtol=1e-5)
    kernels.softmax[(0,)](tensor(out), tensor(x), 200, 200, BLOCK=256, num_warps=4)
    assert simulated.kernels[0].launches == 1, "an empty grid launches nothing"


def test_device_arrays_are_used_in_place(simulated):
    x, out = simulated.device.to_device(np.arange(64, dtype="f4")), simulated.device.zeros(64)
    kernels.add[(1,)](tensor(x), tensor(x), tensor(out), 64, BLOCK=64)
    np.testing.assert_array_equal(out.to_host(), 2 * np.arange(64))
    kernels.add[(1,)](tensor(np.from_dlpack(out)), tensor(x), tensor(out), 64, BLOCK=64)
    np.testing.assert_array_equal(out.to_host(), 3 * np.arange(64))


def test_views_reach_all_that_they_are_views_of(simulated):
    whole = np.arange(96, dtype="f4")
    kernels.add[(1,)](tensor(whole[:32]), tensor(whole[:32]), tensor(whole[32:64]), 64, BLOCK=64)
    np.testing.assert_array_equal(whole[32:], 2 * np.arange(64))


def test_accesses_past_the_end_are_faults_at_a_line(simulated):
    with pytest.raises(GuestFault, match=r"kernel add at triton_kernels\.py:\d+"):
        kernels.add[(1,)](tensor(np.zeros(64, "f4")), tensor(np.zeros(64, "f4")), tensor(np.zeros(32, "f4")), 64, BLOCK=64)


def test_tuning_takes_the_configuration_with_the_shortest_simulated_time(simulated):
    times = {}
    x = np.ones(512, "f4")
    kernels.tuned[lambda meta: (triton.cdiv(512, meta["BLOCK"]),)](tensor(x), 512)
    for config, (median, low, high) in kernels.tuned.configs_timings.items():
        times[config.kwargs["BLOCK"]] = median
        assert median == low == high > 0
    assert set(times) == {64, 256} and kernels.tuned.best_config.kwargs["BLOCK"] == min(times, key=times.get)
    assert simulated.kernels[0].launches == 3


def test_every_device_chooses_anew():
    chosen = []
    for name in shuffling()[:2]:
        with archdef.triton.use(name) as simulated:
            for _ in range(2):
                kernels.tuned[lambda meta: (triton.cdiv(512, meta["BLOCK"]),)](tensor(np.ones(512, "f4")), 512)
            chosen.append((simulated.kernels[0].launches, kernels.tuned.configs_timings))
    assert [launches for launches, _ in chosen] == [4] * len(chosen)
    assert not kernels.tuned.cache, "nothing that was measured in simulated time is left behind"


def test_values_are_restored_and_reset_between_measurements(simulated):
    tuned = triton.autotune(configs=kernels.tuned.configs, key=["n"], restore_value=["x"])(kernels.tuned.fn)
    x = np.ones(64, "f4")
    tuned[(1,)](tensor(x), 64)
    assert set(x) <= {2.0, 3.0}, "doubled once"


def test_benchmarks_tell_simulated_time(simulated):
    x = tensor(np.ones(512, "f4"))
    once = triton.testing.do_bench(lambda: kernels.add[(1,)](x, x, x, 512, BLOCK=512))
    assert once == pytest.approx(1e3 * simulated.kernels[0].longest.elapsed_s, rel=1e-6)
    assert triton.testing.do_bench(lambda: [kernels.add[(1,)](x, x, x, 512, BLOCK=512) for _ in range(2)], quantiles=[0.5, 0.2]) == [2 * once] * 2
    assert triton.testing.do_bench(lambda: kernels.add[(1,)](x, x, x, 512, BLOCK=512), return_mode="all", rep=500) == [once]
    with pytest.raises(ValueError, match="return_mode must be"):
        triton.testing.do_bench(lambda: None, return_mode="least")


def test_a_measurement_leaves_out_the_tuning_within(simulated):
    def function():
        kernels.tuned[lambda meta: (triton.cdiv(512, meta["BLOCK"]),)](tensor(np.ones(512, "f4")), 512)
    first = triton.testing.do_bench(function)
    assert first == pytest.approx(triton.testing.do_bench(function)), "the second finds the choice made"
    assert first == pytest.approx(min(kernels.tuned.configs_timings.values())[0])


def test_what_launches_nothing_has_no_time(simulated):
    with pytest.warns(GuestWarning, match="launched no kernel on the simulated device"):
        assert math.isnan(triton.testing.do_bench(lambda: None))


def test_properties_are_those_of_the_machine(simulated):
    active, machine = triton.runtime.driver.active, simulated.device.architecture
    properties = active.utils.get_device_properties(active.get_current_device())
    assert properties["multiprocessor_count"] == machine.chip.multiprocessors and properties["max_shared_mem"] == machine.limits.shared_bytes_per_block
    assert active.get_current_target().backend == "cuda" and active.get_current_target().warp_size == 32


def test_too_much_shared_memory_is_what_triton_calls_it():
    machine = next((a for a in registry.all().values() if "fp32_fma" in a.isa.features and a.warp.size == 32), None)
    if machine is None:
        pytest.skip("no installed architecture has fused multiply-adds")
    values = tensor(np.zeros((32, 32), "f4"))
    with archdef.triton.use(machine.evolve({"limits.shared_bytes_per_block": 1024})), \
            pytest.raises(triton.runtime.errors.OutOfResources, match="shared memory, Required: .* Hardware limit: 1024"):
        kernels.dot[(1,)](values, values, values, SIZE=32, num_warps=1)


def test_the_former_driver_comes_back():
    before = triton.testing.do_bench, triton.runtime.autotuner.Autotuner.run, dict(triton.backends.backends)
    with pytest.raises(ZeroDivisionError), archdef.triton.use(registry.names()[0]) as simulated:
        assert triton.runtime.driver.active is simulated.driver and triton.testing.do_bench != before[0]
        raise ZeroDivisionError
    assert triton.runtime.driver._active is not simulated.driver
    assert (triton.testing.do_bench, triton.runtime.autotuner.Autotuner.run, dict(triton.backends.backends)) == before


def test_what_cannot_be_is_refused(simulated):
    with pytest.raises(UnknownArchitecture):
        archdef.triton.use("h1000")
    with pytest.raises(CompileError, match="target must be a compute capability such as 80, got '80'"):
        archdef.triton.use("h100", target="80")
    with pytest.raises(LaunchError, match=r"tensor takes a numpy array or a device array, got \[1, 2\]"):
        tensor([1, 2])
    with pytest.raises(HostError, match="the simulated device in use is number"):
        triton.runtime.driver.active.set_current_device(0)
    with pytest.raises(LaunchError, match=r"wants to start before the launch ahead of it has ended \(launch_pdl\)"):
        kernels.add[(1,)](*[tensor(np.zeros(64, "f4"))] * 3, 64, BLOCK=64, launch_pdl=True)


@pytest.mark.parametrize("target", [80, 90])
def test_descriptors_made_by_the_host(target, random):
    machine = next((a for a in registry.all().values() if "tensor_copies" in a.isa.features or a.compute_capability == "9.0"), None)
    if machine is None:
        pytest.skip("no installed architecture has tensor maps")
    x, out = random.random((64, 64), dtype="f4"), np.zeros((64, 64), "f4")
    with archdef.triton.use(Device(machine), target=target):
        described = [TensorDescriptor.from_tensor(tensor(a), [32, 32]) for a in (out, x)]
        kernels.doubled_by_descriptor[(2, 2)](*described, SIZE=32)
    np.testing.assert_array_equal(out, 2 * x)


def test_compiled_kernels_are_launched_into_streams(simulated):
    x, out = tensor(np.ones(64, "f4")), np.zeros(64, "f4")
    compiled = kernels.add.warmup(x, x, tensor(out), 64, BLOCK=64, grid=(1,))
    compiled[(1, 1, 1)](x, x, tensor(out), 64, 64, stream=simulated.device.stream(label="mine"))
    assert (out == 2).all() and [span.kind for span in simulated.device.host.timeline().of(simulated.device.context.label, stream="mine")] == ["kernel"]
    with pytest.raises(LaunchError, match=r"add: a stream on a simulated device is made by Device\.stream\(\), got 7"):
        compiled[(1, 1, 1)](x, x, tensor(out), 64, 64, stream=7)


def test_the_program_of_the_page_runs(tmp_path, capsys):
    if not {"v100", "h100"} <= set(registry.names()):
        pytest.skip("it names v100 and h100")
    ((name, program),) = re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / name).write_text(program)
    runpy.run_path(str(tmp_path / name))
    assert re.findall(r"^(\w+): [\d.]+ us, BLOCK: \d+,", capsys.readouterr().out, re.MULTILINE) == ["v100", "h100"]


COMMAND = """
import sys
import numpy as np
import beside
from archdef.triton import tensor
x = tensor(np.ones(64, "f4"))
beside.add[(1,)](x, x, x, 64, BLOCK=64)
print(sys.argv[1:], int(x.array.sum()))
sys.exit(3)
"""


def test_a_program_is_run_from_outside(tmp_path):
    names = shuffling()[:2]
    if not names:
        pytest.skip("no installed architecture can shuffle")
    (tmp_path / "program.py").write_text(COMMAND)
    (tmp_path / "beside.py").write_text(Path(kernels.__file__).read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "archdef.triton", *(word for name in names for word in ("-a", name)), str(tmp_path / "program.py"), "-a", "3"]
    paths = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths, "TRITON_CACHE_DIR": str(tmp_path / "triton")}, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert done.stdout.count("['-a', '3'] 128") == len(names)
    assert [re.search(rf"program.py on {name}: 1 launch$", done.stdout, re.MULTILINE) is not None for name in names] == [True] * len(names)
    assert len(re.findall(r"^add +1 .* 100 %", done.stdout, re.MULTILINE)) == len(names)


def test_tensors_of_torch(simulated):
    torch = pytest.importorskip("torch", reason="no torch")
    assert triton.runtime.driver.active.get_active_torch_device() == torch.device("cpu")
    x, y = torch.rand(1000), torch.rand(1000, requires_grad=True)
    out = torch.empty_like(x)
    kernels.add[(2,)](x, y, out, 1000, BLOCK=512)
    assert torch.equal(out, x + y)
    base = torch.arange(200, dtype=torch.bfloat16)
    kernels.add[(1,)](base[::2], base[8:], base[100:], 100, BLOCK=128)
    assert torch.equal(base[100:], torch.arange(100, dtype=torch.bfloat16) + torch.arange(8, 108, dtype=torch.bfloat16))
    shown = torch.from_dlpack(simulated.device.zeros(64))
    kernels.add[(1,)](x, x, shown, 64, BLOCK=64)
    assert torch.equal(shown, 2 * x[:64])
