"""Shells complete what commands take."""
import json
import subprocess
import sys

import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete
from click.testing import CliRunner

from archdef import registry
from archdef.cli import main

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
CUDA = """template <class T> __global__ void __launch_bounds__(256) tiled(T *out) {}
namespace ns { __global__ void naive(float *x) {} }
__device__ int helper(int x) { return x; }
"""
PTX = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry _Z4copyPf(.param .u64 p) { ret; }\n.func other() { ret; }\n"


@pytest.fixture
def completed(tmp_path, monkeypatch):
    """What is offered at the end of a command line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.cu").write_text(CUDA)
    (tmp_path / "k.ptx").write_text(PTX)

    def offered(line):
        *words, last = line.split(" ")
        return [item.value for item in BashComplete(main, {}, "archdef", "_ARCHDEF_COMPLETE").get_completions(words, last)]
    return offered


@pytest.mark.parametrize("line, offered", [
    ("comp", ["compare", "completion"]), ("show gt2", ["gt200", "gt215"]), ("diff gt200 g8", ["g80"]), ("run k.cu tiled -a h1", ["h100"]), ("compare matmul -a gf10", ["gf100", "gf104"]),
    ("run k.cu ", ["tiled", "naive"]), ("run k.cu t", ["tiled"]), ("run k.ptx ", ["copy"]), ("run absent.cu ", []), ("lower k.cu -k n", ["naive"]),
    ("compare tr", ["transpose"]), ("compare transpose -k t", ["tiled"]), ("metrics branch_e", ["branch_efficiency"]), ("metrics gld_eff", ["gld_efficiency"]),
    ("microbench lat", ["latency", "latency_hiding"]), ("microbench latency gt20", ["gt200"]), ("microbench latency -p operation=add_f", [
        "operation=add_f32", "operation=add_f64", "operation=add_f16x2"]), ("microbench throughput -p c", ["chains="]), ("check gt200 -k test_feat", ["test_features"]),
    ("new-plugin mine --from gf10", ["gf100", "gf104"]), ("completion z", ["zsh"]), ("run k.cu tiled --compiler nvr", ["nvrtc"]), ("absent --ar", [])])
def test_the_end_of_a_line_is_completed(completed, line, offered):
    assert completed(line) == offered


@pytest.mark.parametrize("command", ["check", "compare", "diff", "export", "lower k.cu", "microbench", "occupancy", "page", "resources k.cu", "roofline", "run k.cu k", "show", "validate"])
def test_every_command_that_takes_machines_completes_them_after_a(completed, command):
    assert completed(f"{command} -a gt2") == ["gt200", "gt215"]


def test_files_of_descriptions_are_left_to_the_shell():
    (found,) = BashComplete(main, {}, "archdef", "_ARCHDEF_COMPLETE").get_completions(["show"], "mine.to")
    assert (found.value, found.type) == ("mine.to", "file")


@pytest.mark.parametrize("shell, completer", [("bash", BashComplete), ("zsh", ZshComplete), ("fish", FishComplete)])
def test_a_script_for_each_shell_is_printed(shell, completer):
    script = CliRunner().invoke(main, ["completion", shell]).output
    assert f"_ARCHDEF_COMPLETE={shell}_complete" in script and script.strip() == completer(main, {}, "archdef", "_ARCHDEF_COMPLETE").source().strip()
    assert json.loads(CliRunner().invoke(main, ["completion", shell, "--json"]).output) == {"shell": shell, "script": script.rstrip("\n") + "\n"}


def test_bash_takes_the_script_and_its_answers(tmp_path):
    """As bash does: source the script, then call its function with a line."""
    (tmp_path / "archdef").write_text(f'#!/bin/sh\nexec {sys.executable} -m archdef "$@"\n')
    (tmp_path / "archdef").chmod(0o755)
    code = 'source <(archdef completion bash) && COMP_WORDS=(archdef show gt2) COMP_CWORD=2 && _archdef_completion archdef && printf "%s\\n" "${COMPREPLY[@]}"'
    from os import environ, pathsep
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True,
                          env=environ | {"PATH": f"{tmp_path}{pathsep}{environ['PATH']}", "PYTHONPATH": pathsep.join(filter(None, sys.path))})
    assert done.stdout.split() == ["gt200", "gt215"], done.stderr
