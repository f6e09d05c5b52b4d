"""Multicast addresses whose only member is the device: what multimem does there, and what nothing else may do."""
import functools
import gc
import itertools

import numpy as np
import pytest

import archdef
from archdef.errors import GuestFault, LaunchError, MissingFeature, PtxError
from archdef.ptx.table import find

HEAD = """
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {{
.reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b16 %h<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
{}
ret; }}
"""


@functools.cache
def device():
    return archdef.Device("h100")


def launched(body, a, b, threads=32):
    return device().compile(HEAD.format(body)).k[1, threads](a, b)


def test_stores_and_reductions_are_seen_by_everyone():
    array = device().to_device(np.arange(64, dtype="u4"))
    many = device().multicast(array)
    run = launched("ld.global.ca.u32 %r2, [%rd5]; multimem.st.relaxed.sys.global.u32 [%rd4+128], %r2; multimem.red.relaxed.gpu.global.add.u32 [%rd4], 5;"
                   "multimem.ld_reduce.relaxed.gpu.global.max.u32 %r3, [%rd4]; multimem.st.weak.u32 [%rd4], %r3;"
                   "ld.global.u32 %r4, [%rd5]; add.u32 %r4, %r4, %r3; st.global.u32 [%rd5], %r4;", many, array)
    old = np.arange(32)
    assert np.array_equal(array.to_host(), np.concatenate([2 * (old + 5), old]))
    counted = {s.text.split()[0]: s.counters for s in run.statements}
    loaded = counted["multimem.ld_reduce.relaxed.gpu.global.max.u32"]
    assert loaded.global_loads == 1 and loaded.global_load_transactions == 4 and loaded.l1_hits == 0, "past the L1"
    assert counted["multimem.st.relaxed.sys.global.u32"].global_stores == 1 and counted["multimem.red.relaxed.gpu.global.add.u32"].atomics == 1


def test_an_all_reduce_of_one_rank_from_c():
    source = r"""
    #include <cuda_fp16.h>
    extern "C" __global__ void k(float *many, float *out) {
        float x, y, z, w;
        float *p = many + 4 * threadIdx.x;
        asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p) : "memory");
        asm volatile("multimem.red.release.sys.global.add.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(p), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
        out[threadIdx.x] = x + y + z + w;
    }"""
    values = np.random.default_rng(1).standard_normal((64, 4)).astype("f4")
    array, out = device().to_device(values), device().zeros(64)
    pytest.importorskip("nvidia.cuda_nvrtc")
    device().compile(source, target="sm_90").k[1, 64](device().multicast(array), out)
    assert np.array_equal(array.to_host(), 2 * values)
    assert np.allclose(out.to_host(), values.sum(axis=1), atol=1e-6)


# What ptxas 13.0 takes for sm_90 of all operations, types and vectors (9.7.9.14 of the PTX ISA forbids some more, and shows max.f64, which it refuses).
WORDS, PAIRS, HALVES = ("u32", "s32", "u64", "s64"), ("f16x2", "bf16x2"), ("f16", "bf16")
TAKEN = {("st", "", t, "") for t in (*WORDS, "b32", "b64", "f64", "f32", *PAIRS)}
TAKEN |= {(a, o, t, "") for a in ("ld_reduce", "red") for o in ("and", "or", "xor") for t in ("b32", "b64")}
TAKEN |= {(a, o, t, "") for a in ("ld_reduce", "red") for o in ("min", "max") for t in WORDS}
TAKEN |= {(a, "add", t, "") for a in ("ld_reduce", "red") for t in ("u32", "s32", "u64", "f32", "f64", *PAIRS)}
TAKEN |= {(a, "add" if a != "st" else "", "f32", v) for a in ("ld_reduce", "red", "st") for v in ("v2", "v4")}
TAKEN |= {("ld_reduce", o, t, "") for o in ("min", "max") for t in PAIRS}
TAKEN |= {(a, o, t, v) for a in ("ld_reduce", "red") for o in ("add", "min", "max") for t, vs in ((PAIRS, ("v2", "v4")), (HALVES, ("v2", "v4", "v8")))
          for t in t for v in vs}
TAKEN |= {("st", "", t, v) for t, vs in ((PAIRS, ("v2", "v4")), (HALVES, ("v2", "v4", "v8"))) for t in t for v in vs}


def known(action, op, type, vec, acc=""):
    return find("multimem", tuple(w for w in (action, op, acc, vec, type) if w)) is not None


def test_the_forms_are_those_that_ptxas_takes():
    types = (*WORDS, "b32", "b64", *HALVES, *PAIRS, "f32", "f64")
    tried = list(itertools.product(("ld_reduce", "red", "st"), ("add", "min", "max", "and", "or", "xor", ""), types, ("", "v2", "v4", "v8")))
    assert {x for x in tried if known(*x)} == TAKEN
    wide = {x for x in tried if known(*x, acc="acc::f32")}
    assert wide == {x for x in TAKEN if x[0] == "ld_reduce" and x[1] == "add" and x[2] in (*PAIRS, *HALVES)}


@pytest.mark.parametrize("words, message", [
    ("multimem.ld_reduce.weak.gpu.global.and.b32 %r2, [%rd4];", "a scope goes with"), ("multimem.red.gpu.add.u32 [%rd4], %r2;", "a scope goes with"),
    ("multimem.st.relaxed.b32 [%rd4], %r2;", "these with a scope"), ("multimem.ld_reduce.add.v2.f32 %f1, [%rd4];", "takes a vector"),
    (".shared .b32 s; multimem.st.b32 [s], %r2;", "global memory"), ("multimem.st.v2.f32 [%rd4], {%f1, _};", "a value for every element")])
def test_what_ptxas_refuses_is_refused(words, message):
    with pytest.raises(PtxError, match=message):
        device().compile(HEAD.format(words)).k.program


# ------------------------------------------------------------------------------------------------------------------------ addresses
@pytest.mark.parametrize("body", [
    "ld.global.u32 %r2, [%rd4];", "ld.u32 %r2, [%rd4];", "st.global.u32 [%rd4], %r1;", "red.global.add.u32 [%rd4], 1;", "atom.add.u32 %r2, [%rd4], 1;",
    "ld.global.nc.u32 %r2, [%rd4];", ".shared .align 16 .b8 s[64]; cp.async.ca.shared.global [s], [%rd1], 16; cp.async.wait_all;",
    ".shared .align 16 .b8 s[64]; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"])
def test_nothing_else_accesses_multicast_addresses(body):
    array = device().zeros(64, "u4")
    with pytest.raises(GuestFault, match="outside"):
        launched("mov.u32 %r2, 0;" + body + "st.global.u32 [%rd5], %r2;", device().multicast(array), array)


@pytest.mark.parametrize("body", ["multimem.ld_reduce.add.u32 %r2, [%rd5];", "multimem.st.u32 [%rd5], %r1;", "multimem.red.add.u32 [%rd5], %r1;",
                                  "multimem.st.u32 [%rd4+256], %r1;", "multimem.ld_reduce.add.u32 %r2, [%rd4-4];", "multimem.st.b64 [%rd1+252], %rd1;",
                                  "mov.u64 %rd4, 0; multimem.st.u32 [%rd4], %r1;", "mov.u64 %rd4, -4; multimem.red.add.u32 [%rd4], %r1;",
                                  ".shared .b32 s; cvta.shared.u64 %rd4, s; multimem.st.u32 [%rd4], %r1;"])
def test_multimem_accesses_nothing_else(body):
    array = device().zeros(64, "u4")
    with pytest.raises(GuestFault, match="outside what is mapped at multicast addresses|is not a multiple") as caught:
        launched(body, device().multicast(array), array)
    assert caught.value.kind in ("bounds", "alignment")


def test_several_arrays_are_mapped_at_once_and_told_apart():
    arrays = [device().to_device(np.full(32, k, "u4")) for k in range(3)]
    first, _, last = [device().multicast(a) for a in arrays]
    launched("multimem.ld_reduce.add.u32 %r2, [%rd4]; multimem.red.add.u32 [%rd5], 7; multimem.red.add.u32 [%rd5], %r2;", last, first)
    assert [int(a.to_host()[31]) for a in arrays] == [9, 1, 2]


def test_an_object_lasts_as_long_as_it_is_held():
    array = device().zeros(64, "u4")
    place = device().multicast(array).address
    gc.collect()
    with pytest.raises(GuestFault, match="outside what is mapped"):
        launched("multimem.st.u32 [%rd4], %r1;", place, array)
    many = device().multicast(array)
    assert many.address == place
    array.free()
    with pytest.raises(LaunchError, match="a multicast address whose device array was freed"):
        launched("multimem.st.u32 [%rd4], %r1;", many, device().zeros(64, "u4"))


@pytest.mark.parametrize("what, message", [(np.zeros(4), "takes a device array"), (7, "takes a device array"), (archdef.Device("h100").zeros(4), "of another")])
def test_what_cannot_be_mapped_is_said(what, message):
    with pytest.raises(LaunchError, match=message):
        device().multicast(what)


def test_a_multicast_address_of_another_device_is_refused():
    other = archdef.Device("h100")
    with pytest.raises(LaunchError, match="multicast address of another device"):
        launched("", other.multicast(other.zeros(4)), device().zeros(4))


def test_machines_before_9_0_have_none():
    old = archdef.Device("a100")
    with pytest.raises(LaunchError, match="does not declare the feature multimem"):
        old.multicast(old.zeros(4))
    with pytest.raises(MissingFeature, match="multimem"):
        old.compile(HEAD.format("multimem.st.u32 [%rd4], %r1;")).k.program
    with pytest.raises(MissingFeature, match="multimem_fp8"):
        device().compile(HEAD.format("multimem.ld_reduce.add.e4m3x4 %r2, [%rd4];")).k.program
