"""Does the code keep the rules of form that pyproject.toml states for each tool?"""
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sysconfig.get_path("scripts")
"""The tools must see the packages that archdef imports, so they are those of this environment."""


def run(tool: str, *arguments: str) -> str:
    """Run a tool from the root of the tree; give what it says, and fail with that if it finds anything."""
    program = shutil.which(tool, path=SCRIPTS)
    if program is None:
        pytest.skip(f"{tool} is not installed in {SCRIPTS}; the extra 'test' brings it")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    environment["PATH"] = os.pathsep.join((SCRIPTS, environment.get("PATH", os.defpath)))       # cython-lint runs pycodestyle
    done = subprocess.run([program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{tool} {' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_the_linter_finds_nothing():
    seen = {Path(line).resolve() for line in run("ruff", "check", "--show-files").splitlines()}
    assert seen >= {*ROOT.glob("archdef/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("plugins/*/src/**/*.py")}
    run("ruff", "check")


def test_the_linter_of_cython_finds_nothing(tmp_path):
    wrong = tmp_path / "wrong.pyx"
    wrong.write_text("from libc.string cimport memcpy\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="'memcpy' imported but unused"):
        run("cython-lint", str(wrong))
    run("cython-lint", "ext")


def test_the_types_agree():
    sources = [*ROOT.glob("archdef/**/*.py"), *ROOT.glob("archdef/**/*.pyi")]
    checked = re.search(r"no issues found in (\d+) source files", run("mypy"))
    assert checked and int(checked[1]) == len(sources)


def test_no_layer_imports_a_higher_one():
    said = run("lint-imports", "--no-cache")
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken", said), said
