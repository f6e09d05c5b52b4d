"""Does clang make programs of CUDA where there is no nvcc, and are its lines, targets and refusals those of the user's files?"""
import shutil
import sys
from pathlib import Path

import pytest
from running import printed

from archdef import exec as programs
from archdef import registry
from archdef.errors import CompileError
from archdef.frontends import nvcc, nvrtc
from archdef.programs import build, clang_headers, plan, with_clang

SOURCES = Path(__file__).parent / "sources"
CHAIN = with_clang.toolchain()
needs_clang = pytest.mark.skipif(CHAIN is None, reason="needs a clang++ that compiles CUDA, and the headers of the extras 'cuda' and 'build'")
pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="programs are Linux's"),
              pytest.mark.skipif(not {"gf100", "k40", "v100", "c500"} <= set(registry.names()), reason="needs the plugins of this repository")]


@pytest.fixture
def made(tmp_path):
    """What builds text: ``made(text)``; the program lies beside it."""
    def written(text, machine="v100", **options):
        (tmp_path / "main.cu").write_text(text)
        return build([tmp_path / "main.cu"], tmp_path / "program", machine, "clang", **options)
    return written


@needs_clang
@pytest.mark.parametrize("machine, optimise", [("v100", "2"), ("k40", "0")])
def test_what_only_a_compiler_of_cuda_translates_does_what_it_shall(machine, optimise, tmp_path):
    built = build([SOURCES / "by_clang.cu"], tmp_path / "program", machine, "clang", optimise=optimise)
    assert built.compiler == str(CHAIN) and built.target == {"v100": "compute_70", "k40": "compute_35"}[machine] and built.notes == ()
    text, account = printed(tmp_path / "program", machine, tmp_path)
    assert text == "4 words 1.5\nPASSED\n" and account.exit_code == 0 and account.good


@needs_clang
def test_what_the_other_ways_translate_does_the_same(tmp_path):
    if int(CHAIN.version.partition(".")[0]) <= 16:
        pytest.skip("clang 14 and 16 lose variables of anonymous namespaces, as docs/howto/build.md says")
    built = build([SOURCES / "features.cu"], tmp_path / "program", "v100", "clang")
    assert "plain_name" in built.kernels and built.notes == ()
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"
    built = build([SOURCES / name for name in ("one.cu", "two.cu", "plain.cpp")], tmp_path / "program", "v100", "clang")
    assert len(built.kernels) == 4
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


@needs_clang
def test_algorithms_of_thrust_and_cub_are_called_by_hosts(made, tmp_path):
    if not any((folder / "thrust").is_dir() for folder in CHAIN.cuda.include):
        pytest.skip("needs Thrust's headers, which the extras 'thrust' and 'cuda12' bring")
    made("#include <cstdio>\n#include <cub/device/device_reduce.cuh>\n#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n#include <thrust/transform.h>\n"
         "int main() {\n    thrust::device_vector<int> numbers(300);\n    for (int i = 0; i < 3; i++) numbers[i * 100] = 9 - i;\n    thrust::sort(numbers.begin(), numbers.end());\n"
         "    thrust::transform(numbers.begin(), numbers.end(), numbers.begin(), [] __device__ (int x) { return 2 * x; });\n"
         "    int *sum, here, *data = thrust::raw_pointer_cast(numbers.data());\n    void *room = nullptr;\n    size_t bytes = 0;\n    cudaMalloc(&sum, 4);\n"
         "    cub::DeviceReduce::Sum(room, bytes, data, sum, 300);\n    cudaMalloc(&room, bytes);\n    cub::DeviceReduce::Sum(room, bytes, data, sum, 300);\n"
         "    cudaMemcpy(&here, sum, 4, cudaMemcpyDeviceToHost);\n    puts(here == 48 && numbers[297] == 14 && numbers[299] == 18 ? \"PASSED\" : \"FAILED\");\n}\n")
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "PASSED\n" and account.good


@needs_clang
@pytest.mark.parametrize("machine, lanes", [("c500", 64), ("v100", 32)])
def test_warps_are_as_wide_as_the_machines(made, machine, lanes, tmp_path):
    """clang's own header says that warps have 32 lanes."""
    made("#include <cstdio>\n__global__ void k(int *p) { p[threadIdx.x / warpSize] = warpSize; }\n__global__ void wide(long *p) { *p = warpSize; }\n"
         "__global__ void narrow(short *p) { *p = warpSize; }\nint main() { int *p, here[4]; cudaMalloc(&p, 16); cudaMemset(p, 0, 16); k<<<1, 128>>>(p); cudaMemcpy(here, p, 16, cudaMemcpyDeviceToHost);\n"
         "cudaDeviceProp all; cudaGetDeviceProperties(&all, 0); printf(\"%d %d %d \", all.warpSize, here[1], here[2]);\n"
         "wide<<<1, 1>>>((long *)p); narrow<<<1, 1>>>((short *)p + 4); cudaMemcpy(here, p, 16, cudaMemcpyDeviceToHost); printf(\"%ld %d\", *(long *)here, ((short *)here)[4]); }\n", None)
    assert printed(tmp_path / "program", machine, tmp_path)[0] == f"{lanes} {lanes} {32 if lanes == 32 else 0} {lanes} {lanes}"


@needs_clang
def test_lines_are_those_of_the_users_file(made, tmp_path):
    """Indices, functions of mathematics, shuffles, atomics and what asserts are defined in clang's headers."""
    made("#include <cassert>\n__global__ void k(float *p)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    float x = sinf(p[i]);\n"
         "    x += __shfl_down_sync(~0u, x, 1);\n    atomicAdd(p, x);\n    assert(x == x);\n}\nint main() { float *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }\n")
    account = printed(tmp_path / "program", "v100", tmp_path)[1]
    (kernel,) = account.kernels
    found = {(Path(line.file).name, line.line) for line in kernel.longest.lines if line.line}
    assert account.exit_code == 0 and found <= {("main.cu", line) for line in range(2, 10)} and {("main.cu", line) for line in (5, 6, 7, 8)} <= found


@needs_clang
@pytest.mark.parametrize("text, said", [
    ("\ntemplate <typename T> __managed__ T x;\nint main() { auto f = [] __device__ () { }; }\n", "main.cu:2:23: error: clang knows no __managed__ variables"),
    ("__global__ void k(int *p) { p[0] = *&warpSize; auto *q = &warpSize; *(const int **)p = q; }\nint main() { }\n", "main.cu: takes the address of warpSize"),
    ("extern __device__ int other(int);\n__global__ void k(int *p) { *p = other(1); }\nint main() { k<<<1, 1>>>(nullptr); }\n", "other(int) of another file; -rdc=true"),
    ("__global__ void k(int *p) { }\nint main() {\n    k<<<1, 1>>>(nothing);\n}\n", "main.cu:3:17: error: use of undeclared identifier 'nothing'"),
    ("void elsewhere();\nint main() { elsewhere(); }\n", "undefined reference to `elsewhere()'")])
def test_what_does_not_build_is_said_by_file_and_line(made, tmp_path, monkeypatch, text, said):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    with pytest.raises(CompileError) as refused:
        made(text)
    assert said in str(refused.value) and "archdef-build-" not in str(refused.value)
    assert not (tmp_path / "program").exists()


@needs_clang
def test_structures_are_those_of_the_headers(made, tmp_path):
    """They are known by the version of PTX, and clang has one of its own; a program for CUDA 13 saw no managed memory and no multiprocessors."""
    made("#include <cstdio>\n__global__ void k() { }\nint main() { cudaDeviceProp all; cudaGetDeviceProperties(&all, 0);\n"
         "printf(\"%d %d %d\", all.multiProcessorCount, all.managedMemory, all.maxThreadsPerMultiProcessor); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "80 1 2048"
    for major, given, said in ((13, "8.8", "9.0"), (12, "7.8", "8.0"), (12, "8.8", "8.8"), (11, "7.5", "7.5")):
        assert with_clang._of_cuda(major, f"//\n.version {given}\n.target sm_70\n") == f"//\n.version {said}\n.target sm_70\n"


@needs_clang
def test_virtual_functions_without_a_body_are_those_of_no_other_file(made, tmp_path):
    made("#include <cstdio>\nstruct Shape { __device__ virtual int sides() const = 0; };\nstruct Square : Shape { __device__ int sides() const override { return 4; } };\n"
         "struct Triangle : Shape { __device__ int sides() const override { return 3; } };\n__device__ void make(Shape **to, int n) { if (n) *to = new Square; else *to = new Triangle; }\n"
         "__global__ void k(int *p, int n) { Shape *one; make(&one, n); *p = one->sides(); delete one; }\n"
         "int main() { int *p, n; cudaMalloc(&p, 4); k<<<1, 1>>>(p, 1); cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost); puts(n == 4 ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


@needs_clang
def test_options_reach_both_halves(made, tmp_path):
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "mine.h").write_text("#define TWICE(x) (2 * (x))\n")
    made("#include <mine.h>\n#include <cstdio>\n__global__ void k(int *p) { *p = TWICE(NUMBER) + MORE; }\n"
         "int main() { int *p, n; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);\n"
         "if (n == TWICE(21) + MORE && __cplusplus == 201402) puts(\"PASSED\"); }\n",
         include=[str(tmp_path / "headers")], defines=["NUMBER=21"], libraries=["m", "cudart"], standard="c++14", host_flags=["-DMORE=3", "-march=x86-64"])
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


@needs_clang
def test_code_for_devices_of_several_files_is_linked(tmp_path):
    build([SOURCES / "parts_main.cu", SOURCES / "parts_other.cu"], tmp_path / "program", "v100", "clang", relocatable=True)
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "PASSED\n" and account.good


@needs_clang
@pytest.mark.skipif("h100" not in registry.names(), reason="needs the plugins of this repository")
@pytest.mark.parametrize("relocatable", [False, True])
@pytest.mark.parametrize("text, printed_text, why", [
    ("__managed__ int x = 2;\n__global__ void k() { x += 3; }\nint main() { x++; k<<<1, 1>>>(); cudaDeviceSynchronize(); printf(\"%d\\n\", x); }\n", "6\n",
     "clang knows no __managed__"),
    ("__global__ void inner(int *p) { *p = 6; }\n__global__ void outer(int *p) { inner<<<1, 1>>>(p); }\nint main() { int *p; cudaMallocManaged(&p, 4);\n"
     "outer<<<1, 1>>>(p); cudaDeviceSynchronize(); printf(\"%d\\n\", *p); }\n", "6\n", "")])
def test_files_that_clang_refuses_and_nvrtc_does_not_are_compiled_by_nvrtc(relocatable, text, printed_text, why, tmp_path):
    """clang 22 compiles launches by kernels with -rdc=true, but by functions of CUDA's that kernels do not have here."""
    (tmp_path / "main.cu").write_text(f"#include <cstdio>\n{text}")
    (tmp_path / "other.cu").write_text("__global__ void other() { }\nvoid start() { other<<<1, 1>>>(); }\n")
    built = build([tmp_path / "main.cu", tmp_path / "other.cu"], tmp_path / "program", "h100", "clang", relocatable=relocatable)
    (note,) = built.notes
    assert f": compiled by {CHAIN.cuda}, since clang refuses it: {why}" in note
    found, account = printed(tmp_path / "program", "h100", tmp_path)
    assert found == printed_text and account.good


def test_what_is_said_of_openmp_that_is_missing_names_its_package():
    for said in ("main.cu:3:10: fatal error: 'omp.h' file not found", "/usr/bin/ld: cannot find -lomp: No such file or directory"):
        assert "apt install libomp-dev" in str(with_clang.advised(CompileError(said)))
    assert str(with_clang.advised(CompileError("main.cu:1: error: other"))) == "main.cu:1: error: other"


@needs_clang
def test_older_machines_get_ptx_of_their_own(made, tmp_path):
    text = ("#include <cstdio>\n__global__ void k(const float *__restrict__ p, float *q)\n{\n#if __CUDA_ARCH__ >= 300\n    q[0] = __shfl_sync(~0u, p[0], 1);\n#else\n    q[0] = p[0] * p[1] + 1;\n"
            "#endif\n}\nint main() { float *p; cudaMalloc(&p, 16); k<<<1, 1>>>(p, p + 2); puts(cudaDeviceSynchronize() ? \"FAILED\" : \"PASSED\"); }\n")
    built = made(text, "gf100")
    assert built.target == "compute_20" and built.notes == ()
    assert printed(tmp_path / "program", "gf100", tmp_path)[0] == "PASSED\n"
    (note,) = made(f"#include <cooperative_groups.h>\n{text}", "gf100").notes
    assert note.startswith(f"compiled for compute_{min(CHAIN.cuda.targets)}, since it is not for compute_20: ") and "error" in note
    assert made(text, None).target == f"compute_{min(CHAIN.cuda.targets)}" and made(text, None).notes == ()


@needs_clang
def test_multiply_and_add_stay_apart_where_that_is_asked_for(made, tmp_path):
    for given in (None, False):
        made("__global__ void k(float *p, float a) { p[0] = p[0] * a + p[1]; }\n"
             "int main() { float *p; cudaMalloc(&p, 8); k<<<1, 1>>>(p, 2); return cudaDeviceSynchronize(); }\n", "k40", fused_multiply_add=given)
        done = programs.run([str(tmp_path / "program")], "k40")
        assert any(each.text.startswith("fma.") for each in done.kernels[0].longest.program.statements) is (given is None)


@needs_clang
def test_it_is_chosen_before_nvrtc_and_after_nvcc(monkeypatch):
    monkeypatch.setattr(nvcc, "toolchain", lambda: None)
    assert plan([SOURCES / "one.cu"], "v100").chain == CHAIN
    assert plan([SOURCES / "one.cu"], "v100", "nvrtc").chain == nvrtc.toolchain()
    monkeypatch.setattr(with_clang, "toolchain", lambda: None)
    assert plan([SOURCES / "one.cu"], "v100").chain == nvrtc.toolchain()


@needs_clang
def test_a_clang_that_the_variable_names_comes_first(tmp_path, monkeypatch):
    (tmp_path / "mine").symlink_to(CHAIN.path)
    monkeypatch.setenv("CXX", str(tmp_path / "mine"))
    assert with_clang.toolchain().path == tmp_path / "mine"


@pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs the NVRTC wheel")
def test_without_a_clang_that_compiles_cuda_the_way_to_one_is_told(tmp_path, monkeypatch):
    if shutil.which("g++"):     # it is none
        (tmp_path / "clang++").symlink_to(shutil.which("g++"))
    (tmp_path / "clang++-99").write_text("#!/bin/false\n")
    (tmp_path / "clang++-99").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(CompileError, match=r"apt install clang.*archdef\[cuda,build\]"):
        build([SOURCES / "one.cu"], tmp_path / "program", "v100", "clang")
    with pytest.raises(CompileError, match="clang does not compile .maca files"):
        build([SOURCES / "scale.maca"], tmp_path / "program", "v100", "clang")


def test_a_clang_that_says_the_width_of_warps_otherwise_is_refused(tmp_path):
    (tmp_path / "include").mkdir()
    for name in ("__clang_cuda_builtin_vars.h", "__clang_cuda_intrinsics.h", "__clang_cuda_texture_intrinsics.h", "__clang_cuda_runtime_wrapper.h"):
        (tmp_path / "include" / name).write_text("constexpr int warpSize = 32;\n")
    with pytest.raises(CompileError, match="says warpSize in another way"):
        clang_headers.write_overlay(tmp_path, tmp_path)
