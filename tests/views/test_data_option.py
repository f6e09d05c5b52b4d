"""Every command that prints results writes their tables by ``--data``, and says before any work what it cannot write."""
import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from archdef import registry
from archdef._views import OF
from archdef.cli import COMMANDS, main

sys.path.append(str(Path(__file__).parents[1] / "docs"))
from data_page import PAGE, WHERE, page

pytestmark = pytest.mark.skipif(not {"gt200", "gf100"} <= set(registry.names()), reason="needs the plugins of this repository")
WITHOUT = {"build": "a program", "completion": "a script", "export": "a description, which is a document", "new-plugin": "a folder", "page": "a page", "report": "a page", "schema": "a schema", "why": "an answer"}
"""Command → what it makes instead of tables."""
PTX = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
CALLS = {"advise": "transpose -k naive gf100 -n 128", "archs": "", "attribute": "vector_add gt200 gf100 -n 256 --groups clocks -j 1", "check": "gt200 -k test_names_lead_to_it", "compare": "vector_add gt200 -n 256",
         "diff": "gt200 gf100 --only dram", "exec": "true -a gt200", "lower": "k.ptx gt200", "metrics": "ipc", "microbench": "gt200 barrier -p warps=1", "occupancy": "gt200 -t 64", "resources": "k.ptx gt200",
         "roofline": "gt200", "run": "k.ptx k gt200 -g 1 -b 32 --arg u1[4] --lanes 0 --timeline-detail warps", "show": "gt200 --only dram", "validate": "gt200 --quick"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ptx").write_text(PTX)


def called(command, *more):
    return CliRunner().invoke(main, [command, *CALLS[command].split(), *more])


def options(command):
    return {name for parameter in main.get_command(click.Context(main), command).params for name in parameter.opts}


def offered(command):
    """The views that the help of a command names."""
    (option,) = (parameter for parameter in main.get_command(click.Context(main), command).params if "--data" in parameter.opts)
    return option.help.partition("Views: ")[2].replace(" (if none is named)", "").rstrip(".").split(", ")


def test_a_command_has_the_option_or_makes_no_tables():
    assert set(COMMANDS) == set(CALLS) | set(WITHOUT)
    assert {command for command in COMMANDS if "--data" in options(command)} == set(CALLS)


def test_every_view_but_those_of_programs_alone_is_a_commands():
    assert {name for command in CALLS for name in offered(command)} == {name for names in OF.values() for name in names} - {"spans"}


@pytest.mark.parametrize("command", sorted(set(CALLS) - {"compare", "validate"}))
def test_a_command_writes_all_its_views(command, tmp_path):
    names = [name for name in offered(command) if name not in ("measured", "beside")]
    done = called(command, "--data", "first.json", *(word for name in names[1:] for word in ("--data", f"{name}={name}.json")))
    assert done.exit_code in (0, 1), done.output
    for name, file in [(names[0], "first"), *((name, name) for name in names[1:])]:
        assert json.loads((tmp_path / f"{file}.json").read_text())["about"]["archdef.view"] == name


def test_a_comparison_writes_its_launches_and_with_a_baseline_what_has_changed(tmp_path):
    assert called("compare", "--save", "b.json", "--data", "comparison=c.json", "--data", "lines=l.csv").exit_code == 0
    assert len(json.loads((tmp_path / "c.json").read_text())["rows"]) == 1 and "vector_add" in (tmp_path / "l.csv").read_text()
    done = called("compare", "--baseline", "b.json", "--json", "--data", "changes=x.json", "--data", "line_changes=y.json", "--data", "metric_changes=z.json")
    assert done.exit_code == 0 and "baseline" in json.loads(done.stdout)
    (row,) = json.loads((tmp_path / "x.json").read_text())["rows"]
    assert row[-1] == 0.0
    two = CliRunner().invoke(main, ["compare", "b.json", "--baseline", "b.json", "--data", "changes=two.json"])
    assert two.exit_code == 0 and json.loads((tmp_path / "two.json").read_text())["rows"] == [row]


def test_validation_writes_its_cases(tmp_path):
    (case, *_) = json.loads(CliRunner().invoke(main, ["validate", "gt200", "--list", "--json"]).stdout)
    done = CliRunner().invoke(main, ["validate", "gt200", "-k", case["id"], "--data", "c.json", "--data", "ladders=l.json"])
    assert done.exit_code in (0, 1) and json.loads((tmp_path / "c.json").read_text())["rows"][0][1] == case["id"] and (tmp_path / "l.json").is_file()


@pytest.mark.parametrize("command, given, said", [
    *((command, ["--data", "x.txt"], "data are .csv, .json, .arrow or .parquet files") for command in CALLS), ("archs", ["--data", "no/x.csv"], "there is no folder no"),
    ("archs", ["--data", "lines=x.csv"], "no view is called 'lines' (did you mean ceilings?); there are architectures, fields"), ("archs", ["--data", "x.csv", "--data", "architectures=y.csv"], "written twice"),
    ("compare", ["--data", "changes=x.csv"], "need a --baseline"), ("run", ["--timeline-detail", "blocks", "--data", "timeline_issues=x.csv"], "needs --timeline-detail warps"),
    ("run", ["--timeline-detail", "kernels", "--data", "timeline_waits=x.csv"], "needs --timeline-detail units or warps"),
    ("run", ["--list", "--data", "x.csv"], "--list finds out nothing"), ("check", ["--list", "--data", "x.csv"], "--list finds out nothing"), ("run", ["--data", "beside=x.csv"], "needs --ncu")])
def test_what_cannot_be_written_is_said_before_any_work(command, given, said, tmp_path):
    refused = called(command, *given)
    assert refused.exit_code in (1, 2) and said in " ".join(refused.output.split()), refused.output
    assert not list(tmp_path.glob("x.*"))


def test_lanes_have_to_be_asked_for():
    refused = CliRunner().invoke(main, ["run", "k.ptx", "k", "gt200", "-g", "1", "-b", "32", "--arg", "u1[4]", "--data", "lane_steps=x.csv"])
    assert refused.exit_code == 2 and "lane_steps needs --lanes" in refused.output


def test_a_missing_package_is_said_before_any_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused = called("compare", "--data", "x.parquet")
    assert refused.exit_code == 2 and "pip install 'archdef[arrow]'" in refused.output


def test_the_page_is_up_to_date():
    assert set(WHERE) == set(OF)
    assert PAGE.read_text(encoding="utf-8") == page(), "refresh it with: python tests/docs/data_page.py"
