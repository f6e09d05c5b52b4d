"""Does nvJitLink, as Numba and cuda.core use it, link PTX and LTO-IR to what the driver loads?"""
import subprocess

import pytest
from guest_kernels import COMPILER

from archdef import exec as programs
from archdef import registry

pytestmark = [pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository"),
              pytest.mark.skipif(COMPILER is None, reason="no C compiler")]


@pytest.fixture(scope="module")
def library(tmp_path_factory, request):
    """A library with the names of nvJitLink."""
    made = tmp_path_factory.mktemp("nvjitlink") / "libnvJitLink.so.13"
    subprocess.run([COMPILER, "-O1", "-w", "-shared", "-fPIC", "-fno-ipa-pure-const", "-o", made, request.path.parent / "programs" / "link_time.c"], check=True)
    return str(made)


def printed(command, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, "v100", output=output)
        output.seek(0)
        return found, output.read()


def test_a_kernel_of_lto_ir_calls_a_function_of_ptx(build, library, tmp_path):
    found, said = printed([build("links_with_nvjitlink", "driver"), library], tmp_path)
    assert said == "PASSED\n"
    assert [kernel.kernel for kernel in found.kernels] == ["k"] and not found.missing


def test_what_cannot_be_linked_is_said_in_the_log(build, library, tmp_path):
    found, said = printed([build("links_with_nvjitlink", "driver"), library, "wrong"], tmp_path)
    assert said == "PASSED\n"
    assert any("main.o is an object: only PTX and fat binaries with PTX are linked" in failure for failure in found.failures)
