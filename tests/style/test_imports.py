"""Are imports where readers and import-linter look for them, and does what starts often import little?"""
import ast
import os
import shutil
import subprocess
import sys

import pytest
from test_tools import ROOT, SCRIPTS

PACKAGE = ROOT / "archdef"
LAZY = {"archdef/testing/plugin.py", "archdef/options.py", *(str(path.relative_to(ROOT)) for path in PACKAGE.glob("cli/*.py"))}
"""They start often and need few of the names that they use, which `archdef` imports at their first use: the layers below are none of it."""
TOLD = {"__version__", "__file__", "engine"}
"""Names of `archdef` that others use: of the package itself, and one that ``import archdef.engine`` has bound."""


def checked(text: str, name: str) -> str:
    """What ruff says of a text, were it a file of that name."""
    program = shutil.which("ruff", path=SCRIPTS)
    if program is None:
        pytest.skip(f"ruff is not installed in {SCRIPTS}; the extra 'test' brings it")
    return subprocess.run([program, "check", "--output-format", "concise", "--stdin-filename", str(ROOT / name), "-"], input=text, cwd=ROOT,
                          capture_output=True, text=True).stdout


def inside(line: str) -> str:
    """A function that does nothing but that line, and use the name."""
    return f"def f():\n    {line}\n    return {line.rsplit(maxsplit=1)[-1]}\n"


@pytest.mark.parametrize("line", ["from archdef import registry", "from rich import table", "import json", "from archdef.report import described"])
@pytest.mark.parametrize("name", ["archdef/run/new.py", "archdef/new.py", "archdef/validate/new.py"])
def test_an_import_within_a_function_is_refused(line, name):
    assert "PLC0415" in checked(inside(line), name)


@pytest.mark.parametrize("line", ["import pandas", "from numba import cuda", "from triton import language", "from matplotlib import figure", "import pyarrow", "import ncu_report"])
def test_a_package_that_may_be_missing_is_imported_within_a_function_and_nowhere_else(line):
    assert "All checks passed" in checked(inside(line), "archdef/run/new.py")
    assert "TID253" in checked(f"{line}\n\nx = {line.split()[-1]}\n", "archdef/run/new.py")


def test_the_rule_has_no_other_exceptions():
    """What carries ``noqa`` is a package that tests need, which nothing else may."""
    found = [line.strip() for path in PACKAGE.rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines() if "PLC0415" in line]
    assert found == ["import pytest  # noqa: PLC0415  an optional package"]


def test_layers_below_the_command_line_import_what_they_use():
    """An attribute of `archdef` imports a module, too, but is no import that import-linter sees."""
    hidden = {str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
              if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "archdef" and node.attr not in TOLD}
    assert hidden <= LAZY and "archdef/options.py" in hidden


def modules(*command: str) -> set[str]:
    """The modules of archdef that a command line has imported by its end."""
    code = ("import runpy, sys; sys.argv = ['archdef', *sys.argv[1:]]\n"
            "try: runpy.run_module('archdef.cli', run_name='__main__')\n"
            "except SystemExit: print(*sys.modules, file=sys.stderr)")
    paths = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    done = subprocess.run([sys.executable, "-c", code, *command], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_list_of_commands_imports_none_of_them():
    found = modules("--help")
    assert {name for name in found if name.startswith("archdef.cli.")} <= {"archdef.cli.__main__"}
    assert not found & {"attrs", "numpy", "rich", "pluggy", "archdef.spec"}


@pytest.mark.parametrize("command", sorted({path.stem for path in PACKAGE.glob("cli/*.py")} - {"__init__", "__main__", "common", "compiler", "completing", "data", "launching", "logs", "measured", "nvcc_options", "output"}))
def test_the_help_of_a_command_imports_no_machine_and_no_engine(command):
    found = modules(command.replace("_", "-"), "--help")
    assert f"archdef.cli.{command}" in found
    assert not found & {"rich.table", "archdef.spec", "archdef.device", "archdef.engine", "archdef.lower", "archdef.frontends", "archdef.validate"}
    assert not {name for name in found if name.startswith("archdef_")}
