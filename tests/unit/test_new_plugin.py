"""`archdef new-plugin` writes a distribution that installs and passes its tests as it is, outside this repository."""
import json
import os
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from elsewhere import PYTEST_PLUGIN, can_install

from archdef import registry
from archdef.cli import main
from archdef.errors import ScaffoldError, UnknownArchitecture
from archdef.scaffold import new_plugin
from archdef.scaffold.scaffold import supported

INSTALLED = registry.names()
BASES = [None, *(name for name in ("g80", "h100", "c500") if name in INSTALLED)]


@can_install
@pytest.mark.parametrize("base, options", [(None, ("-e",)), (None, ()), *((base, ()) for base in BASES[1:2])],
                         ids=lambda value: "-".join(value) if isinstance(value, tuple) else value)
def test_a_new_plugin_installs_and_passes_its_tests_as_it_is(base, options, tmp_path, elsewhere):
    made = new_plugin("gizmo_9", base=base, folder=tmp_path)
    elsewhere.install(made, *options) if options else elsewhere.install(made)
    said = elsewhere("-m", "pytest", *PYTEST_PLUGIN, "-p", "no:cacheprovider", "-p", "no:xdist", "--archdef-quick", folder=made)
    assert "[100%]" in said and "skipped" not in said and "xfailed" not in said, said
    listed = json.loads(elsewhere("-m", "archdef", "archs", "--json"))
    assert "gizmo_9" in [a["name"] for a in listed["architectures"]] and not listed["broken"]
    assert "gizmo_9" in elsewhere("-m", "archdef", "occupancy", "-a", "gizmo_9", "-t", "64")


@pytest.mark.parametrize("base", BASES, ids=str)
def test_the_declaration_takes_less_than_a_hundred_lines(base, tmp_path):
    made = new_plugin("gizmo", base=base, folder=tmp_path)
    text = (made / "src" / "archdef_gizmo" / "__init__.py").read_text()
    assert len(text.splitlines()) < 100 and max(map(len, text.splitlines())) <= 150 and "$" not in text
    compile(text, "declaration", "exec")


@pytest.mark.parametrize("base", BASES, ids=str)
def test_nothing_is_left_to_fill_in(base, tmp_path):
    made = new_plugin("gizmo", base=base, folder=tmp_path)
    files = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert files == {"pyproject.toml", "README.md", ".gitignore", "src/archdef_gizmo/__init__.py", "src/archdef_gizmo/DEVIATIONS.md",
                     "src/archdef_gizmo/data/README.md", "src/archdef_gizmo/data/cases.toml", "tests/test_gizmo.py"}
    assert not [file for file in files if "$" in (made / file).read_text()]
    project = tomllib.loads((made / "pyproject.toml").read_text())["project"]
    assert project["entry-points"] == {"archdef": {"gizmo": "archdef_gizmo"}}
    assert len(project["dependencies"]) == (1 if base is None else 2) and project["dependencies"][0].startswith("archdef>=")


@pytest.mark.skipif(not INSTALLED, reason="no architecture plugin is installed")
@pytest.mark.parametrize("base", INSTALLED)
def test_a_variant_begins_as_its_base(base, tmp_path):
    made = new_plugin("gizmo", base=base, folder=tmp_path)
    scope = {}
    exec((made / "src" / "archdef_gizmo" / "__init__.py").read_text(), scope)
    machine, original = scope["GIZMO"], registry.get(base)
    assert {path: value for path, value, _ in machine.leaves() if "." in path} == \
        {path: value for path, value, _ in original.leaves() if "." in path}
    assert machine.evidence == {path: cite.elsewhere() for path, cite in original.evidence.items()} and len(scope["CHANGES"]) >= 8


@pytest.mark.parametrize("name, said", [
    ("Gizmo", "did you mean gizmo?"), ("archdef-gizmo", "did you mean gizmo?"), ("gizmo-2", "did you mean gizmo_2?"),
    ("9gizmo", "a letter first"),
    ("", "cannot name"), ("gizmo.x", "did you mean gizmo_x?"), ("../gizmo", "cannot name"), ("g" * 41, "longer than 40"),
    ("gizmo_", "did you mean gizmo?"),
    ("gizmo\n", "did you mean gizmo?"), ("größe", "cannot name")])
def test_a_name_that_cannot_be_used_is_refused(name, said, tmp_path):
    with pytest.raises(ScaffoldError, match=said.replace("?", r"\?")):
        new_plugin(name, folder=tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not INSTALLED, reason="no architecture plugin is installed")
def test_names_of_installed_architectures_are_refused(tmp_path):
    machine = registry.get(INSTALLED[0])
    for name in (machine.name, *machine.aliases):
        with pytest.raises(ScaffoldError, match="is taken by an installed plugin"):
            new_plugin(name, folder=tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "archdef-gizmo").mkdir()
    with pytest.raises(ScaffoldError, match="archdef-gizmo exists"):
        new_plugin("gizmo", folder=tmp_path)
    assert os.listdir(tmp_path) == ["archdef-gizmo"] and os.listdir(tmp_path / "archdef-gizmo") == []


def test_an_unknown_base_is_refused(tmp_path):
    with pytest.raises(UnknownArchitecture, match="no architecture is called 'nothing'"):
        new_plugin("gizmo", base="nothing", folder=tmp_path)
    assert os.listdir(tmp_path) == []


def test_an_error_halfway_leaves_nothing(tmp_path, monkeypatch):
    written = []

    def failing(self, *args, write=Path.write_text, **more):
        written.append(self.name)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        return write(self, *args, **more)

    monkeypatch.setattr(Path, "write_text", failing)
    with pytest.raises(ScaffoldError, match="No space left on device"):
        new_plugin("gizmo", folder=tmp_path)
    assert len(written) == 3 and os.listdir(tmp_path) == []


def test_the_command_says_what_to_do_next(tmp_path):
    result = CliRunner().invoke(main, ["new-plugin", "gizmo", "--in", str(tmp_path)])
    assert result.exit_code == 0 and "pip install -e '.[test]'" in result.output
    again = CliRunner().invoke(main, ["new-plugin", "gizmo", "--in", str(tmp_path), "--json"])
    assert again.exit_code == 2 and "exists" in again.output
    listed = json.loads(CliRunner().invoke(main, ["new-plugin", "gizmo_2", "--in", str(tmp_path), "--json"]).output)
    assert "src/archdef_gizmo_2/__init__.py" in listed["files"]


def test_a_plugin_supports_the_minor_release_that_it_was_written_for():
    assert supported("0.1.0") == ">=0.1,<0.2" and supported("1.12.3.dev0") == ">=1.12,<1.13"
