"""Runs are kept in files, and compared with those of today: times, metrics, lines, exit codes."""
import json

import attrs
import numpy as np
import pytest
from click.testing import CliRunner
from small_machine import gizmo

import archdef
from archdef import baseline, registry
from archdef.baseline.difference import MetricChange
from archdef.baseline.saved import VERSION, runs_of
from archdef.cli import main

SCALE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x)
{
    .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd3], %f2;
    ret;
}"""
needs_machines = pytest.mark.skipif(not {"g80", "gt200"} <= set(registry.names()), reason="the plugin archdef-tesla is not installed")


def run(text=SCALE, **changes):
    device = archdef.Device(gizmo().evolve({path.replace("__", "."): value for path, value in changes.items()}) if changes else gizmo())
    return device.compile(text).scale[4, 64](device.to_device(np.ones(64, "f4")))


def command(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_a_run_compared_with_itself_has_not_changed():
    one = run()
    found = one.compare(one)
    assert found.change == 0 and found.metrics == () and all(line.kind == "same" and not line.change for line in found.lines)
    assert "no change of the time" in str(found)


def test_a_slower_machine_shows_in_time_metrics_and_lines():
    before, after = run(), run(dram__t_cl_ns=200)
    found = after.compare(before)
    assert found.change == pytest.approx(after.elapsed_s / before.elapsed_s - 1) and found.change > 0.1
    line = found.lines[0]
    assert "add.f32" in line.after["text"] and line.change > 0 and next(iter(line.causes)) == "memory_dependency"
    assert {metric.name for metric in found.metrics} >= {"ipc", "active_cycles"}
    assert [metric.effect for metric in found.metrics] == sorted((metric.effect for metric in found.metrics), reverse=True)
    assert sum(line.change for line in found.lines) == sum(one.warp_cycles for one in after.lines) - sum(one.warp_cycles for one in before.lines)


def test_what_comes_back_from_a_file_is_what_was_kept(tmp_path):
    before, after = run(), run(dram__t_cl_ns=200)
    baseline.save(tmp_path / "runs.json", [before], "0.1.0")
    document = json.loads((tmp_path / "runs.json").read_text())
    assert (document["format"], document["version"], document["archdef"], len(document["runs"])) == ("archdef.runs", VERSION, "0.1.0", 1)
    kept, direct = after.compare(tmp_path / "runs.json").to_dict(), after.compare(before).to_dict()
    assert json.loads(json.dumps(kept)) == json.loads(json.dumps(direct))


def test_two_sources_of_a_kernel_are_compared_by_line():
    longer = SCALE.replace("    add.f32 %f2, %f1, %f1;\n", "    mul.f32 %f1, %f1, %f1;\n    add.f32 %f2, %f1, %f1;\n")
    found = run(longer).compare(run())
    assert [(line.kind, line.after["text"]) for line in found.lines if line.kind != "same"] == [("added", "mul.f32 %f1, %f1, %f1;")]
    assert {(line.before["line"], line.after["line"]) for line in found.lines if line.kind == "same" and line.before["line"] != line.after["line"]} == {
        (n, n + 1) for n in (12, 13, 14)}


@pytest.mark.parametrize("change, effect", [(MetricChange("ipc", 1.0, 2.0), 0.5), (MetricChange("branch_efficiency", 50.0, 60.0), 0.1), (MetricChange("ipc", None, 1.0), 1),
                                            (MetricChange("ipc", None, None), 0), (MetricChange("branch", 0, 4), 1), (MetricChange("branch", 0, 0), 0)])
def test_percentages_change_by_their_difference_and_others_by_a_part(change, effect):
    assert change.effect == pytest.approx(effect)


def test_metrics_that_follow_the_time_are_not_shown_but_given():
    before, after = run(), run(dram__t_cl_ns=200)
    found = after.compare(before)
    plain = attrs.evolve(found, metrics=(MetricChange("ipc", 1.0, 1 / (1 + found.change)), MetricChange("branch", 3, 4)))
    assert "branch" in str(plain) and "ipc" not in str(plain) and [one["name"] for one in plain.to_dict()["metrics"]] == ["ipc", "branch"]
    slightly = attrs.evolve(plain, after={**plain.after, "elapsed_s": plain.before["elapsed_s"] * 1.01}, metrics=(
        MetricChange("active_cycles", 100.0, 101.0), MetricChange("inst_executed", 1000, 1002)))
    assert "inst_executed" in str(slightly) and "active_cycles" not in str(slightly)


@pytest.mark.parametrize("text, message", [
    ("no json", "holds no JSON"), ('{"runs": []}', "holds no run"), ("[]", "holds no run"), ('{"a": 1}', "it holds no runs"), ("3", "it holds no runs"),
    ('[{"kernel": "k"}]', "run 1 of it has no architecture"), ('["k"]', "run 1 of it has no kernel"), (f'{{"version": {VERSION + 1}, "runs": []}}', "this archdef reads up to"),
    ('{"version": "new", "runs": []}', "is of version 'new'"), ("[" * 100000, "holds no JSON")])
def test_files_that_hold_no_runs_are_refused(tmp_path, text, message):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(baseline.BaselineError, match=message):
        baseline.load(tmp_path / "bad.json")


def test_files_that_cannot_be_read_are_refused(tmp_path):
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe")
    for path in (tmp_path / "missing.json", tmp_path, tmp_path / "bad.json"):
        with pytest.raises(baseline.BaselineError, match="cannot read the baseline"):
            run().compare(path)


def test_a_file_of_several_runs_is_no_run(tmp_path):
    baseline.save(tmp_path / "two.json", [run(), run()], "0.1.0")
    with pytest.raises(baseline.BaselineError, match="holds 2 runs, not one: gizmo scale, gizmo scale"):
        run().compare(tmp_path / "two.json")


def named(kernel, machine="gizmo"):
    return run().to_dict() | {"kernel": kernel, "architecture": machine}


def test_runs_are_paired_by_machine_and_kernel():
    before = baseline.Saved("old.json", (named("a"), named("b", "other"), named("a"), named("gone")))
    found = baseline.differences(before, [named("b", "other"), named("a"), named("a"), named("new")])
    assert [one.name for one in found.kernels] == ["other b", "gizmo a", "gizmo a"] and found.new == ("gizmo new",) and found.missing == ("gizmo gone",)
    assert found.kernels[1].before is before.runs[0] and found.kernels[2].before is before.runs[2]


def test_a_single_machine_may_be_another_one_and_a_single_run_any():
    before = baseline.Saved("old.json", (named("a"), named("b")))
    assert [one.name for one in baseline.differences(before, [named("b", "better"), named("a", "better")]).kernels] == ["gizmo → better b", "gizmo → better a"]
    found = baseline.differences(baseline.Saved("old.json", (named("a"),)), [named("c", "better")])
    assert [one.name for one in found.kernels] == ["gizmo → better a → c"]


def test_runs_without_a_counterpart_are_refused():
    with pytest.raises(baseline.BaselineError, match="nothing to compare: old.json has gizmo a, gizmo b, and there ran gizmo c"):
        baseline.differences(baseline.Saved("old.json", (named("a"), named("b"))), [named("c")])


def test_the_text_fits_80_columns():
    after = run(SCALE.replace("    ret;", "    bar.sync 0;\n    ret;"), dram__t_cl_ns=200)
    before = baseline.Saved("old.json", (run().to_dict() | {"architecture": after.architecture.label}, named("gone", "elsewhere")))
    text = str(baseline.differences(before, [after]))
    assert max(map(len, text.splitlines())) <= 80 and "in the baseline, but not run: elsewhere gone" in text and " +  " in text


# ----------------------------------------------------------------------------------------------------------- the command
@pytest.fixture
def kept(tmp_path):
    """What the shipped transpose takes on a machine, in a file."""
    path = tmp_path / "kept.json"
    assert command("compare", "transpose", "-n", 64, "-a", "gt200", "--save", path).exit_code == 0
    return path


@needs_machines
def test_nothing_has_changed_since_a_moment_ago(kept):
    again = command("compare", "transpose", "-n", 64, "-a", "gt200", "--baseline", kept, "--fail-above", 0)
    assert again.exit_code == 0 and again.output.count("no change of the time") == 5


@needs_machines
@pytest.mark.parametrize("percent, code", [(1, 1), (10000, 0)])
def test_slower_kernels_fail_beyond_the_percentage(kept, percent, code):
    slower = command("compare", "transpose", "-n", 64, "-a", "gt200", "--set", "dram.t_cl_ns=100", "--baseline", kept, "--fail-above", percent)
    assert slower.exit_code == code and ("slower than the baseline, more than 1 %" in slower.output) == bool(code)


@needs_machines
def test_faster_kernels_never_fail(kept):
    faster = command("compare", "transpose", "-n", 64, "-a", "gt200", "--set", "dram.t_cl_ns=1", "--baseline", kept, "--fail-above", 0)
    assert faster.exit_code == 0 and "less time" in faster.output


@needs_machines
def test_json_has_the_runs_and_what_changed(kept):
    data = json.loads(command("compare", "transpose", "-n", 64, "-a", "gt200", "-k", "naive", "--baseline", kept, "--json").output)
    assert data["format"] == "archdef.comparison" and len(data["rows"]) == 1
    assert data["baseline"]["format"] == "archdef.difference" and len(data["baseline"]["kernels"]) == 1 and len(data["baseline"]["missing"]) == 4


@needs_machines
def test_two_files_are_compared_without_running(kept, tmp_path, monkeypatch):
    slower = tmp_path / "slower.json"
    command("compare", "transpose", "-n", 64, "-a", "gt200", "--set", "dram.t_cl_ns=100", "--save", slower)
    monkeypatch.setattr(archdef.Device, "compile", None)
    found = command("compare", slower, "--baseline", kept, "--fail-above", 1)
    assert found.exit_code == 1 and "more time" in found.output
    refused = command("compare", slower, "--baseline", kept, "-n", 64, "-a", "gt200")
    assert refused.exit_code == 2 and "nothing runs where two files are compared" in refused.output


@needs_machines
def test_what_run_prints_is_a_baseline(tmp_path):
    (tmp_path / "scale.ptx").write_text(SCALE)
    data = command("run", tmp_path / "scale.ptx", "scale", "-a", "gt200", "-g", 4, "-b", 64, "--arg", "x:f4[64]=ones", "--json").output
    (tmp_path / "run.json").write_text(data)
    assert runs_of(json.loads(data), "here") == baseline.load(tmp_path / "run.json").runs
    found = command("compare", tmp_path / "run.json", "--baseline", tmp_path / "run.json")
    assert found.exit_code == 0 and "gt200 scale" in found.output


@needs_machines
def test_launches_that_fail_today_are_said(kept):
    small = ["--set", "limits.threads_per_block=128", "--set", "limits.block_dimensions=128,128,64", "--baseline", kept]
    failed = command("compare", "transpose", "-n", 64, "-a", "gt200", *small)
    assert failed.exit_code == 1 and "What failed" in failed.output


@needs_machines
def test_wrong_results_of_today_fail(kept, monkeypatch):
    monkeypatch.setattr(archdef.examples.Output, "accepts", lambda output, actual: False)
    wrong = command("compare", "transpose", "-n", 64, "-a", "gt200", "-k", "naive", "--baseline", kept)
    assert wrong.exit_code == 1 and "gt200 naive computes something else than numpy" in wrong.output


def test_a_percentage_needs_a_baseline():
    refused = command("compare", "transpose", "--fail-above", 5)
    assert refused.exit_code == 2 and "--fail-above needs a --baseline" in refused.output
