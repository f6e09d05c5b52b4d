"""Headers of C that device code includes are there for NVRTC, with the values that a compiler of C gives."""
import math
import sys

import numpy as np
import pytest

import archdef
from archdef import frontends, registry
from archdef.frontends import Options, nvrtc, standard_headers

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
KERNEL = "__global__ void f(int *p) { *p = 1; }\n"
TOOLKIT = ["cuda_runtime.h", "cuda_runtime_api.h", "cuda.h", "device_launch_parameters.h", "vector_types.h", "cuda_fp16.h", "cuComplex.h",
           "math_constants.h", "cooperative_groups.h", "cuda_pipeline.h"]
FLOAT = {"DBL_MAX": sys.float_info.max, "DBL_MIN": sys.float_info.min, "DBL_EPSILON": sys.float_info.epsilon,
         "FLT_MAX": float(np.finfo("f4").max), "FLT_MIN": float(np.finfo("f4").tiny), "FLT_EPSILON": float(np.finfo("f4").eps),
         "M_PI": math.pi, "M_E": math.e, "M_LN2": math.log(2), "M_SQRT2": math.sqrt(2), "M_PI_2": math.pi / 2, "M_1_PI": 1 / math.pi,
         "INFINITY": math.inf, "HUGE_VAL": math.inf, "NAN": math.nan}
INTEGER = {"INT_MAX": 2**31 - 1, "INT_MIN": -2**31, "UINT_MAX": 2**32 - 1, "LONG_MIN": -2**63, "LLONG_MAX": 2**63 - 1, "SHRT_MIN": -2**15,
           "SCHAR_MIN": -128, "CHAR_BIT": 8, "UCHAR_MAX": 255, "INT8_MIN": -128, "INT16_MAX": 2**15 - 1, "INT32_MIN": -2**31,
           "UINT32_MAX": 2**32 - 1, "INT64_MIN": -2**63, "INT64_MAX": 2**63 - 1, "UINT8_MAX": 255, "UINT32_C(4000000000)": 4 * 10**9,
           "INT64_C(-5000000000)": -5 * 10**9, "(long long)(UINT64_MAX >> 1)": 2**63 - 1, "(long long)sizeof(intptr_t)": 8,
           "FLT_MANT_DIG": 24, "DBL_DIG": 15, "FLT_MAX_EXP": 128, "EXIT_FAILURE": 1, "(long long)offsetof(float4, z)": 8,
           **{f"(long long)sizeof({sign}int{bits}_t) * 2 + (({sign}int{bits}_t)-1 < 0)": 2 * bits // 8 + (sign == "")
              for bits in (8, 16, 32, 64) for sign in ("", "u")}}


@pytest.mark.parametrize("name", [*standard_headers.HEADERS, *TOOLKIT])
def test_a_header_is_there_and_says_nothing(name):
    compiled = frontends.compile(f"#include <{name}>\n{KERNEL}", Options(capability="7.5"))
    assert ".entry" in compiled.ptx and not compiled.log


@pytest.mark.parametrize("order", [1, -1])
def test_all_headers_go_together_with_those_of_the_toolkit(order):
    names = [*standard_headers.HEADERS, *TOOLKIT][::order]
    assert ".entry" in frontends.compile("".join(f"#include <{name}>\n" for name in names * 2) + KERNEL).ptx


def test_constants_have_the_values_of_c():
    machine = next((archdef.Device(n) for n in registry.names() if "fp64" in registry.get(n).isa.features), None)
    if machine is None:
        pytest.skip("no installed architecture has double precision")
    source = "#include <float.h>\n#include <math.h>\n#include <limits.h>\n#include <cstdint>\n#include <cstddef>\n#include <stdlib.h>\n"
    source += "".join(f"__device__ {kind} {kind[0]}{k} = {name};\n" for kind, names in (("double", FLOAT), ("long long", INTEGER))
                      for k, name in enumerate(names) if name != "NAN" and "offsetof" not in name)
    source += "__global__ void values(double *d, long long *l) {" + "".join(
        f"{kind}[{k}] = {name};" for kind, names in (("d", FLOAT), ("l", INTEGER)) for k, name in enumerate(names)) + "}\n"
    numbers, integers = machine.zeros(len(FLOAT), "f8"), machine.zeros(len(INTEGER), "i8")
    machine.compile(source).values[1, 1](numbers, integers)
    for name, found, wanted in zip(FLOAT, numbers.to_host(), FLOAT.values(), strict=True):
        assert found == wanted or math.isnan(found) and math.isnan(wanted) or name in ("M_LN2", "M_1_PI") and math.isclose(found, wanted), name
    assert dict(zip(INTEGER, integers.to_host().tolist(), strict=True)) == INTEGER


@pytest.mark.parametrize("header", ["stdlib.h", "cstdlib", "sys/types.h"])
def test_stdlib_brings_the_short_names_of_unsigned_types_as_a_host_s_does(header):
    source = f"#include <{header}>\n__global__ void f(int64_t *p) {{ p[0] = sizeof(ushort) + 10 * sizeof(uint) + 100 * sizeof(ulong) + 1000 * sizeof(uint8_t); }}\n"
    assert "1842;" in frontends.compile(source, Options(capability="7.5")).ptx


def test_functions_are_in_namespace_std_too():
    source = """#include <cmath>
    #include <cstdio>
    #include <cstdlib>
    #include <cstring>
    #include <cassert>
    #include <algorithm>
    #include <ctime>
    __global__ void f(float *p, double *q, std::size_t n)
    {
        assert(n > 0);
        p[0] = std::sqrt(p[1]) + std::fabs(p[2]) + std::pow(p[3], 2.0f) + std::fmax(p[4], p[5]) + sinf(p[6]) + std::max(p[7], p[8]) + std::abs(p[9]);
        q[0] = std::exp(q[1]) + std::abs(q[2]) + std::floor(q[3]) + std::isnan(q[4]);
        std::memcpy(p, q, n);
        int *made = (int *)std::malloc(4);
        std::printf("%d %d", std::abs(-3), std::min(3, 4));
        std::free(made);
        std::clock_t at = std::clock();
        p[1] = at;
    }"""
    ptx = frontends.compile(source, Options(capability="7.5")).ptx
    assert "sqrt" in ptx and "vprintf" in ptx and ".entry" in ptx


@pytest.mark.parametrize("include", ['"stdint.h"', "<stdint.h>"])
def test_a_header_of_the_users_own_comes_first(tmp_path, include):
    (tmp_path / "stdint.h").write_text("#define MINE 41\n")
    (tmp_path / "k.cu").write_text(f"#include {include}\n__global__ void f(int *p) {{ *p = MINE; }}\n")
    assert ", 41;" in frontends.compile(tmp_path / "k.cu").ptx
    assert ", 41;" in frontends.compile(f"#include {include}\n__global__ void f(int *p) {{ *p = MINE; }}\n", Options(include=(tmp_path,))).ptx
