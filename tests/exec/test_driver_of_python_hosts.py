"""Do those functions of the driver run that Numba, PyCUDA and cuda.core call, and few other programs do?"""
import pytest
from guest_kernels import KERNELS
from test_foreign_programs import run

from archdef import registry

MACHINES = [name for name in ("gf100", "h100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
TEXT = KERNELS.encode() + b"\0"
PARTS = ["told_before", "floats", "held", "pools", "captured", "objects", "updated", "host_memory"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_a_part_does_what_it_shall(build, machine, part, tmp_path):
    found, printed = run([build("driver_hosts", "driver_hosts", TEXT), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and not found.missing


@pytest.mark.skipif("h100" not in MACHINES, reason="needs the plugin of the h100")
@pytest.mark.parametrize("part", ["managed", "clusters"])
def test_a_part_that_few_machines_have_does_what_it_shall(build, part, tmp_path):
    found, printed = run([build("driver_hosts", "driver_hosts", TEXT), part], "h100", tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0
