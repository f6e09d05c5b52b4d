"""Do programs get arrays, textures, surfaces and references from the driver as CUDA's headers describe them?"""
import pytest
from test_foreign_programs import run
from test_textures_of_programs import FAT, FEATURES

from archdef import registry

MACHINES = [name for name in ("gt200", "v100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


@pytest.mark.parametrize("part", ["arrays", "objects", "surfaces", "references"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_part_of_the_driver_does_what_it_shall(build, machine, part, tmp_path):
    if part in FEATURES and FEATURES[part] not in registry.described(machine).isa.features:
        pytest.skip(f"{machine} has no {part}")
    found, printed = run([build("driver_arrays", "driver", FAT), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
