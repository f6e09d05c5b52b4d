"""Do libraries and their kernels do what they shall, whichever of the runtime and the driver is asked, and for whichever device?"""
import pytest
from guest_kernels import KERNELS
from test_foreign_programs import run

from archdef import registry

pytestmark = pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")


def test_both_know_what_the_other_has_done(build, tmp_path):
    found, printed = run([build("kernels_of_libraries", "driver", KERNELS.encode() + b"\0")], "v100", tmp_path, devices=2)
    assert printed == "PASSED\n" and found.exit_code == 0, found.failures
