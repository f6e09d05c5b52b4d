"""Several modules become one: what one declares and another defines, what each has for itself, and what does not fit."""
import numpy as np
import pytest
from lowering import kernel
from run_ptx import machine

import archdef
from archdef.errors import CompileError, GuestFault, PtxError
from archdef.frontends import nvrtc
from archdef.ptx import parse
from archdef.ptx.link import link

cuda = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
HEAD = ".version 7.5\n.target sm_75\n.address_size 64\n"
BODY = "{ .param .b32 a; .param .b32 r; st.param.b32 [a], 5; call (r), f, (a); ld.param.b32 %r1, [r]; }"
F = ".visible .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %q<3>; ld.param.b32 %q1, [a]; ld.global.u32 %q2, [v]; add.u32 %q1, %q1, %q2; st.param.b32 [r], %q1; ret; }\n"
CALLER = kernel("ld.param.u64 %rd1, [out];" + BODY + "ld.global.u32 %r2, [v]; ld.global.u32 %r3, [mine]; mad.lo.u32 %r1, %r3, 1000, %r1; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2;",
                head=".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .global .u32 v;\n.global .u32 mine = 3;\n")


def module(*texts):
    return link(parse(text, f"{name}.ptx") for name, text in zip("abcd", texts))


def launched(texts, kernel="k", words=2):
    device = archdef.Device(machine())
    out = device.zeros(words, "u4")
    device.compile(texts)[kernel][1, 1](out)
    return out.copy_to_host().tolist()


def test_functions_and_variables_are_found_in_other_modules():
    callee = HEAD + ".visible .global .u32 v = 70;\n.global .u32 mine = 9;\n" + F
    assert launched([CALLER, callee]) == [3075, 70]
    assert launched([callee, CALLER]) == [3075, 70]


def test_tables_of_pointers_cross_modules():
    a = kernel("ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [table+8]; ld.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;",
               head=".extern .global .u64 table[2];\n.visible .global .u32 here = 11;")
    b = HEAD + ".extern .global .u32 here;\n.visible .global .u64 table[2] = {0, generic(here)};\n"
    assert launched([a, b])[0] == 11


def test_a_strong_definition_replaces_a_weak_one():
    weak = HEAD + ".weak .global .u32 v = 1;\n" + F.replace(".visible", ".weak").replace("%q2;", "1;", 1)
    strong = HEAD + ".visible .global .u32 v = 2;\n" + F
    for texts in ([CALLER, weak, strong], [CALLER, strong, weak], [strong, weak, CALLER]):
        assert launched(texts) == [3007, 2]
    assert launched([CALLER, weak, weak])[1] == 1


@pytest.mark.parametrize("texts, message", [
    ([HEAD + ".visible .global .u32 v;\n", HEAD + "\n.visible .global .u32 v;\n"], r"b\.ptx:5:\d+: `v` is defined twice, first at a\.ptx:4"),
    ([HEAD + ".visible .global .u32 v;\n" + F, HEAD + ".extern .global .u32 v;\n" + F], r"b\.ptx:5:\d+: `f` is defined twice, first at a\.ptx:5"),
    ([HEAD + ".visible .func f() { ret; }\n", HEAD + ".extern .func f(.param .b32 a);\n"], r"`f` is declared differently at a\.ptx:4"),
    ([HEAD + ".visible .func f() { ret; }\n", HEAD + ".visible .global .u32 f;\n"], "`f` is a function in one module and a variable in another"),
    ([HEAD + ".visible .const .u32 v;\n", HEAD + ".extern .global .u32 v;\n"], "`v` is declared differently"),
    ([HEAD, HEAD.replace("64\n", "32\n")], r"modules of \[32, 64\] bit addresses"),
])
def test_what_does_not_fit_is_named_with_both_places(texts, message):
    with pytest.raises(PtxError, match=message):
        module(*texts)


@pytest.mark.parametrize("defined, message", [
    (".visible .global .u32 v;\n", "`f` has no body in any module that was linked"),
    (F.replace("[v]", "[w]") + ".global .u32 w;\n", "variable `v` is declared .extern, and no module that was linked defines it"),
])
def test_what_nobody_defines_is_an_error_of_the_kernel_that_uses_it(defined, message):
    linked = archdef.Device(machine()).compile([CALLER, HEAD + defined + ".visible .entry other() { ret; }"])
    linked.other[1, 1]()
    with pytest.raises(PtxError, match=r"<ptx>:\d+:\d+: .*" + message) as caught:
        linked.k[1, 1](np.uint64(0))
    assert caught.value.text in CALLER


def test_errors_and_faults_name_the_module_they_are_in():
    broken = HEAD + "\n\n.visible .entry other() {\n  frobnicate.u32 1;\n}\n"
    linked = module(CALLER, broken)
    assert linked.place(len(CALLER.split("\n")) + 7) == ("b.ptx", 7)
    from lowering import machine as standin

    from archdef.lower import lower
    with pytest.raises(PtxError, match=r"b\.ptx:7:3: .*frobnicate"):
        lower(linked, "other", standin())


def test_an_address_of_nothing_in_a_table_is_an_error():
    a = kernel("ld.global.u64 %rd1, [table];", head=".extern .global .u32 here;\n.global .u64 table[1] = {here};")
    with pytest.raises(PtxError, match="`table` starts with the address of `here`, which no module that was linked defines"):
        launched([a])


@cuda
def test_cuda_sources_are_linked():
    main = """extern __device__ int counter; extern __device__ int (*handler)(int);
__device__ int helper(int x); static __device__ int own = 4;
__global__ void k(int *out) { out[0] = helper(10) + own; out[1] = handler(3); counter++; }"""
    other = """__device__ int counter = 100; static __device__ int own = 50; static __device__ __noinline__ int local(int x) { return x * own; }
__device__ int (*handler)(int) = local;
__device__ int helper(int x) { return x + own + counter; }
__global__ void second(int *out) { out[0] = counter; }"""
    device = archdef.Device(machine())
    linked = device.compile([main, other])
    assert set(linked.kernels) == {"_Z1kPi", "_Z6secondPi"}
    out = device.zeros(2, "i4")
    linked.k[1, 1](out)
    assert out.copy_to_host().tolist() == [164, 150]
    run = linked.second[1, 1](out)
    assert out.copy_to_host()[0] == 101
    assert len(run.lines)


def test_nothing_to_compile_is_an_error():
    with pytest.raises(CompileError, match="no source"):
        archdef.Device(machine()).compile([])


def test_kernels_of_one_module_share_variables_of_functions_that_only_one_reaches():
    text = HEAD + """.visible .global .u32 v = 1;
.func bump() { .reg .u32 %q<2>; .global .u32 inside = 40; ld.global.u32 %q1, [inside]; add.u32 %q1, %q1, 1; st.global.u32 [inside], %q1; st.global.u32 [v], %q1; ret; }
.visible .entry first() { call bump; ret; }
.visible .entry second(.param .u64 out) { .reg .u64 %rd<2>; .reg .u32 %r<2>; ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [v]; st.global.u32 [%rd1], %r1; ret; }
"""
    device = archdef.Device(machine())
    linked, out = device.compile(text), device.zeros(1, "u4")
    linked.first[1, 1]()
    linked.first[1, 1]()
    linked.second[1, 1](out)
    assert out.copy_to_host()[0] == 42


def test_a_call_of_a_null_handler_is_a_fault():
    with pytest.raises(GuestFault, match="indirect call of 0x0"):
        launched([kernel("P: .callprototype _ (); mov.u64 %rd1, 0; call %rd1, (), P;")])
