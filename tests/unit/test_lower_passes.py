"""What each pass of lowering does to small pieces of PTX, and what it must leave alone."""
import pytest
from lowering import kernel, lowered, machine, micro_ops

from archdef.errors import ArchdefError, PtxError
from archdef.lower import Options
from archdef.spec.isa import Operation

Sass = pytest.importorskip("archdef_sass", reason="needs the target that a plugin of this repository brings").Sass


def ops(body, architecture=None, parameters=".param .u64 out, .param .u32 n", head="", **arguments):
    """Micro-ops of a body, without the closing exit."""
    found = micro_ops(lowered(kernel(body, parameters, head), architecture, **arguments))
    assert found[-1] == "exit"
    return found[:-1]


OUT = "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1;"


def store(register, kind="u32"):
    return f"st.global.{kind} [%rd2], {register};"


# -------------------------------------------------------------------------------------------------------- operands and copies
def test_parameters_immediates_and_launch_sizes_are_operands():
    body = f"{OUT} ld.param.u32 %r1, [n]; mov.u32 %r2, %ntid.x; add.s32 %r3, %r1, %r2; xor.b32 %r4, %r3, 7; {store('%r4')}"
    assert ops(body) == ["add_b32 r0, param[8], %ntid_x", "xor_b32 r0, r0, 7", "store.global.b32 [param[0]], r0"]


def test_copies_of_copies_are_read_at_the_origin():
    body = f"{OUT} ld.global.u32 %r1, [%rd2]; mov.u32 %r2, %r1; mov.b32 %r3, %r2; add.s32 %r4, %r3, %r2; {store('%r4')}"
    assert ops(body)[1] == "add_b32 r0, r0, r0"


def test_a_copy_of_a_register_that_changes_stays():
    body = f"""{OUT} ld.global.u32 %r1, [%rd2];
    mov.u32 %r2, %r1;
    add.s32 %r1, %r1, 5;
    add.s32 %r3, %r1, %r2; {store('%r3')}"""
    assert ops(body) == ["load.global.b32 r0, [param[0]]", "mov_b32 r1, r0", "add_b32 r0, r0, 5", "add_b32 r0, r0, r1",
                         "store.global.b32 [param[0]], r0"]


def test_a_loop_counter_needs_no_copy():
    body = f"""{OUT} mov.u32 %r1, 0;
LOOP:
    add.s32 %r2, %r1, 1;
    st.global.u32 [%rd2], %r2;
    setp.lt.s32 %p1, %r2, 10;
    mov.u32 %r1, %r2;
    @%p1 bra LOOP;"""
    assert ops(body) == ["mov_b32 r0, 0", "add_b32 r0, r0, 1", "store.global.b32 [param[0]], r0", "set_lt_s32 p2, r0, 10",
                         "@p2 branch -> 1, meet end"]


def test_swapped_loop_variables_keep_their_copies():
    body = f"""{OUT} mov.u32 %r1, 0; mov.u32 %r2, 1;
LOOP:
    add.s32 %r3, %r1, %r2;
    mov.u32 %r1, %r2;
    mov.u32 %r2, %r3;
    setp.lt.s32 %p1, %r3, 50;
    @%p1 bra LOOP;
    {store('%r1')}"""
    found = ops(body)
    assert sum(op.startswith("mov_b32") for op in found) == 4  # two starts, two hand-overs: both values are alive at once


def test_special_registers_are_read_once_and_charged():
    found = ops(f"{OUT} mov.u32 %r1, %tid.x; add.s32 %r2, %r1, %r1; {store('%r2')}")
    assert found == ["mov_b32 r0, r0", "add_b32 r0, r0, r0", "store.global.b32 [param[0]], r0"]
    free = machine(costs={"special_register": Operation("alu", 1, issues=0)})
    assert ops(f"{OUT} mov.u32 %r1, %tid.x; add.s32 %r2, %r1, %r1; {store('%r2')}", free)[0] == "add_b32 r0, r0, r0"


def test_negated_predicates_move_into_operands():
    body = f"{OUT} setp.lt.s32 %p1, %r1, 3; not.pred %p2, %p1; selp.b32 %r2, %r1, 0, %p2; {store('%r2')}"
    assert ops(body)[:2] == ["set_lt_s32 p2, r0, 3", "selp r0, r0, 0, !p2"]


def test_narrow_parameters_are_cut_out_of_their_word():
    parameters = ".param .u8 a, .param .s16 b"
    body = "ld.param.s8 %r1, [a]; ld.param.u16 %h1, [b]; cvt.u32.u16 %r2, %h1; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2;"
    assert ops(body, parameters=parameters)[:4] == ["cvt_s32_s8 r0, param[0]", "shr_u32 r1, param[0], 16", "cvt_u32_u16 r1, r1",
                                                    "cvt_u32_u16 r1, r1"]


def test_warp_size_is_a_constant():
    assert ops(f"{OUT} mov.u32 %r1, WARP_SZ; {store('%r1')}", machine(warp_size=64)) == ["store.global.b32 [param[0]], 64"]


# ------------------------------------------------------------------------------------------------------------------- addresses
def test_constant_summands_move_into_the_offset():
    body = f"{OUT} ld.global.u64 %rd3, [%rd2]; add.s64 %rd4, %rd3, 16; sub.s64 %rd5, %rd4, 4; ld.global.u32 %r1, [%rd5+100]; {store('%r1')}"
    assert ops(body)[1] == "load.global.b32 r0, [r2+112]"


def test_32_bit_offsets_wrap():
    body = f"{OUT} mov.u32 %r1, %tid.x; add.s32 %r2, %r1, -2147483648; add.s32 %r3, %r2, -2147483644; ld.shared.u32 %r4, [%r3]; {store('%r4')}"
    assert "load.shared.b32 r1, [r0+4]" in ops(body)


def test_shared_variables_lie_one_behind_the_other():
    head = ".shared .align 4 .b8 unused[64]; .shared .align 4 .b8 first[10]; .shared .align 8 .b8 second[16]; .extern .shared .align 16 .b8 more[];"
    body = "mov.u32 %r1, second; st.shared.u32 [%r1+4], 1; st.shared.u32 [first], 2; st.shared.u32 [more+4], 3;"
    program = lowered(kernel(body, head=head))
    assert micro_ops(program)[:3] == ["store.shared.b32 [16+4], 1", "store.shared.b32 [0], 2", "store.shared.b32 [32+4], 3"]
    assert (program.shared_bytes, program.dynamic_shared) == (32, True)


def test_generic_accesses_of_known_space_are_resolved():
    head = ".shared .align 4 .b8 tile[64];"
    body = """mov.u32 %r1, tile; cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3; st.u32 [%rd4], %r2;
    ld.param.u64 %rd5, [out]; add.s64 %rd6, %rd5, %rd3; st.u32 [%rd6+8], %r2;"""
    found = ops(body, machine(without=["unified_addressing"]), head=head)
    assert any(op.startswith("store.shared.b32") for op in found)
    assert any(op.startswith("store.global.b32") and "+8]" in op for op in found)


def test_a_pointer_that_may_point_anywhere_stays_generic():
    head = ".shared .align 4 .b8 tile[64];"
    body = """cvta.shared.u64 %rd1, %rd9; ld.param.u64 %rd2, [out]; setp.lt.s32 %p1, %r1, 0;
    selp.b64 %rd3, %rd1, %rd2, %p1; st.u32 [%rd3], %r1;"""
    assert ops(body, head=head)[-1].startswith("store.generic.b32")


# -------------------------------------------------------------------------------------------------------------------- fusion
PRODUCT = f"{OUT} ld.global.f32 %f1, [%rd2]; mul{{}}.f32 %f2, %f1, %f1; add{{}}.f32 %f3, %f2, 0f3F800000; st.global.f32 [%rd2], %f3;"


@pytest.mark.parametrize("kind, fn", [("fused", "fma_f32"), ("truncated", "mad_trunc_f32")])
def test_float_multiply_and_add_fuse_as_the_machine_does(kind, fn):
    assert ops(PRODUCT.format("", ""), machine(float_mad=kind))[1] == f"{fn} r0, r0, r0, 0x3f800000"


@pytest.mark.parametrize("mul, add, isa", [(".rn", "", {}), ("", ".rn", {}), ("", "", {"float_mad": "separate"}),
                                           ("", "", {"fuse_multiply_add": False})])
def test_exact_float_operations_stay_apart(mul, add, isa):
    assert [op.split()[0] for op in ops(PRODUCT.format(mul, add), machine(**isa))[1:3]] == ["mul_f32", "add_f32"]


def test_differences_fuse_with_their_signs():
    body = f"{OUT} ld.global.f32 %f1, [%rd2]; mul.f32 %f2, %f1, %f1; sub.f32 %f3, {{}}; st.global.f32 [%rd2], %f3;"
    assert ops(body.format("%f2, %f1"))[1] == "fms_f32 r0, r0, r0, r0"
    assert ops(body.format("%f1, %f2"))[1] == "fnma_f32 r0, r0, r0, r0"


def test_a_product_with_two_readers_is_not_fused():
    body = f"{OUT} ld.global.u32 %r1, [%rd2]; mul.lo.s32 %r2, %r1, %r1; add.s32 %r3, %r2, 1; st.global.u32 [%rd2], %r3; {store('%r2')}"
    assert [op.split()[0] for op in ops(body)][1:3] == ["mul_lo_b32", "add_b32"]


def test_a_product_whose_factor_changes_before_the_sum_is_not_fused():
    body = f"""{OUT} ld.global.u32 %r1, [%rd2]; mul.lo.s32 %r2, %r1, %r1; add.s32 %r1, %r1, 1;
    add.s32 %r3, %r2, %r1; {store('%r3')}"""
    assert [op.split()[0] for op in ops(body)][1:4] == ["mul_lo_b32", "add_b32", "add_b32"]


def test_indices_scale_and_add_in_one_operation():
    body = f"{OUT} mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1;"
    assert ops(body)[1] == "mad_wide_u32 r2:3, r0, 4, param[0]"


def test_mad_f32_is_the_machines():
    body = f"{OUT} mad.f32 %f1, %f2, %f3, %f4; st.global.f32 [%rd2], %f1;"
    for kind, fn in (("fused", "fma_f32"), ("truncated", "mad_trunc_f32"), ("separate", "mad_separate_f32")):
        assert ops(body, machine(float_mad=kind))[0].split()[0] == fn


# -------------------------------------------------------------------------------------------------------------- pointer width
def test_address_arithmetic_is_charged_at_pointer_width():
    costs = {"int64_add": Operation("alu", 10, issues=2), "int_mul_wide": Operation("alu", 10, issues=4)}
    body = f"""{OUT} mov.u32 %r1, %tid.x; mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u64 %rd5, [%rd4];
    add.s64 %rd6, %rd5, %rd5; st.global.u64 [%rd4], %rd6;"""
    narrow = lowered(kernel(body), machine(pointer_bits=32, costs=costs))
    assert micro_ops(narrow)[1:3] == ["mul_wide_s32 r2:3, r0, 4", "add_b64 r2:3, r2, param[0]"]
    assert narrow.ops["issues"].tolist() == [1, 1, 1, 1, 2, 1, 1]  # the sum that is stored is a 64-bit number
    wide = lowered(kernel(body), machine(costs=costs))
    assert wide.ops["issues"].tolist() == [1, 4, 1, 2, 1, 1]
    assert narrow.registers < wide.registers


def test_index_widening_disappears_at_32_bits():
    body = f"""{OUT} mov.u32 %r1, %tid.x; cvt.s64.s32 %rd3, %r1; shl.b64 %rd4, %rd3, 2; add.s64 %rd5, %rd2, %rd4;
    st.global.u32 [%rd5], %r1;"""
    assert [op.split()[0] for op in ops(body, machine(pointer_bits=32))] == ["mov_b32", "mul_wide_s32", "add_b64", "store.global.b32"]


# ------------------------------------------------------------------------------------------------------------------ branches
IF = f"{OUT} mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 5; @%p1 bra SKIP; add.s32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;\nSKIP: {store('%r1')}"


def test_short_branches_become_predicated_code():
    assert ops(IF)[2:] == ["%!p2 add_b32 r1, r0, 1", "%!p2 store.global.b32 [param[0]], r1", "store.global.b32 [param[0]], r0"]


@pytest.mark.parametrize("arguments", [dict(architecture=machine(predication_max_instructions=1)), dict(predicate=False),
                                       dict(options=Options(predicate=False))])
def test_predication_has_a_limit_and_a_switch(arguments):
    assert "@p2 branch -> 5, meet 5" in ops(IF, **arguments)


def test_both_sides_of_a_short_conditional_are_predicated():
    body = f"""{OUT} mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 5; @%p1 bra OTHER; add.s32 %r2, %r1, 1; bra.uni MEET;
OTHER: sub.s32 %r2, %r1, 1;
MEET: {store('%r2')}"""
    assert ops(body)[2:4] == ["%!p2 add_b32 r1, r0, 1", "%p2 sub_b32 r1, r0, 1"]


@pytest.mark.parametrize("inside", ["bar.sync 0;", "call helper;", "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;", "membar.gl;",
                                    "setp.eq.s32 %p1, %r1, 7;", "@%p2 add.s32 %r3, %r1, 1; st.global.u32 [%rd2], %r3;"])
def test_what_a_guard_cannot_switch_off_keeps_its_branch(inside):
    body = f"{OUT} mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 5; @%p1 bra SKIP; {inside}\nSKIP: {store('%r1')} @%p1 st.global.u32 [%rd2], 0;"
    assert any("branch" in op for op in micro_ops(lowered(kernel(body, head=".func helper() { ret; }"))))


def test_a_branch_to_the_end_becomes_a_guarded_end():
    body = f"{OUT} setp.lt.s32 %p1, %r1, 5; @%p1 bra END; {store('%r1')} bar.sync 0; {store('%r1')}\nEND:"
    assert ops(body)[1] == "@p2 exit"


def test_a_branch_around_a_branch_is_inverted():
    body = f"""{OUT}
LOOP: bar.sync 0; setp.lt.s32 %p1, %r1, 5; @%p1 bra OUT; bra LOOP;
OUT: {store('%r1')}"""
    assert ops(body)[2] == "@!p2 branch -> 0, meet 3"


def test_logic_on_a_comparison_becomes_part_of_it():
    body = f"{OUT} setp.lt.s32 %p1, %r1, 5; setp.gt.s32 %p2, %r1, 1; or.pred %p3, %p1, %p2; selp.u32 %r2, 1, 0, %p3; {store('%r2')}"
    assert ops(body)[0].startswith("set_gt_s32 p") and ops(body)[1].startswith("set_lt_s32.or p")    # the first comes last, with the other


def test_lanes_meet_behind_a_conditional_even_if_some_end_inside():
    body = f"""{OUT} mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 5; setp.eq.s32 %p2, %r1, 9; @%p1 bra SKIP;
    bar.sync 0; @%p2 exit; bar.sync 0;
SKIP: {store('%r1')}"""
    assert any("branch -> 7, meet 7" in op for op in ops(body))


def test_lanes_meet_although_one_side_ends():
    body = f"""{OUT} mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 5; setp.eq.s32 %p2, %r1, 9; @%p1 bra SKIP;
    bar.sync 0; @%p2 bra GO; st.global.u32 [%rd2], 1; exit;
GO: bar.sync 0;
SKIP: {store('%r1')}"""
    found = ops(body, machine(predication_max_instructions=0))
    skip = len(found) - 1
    assert f"@p2 branch -> {skip}, meet {skip}" in found


def test_indexed_branches_list_their_targets():
    body = f"""{OUT} mov.u32 %r1, %tid.x;
TS: .branchtargets A, B, A;
    brx.idx %r1, TS;
A: st.global.u32 [%rd2], 1;
B: st.global.u32 [%rd2], 2;"""
    program = lowered(kernel(body))
    assert program.targets.tolist() == [2, 3, 2]
    assert micro_ops(program)[1] == "branch_indexed r0, -> 2 3 2, meet 3"


# ----------------------------------------------------------------------------------------------------------------- functions
HELPER = """.func (.param .b32 result) helper(.param .b32 a, .param .b64 b)
{ .reg .b32 %x<5>; .reg .b64 %y<3>; ld.param.u32 %x1, [a]; ld.param.u64 %y1, [b]; cvt.u32.u64 %x2, %y1;
  add.s32 %x3, %x1, %x2; st.param.b32 [result], %x3; ret; }"""
CALL = f"""{OUT} mov.u32 %r1, %tid.x;
{{ .param .b32 p0; .param .b64 p1; .param .b32 r0; st.param.b32 [p0], %r1; st.param.b64 [p1], %rd1;
  call.uni (r0), helper, (p0, p1); ld.param.b32 %r2, [r0]; }}
{store('%r2')}"""


def test_calls_hand_over_values_in_the_callees_registers():
    program = lowered(kernel(CALL, head=HELPER))
    found = micro_ops(program)
    assert found == ["mov_b32 r0, r0", "mov_b32 r2, r0", "mov_b64 r4:5, param[0]", "call -> 7", "mov_b32 r0, r2",
                     "store.global.b32 [param[0]], r0", "exit", "cvt_u32_u64 r3, r4", "add_b32 r2, r2, r3", "return"]
    assert program.functions == ("k", "helper")


def test_only_calls_inside_a_circle_save_anything():
    head = ".func a(); .func c() { ret; } .func b() { call a; call c; ret; } .func a() { call b; ret; }"
    program = lowered(kernel("call c; call a;", head=head))
    assert program.functions == ("k", "a", "b", "c")
    assert micro_ops(program) == ["mov_b32 r0, 0", "call -> 13", "call -> 4", "exit", "system.stack r0, r0, 16", "call -> 8", "system.stack r0, r0, -16", "return",
                                  "system.stack r0, r0, 16", "call -> 4", "system.stack r0, r0, -16", "call -> 13", "return", "return"]


def test_unknown_functions_are_named():
    with pytest.raises(PtxError, match="`vendor` has no body in this module"):
        lowered(kernel("call vendor;", head=".extern .func vendor();"))


# ------------------------------------------------------------------------------------------------------------------ the program
def test_dead_results_are_not_computed():
    body = f"{OUT} ld.global.u32 %r1, [%rd2]; mul.lo.s32 %r2, %r1, %r1; atom.global.add.u32 %r3, [%rd2], 1;"
    assert ops(body) == ["atom.global.add_b32 [param[0]], 1"]


def test_volatile_loads_stay():
    assert ops(f"{OUT} ld.volatile.global.u32 %r1, [%rd2];") == ["load.global.b32 r0, [param[0]]"]


def test_costs_come_from_the_description():
    costs = {"int_add": Operation("special", 30, issues=3), "int_logic": Operation("alu", 7, interval_cycles=5)}
    program = lowered(kernel(f"{OUT} ld.param.u32 %r1, [n]; add.s32 %r2, %r1, %r1; and.b32 %r3, %r2, 5; {store('%r3')}",
                             ".param .u64 out, .param .u32 n"), machine(costs=costs))
    add, logic = program.ops[0], program.ops[1]
    assert (add["unit"], add["latency"], add["interval"], add["issues"]) == (1, 30, 24, 3)
    assert (logic["unit"], logic["latency"], logic["interval"], logic["issues"]) == (0, 7, 5, 1)
    assert program.instructions == program.ops["issues"].sum()


def test_a_kernel_too_long_is_refused():
    with pytest.raises(PtxError, match=r"instructions; standin takes kernels of at most 2 instructions \(limits\.kernel_instructions\)"):
        lowered(kernel(f"{OUT} ld.global.u32 %r1, [%rd2]; {store('%r1')}"), machine(limit=2))


def test_an_unknown_kernel_names_the_nearest():
    with pytest.raises(ArchdefError, match=r"k\.ptx has no kernel kk \(did you mean k\?\); it has k"):
        lowered(kernel(""), entry="kk")


def test_statements_tie_micro_ops_to_ptx_and_source_lines():
    body = f"    .loc 1 7 0\n    {OUT}\n    .loc 1 9 0\n    st.global.u32 [%rd2], 5;"
    program = lowered(kernel(body) + '.file 1 "k.cu"\n')
    statement = program.statements[program.ops["statement"][0]]
    assert (statement.file, statement.source_line, statement.opcode, statement.function) == ("k.cu", 9, "st", "k")
    assert statement.text == "st.global.u32 [%rd2], 5;"


def test_module_variables_have_images_and_relocations():
    head = """.global .align 4 .u32 table[4] = {1, 2, 3}; .const .align 8 .f64 pi = 0d400921FB54442D18;
.global .align 8 .u64 pointer = table;"""
    program = lowered(kernel("ld.global.u32 %r1, [table+4]; st.global.u32 [table], %r1; ld.const.f64 %fd1, [pi]; st.global.f64 [table], %fd1;",
                             head=head))
    assert bytes(program.global_image)[:16] == bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0])
    assert bytes(program.const_image) == bytes.fromhex("182d4454fb210940")
    assert [(r.space, r.offset, r.bytes, r.value) for r in program.relocations] == [("global", 16, 8, 0)]
    assert micro_ops(program)[0] == "load.global.b32 r0, [global[0]+4]"


def test_parameters_are_laid_out_with_their_alignment():
    program = lowered(kernel("", ".param .u8 a, .param .u64 b, .param .align 4 .b8 c[12], .param .f32 d"))
    assert [(p.name, p.offset, p.bytes) for p in program.parameter_layout] == [("a", 0, 1), ("b", 8, 8), ("c", 16, 12), ("d", 28, 4)]
    assert program.parameter_bytes == 32


def test_local_memory_is_counted():
    program = lowered(kernel(".local .align 4 .b8 depot[40]; st.local.u32 [depot+4], 7; ld.local.u32 %r1, [depot+4]; st.global.u32 [%rd1], %r1;"))
    assert (program.local_bytes, program.uses_local) == (40, True)


def test_barriers_are_counted():
    assert lowered(kernel("bar.sync 0;")).barriers_used == 1
    assert lowered(kernel("bar.sync 3;")).barriers_used == 4
    assert lowered(kernel("bar.sync %r1;")).barriers_used == 16
    assert lowered(kernel("")).barriers_used == 0


def test_lowering_is_deterministic():
    first, second = lowered(kernel(IF)), lowered(kernel(IF))
    assert first.ops.tobytes() == second.ops.tobytes() and first.listing() == second.listing()


# ------------------------------------------------------------------------------------------------------- the order of loads
PAIR = "ld.global.u32 %r{0}, [%rd2+{1}]; add.u32 %r1, %r1, %r{0};"


def order(body, **arguments):
    """Loads and additions of 32 bits, in order."""
    words = [op.split()[0].partition(".")[0] for op in ops(body, **arguments)]
    return [word for word in words if word in ("load", "add_b32")]


def test_loads_start_before_the_results_of_earlier_ones_are_used():
    body = f"{OUT} mov.u32 %r1, %tid.x; " + " ".join(PAIR.format(k + 2, 4 * k) for k in range(4)) + store("%r1")
    assert order(body) == ["load"] * 4 + ["add_b32"] * 4
    assert order(body, options=Options(start_loads_early=False)) == ["load", "add_b32"] * 4


def test_what_leads_to_a_load_comes_before_what_waits_for_one():
    body = f"""{OUT} mov.u32 %r1, %tid.x; ld.global.u32 %r3, [%rd2]; add.u32 %r1, %r1, %r3;
    mul.wide.u32 %rd3, %r9, 4; add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r4, [%rd4]; add.u32 %r1, %r1, %r4; {store("%r1")}"""
    found = order(body)
    assert found.index("add_b32") > len(found) - found[::-1].index("load") - 1


@pytest.mark.parametrize("between", ["st.global.u32 [%rd2+64], %r1;", "bar.sync 0;", "membar.gl;", "atom.global.add.u32 %r9, [%rd2], 1;",
                                     "ld.volatile.global.u32 %r9, [%rd2+32]; add.u32 %r1, %r1, %r9;"])
def test_nothing_passes_what_others_can_see(between):
    body = f"{OUT} mov.u32 %r1, %tid.x; {PAIR.format(2, 0)} {between} {PAIR.format(3, 4)} {store('%r1')}"
    assert ops(body) == ops(body, options=Options(start_loads_early=False))


def test_a_load_that_needs_another_one_waits_for_it():
    body = f"""{OUT} ld.global.u64 %rd3, [%rd2]; ld.global.u64 %rd4, [%rd3]; ld.global.u64 %rd5, [%rd2+8];
    add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r1, [%rd6]; {store("%r1")}"""
    found = [op for op in ops(body) if op.startswith("load")]
    assert "+8" in found[1], "the independent one goes between the dependent ones"


def test_a_register_that_is_used_again_keeps_the_order():
    body = f"""{OUT} mov.u32 %r1, 0;
    ld.global.u32 %r2, [%rd2]; add.u32 %r1, %r1, %r2;
    ld.global.u32 %r2, [%rd2+4]; add.u32 %r1, %r1, %r2; {store("%r1")}"""
    assert order(body) == ["load", "add_b32", "load", "add_b32"]


def test_no_more_loads_are_under_way_than_leave_all_warps_resident():
    body = f"{OUT} mov.u32 %r1, %tid.x; " + " ".join(PAIR.format(k + 10, 4 * k) for k in range(20)) + store("%r1")
    few, many = machine(), machine()
    vars(few.limits).update(registers_per_multiprocessor=12 * 32 * 64)
    vars(many.limits).update(registers_per_multiprocessor=1 << 20)

    def together(architecture):
        return order(body, architecture=architecture).index("add_b32")
    assert together(many) == 20 and 2 <= together(few) < 12
    assert lowered(kernel(body, ".param .u64 out, .param .u32 n"), few).registers <= 12


def test_what_was_interleaved_behind_loads_stays_so():
    body = f"""{OUT} ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd2+4];
    add.u32 %r1, %r1, 3; xor.b32 %r2, %r2, 3; add.u32 %r1, %r1, %r1; xor.b32 %r2, %r2, 5; {store("%r1")} st.global.u32 [%rd2+4], %r2;"""
    assert ops(body) == ops(body, options=Options(start_loads_early=False))


def test_global_loads_pass_stores_to_shared_memory_and_shared_loads_do_not():
    tile = ".shared .b32 tile[64]; mov.u32 %r9, tile; "
    copies = " ".join(f"ld.global.u32 %r{k + 2}, [%rd2+{4 * k}]; st.shared.u32 [%r9+{4 * k}], %r{k + 2};" for k in range(3))
    turned = " ".join(f"st.shared.u32 [%r9+{4 * k}], %r8; ld.shared.u32 %r{k + 2}, [%r9+{64 - 4 * k}]; add.u32 %r8, %r8, %r{k + 2};"
                      for k in range(3))

    def accesses(body, **assembler):
        found = ops(f"{tile}{OUT} {body} {store('%r8')}", machine(assembler=Sass(**assembler)))
        return [op.split()[0] for op in found if ".shared" in op or "load.global" in op]
    assert accesses(copies) == ["load.global.b32", "store.shared.b32"] * 3
    assert accesses(copies, loads_pass_shared_stores=True) == ["load.global.b32"] * 3 + ["store.shared.b32"] * 3
    assert accesses(f"mov.u32 %r8, %tid.x; {turned}", loads_pass_shared_stores=True) == ["store.shared.b32", "load.shared.b32"] * 3
