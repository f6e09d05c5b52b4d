"""PTX comes in as text, as a file, or shipped beside a CUDA file."""
import pytest

from archdef import frontends
from archdef.errors import CompileError
from archdef.examples import workloads
from archdef.frontends import Options, nvcc, nvrtc, ptxtext

PTX = ".version 7.8\n.target sm_35\n.address_size 64\n.visible .entry nothing()\n{\n    ret;\n}\n"


@pytest.fixture
def no_nvrtc(monkeypatch):
    monkeypatch.setattr(nvrtc, "_installed", lambda: ())
    monkeypatch.setattr(nvcc, "toolchain", lambda: None)


def test_text_is_recognised():
    assert frontends.compile(PTX).ptx == PTX


def test_a_file_is_read(tmp_path):
    (tmp_path / "nothing.ptx").write_text(PTX)
    compiled = frontends.compile(tmp_path / "nothing.ptx")
    assert compiled.ptx == PTX and compiled.file.endswith("nothing.ptx")


@pytest.mark.parametrize("name", ["absent.cu", "absent.ptx"])
def test_a_missing_file_is_named(name):
    with pytest.raises(CompileError, match=f"cannot read {name}: No such file"):
        frontends.compile(name)


def test_a_file_of_another_kind_is_refused():
    with pytest.raises(CompileError, match=r"cannot tell what 'kernel\.txt' is: give a \.ptx file or PTX text, or a \.cu file"):
        frontends.compile("kernel.txt")


def test_without_a_compiler_the_error_names_the_extra(no_nvrtc, tmp_path):
    (tmp_path / "kernel.cu").write_text("__global__ void f() {}\n")
    with pytest.raises(CompileError, match=r"kernel\.cu: NVRTC is not installed; 'pip install archdef\[cuda\]'"):
        frontends.compile(tmp_path / "kernel.cu")


@pytest.mark.parametrize("workload", workloads(), ids=lambda w: w.name)
@pytest.mark.parametrize("fused", [True, False])
def test_every_example_runs_from_shipped_ptx_without_a_compiler(no_nvrtc, workload, fused):
    compiled = frontends.compile(workload.source, Options(fused_multiply_add=fused))
    assert compiled.compiler.startswith("shipped PTX of NVRTC")
    assert compiled.source_text == workload.source.read_text()
    assert ("fma.rn.f32" in compiled.ptx) == (fused and workload.name == "matmul")


def test_shipped_ptx_of_an_edited_source_is_not_used(no_nvrtc, tmp_path):
    source = tmp_path / "vector_add.cu"
    example = next(w.source for w in workloads() if w.name == "vector_add")
    source.write_text(example.read_text())
    source.with_suffix(".ptx").write_text(example.with_suffix(".ptx").read_text())
    assert "shipped" in frontends.compile(source).compiler
    source.write_text(example.read_text().replace("+ b", "- b"))
    with pytest.raises(CompileError, match="NVRTC is not installed"):
        frontends.compile(source)


def test_shipped_ptx_is_not_used_when_macros_could_change_it(no_nvrtc):
    source = next(iter(workloads())).source
    assert ptxtext.shipped(source, source.read_text(), Options(defines=("TILE=16",))) is None
