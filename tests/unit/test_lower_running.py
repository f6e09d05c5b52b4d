"""Lowered PTX does what the manual says: instructions that need more than one lane function, run on a small machine."""
import numpy as np
from lowering import kernel
from run_ptx import machine, run

LANES = np.arange(32, dtype=np.uint32)
START = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
START64 = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;"


def each(body, head="", dtype=np.uint32, threads=32, **arguments):
    """What 32 threads leave in out[tid]; the body leaves its result in %r2, or %rd4 for 64 bits."""
    wide = np.dtype(dtype).itemsize == 8
    store = "st.global.u64 [%rd3], %rd4;" if wide else "st.global.u32 [%rd3], %r2;"
    text = kernel((START64 if wide else START) + body + store, head=head)
    return run(text, np.zeros(threads, dtype), block=threads, **arguments)


# ------------------------------------------------------------------------------------------------------- moves and packing
def test_vectors_pack_and_unpack():
    body = "mov.b64 %rd5, {%r1, 7}; mov.b64 {%r3, %r4}, %rd5; mad.lo.s32 %r2, %r3, 10, %r4;"
    assert np.array_equal(each(body), LANES * 10 + 7)
    body = "cvt.u16.u32 %h1, %r1; mov.b32 %r3, {%h1, 9}; mov.b32 {%h2, %h3}, %r3; mov.b64 %rd5, {%h2, %h3, %h1, 5}; mov.b64 {%r4, %r2}, %rd5;"
    assert np.array_equal(each(body), LANES + (5 << 16))
    assert np.array_equal(each("mov.b64 {_, %r2}, 21474836480;"), np.full(32, 5))


def test_narrow_loads_extend_and_narrow_stores_cut():
    out = np.arange(200, 232, dtype=np.uint8)
    text = kernel("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd1, %rd2;
    ld.global.s8 %rd4, [%rd3]; ld.global.u8 %r2, [%rd3]; cvt.s64.s32 %rd5, %r2; sub.s64 %rd6, %rd5, %rd4; shr.u64 %rd7, %rd6, 8;
    cvt.u32.u64 %r3, %rd7; add.s32 %r4, %r3, 300; st.global.u8 [%rd3], %r4;""")
    assert np.array_equal(run(text, out), np.full(32, 301 - 256, np.uint8))  # the difference of the two readings is 256


def test_vector_accesses_move_every_element():
    data = np.arange(32 * 4, dtype=np.uint32)
    text = kernel("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
    ld.global.v4.u32 {%r2, %r3, _, %r5}, [%rd3]; ld.global.v2.u32 {%r6, %r7}, [%rd3+8];
    st.global.v4.u32 [%rd3], {%r5, %r6, %r3, %r2};""")
    assert np.array_equal(run(text, data).reshape(-1, 4), data.reshape(-1, 4)[:, ::-1])


def test_integers_of_16_bits_keep_their_sign():
    body = "cvt.u16.u32 %h1, %r1; sub.s16 %h2, %h1, 10; shr.s16 %h3, %h2, 1; cvt.s32.s16 %r2, %h3;"
    assert np.array_equal(each(body).view(np.int32), (np.arange(32) - 10) >> 1)
    body = "cvt.u16.u32 %h1, %r1; sub.u16 %h2, %h1, 10; setp.lt.s16 %p1, %h2, 0; selp.u32 %r2, 1, 0, %p1;"
    assert np.array_equal(each(body), LANES < 10)
    body = "cvt.u16.u32 %h1, %r1; sub.s16 %h2, %h1, 10; setp.gt.u16 %p1, %h2, 1000; selp.u32 %r2, 1, 0, %p1;"
    assert np.array_equal(each(body), LANES < 10)


# ----------------------------------------------------------------------------------------------------------- wide arithmetic
def test_carry_chains_add_numbers_of_64_bits():
    body = """mul.lo.u32 %r3, %r1, 0x12345678; mul.hi.u32 %r4, %r3, 99; add.cc.u32 %r5, %r3, 0xF0000000; addc.u32 %r6, %r4, 7;
    sub.cc.u32 %r7, %r5, %r4; subc.u32 %r8, %r6, %r3; mov.b64 %rd4, {%r7, %r8};"""
    low = (LANES * np.uint32(0x12345678)).astype(np.uint64)
    high = low * 99 >> np.uint64(32)
    expected = ((high << np.uint64(32)) + low + np.uint64(0x7F0000000)) - ((low << np.uint64(32)) + high)
    assert np.array_equal(each(body, dtype=np.uint64), expected)


def test_fused_steps_of_a_wide_multiply():
    body = """mad.lo.cc.u32 %r3, %r1, 0x10000001, 0xFFFFFFFF; madc.hi.u32 %r4, %r1, 0x10000001, 5; mov.b64 %rd4, {%r3, %r4};"""
    expected = LANES.astype(np.uint64) * 0x10000001 + 0xFFFFFFFF + (5 << 32)
    assert np.array_equal(each(body, dtype=np.uint64), expected)


# ------------------------------------------------------------------------------------------------------------- conversions
def test_conversions_through_half_precision():
    body = "cvt.rn.f32.u32 %f1, %r1; mul.rn.f32 %f2, %f1, 0f3DCCCCCD; cvt.rn.f16.f32 %h1, %f2; cvt.f32.f16 %f3, %h1; mov.b32 %r2, %f3;"
    expected = (LANES.astype(np.float32) * np.float32(0.1)).astype(np.float16).astype(np.float32)
    assert np.array_equal(each(body).view(np.float32), expected)
    body = "cvt.rn.f16.u32 %h1, %r1; cvt.rzi.s32.f16 %r2, %h1;"
    assert np.array_equal(each(body), LANES)


def test_conversions_saturate():
    body = "cvt.rn.f32.u32 %f1, %r1; sub.rn.f32 %f2, %f1, 0f41000000; mul.rn.f32 %f3, %f2, 0f3E800000; cvt.sat.f32.f32 %f4, %f3; mov.b32 %r2, %f4;"
    assert np.array_equal(each(body).view(np.float32), np.clip((np.arange(32) - 8) / 4, 0, 1).astype(np.float32))
    assert np.array_equal(each("sub.s32 %r3, %r1, 10; cvt.sat.u8.s32 %r2, %r3;"), np.maximum(np.arange(32) - 10, 0))
    body = "sub.s32 %r3, %r1, 10; cvt.rn.sat.f16.s32 %h1, %r3; cvt.u32.u16 %r2, %h1;"
    assert np.array_equal(each(body), np.where(LANES > 10, 0x3C00, 0))



# --------------------------------------------------------------------------------------------------------------- selection
def test_set_gives_all_ones_or_one():
    assert np.array_equal(each("set.lt.u32.s32 %r2, %r1, 5;"), np.where(LANES < 5, 0xFFFFFFFF, 0))
    body = "setp.eq.s32 %p1, %r1, 3; set.gt.or.f32.s32 %f1, %r1, 20, %p1; mov.b32 %r2, %f1;"
    assert np.array_equal(each(body).view(np.float32), ((LANES > 20) | (LANES == 3)).astype(np.float32))


def test_two_predicates_from_one_comparison():
    body = "setp.lt.s32 %p1|%p2, %r1, 7; selp.u32 %r3, 10, 20, %p1; selp.u32 %r4, 1, 2, %p2; add.s32 %r2, %r3, %r4;"
    assert np.array_equal(each(body), np.where(LANES < 7, 12, 21))


# ------------------------------------------------------------------------------------------------------------------- control
def test_guards_leave_other_lanes_alone():
    body = "setp.lt.s32 %p1, %r1, 7; mov.u32 %r2, 5; @%p1 mov.u32 %r2, 6; @!%p1 add.s32 %r2, %r2, %r1; @%p1 ld.global.u32 %r3, [%rd1]; @%p1 add.s32 %r2, %r2, %r3;"
    assert np.array_equal(each(body), np.where(LANES < 7, 6, 5 + LANES))


def test_indexed_branches_reach_their_targets():
    body = """and.b32 %r3, %r1, 3; mov.u32 %r2, 100;
TS: .branchtargets A, B, C, A;
    brx.idx %r3, TS;
A:  mov.u32 %r2, 1; bra.uni E;
B:  mov.u32 %r2, 2; bra.uni E;
C:  mov.u32 %r2, 3;
E:"""
    assert np.array_equal(each(body), np.array([1, 2, 3, 1] * 8))


FUNCTIONS = """
.func (.param .b32 out) twice(.param .b32 x)
{ .reg .b32 %q<4>; ld.param.b32 %q1, [x]; add.s32 %q2, %q1, %q1; st.param.b32 [out], %q2; ret; }
.func (.param .b32 out) polynomial(.param .align 8 .b8 s[16])
{ .reg .b32 %q<8>; .reg .b64 %w<4>; .reg .pred %c;
  ld.param.b32 %q1, [s]; ld.param.s16 %q2, [s+4]; ld.param.b64 %w1, [s+8]; cvt.u32.u64 %q3, %w1;
  setp.lt.s32 %c, %q1, 4; @%c bra SMALL;
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %q1; call (r), twice, (a); ld.param.b32 %q4, [r]; }
  mad.lo.s32 %q5, %q4, %q2, %q3; st.param.b32 [out], %q5; ret;
SMALL: st.param.b32 [out], %q3; ret; }
.func (.reg .b32 out) plus(.reg .b32 x, .reg .b32 y) { add.s32 out, x, y; ret; }
"""
CALL = """{ .param .align 8 .b8 a[16]; .param .b32 r; st.param.b32 [a], %r1; st.param.b16 [a+4], -3; st.param.b64 [a+8], 1000;
    call (r), polynomial, (a); ld.param.b32 %r2, [r]; }"""


def test_functions_call_functions_and_diverge():
    expected = np.where(LANES < 4, 1000, LANES.astype(np.int64) * 2 * -3 + 1000).astype(np.uint32)
    assert np.array_equal(each(CALL, FUNCTIONS), expected)


def test_functions_with_registers_as_parameters():
    assert np.array_equal(each("call (%r2), plus, (%r1, 40);", FUNCTIONS), LANES + 40)


def test_a_guarded_call_runs_for_its_lanes():
    body = "mov.u32 %r2, 1; setp.gt.s32 %p1, %r1, 20; @%p1 call (%r2), plus, (%r1, 40);"
    assert np.array_equal(each(body, FUNCTIONS), np.where(LANES > 20, LANES + 40, 1))


def test_calls_of_the_same_function_keep_their_results_apart():
    body = """{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), twice, (a); ld.param.b32 %r3, [r]; }
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r3; call (r), twice, (a); ld.param.b32 %r4, [r]; }
    sub.s32 %r2, %r4, %r3;"""
    assert np.array_equal(each(body, FUNCTIONS), LANES * 2)


# -------------------------------------------------------------------------------------------------------------------- memory
def test_kernel_parameters_are_memory_too():
    text = kernel("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    and.b32 %r3, %r1, 3; mul.wide.u32 %rd5, %r3, 4; mov.b64 %rd6, values; add.s64 %rd7, %rd6, %rd5; ld.param.u32 %r4, [%rd7];
    ld.param.v2.u32 {%r5, %r6}, [values+8]; ld.param.u8 %r7, [values+17]; add.s32 %r8, %r5, %r6; add.s32 %r9, %r7, %r8;
    mad.lo.s32 %r2, %r4, 100, %r9; st.global.u32 [%rd3], %r2;""", ".param .u64 out, .param .align 8 .b8 values[24]")
    values = np.array([3, 4, 5, 6], np.uint32).tobytes() + bytes([0, 200]) + bytes(6)
    assert np.array_equal(run(text, np.zeros(32, np.uint32), scalars=values), np.array([3, 4, 5, 6] * 8) * 100 + 11 + 200)


def test_local_memory_belongs_to_the_thread():
    body = """.local .align 4 .b8 depot[64]; mov.u64 %rd5, depot; and.b32 %r3, %r1, 15; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd7, %rd5, %rd6;
    st.local.u32 [%rd7], %r1; cvta.local.u64 %rd8, %rd7; ld.u32 %r4, [%rd8]; add.s32 %r2, %r4, 1;"""
    assert np.array_equal(each(body), LANES + 1)


def test_generic_pointers_choose_their_space_at_run_time():
    head = ".shared .align 4 .b8 tile[128];"
    body = """mov.u32 %r3, tile; cvt.u64.u32 %rd5, %r3; add.s64 %rd6, %rd5, %rd2; cvta.shared.u64 %rd7, %rd6;
    setp.lt.s32 %p1, %r1, 16; selp.b64 %rd8, %rd7, %rd3, %p1; st.u32 [%rd8], %r1; bar.sync 0;
    isspacep.shared %p2, %rd8; isspacep.global %p3, %rd8; selp.u32 %r4, 100, 0, %p2; selp.u32 %r5, 1000, 0, %p3;
    ld.u32 %r6, [%rd8]; add.s32 %r7, %r4, %r5; add.s32 %r2, %r6, %r7;"""
    assert np.array_equal(each(body, head), LANES + np.where(LANES < 16, 100, 1000))


def test_atomics_count_and_swap():
    head = ".shared .align 8 .b8 cell[16];"
    body = """st.shared.u32 [cell], 0; bar.sync 0; atom.shared.add.u32 %r3, [cell], 2; atom.shared.cas.b32 %r4, [cell], 1000, 7;
    red.shared.max.u32 [cell+4], %r1; bar.sync 0; ld.shared.u32 %r2, [cell];"""
    assert np.array_equal(each(body, head), np.full(32, 64))
    out = np.zeros(2, np.uint32)
    text = kernel("ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; atom.global.inc.u32 %r2, [%rd1], 9; red.global.add.f32 [%rd1+4], 0f3F800000;")
    assert np.array_equal(run(text, out), [32 % 10, np.float32(32).view(np.uint32)])


def test_dynamic_shared_memory_lies_behind_the_static():
    head = ".shared .align 4 .b8 fixed[4]; .extern .shared .align 4 .b8 rest[];"
    body = """st.shared.u32 [fixed], 77; mov.u32 %r3, rest; shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; st.shared.u32 [%r5], %r1; bar.sync 0;
    ld.shared.u32 %r6, [fixed]; xor.b32 %r7, %r4, 124; add.s32 %r8, %r3, %r7; ld.shared.u32 %r9, [%r8]; add.s32 %r2, %r6, %r9;"""
    assert np.array_equal(each(body, head, shared=128), 77 + 31 - LANES)


# ---------------------------------------------------------------------------------------------------------------------- warp
def test_votes_and_ballots():
    body = """setp.lt.s32 %p1, %r1, 5; vote.sync.ballot.b32 %r3, %p1, -1; vote.sync.any.pred %p2, !%p1, -1; vote.sync.all.pred %p3, %p1, -1;
    activemask.b32 %r4; selp.u32 %r5, 100, 0, %p2; selp.u32 %r6, 1000, 0, %p3; add.s32 %r7, %r5, %r6; popc.b32 %r8, %r4;
    add.s32 %r9, %r3, %r7; add.s32 %r2, %r9, %r8;"""
    assert np.array_equal(each(body), np.full(32, 31 + 100 + 32))


def test_ballots_of_64_lanes_take_64_bits():
    body = "setp.ge.s32 %p1, %r1, 60; vote.sync.ballot.b64 %rd4, %p1, -1;"
    found = each(body, dtype=np.uint64, threads=64, arch=machine(warp__size=64))
    assert np.array_equal(found, np.full(64, 0xF << 60, np.uint64))


def test_shuffles_exchange_values():
    body = "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1; shfl.sync.up.b32 %r4|%p1, %r1, 2, 0, -1; selp.u32 %r5, %r4, 500, %p1; add.s32 %r2, %r3, %r5;"
    assert np.array_equal(each(body), (LANES ^ 1) + np.where(LANES >= 2, LANES - 2, 500))


def test_wide_machines_shuffle_across_all_lanes():
    body = "mx.shfl.down.b32 %r2, %r1, 40, WARP_SZ;"
    found = each(body, threads=64, arch=machine(warp__size=64))
    lanes = np.arange(64)
    assert np.array_equal(found, np.where(lanes + 40 < 64, lanes + 40, lanes))
    body = "mov.u32 %r3, 16; mx.shfl.bfly.b32 %r2, %r1, 3, %r3;"
    assert np.array_equal(each(body), LANES ^ 3)


def test_matches_find_equal_values():
    body = "shr.u32 %r3, %r1, 3; match.any.sync.b32 %r2, %r3, -1;"
    assert np.array_equal(each(body), np.array([0xFF << (8 * (lane // 8)) for lane in range(32)], np.uint32))


def test_barriers_reduce_predicates():
    body = "setp.lt.s32 %p1, %r1, 40; bar.red.popc.u32 %r3, 0, %p1; bar.red.and.pred %p2, 0, %p1; selp.u32 %r4, 1000, 0, %p2; add.s32 %r2, %r3, %r4;"
    assert np.array_equal(each(body, threads=64), np.full(64, 40))


def test_lane_masks_follow_the_lane():
    body = "mov.u32 %r3, %lanemask_lt; mov.u32 %r4, %lanemask_ge; popc.b32 %r5, %r3; popc.b32 %r6, %r4; mad.lo.s32 %r2, %r5, 100, %r6;"
    assert np.array_equal(each(body), LANES * 100 + 32 - LANES)


def test_special_registers_describe_the_launch():
    body = """mov.u32 %r3, %ntid.x; mov.u32 %r4, %laneid; mov.u32 %r5, WARP_SZ; mov.u32 %r6, %nctaid.x; mad.lo.s32 %r7, %r3, 1000, %r4;
    mad.lo.s32 %r8, %r5, 100000, %r6; add.s32 %r2, %r7, %r8;"""
    assert np.array_equal(each(body, threads=64), np.arange(64) % 32 + 64000 + 3200000 + 1)


def test_clocks_advance():
    body = "mov.u64 %rd5, %clock64; bar.sync 0; mov.u64 %rd6, %clock64; sub.s64 %rd7, %rd6, %rd5; cvt.u32.u64 %r2, %rd7;"
    assert (each(body) > 0).all()


def test_values_of_different_widths_do_not_overlap_in_diverged_lanes():
    # %rd5 and %rd6 wait for the lanes that branch, while the others compute words that no longer need them
    body = """bra.uni START;
WIDE: add.s64 %rd8, %rd6, %rd5; cvt.u32.u64 %r2, %rd8; ld.global.u32 %r15, [%rd3]; add.s32 %r2, %r2, %r15; bra.uni DONE;
START: mul.wide.u32 %rd5, %r1, 1000; mul.wide.u32 %rd6, %r1, 3; setp.lt.u32 %p1, %r1, 16; @%p1 bra WIDE;
    ld.global.u32 %r10, [%rd3]; ld.global.u32 %r11, [%rd3]; mad.lo.s32 %r12, %r10, 7, %r11; add.s32 %r13, %r12, %r11;
    mul.lo.s32 %r14, %r13, %r12; ld.global.u32 %r15, [%rd3]; add.s32 %r2, %r14, %r15; add.s32 %r2, %r2, 5;
DONE:"""
    lanes = np.arange(32)
    assert np.array_equal(each(body), np.where(lanes < 16, lanes * 1003, 5))
    assert np.array_equal(each(body.replace("setp.lt", "setp.ge")), np.where(lanes >= 16, lanes * 1003, 5))
