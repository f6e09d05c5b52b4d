"""Does the parser read every statement of PTX into the right IR?"""

import math

import pytest
from ptx_text import HEADER, kernel

from archdef.ptx import parse
from archdef.ptx.ir import (
    Address,
    CallTarget,
    Immediate,
    Label,
    Predicate,
    PredicatePair,
    Register,
    Special,
    Symbol,
    Vector,
)

R1, R2 = Register("%r1", "b32"), Register("%r2", "b32")
RD1 = Register("%rd1", "b64")


def body(text, **more):
    return parse(kernel(text, **more)).functions["k"].body


def operands(text, **more):
    return body(text, **more)[0].operands


# ------------------------------------------------------------------------------------------------------------ operands
@pytest.mark.parametrize(
    "text, expected",
    [
        ("%r2", R2),
        ("7", Immediate(7)),
        ("-7", Immediate(-7)),
        ("0x1F", Immediate(31)),
        ("0X1fU", Immediate(31)),
        ("017", Immediate(15)),
        ("0b101", Immediate(5)),
        ("0", Immediate(0)),
        ("42U", Immediate(42)),
        ("18446744073709551615", Immediate(2**64 - 1)),
        ("-9223372036854775808", Immediate(-(2**63))),
        ("0f3F800000", Immediate(1.0, 0x3F800000, 32)),
        ("0Fbf800000", Immediate(-1.0, 0xBF800000, 32)),
        ("-0f3F800000", Immediate(-1.0, 0xBF800000, 32)),
        ("0d3FF0000000000000", Immediate(1.0, 0x3FF0000000000000, 64)),
        ("1.5", Immediate(1.5)),
        ("1.5e-3", Immediate(0.0015)),
        (".5", Immediate(0.5)),
        ("2e3", Immediate(2000.0)),
        ("%tid.x", Special("%tid.x")),
        ("%laneid", Special("%laneid")),
        ("%envreg1", Special("%envreg1")),
        ("WARP_SZ", Special("WARP_SZ")),
        ("n", Symbol("n")),
        ("n+4", Symbol("n", 4)),
        ("n-4", Symbol("n", -4)),
        ("!%p1", Predicate("%p1", True)),
        ("%p1", Predicate("%p1")),
        ("{%r1, %r2}", Vector((R1, R2))),
        ("{_, %r2}", Vector((None, R2))),
        ("_", Vector((None,))),
        ("[%rd1]", Address(RD1)),
        ("[%rd1+8]", Address(RD1, 8)),
        ("[%rd1-8]", Address(RD1, -8)),
        ("[%rd1+-8]", Address(RD1, -8)),
        ("[%rd1 + (1<<4)]", Address(RD1, 16)),
        ("[a]", Address(Symbol("a"))),
        ("[a+4]", Address(Symbol("a"), 4)),
        ("[0x10]", Address(None, 16)),
    ],
)
def test_an_operand_is_read(text, expected):
    assert operands(f"mov.b32 %r1, {text};")[1] == expected


@pytest.mark.parametrize(
    "text, value",
    [
        ("(1<<4)|3", 19),
        ("1+2*3", 7),
        ("10-3-2", 5),
        ("-7/2", -3),
        ("-7%2", -1),
        ("~0", -1),
        ("~0U", 2**64 - 1),
        ("!5", 0),
        ("(1 < 2) && (3 >= 3)", 1),
        ("1 ? 2 : 3", 2),
        ("0x8000000000000000 >> 63", 1),
        ("1 << 100", 0),
        ("-1 >> 100", -1),
        ("9223372036854775807 + 1", -(2**63)),
        ("(.u64)-1", 2**64 - 1),
        ("5 & 4 ^ 1", 5),
        ("1.5 * 2.0", 3.0),
        ("1 != 2 == 1", 1),
    ],
)
def test_a_constant_expression_has_the_value_of_64_bit_c(text, value):
    assert operands(f"mov.b64 %rd1, {text};")[1] == Immediate(value)


def test_the_bits_of_a_nan_survive():
    value = operands("mov.f32 %f1, 0f7FA00001;")[1]
    assert math.isnan(value.value)
    assert (value.bits, value.bits_width) == (0x7FA00001, 32)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("setp.lt.s32 %p1|%p2, %r1, %r2;", PredicatePair(Predicate("%p1"), Predicate("%p2"))),
        ("setp.lt.s32 _|%p2, %r1, %r2;", PredicatePair(None, Predicate("%p2"))),
        ("shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;", PredicatePair(R1, Predicate("%p1"))),
        ("shfl.sync.idx.b32 %r1|_, %r2, 0, 31, -1;", PredicatePair(R1, None)),
    ],
)
def test_a_destination_can_be_a_pair(text, expected):
    assert operands(text)[0] == expected


def test_a_texture_fetch_lists_its_bracket_operand_by_operand():
    found = operands("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];")
    assert [type(o) for o in found] == [Vector, Address, Vector]


# -------------------------------------------------------------------------------------------------------- instructions
def test_an_instruction_keeps_its_words_types_guard_and_place():
    (found,) = body("  @!%p1 ld.global.v2.f32\t{%f1, %f2}, /* why */ [%rd1+8];")
    assert (found.opcode, found.modifiers, found.types) == ("ld", ("global", "v2", "f32"), ("f32",))
    assert found.guard == Predicate("%p1", True)
    assert (found.where.line, found.where.column) == (6, 3)
    assert found.text == "@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];"


def test_modifiers_may_stand_apart():
    (found,) = body("ld .global .u32 %r1, [%rd1];")
    assert (found.opcode, found.modifiers, found.types) == ("ld", ("global", "u32"), ("u32",))


def test_modifiers_may_be_qualified():
    (found,) = body("ld.shared::cluster.u32 %r1, [%r2];")
    assert found.modifiers == ("shared::cluster", "u32")


def test_all_types_of_a_conversion_are_listed_in_order():
    assert body("cvt.rn.f32.s64 %f1, %rd1;")[0].types == ("f32", "s64")


def test_an_instruction_may_lack_operands():
    assert [i.opcode for i in body("ret; membar.gl; exit;")] == ["ret", "membar", "exit"]


def test_labels_point_at_the_next_instruction_or_the_end():
    function = parse(kernel("A: B: bra C; ret; C:")).functions["k"]
    assert function.labels == {"A": 0, "B": 0, "C": 2}
    assert function.body[0].operands == (Label("C"),)


def test_an_indexed_branch_names_its_targets():
    function = parse(kernel("T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: ret;\nB: ret;")).functions["k"]
    assert function.branch_targets == {"T": ("A", "B")}
    assert function.labels == {"A": 1, "B": 2}
    assert function.body[0].operands == (R1, Label("T"))


# --------------------------------------------------------------------------------------------------------------- scopes
def test_numbered_registers_are_listed_only_as_used():
    function = parse(HEADER + ".entry k() { .reg .b32 %r<2000000000>; mov.b32 %r1999999999, 1; }").functions["k"]
    assert function.registers == {"%r1999999999": "b32"}


def test_the_longest_declared_number_wins_but_every_split_is_tried():
    function = parse(HEADER + ".entry k() { .reg .b32 %r<3>; .reg .b64 %r1<9>; mov.b64 %r15, %r2; }").functions["k"]
    assert function.registers == {"%r15": "b64", "%r2": "b32"}


def test_names_of_nested_scopes_never_meet():
    function = parse(
        kernel(
            """.reg .pred p;
            { .reg .pred p; .reg .b32 t<2>; L: @p bra L; mov.b32 t1, %r1; }
            { .reg .pred p; .reg .b32 t<2>; L: @p bra L; mov.b32 t1, %r1; @p bra OUT; }
            @p bra OUT; OUT: ret;"""
        )
    ).functions["k"]
    guards = [i.guard.name for i in function.body if i.guard]
    assert guards == ["p@1", "p@2", "p@2", "p"]
    targets = [i.operands[0].name for i in function.body if i.opcode == "bra"]
    assert targets == ["L@1", "L@2", "OUT", "OUT"]
    assert set(function.labels) == {"L@1", "L@2", "OUT"}


def test_an_outer_name_is_visible_inside():
    assert body("{ { mov.b32 %r1, %r2; } }")[0].operands == (R1, R2)


# ------------------------------------------------------------------------------------------------------------ variables
def variable(text, name="x"):
    return parse(HEADER + text).variables[name]


@pytest.mark.parametrize(
    "text, space, type, count, align",
    [
        (".global .u32 x;", "global", "u32", 1, 4),
        (".visible .global .align 16 .b8 x[3][5];", "global", "b8", 15, 16),
        (".shared .v4 .f32 x[2];", "shared", "f32", 8, 16),
        (".extern .shared .align 8 .b8 x[];", "shared", "b8", 0, 8),
        (".const .f64 y, x[2];", "const", "f64", 2, 8),
        (".global .attribute(.managed) .s32 x;", "global", "s32", 1, 4),
        (".global .b8 x[1<<40];", "global", "b8", 1 << 40, 1),
    ],
)
def test_a_variable_keeps_its_shape(text, space, type, count, align):
    found = variable(text)
    assert (found.space, found.type, found.count, found.align) == (space, type, count, align)


@pytest.mark.parametrize(
    "text, expected",
    [
        (".global .u32 x = 5;", b"\5\0\0\0"),
        (".global .s16 x[3] = {1, -1};", b"\1\0\xff\xff"),
        (".global .u8 x[2][3] = {{1}, {4, 5}};", b"\1\0\0\4\5"),
        (".global .u8 x[2][3] = {1, 2, 3, 4};", b"\1\2\3\4"),
        (".global .u8 x[] = {1, 2, 3};", b"\1\2\3"),
        (".global .f32 x[2] = {0f3F800000, -1.0};", b"\0\0\x80\x3f\0\0\x80\xbf"),
        (".global .f16 x = 1.0;", b"\0\x3c"),
        (".global .f64 x = 1;", b"\0\0\0\0\0\0\xf0\x3f"),
        (".global .b32 x = 0f3F800000;", b"\0\0\x80\x3f"),
        (".global .v2 .u8 x = {1, 2};", b"\1\2"),
    ],
)
def test_an_initialiser_becomes_bytes(text, expected):
    assert variable(text).initial == expected


def test_an_open_array_takes_the_size_of_its_initialiser():
    assert variable(".global .u16 x[][2] = {{1, 2}, {3, 4}, {5}};").count == 6


def test_addresses_in_initialisers_become_relocations():
    found = variable(".global .u64 x[4] = {7, y, generic(y)+8, f};\n.global .u32 y[9];\n.func f() { ret; }")
    assert found.relocations == ((8, Symbol("y")), (16, Symbol("y", 8, True)), (24, Symbol("f")))
    assert found.initial == b"\7" + bytes(31)


def test_a_body_declares_its_own_variables():
    function = parse(kernel(".shared .f32 tile[32]; { .local .b8 tile[4]; mov.u64 %rd1, tile; }")).functions["k"]
    assert {n: v.space for n, v in function.variables.items()} == {"tile": "shared", "tile@1": "local"}
    assert function.body[0].operands[1] == Symbol("tile@1")


# ------------------------------------------------------------------------------------------------------------ functions
def test_parameters_and_directives_of_a_kernel():
    function = parse(
        HEADER + ".entry k(.param .u64 .ptr .global .align 16 a, .param .align 4 .b8 s[12])\n"
        '.maxntid 256, 1, 1\n.minnctapersm 2\n.pragma "x";\n{ ret; }'
    ).functions["k"]
    a, s = function.parameters
    assert (a.pointer, a.type, a.align, s.bytes, s.align) == (True, "u64", 8, 12, 4)
    assert function.directives == {"maxntid": (256, 1, 1), "minnctapersm": (2,)}


FUNCTIONS = """
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.func (.reg .f32 %out) g (.reg .f32 %in, .param .u64 p) { mov.f32 %out, %in; ret; }
"""


@pytest.mark.parametrize(
    "text, expected",
    [
        (".param .b32 q; call.uni (q), vprintf, (q, a);", CallTarget(Symbol("vprintf"), ("q",), ("q", "a"))),
        ("call (%f1), g, (%f2, 5);", CallTarget(Symbol("g"), ("%f1",), (Register("%f2", "f32"), Immediate(5)))),
        ("call g;", CallTarget(Symbol("g"), (), ())),
        ("call later, (%r1);", CallTarget(Symbol("later"), (), (R1,))),
    ],
)
def test_a_call_names_callee_returns_and_arguments(text, expected):
    module = kernel(text, before=FUNCTIONS) + ".func later(.reg .b32 %r) { ret; }"
    assert parse(module).functions["k"].body[0].operands == (expected,)


def test_an_indirect_call_carries_its_prototype():
    found = operands("P: .callprototype (.param .b32 _) _ (.param .b64 _); call (a), %rd1, (n), P;")
    assert found == (CallTarget(RD1, ("a",), ("n",)), Label("P"))


def test_a_declaration_has_no_body_until_it_is_defined():
    assert not parse(HEADER + ".func f(.param .b32 x);").functions["f"].defined
    assert parse(HEADER + ".func f(.param .b32 x); .func f(.param .b32 x) { ret; }").functions["f"].defined


def test_an_alias_is_the_same_function_under_another_name():
    functions = parse(HEADER + ".func f() { ret; }\n.alias g, f;").functions
    assert functions["g"].body == functions["f"].body
    assert functions["g"].name == "g"


# --------------------------------------------------------------------------------------------------------------- lines
def test_source_lines_come_from_loc_even_when_the_file_is_named_later():
    module = parse(
        kernel(
            "ret;\n.loc 1 12 3\nret;\n.loc 2 7 1, function_name $L0, inlined_at 1 12 3\nret;\n"
            ".loc 2 8 1, function_name $L0+4, inlined_at 1 12 3\nret;"
        )
        + '.file 1 "k.cu"\n.file 2 "inc.h", 123, 456\n.section .debug_str { $L0: .b8 1, 2\n }\n'
    )
    places = [(i.where.file, i.where.source_line) for i in module.functions["k"].body]
    assert places == [(None, None), ("k.cu", 12), ("inc.h", 7), ("inc.h", 8)]


def test_a_function_does_not_inherit_the_lines_of_the_one_before():
    module = parse(HEADER + '.file 1 "k.cu"\n.func f() { .loc 1 3 0\nret; }\n.func g() { ret; }')
    assert module.functions["g"].body[0].where.source_line is None


def test_the_header_is_read():
    module = parse(".version 8.1 .target sm_90a, debug\n.address_size 64", "x.ptx")
    assert (module.version, module.target, module.address_size, module.file) == ((8, 1), "sm_90a", 64, "x.ptx")
    assert parse(".version 1.4\n.target sm_10").address_size == 32


def test_windows_line_ends_and_preprocessor_lines_are_skipped():
    module = parse(kernel("ret;").replace("\n", "\r\n") + '# 1 "x.i"\n@@DWARF .byte 1\n')
    assert module.functions["k"].body[0].where.line == 6
    assert not module.lines[0].endswith("\r")
