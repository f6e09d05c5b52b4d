"""Do programs build without nvcc, and compute right; is what cannot be translated said by file, line and name?"""
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import attrs
import pytest
from running import CHAIN, building, printed

from archdef import exec as programs
from archdef import frontends
from archdef.errors import CompileError
from archdef.frontends import nvcc, nvrtc
from archdef.programs import Unsupported, build, device_code, references, unsupported
from archdef.programs.preprocess import Preprocessor
from archdef.programs.syntax import Source

pytest.importorskip("tree_sitter_cuda", reason="the extra 'build' brings it")
SOURCES = Path(__file__).parent / "sources"
OLD = CHAIN is not None and CHAIN.version[0] <= references.LAST_CUDA
pytestmark = building("gt200", "k40", "v100", "c500")


@pytest.fixture
def made(tmp_path):
    """What builds text: ``made(text, name="main.cu")``; the program lies beside it."""
    def written(text, name="main.cu", **options):
        (tmp_path / name).write_text(text)
        return build([tmp_path / name], tmp_path / "program", "v100", "nvrtc", **options)
    return written


@pytest.mark.parametrize("optimise", ["0", "2"])
def test_every_part_of_the_language_that_is_translated_does_what_it_shall(optimise, tmp_path):
    built = build([SOURCES / "features.cu"], tmp_path / "program", "v100", "nvrtc", optimise=optimise)
    assert built.target == "compute_70" and "plain_name" in built.kernels and built.notes == ()
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "PASSED\n" and account.exit_code == 0 and account.good


def test_one_program_runs_on_machines_of_several_makers(tmp_path):
    build([SOURCES / "scale.maca"], tmp_path / "program", compiler="nvrtc")
    assert printed(tmp_path / "program", "c500", tmp_path)[0] == "PASSED with waves of 64\n"
    assert printed(tmp_path / "program", "gt200", tmp_path)[0] == "PASSED with waves of 32\n"


@pytest.mark.parametrize("machine, lanes", [("c500", 64), ("v100", 32)])
def test_functions_of_a_wave_see_all_lanes_that_the_machine_has(machine, lanes, tmp_path):
    built = build([SOURCES / "waves.maca"], tmp_path / "program", machine, "nvrtc")
    assert built.target == "compute_70" and built.notes == ()
    text, account = printed(tmp_path / "program", machine, tmp_path)
    assert text == f"PASSED with waves of {lanes}\n" and account.good and account.warnings == ()


@pytest.mark.parametrize("machine, told", [("v100", 3), ("c500", 35)])
def test_each_thread_of_a_warp_tells_a_failed_assertion_as_on_hardware(machine, told, made, tmp_path, capfd):
    """As an H100 with CUDA 13.0 tells it, where the lines of all other warps follow."""
    made("#include <cassert>\n#include <cstdio>\n__global__ void check(const int *p, int n) { int i = threadIdx.y * 8 + threadIdx.x; assert(p[i] < n && \"large\"); }\n"
         "int main() { int h[64], *d; for (int i = 0; i < 64; ++i) h[i] = i; cudaMalloc(&d, 256); cudaMemcpy(d, h, 256, cudaMemcpyHostToDevice);\n"
         "check<<<1, dim3(8, 8)>>>(d, 29); printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize())); check<<<1, 1>>>(d, -1); cudaDeviceSynchronize(); }\n")
    text, account = printed(tmp_path / "program", machine, tmp_path)
    assert text == "cudaErrorAssert\n" and account.failed == 2
    lines = [f"{tmp_path}/main.cu:3: void check(const int *, int): block: [0,0,0], thread: [{i % 8},{i // 8},0] Assertion `p[i] < n && \"large\"` failed."
             for i in range(29, 29 + told)]
    assert capfd.readouterr().err.splitlines() == lines


def test_a_source_for_64_lanes_alone_is_not_silently_wrong_on_32(made, tmp_path):
    """A distance of 32 lanes is warned of, as code that asks the width may hold it behind a condition; segments of 64 lanes are refused."""
    made("#include <mc_runtime.h>\n#include <cstdio>\n__global__ void sum(int *out)\n{\n    int v = threadIdx.x;\n    for (int step = 32; step > 0; step /= 2)\n"
         "        v += __shfl_down_sync(~0ull, v, step);\n    if (threadIdx.x == 0)\n        *out = v;\n}\n"
         "__global__ void first(int *out) { *out = __shfl_sync(~0ull, int(threadIdx.x), 0, 64); }\n"
         "int main() { int *p, n; mcMalloc((void **)&p, 4); sum<<<1, 64>>>(p); mcMemcpy(&n, p, 4, mcMemcpyDeviceToHost); printf(\"%d\", n);\n"
         "first<<<1, 64>>>(p); printf(\" %s\\n\", mcGetErrorName(mcGetLastError())); }\n", "main.maca")
    text, account = printed(tmp_path / "program", "c500", tmp_path)
    assert text == "2016 mcSuccess\n" and account.warnings == ()
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "992 mcErrorNoKernelImageForDevice\n" and "segments of 64 lanes do not fit into a warp of v100" in account.failures[0]
    (warning,) = account.warnings
    assert "main.maca:7: a shuffle reaches 32 lanes far, and a warp has 32" in warning and f"warning: {warning}" in str(account).replace("\n", " ")
    assert account.to_dict()["warnings"] == [warning]


def test_mxmaca_without_the_front_end_for_its_waves_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(frontends, "names", lambda: ("nvrtc",))
    with pytest.raises(CompileError, match="the extra 'maca' of the plugin"):
        build([SOURCES / "scale.maca"], tmp_path / "program", compiler="nvrtc")


def test_files_with_the_same_names_in_them_do_not_disturb_each_other(tmp_path):
    built = build([SOURCES / name for name in ("one.cu", "two.cu", "plain.cpp")], tmp_path / "program", "v100", "nvrtc")
    assert len(built.kernels) == 4
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_kernels_are_attributed_to_lines_of_the_users_file(made, tmp_path):
    made("#include <cstdio>\n#define N 4\nint unused() { return 1; }\n\n__global__ void k(int *p)\n{\n    p[threadIdx.x] = N;\n}\n"
         "int main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }\n")
    account = printed(tmp_path / "program", "v100", tmp_path)[1]
    (kernel,) = account.kernels
    found = {(Path(line.file).name, line.line) for line in kernel.longest.lines if line.line}
    assert account.exit_code == 0 and ("main.cu", 7) in found <= {("main.cu", line) for line in (5, 6, 7, 8)}


@pytest.mark.parametrize("text, where, what", [
    ("template <typename F> __global__ void k(F f) { f(); }\nint main() {\n    k<<<1, 1>>>([] __device__ () { });\n}\n", "main.cu:3", "a lambda for the device"),
    ("template <typename T> __global__ void k(T t) { }\nint main() { struct Mine { int x; }; k<<<1, 1>>>(Mine{1}); }\n", "main.cu", "a type that only a function knows"),
    ("\ntemplate <typename T> __managed__ T x;\nint main() { }\n", "main.cu:2", "a __managed__ variable of a class or a template"),
    ("template <typename T> texture<T, 2> image;\nint main() { }\n", "main.cu:1", "a template of texture or surface references" if OLD else "a texture or surface"),
    ("namespace thrust { int sort(int); }\nint main() {\n    return thrust::sort(1);\n}\n", "main.cu", "Thrust's algorithms")])
def test_what_only_nvcc_translates_is_refused_by_name(made, tmp_path, text, where, what):
    with pytest.raises(Unsupported) as refused:
        made(text)
    assert where in str(refused.value) and what in str(refused.value) and "nvcc" in str(refused.value)
    assert not (tmp_path / "program").exists()


@pytest.mark.parametrize("text", ["extern __device__ int other(int);\n__global__ void k(int *p) { *p = other(1); }\nint main() { k<<<1, 1>>>(nullptr); }\n",
                                  "__global__ void other(int);\n__global__ void k() { other<<<1, 1>>>(1); }\nint main() { k<<<1, 1>>>(); }\n"])
def test_code_of_other_files_is_used_only_where_it_is_linked(made, tmp_path, text):
    with pytest.raises(Unsupported, match=r"main.cu: .*other\(int\) of another file; -rdc=true"):
        made(text)
    assert not (tmp_path / "program").exists()
    made(text, relocatable=True)        # the runtime links it
    assert (tmp_path / "program").exists()


def test_code_for_devices_of_several_files_is_linked(tmp_path):
    built = build([SOURCES / "parts_main.cu", SOURCES / "parts_other.cu", SOURCES / "plain.cpp"], tmp_path / "program", "v100", "nvrtc", relocatable=True)
    assert set(built.kernels) >= {"_Z8from_allPi"}
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "PASSED\n" and account.good
    (tmp_path / "main.maca").write_text("__global__ void k() { }\nint main() { }\n")
    with pytest.raises(Unsupported, match="main.maca: device code of several .maca files is not linked"):
        build([tmp_path / "main.maca"], tmp_path / "other", "c500", "nvrtc", relocatable=True)


@pytest.mark.skipif(not OLD, reason="CUDA 12 and later have no references")
@pytest.mark.parametrize("optimise", ["0", "2"])
def test_kernels_read_texture_references_that_the_host_binds(optimise, tmp_path):
    built = build([SOURCES / "references.cu"], tmp_path / "program", "v100", "nvrtc", optimise=optimise)
    assert built.notes == ()
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "PASSED\n" and account.good


def test_references_are_refused_where_cuda_has_none_and_a_class_of_that_name_is_none():
    unsupported.check(Source("template <typename T> struct texture { T *texels; };\ntexture<float> mine;\n"), 12)
    with pytest.raises(Unsupported, match=r"a.cu:7: a texture or surface reference, which CUDA 11 had last, and this is CUDA 12: pip install"):
        unsupported.check(Source('# 7 "a.cu"\ntexture<float> image;\n'), 12)


def test_kernels_know_the_names_that_cudas_runtime_brings_without_a_header_of_their_own(made, tmp_path):
    made("__global__ void k(uint *p, ulong n, ushort m) { *p = n + m + (M_PI > 3) + (INT_MAX > 0) + EXIT_SUCCESS; }\n"
         "int main() { uint *p, n; cudaMalloc(&p, 4); k<<<1, 1>>>(p, 3, 4); cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost); return n; }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[1].exit_code == 9


@pytest.mark.parametrize("text, said", [
    ("__global__ void k(int *p) { }\nint main() {\n    k<<<1, 1>>>(nothing);\n}\n", "main.cu:3: error: "),
    ("__global__ void k(int *p) {\n    *p = nothing;\n}\nint main() { k<<<1, 1>>>(nullptr); }\n", "main.cu(2): error: identifier \"nothing\" is undefined"),
    ("__global__ void k(int *p) { }\nint main() {\n    k<<<1, 1(nullptr);\n}\n", "main.cu:3: a launch whose parts cannot be told apart"),
    ("__global__ void k(int *p) {\n    p[threadIdx.x] = 1\n}\nint main() { k<<<1, 1>>>(nullptr); }\n", "main.cu(3): error: expected a \";\""),
    ("#include \"nowhere.h\"\nint main() { }\n", "nowhere.h: No such file"),
    ("__global__ void k(int *p) { }\nvoid elsewhere();\nint main() { elsewhere(); }\n", "undefined reference to `elsewhere()'"),
    ("extern \"C\" int curandCreateGenerator(void **, int);\nint main() { return curandCreateGenerator(nullptr, 100); }\n",
     "undefined reference to `curandCreateGenerator'")])
def test_errors_of_compilers_name_lines_of_the_users_file(made, monkeypatch, text, said):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    with pytest.raises(CompileError) as refused:
        made(text)
    assert said in str(refused.value) and "archdef-build-" not in str(refused.value)


def test_macros_options_and_libraries_reach_both_halves(made, tmp_path):
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "mine.h").write_text("#define TWICE(x) (2 * (x))\n")
    made("#include <mine.h>\n#include <cstdio>\n#include <cmath>\n__global__ void k(int *p) { *p = TWICE(NUMBER); }\n"
         "int main() { int *p, n; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);\n"
         "#ifdef _OPENMP\n    if (n == TWICE(21) && NUMBER == 21 && __cplusplus == 201402) puts(\"PASSED\");\n#endif\n}\n",
         include=[str(tmp_path / "headers")], defines=["NUMBER=21"], libraries=["m", "cudart"], standard="c++14", host_flags=["-fopenmp"])
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_pragmas_of_openmp_reach_the_host(made, tmp_path):
    """g++ -E -fdirectives-only -fopenmp loses them, and the program would run on one thread without a word."""
    made("#include <cstdio>\n#include <omp.h>\n__global__ void k(int *p) { atomicAdd(p, 1); }\n"
         "int main() { int *p, n = 0; cudaMalloc(&p, 4); cudaMemset(p, 0, 4);\n#pragma omp parallel num_threads(3)\n    k<<<1, 1>>>(p);\n"
         "#ifdef _OPENMP\n    cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);\n#endif\n    puts(n == 3 ? \"PASSED\" : \"FAILED\"); }\n", host_flags=["-fopenmp"])
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_words_that_cuda_has_as_macros_stay_words_in_headers_of_the_host(made, tmp_path):
    """<memory> of g++ 12 has ``__attribute__((__noinline__))``, which CUDA has as a macro that is an attribute itself."""
    made("#include <cstdio>\n__noinline__ int first() { return 1; }\n#include <memory>\n__noinline__ int second() { return *std::make_shared<int>(2); }\n"
         "__global__ void k() { }\nint main() { k<<<1, 1>>>(); puts(first() + second() == 3 && !cudaDeviceSynchronize() ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_multiply_and_add_stay_apart_for_machines_that_do_not_fuse_them(tmp_path):
    (tmp_path / "main.cu").write_text("__global__ void k(float *p, float a) { p[0] = p[0] * a + p[1]; }\n"
                                      "int main() { float *p; cudaMalloc(&p, 8); k<<<1, 1>>>(p, 2); int code = cudaGetLastError(); cudaDeviceSynchronize(); return code; }\n")
    for machine, given, code in (("gt200", None, 0), ("gt200", True, 209), ("k40", None, 0), ("k40", False, 0)):
        build([tmp_path / "main.cu"], tmp_path / "program", machine, "nvrtc", fused_multiply_add=given)
        done = programs.run([str(tmp_path / "program")], machine)
        assert done.exit_code == code, (machine, given)
        if not code:
            fused = any(each.text.startswith("fma.") for each in done.kernels[0].longest.program.statements)
            assert fused is (machine == "k40" and given is None)
    with pytest.raises(CompileError, match="fused_multiply_add must be"):
        build([tmp_path / "main.cu"], tmp_path / "program", fused_multiply_add="false")


def test_64_bit_types_of_the_host_and_of_the_device_are_the_same(made, tmp_path):
    """The name of a kernel holds them: `uint64_t` is ``unsigned long`` to g++ and was ``unsigned long long`` to NVRTC."""
    made("#include <cstdint>\n#include <cstdio>\n__global__ void k(uint64_t *p, const int64_t n) { *p = n + INT64_C(1); }\n"
         "#include <cuda_pipeline_primitives.h>\ntemplate <typename T> __global__ void t(T *p) { *p += UINT64_MAX; __pipeline_commit(); }\n"
         "int main() { uint64_t *p, n; cudaMalloc(&p, 8); k<<<1, 1>>>(p, 41); t<<<1, 1>>>(p);\n"
         "cudaMemcpy(&n, p, 8, cudaMemcpyDeviceToHost); puts(n == 41 ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_64_bit_types_of_cudas_cxx_library_are_the_hosts_too(tmp_path):
    """NVRTC refuses two definitions that differ: all sources that include cooperative groups of CUDA 12.9 did not build."""
    for name, text in (("cuda/std/cstdint", "using int64_t  = signed long long;\nusing uint64_t = unsigned long long;\n"),
                       ("cuda/std/__cuda/cstdint_prelude.h", "typedef signed long long int64_t;\ntypedef unsigned long long uint64_t;\n")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"typedef long long other;\n{text}")
        found = device_code.headers([tmp_path / "nowhere", tmp_path])[name]
        assert found == "typedef long long other;\n" + text.replace("signed long long", "signed long") and found != text
    assert set(device_code.headers([])) == {"stdint.h"}


def test_declarations_that_the_grammar_does_not_know_are_found_all_the_same(made, tmp_path):
    made("#include <chrono>\n#include <cstdio>\nusing namespace std::chrono;\ntypedef struct __align__(8)\n{\n    int a, b;\n} Pair;\nstruct __align__(4 * sizeof(int)) Wide { int a; };\n"
         "template <typename T> __global__ void k(T *p, int *n) { p[1].a = 7; *n = sizeof(T); }\n"
         "template <typename T> int size() { T *p, at[2]; int *n, here; cudaMalloc(&p, sizeof at); cudaMalloc(&n, 4); k<<<1, 1>>>(p, n); cudaMemcpy(&here, n, 4, cudaMemcpyDefault);\n"
         "cudaMemcpy(at, p, sizeof at, cudaMemcpyDefault); return at[1].a == 7 ? here : -1; }\n"
         "int main() { auto now = steady_clock::now(); puts(size<Pair>() == 8 && size<Wide>() == 16 && now <= steady_clock::now() ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_min_and_max_are_the_sources_own_where_it_has_them_for_its_types(made, tmp_path):
    """CUDA's helper_math.h has them for vectors alone; the numbers' were then missing."""
    made("#include <cstdio>\ninline int2 min(int2 a, int2 b) { return make_int2(min(a.x, b.x), min(a.y, b.y)); }\ninline float max(float a, float b) { return 100; }\n"
         "enum { FOUR = 4 };\n__global__ void k() { }\nint main() { k<<<1, 1>>>(); short small = 3; unsigned big = 4000000000u;\n"
         "puts(min(make_int2(1, 4), make_int2(2, 3)).y == 3 && max(1.f, 2.f) == 100 && max(1.f, 2.0) == 2 && max(small, FOUR) == 4 && min(-1, big) == big && min(5l, 3ul) == 3"
         " ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_classes_for_devices_alone_need_no_sense_on_the_host(made, tmp_path):
    made("#include <cstdio>\nstruct Data { int n; };\nclass Group\n{\n    const Data &data;\n    int bits;\npublic:\n"
         "    __device__ Group(const Data &data) : data(data), bits(3) { }\n    __device__ int size() const { return data.n + bits; }\n};\n"
         "class Kept { public: __device__ int on_device() const { return 1; } int n; };\n__constant__ Kept kept;\n"
         "__device__ int of(const Group &group) { return group.size(); }\n__global__ void k(int *p, Data data) { *p = of(Group(data)) + kept.on_device(); }\n"
         "int main() { int *p, n; cudaMalloc(&p, 4); k<<<1, 1>>>(p, Data{5}); cudaMemcpy(&n, p, 4, cudaMemcpyDefault); puts(n == 9 ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_host_code_knows_the_numbers_of_headers_for_devices(made, tmp_path):
    made("#include <mma.h>\n#include <cstdio>\nusing namespace nvcuda;\nvoid fill(half *p) { *p = __float2half(3); }\n"
         "__global__ void k(half *p) { wmma::fragment<wmma::accumulator, 16, 16, 16, half> f; wmma::fill_fragment(f, p[0] + half(4)); wmma::store_matrix_sync(p, f, 16, wmma::mem_row_major); }\n"
         "int main() { half here[256], *p; fill(here); cudaMalloc(&p, 512); cudaMemcpy(p, here, 2, cudaMemcpyDefault); k<<<1, 32>>>(p); cudaMemcpy(here, p, 512, cudaMemcpyDefault);\n"
         "puts(__half2float(here[255]) == 7 ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_hosts_have_the_functions_that_cuda_adds_to_those_of_c(made, tmp_path):
    made("#include <cstdio>\n__host__ __device__ double all(double x) { return rsqrt(x) + rcbrt(x) + normcdf(x); }\n"
         "__global__ void k(double *p) { *p = all(0.25); }\nint main() { double *p, there; float f = 0.25f; cudaMalloc(&p, 8); k<<<1, 1>>>(p);\n"
         "cudaMemcpy(&there, p, 8, cudaMemcpyDeviceToHost); double off = there - all(0.25) + rsqrtf(f) - 2 + rcbrtf(f) - rcbrt(f) + normcdff(f) - normcdf(f);\n"
         "puts(off < 1e-6 && off > -1e-6 && rsqrt(0.25) == 2 ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_the_header_of_all_of_cub_is_for_kernels_what_they_can_use_of_it(tmp_path):
    """NVRTC refuses what CUB has for hosts, and headers of C++ that it has not."""
    for name, text in (("cub.cuh", "#include <cub/device/device_scan.cuh>\n"), ("block/block_scan.cuh", "#include <cub/util_type.cuh>\n"),
                       ("block/block_limits.cuh", "#  include <limits>\n"), ("warp/warp_scan.cuh", ""), ("device/device_scan.cuh", "")):
        (tmp_path / "cub" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cub" / name).write_text(text)
    assert device_code.headers((tmp_path,))["cub/cub.cuh"] == "#pragma once\n#include <cub/block/block_scan.cuh>\n#include <cub/warp/warp_scan.cuh>\n"
    assert "cub/cub.cuh" not in device_code.headers((tmp_path / "cub",))


def test_a_program_may_compile_kernels_itself(made, tmp_path):
    made("#include <nvrtc.h>\n#include <cuda_runtime.h>\n#include <cstdio>\nint main() { int major, minor; cudaFree(nullptr); puts(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major >= 11"
         " ? \"PASSED\" : \"FAILED\"); }\n", "main.cpp", libraries=["nvrtc"])
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_kernels_launch_kernels(made, tmp_path):
    made("#include <cstdio>\n__global__ void inner(int *p) { *p += 1; }\n__global__ void outer(int *p)\n{\n    *p = 40;\n    cudaStream_t stream;\n"
         "    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);\n    inner<<<1, 1, 0, stream>>>(p);\n    cudaStreamDestroy(stream);\n}\n"
         "int main() { int *p, n; cudaMalloc(&p, 4); outer<<<1, 1>>>(p); cudaDeviceSynchronize(); cudaMemcpy(&n, p, 4, cudaMemcpyDefault); puts(n == 41 ? \"PASSED\" : \"FAILED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_a_compiler_of_the_host_that_is_clang_gets_its_own_options(made, tmp_path, monkeypatch):
    """clang 22 builds all that g++ does here, but refuses g++'s option."""
    compiler = tmp_path / "clang++"
    compiler.write_text(f"""#!/bin/bash
    [ "$1" = --version ] && echo "clang version 22.1.8" && exit
    given=()
    for each in "$@"; do
        case "$each" in
            -fno-diagnostics-show-caret) echo "error: unknown clang option: $each" >&2; exit 1;;
            -fno-caret-diagnostics) ;;
            *) given+=("$each");;
        esac
    done
    exec {shutil.which("g++")} "${{given[@]}}"
    """.replace("\n    ", "\n"))
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    made("#include <cstdio>\n__global__ void k() { }\nint main() { k<<<1, 1>>>(); puts(cudaDeviceSynchronize() ? \"FAILED\" : \"PASSED\"); }\n")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_a_machine_older_than_every_target_is_told_so(tmp_path):
    built = build([SOURCES / "one.cu", SOURCES / "two.cu", SOURCES / "plain.cpp"], tmp_path / "program", "gt200", "nvrtc")
    assert built.target == f"compute_{min(nvrtc.toolchain().targets)}" and "compute capability 1.3" in built.notes[0]
    assert build([SOURCES / "plain.cpp"], tmp_path / "library", "v100", "nvrtc", host_flags=["-shared"]).notes == ()


def test_a_program_that_is_started_alone_names_the_missing_library(made, tmp_path):
    made("int main() { return cudaDeviceSynchronize(); }\n")
    alone = subprocess.run([tmp_path / "program"], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert alone.returncode == 127 and "libcudart.so" in alone.stderr
    assert printed(tmp_path / "program", "v100", tmp_path)[1].exit_code == 0


@pytest.mark.skipif(nvcc.toolchain() is None, reason="needs nvcc")
def test_nvcc_is_used_where_it_is(tmp_path):
    built = build([SOURCES / "features.cu"], tmp_path / "program", "v100")
    assert built.compiler.startswith("nvcc")
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_headers_that_a_wheel_lacks_are_named(made, monkeypatch):
    chain = nvrtc.toolchain()
    without = attrs.evolve(chain, include=tuple(folder for folder in chain.include if not (folder / "crt").is_dir()))
    if without == chain or any((folder / "crt").is_dir() for folder in without.include):
        pytest.skip("CUDA's headers lie in one folder here")
    monkeypatch.setattr(nvrtc, "toolchain", lambda: without)
    with pytest.raises(CompileError, match=r"archdef\[build\]"):
        made("int main() { }\n")


@pytest.mark.parametrize("header, cuda, said", [
    ("<cufft.h>", 11, "cufft.h is not installed: pip install nvidia-cufft-cu11 brings it"), ("<cublas_v2.h>", 13, "pip install nvidia-cublas brings it"),
    ('"nvToolsExt.h"', 12, "pip install nvidia-nvtx-cu12 brings it"), ('"nvToolsExt.h"', 13, "which has nvtx3/nvToolsExt.h"),
    ("<cudnn.h>", 13, "pip install nvidia-cudnn-cu13 brings it")])
def test_headers_of_libraries_that_are_not_there_are_named_with_what_brings_them(header, cuda, said, tmp_path):
    (tmp_path / "main.cu").write_text(f"#include {header}\nint main() {{ }}\n")
    (tmp_path / "cuda_runtime.h").write_text("")
    reader = Preprocessor("g++", "c++17", (), (tmp_path,), (), (cuda, 0))
    with pytest.raises(CompileError) as refused:
        reader.run(tmp_path / "main.cu", None)
    assert f"main.cu: {header[1:-1]} is not " in str(refused.value) and said in str(refused.value)


@pytest.mark.parametrize("header", ["thrust/sort.h", "cub/cub.cuh", "cuda/barrier", "cuda/std/atomic"])
def test_headers_of_the_cpp_libraries_are_named_with_what_brings_them(header, tmp_path):
    (tmp_path / "main.cu").write_text(f"#include <{header}>\nint main() {{ }}\n")
    (tmp_path / "cuda_runtime.h").write_text("")
    with pytest.raises(CompileError) as refused:
        Preprocessor("g++", "c++17", (), (tmp_path,), (), (11, 8)).run(tmp_path / "main.cu", None)
    name = header.partition("/")[0]
    assert f"main.cu: {name}'s headers are not installed: pip install 'archdef[thrust]'" in str(refused.value)
    assert ("algorithms" in str(refused.value)) == (name != "cuda")


@pytest.mark.parametrize("name", ["main.cu", "main.cpp"])
def test_headers_of_cuda_samples_are_named_as_such_also_by_files_without_kernels(name, tmp_path):
    (tmp_path / name).write_text("#include <helper_timer.h>\nint main() { }\n")
    with pytest.raises(CompileError, match=rf"{name}: helper_timer\.h is a header of cuda-samples, in its folder Common"):
        build([tmp_path / name], tmp_path / "program", compiler="nvrtc")


@pytest.mark.parametrize("function, libraries, said", [
    ("cublasCreate_v2", [], "cublasCreate_v2 needs -lcublas"), ("cusolverDnZheevd", ["cusolver"], "archdef has no cusolverDnZheevd: "),
    ("mine", ["cublas"], None)])
def test_functions_that_the_linker_misses_come_with_what_to_do(function, libraries, said, tmp_path):
    (tmp_path / "main.cpp").write_text(f'extern "C" void {function}();\nint main() {{ {function}(); }}\n')
    with pytest.raises(CompileError, match=f"undefined reference to .{function}") as refused:
        build([tmp_path / "main.cpp"], tmp_path / "program", compiler="nvrtc", libraries=libraries)
    assert said in str(refused.value) if said else "archdef has" not in str(refused.value)


def test_headers_of_libraries_wheels_are_found(tmp_path):
    """Each library's wheel has a folder of its own for them, except for those of CUDA 13."""
    if "cu13" in str(CHAIN.library):
        pytest.skip("CUDA's headers lie in one folder here")
    package = CHAIN.library.parents[2]
    other = tmp_path / "nvidia"
    other.mkdir()
    for each in package.iterdir():
        if each.name != "curand":
            (other / each.name).symlink_to(each)
    (other / "curand" / "include").mkdir(parents=True)
    done = subprocess.run([sys.executable, "-c", "from archdef.frontends import nvrtc; print(*nvrtc.toolchain().include)"], capture_output=True, text=True,
                          check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])})
    assert "curand/include" in done.stdout


def test_the_extra_that_the_error_names_brings_headers_of_the_same_cuda_as_nvrtc():
    extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for cuda, host, thrust in (("cuda", "build", "thrust"), ("cuda12", "build12", "cuda12")):
        (nvrtc_wheel,) = [each for each in extras[cuda] if "nvrtc" in each]
        assert nvrtc_wheel.replace("nvrtc", "nvcc") in extras[host] and nvrtc_wheel.replace("nvrtc", "cccl") in extras[thrust]
    assert any("build" in each.partition("[")[2] for each in extras["test"]), "tests of programs would be skipped wherever the README's command is run"


def test_what_is_no_source_is_refused(tmp_path):
    for files, said in (["nowhere.cu"], "there is no file"), ([tmp_path / "x.py"], "is built of"), ([], "no source file"):
        with pytest.raises(CompileError, match=said):
            build(files, tmp_path / "program")
    with pytest.raises(CompileError, match="no option 'speed'"):
        build([SOURCES / "one.cu"], tmp_path / "program", speed=3)
    with pytest.raises(CompileError, match="by nvcc, clang or nvrtc"):
        build([SOURCES / "one.cu"], tmp_path / "program", compiler="icc")


def test_an_nvrtc_that_was_asked_for_and_is_not_there_is_named(made, monkeypatch):
    monkeypatch.setenv("ARCHDEF_NVRTC", "1.0")
    with pytest.raises(CompileError, match=r"no NVRTC 1\.0 among the installed ones \(NVRTC "):
        made("int main() { }\n")


def test_libraries_that_are_answered_for_need_not_be_there(made, tmp_path):
    made("""#include <cstdio>
extern "C" int curandCreateGenerator(void **, int), curandGenerateUniform(void *, float *, size_t), curandDestroyGenerator(void *);
int main()
{
    void *generator;
    float *there, here[64], sum = 0;
    cudaMalloc(&there, sizeof here);
    if (curandCreateGenerator(&generator, 100) || curandGenerateUniform(generator, there, 64) || curandDestroyGenerator(generator))
        return 1;
    cudaMemcpy(here, there, sizeof here, cudaMemcpyDeviceToHost);
    for (float each : here)
        sum += each;
    puts(sum > 16 && sum < 48 ? "PASSED" : "FAILED");
}
""", libraries=("curand",))
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "PASSED\n"


def test_programs_that_include_headers_of_libraries_are_built_and_linked(made, tmp_path):
    for header, library in (("cublasLt.h", "cublasLt"), ("cusolverDn.h", "cusolverDn"), ("cudnn.h", "cudnn")):
        (tmp_path / header).write_text(f"#include <iostream>\nextern \"C\" int {library}Create(void **), {library}Destroy(void *);\n")
    made("""#include <cstdio>
#include <cublasLt.h>
#include <cudnn.h>
#include <cusolverDn.h>
__global__ void write(int *to) { *to = 5; }
int main()
{
    void *lt, *solver, *dnn;
    int *there, here = 0;
    cudaMalloc(&there, 4);
    if (cublasLtCreate(&lt) || cusolverDnCreate(&solver) || cudnnCreate(&dnn))
        return 1;
    write<<<1, 1>>>(there);
    cudaMemcpy(&here, there, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\\n", here, cublasLtDestroy(lt), cusolverDnDestroy(solver), cudnnDestroy(dnn));
}
""", include=[str(tmp_path)], libraries=("cublasLt", "cusolver", "cudnn"))
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "5 0 0 0\n"


def test_a_library_that_nobody_has_is_named(made):
    with pytest.raises(CompileError, match="cannot find -lnosuch"):
        made("int main() { return 0; }", libraries=("nosuch",))
