"""Measured launches find the runs of the same kernel and shape, and each counter its counterpart."""
import json
import sys
from pathlib import Path

import attrs
import numpy as np
import pytest
from click.testing import CliRunner
from measured_launches import DATA, LAUNCHES, beside, measured

import archdef
from archdef import ncu, registry
from archdef.cli import main
from archdef.frontends import nvrtc
from archdef.ncu.launch import Launch, Measured
from archdef.ncu.pairs import PAIRS

sys.path.append(str(Path(__file__).parents[1] / "docs"))
from ncu_page import PAGE, page

pytestmark = pytest.mark.skipif("h100" not in registry.names() or nvrtc.toolchain() is None, reason="needs the plugins of this repository and NVRTC")
SMALL = LAUNCHES[0]


@pytest.fixture(scope="module")
def run():
    (made,) = attrs.evolve(SMALL, kernels=("naive",)).runs(archdef.architecture("h100"))
    return made


def launch(kernel="naive(float *, const float *, int, int)", grid=(16, 16, 1), block=(32, 8, 1), capability="9.0", **metrics):
    return Launch("3", kernel, grid, block, capability, {name: Measured(value, "", str(value)) for name, value in metrics.items()})


def test_counters_that_follow_from_the_program_are_what_hardware_counts(run):
    (found,) = ncu.beside(measured(), run)
    for name in ("smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "lts__t_sectors_srcunit_tex_op_write.sum",
                 "memory_l2_theoretical_sectors_global", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", "launch__occupancy_limit_warps"):
        assert found[name].difference == 0 and found[name].measured > 0, name
    assert found["dram__bytes_read.sum"].difference == pytest.approx(0, abs=0.5)
    assert abs(found["sm__cycles_active.avg"].difference) < 50 and found["gpc__cycles_elapsed.avg.per_second"].difference > 20      # ncu locks the clock


def test_metrics_without_counterpart_are_kept(run):
    (found,) = ncu.beside(measured(), run)
    own = measured()[1].metrics
    taken = {name for row in found.rows for name in row.pair.names}
    assert taken | set(found.unmatched) == set(own) and not taken & set(found.unmatched)
    assert {"lts__t_sectors.sum", "launch__func_cache_config", "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"} <= set(found.unmatched)
    shown = str(found)
    assert "without counterpart: " in shown and "+25.3 %" in shown and "equal" in shown


def test_every_pair_has_names_units_and_a_reason_of_its_own_side(run):
    every = {name for one in measured() for name in one.metrics}
    assert len({pair.measured for pair in PAIRS}) == len(PAIRS)
    for pair in PAIRS:
        assert pair.why and pair.modelled and "percent" not in pair.unit
        value = pair.figure(run)
        assert value is None or isinstance(value, float), pair.measured
    assert {name for pair in PAIRS for name in pair.names} - every <= {"smsp__thread_inst_executed_pred_on.sum"}      # which no set of ncu has


def test_units_of_pairs_are_those_of_the_export():
    for one in measured():
        for pair in PAIRS:
            for name in pair.names:
                assert name not in one.metrics or one.metrics[name].unit == pair.unit or one.metrics[name].unit == "" or "sass_branch" in name, (name, one.metrics[name].unit)


def test_runs_take_launches_in_their_order(run):
    found = ncu.beside([launch(grid=(1, 1, 1)), attrs.evolve(launch(), id="a"), attrs.evolve(launch(), id="b")], run, run)
    assert [one.launch.id for one in found] == ["a", "b"]
    with pytest.raises(ncu.NcuError, match="the export has 1 launch of naive"):
        ncu.beside([launch()], run, run)


@pytest.mark.parametrize("kernel", ["naive", "_Z5naivePfPKfii", "void naive(float *)", "(anonymous namespace)::naive(int)", "space::naive(int)"])
def test_names_in_any_form_are_the_same(run, kernel):
    assert ncu.beside([launch(kernel), launch("other()")], run)[0].launch.kernel == kernel


@pytest.mark.parametrize("given, said", [([launch(grid=(8, 8, 1))], r"as \(8, 8, 1\) x \(32, 8, 1\), what ran is \(16, 16, 1\) x \(32, 8, 1\)"), ([launch("a()"), launch("b()")], "no launch of naive; it has a, b"),
                                         ([], "no launch of naive")])
def test_a_mismatch_is_an_error_that_says_what_there_is(run, given, said):
    with pytest.raises(ncu.NcuError, match=said):
        ncu.beside(given, run)


@pytest.mark.parametrize("given, said", [(launch("renamed(int)"), "the export's only launch is of renamed"), (launch(capability="7.0"), "capability 7.0, h100 has 9.0"),
                                         (launch(grid=None, block=None), "does not say grid and block")])
def test_what_may_be_meant_is_a_warning(run, given, said):
    (found,) = ncu.beside([given], run)
    assert any(said in warning for warning in found.warnings) and said in " ".join(str(found).split())


def test_instances_of_a_template_are_told_apart(run):
    pair = [launch("void naive<(int)1>(int *)"), launch("void naive<(int)2>(int *)")]
    assert ncu.beside(pair, attrs.evolve(run, kernel="naive<2>"))[0].launch is pair[1]


@pytest.mark.parametrize("value, modelled, difference", [(0.0, 0.0, 0), (200.0, 100.0, -50), (0.0, 5.0, None)])
def test_differences(value, modelled, difference):
    assert ncu.Compared(PAIRS[0], value, modelled).difference == difference


def test_an_infinite_or_missing_value_is_no_row(run):
    (found,) = ncu.beside([launch(**{"smsp__inst_executed.sum": float("inf"), "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": 1.0})], run)
    assert not found.rows and set(found.unmatched) == {"smsp__inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"}
    with pytest.raises(KeyError):
        found["smsp__inst_executed.sum"]


# ----------------------------------------------------------------------------------------------------------- the command line
def called(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


def arguments(n=512):
    return ["-g", f"{n // 32},{n // 32}", "-b", "32,8", "--arg", f"out:f4[{n * n}]", "--arg", f"f4[{n * n}]", "--arg", n, "--arg", n]


def test_a_run_is_laid_beside_its_launch(tmp_path):
    table = tmp_path / "beside.csv"
    done = called("run", SMALL.source, "naive", "h100", *arguments(), "--ncu", DATA / "ncu_raw.csv", "--json", "--data", f"beside={table}", "--data", f"measured={tmp_path / 'm.json'}")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)
    rows = {row["measured_name"]: row for row in found["ncu"]["rows"]}
    assert rows["smsp__inst_executed.sum"]["difference_percent"] == 0 and found["ncu"]["launch"] == "1" and found["ncu"]["unmatched"]["lts__t_sectors.sum"]["unit"] == "sector"
    assert len(table.read_text().splitlines()) == 1 + len(rows) + len(found["ncu"]["unmatched"]) and len(json.loads((tmp_path / "m.json").read_text())["rows"]) > 43 * 60


def test_a_comparison_shows_what_there_is_and_warns_of_the_rest(tmp_path):
    export = tmp_path / "part.csv"
    lines = (DATA / "ncu_raw.csv").read_text().splitlines(keepends=True)
    export.write_text("".join(lines[:3]))
    done = called("compare", "transpose", "h100", "-n", 512, "-k", "copy", "-k", "naive", "--ncu", export)
    assert done.exit_code == 0 and "copy (16, 16, 1) x (32, 8, 1): launch 0 of the export beside h100" in done.stdout
    assert "warning: the export has no launch of naive; it has copy" in done.stderr
    refused = called("compare", "transpose", "h100", "-n", 64, "-k", "copy", "--ncu", export)
    assert refused.exit_code == 2 and "what ran is (2, 2, 1)" in refused.stderr and "h100" in refused.stdout     # the comparison itself is shown


def test_a_bad_export_is_refused_before_anything_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(archdef.Device, "compile", lambda *a: pytest.fail("compiled"))
    (tmp_path / "bad.csv").write_text("nothing\n")
    refused = called("compare", "transpose", "h100", "--ncu", tmp_path / "bad.csv")
    assert refused.exit_code == 2 and "holds no launch" in refused.output
    refused = called("compare", "transpose", "h100", "--data", f"beside={tmp_path / 'x.csv'}")
    assert refused.exit_code == 2 and "beside needs --ncu" in refused.output


# -------------------------------------------------------------------------------------------------------------------- the page
def test_the_map_of_the_page_is_that_of_the_code():
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text, long=False), "refresh it with: python tests/docs/ncu_page.py pairs"


@pytest.mark.long
def test_how_near_the_page_says_the_h100_is_it_is():
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text, long=True), "refresh it with: python tests/docs/ncu_page.py"


def test_launches_are_made_in_the_order_in_which_they_were_measured():
    made = [(kernel, each.grid, each.block) for each in LAUNCHES for kernel in each.kernels]
    assert made == [(one.name, one.grid, one.block) for one in measured()] and callable(beside) and np.all([each.source.is_file() for each in LAUNCHES])
