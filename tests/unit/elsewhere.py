"""An environment of its own, in which plugins are installed as a third party would, without a network."""
import importlib.util
import os
import subprocess
import sys
import venv
from importlib.metadata import entry_points

import pytest

PYTEST_PLUGIN = ("-p", "archdef.testing.plugin") * all(p.value != "archdef.testing.plugin" for p in entry_points(group="pytest11"))
"""What loads the pytest plugin, where archdef is on the path but not installed."""
can_install = pytest.mark.skipif(importlib.util.find_spec("pip") is None or importlib.util.find_spec("setuptools") is None,
                                 reason="installing a plugin without a network needs pip and setuptools here")


@pytest.fixture
def elsewhere(tmp_path):
    """An environment of its own that sees what is installed here; a function that calls its Python."""
    venv.create(tmp_path / "env", with_pip=False)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    seen = [path for path in map(os.path.abspath, sys.path) if os.path.isdir(path) and "lib-dynload" not in path]
    (site / "here.pth").write_text("\n".join(seen))
    python = tmp_path / "env" / "bin" / "python"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "PYTHON", "ARCHDEF"))}

    def call(*arguments, folder=tmp_path, code=0):
        done = subprocess.run([python, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def install(folder, *options):
        pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "-q", "--no-deps",
               "--no-index", "--no-build-isolation", *options, str(folder)]
        done = subprocess.run(pip, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr

    call.install = install
    return call
