"""Do programs that compile kernels while they run, and ask NVRTC for machine code, get something that runs here?"""
import pytest

from archdef import exec as programs
from archdef import registry
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs the NVRTC wheel"),
              pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")]


def test_code_for_a_real_architecture_is_loaded_as_its_ptx(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("compiles", "driver"), str(nvrtc.toolchain().library)], "v100", output=output)
        output.seek(0)
        assert output.read() == "PASSED\n"
    assert [kernel.kernel for kernel in found.kernels] == ["k"] and found.failures == ()
