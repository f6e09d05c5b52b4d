"""Is the CUDA that a program was made with known, though it brings no device code? Its structures have other fields."""
import subprocess

import pytest
from guest_kernels import COMPILER

from archdef import exec as programs
from archdef import registry
from archdef.exec.cuda_runtime.devices import properties_bytes
from archdef.exec.server import NotHere, stand_in

MACHINE = next((name for name in ("v100", "gt200") if name in registry.names()), None)
pytestmark = pytest.mark.skipif(MACHINE is None or COMPILER is None, reason="needs a plugin of this repository and a C compiler")
PROGRAM = """#include <stdio.h>
int cudaRuntimeGetVersion(int *), cudaGetDeviceProperties(void *, int);
int main(void) { int version = 0; char data[4096]; printf("%d ", cudaRuntimeGetVersion(&version)); printf("%d\\n", version); return cudaGetDeviceProperties(data, 0); }
"""
CALLS_MAIN = """#include <stdio.h>
typedef struct { unsigned x, y, z; } dim3;
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *), cudaFuncGetName(const char **, const void *), cudaFuncSetCacheConfig(const void *, int);
int main(void)
{
    const char *name;
    dim3 one = {1, 1, 1};
    printf("%d ", cudaLaunchKernel(main, one, one, 0, 0, 0));
    printf("%d ", cudaFuncGetName(&name, main));
    printf("%d\\n", cudaFuncSetCacheConfig(main, 0));
    return 0;
}
"""
COMMON = ["cudaRuntimeGetVersion", "cudaGetDeviceProperties"]


def run(program, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        assert programs.run([str(program)], MACHINE, 1, output).exit_code == 0
        output.seek(0)
        return output.read()


def compiled(tmp_path, *arguments, text=PROGRAM):
    (tmp_path / "program.c").write_text(text)
    subprocess.run([COMPILER, "-O1", "-fno-ipa-pure-const", "-fno-ipa-cp", "-fno-inline", "-o", tmp_path / "program", tmp_path / "program.c", *arguments], check=True)
    return tmp_path / "program"


@pytest.mark.parametrize("functions, version", [
    (COMMON, 13000), ([*COMMON, "cudaGetDeviceProperties_v2", "cudaThreadExit"], 12000), ([*COMMON, "cudaThreadExit"], 11000)])
def test_of_a_runtime_that_is_linked_into_it(tmp_path, functions, version):
    (tmp_path / "runtime.c").write_text("#include <stdlib.h>\n" + "".join(
        f"__attribute__((noinline)) int {name}(void) {{ abort(); return {number}; }}\n" for number, name in enumerate(functions)))
    assert run(compiled(tmp_path, tmp_path / "runtime.c"), tmp_path) == f"0 {version}\n"


@pytest.mark.parametrize("soname, version", [("libcudart.so.11.0", 11000), ("libcudart.so.12", 12000), ("libcudart.so.13", 13000)])
def test_of_a_shared_runtime(tmp_path, soname, version):
    assert run(linked(tmp_path, soname, PROGRAM), tmp_path) == f"0 {version}\n"


@pytest.mark.parametrize("soname, status", [("libcudart.so.12", 98), ("libcudart.so.13", 400)])
def test_what_a_function_is_that_is_no_kernel(tmp_path, soname, status):
    """CUDA 13 takes it for a handle of a kernel where it takes these."""
    assert run(linked(tmp_path, soname, CALLS_MAIN), tmp_path) == f"{status} {status} 98\n"


def linked(tmp_path, soname, text):
    try:
        (tmp_path / soname).symlink_to(stand_in())
    except NotHere as reason:
        pytest.skip(str(reason))
    return compiled(tmp_path, "-L", tmp_path, f"-l:{soname}", text=text)


@pytest.mark.parametrize("cuda, nbytes", [(11, 728), (12, 1032 - 252), (13, 1008 - 224)])
def test_properties_are_as_long_as_the_structure_up_to_what_is_reserved(cuda, nbytes):
    """sizeof of cudaDeviceProp in CUDA 11.8, 12.9 and 13.0 is 728, 1032 and 1008, with 252 and 224 bytes reserved; what lies behind it is the program's."""
    assert len(properties_bytes({}, cuda)) == nbytes
