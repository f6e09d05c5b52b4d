"""What passes between functions is bytes: one side may store a word and the other load a byte of it."""
import numpy as np
import pytest
from lowering import kernel
from run_ptx import run

import archdef
from archdef import registry
from archdef.errors import UnsupportedInstruction
from archdef.frontends import nvrtc

cuda = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
MACHINES = [pytest.param(name, marks=pytest.mark.skipif(name not in registry.names(), reason=f"no plugin with {name} installed"))
            for name in ("k40", "v100", "h100", "c500")]
LANES = np.arange(32, dtype=np.uint64)
SCALARS = {"bool": "?", "char": "i1", "signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2", "int": "i4",
           "unsigned": "u4", "long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8"}
ALL_TYPES = "\n".join(f"""
__device__ {{inlined}} {type} f{k}({type} a, {type} b, bool up) {{{{ return up ? ({type})(a + b) : ({type})(b - a); }}}}
extern "C" __global__ void k{k}({type} *out, const {type} *a, const {type} *b)
{{{{ int t = threadIdx.x; out[t] = f{k}(a[t], b[t], t % 3 == 1); }}}}""" for k, type in enumerate(SCALARS))


@cuda
@pytest.mark.parametrize("machine", MACHINES)
def test_every_scalar_type_passes_by_value(machine):
    device = archdef.Device(machine)
    module = device.compile(ALL_TYPES.format(inlined="__noinline__"))
    random = np.random.default_rng(5)
    up = np.arange(64) % 3 == 1
    for k, dtype in enumerate(map(np.dtype, SCALARS.values())):
        a, b = (random.integers(0, 2 if dtype == "?" else 120, 64).astype(dtype) for _ in "ab")
        out = device.zeros(64, dtype)
        module[f"k{k}"][1, 64](out, device.to_device(a), device.to_device(b))
        wide = (np.int64 if dtype.kind != "f" else dtype)
        wanted = np.where(up, a.astype(wide) + b.astype(wide), b.astype(wide) - a.astype(wide)).astype(dtype)
        assert np.array_equal(out.to_host(), wanted), dtype


STRUCTURES = """
#include <cuda_fp16.h>
struct One { char c; };
struct Mixed { char a; short b; bool c; float d; double e; };
struct Odd { unsigned char x[3]; };
struct Array { short x[9]; };
struct Vectors { uchar4 v; short2 s; float2 f; };
union Either { float f; unsigned char b[4]; };
#define FN __device__ INLINED
FN One one(One a, char k) { a.c += k; return a; }
FN Mixed mixed(Mixed a, unsigned short k) { a.a -= k; a.b += k; a.c = !a.c; a.d *= 2; a.e -= k; return a; }
FN Odd odd(Odd a, unsigned char k) { Odd r = {{(unsigned char)(a.x[2] + k), a.x[0], (unsigned char)(a.x[1] ^ k)}}; return r; }
FN Array array(Array a, short k) { short kept = a.x[k]; a.x[k] = 5; a.x[8] += kept; return a; }
FN Vectors vectors(Vectors a, signed char k) { a.v.x += k; a.v.w -= k; a.s.y ^= a.v.z; a.f.x += a.f.y; return a; }
FN Either either(Either a, float k) { a.f += k; unsigned char b = a.b[0]; a.b[0] = a.b[2]; a.b[2] = b; return a; }
FN __half half_of(__half a, short k) { return __float2half(__half2float(a) * k); }
typedef short (*Function)(char, unsigned char, bool, Odd);
FN short plus(char a, unsigned char b, bool c, Odd d) { return c ? a + b : a - d.x[1]; }
FN short times(char a, unsigned char b, bool c, Odd d) { return c ? a * b : d.x[2]; }
extern "C" __global__ void k(int *out)
{
    int t = threadIdx.x, *o = out + t;
    One x = one({(char)(t * 9)}, t - 3);
    o[0] = x.c;
    Mixed m = mixed({(char)(t * 7), (short)(t * 3001), (t & 2) != 0, t * .5f, t * 1.25}, t * 5);
    o[64] = m.a; o[128] = m.b; o[192] = m.c; o[256] = m.d; o[320] = m.e;
    Odd d = odd({{(unsigned char)t, (unsigned char)(t * 99), (unsigned char)~t}}, t * 5);
    o[384] = d.x[0] | d.x[1] << 8 | d.x[2] << 16;
    Array a = array({{(short)t, 1, 2, 3, 4, 5, 6, 7, (short)-t}}, t % 9);
    for (int i = 0; i < 9; i++) o[448] = o[448] * 7 + a.x[i];
    Vectors v = vectors({{(unsigned char)t, (unsigned char)(t * 2), (unsigned char)(t * 3), (unsigned char)(t * 4)},
                         {(short)-t, (short)t}, {(float)t, 1}}, -t);
    o[512] = v.v.x + v.v.w * 3; o[576] = v.s.x * 5 + v.s.y; o[640] = v.f.x;
    Either e; e.f = t * 1.5f;
    o[704] = __float_as_int(either(e, .25f).f);
    o[768] = __half2float(half_of(__float2half(t * .25f), -t));
    Function f = t % 3 ? plus : times;
    o[832] = f(t * 11, t * 13, t >> 2 & 1, d);
}
"""


@cuda
@pytest.mark.parametrize("machine", MACHINES)
def test_structures_pass_as_if_the_function_were_inlined(machine):
    device = archdef.Device(machine)
    results = []
    for inlined in ("__noinline__", "__forceinline__"):
        out = device.zeros((14, 64), "i4")
        module = device.compile(STRUCTURES, defines=(f"INLINED={inlined}",))
        module.k[1, 64](out)
        assert (inlined == "__noinline__") == ("call.uni" in "".join(module.ptx.lines))
        results.append(out.to_host())
    assert np.array_equal(*results)
    t = np.arange(64)
    assert np.array_equal(results[0][0], (t * 10 - 3).astype(np.int8))


def passed(stores: str, loads: str, result: str = ".b64", value: str = "b64", declared: str = ".param .align 8 .b8 p[16]") -> np.ndarray:
    """Store pieces of a parameter in the caller, load pieces of it in the callee; return what that makes of them."""
    head = f""".func (.param .b64 r) f({declared}) {{ .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
        {loads} st.param.b64 [r], %rd7; ret; }}"""
    body = f"""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;
        cvt.u64.u32 %rd4, %r1; mul.lo.u64 %rd4, %rd4, 0x123456789abcdef1; cvt.u32.u64 %r2, %rd4; cvt.u16.u64 %h2, %rd4;
        {{ {declared.replace("p[", "a[").replace(" p", " a")}; .param .b64 back; {stores} call (back), f, (a); ld.param.b64 %rd5, [back]; }}
        st.global.u64 [%rd3], %rd5;"""
    return run(kernel(body, head=head), np.zeros(32, np.uint64))


MANY = LANES * np.uint64(0x123456789abcdef1)


@pytest.mark.parametrize("start", [0, 8])
@pytest.mark.parametrize("type, dtype, index", [
    (type, dtype, index) for type, dtype in (("u8", "u1"), ("s8", "i1"), ("b8", "u1"), ("u16", "u2"), ("s16", "i2"), ("u32", "u4"),
                                             ("s32", "i4"), ("b64", "u8")) for index in range(8 // np.dtype(dtype).itemsize)])
def test_any_part_of_what_was_stored_whole(type, dtype, index, start):
    size = np.dtype(dtype).itemsize
    load = f"ld.param.{type} %rd7, [p+{start + index * size}];"
    assert np.array_equal(passed(f"st.param.b64 [a+{start}], %rd4;", load), MANY.view(dtype)[index::8 // size].astype(np.int64).view("u8"))


@pytest.mark.parametrize("pieces", [(8, 4), (8, 2), (8, 1), (4, 2), (4, 1), (2, 1)])
def test_what_was_stored_in_parts_reads_as_a_whole(pieces):
    whole, part = pieces
    register = {8: "%rd4", 4: "%r2", 2: "%h2", 1: "%h2"}[part]
    stores = " ".join(f"st.param.b{8 * part} [a+{k}], {register};" for k in range(0, whole, part))
    low = MANY.view(f"u{part}")[::8 // part]
    wanted = np.repeat(low, whole // part).view(f"u{whole}").astype("u8")
    assert np.array_equal(passed(stores, f"ld.param.u{8 * whole} %rd7, [p];"), wanted)


def test_a_store_of_a_part_keeps_the_rest():
    stores = "st.param.b64 [a], %rd4; mov.u16 %h3, 0x5a; st.param.b8 [a+5], %h3; mov.u32 %r3, 77; setp.eq.u32 %p1, %r1, 9; @%p1 st.param.b16 [a+2], %r3;"
    wanted = MANY & np.uint64(0xFFFF00FFFFFFFFFF) | np.uint64(0x5A0000000000)
    wanted[9] = wanted[9] & np.uint64(0xFFFFFFFF0000FFFF) | np.uint64(77 << 16)
    assert np.array_equal(passed(stores, "ld.param.b64 %rd7, [p];"), wanted)


def test_vectors_read_pieces_of_other_widths():
    loads = "ld.param.v4.u16 {%h1, %h2, %h3, %h4}, [p]; mov.b64 %rd7, {%h4, %h3, %h2, %h1};"
    assert np.array_equal(passed("cvt.u32.u64 %r3, %rd4; shr.u64 %rd6, %rd4, 32; cvt.u32.u64 %r4, %rd6; st.param.v2.b32 [a], {%r3, %r4};", loads),
                          MANY.view("u2").reshape(-1, 4)[:, ::-1].copy().view("u8").ravel())


def test_a_register_given_for_a_parameter_is_the_whole_of_it():
    head = """.func (.param .b32 r) f(.param .b64 p) { .reg .b16 %h<4>; .reg .b32 %r<4>; ld.param.s8 %h1, [p+1]; ld.param.u32 %r2, [p+4];
        cvt.s32.s16 %r1, %h1; add.s32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }"""
    body = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
        cvt.u64.u32 %rd4, %r1; mul.lo.u64 %rd4, %rd4, 0x123456789abcdef1; call (%r5), f, (%rd4); st.global.u32 [%rd3], %r5;"""
    wanted = MANY.view("i1")[1::8].astype("i4") + MANY.view("i4")[1::2]
    assert np.array_equal(run(kernel(body, head=head), np.zeros(32, np.int32)), wanted)


def test_accesses_that_cross_pieces_are_refused_by_name():
    with pytest.raises(UnsupportedInstruction, match="4 bytes at offset 6 of `p`"):
        passed("st.param.b64 [a], %rd4; st.param.b64 [a+8], %rd4;", "ld.param.u32 %rd7, [p+6];")
