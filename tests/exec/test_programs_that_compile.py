"""Do programs that compile kernels while they run, and ask NVRTC for machine code, get something that runs here?"""
import pytest

from archdef import exec as programs
from archdef import registry
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs the NVRTC wheel"),
              pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")]


@pytest.mark.parametrize("looked_up", [False, True])
def test_code_for_a_real_architecture_is_loaded_as_its_ptx(build, tmp_path, looked_up):
    arguments = ["--gpu-architecture=sm_60", "looked up"] if looked_up else []
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("compiles", "driver"), str(nvrtc.toolchain().library), *arguments], "v100", output=output)
        output.seek(0)
        assert output.read() == "PASSED\n"
    assert [kernel.kernel for kernel in found.kernels] == ["k"] and found.failures == () and found.compiled == ()


@pytest.mark.parametrize("option, number", [("--gpu-architecture=compute_13", 13), ("-arch=sm_13", 13), ("-arch=sm_00", 0)])
def test_the_architecture_of_a_device_that_is_too_old_for_nvrtc(build, tmp_path, option, number):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("compiles", "driver"), str(nvrtc.toolchain().library), option], "gt200", output=output)
        output.seek(0)
        assert output.read() == "PASSED\n"
    (asked, given), = found.compiled
    assert asked == number and given > 13
    assert f"compute_{number}, which is too old for it; it compiled for compute_{given}" in " ".join(str(found).split())


@pytest.mark.parametrize("option", ["--gpu-architecture=compute_9999", "--gpu-architecture=compute_", "-arch=sm_13x", "--gpu-architecture=" + 200 * "1"])
def test_an_architecture_that_nobody_knows_stays_an_error(build, tmp_path, option):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("compiles", "driver"), str(nvrtc.toolchain().library), option], "v100", output=output)
        output.seek(0)
        assert "PASSED" not in output.read()
    assert found.exit_code and found.compiled == ()
