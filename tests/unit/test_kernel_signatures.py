"""What a kernel's source declares its parameters as is known, and what does not fit it is refused in its own words."""
import numpy as np
import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import main
from archdef.errors import LaunchError
from archdef.frontends import nvrtc
from archdef.frontends.numba_cuda import _Arguments
from archdef.frontends.signatures import Declared, Element, declared, read
from archdef.frontends.triton_jit import _declared as triton_declared

KERNELS = """
#include <cuda_fp16.h>
typedef double real;
namespace ns { template <class T> __global__ void fill(T *out, T value) { out[0] = value; } }
template __global__ void ns::fill<float>(float *, float);
__global__ void saxpy(float *y, const float *__restrict__ x, float a, int n) { if (threadIdx.x < n) y[threadIdx.x] += a * x[threadIdx.x]; }
__global__ void typedefs(real *out, unsigned long long *counts, float4 *vectors, __half *halves) {}
extern "C" __global__ void plain(int *out, /* how many, */ unsigned n, bool b, double d) { out[0] = n; }
extern "C" __global__ void raw(void *p, const unsigned char *q, char *r, signed char *s) {}
struct Pair { float a, b; };
__global__ void structures(Pair *pairs, float **pointers, Pair one) {}
"""
needs_nvrtc = pytest.mark.skipif(nvrtc.toolchain() is None or "h100" not in registry.names(), reason="needs the NVRTC wheel and the plugins of this repository")


@pytest.fixture(scope="module")
def device():
    return archdef.Device("h100")


@pytest.fixture(scope="module")
def module(device):
    return device.compile(KERNELS)


@pytest.mark.parametrize("text, pointer, element", [
    ("float *", True, "f4"), ("float const*", True, "f4"), ("const volatile unsigned int *const", True, "u4"), ("unsigned long", False, "u8"),
    ("long long int", False, "i8"), ("unsigned", False, "u4"), ("signed char", False, "i1"), ("short", False, "i2"), ("std::uint64_t", False, "u8"), ("bool *", True, "b1"),
    ("__half *", True, "f2"), ("void *", True, None), ("const unsigned char *", True, None), ("Pair *", True, None), ("Pair", False, None), ("float **", True, "u8"),
    ("void (*)(int)", False, None), ("float (*)[4]", False, None), ("T *", True, None)])
def test_cxx_types_are_read(text, pointer, element):
    assert read(text) == (pointer, element and Element(element[0], int(element[1])))


def test_vectors_are_read():
    assert read("const float4 *") == (True, Element("f", 4, 4)) and read("ulonglong2") == (False, Element("u", 8, 2))


def test_a_symbol_alone_tells_types():
    assert [str(one) for one in declared("_Z5saxpyPfPKffi", "saxpy", None)] == ["float *", "const float *", "float", "int"]
    assert declared("_Z4nonev", "none", None) == () and declared("plain", "plain", None) == ()


def test_the_text_tells_names_and_the_symbol_what_names_stand_for():
    text = "typedef double real;\n__global__ void k(real *out, // a comment, with a comma\n    int n = (1, 2));"
    assert declared("_Z1kPdi", "k", text) == (Declared("out", "double *", Element("f", 8), True), Declared("n", "int", Element("i", 4)))


@pytest.mark.parametrize("text", [
    '#ifdef WIDE\nextern "C" __global__ void k(double *x) {}\n#else\nextern "C" __global__ void k(float *x) {}\n#endif', "void k(float *x);", "x = '__global__ k('"])
def test_what_is_not_certain_is_not_known(text):
    assert declared("k", "k", text) == ()


def test_unnamed_and_odd_parameters_do_no_harm():
    (a, b, c, d) = declared("k", "k", 'extern "C" __global__ void k(float *, unsigned, void (*f)(int, int), float m[][4]);')
    assert (a.name, a.type, b.name, b.type, c.element, d.element) == ("", "float *", "", "unsigned", None, None)


@needs_nvrtc
@pytest.mark.parametrize("kernel, arguments, message", [
    ("saxpy", ("f8", "f4", 1.0, 64), r"argument 1 of saxpy \(float \*y\) takes an array of float32, got one of float64"),
    ("saxpy", ("f4", "i4", 1.0, 64), r"argument 2 of saxpy \(const float \*x\) takes an array of float32, got one of int32"),
    ("saxpy", ("f4", "f4", "f4", 64), r"argument 3 of saxpy \(float a\) is no pointer, got a device array of float32"),
    ("saxpy", ("f4", "f4", 1e300, 64), r"\(float a\) takes numbers up to 3.40282e\+38, got 1e\+300; infinity is math.inf"),
    ("saxpy", ("f4", "f4", 1.0, 1 << 31), r"\(int n\) takes -2,147,483,648 to 2,147,483,647, got 2147483648"),
    ("saxpy", ("f4", "f4", 1.0, 1.5), r"\(int n\) takes an integer, got 1.5"),
    ("saxpy", ("f4", "f4", 1.0), r"saxpy takes 4 arguments \(float \*y, const float \*x, float a, int n\), got 3"),
    ("typedefs", ("f4", "u8", "f4", "f2"), r"argument 1 of typedefs \(double \*out\) takes an array of float64"),
    ("typedefs", ("f8", "u4", "f4", "f2"), r"\(unsigned long long \*counts\) takes an array of uint64, got one of uint32"),
    ("typedefs", ("f8", "u8", "f8", "f2"), r"\(float4 \*vectors\) takes an array of float32, got one of float64"),
    ("typedefs", ("f8", "u8", "f4", "f4"), r"\(__half \*halves\) takes an array of float16, got one of float32"),
    ("plain", ("i8", 1, True, 0.0), r"argument 1 of plain \(int \*out\) takes an array of int32, got one of int64"),
    ("plain", ("i4", -1, True, 0.0), r"\(unsigned n\) takes 0 to 4,294,967,295, got -1"),
    ("plain", ("i4", 1, 2, 0.0), r"\(bool b\) takes 0 to 1, got 2"),
    ("ns::fill<float>", ("f8", 1.0), r"takes an array of float32, got one of float64"),
    ("structures", ("f4", "f4", b"12345678"), r"\(float \*\*pointers\) takes an array of uint64, got one of float32")])
def test_what_does_not_fit_is_refused_in_the_words_of_the_source(device, module, kernel, arguments, message):
    given = [device.zeros(64, one) if isinstance(one, str) else one for one in arguments]
    with pytest.raises(LaunchError, match=message):
        module[kernel][1, 64](*given)


@needs_nvrtc
@pytest.mark.parametrize("kernel, arguments", [
    ("saxpy", ("f4", "f4", np.float64(2), np.int64(64))), ("saxpy", ("u1", "f4", float("inf"), 64)), ("saxpy", ("c8", "f4", 3.4028235e38, True)),
    ("plain", ("u4", 2**32 - 1, False, 1e308)), ("raw", ("f8", "f4", "i8", "c16")), ("typedefs", ("f8", "i8", "f4", "u2")),
    ("structures", ("f8", "u8", b"12345678"))])
def test_what_fits_is_taken(device, module, kernel, arguments):
    module[kernel][1, 64](*[device.zeros(512, one) if isinstance(one, str) else one for one in arguments])


@needs_nvrtc
def test_an_address_is_taken_as_it_is(device, module):
    wide = device.zeros(64, "f8")
    module.saxpy[1, 64](wide.address, wide.address, 0.0, 64)


def test_numbas_types_bound_its_numbers():
    types = pytest.importorskip("numba.core.types")
    arguments = _Arguments("k", (types.int32, types.uint8, types.float32))
    assert arguments((np.int64(-5), 255, 2), ()) == [-5, 255, 2]
    for given, message in (((1 << 31, 0, 0), r"argument 1 of k \(int32\) takes -2,147,483,648 to 2,147,483,647, got 2147483648"),
                           ((0, -1, 0), r"argument 2 of k \(uint8\) takes 0 to 255, got -1"), ((1.5, 0, 0), r"argument 1 of k \(int32\) takes an integer, got 1.5"),
                           ((0, 0, "x"), r"argument 3 of k \(float32\) takes a number, got str")):
        with pytest.raises(LaunchError, match=message):
            arguments(given, ())


def test_tritons_types_say_what_pointers_take():
    found = [triton_declared("x", kind) for kind in ("*fp32", "*bf16", "*i8", "i32", "*i64", "tensordesc<fp16[64]>")]
    assert [one.element for one in found] == [Element("f", 4), Element("x", 2), None, Element("i", 4), Element("i", 8), None]
    assert [one.pointer for one in found] == [True, True, True, False, True, False] and str(found[0]) == "*fp32 x"


@needs_nvrtc
def test_the_command_line_says_the_same(tmp_path):
    (tmp_path / "k.cu").write_text(KERNELS)
    done = CliRunner().invoke(main, ["run", str(tmp_path / "k.cu"), "saxpy", "h100", "-g", "1", "-b", "64", "--arg", "f8[64]", "--arg", "f4[64]", "--arg", "1", "--arg", "64"])
    assert done.exit_code == 2 and "argument 1 of saxpy (float *y) takes an array of float32, got one of float64" in done.output
