"""Does dynamic shared memory above what a block may have unasked need the attribute that asks for it, by every way to launch a kernel?"""
import pytest
from test_foreign_programs import run

from archdef import registry

MACHINES = [name for name in ("gt200", "p100", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


@pytest.mark.parametrize("part", ["runtime", "driver"])
@pytest.mark.parametrize("machine", MACHINES)
def test_more_shared_memory_has_to_be_asked_for(build, machine, part, tmp_path):
    found, printed = run([build("shared_memory", "driver"), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
