"""Do programs get graphs and stream capture from the driver as they get them from the runtime?"""
import pytest
from guest_kernels import CODE
from test_foreign_programs import run

from archdef import registry

MACHINES = [name for name in ("gt200", "v100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


@pytest.mark.parametrize("part, launches", [("built", 3), ("captured", 1)])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_part_of_the_driver_does_what_it_shall(build, machine, part, launches, tmp_path):
    found, printed = run([build("driver_graphs", "driver", CODE), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
    assert found.launches == launches
