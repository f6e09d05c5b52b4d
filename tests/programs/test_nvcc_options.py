"""Do options of nvcc that change what programs compute and how do so in all ways of building, and are the others answered?"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import building, printed

from archdef import exec as programs
from archdef.errors import CompileError
from archdef.exec import fatbin, recorded
from archdef.frontends import nvcc
from archdef.programs import build, plan, rules, with_clang
from archdef.programs.options import BuildOptions

pytest.importorskip("tree_sitter_cuda", reason="the extra 'build' brings it")
pytestmark = building("v100", "h100", "k40")
NUMBERS = Path(__file__).parent / "sources" / "numbers.cu"
THERE = {"nvrtc": True, "clang": with_clang.toolchain() is not None, "nvcc": nvcc.toolchain() is not None}
WAYS = [pytest.param(way, marks=pytest.mark.skipif(not there, reason=f"needs {way}")) for way, there in THERE.items()]
SPILLS = """#include <cstdio>
__global__ void k(float *p) { float x[40]; for (int i = 0; i < 40; i++) x[i] = p[i * 32 + threadIdx.x];
                              __syncthreads(); for (int i = 0; i < 40; i++) p[threadIdx.x * 40 + i] = x[39 - i] * x[i]; }
__global__ void __launch_bounds__(64) own(float *p) { float x[40]; for (int i = 0; i < 40; i++) x[i] = p[i * 32 + threadIdx.x];
                                                      __syncthreads(); for (int i = 0; i < 40; i++) p[threadIdx.x * 40 + i] = x[39 - i] * x[i]; }
int main() { float *p; cudaMalloc(&p, 4 * 40 * 32); k<<<1, 32>>>(p); own<<<1, 32>>>(p); cudaFuncAttributes a; cudaFuncGetAttributes(&a, k);
             printf("%d ", a.numRegs); cudaFuncGetAttributes(&a, own); printf("%d %d\\n", a.numRegs, cudaDeviceSynchronize()); }
"""
CACHED = """__global__ void k(float *p, float *q) { float sum = 0; for (int i = 0; i < 8; i++) { sum += *(volatile float *)(q + threadIdx.x); sum += p[threadIdx.x + i]; }
                                                q[threadIdx.x] = sum; }
int main() { float *p; cudaMalloc(&p, 1024); k<<<1, 32>>>(p, p + 128); return cudaDeviceSynchronize(); }
"""


def archdef(*words, at):
    """Run the command, as from a shell."""
    return subprocess.run([sys.executable, "-m", "archdef", "build", *words], cwd=at, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("options", "said"), [
    ({}, "kept exact exact once nan"), ({"fast_math": True}, "flushed rough exact once nan"), ({"flush_to_zero": True}, "flushed exact exact once nan"),
    ({"precise_division": False}, "kept near exact once nan"), ({"fused_multiply_add": False}, "kept exact exact twice nan"),
    ({"fast_math": True, "flush_to_zero": False, "precise_division": True, "precise_roots": True}, "kept exact exact once nan"),
    ({"fast_math": True, "fused_multiply_add": False}, "flushed rough exact twice nan")])
def test_numbers_are_those_that_are_asked_for(way, options, said, tmp_path):
    build([NUMBERS], tmp_path / "program", "h100", way, **options)
    assert printed(tmp_path / "program", "h100", tmp_path)[0] == f"{said}\n"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("precise", [False, True])
def test_roots_are_those_that_are_asked_for(way, precise, tmp_path):
    """Machines here round both the same; the instruction differs."""
    build([NUMBERS], tmp_path / "it.ptx", None, way, code="ptx", precise_roots=precise, fast_math=precise)
    assert ("sqrt.rn" in (tmp_path / "it.ptx").read_text()) == precise


@pytest.mark.parametrize("way", WAYS)
def test_registers_are_limited_where_kernels_do_not_say_themselves(way, tmp_path):
    (tmp_path / "main.cu").write_text(SPILLS)
    found = []
    for most in (0, 24):
        build([tmp_path / "main.cu"], tmp_path / "program", None, way, max_registers=most)
        text, account = printed(tmp_path / "program", "h100", tmp_path)
        assert account.good
        found.append([int(each) for each in text.split()])
    assert found[0][0] > 24 and found[1][0] <= 24 and found[0][1:] == found[1][1:]


@pytest.mark.parametrize("way", WAYS)
def test_caches_are_those_that_ptxas_was_told(way, tmp_path):
    """A K40's loads go past L1 unless they ask for it; an H100's do not unless they are told to."""
    (tmp_path / "main.cu").write_text(CACHED)
    machine = "k40" if way != "nvcc" else "h100"
    hits = {}
    for asked in ("ca", "cg"):
        build([tmp_path / "main.cu"], tmp_path / "program", machine, way, assembler=[f"-dlcm={asked}", "-v", "-O3"])
        _, account = printed(tmp_path / "program", machine, tmp_path)
        hits[asked] = account.kernels[0].longest.counters.l1_hits
    assert hits["ca"] > hits["cg"] == 0, hits


def test_options_in_a_fat_binary_hold_for_its_text():
    text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry a(\n.param .u64 p\n)\n{\nld.global.f32 %f1, [%rd1];\nld.volatile.global.f32 %f1, [%rd1];\n" \
           "ld.global.v2.f32 {%f1, %f2}, [%rd1];\nld.param.u64 %rd1, [p];\nst.f32 [%rd1], %f1;\nld.global.nc.f32 %f1, [%rd1];\nret;\n}\n" \
           ".entry b()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    data = fatbin.packed(text, 75, "-dlcm=cg -v  -maxrregcount 40 -maxrregcount=16 -dscm=wt")
    made = fatbin.best_ptx(data, 90)
    assert made.count("\n") == text.count("\n") and ") .maxnreg 24\n{" in made and made.count(".maxnreg") == 1
    assert "\nld.global.cg.f32 " in made and "\nld.global.cg.v2.f32 " in made and "\nst.wt.f32 " in made and "ld.volatile.global.f32" in made
    assert "ld.global.nc.f32" in made and "ld.param.u64" in made
    assert fatbin.best_ptx(fatbin.packed(text, 75, "-v --compile-only -maxrregcount=300"), 90) == text == recorded.applied(text, "", 90)
    with pytest.raises(fatbin.FatbinError, match="past its header"):
        fatbin.best_ptx(data[:16 + 0x44] + b"\xff\xff" + data[16 + 0x46:], 90)


def test_options_that_are_not_known_are_refused(tmp_path):
    for wrong, said in (({"assembler": ["-dlcm=xx"]}, "dlcm=ca or"), ({"assembler": ["--fmad=false"]}, "--fmad: what"), ({"max_registers": -1}, "number of registers"),
                        ({"flush_to_zero": 1}, "True, False or None"), ({"code": "cubin"}, "ptx or fatbin"), ({"assembler": ["-maxrregcount"]}, "NUMBER")):
        with pytest.raises(CompileError, match=said):
            BuildOptions(**wrong)
    with pytest.raises(CompileError, match="one source"):
        plan([NUMBERS, NUMBERS], compiler="nvrtc", code="ptx")
    for words, said in ((["-cubin"], "cuModuleLoad"), (["-Xnvlink", "-x"], "not known"), (["-dryrun"], "no steps"), (["-Wall"], "follow -Xcompiler"), (["@absent"], "absent")):
        done = archdef(*words, str(NUMBERS), at=tmp_path)
        assert done.returncode == 2 and said in done.stderr, done.stderr


def test_device_code_alone_is_what_the_driver_loads(tmp_path):
    for code in ("ptx", "fatbin"):
        assert archdef("--compiler", "nvrtc", f"-{code}", str(NUMBERS), "-ftz", "true", "-maxrregcount", "64", at=tmp_path).returncode == 0
    text, fat = (tmp_path / "numbers.ptx").read_text(), (tmp_path / "numbers.fatbin").read_bytes()
    assert ".entry _Z7compute" in text and ".ftz." in text and next(fatbin.entries(fat)).options == "-maxrregcount=64"
    assert fatbin.best_ptx(fat, 70) == text.replace(")\n{", ") .maxnreg 64\n{")


@pytest.mark.parametrize("way", WAYS)
def test_files_that_a_source_includes_are_said_to_make(way, tmp_path):
    (tmp_path / "my part.cuh").write_text("#define PART 1\n")
    (tmp_path / "main.cu").write_text('#include <cstdio>\n#include "my part.cuh"\n#ifdef __CUDACC__\n#include "only.cuh"\n#endif\nint main() { return PART; }\n')
    (tmp_path / "only.cuh").write_text("__global__ void k() { }\n")
    own = plan([tmp_path / "main.cu"], compiler=way)
    rule = rules(own, "out/main.o", system=False, phony=True)
    first, *others = rule.replace("\\\n", "").splitlines()
    assert first.startswith(f"out/main.o: {tmp_path}/main.cu ") and f"{tmp_path}/my\\ part.cuh" in first and f"{tmp_path}/only.cuh" in first
    assert f"{tmp_path}/only.cuh:" in others and "archdef-build-" not in rule and "stdio" not in rule
    assert "cuda_runtime.h" in rules(own, "main.o") and "archdef-build-" not in rules(own, "main.o")


def test_rules_for_make_are_written_where_nvcc_writes_them(tmp_path):
    (tmp_path / "k.cuh").write_text("__global__ void k() { }\n")
    (tmp_path / "k.cu").write_text('#include "k.cuh"\n')
    done = archdef("--compiler", "nvrtc", "-MM", "k.cu", at=tmp_path)
    assert done.stdout == "k.o: k.cu \\\n  k.cuh\n" and not (tmp_path / "k.o").exists()
    assert archdef("--compiler", "nvrtc", "-MMD", "-c", "k.cu", "-o", "made.o", at=tmp_path).returncode == 0
    assert (tmp_path / "made.d").read_text() == "made.o: k.cu \\\n  k.cuh\n" and (tmp_path / "made.o").is_file()
    assert archdef("--compiler", "nvrtc", "-MD", "-MP", "-MF", "x.dep", "-MT", "goal", "-c", "k.cu", at=tmp_path).returncode == 0
    assert (tmp_path / "x.dep").read_text().startswith("goal: k.cu \\\n") and "\nk.cuh:\n" in (tmp_path / "x.dep").read_text()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_makefiles_with_their_own_link_of_device_code_build(tmp_path):
    """Parts, an object that makes them one, and the host's own linker; also options by files, of ptxas, for warnings and for what is kept."""
    (tmp_path / "a.cu").write_text("#include <cstdio>\n__device__ int other(int);\n__global__ void k(int *p) { *p = other(*p); }\n"
                                   'int main() { int *p; cudaMallocManaged(&p, 4); *p = 20; k<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%d\\n", *p); }\n')
    (tmp_path / "b.cu").write_text("__device__ int other(int x) { return 2 * x + BIT; }\n")
    (tmp_path / "more.rsp").write_text('-DBIT=2 "-Xptxas" "-v,-O3"\n')
    (tmp_path / "Makefile").write_text(
        "FLAGS = -ccbin g++ -m64 -Wno-deprecated-gpu-targets -w -t0 -Xptxas -warn-spills --resource-usage -keep --keep-dir /nowhere -dlto "
        "-forward-unknown-to-host-compiler -Wall -gencode=arch=compute_70,code=lto_70 --options-file more.rsp -Xcudafe --diag_suppress=20012 -Xfatbin=-compress-all\n"
        "whole: a.o b.o link.o\n\t$(NVCC) $(FLAGS) -o $@ $^ -Xlinker -rpath,/nowhere\n"
        "link.o: a.o b.o\n\t$(NVCC) -dlink -o $@ $^\n%.o: %.cu\n\t$(NVCC) $(FLAGS) -dc -o $@ $<\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make", f"NVCC={sys.executable} -m archdef build --compiler nvrtc"], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is kept" in done.stderr and ("registers, " in done.stderr or "is not told" in done.stderr)
    assert printed(tmp_path / "whole", "v100", tmp_path)[0] == "42\n"
    wrong = archdef("--compiler", "nvrtc", "a.o", "link.o", at=tmp_path)
    assert wrong.returncode != 0 and "-dlink has linked 2" in wrong.stderr


def test_a_library_of_objects_links(tmp_path):
    (tmp_path / "a.cu").write_text("void run();\nint main() { run(); }\n")
    (tmp_path / "b.cu").write_text('#include <cstdio>\n__global__ void k() { printf("in the library\\n"); }\nvoid run() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n')
    assert archdef("--compiler", "nvrtc", "-lib", "b.cu", "-o", "libb.a", at=tmp_path).returncode == 0
    assert archdef("--compiler", "nvrtc", "a.cu", "libb.a", "-o", "program", at=tmp_path).returncode == 0
    assert printed(tmp_path / "program", "v100", tmp_path)[0] == "in the library\n"


def test_a_program_that_nvcc_compiled_keeps_its_limit(tmp_path):
    """As its fat binary records it: nobody tells archdef exec."""
    if not THERE["nvcc"]:
        pytest.skip("needs nvcc")
    (tmp_path / "main.cu").write_text(SPILLS)
    chain = nvcc.toolchain()
    target = f"compute_{min(chain.targets)}"
    subprocess.run([str(chain.path), "-gencode", f"arch={target},code={target}", "-maxrregcount=24", "-o", "program", "main.cu"], cwd=tmp_path, check=True)
    with open(tmp_path / "output", "w+") as output:
        programs.run([str(tmp_path / "program")], "h100", output=output)
        output.seek(0)
        assert int(output.read().split()[0]) <= 24
