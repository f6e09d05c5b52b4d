"""Do calls that few programs use do what CUDA says of them, and is every wrong one a status of its own?"""
import re

import pytest
from test_foreign_programs import run

from archdef import registry

MACHINE = next((name for name in ("v100", "h100") if name in registry.names()), None)
pytestmark = pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")
PARTS = ["drawing", "numbers", "events", "children", "variables", "attributes", "advice", "batches", "libraries", "flags", "elsewhere"]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_does_what_it_shall(build, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, printed = run([build("further"), part], MACHINE, tmp_path, devices=2)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
    if part == "drawing":
        text = (tmp_path / "graph.dot").read_text()
        assert text.count("{") == text.count("}") and len(re.findall(r"^subgraph", text, re.MULTILINE)) == 2


def test_a_drawing_goes_to_the_programs_own_output(build, tmp_path):
    found, printed = run([build("further"), "output"], MACHINE, tmp_path)
    assert printed.startswith("digraph dot {") and "scale" in printed and found.exit_code == 0, found.failures
