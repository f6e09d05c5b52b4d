"""Do programs build that are written as MXMACA's are: files of C++, its headers, its names, its compile lines?"""
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from running import CHAIN, building, printed

from archdef import exec as programs
from archdef.cli import main
from archdef.errors import CompileError
from archdef.programs import build, languages, maca
from archdef.runtime import cuda
from archdef.runtime import maca as runtime

pytest.importorskip("tree_sitter_cuda", reason="the extra 'build' brings it")
SOURCES = Path(__file__).parent / "sources"
pytestmark = building("v100", "c500")
BLAS = """#pragma once
#include <cuda_runtime_api.h>
#define CUBLASAPI
typedef struct cublasContext *cublasHandle_t;
typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_INVALID_VALUE = 7 } cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0 } cublasOperation_t;
cublasStatus_t cublasCreate_v2(cublasHandle_t *);
cublasStatus_t cublasSgemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const float *, const float *, int, const float *, int,
                              const float *, float *, int);
#define cublasCreate cublasCreate_v2
#define cublasSgemm cublasSgemm_v2
"""
PLAIN_C = """#include <stdio.h>
#include <stdlib.h>
#include <mc_runtime_api.h>
#include "mcblas.h"
int main(void)
{
    float a[4] = {1, 2, 3, 4}, c[4], *p = NULL, *q, one = 1, zero = 0;
    int *as_c = malloc(4);      /* which C++ refuses */
    mcblasHandle_t handle;
    mcMalloc((void **)&p, sizeof a);
    mcMalloc((void **)&q, sizeof a);
    mcMemcpy(p, a, sizeof a, mcMemcpyHostToDevice);
    if (mcblasCreate(&handle) != MCBLAS_STATUS_SUCCESS)
        return 1;
    mcblasStatus_t status = mcblasSgemm(handle, MCBLAS_OP_N, MCBLAS_OP_N, 2, 2, 2, &one, p, 2, p, 2, &zero, q, 2);
    mcMemcpy(c, q, sizeof c, mcMemcpyDeviceToHost);
    printf("%d %g %g %g %g %s\\n", status, c[0], c[1], c[2], c[3], mcGetErrorName(mcErrorInvalidValue));
    mcblasSgemm(handle, MCBLAS_OP_N, MCBLAS_OP_N, 2, 2, 2, &one, p, 1, p, 2, &zero, q, 2);
    free(as_c);
    return 0;
}
"""


@pytest.mark.parametrize("machine, lanes", [("c500", 64), ("v100", 32)])
def test_names_that_differ_from_cudas_do_what_theirs_do(machine, lanes, tmp_path):
    build([SOURCES / "names.cpp"], tmp_path / "program", machine, "nvrtc")
    text, account = printed(tmp_path / "program", machine, tmp_path)
    assert text == f"PASSED with waves of {lanes}\n" and not account.missing
    assert any(failure.startswith("mcDeviceSynchronize: kernel fault") for failure in account.failures) and "cuda" not in "".join(account.failures)


def test_a_file_of_c_is_compiled_as_c_and_linked_with_mxmacas_libraries(tmp_path):
    (tmp_path / "cublas_v2.h").write_text(BLAS)
    (tmp_path / "main.c").write_text(PLAIN_C)
    build([tmp_path / "main.c"], tmp_path / "program", "c500", include=[str(tmp_path)], libraries=["mcblas", "mcruntime"])
    text, account = printed(tmp_path / "program", "c500", tmp_path)
    assert text == "0 7 10 15 22 mcErrorInvalidValue\n" and account.exit_code == 0
    assert account.failures == ("mcblasSgemm: lda must be at least 2, got 1",)


def test_the_language_is_known_by_headers_that_are_included_or_by_what_is_asked_for(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name
    plain, host, kernels = (written(name, text) for name, text in (
        ("plain.cpp", "int main() { }\n"), ("host.cc", "#include <mcr/mc_runtime.h>\nint main() { mcDeviceSynchronize(); }\n"),
        ("kernels.cpp", "  # include \"mc_runtime.h\"\n__global__ void k() { }\n")))
    assert [languages.language(each) for each in (plain, host, kernels)] == ["c++", "c++", "maca"]
    assert [languages.language(plain, asked) for asked in languages.CHOICES] == list(languages.CHOICES)
    assert languages.language(written("a.cu", "#include <mcblas/mcblas.h>\n")) == "maca" and languages.language(Path("a.o"), "maca") == ""
    with pytest.raises(CompileError, match="language must be c, c\\+\\+, cu, maca, got 'fortran'"):
        build([plain], tmp_path / "program", language="fortran")
    with pytest.raises(CompileError, match="clang does not compile .maca files, or what includes MXMACA's headers"):
        build([host], tmp_path / "program", compiler="clang")


def test_compile_lines_of_mxcc_are_taken_as_they_are(tmp_path):
    (tmp_path / "add.h").write_text("void add(int *p);\n")
    (tmp_path / "add.cpp").write_text('#include "add.h"\n__global__ void k(int *p) { p[threadIdx.x] += waveSize; }\nvoid add(int *p) { k<<<1, 64>>>(p); }\n')
    (tmp_path / "main.cpp").write_text('#include <mc_runtime.h>\n#include "add.h"\nint main() { int *p, n[64]; mcMalloc(&p, 256); mcMemset(p, 0, 256); add(p);\n'
                                       'mcMemcpy(n, p, 256, mcMemcpyDeviceToHost); printf("%d\\n", n[63]); }\n')
    for words in (["-xmaca", "-c", "add.cpp", "-o", "add.o", "-offload-arch", "native"],
                  ["-x", "maca", "-O3", "main.cpp", "add.o", "-o", "program", "--maca-path=/opt/maca", "-L/opt/maca/lib", "-lmcruntime"]):
        done = subprocess.run([sys.executable, "-m", "archdef", "build", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert printed(tmp_path / "program", "c500", tmp_path)[0] == "64\n"


def test_a_source_is_run_by_its_name_whatever_its_suffix(tmp_path):
    (tmp_path / "main.cpp").write_text('#include <mc_runtime.h>\n__global__ void k() { printf("%d lanes\\n", waveSize); }\n'
                                       "int main() { k<<<1, 1>>>(); return mcDeviceSynchronize(); }\n")
    done = subprocess.run([sys.executable, "-m", "archdef", "exec", "-a", "c500", "main.cpp"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("64 lanes\n"), done.stderr


def test_no_header_of_the_runtime_hides_another_one(tmp_path):
    """Compilers take files of the same content for one, if both say ``#pragma once``."""
    folder = maca.write_headers(tmp_path, CHAIN.include)
    texts = [path.read_text() for path in folder.rglob("*.h")]
    assert len(set(texts)) == len(texts) > 20 and {str(path.relative_to(folder)) for path in folder.rglob("*.h")} >= maca.headers() - set(maca._HALVES) - {
        f"common/{name}" for name in maca._HALVES}


def test_python_has_the_names_that_differ_too():
    assert runtime.mcGetErrorName(218) == "mcErrorInvalidKernelFile" and not hasattr(runtime, "mcErrorInvalidPtx")
    assert runtime.mcDeviceAttributeWaveSize == runtime.mcDevAttrWarpSize == cuda.cudaDevAttrWarpSize
    assert runtime.mcDeviceAttributeMemoryBusWidth == cuda.cudaDevAttrGlobalMemoryBusWidth


def test_what_no_program_says_that_is_public_is_no_name():
    assert "mcrand.h" not in maca.headers() and maca.library("mcrand") == "mcrand" and maca.library("mcblasLt") == "cublasLt"
    assert CliRunner().invoke(main, ["build", "-x", "pascal", __file__]).exit_code == 2


def test_programs_of_cuda_keep_its_words(tmp_path):
    (tmp_path / "main.cu").write_text("__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>((int *)8); return cudaDeviceSynchronize() == 0; }\n")
    build([tmp_path / "main.cu"], tmp_path / "program", "v100", "nvrtc")
    assert programs.run([str(tmp_path / "program")], "v100").failures[0].startswith("cudaDeviceSynchronize: kernel k")
