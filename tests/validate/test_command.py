"""The command: what it prints and writes, its exit codes, and that more processes change nothing."""
import json
import re
import sys

import pytest
from click.testing import CliRunner

from archdef import registry
from archdef.cli import main
from archdef.validate import document, schema, validate

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["validate", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_table_shows_both_values_the_error_and_the_source():
    printed = run("gt200", "-k", "partitions")
    assert re.search(r"32 rows of 2048 floats +1 +1 .*equal +met +derived +\[1\]", printed)
    assert "NVIDIA, CUDA C Programming Guide" in printed and "no gap has opened or closed" in printed


def test_the_document_follows_its_schema_and_is_written_as_a_whole(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    path = tmp_path / "report.json"
    run("gt200", "v100", "-k", "coalescing", "-k", "memory latency/L1 hit", "-o", str(path))
    written = json.loads(path.read_text())
    jsonschema.Draft202012Validator(schema()).validate(written)
    assert written == json.loads(run("gt200", "v100", "-k", "coalescing", "-k", "memory latency/L1 hit", "--json"))
    assert [a["name"] for a in written["architectures"]] == ["gt200", "v100"]
    gaps = [case["gap"] for case in written["architectures"][1]["cases"] if case["status"] == "known gap"]
    assert gaps and all(gap["deviation"] == "V12" and "L1 hit" in gap["machine"] for gap in gaps)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"], "nothing temporary is left"


@pytest.mark.parametrize("package, option, path", [("jinja2", "--html", "report.html"), ("matplotlib.figure", "--plot", "report.svg")])
def test_a_file_that_cannot_be_made_is_refused_before_any_case_runs(package, option, path, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("archdef.validate.validate", lambda *_, **__: pytest.fail("cases have run"))
    result = CliRunner().invoke(main, ["validate", "gt200", option, str(tmp_path / path)])
    assert result.exit_code and f"needs {package.partition('.')[0]}: pip install 'archdef[" in str(result.exception or "") + result.output
    assert not list(tmp_path.iterdir())


def test_a_new_gap_is_exit_code_one():
    printed = run("gt200", "-k", "partitions", "--set", "dram.partition_map=xor_hash", code=1)
    assert "no known gap names the case" in printed and "new gaps" in printed


def test_what_names_no_case_is_refused_with_the_nearest():
    assert "did you mean partitions" in run("gt200", "-k", "partition", code=2)
    assert "unknown architecture" in run("gt9000", code=2).lower() or "no architecture is called" in run("gt9000", code=2)


def test_cases_are_listed_without_running_any():
    listed = run("gt200", "--list").splitlines()
    assert any("transposes/naive" in line and "gb_s of workload(" in line for line in listed)


def test_a_page_needs_no_other_file(tmp_path):
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    run("gt200", "-k", "coalescing", "-k", "latency", "--html", str(path))
    text = path.read_text(encoding="utf-8")
    assert "<svg" in text and "quoted from memory" in text and "multiply-add" in text
    assert not re.search(r"(?:src|href)=\"(?!#)", text) and "{{" not in text


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_plot_is_a_picture(kind, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot.{kind}"
    run("gt200", "-k", "latency", "--plot", str(path))
    assert path.read_bytes().startswith({"svg": b"<?xml", "png": b"\x89PNG"}[kind])


def test_a_plot_of_exact_cases_alone_is_refused(tmp_path):
    pytest.importorskip("matplotlib")
    assert "nothing to plot" in run("gt200", "-k", "partitions", "--plot", str(tmp_path / "plot.svg"), code=2)


def test_a_draft_of_the_gaps_names_what_misses():
    assert run("gt200", "-k", "partitions", "--draft-gaps", "--set", "dram.partition_map=xor_hash", code=1).startswith('["?"]')


def test_reports_are_the_same_from_two_processes():
    machine = [registry.get("gt200")]
    assert document(validate(machine, only=["latency", "partitions"])) == document(validate(machine, only=["latency", "partitions"], jobs=2))
