"""Does the parser end in a module or a PtxError, soon, whatever it is given?"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptx_text import HEADER, kernel

from archdef.errors import PtxError
from archdef.ptx import call_graph, parse, post_dominators, register_demand, successors, verify

VALID = (
    kernel(
        """
    .shared .align 4 .b8 tile[64];
    .loc 1 5 0
    ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mad.lo.s32 %r2, %r1, 4, -1;
    setp.lt.s32 %p1|%p2, %r1, (1<<4)|3; @!%p1 bra DONE;
    { .reg .pred p; .param .b32 q; st.param.b32 [q+0], %r1; call.uni (q), f, (q); ld.param.b32 %r3, [q]; }
    T: .branchtargets LOOP, DONE;
    LOOP: ld.global.v2.f32 {%f1, _}, [%rd1+8]; fma.rn.f32 %f2, %f1, 0f3F800000, 1.5; brx.idx %r2, T;
    DONE: ret;""",
        before='.file 1 "k.cu"\n.global .u64 v[2] = {1, generic(w)+4};\n.const .f32 w[2] = {{1.0, 2.0}};\n'.replace(
            "{{", "{"
        ).replace("}}", "}")
        + ".func (.param .b32 o) f (.param .b32 i) { st.param.b32 [o], 1; ret; }\n",
    )
    + ".section .debug_str { .b8 1 }\n"
)
TOKENS = re.findall(r"[\w$%.]+|\s+|[^\w\s]", VALID)
ODD = [
    *set(TOKENS),
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "@",
    "!",
    "-",
    "0x",
    "0f12",
    '"',
    "/*",
    "//",
    "\0",
    "é",
    "9" * 5000,
]


def survives(text):
    try:
        deferred = parse(text, defer=True)
    except PtxError:
        deferred = None
    try:
        module = parse(text)
    except PtxError as error:
        assert deferred is None or str(error) in {str(f.broken) for f in deferred.functions.values()}
        return
    assert deferred == module
    try:
        verify(module)
    except PtxError:
        return
    call_graph(module)
    for function in module.functions.values():
        post_dominators(successors(function))
        register_demand(function)


def test_the_text_that_is_mutated_is_valid():
    verify(parse(VALID))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data):
    survives(data.decode("latin-1"))
    survives(HEADER + data.decode("latin-1"))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_random_text_in_a_body(text):
    survives(kernel(text))


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(TOKENS) - 1),
            st.sampled_from(["drop", "double", "swap", "replace"]),
            st.sampled_from(ODD),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutated_tokens(changes):
    tokens = list(TOKENS)
    for place, how, other in changes:
        if how == "drop":
            tokens[place] = ""
        elif how == "double":
            tokens[place] += " " + tokens[place]
        elif how == "replace":
            tokens[place] = other
        else:
            tokens[place - 1], tokens[place] = tokens[place], tokens[place - 1]
    survives("".join(tokens))


def test_every_truncation():
    for end in range(len(VALID)):
        survives(VALID[:end])


@pytest.mark.parametrize(
    "text",
    [
        kernel("{" * 100_000),
        kernel("{" * 100_000 + "}" * 100_000),
        kernel("mov.b32 %r1, " + "(" * 100_000 + "1"),
        kernel("mov.b32 %r1, " + "-" * 100_000 + "1;"),
        kernel("mov.b32 %r1, " + "1?" * 100_000 + "1;"),
        kernel("mov.b32 %r1, " + "1+" * 100_000 + "1;"),
        kernel("mov.b32 %r1, 1 << 0xFFFFFFFFFFFFFFFF;"),
        kernel("mov.b32 %r1, " + "9" * 1_000_000 + ";"),
        kernel("mov.b32 %r1, %r" + "9" * 1_000_000 + ";"),
        kernel("mov.b32 %r1, " + "x" * 1_000_000 + ";"),
        kernel("/*" * 500_000),
        kernel('"' * 500_000),
        kernel("/" * 500_000),
        kernel("mov.b64 %rd1, " + "{" * 100_000),
        kernel("mov.b64 %rd1, {" + "%r1," * 100_000 + "%r1};"),
        kernel(".reg .b32 %z<18446744073709551615>; mov.b32 %z0, 1;"),
        kernel(".reg .b32 " + ", ".join(f"y{n}" for n in range(50_000)) + "; mov.b32 %r1, %nosuch;"),
        kernel("".join(f"L{n}: bra L{n * 7919 % 20_000};\n" for n in range(20_000))),
        HEADER + ".global .u8 x" + "[2]" * 100_000 + ";",
        HEADER + ".global .u8 x[99] = " + "{" * 100_000,
        HEADER + ".global .u8 x[4000000000][1000000000] = {{1}, {2}};",
        HEADER + "".join(f".global .u8 x{n}[2][50000000] = {{{{1}}, {{2}}}};\n" for n in range(50)),
        HEADER + ".section .x {" + "{" * 100_000,
        "\n" * 500_000,
    ],
    ids=lambda text: text[-60:].strip()[:24] or "lines",
)
def test_large_and_deep_input_ends_soon(text):
    survives(text)
