"""Does the plugin of policies that the documentation shows install, pass its own tests, and serve the command line? Do its page's files run?"""
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from archdef import registry
from archdef._deprecation import renamed_path
from archdef.policies import VIEWS

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "docs" / "examples" / "plugins" / "archdef-policies"
pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of the README")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment in which it is installed, and nothing of it in the source tree."""
    pytest.importorskip("numba")
    if int(version("setuptools").partition(".")[0]) < 77:        # not imported here: it minds that distutils is there already
        pytest.skip("setuptools before 77 cannot build it")
    folder = tmp_path_factory.mktemp("installed")
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", folder / "site", _copy(folder)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "site"), *map(os.path.abspath, filter(None, sys.path))])}


def _copy(folder):
    return shutil.copytree(PLUGIN, folder / "source")


def test_its_own_tests_pass(installed, tmp_path):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", PLUGIN / "tests"], cwd=tmp_path, env=installed, capture_output=True,
                          text=True)
    assert done.returncode == 0 and " skipped" not in done.stdout, done.stdout


def test_its_policies_are_chosen_by_name(installed, tmp_path):
    command = [sys.executable, "-m", "archdef", "compare", "transpose", "-a", "gt200", "--size", "256", "--set", "dram.partition_map=parity"]
    done = subprocess.run(command, cwd=tmp_path, env=installed, capture_output=True, text=True)
    assert done.returncode == 0 and "correct" in done.stdout, done.stderr


def blocks_of_the_page():
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "howto" / "policy.md").read_text(), re.DOTALL)


def test_the_page_tells_of_the_view_of_each_kind_of_policy():
    page = (ROOT / "docs" / "howto" / "policy.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `Archdef\w+View` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(VIEWS)


def test_the_plugins_readme_names_fields_as_they_are_now():
    text = (PLUGIN / "README.md").read_text()
    changed = dict(re.findall(r"--set (\S+)=(\S+)", text))
    assert changed and all(renamed_path(path) == path for path in changed)


def test_the_pages_listener_runs():
    import brought_runs

    scope = {}
    exec(blocks_of_the_page()[3], scope)
    small = {"caches.l1.size_bytes": 16384, "caches.l1.ways": 4}
    fewest, latest = (brought_runs.cycles("gf100", {**small, "caches.l1.replacement": policy}) for policy in (scope["FewestHits"](), "lru"))
    assert fewest != latest


def test_the_pages_policy_runs(monkeypatch):
    pytest.importorskip("numba")
    import brought_runs

    value, function, method = blocks_of_the_page()[:3]
    scope = {}
    exec(function + "import numpy as np\n" + value + "\n" + method, scope)      # the method continues the class
    policy = scope["MemoryFirst"](every=4)
    readable = type("Readable", (scope["MemoryFirst"],), {"__slots__": (), "compiled": lambda self: None})(every=4)
    one, other = (brought_runs.cycles("gf100", {"schedulers.policy": p}) for p in (policy, readable))
    assert one == other
