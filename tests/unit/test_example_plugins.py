"""The example plugins, made with nothing but `archdef new-plugin`, install and pass their tests as a third party's would."""
import json
import shutil
from pathlib import Path

import pytest
from elsewhere import PYTEST_PLUGIN, can_install, elsewhere  # noqa: F401  a fixture

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.parent for path in (ROOT / "docs" / "examples" / "plugins").glob("*/pyproject.toml"))


@can_install
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_plugin_installs_and_passes_its_tests(example, tmp_path, elsewhere):  # noqa: F811
    folder = tmp_path / "checkout" / example.name
    shutil.copytree(example, folder, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    elsewhere.install(folder)
    said = elsewhere("-m", "pytest", *PYTEST_PLUGIN, "-p", "no:cacheprovider", "-p", "no:xdist", "--archdef-quick", folder=folder)
    assert "[100%]" in said and "skipped" not in said and "xfailed" not in said, said
    name = example.name.removeprefix("archdef-").replace("-", "_")
    (listed,) = [a for a in json.loads(elsewhere("-m", "archdef", "archs", "--json"))["architectures"] if a["name"] == name]
    compared = json.loads(elsewhere("-m", "archdef", "compare", "transpose", "-n", "128", "-a", name, "--json"))
    assert listed["assumed_values"] and compared


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_declares_a_whole_machine_in_less_than_a_hundred_lines(example):
    (declaration,) = example.glob("src/*/__init__.py")
    assert len(declaration.read_text(encoding="utf-8").splitlines()) < 100


def test_there_are_examples():
    assert EXAMPLES
