"""Whatever a kernel asks for, it gets what the machine has and the budget allows, or a named error; the host's memory does not go with it."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

from archdef import registry

ENDS = {"ran", "instructions", "deadlock", "stack", "bounds", "barrier_number", "LaunchError", "PtxError", "MissingFeature", "BudgetExceeded"}
REFUSED = ("a thread's array", "shared memory of", "two arrays", "launches of a kernel with", "all the blocks", "more dynamic", "more threads", "frames of")
MOST_MIB = 1024


@pytest.mark.parametrize("machine", ["gt200", "k40", "h100"])
def test_no_program_takes_more_than_its_share(machine):
    if machine not in registry.names():
        pytest.skip(f"{machine} is not installed")
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("greedy.py")), machine], capture_output=True, text=True)
    assert done.returncode == 0, f"ended with {done.returncode} in {done.stdout.splitlines()[-1:]}\n{done.stderr[-2000:]}"
    for line in done.stdout.splitlines():
        program, came, mib = line.split("\t")
        name = json.loads(program)["program"]
        assert came in ENDS and int(mib) < MOST_MIB, line
        assert not name.startswith(REFUSED) or came in ("LaunchError", "PtxError", "MissingFeature"), line
        assert not name.endswith("without an end") or came != "ran", line
        assert name != "a barrier of 4294967264 threads" or came in ("deadlock", "MissingFeature"), line
