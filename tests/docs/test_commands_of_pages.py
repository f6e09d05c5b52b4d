"""The shell commands of docs/tutorial and docs/howto are run as they stand there, in order, in an empty folder beside an environment of its own.

What takes minutes runs with ``-m long``; what is not run at all has its reason in `NOT_RUN`. Of what a page prints, words and counts are compared.
"""
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from archdef import registry
from archdef.frontends import nvrtc

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "unit")]
from elsewhere import PYTEST_PLUGIN, can_install, elsewhere  # noqa: E402, F401  a fixture
from test_pages_run import PAGES, files, text_of  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None or not {"g80", "gf100", "gt200", "c500", "v100", "h100"} <= set(registry.names()),
                                reason="needs the NVRTC wheel and the plugins of this repository")
NOT_RUN = {
    "python3 -m venv .venv && . .venv/bin/activate": "the test has made an environment",
    "pip install '.[cuda]' ./plugins/archdef-tesla ./plugins/archdef-fermi ./plugins/archdef-xiyun": "downloads; tests/docs/test_readme.py looks at such lines",
    "pip install 'archdef[report]'": "downloads; these tests have it by archdef[test]",
    "pip install archdef-tesla-evidence archdef-hopper-evidence": "downloads; these tests have the plugins of this repository, and their evidence",
    "archdef microbench --hardware --json -o mine.json": "needs an NVIDIA GPU; `mine.json` is a simulated machine's instead",
    **dict.fromkeys(("nvcc -gencode arch=compute_50,code=compute_50 vectorAdd.cu -o vectorAdd", "archdef exec -a v100 -- ./vectorAdd",
                     "archdef exec -a gt200 -a gf100 -a c500 -- ./vectorAdd", "archdef exec -a gt200 -a gf100 -a c500 -a v100 -a h100 main.cu",
                     'archdef exec -a gt200 -a v100 --build "kernels.cu helpers.cpp -I include -Xcompiler -fopenmp -lcublas" -- main.cu --size 1024',
                     "archdef exec -a v100 --max-launches 20 -- ./program", "archdef exec -a v100 --functional -- ./program",
                     "archdef exec -a h100 --devices 2 --report launches.html --timeline all.json.gz -- ./program --size 1024",
                      "archdef exec -a v100 -- python script.py"),
                    "needs a program that nvcc has compiled; tests/exec runs programs that the C compiler makes"),
    "python -m archdef.triton -a v100 -a h100 tutorial.py --size 1024": "needs the extra triton; tests/run/test_triton_programs.py runs a program so",
    **dict.fromkeys(("pip install 'archdef[cuda,build,exec]'", "archdef build main.cu kernels.cu helpers.cpp -o program -a v100", "archdef exec -a v100 -- ./program",
                     "archdef build -x maca saxpy.cpp -o saxpy -a c500", "archdef exec -a c500 saxpy.cpp", 'make NVCC="archdef build"', "archdef build main.cu -o program -Xcompiler -fopenmp -lgomp",
                     "pip install 'archdef[cuda,build,thrust,exec]'", "archdef build sort.cu -o sort -a v100 --compiler clang",
                     "archdef build -rdc=true main.cu kernels.cu -o program -a v100"),
                    "needs sources of the reader; tests/programs builds and runs others"),
    "apt install clang": "changes the machine",
    "archdef compare reduction -a gf100 --set schedulers.policy=memory_first": "names a policy that its reader publishes; tests/policies/test_policy_plugin.py has one",
}
"""Line of a page → why it is not run."""
PLOTS = importlib.util.find_spec("matplotlib") is not None
LONG = ("archdef microbench gt200", "archdef microbench gt200 h100 c500 latency", "archdef microbench h100 --against", "archdef check narrow", "archdef check gt200",
        "archdef validate gt200", "archdef validate h100 --quick", "archdef validate h100 -k cycles", "archdef validate --html", "pytest --archdef-arch", "pytest",
        "archdef microbench h100 v100 global_latency", "archdef microbench h100 --set", "archdef check wide_fermi", "for n in 2 4 8")
"""Beginnings of lines that take a quarter of a minute or more."""
HOURS = ("archdef validate --html",)
"""Of them, what takes an hour: it is run for a few cases."""


def lines(page):
    """The lines of a page's shell blocks and of its indented commands, in order, without comments."""
    text = re.sub(r"```(?!sh\n)\w+\n.*?```", "", text_of(page), flags=re.DOTALL)
    found = re.findall(r"```sh\n((?:.|\n)*?)```|^    ((?:(?:archdef|pip|python3?|cd|for) .*|pytest.*))$", text, re.MULTILINE)
    return [line.partition("  #")[0].strip() for block, one in found for line in (block or one).splitlines() if line.strip()]


ALL = {page.relative_to(DOCS).as_posix(): lines(page.relative_to(DOCS).as_posix()) for page in PAGES}


@pytest.fixture
def shell(tmp_path, elsewhere):  # noqa: F811  the fixture
    """What runs lines in one folder after another, with `archdef`, `pytest` and `pip` of the environment."""
    tools = tmp_path / "tools"
    tools.mkdir()
    python = tmp_path / "env" / "bin" / "python"
    for name, line in {"archdef": f'exec {python} -m archdef "$@"', "pytest": f'exec {python} -m pytest {" ".join(PYTEST_PLUGIN)} -p no:cacheprovider "$@"',
                       "pip": f"exec {sys.executable} -m pip --python {python} --disable-pip-version-check install -q --no-deps --no-index --no-build-isolation -e ."}.items():
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    folder, environment = tmp_path / "work", {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PYTHON", "ARCHDEF"))}
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    folder.mkdir()

    def run(line):
        nonlocal folder
        if line.startswith("cd "):
            folder /= line[3:]
            assert folder.is_dir(), line
            return ""
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=1800)
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    run.folder = folder
    return run


def change(page, folder):
    """Put what a page tells people to write into a file of theirs."""
    for place, changes in re.findall(r"<!-- in: (\S+) -->\n```python\n(.*?)```", text_of(page), re.DOTALL):
        written = (folder / place).read_text()
        (folder / place).write_text(re.sub(r"^CHANGES = \{.*?^\}\n", lambda _: changes, written, flags=re.DOTALL | re.MULTILINE))


def follow(page, shell, long):
    """Run a page's lines; those that take long only if `long` asks for them."""
    for name, text in files(page).items():
        (shell.folder / name).write_text(text)
    for line in ALL[page]:
        if line in NOT_RUN or line.startswith(LONG) and not long:
            continue
        if not PLOTS:
            line = re.sub(r" --plot \S+", "", line)
        if line.startswith(HOURS):
            line += " gt200 -k 'counts/transpose_*'"
        if line.startswith("archdef diff"):
            change(page, shell.folder)
        if line.endswith("--against mine.json"):
            shell("archdef microbench h100 barrier --json -o mine.json")
        yield line, shell(line)


def test_what_is_not_run_stands_in_a_page():
    everything = [line for found in ALL.values() for line in found]
    assert set(NOT_RUN) - {"python3 -m venv .venv && . .venv/bin/activate"} <= set(everything) and len(everything) > 30
    assert all(any(line.startswith(start) for line in everything) for start in LONG)


@can_install
@pytest.mark.parametrize("page", [page for page, found in ALL.items() if any(line not in NOT_RUN and not line.startswith(LONG) for line in found)])
def test_the_commands_of_a_page_do_what_it_says(page, shell):
    printed = dict(follow(page, shell, long=False))
    assert all(re.search(r"\w", output) for line, output in printed.items() if line.startswith("archdef ") and not re.search(r" -o | > ", line)), printed


@pytest.mark.long
@can_install
@pytest.mark.parametrize("page", [page for page, found in ALL.items() if any(line.startswith(LONG) for line in found)])
def test_the_long_commands_of_a_page_do_what_it_says(page, shell):
    printed = dict(follow(page, shell, long=True))
    assert any(line.startswith(LONG) for line in printed)
