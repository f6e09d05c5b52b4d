"""Does the site hold everything, and do its tutorials run? With the extra `docs` installed, it is built too, warnings as errors."""
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from archdef import hookspecs, registry
from archdef.cli import COMMANDS, main
from archdef.frontends import nvrtc
from archdef.metrics import BUILT_IN

DOCS = Path(__file__).parents[2] / "docs"
needs_plugins = pytest.mark.skipif(not {"g80", "gt200", "gf100", "c500"} <= set(registry.names()), reason="needs the plugins of the README")
needs_nvrtc = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")


@pytest.fixture
def made(monkeypatch):
    """The modules that make pages and figures."""
    pytest.importorskip("jinja2")
    monkeypatch.syspath_prepend(str(DOCS))
    found = {}
    for name in ("measurements", "figures", "interactive", "notebook", "generate"):
        spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
        found[name] = monkeypatch.setitem(sys.modules, name, importlib.util.module_from_spec(spec)) or sys.modules[name]
        spec.loader.exec_module(found[name])
    return found


def test_every_page_is_in_the_index():
    listed = set(re.findall(r"^([\w./-]+/[\w.-]+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE))
    pages = {str(p.relative_to(DOCS).with_suffix("")) for p in DOCS.rglob("*.md")
             if not {"plugins", "_generated", "_build", "howto"} & set(p.relative_to(DOCS).parts) and p.name != "index.md"}
    assert pages <= listed, pages - listed


def test_every_hook_metric_and_option_is_documented(made):
    hooks, metrics, commands = (getattr(made["generate"], name)() for name in ("hooks", "metrics", "commands"))
    assert all(f"## `{name}(" in hooks for name in vars(hookspecs) if name.startswith("archdef_"))
    assert all(f"`{metric.name}`" in metrics and metric.about in metrics for metric in BUILT_IN)
    for name in COMMANDS:
        assert f"## archdef {name}\n" in commands
        for parameter in main.get_command(None, name).params:
            for option in getattr(parameter, "opts", ()):
                if option.startswith("--"):
                    assert option in commands and getattr(parameter, "help", "no help") , (name, option)


@needs_plugins
def test_every_architecture_has_a_page(made, tmp_path):
    index = made["generate"].architectures(tmp_path)
    for name in registry.names():
        assert f"arch-{name}\n" in index and (tmp_path / f"arch-{name}.md").stat().st_size > 1000 and (tmp_path / f"arch-{name}.svg").exists()


@needs_plugins
@needs_nvrtc
def test_the_first_kernel_runs(tmp_path, monkeypatch):
    text = (DOCS / "tutorial" / "first-kernel.md").read_text(encoding="utf-8")
    for name, body in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(body)
    done = subprocess.run([sys.executable, "first.py"], cwd=tmp_path, capture_output=True, text=True, env=_environment())
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 3, done.stderr
    command = re.search(r"    archdef (run .*)", text)[1].split()
    done = subprocess.run([sys.executable, "-m", "archdef", *command], cwd=tmp_path, capture_output=True, text=True, env=_environment())
    assert done.returncode == 0 and "scale.cu:5" in done.stdout, done.stderr


def test_the_site_builds_without_a_warning(tmp_path):
    for name in ("sphinx", "myst_parser", "furo", "matplotlib", "jinja2"):
        pytest.importorskip(name, reason="pip install archdef[docs]")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", DOCS, tmp_path], capture_output=True, text=True, env=_environment())
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "index.html").exists() and (tmp_path / "explanation" / "coalescing.html").read_text().count(".svg")


def _environment():
    import os

    return os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
