"""Every command gives one JSON document on standard output, with the keys that docs/reference/command-line.md says, and nothing else."""
import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from archdef import registry
from archdef.cli import COMMANDS, main
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
PTX = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
DOCUMENTED = {name: (form, re.findall(r"`(\w+)`", keys)) for name, form, keys in re.findall(r"^\| `([^`]+)` \| (.*?) \| (.*) \|$", PAGE, re.MULTILINE)}
PAGE_ROWS = dict(re.findall(r"^\| `([^`]+)` (.*)$", PAGE, re.MULTILINE))
CALLS = {  # row of that table → a command line of it
    "advise": "vector_add gt200 -n 1024", "advise --list": "", "archs": "", "attribute": "vector_add gt200 gf100 -n 1024 --groups clocks -j 1", "attribute --list": "", "build": "main.cpp -o program --compiler nvrtc", "check": "gt200 -k test_names_lead_to_it", "check --list": "gt200 --quick", "compare": "vector_add gt200 -n 1024", "compare --list": "", "completion": "zsh",
    "diff": "gt200 g80", "exec": "true -a gt200", "export": "gt200", "lower": "k.ptx gt200", "lower --passes": "k.ptx gt200", "metrics": "", "microbench": "gt200 barrier -p warps=1",
    "microbench --list": "", "new-plugin": "gizmo --from gt200", "occupancy": "gt200 -t 64", "page": "gt200 -o page.html", "report": "vector_add gt200 -n 256 -o report.html", "resources": "k.ptx gt200",
    "roofline": "gt200", "run": "k.ptx k gt200 -g 1 -b 1 --arg u1[4]", "run --list": "k.ptx k gt200", "schema": "", "show": "gt200",
    "validate": "gt200 --quick -k nothing*", "validate --list": "gt200", "why": "k.ptx k gt200 -g 1 -b 1 --arg u1[4] -w 0 -c 0"}


@pytest.fixture
def document(tmp_path, monkeypatch):
    """What gives the document of a row of the table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ptx").write_text(PTX)
    (tmp_path / "main.cpp").write_text("int main() { return 0; }\n")

    def called(row):
        if row == "build" and (nvrtc.toolchain() is None or shutil.which("g++") is None):
            pytest.skip("needs the NVRTC wheel and g++")
        done = CliRunner().invoke(main, [*row.split(), *CALLS[row].split(), "--json"])
        assert done.exit_code in (0, 1), done.output
        return json.loads(done.stdout)
    return called


def listing():
    """Commands that have ``--list``."""
    context = main.make_context("archdef", [], resilient_parsing=True)
    return {f"{name} --list" for name in main.list_commands(context) if any("--list" in p.opts for p in main.get_command(context, name).params)}


def test_every_command_and_every_list_has_a_row_and_a_call_here():
    assert set(CALLS) == set(DOCUMENTED) >= {*COMMANDS, *listing()} and len(listing()) >= 5


@pytest.mark.parametrize("row", sorted({*CALLS} - {"validate"}))
def test_a_command_gives_one_document_with_the_keys_of_the_page(row, document):
    found, (form, keys) = document(row), DOCUMENTED[row]
    assert isinstance(found, dict if form.startswith("object") else list) and found
    if keys:
        given = set(found if isinstance(found, dict) else found[0])
        assert set(keys) <= given if "and the others of" in PAGE_ROWS[row] else set(keys) == given


def test_cases_that_are_run_give_one_document_with_the_keys_of_the_page(document, monkeypatch):
    monkeypatch.setitem(CALLS, "validate", f"gt200 -k {document('validate --list')[0]['id']}")
    assert list(document("validate")) == DOCUMENTED["validate"][1]

