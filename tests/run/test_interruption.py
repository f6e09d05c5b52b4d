"""Ctrl-C gives what was counted until then, without a traceback, and in time."""
import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import main
from archdef.errors import Interrupted
from archdef.testing import examine

pytestmark = pytest.mark.skipif("gtx680" not in registry.names(), reason="needs the plugins of this repository")
FOREVER = """.version 6.0
.target sm_30
.address_size 64
.visible .entry forever(.param .u64 out)
{
    .reg .u64 %p; .reg .u32 %n, %old; .reg .pred %go;
    ld.param.u64 %p, [out];
LOOP:
    atom.global.add.u32 %old, [%p], 1;
    setp.ge.u32 %go, %old, 0;
    @%go bra LOOP;
    ret;
}
"""
RECIPE = """
import numpy as np
from archdef.examples import Case, Output, Workload
from pathlib import Path
WORKLOAD = Workload("forever", "a loop", Path(__file__).with_suffix(".ptx"), lambda size, random, machine: (
    Case("forever", (64,), (256,), (Output(np.zeros(1, "u4")),), 4),), 1)
"""


@pytest.fixture
def interrupted(tmp_path):
    """What starts a command line, interrupts it once its kernel runs, and gives its exit code, output and errors."""
    (tmp_path / "forever.ptx").write_text(FOREVER)
    (tmp_path / "forever.py").write_text(RECIPE)

    def called(*arguments):
        process = subprocess.Popen([sys.executable, "-m", "archdef", "-vv", *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))})
        for line in process.stderr:
            if "launched on" in line:
                break
        time.sleep(1)       # from there it is a matter of milliseconds to the first instructions
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert "Traceback" not in err + out
        return process.returncode, out, err
    return called


RUN = ("run", "forever.ptx", "forever", "gtx680", "-g", "64", "-b", "256", "--arg", "out:u4[1]")


def test_run_shows_the_profile_so_far_and_what_the_kernel_left(interrupted):
    code, out, err = interrupted(*RUN)
    assert code == 130 and "forever on gtx680 was interrupted at cycle" in err
    assert out.startswith("Interrupted at cycle ") and "after 0 of 64 blocks: what follows was counted until then" in out
    assert "warp cycles:" in out and "out: uint32[1] = " in out and "out: uint32[1] = 0 " not in out


def test_runs_document_says_that_it_is_partial(interrupted):
    code, out, _ = interrupted(*RUN, "--json")
    (run,) = json.loads(out)
    assert code == 130 and run["interrupted"].startswith("interrupted at cycle ") and run["cycles"] > 0 and run["arrays"]["out"]["sum"] > 0


def test_compare_shows_the_profile_of_the_launch_that_was_stopped(interrupted):
    code, out, err = interrupted("compare", "forever.py", "gtx680")
    assert code == 130 and "forever on gtx680 was interrupted at cycle" in err and "Interrupted at cycle " in out and "warp cycles:" in out


def stopped(monkeypatch):
    """Have every launch stopped by Ctrl-C."""
    from archdef.engine import core

    class Stopped(core.Session):
        def advance(self, *given):
            raise KeyboardInterrupt
    monkeypatch.setattr(core, "Session", Stopped)


def test_a_check_that_is_stopped_has_not_failed_and_ends_the_others(monkeypatch):
    outcomes = []
    stopped(monkeypatch)
    with pytest.raises(Interrupted):
        examine("gtx680", only=lambda name: "instructions" in name, progress=outcomes.append)
    assert not outcomes


def test_a_case_that_is_stopped_is_no_miss(monkeypatch):
    def experiment(device):
        return {"cycles": device.compile(FOREVER).forever[1, 1](device.zeros(1, "u4")).cycles}
    monkeypatch.setattr(archdef.validate.run, "find", lambda name, architecture: experiment)
    stopped(monkeypatch)
    with pytest.raises(Interrupted):
        archdef.validate.run.attempt(registry.get("gtx680"), SimpleNamespace(evolve={}, experiment="forever", parameters={}))


def test_the_command_line_has_no_traceback_whatever_was_under_way(monkeypatch):
    def stop(*given, **options):
        raise KeyboardInterrupt
    monkeypatch.setattr(registry, "all", stop)
    done = CliRunner().invoke(main, ["archs"])
    assert done.exit_code == 130 and done.stderr == "Error: interrupted\n" and not done.stdout
