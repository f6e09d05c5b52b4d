"""CUDA C++ becomes PTX without a GPU."""
import locale
import subprocess
import sys

import pytest

from archdef import frontends
from archdef.errors import CompileError
from archdef.frontends import Options, nvrtc
from archdef.ptx import parse

KERNEL = "__global__ void scale(float *x, float a, float b)\n{\n    x[threadIdx.x] = a * x[threadIdx.x] + b;\n}\n"

needs_nvrtc = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
pytestmark = needs_nvrtc


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


def test_a_file_compiles_for_the_oldest_target_with_a_line_table(tmp_path):
    (tmp_path / "scale.cu").write_text(KERNEL)
    compiled = frontends.compile(tmp_path / "scale.cu")
    assert f".target sm_{nvrtc.toolchain().targets[0]}" in compiled.ptx
    assert '"scale.cu"' in compiled.ptx and ".loc" in compiled.ptx
    assert compiled.file == "scale.cu.ptx" and compiled.source_text == KERNEL


def test_text_compiles_too():
    assert ".entry _Z5scalePfff" in frontends.compile(KERNEL).ptx


def test_multiply_add_is_kept_apart_on_request():
    assert "fma.rn.f32" in frontends.compile(KERNEL).ptx
    assert "fma.rn.f32" not in frontends.compile(KERNEL, Options(fused_multiply_add=False)).ptx


def test_an_error_has_file_and_line(tmp_path):
    (tmp_path / "broken.cu").write_text("__global__ void f(int *p)\n{\n    *p = missing;\n}\n")
    with pytest.raises(CompileError, match=r'broken\.cu\(3\): error: identifier "missing" is undefined'):
        frontends.compile(tmp_path / "broken.cu")


def test_an_unknown_target_lists_the_known_ones():
    with pytest.raises(CompileError, match="does not compile for 'compute_12'; it knows compute_"):
        frontends.compile(KERNEL, Options(target="compute_12"))


@pytest.mark.parametrize("target", ["compute_70", "sm_70", "70"])
def test_a_target_can_be_asked_for(target):
    assert ".target sm_70" in frontends.compile(KERNEL, Options(target=target)).ptx


def test_macros_and_include_directories_are_passed_on(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "offset.h").write_text("#define OFFSET 7\n")
    text = "#include <offset.h>\n__global__ void f(int *p)\n{\n    *p = OFFSET + EXTRA;\n}\n"
    compiled = frontends.compile(text, Options(include=(tmp_path / "include",), defines=("EXTRA=35",)))
    assert ", 42;" in compiled.ptx


def test_the_toolkits_own_headers_are_found():
    text = "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n__global__ void f(half *p) { *p = 1; }"
    assert ".entry" in frontends.compile(text).ptx


def test_a_second_compilation_comes_from_the_cache():
    assert "cached" not in frontends.compile(KERNEL).compiler
    again = frontends.compile(KERNEL)
    assert again.compiler.endswith(", cached") and ".entry _Z5scalePfff" in again.ptx


def test_a_damaged_cache_entry_is_compiled_anew(tmp_path):
    whole = frontends.compile(KERNEL).ptx
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_text(entry.read_text()[:-20])
    assert frontends.compile(KERNEL).ptx == whole


def test_a_changed_header_is_compiled_anew(tmp_path):
    header = tmp_path / "value.h"
    (tmp_path / "kernel.cu").write_text('#include "value.h"\n__global__ void f(int *p)\n{\n    *p = VALUE;\n}\n')
    header.write_text("#define VALUE 41\n")
    assert ", 41;" in frontends.compile(tmp_path / "kernel.cu").ptx
    header.write_text("#define VALUE 42\n")
    assert ", 42;" in frontends.compile(tmp_path / "kernel.cu").ptx


def test_a_header_named_by_a_macro_is_never_cached(tmp_path):
    (tmp_path / "value.h").write_text("#define VALUE 41\n")
    (tmp_path / "kernel.cu").write_text(
        '#define HEADER "value.h"\n#include HEADER\n__global__ void f(int *p) { *p = VALUE; }\n')
    frontends.compile(tmp_path / "kernel.cu")
    assert "cached" not in frontends.compile(tmp_path / "kernel.cu").compiler


def test_an_unwritable_cache_is_no_error(monkeypatch):
    monkeypatch.setenv("ARCHDEF_CACHE", "/proc/nowhere")
    assert ".entry" in frontends.compile(KERNEL).ptx


def test_the_ptx_does_not_say_where_it_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(tmp_path) not in frontends.compile(KERNEL).ptx


def test_the_locale_of_the_process_stays_as_it_was():
    before = locale.getencoding()
    frontends.compile(KERNEL)
    assert locale.getencoding() == before


def test_an_absent_version_is_named(monkeypatch):
    monkeypatch.setenv("ARCHDEF_NVRTC", "1.0")
    with pytest.raises(CompileError, match=r"no NVRTC 1\.0 among the installed ones \(NVRTC "):
        frontends.compile(KERNEL)


WHOLE = KERNEL + """
// int main() is below
int main(int argc, char **argv)
{
    float *x;
    cudaMalloc(&x, 128);
    scale<<<1, 32>>>(x, 2, 1);
    cudaMemcpy(argv, x, 128, cudaMemcpyDeviceToHost);
    std::cout << "cudaMemcpy(" << std::endl;
}
"""


@pytest.mark.parametrize("text, line, what", [
    (WHOLE, 7, "`main` is host code: `int main"), ("#include <cstdio>\n#include <vector>\n" + WHOLE, 2, "a header of the host's library is host code"),
    (KERNEL + "void run(float *h, float *x)\n{\n    cudaMemcpy(h, x, 4, cudaMemcpyDeviceToHost);\n}\n", 7, "a call of the runtime API is host code"),
    ("#include <cublas_v2.h>\n" + KERNEL, 1, "a header of a library that hosts call is host code"),
    ("#include <iso646.h>\n" + KERNEL + "void say()\n{\n    std::cerr << 1;\n}\n", 8, "output of the host is host code"),
    (KERNEL + "void say()\n{\n    fprintf(stderr, \"no\");\n}\n", 7, "output of the host is host code")])
def test_a_whole_program_gets_one_error_that_says_what_to_do(tmp_path, text, line, what):
    (tmp_path / "whole.cu").write_text(text)
    with pytest.raises(CompileError) as caught:
        frontends.compile(tmp_path / "whole.cu")
    message = str(caught.value)
    assert message.startswith(f"whole.cu:{line}: {what}") and "--compiler nvcc" in message and "#ifndef __CUDACC_RTC__" in message
    assert message.count("\n") == 1 and "error: " in message.splitlines()[1]


@pytest.mark.parametrize("text", [
    "__global__ void f(int *p)\n{\n    *p = missing; // int main()\n}\n",
    "#ifndef __CUDACC_RTC__\nint main() { }\n#endif\n__global__ void f(int *p) { *p = missing; }\n",
    '__global__ void f(int *p) { *p = missing; printf("int main() %d", 3); }\n',
    '#define CHECK(call) if (call) { \\\n    fprintf(stderr, "failed"); }\n__global__ void f(int *p) { *p = missing; }\n'])
def test_a_wrong_kernel_keeps_the_compilers_words(text):
    with pytest.raises(CompileError, match='source.cu does not compile .*:\n.*error: identifier "missing" is undefined'):
        frontends.compile(text)


@pytest.mark.skipif(nvrtc.toolchain() is not None and any((folder / "cuda" / "std").is_dir() for folder in nvrtc.toolchain().include),
                    reason="the headers of CUDA's C++ library are installed")
def test_a_header_that_another_wheel_has_is_named_with_the_extra_that_brings_it():
    with pytest.raises(CompileError, match=r"cannot open source file \"cuda/std/atomic\"(?s:.*)'pip install archdef\[thrust\]' brings that header"):
        frontends.compile("#include <cuda/std/atomic>\n" + KERNEL)


@pytest.mark.parametrize("library", ["cublas", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nvtx"])
@pytest.mark.parametrize("generation", [0, 1])
def test_headers_of_every_library_that_programs_link_are_looked_for_where_its_wheel_has_them(generation, library):
    """Wheels of CUDA 13 have theirs in one folder, but for cuDNN."""
    assert f"{library}/include" in nvrtc._LAYOUTS[generation] or (generation and library != "cudnn")


def test_what_a_header_of_the_toolkit_does_is_charged_to_the_line_that_calls_it():
    source = """#include <cooperative_groups.h>
__global__ void f(int *p)
{
    auto block = cooperative_groups::this_thread_block();
    block.sync();
    p[block.thread_rank()] = 1;
    cooperative_groups::sync(block);
}
"""
    body = parse(frontends.compile(source).ptx).functions["_Z1fPi"].body
    assert {i.where.file for i in body} <= {"source.cu", None}
    assert [i.where.source_line for i in body if i.opcode in ("bar", "barrier")] == [5, 7]


def test_a_program_whose_host_code_is_kept_apart_compiles():
    assert ".entry" in frontends.compile("#ifndef __CUDACC_RTC__\n#include <iostream>\n#endif\n" + KERNEL + "int main() { return 0; }\n").ptx


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells there what is loaded")
def test_both_halves_of_nvrtc_are_loaded_from_one_folder():
    """NVRTC 13 loads its other half by name alone, and found none unless LD_LIBRARY_PATH named the wheel's folder."""
    script = "from archdef.frontends import nvrtc; nvrtc.toolchain(); print(nvrtc.toolchain().library.parent); print(open('/proc/self/maps').read())"
    folder, _, maps = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.partition("\n")
    assert f"{folder}/libnvrtc.so" in maps and f"{folder}/libnvrtc-builtins.so" in maps
