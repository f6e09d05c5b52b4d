"""What the README shows is what happens."""
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from readme_output import printed, shown

from archdef import registry
from archdef.cli import COMMANDS
from archdef.frontends import nvrtc

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PLUGINS = sorted(p.name for p in (ROOT / "plugins").iterdir() if (p / "pyproject.toml").is_file() and not p.name.endswith("-evidence"))

runs_kernels = pytest.mark.skipif(nvrtc.toolchain() is None or "gt200" not in registry.names(),
                                  reason="needs the NVRTC wheel and the plugins of the README")


def command(name):
    """Give the block after a marker comment."""
    (block,) = re.findall(rf"<!-- command: {name} -->\n```sh\n(.*?)```", README, re.DOTALL)
    return block.strip()


@pytest.mark.parametrize("name", ["main", "tests"])
def test_each_command_is_one_line_that_does_its_own_set_up(name):
    line = command(name)
    assert "\n" not in line and line.startswith("python3 -m venv .venv && .venv/bin/pip install")


def test_users_install_every_machine_without_its_evidence_and_tests_have_both():
    assert re.findall(r" \./plugins/(\S+)", command("main")) == sorted(PLUGINS, key=command("main").index)
    assert re.findall(r" \./plugins/(\S+)", command("tests")) == ["*"]


def test_the_ci_script_runs_the_readmes_own_test_command(tmp_path):
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    awk = re.search(r"awk '(.*?)' README\.md", script.read_text(), re.DOTALL)[1]
    found = subprocess.run(["awk", awk, str(ROOT / "README.md")], capture_output=True, text=True, check=True).stdout
    assert found.strip() == command("tests")


def test_every_machine_is_named():
    (sentence,) = re.findall(r"^Here are (.*?)\. Each is one", README, re.DOTALL | re.MULTILINE)
    ours = {point for plugin in PLUGINS for point in tomllib.loads((ROOT / "plugins" / plugin / "pyproject.toml").read_text(encoding="utf-8"))
            .get("project", {}).get("entry-points", {}).get("archdef", {})}
    assert "m2090" in ours and set(re.findall(r"\(`(\w+)`", sentence)) == ours


def test_links_lead_somewhere():
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_every_sub_command_is_listed():
    assert set(COMMANDS) == set(re.findall(r"^\| `archdef ([\w-]+)", README, re.MULTILINE))


@runs_kernels
def test_the_python_example_runs(capsys):
    example = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))     # the second goes on with the first's names
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "saxpy" in printed and "gt200" in printed


@runs_kernels
@pytest.mark.skipif(not {"g80", "gf100", "c500"} <= set(registry.names()) or shutil.which("g++") is None, reason="needs the plugins of this repository, and g++")
@pytest.mark.parametrize("name, right, times", [("main", " correct\n", 20), ("program", "PASSED\n", 3)])
def test_a_command_prints_what_the_readme_shows(name, right, times):
    now = printed(name)
    assert now.count(right) == times
    assert now == shown(name), "refresh it with: python tests/docs/readme_output.py"
