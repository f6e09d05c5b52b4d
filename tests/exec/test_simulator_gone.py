"""What becomes of a program whose simulator is killed?"""
import subprocess
import sys

import pytest

from archdef import registry

pytestmark = pytest.mark.skipif("gt200" not in registry.names() or not sys.platform.startswith("linux"), reason="needs the plugins of this repository")


def test_its_calls_fail_and_say_so_once(build, tmp_path):
    command = [sys.executable, "-m", "archdef", "exec", "-a", "gt200", "--", build("orphan")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as simulator:
        assert simulator.stdout.readline() == "ready\n"
        simulator.kill()
        printed, complaints = simulator.communicate("\n", timeout=60)
    assert printed == "100 failed\n" and complaints.count("the simulator has gone") == 1
