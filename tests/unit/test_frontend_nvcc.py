"""CUDA C++ becomes PTX through nvcc, host code and all."""
import numpy as np
import pytest

from archdef import frontends
from archdef.errors import CompileError
from archdef.frontends import Options, nvcc, nvrtc

WHOLE = """#include <cstdio>
__global__ void __launch_bounds__(128, 4) scale(float *x, float a)
{
    x[threadIdx.x] = a * x[threadIdx.x] + VALUE;
}
int main() { std::printf("%d", 1); scale<<<1, 1>>>(nullptr, 1); }
"""
NVCC = Options(compiler="nvcc", defines=("VALUE=3",))
needs_nvcc = pytest.mark.skipif(nvcc.toolchain() is None, reason="no nvcc on the PATH")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


@needs_nvcc
def test_a_whole_file_compiles_for_the_oldest_target_with_a_line_table(tmp_path):
    (tmp_path / "scale.cu").write_text(WHOLE)
    compiled = frontends.compile(tmp_path / "scale.cu", NVCC)
    assert f".target sm_{nvcc.toolchain().targets[0]}" in compiled.ptx and "fma.rn.f32" in compiled.ptx
    assert '"scale.cu"' in compiled.ptx and str(tmp_path) not in compiled.ptx
    assert compiled.file == "scale.cu.ptx" and compiled.source_text == WHOLE and compiled.source == tmp_path / "scale.cu"
    assert compiled.compiler == str(nvcc.toolchain())
    assert frontends.compile(tmp_path / "scale.cu", NVCC).compiler.endswith(", cached")


@needs_nvcc
def test_multiply_add_is_kept_apart_on_request():
    assert "fma.rn.f32" not in frontends.compile(WHOLE, NVCC.changed(fused_multiply_add=False)).ptx


@needs_nvcc
def test_headers_beside_the_file_are_found(tmp_path):
    (tmp_path / "value.h").write_text("#define VALUE 3\n")
    (tmp_path / "scale.cu").write_text('#include "value.h"\n' + WHOLE)
    assert frontends.compile(tmp_path / "scale.cu", Options(compiler="nvcc")).ptx


@needs_nvcc
def test_an_error_has_file_and_line(tmp_path):
    (tmp_path / "broken.cu").write_text("__global__ void f(int *p)\n{\n    *p = missing;\n}\n")
    with pytest.raises(CompileError, match=r'broken\.cu does not compile \(nvcc [\d.]+\):\nbroken\.cu\(3\): error: '
                                           'identifier "missing" is undefined'):
        frontends.compile(tmp_path / "broken.cu", NVCC)


@needs_nvcc
def test_it_steps_in_where_nvrtc_is_missing(monkeypatch):
    monkeypatch.setattr(nvrtc, "_installed", lambda: ())
    monkeypatch.delenv("ARCHDEF_NVRTC", raising=False)
    assert frontends.compile(WHOLE, Options(defines=("VALUE=3",))).compiler.startswith("nvcc")


def test_nvrtc_is_preferred(monkeypatch):
    if nvrtc.toolchain() is None:
        pytest.skip("no NVRTC wheel: pip install archdef[cuda]")
    assert frontends.compile("__global__ void f() {}").compiler.startswith("NVRTC")


def test_without_nvcc_the_error_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CompileError, match="nvcc is not on the PATH"):
        frontends.compile("__global__ void f() {}", Options(compiler="nvcc"))


@needs_nvcc
def test_what_it_gives_runs_and_equals_numpy():
    from archdef import Device, registry
    if not registry.names():
        pytest.skip("no architecture plugin is installed")
    device = Device(registry.names()[0])
    x = np.arange(96, dtype="f4")
    array = device.to_device(x)
    kernel = device.compile(WHOLE, NVCC).scale
    run = kernel[1, 96](array, 2.0)
    np.testing.assert_array_equal(array.to_host(), 2 * x + 3)
    assert {line.line for line in run.lines if line.text.startswith("x[threadIdx.x] =")} == {4}
    assert (kernel.resources.max_threads, kernel.resources.min_blocks) == (128, 4)
