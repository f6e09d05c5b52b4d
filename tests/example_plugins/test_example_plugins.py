"""Do the example plugins under docs/examples/plugins install, pass their own tests and run, as a third party would do it?"""
import json
import shutil
import tomllib
from pathlib import Path

import pytest
from elsewhere import PYTEST_PLUGIN, can_install

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent for path in (ROOT / "docs" / "examples" / "plugins").glob("*/pyproject.toml")
                 if "entry-points.archdef]" in path.read_text())  # tests/policies has those that bring policies


def architectures(plugin: Path) -> list[str]:
    """Names that a plugin's project promises."""
    return list(tomllib.loads((plugin / "pyproject.toml").read_text())["project"]["entry-points"]["archdef"])


def test_there_are_plugins():
    assert PLUGINS


@can_install
@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_an_example_plugin_installs_passes_its_tests_and_runs(plugin, tmp_path, elsewhere):
    copy = Path(shutil.copytree(plugin, tmp_path / plugin.name))
    elsewhere.install(copy)
    said = elsewhere("-m", "pytest", *PYTEST_PLUGIN, "-p", "no:cacheprovider", "-p", "no:xdist", "--archdef-quick", folder=copy)
    assert "[100%]" in said and "skipped" not in said, said
    listed = json.loads(elsewhere("-m", "archdef", "archs", "--json"))
    for name in architectures(plugin):
        assert name in [a["name"] for a in listed["architectures"]] and not listed["broken"]
        report = json.loads(elsewhere("-m", "archdef", "check", name, "--quick", "--json"))
        assert report["good"] and len(report["checks"]) > 50


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_an_example_declares_a_machine_in_less_than_a_hundred_lines(plugin):
    sources = list((plugin / "src").rglob("*.py"))
    assert sources and all(len(path.read_text().splitlines()) < 100 for path in sources)
    assert list(plugin.glob("src/*/DEVIATIONS.md")) and "Conformance" in "".join(path.read_text() for path in (plugin / "tests").glob("*.py"))
