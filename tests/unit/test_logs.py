"""What archdef does is logged by the standard module, and printed by the command line when it is asked to."""
import ast
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import COMMANDS, main
from archdef.errors import PluginError
from archdef.progress import DISPLAY
from archdef.registry import Registry

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
PTX = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k() { ret; }\n"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "k.ptx").write_text(PTX)
    return ["run", str(tmp_path / "k.ptx"), "k", "gt200", "-g", "1", "-b", "1"]


def test_compilation_lowering_and_launches_are_logged(caplog):
    caplog.set_level(logging.DEBUG, "archdef")
    archdef.Device("gt200").compile(PTX).k[1, 1]()
    said = [(record.name, record.levelname, record.getMessage()) for record in caplog.records if record.name.startswith("archdef.")]
    assert any(name == "archdef.frontends" and level == "INFO" and "PTX by PTX text, in " in text for name, level, text in said)
    assert any(level == "DEBUG" and text.startswith("k lowered for gt200: ") for _, level, text in said)
    assert any(name == "archdef.run.launch" and level == "INFO" and "k on gt200, grid (1, 1, 1), block (1, 1, 1): " in text and "us simulated in" in text for name, level, text in said)


def test_plugins_are_logged_as_they_are_loaded_and_where_they_are_broken(caplog):
    caplog.set_level(logging.INFO, "archdef")
    points = [p for p in __import__("importlib.metadata").metadata.entry_points(group="archdef") if p.name == "gt200"]
    Registry(points).get("gt200")
    broken = __import__("importlib.metadata").metadata.EntryPoint("odd", "no_such_module", "archdef")
    with pytest.raises(PluginError):
        Registry([broken]).get("odd")
    said = [record.getMessage() for record in caplog.records if record.name == "archdef.registry"]
    assert any("loaded for gt200" in text for text in said) and any("is broken: " in text and "no_such_module" in text for text in said)


def test_a_program_that_asks_for_nothing_hears_nothing(tmp_path):
    code = f"import archdef\narchdef.Device('gt200').compile({PTX!r}).k[1, 1]()\nimport logging\nassert logging.getLogger('archdef').handlers"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("before, behind, lowered", [((), (), None), (("-v",), (), False), ((), ("-v",), False), (("-vv",), (), True), ((), ("-v", "-v"), True), (("-v",), ("-vv",), True)])
def test_the_command_line_says_as_much_as_it_is_asked_to(run, before, behind, lowered):
    done = CliRunner().invoke(main, [*before, *run, *behind])
    assert done.exit_code == 0 and done.stderr.count("archdef.run.launch: k on gt200") == (lowered is not None)
    assert ("lowered for" in done.stderr) == bool(lowered) and "archdef.run" not in done.stdout
    assert not [h for h in logging.getLogger("archdef").handlers if not isinstance(h, logging.NullHandler)]


def test_quiet_says_errors_alone(run, monkeypatch):
    seen = []

    def launched(self):
        seen.append(DISPLAY.quiet)
        warnings.warn("heard", UserWarning, stacklevel=1)
        raise archdef.ArchdefError("an error")
    monkeypatch.setattr(archdef.run.launch.Grid, "run", launched)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        done = CliRunner().invoke(main, ["-q", *run])
    assert done.exit_code == 2 and done.stderr == "Error: an error\n" and seen == [True] and not heard and not DISPLAY.quiet


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_both_options(command):
    taken = {option for parameter in main.get_command(None, command).params for option in parameter.opts}
    assert {"-v", "--verbose", "-q", "--quiet", "--json"} <= taken


def test_the_library_prints_nothing():
    """Neither by ``print`` nor to the standard streams; the command line prints by click."""
    found = [f"{path}:{node.lineno}" for path in Path(archdef.__file__).parent.rglob("*.py") if path.parent.name != "cli" and path.name != "ship.py"
             for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write", "sys.stderr.write")]
    assert found == []
