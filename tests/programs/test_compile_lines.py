"""May compile lines and makefiles for nvcc stay as they are; do objects, parts and shared libraries link?"""
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import building, printed

from archdef import exec as programs
from archdef.frontends import nvcc, nvrtc
from archdef.programs import build, plan, with_nvcc
from archdef.programs.builder import _asked_for
from archdef.programs.options import BuildOptions

pytest.importorskip("tree_sitter_cuda", reason="the extra 'build' brings it")
pytestmark = building("v100")
FILES = {
    "kernels.cuh": "#pragma once\n#include <cstdio>\ntemplate <typename T> __global__ void scale(T *p, T a) { p[threadIdx.x] *= a; }\n"
                   "__device__ float one_more(float x);\nvoid run(float *p);\nextern \"C\" int square(int x);\n",
    "main.cu": '#include "kernels.cuh"\nint main() { float h[32], *p; for (int i = 0; i < 32; i++) h[i] = i; cudaMalloc(&p, sizeof h);\n'
               "cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice); scale<<<1, 32>>>(p, 2.0f); run(p);\n"
               'cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); printf("%g %d %d\\n", h[10], square(3), FLAG); }\n',
    "alone.cu": '#include "kernels.cuh"\n__global__ void more(float *p) { p[threadIdx.x] += 1; }\nvoid run(float *p) { more<<<1, 32>>>(p); }\n',
    "part.cu": '#include "kernels.cuh"\n__global__ void more(float *p) { p[threadIdx.x] = one_more(p[threadIdx.x]); }\nvoid run(float *p) { more<<<1, 32>>>(p); }\n',
    "device.cu": '#include "kernels.cuh"\n__device__ float one_more(float x) { return x + 1; }\n',
    "square.c": "int square(int x) { return x * x; }\n",
    "Makefile": "NVCC = nvcc\nFLAGS = -O3 -arch=sm_70 -std=c++14 -Xcompiler -Wall,-O1 -Xptxas -v -lineinfo -m64 --threads 0 --extended-lambda -DFLAG=7\n"
                "LIBRARIES = -L/usr/local/nowhere/lib64 -lcudart -lm\n"
                "program: main.o alone.o square.o\n\t$(NVCC) $(FLAGS) -o $@ $^ $(LIBRARIES)\n"
                "parts: square.o\n\t$(NVCC) $(FLAGS) -dc main.cu part.cu\n\t$(NVCC) $(FLAGS) -gencode arch=compute_70,code=sm_70 -dc -o device.o device.cu\n"
                "\t$(NVCC) main.o part.o device.o square.o -o $@ $(LIBRARIES)\n"
                "%.o: %.cu kernels.cuh\n\t$(NVCC) $(FLAGS) -I/usr/local/nowhere/include -c -o $@ $<\n"}


@pytest.fixture
def project(tmp_path):
    """A folder with sources and a makefile."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def archdef(*words, at):
    """Run the command, as from a shell."""
    return subprocess.run([sys.executable, "-m", "archdef", *words], cwd=at, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("cc") is None, reason="needs make and cc")
@pytest.mark.parametrize("goal", ["program", "parts"])
def test_makefiles_build_by_it_in_place_of_nvcc(goal, project):
    done = subprocess.run(["make", goal, f"NVCC={sys.executable} -m archdef build --compiler nvrtc"], cwd=project, capture_output=True, text=True, check=False,
                          env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")})
    assert done.returncode == 0, done.stdout + done.stderr
    text, account = printed(project / goal, "v100", project)
    assert text == "21 9 7\n" and account.good


def test_names_of_what_is_written_are_those_of_nvcc(project):
    done = archdef("build", "--compiler", "nvrtc", "-c", "-DFLAG=1", "main.cu", "square.c", "--json", at=project)
    assert done.returncode == 0 and [each["program"] for each in json.loads(done.stdout)] == ["main.o", "square.o"]
    done = archdef("build", "--compiler", "nvrtc", "main.o", "square.o", "alone.cu", at=project)
    assert done.returncode == 0 and printed(project / "a.out", "v100", project)[0] == "21 9 1\n"
    done = archdef("build", "-c", "main.cu", "alone.cu", "-o", "both.o", at=project)
    assert done.returncode == 2 and "one object of one source" in done.stderr


def test_a_link_of_objects_names_no_target_and_notes_nothing_about_targets(project):
    assert archdef("build", "--compiler", "nvrtc", "-arch=sm_20", "-c", "-DFLAG=1", "main.cu", "square.c", "alone.cu", at=project).stderr.count("compute_20") == 2
    done = archdef("build", "--compiler", "nvrtc", "-arch=sm_20", "main.o", "square.o", "alone.o", "-o", "program", at=project)
    assert done.returncode == 0 and not done.stderr and "program: NVRTC" in done.stdout and "PTX" not in done.stdout


def test_kernels_that_the_host_alone_uses_are_no_cause_for_a_warning(tmp_path):
    (tmp_path / "main.cu").write_text("static __global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n")
    assert build([tmp_path / "main.cu"], tmp_path / "program", "v100", "nvrtc").notes == ()


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_makefiles_learn_the_cuda_version_as_from_nvcc(option, tmp_path):
    done = archdef("build", "--compiler", "nvrtc", option, at=tmp_path)
    name, cuda = str(nvrtc.toolchain()), ".".join(map(str, nvrtc.toolchain().version))
    assert done.returncode == 0 and f": {name}\nCuda compilation tools, release {cuda}, V{cuda}\n" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_an_error_of_one_line(project):
    done = archdef("build", "--compiler", "nvrtc", "-c", "alone.cu", "-o", "/dev/full", at=project)
    assert done.returncode == 1 and done.stderr == "Error: cannot write /dev/full: No space left on device\n"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "archdef", "archs"], cwd=project, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and done.stderr == "Error: cannot write the output: No space left on device\n"


@pytest.mark.skipif(shutil.which("ar") is None, reason="needs ar")
@pytest.mark.parametrize("compiler", ["nvrtc", *(["nvcc"] if nvcc.toolchain() else [])])
@pytest.mark.parametrize("named", [["libown.a"], ["-L.", "-lown"]])
@pytest.mark.parametrize("option, sources", [("-c", ["alone.cu"]), ("-dc", ["device.cu", "part.cu"])])
def test_static_libraries_bring_their_kernels(option, sources, named, compiler, project):
    """Of those with parts all objects are linked, which tell what they have; the linker reads CUDA's names behind those of the program's own libraries."""
    (project / "host.cpp").write_text('#include <cuda_runtime.h>\n#include <cstdio>\nvoid run(float *p);\nint main() { float h[32] = {4}, *p; cudaMalloc(&p, sizeof h);\n'
                                      'cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice); run(p); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); printf("%g\\n", h[0]); }\n')
    done = archdef("build", "--compiler", "nvrtc", option, *sources, at=project)
    assert done.returncode == 0, done.stderr
    subprocess.run(["ar", "rcs", "libown.a", *(f"{Path(each).stem}.o" for each in sources)], cwd=project, check=True)
    done = archdef("build", "--compiler", compiler, "host.cpp", *named, "-o", "program", at=project)
    assert done.returncode == 0, done.stderr
    assert printed(project / "program", "v100", project)[0] == "5\n"


def test_a_static_library_may_be_all_that_calls_the_runtime(tmp_path):
    (tmp_path / "ask.cpp").write_text("#include <cuda_runtime.h>\nint ask() { int count; return cudaGetDeviceCount(&count) ? -1 : count; }\n")
    (tmp_path / "main.cpp").write_text('#include <cstdio>\nint ask();\nint main() { printf("%d\\n", ask()); }\n')
    build([tmp_path / "ask.cpp"], tmp_path / "ask.o", compiler="nvrtc", compile_only=True)
    subprocess.run(["ar", "rcs", "libask.a", "ask.o"], cwd=tmp_path, check=True)
    build([tmp_path / "main.cpp"], tmp_path / "program", compiler="nvrtc", library_folders=[str(tmp_path)], libraries=["ask"])
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "1\n"


def test_a_shared_library_has_kernels_that_other_programs_launch(tmp_path):
    (tmp_path / "twice.cu").write_text("__global__ void k(float *p) { p[threadIdx.x] *= 2; }\nextern \"C\" int twice(float *h, int n) { float *p; cudaMalloc(&p, n * 4);\n"
                                       "cudaMemcpy(p, h, n * 4, cudaMemcpyHostToDevice); k<<<1, n>>>(p); cudaMemcpy(h, p, n * 4, cudaMemcpyDeviceToHost); return cudaFree(p); }\n")
    built = build([tmp_path / "twice.cu"], tmp_path / "libtwice.so", "v100", "nvrtc", shared=True)
    assert built.kernels == ("_Z1kPf",)
    script = f"import ctypes; a = (ctypes.c_float * 3)(1, 2, 3); print(ctypes.CDLL({str(tmp_path / 'libtwice.so')!r}).twice(a, 3), list(a))"
    with open(tmp_path / "output", "w+") as output:
        account = programs.run([sys.executable, "-c", script], "v100", output=output)
        output.seek(0)
        assert output.read() == "0 [2.0, 4.0, 6.0]\n" and account.launches == 1


def test_targets_asked_for_count_where_no_machine_is_named(project):
    given = {"compiler": "nvrtc", "gpu_targets": ["75", "60"]}
    assert plan([project / "alone.cu"], **given).target == "compute_60" and plan([project / "alone.cu"], "v100", **given).target == "compute_70"
    assert _asked_for(["73", "90a"], (35, 70, 75, 90), "it") == ("compute_70", ()) and _asked_for(["90a"], (35, 90), "it") == ("compute_90a", ())
    target, notes = _asked_for(["20"], (35, 70), "it")
    assert target == "compute_35" and notes == ("compiled for compute_35, the oldest target of it, and not for compute_20",)


def test_fast_math_is_the_devices(tmp_path):
    (tmp_path / "main.cu").write_text('#include <cstdio>\n__global__ void k(float *p) { *p = sinf(*p) / *p; }\n'
                                      'int main() { float *p; cudaMallocManaged(&p, 4); *p = 2; k<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%.5f\\n", *p); }\n')
    sizes = []
    for fast in (False, True):
        build([tmp_path / "main.cu"], tmp_path / "program", "v100", "nvrtc", fast_math=fast)
        text, account = printed(tmp_path / "program", "v100", tmp_path)
        assert text == "0.45465\n"
        sizes.append(account.kernels[0].longest.counters.instructions)
    assert sizes[1] < sizes[0]


def test_a_toolkits_headers_in_a_makefile_do_not_mix_with_the_compilers(project):
    """Its own come second, since two versions of one header cannot be read together; what else lies there is found."""
    (project / "toolkit").mkdir()
    (project / "toolkit" / "cuda_runtime_api.h").write_text("#error of another version\n")
    (project / "toolkit" / "cuda_runtime.h").write_text("#error of another version\n")
    (project / "toolkit" / "helper.h").write_text("#define HELP 1\n")
    (project / "uses.cu").write_text('#include <cuda_runtime.h>\n#include "helper.h"\n__global__ void k() { }\nint main() { k<<<1, 1>>>(); return HELP; }\n')
    build([project / "uses.cu"], project / "program", "v100", "nvrtc", include=[str(project / "toolkit")])
    assert programs.run([str(project / "program")], "v100").exit_code == 1


@pytest.mark.parametrize("optimise", ["0", "2"])
def test_managed_variables_are_one_for_the_program_and_kernels(optimise, tmp_path):
    build([Path(__file__).parent / "sources" / "managed.cu"], tmp_path / "program", "v100", "nvrtc", optimise=optimise)
    text, account = printed(tmp_path / "program", "v100", tmp_path)
    assert text == "PASSED\n" and account.good


def test_managed_variables_are_seen_by_other_files(tmp_path):
    (tmp_path / "a.cu").write_text("#include <cstdio>\nextern __managed__ int counts[3];\nvoid run();\n"
                                   'int main() { counts[1] = 4; run(); printf("%d %zu\\n", counts[1], sizeof counts); }\n')
    (tmp_path / "b.cu").write_text("__managed__ int counts[3];\n__global__ void k() { counts[threadIdx.x] += 1; }\n"
                                   "void run() { k<<<1, 3>>>(); cudaDeviceSynchronize(); }\n")
    build([tmp_path / "a.cu", tmp_path / "b.cu"], tmp_path / "program", "v100", "nvrtc", relocatable=True)
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "5 12\n"


def test_nvcc_links_what_archdef_provides_without_its_toolkit_having_it(tmp_path):
    options = BuildOptions(libraries=["cublasLt", "cusolver", "cuda", "m", "cudart"])
    given = list(with_nvcc._libraries(nvcc.Toolchain(tmp_path / "nvcc", "12.4", (50,)), tmp_path, options, "g++"))
    files = [Path(each) for before, each in itertools.pairwise(given) if before == "-Xlinker"]
    assert [each.name for each in files] == ["libcublasLt.so.12", "libcusolver.so.11", "libcuda.so.1"] and all(each.is_file() for each in files)
    assert given[-2:] == ["-lm", "-lcudart"]
