"""Is the suite whole: does every benchmark run or say why not, everywhere, and does the vendor's assembler take every kernel?"""
import ctypes
import json
import subprocess
import sys

import archdef
import pytest
from click.testing import CliRunner

from archdef import microbench, ptxas
from archdef.cli import main
from archdef.microbench import results, suite
from archdef.microbench.driver import Gpu, NoGpu
from archdef.microbench.hardware import features_of
from archdef.microbench.operations import STEPS
from archdef.microbench.simulated import Simulated
from archdef.report import curves
from archdef.spec import FEATURES

ALL = suite.load()
COSTLY = {"coalescing", "global_atomic_throughput", "l2_bandwidth"}
"""Whole-device benchmarks of machines of many multiprocessors: tried on the smallest."""


@pytest.mark.parametrize("name", archdef.architectures())
def test_every_benchmark_gives_numbers_or_says_what_is_missing(name):
    machine = microbench.as_machine(name)
    for each in ALL.values():
        if each.name in COSTLY and machine.properties.multiprocessors > 32:
            continue
        try:
            found = microbench.measure(each.name, machine)
        except microbench.Unsupported as reason:
            assert name in str(reason)
            continue
        assert set(found) == set(each.units)
        assert all(number > 0 for number in found.values())


@pytest.mark.parametrize("name", archdef.architectures())
def test_every_point_of_a_sweep_is_a_point_of_its_benchmark(name):
    machine = microbench.as_machine(name)
    for each in ALL.values():
        points = [tuple(sorted(point.items())) for point in each.points(machine)]
        assert points
        assert len(points) == len(set(points))
        assert all(set(dict(point)) <= set(each.parameters) for point in points)


def test_a_missing_feature_is_named():
    lacking = next(n for n in archdef.architectures() if "shuffle" not in archdef.architecture(n).isa.features)
    with pytest.raises(microbench.Unsupported, match=f"shuffle, which {lacking} does not have"):
        microbench.measure("latency", lacking, operation="shfl_idx")


def test_wrong_names_are_refused_with_the_nearest():
    with pytest.raises(suite.UnknownBenchmark, match="did you mean latency"):
        microbench.measure("latencyy", archdef.architectures()[0])
    with pytest.raises(suite.UnknownBenchmark, match="did you mean operation"):
        microbench.measure("latency", archdef.architectures()[0], operatio="fma_f32")


class _Recording(Simulated):
    """Keeps the text of every kernel."""

    def __init__(self, device):
        super().__init__(device)
        self.texts = set()

    def compile(self, ptx):
        self.texts.add(ptx)
        return super().compile(ptx)


@pytest.mark.parametrize("operations", [list(STEPS)[::12], pytest.param(list(STEPS), marks=pytest.mark.long)], ids=["some", "all"])
def test_the_vendors_assembler_takes_the_kernels(tmp_path, operations):
    newest = max((n for n in archdef.architectures() if archdef.architecture(n).compute_capability[0].isdigit()),
                 key=lambda n: float(archdef.architecture(n).compute_capability))
    machine = _Recording(archdef.Device(newest))
    for operation in operations:
        microbench.measure("latency", machine, operation=operation)
    for each in ALL.values():
        if each.name not in COSTLY:
            microbench.measure(each.name, machine)
    whole = sorted(machine.texts)
    assert len(whole) > 30
    capability = int(archdef.architecture(newest).compute_capability.replace(".", ""))
    tool = next((a.path for a in ptxas.assemblers() if capability in a.targets), None)
    if tool is None:
        pytest.skip(f"no ptxas for sm_{capability} is installed (pip install 'archdef[ptxas]')")
    refused = []
    for k, text in enumerate(whole):
        file = tmp_path / f"{k}.ptx"
        file.write_text(text)
        done = subprocess.run([tool, f"-arch=sm_{capability}", "-O1", "-o", tmp_path / "out", file], capture_output=True, text=True)
        if done.returncode:
            refused.append(done.stderr)
    assert not refused


# ------------------------------------------------------------------------------------------------------------ hardware
def test_a_computer_without_a_driver_says_so(monkeypatch):
    def absent(name):
        raise OSError(f"{name}: cannot open shared object file")
    monkeypatch.setattr(ctypes, "CDLL", absent)
    with pytest.raises(NoGpu, match="no NVIDIA driver is installed here: libcuda"):
        Gpu()
    answer = CliRunner().invoke(main, ["microbench", "--hardware", "latency"])
    assert answer.exit_code == 2
    assert "no NVIDIA driver" in answer.output


def test_features_of_hardware_follow_its_compute_capability():
    assert "fp64" in features_of((1, 3)) and "fp64" not in features_of((1, 2))
    assert "clock" in features_of((1, 0)) and "redux" not in features_of((7, 5))
    newest = features_of((9, 0))
    assert {"clusters", "shuffle", "atomics_shared"} <= newest
    assert set(FEATURES) - newest == {"lane_masks_64", "fp4_fp6", "multimem_fp8"}


# ------------------------------------------------------------------------------------------------------------- results
def with_measurements():
    return [name for name in archdef.architectures() if results.shipped(name)]


def test_results_come_back_from_their_file_as_they_were(tmp_path):
    machine = microbench.as_machine(archdef.architectures()[0])
    made = results.run(machine, [ALL["barrier"], ALL["latency_hiding"]])
    file = tmp_path / "results.json"
    file.write_text(made.to_json())
    assert results.read(file) == made


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', '{"format": 1, "label": "x", "about": {}, "rows": [{"what": 1}]}'])
def test_a_file_that_holds_no_results_is_refused(tmp_path, text):
    file = tmp_path / "results.json"
    file.write_text(text)
    with pytest.raises(results.ResultsError, match="results.json"):
        results.read(file)


@pytest.mark.parametrize("name", with_measurements())
def test_shipped_measurements_are_points_of_the_suite(name):
    shipped = results.shipped(name)
    assert shipped.about["device"]
    for row in shipped.rows:
        known = ALL[row.benchmark]
        assert set(row.parameters) <= set(known.parameters)
        assert not row.values or set(row.values) == set(known.units)
        assert shipped.about.get("date") or row.source


@pytest.mark.parametrize("name", with_measurements())
def test_a_model_is_printed_beside_what_was_measured(name):
    answer = CliRunner().invoke(main, ["microbench", name, "latency", "-p", "operation=fma_f32", "--against", "measured"])
    assert answer.exit_code == 0, answer.output
    assert "mean absolute error" in answer.output


# --------------------------------------------------------------------------------------------------------------- curves
def test_a_sweep_becomes_a_curve_for_each_machine_and_each_other_parameter():
    made = [results.Results(label, {}, tuple(results.Row("latency_hiding", {"chains": chains, "warps": warps}, {"per_cycle": warps * chains})
                                             for chains in (1, 2) for warps in (4, 1, 2))) for label in ("one", "two")]
    (panel,) = curves.panels(made)
    assert panel.parameter == "warps"
    assert panel.lines["two chains 2"] == ((1, 2), (2, 4), (4, 8))
    assert len(panel.lines) == 4


def test_curves_are_drawn_into_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "barrier.svg"
    answer = CliRunner().invoke(main, ["microbench", archdef.architectures()[0], "barrier", "--plot", str(file)])
    assert answer.exit_code == 0, answer.output
    assert "<svg" in file.read_text()


def test_a_plot_of_another_kind_or_of_nothing_is_refused(tmp_path):
    with pytest.raises(results.ResultsError, match="plots are .svg"):
        curves.save_curves([], tmp_path / "x.gif")
    with pytest.raises(results.ResultsError, match="nothing to plot"):
        curves.save_curves([], tmp_path / "x.svg")


# --------------------------------------------------------------------------------------------------------- command line
def test_several_machines_stand_side_by_side():
    first, second = archdef.architectures()[:2]
    answer = CliRunner().invoke(main, ["microbench", first, second, "barrier"])
    assert answer.exit_code == 0, answer.output
    assert all(word in answer.output for word in (first, second, "barrier (cycles)", "warps 1"))


def test_one_point_is_chosen_by_its_parameters():
    name = archdef.architectures()[0]
    answer = CliRunner().invoke(main, ["microbench", name, "global_latency", "-p", "footprint_bytes=8 KiB", "-p", "warm=no", "--json"])
    assert answer.exit_code == 0, answer.output
    (row,) = json.loads(answer.output)["rows"]
    assert row["parameters"] == {"footprint_bytes": 8192, "warm": False}
    refused = CliRunner().invoke(main, ["microbench", name, "global_latency", "-p", "footprint_bytes=some"])
    assert refused.exit_code == 2 and "must be a whole number" in refused.output


def test_the_list_names_every_benchmark():
    answer = CliRunner().invoke(main, ["microbench", "--list"])
    assert all(name in answer.output for name in ALL)


def test_the_order_of_benchmarks_is_that_of_families_whatever_was_imported_first():
    last = suite.FAMILIES[-1]
    code = (f"import archdef.microbench.{last}; from archdef.microbench import suite; "
            "places = [suite.FAMILIES.index(one.family) for one in suite.own().values()]; assert places == sorted(places), places")
    subprocess.run([sys.executable, "-P", "-c", code], check=True)     # what is installed, whatever folder this is
