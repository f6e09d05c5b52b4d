"""A fault in a reference cycle holds the session, its grids and the device; the garbage collector takes them apart in any order."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from archdef import registry


@pytest.mark.parametrize("machine", [m for m in ("k40", "h100") if m in registry.names()])
def test_faults_can_be_collected_in_cycles(machine):
    """What is freed is overwritten here, so that who looks at it afterwards does not get away with it."""
    overwritten = os.environ | {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "85"}
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("collected.py")), machine], capture_output=True, text=True, env=overwritten)
    assert done.returncode == 0 and int(done.stdout) == 48, f"ended with {done.returncode}\n{done.stderr[-2000:]}"
