"""Does broken PTX end in an error at the right place that says what is wrong?"""

import re

import pytest
from ptx_text import HEADER, kernel
from small_machine import gizmo

from archdef.errors import PtxError
from archdef.lower import lower
from archdef.ptx import parse

# A `^` in these texts marks where the caret must be; it is taken out before parsing.
BODIES = {
    "mov.b32 ^%r9, 1;": "register `%r9` is outside the declared `%r<9>`",
    "mov.b32 ^%q1, 1;": "unknown register `%q1` (did you mean",
    ".reg .b32 counter; mov.b32 %r1, ^%countr;": "unknown register `%countr` (did you mean counter?)",
    "mov.b32 %r1, ^%tid.q;": "unknown register `%tid.q` (did you mean %tid.",
    "mov.b32 %r1, ^nowhere;": "unknown name `nowhere`",
    "A: ret; ^A: ret;": "label `A` is declared twice",
    "LOOP: bra ^LOP;": "unknown label `LOP` (did you mean LOOP?)",
    "{ IN: ret; } bra ^IN;": "unknown label `IN`",
    "T: .branchtargets A, ^B; A: ret;": "unknown label `B`",
    "A: brx.idx %r1, ^A;": "`A` is not a `.branchtargets` list",
    "add.s32 %r1, %r2, %r3^\nret;": "expected `,` or `;` after `%r3`, got `ret`",
    "add.s32 %r1, %r2^ %r3;": "expected `,` or `;` after `%r2`, got `%r3`",
    "add.s32 %r1, ^, %r3;": "expected an operand, got `,`",
    "mov.b32 %r1, ^0xZZ;": "`0xZZ` is not a number",
    "mov.b32 %r1, ^12abc;": "`12abc` is not a number",
    "mov.b32 %r1, ^09;": "`09` is not a number",
    "mov.f32 %f1, ^0f3F80;": "`0f` takes 8 hexadecimal digits",
    "mov.f32 %f1, ^1.5.2;": "`1.5.2` is not a number",
    "mov.b64 %rd1, ^99999999999999999999;": "does not fit 64 bits",
    "mov.b32 %r1, 1 ^/ 0;": "division by zero",
    "mov.b32 %r1, (1+2^;": "expected `)`",
    "mov.b32 %r1, 1 ^<< 1.5;": "`<<` takes whole numbers",
    "ld.global.u32 %r1, [%rd1+^%r2];": "an address is a register plus a constant",
    "ld.global.u32 %r1, [%rd1^;": "expected `]`",
    "ld.global.u32 %r1, [^%p1];": "expected an address",
    "mov.b64 %rd1, {%r1, %r2^;": "expected `,`",
    "@^%r1 ret;": "a guard must be a predicate register",
    "@%p1 ^;": "expected an instruction after the guard",
    "^%r1, %r2;": "is the opcode missing?",
    "mov.b32 ^%r1.x, 1;": "vector elements and byte selectors",
    "neg.f32 %f1, ^-%f2;": "use `neg`",
    ".reg ^.v4 .f32 v;": "vector registers (`.reg .v4`) are not supported",
    ".reg ^.u31 x;": "expected a register's type, got `.u31` (did you mean",
    ".reg .b32 ^%r<4>;": "register `%r` is declared twice",
    ".reg .b32 x, ^x;": "register `x` is declared twice",
    "^.shred .b32 x;": "unknown directive `.shred` (did you mean .shared?)",
    ".local .align ^3 .b8 x[4];": "an alignment must be a power of two, got 3",
    ".shared .b8 ^x[];": "array `x` has no size",
    ".shared .u32 x ^= 1;": "a .shared variable cannot be initialised",
    "call ^%p1, (%r1);": "expected a function",
    "mov.b32 %r1, ^§;": "character '§' has no place in PTX",
    "ret; ^/* never closed": "comment without its `*/`",
    '.pragma ^"open;': "string without its closing quote",
    "^]": "expected an instruction, got `]`",
    "^.entry g() {": "the body before it has no closing `}`",
}
MODULES = {
    "^": "the file holds no PTX",
    "^.entry k() {}": "PTX starts with `.version`",
    ".version ^x": "expected a version",
    ".version 7.0 ^": "expected `.target`",
    HEADER + "^.version 7.0": "a file holds one module",
    ".version 7.0 .target sm_60 .address_size ^48": "the address size must be 32 or 64, got 48",
    HEADER + ".visible .entry k() ^{ ret;": "the body has no closing `}`",
    HEADER + ".entry k() { ret; } ^}": "expected a directive, got `}`",
    HEADER + ".entry k(.param .u64 a, .param .u64 ^a) { }": "`a` is declared twice",
    HEADER + ".entry k(.param .u64 a^": "expected `,` after a parameter, got the end of the file",
    HEADER + ".entry k() { ret; } .entry ^k() { ret; }": "function `k` has two bodies",
    HEADER + ".entry k() .maxntidd { }": "unknown directive `.maxntidd` (did you mean .maxntid?)",
    HEADER + ".entry k()^ ret": "expected `;`",
    HEADER + "^.enty k() { }": "expected a directive, got `.enty` (did you mean .entry?)",
    HEADER + ".shared ^.texref t;": "`.texref` is not a type of a .shared variable",
    HEADER + ".global .texref t ^= { 1 };": "a texture reference is bound by the host",
    HEADER + "^.tex .u32 t;": "`.tex` variables are declared in the global space",
    HEADER + ".global ^.pred x;": "is not a type",
    HEADER + ".global .u8 x = ^256;": "256 does not fit .u8",
    HEADER + ".global .u8 x[2] = {1, 2, ^3};": "more initial values than the array has elements",
    HEADER + ".global .u8 x[2] = {^{1}, 2};": "more braces",
    HEADER + ".global .u8 x[2] = {1, 2": "expected `,`",
    HEADER + ".global .u32 x = ^y;": "an address takes 64 bits",
    HEADER + ".global .u64 x = ^y;": "unknown name `y`",
    HEADER + ".global .u8 ^x[1<<62][4];": "does not fit 64-bit addresses",
    HEADER + ".global .u8 x[2][1000000000] = {{1}, {^2}};": "the initial contents take more than 64 MiB",
    HEADER + ".global .u32 x[^-1];": "an array size must be a whole number",
    HEADER + ".global .u32 x[^WARP_SZ];": "WARP_SZ is known only with the architecture",
    HEADER + ".section .debug_str { .b8 1": "`.section` without its closing `}`",
    HEADER + ".alias f, ^g;": "`g` is not a function",
}


@pytest.mark.parametrize(
    "marked, message",
    [*((kernel(text), message) for text, message in BODIES.items()), *MODULES.items()],
    ids=[*BODIES, *(text.removeprefix(HEADER) or "empty" for text in MODULES)],
)
def test_an_error_points_at_its_cause(marked, message):
    place = marked.find("^")
    text = marked.replace("^", "", 1)
    with pytest.raises(PtxError) as caught:
        parse(text, "k.ptx")
    error = caught.value
    if place >= 0:
        before = text[:place]
        assert (error.line, error.column) == (before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1)
    assert message in error.reason
    assert str(error).startswith(f"k.ptx:{error.line}:{error.column}: ")


def test_the_message_shows_the_line_and_a_caret():
    with pytest.raises(PtxError, match=re.escape("<ptx>:6:11: unknown register `%x`")) as caught:
        parse(kernel("\tmov.b32\t\t%x, 1;"))
    assert str(caught.value).splitlines()[1:] == ["    \tmov.b32\t\t%x, 1;", "    \t       \t\t^"]


def test_a_very_long_line_is_not_shown():
    with pytest.raises(PtxError) as caught:
        parse(HEADER + "x" * 100_000)
    assert len(str(caught.value)) < 300


NOT_DEFERRED = ("§", "/*", '"', ".entry g", "{%r1, %r2^")
"""What cannot be told from the text behind it."""
GOOD = ".visible .entry good() { ret; }\n"


@pytest.mark.parametrize("marked", [text for text in BODIES if not any(part in text for part in NOT_DEFERRED)])
def test_a_broken_body_can_be_left_to_whoever_launches_it(marked):
    text = kernel(marked).replace("^", "", 1) + GOOD
    with pytest.raises(PtxError) as caught:
        parse(text, "k.ptx")
    module = parse(text, "k.ptx", defer=True)
    assert str(module.functions["k"].broken) == str(caught.value) and not module.functions["k"].body
    assert module.functions["good"].broken is None and module.functions["good"].body


@pytest.mark.parametrize("marked", [text for text in BODIES if any(part in text for part in NOT_DEFERRED)])
def test_a_body_without_an_end_is_an_error_at_once(marked):
    with pytest.raises(PtxError, match=re.escape(BODIES[marked])):
        parse(kernel(marked).replace("^", "", 1) + GOOD, defer=True)


def test_only_kernels_that_reach_a_broken_function_fail():
    text = f"{HEADER}.func f() {{ mov.b32 %r1, 1; }}\n.visible .entry calls() {{ call f; ret; }}\n{GOOD}"
    module = parse(text, "k.ptx", defer=True)
    lower(module, "good", gizmo())
    with pytest.raises(PtxError, match=re.escape("k.ptx:4:21: unknown register `%r1`")):
        lower(module, "calls", gizmo())
