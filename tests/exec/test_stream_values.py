"""Do streams wait for values in memory, whoever writes them, and write them?"""
import os
import signal
import subprocess
import sys

import pytest
from guest_kernels import KERNELS
from interruptible import INTERRUPTIBLE
from test_foreign_programs import run

from archdef import registry

pytestmark = pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")
TEXT = KERNELS.encode() + b"\0"


@pytest.mark.parametrize("part", ["compares", "streams", "host", "threads", "batches", "wrong", "leaves"])
def test_streams_wait_for_values_and_write_them(build, part, tmp_path):
    found, printed = run([build("stream_values", "driver", TEXT), part], "v100", tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures


def test_a_wait_that_nobody_ends_is_interrupted(build, tmp_path):
    command = [*INTERRUPTIBLE, sys.executable, "-m", "archdef", "exec", "-a", "v100", "--", build("stream_values", "driver", TEXT), "never"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True) as running:
        assert running.stdout.readline() == "waits\n"
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + signal.SIGINT, said
