"""What a declared assembler makes of PTX: the same results to the bit, in as many instructions as it is said to issue."""
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lowering import kernel
from lowering import machine as standin
from run_ptx import machine, run

from archdef import Device
from archdef.lower import lower
from archdef.lower.encoding import Kind
from archdef.ptx import parse

Sass = pytest.importorskip("archdef_sass", reason="needs the target that a plugin of this repository brings").Sass
EVERYTHING = Sass(unroll_factor=4, unroll_max_instructions=64, unroll_full_instructions=100, share_products=True,
                       three_input_operations=True, shared_load_bytes=16, loads_pass_shared_stores=True,
                       predication_global_load_instructions=6,
                       convergence_instructions=2, prologue_instructions=1, global_access_instructions=1, shared_access_instructions=3,
                       division_setup_instructions=4, loads_constants=True, late_operations=True, list_scheduling=True, narrow_shared_addresses=True,
                       merged_atomics=(5, 11), predication_overlap_instructions=3, predication_overlap_within_instructions=5, falls_through_to_else=True,
                       shuffle_branches=True, splits_wide_mads=True, reads_halves=True, copies_pointers=36, source_modifiers=True,
                       guards_selections=True, wide_products=True, list_scheduling_predicates=3, predication_near_loads_instructions=18,
                       predication_with_copies_instructions=20,
                       loads_before_copies=3, joined_tests_instructions=5, unroll_known_instructions=60, branches_take_two=True, operand_read_cycles=6,
                       fuses_all_uses=True,
                       repeats_comparisons=True, adds_before_minmax=True, clears_pairs=True, shares_reciprocals=True, orders_by_fences=True)
INT = st.one_of(st.integers(-40, 40), st.integers(-2**31, 2**31 - 1), st.integers(2**31 - 60, 2**31 - 1), st.integers(-2**31, -2**31 + 60))


def listed(body: str, assembler: Sass, head: str = "") -> list[str]:
    """Micro-ops of a body on a machine with such an assembler."""
    from lowering import micro_ops

    return micro_ops(lower(parse(kernel(body, ".param .u64 out, .param .u32 n", head), "k.ptx"), "k", standin(assembler=assembler)))


def same(text: str, *buffers, scalars=b"", assembler=EVERYTHING, block=32):
    """Run with and without the assembler's passes; both must leave the same."""
    plain = run(text, *buffers, scalars=scalars, block=block)
    made = run(text, *buffers, scalars=scalars, block=block, arch=machine(isa__assembler=assembler))
    for a, b in zip(plain, made):
        np.testing.assert_array_equal(a, b)
    return plain


# ------------------------------------------------------------------------------------------------------------------- loops
LOOP = """
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [n+4];
    mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3]; mov.u64 %rd5, %rd1; mov.u32 %r8, 0;
L:
    {before}
    ld.global.u32 %r4, [%rd5+4]; mad.lo.s32 %r3, %r3, 31, %r4; add.s32 %r5, %r3, %r8; xor.b32 %r3, %r3, %r5;
    add.s64 %rd6, %rd5, %rd2; ld.global.u32 %r6, [%rd6]; sub.s32 %r3, %r3, %r6;
    add.s32 %r8, %r8, 1; and.b32 %r7, %r8, 7; mul.wide.u32 %rd7, %r7, 4; add.s64 %rd5, %rd1, %rd7;
    {after}
    @%p1 bra L;
    st.global.u32 [%rd3], %r3; st.global.u32 [%rd3+128], %r1; st.global.u32 [%rd3+256], %r8;"""


def looped(step: int, down: bool, early: bool) -> str:
    count = f"add.s32 %r1, %r1, {step};"
    test = "setp.ne.s32 %p1, %r1, 0;" if down else "setp.lt.s32 %p1, %r1, %r2;"
    # the counter is an operand of the body, too: before or behind its step
    use = "xor.b32 %r3, %r3, %r1;"
    body = LOOP.format(before=count + use if early else use, after=test if early else count + test)
    return kernel(body, ".param .u64 out, .param .align 4 .b8 n[8]")


@settings(max_examples=30, deadline=None)
@given(trips=st.integers(1, 23), step=st.integers(1, 5), early=st.booleans(), factor=st.sampled_from([2, 3, 4, 8]))
def test_counting_down_to_zero_makes_every_trip_once(trips, step, early, factor):
    data = np.arange(96, dtype=np.uint32) * 2654435761
    same(looped(-step, True, early), data, scalars=np.array([trips * step, 0], "i4").tobytes(),
         assembler=Sass(unroll_factor=factor, unroll_max_instructions=64))


@settings(max_examples=30, deadline=None)
@given(start=INT, span=st.integers(-30, 90), step=st.integers(1, 7), early=st.booleans(), factor=st.sampled_from([2, 4, 8]))
@example(start=2**31 - 5, span=4, step=1, early=False, factor=4)
@example(start=-2**31, span=3, step=7, early=False, factor=8)
def test_counting_up_to_a_bound_makes_every_trip_once_even_at_the_ends_of_the_numbers(start, span, step, early, factor):
    start = min(start, 2**31 - 1 - step)        # beyond, the counter wraps and the loop is endless
    bound = max(-2**31, min(start + span, 2**31 - 1 - step))
    data = np.arange(96, dtype=np.uint32) * 2654435761
    same(looped(step, False, early), data, scalars=np.array([start, bound], "i4").tobytes(),
         assembler=Sass(unroll_factor=factor, unroll_max_instructions=64))


@pytest.mark.parametrize("start", [0x7EFFFFF0, 0x7B000001, 0x79000001])
def test_a_counter_that_wraps_goes_on(start):
    step, bound, value, trips = 0x7000001, 0x7D000000, start, 0
    while trips == 0 or value < bound:
        value, trips = (value + step + 2**31) % 2**32 - 2**31, trips + 1
    assert 20 < trips < 200         # the sum has passed the largest number
    data = np.arange(96, dtype=np.uint32) * 2654435761
    same(looped(step, False, False), data, scalars=np.array([start, bound], "i4").tobytes(),
         assembler=Sass(unroll_factor=4, unroll_max_instructions=64))


@pytest.mark.parametrize("trips", [1, 2, 5, 9])
def test_a_loop_of_known_length_becomes_straight_code_if_it_is_short(trips):
    text = f"""ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 7; mov.u32 %r1, 3;
L:  mad.lo.s32 %r3, %r3, 5, %r1; xor.b32 %r3, %r3, %r9; add.s32 %r1, %r1, 2; setp.ne.s32 %p1, %r1, {3 + 2 * trips}; @%p1 bra L;
    st.global.u32 [%rd3], %r3; st.global.u32 [%rd3+128], %r1;"""
    same(kernel(text), np.zeros(64, np.uint32))
    found = {whole: listed(text, Sass(unroll_factor=4, unroll_full_instructions=whole)) for whole in (0, 100)}
    assert [sum("branch" in op for op in ops) for ops in found.values()] == [1, 0]


@pytest.mark.parametrize("trips, work, rounds", [(128, 12, (2, 21)), (128, 15, (2, 18)), (128, 17, (16,)), (128, 30, (2, 9)), (128, 42, (8,)), (128, 71, (4,)),
                                                 (128, 72, ()), (17, 70, (1, 2)), (25, 70, (1, 3)), (32, 70, (4,)), (34, 70, (1, 3)), (50, 70, (2,))])
def test_of_a_loop_of_known_length_as_many_trips_make_a_round_as_ptxas_puts_there(trips, work, rounds):
    text = f"""ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, %r9; mov.u32 %r1, 0;
L:  not.b32 %r3, %r3; {"mad.lo.s32 %r3, %r3, 5, %r9; " * work} add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, {trips}; @%p1 bra L;
    st.global.u32 [%rd3], %r3; st.global.u64 [%rd3+128], %rd1; st.global.u32 [%rd3+512], %r1;"""
    found = listed(text, Sass(unroll_factor=4, unroll_full_instructions=400, unroll_known_instructions=350))
    made = [op.split()[0] for op in found if op.startswith(("not", "branch", "@"))]
    parts = (made.count("not_b32"),) if rounds == () else rounds
    assert made.count("not_b32") == sum(parts) and len(made) == sum(parts) + 1
    first = next(k for k, op in enumerate(found) if "branch" in op)
    start = int(found[first].split("->")[1].split(",")[0])
    assert sum(op.startswith("not") for op in found[start:first]) == parts[-1]


@settings(max_examples=20, deadline=None)
@given(trips=st.integers(4, 40), step=st.integers(1, 5), start=st.integers(-9, 9), room=st.integers(1, 60))
def test_rounds_of_a_loop_of_known_length_make_every_trip_once(trips, step, start, room):
    body = LOOP.format(before="xor.b32 %r3, %r3, %r1;", after=f"add.s32 %r1, %r1, {step}; setp.ne.s32 %p1, %r1, {start + trips * step};")
    text = kernel(body.replace("ld.param.u32 %r1, [n];", f"mov.u32 %r1, {start};"), ".param .u64 out, .param .align 4 .b8 n[8]")
    same(text, np.arange(96, dtype=np.uint32) * 2654435761, scalars=bytes(8),
         assembler=Sass(unroll_factor=4, unroll_full_instructions=1, unroll_known_instructions=room))


@pytest.mark.parametrize("together, test, loads", [("bar.sync 0;", "", 7), ("", "setp.eq.u32 %p2, %r4, 3; @%p2 bra A;", 7),
                                                   ("bar.sync 0;", "setp.eq.u32 %p2, %r4, 3; @%p2 bra A;", 1)])
def test_loops_with_barriers_and_branches_stay_loops(together, test, loads):
    body = f"""ld.param.u64 %rd1, [out]; mov.u32 %r3, 0; mov.u32 %r1, 0; ld.param.u32 %r2, [n];
L:  ld.global.u32 %r4, [%rd1]; {test} add.s32 %r3, %r3, %r4; A: {together} add.s64 %rd1, %rd1, 8; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;
    st.global.u32 [%rd1], %r3;"""
    found = listed(body, Sass(unroll_factor=4, unroll_max_instructions=40))
    assert sum(op.startswith("load") for op in found) == loads


def test_lanes_may_make_different_numbers_of_trips():
    text = kernel("""
    ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; add.s32 %r1, %r9, 1; mov.u32 %r3, 7;
L:  mad.lo.s32 %r3, %r3, 5, %r1; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;
    st.global.u32 [%rd3], %r3;""")
    same(text, np.zeros(32, np.uint32), assembler=EVERYTHING)


def test_a_round_tests_once_and_folds_its_steps():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r3, 0;
L:  ld.global.u32 %r4, [%rd1]; add.s32 %r3, %r3, %r4; add.s64 %rd1, %rd1, 8; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;
    st.global.u32 [%rd1], %r3;"""
    found = listed(body, Sass(unroll_factor=4, unroll_max_instructions=16))
    addresses = [op.split("[", 1)[1] for op in found if op.startswith("load")]
    assert [a.partition("+")[2] for a in addresses] == ["", "8]", "16]", "24]", "", "8]", ""]      # a round, half of one, one trip
    assert sum(op.startswith("set_gt_s32") for op in found) == 4      # whether it ends there, at the entry, at the end of a round, before half of one
    assert sum("-4" in op and op.startswith("add_b32") for op in found) == 1


def test_a_loop_that_the_source_keeps_rolled_stays():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r3, 0;
L:  .pragma "nounroll";
    mad.lo.s32 %r3, %r3, 3, %r1; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;
    st.global.u32 [%rd1], %r3;"""
    assert listed(body, Sass(unroll_factor=4, unroll_max_instructions=16)) == listed(body, Sass())


# ------------------------------------------------------------------------------------------------------------ shared memory
@settings(max_examples=25, deadline=None)
@given(shift=st.integers(0, 6), first=st.integers(0, 5))
def test_merged_loads_give_every_word(shift, first):
    words = "\n".join(f"ld.shared.u32 %r{10 + k}, [%r3+{4 * (first + k)}];" for k in range(8))
    sums = "\n".join(f"mad.lo.s32 %r5, %r5, 31, %r{10 + k};" for k in range(8))
    text = kernel(f"""
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];
    mov.u32 %r4, s; shl.b32 %r6, %r1, 2; add.s32 %r7, %r4, %r6; st.shared.u32 [%r7], %r2; st.shared.u32 [%r7+128], %r1;
    bar.sync 0; and.b32 %r8, %r1, 7; shl.b32 %r9, %r8, {min(shift, 3) + 2}; and.b32 %r9, %r9, 63; add.s32 %r3, %r4, %r9; mov.u32 %r5, 0;
    {words}
    {sums}
    st.global.u32 [%rd3], %r5;""", head=".shared .align 16 .b8 s[512];")
    same(text, np.arange(32, dtype=np.uint32) * 40503)


@pytest.mark.parametrize("offsets, widths", [((0, 4, 8, 12), [4]), ((4, 8, 12, 16), [1, 2, 1]), ((0, 4), [2]), ((8, 12, 16, 20), [2, 2]), ((0, 8), [1, 1])])
def test_only_aligned_neighbours_are_merged(offsets, widths):
    loads = " ".join(f"ld.shared.u32 %r{10 + k}, [%r3+{o}];" for k, o in enumerate(offsets))
    uses = " ".join(f"st.global.u32 [%rd1+{4 * k}], %r{10 + k};" for k in range(len(offsets)))
    found = listed(f"ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 5; mov.u32 %r4, s; add.s32 %r3, %r4, %r2; {loads} {uses}",
                   Sass(shared_load_bytes=16), head=".shared .align 16 .b8 s[2048];")
    made = [op for op in found if op.startswith("load.shared")]
    assert sorted(4 if ".v4" in op else 2 if ".v2" in op else 1 for op in made) == sorted(widths)


@pytest.mark.parametrize("step, widths", [(32, [4]), (8, [2, 2]), (12, [1, 1, 1, 1])])
def test_an_address_that_goes_round_a_loop_is_as_aligned_as_its_steps(step, widths):
    loads = " ".join(f"ld.shared.u32 %r{10 + k}, [%r3+{4 * k}];" for k in range(4))
    found = listed(f"""ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r3, s;
    L: {loads} st.global.v4.u32 [%rd1], {{%r10, %r11, %r12, %r13}}; add.s32 %r3, %r3, {step}; add.s32 %r2, %r2, -1; setp.ne.s32 %p1, %r2, 0; @%p1 bra L;""",
                   Sass(shared_load_bytes=16), head=".shared .align 16 .b8 s[2048];")
    made = [op for op in found if op.startswith("load.shared")]
    assert sorted(4 if ".v4" in op else 2 if ".v2" in op else 1 for op in made) == sorted(widths)


def test_a_store_between_keeps_loads_apart():
    found = listed("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 5; mov.u32 %r4, s; add.s32 %r3, %r4, %r2;
    ld.shared.u32 %r5, [%r3]; st.shared.u32 [%r3+4], %r1; ld.shared.u32 %r6, [%r3+4]; add.s32 %r7, %r5, %r6; st.global.u32 [%rd1], %r7;""",
                   Sass(shared_load_bytes=16), head=".shared .align 16 .b8 s[2048];")
    assert not any(".v2" in op for op in found)


# --------------------------------------------------------------------------------------------------------- three inputs, charges
@settings(max_examples=25, deadline=None)
@given(chosen=st.lists(st.sampled_from(["add.s32", "and.b32", "or.b32", "xor.b32", "shl.b32"]), min_size=2, max_size=6), seed=st.integers(0, 2**32 - 1))
def test_three_input_operations_compute_what_two_did(chosen, seed):
    lines = []
    for k, name in enumerate(chosen):
        second = f"{k % 31 + 1}" if name.startswith("shl") else f"%r{2 + (seed >> k & 1)}"
        lines.append(f"{name} %r{11 + k}, %r{10 + k}, {second};")
    text = kernel("ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r10, [%rd3];"
                  "ld.global.u32 %r2, [%rd3+128]; not.b32 %r3, %r2;" + "\n".join(lines) + f"st.global.u32 [%rd3], %r{10 + len(chosen)};")
    same(text, np.random.default_rng(seed).integers(0, 2**32, 64, dtype=np.uint32))


def test_nothing_changes_without_declaration():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r3, 0;
L:  shl.b32 %r4, %r3, 2; add.s32 %r3, %r4, %r1; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;
    st.global.u32 [%rd1], %r3;"""
    assert listed(body, Sass()) == ["mov_b32 r0, param[8]", "mov_b32 r1, 0", "shl_b32 r2, r1, 2", "add_b32 r1, r2, r0", "add_b32 r0, r0, -1",
                                         "set_ne_s32 p2, r0, 0", "@p2 branch -> 2, meet 7", "store.global.b32 [param[0]], r1", "exit"]


def divided(operation: str, body: str = "", **assembler) -> int:
    """Instructions issued for a body beyond what it takes without its assembler."""
    text = kernel(f"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r4, 0; {body.format(operation)}"
                  "st.global.u32 [%rd1], %r3;", ".param .u64 out, .param .u32 n")
    made, plain = (lower(parse(text, "k.ptx"), "k", standin(assembler=one)) for one in (Sass(**assembler), Sass()))
    return int(sum(made.ops["issues"])) - int(sum(plain.ops["issues"]))


def test_divisors_are_prepared_once_whether_registers_or_parameters():
    reciprocal = standin().isa.operations["fp32_rcp"].issues
    twice = "{0} %r3, %r2, %r1; {0} %r5, %r3, %r1; add.s32 %r3, %r3, %r5;"
    setup = {"division_setup_instructions": reciprocal + 2}
    assert divided("div.s32", twice, **setup) == reciprocal + 2
    assert divided("rem.u32", twice, **setup) == reciprocal + 1
    assert divided("div.s32", "add.s32 %r1, %r2, 1;" + twice, **setup) == reciprocal + 2
    assert divided("div.s32", "add.s32 %r3, %r2, 1;", **setup) == 0


def test_halves_that_only_arithmetic_on_16_bits_reads_are_free():
    half = "{{.reg .f16 a, b; mov.b32 {{a, b}}, %r1; cvt.f32.f16 %f1, b; add.f32 %f1, %f1, %f1; mov.b32 %r3, %f1;}}"
    whole = "{{.reg .b16 a, b; mov.b32 {{a, b}}, %r1; cvt.u32.u16 %r3, b;}}"
    assert divided("", half, reads_halves=True) < 0
    assert divided("", whole, reads_halves=True) == 0


def test_a_branch_that_lanes_may_part_at_costs_more_than_one_that_all_take():
    def issues(value):
        program = lower(parse(kernel(f"""ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, {value}; setp.lt.s32 %p1, %r2, %r1; @%p1 bra A;
        atom.global.add.u32 %r3, [%rd1], 1; st.global.u32 [%rd1+8], %r3;
        A: st.global.u32 [%rd1+4], %r1;""", ".param .u64 out, .param .u32 n"), "k.ptx"), "k",
                        standin(assembler=Sass(convergence_instructions=2), predication_max_instructions=0))
        return int(sum(program.ops["issues"]))

    assert issues("%tid.x") == issues("%ctaid.x") + 2


# ---------------------------------------------------------------------------------------------------------- shared operands
SUM = """
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.shared.u32 [%r3], %r1; bar.sync 0;
    {body}
    st.global.u32 [%rd3], %r6;"""
TILE = ".shared .align 4 .b8 tile[512];"


def with_shared_operands():
    return pytest.importorskip("archdef_tesla.assembler", reason="needs the target that a plugin of this repository brings").TeslaAssembler(shared_operands=True)


@pytest.mark.parametrize("body, free", [
    ("ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r3+4]; add.u32 %r6, %r4, %r5;", 1),           # one operand of an operation
    ("ld.shared.u32 %r4, [%r3]; add.u32 %r6, %r4, %r1; xor.b32 %r6, %r6, %r4;", 0),                 # two read it
    ("ld.shared.u32 %r4, [%r3]; st.shared.u32 [%r3+4], %r1; add.u32 %r6, %r4, %r1;", 0),            # shared memory may have changed
    ("ld.shared.u32 %r4, [%r3]; bar.sync 0; add.u32 %r6, %r4, %r1;", 0),
    ("ld.shared.u8 %r4, [%r3]; add.u32 %r6, %r4, %r1;", 0),                                         # not a word
    ("setp.eq.u32 %p1, %r1, 3; mov.u32 %r4, 5; @%p1 ld.shared.u32 %r4, [%r3]; add.u32 %r6, %r4, %r1;", 0),
    ("ld.shared.u32 %r6, [%r3];", 0)])                                                              # a store reads it
def test_arithmetic_reads_a_shared_operand_itself(body, free):
    text = kernel(SUM.format(body=body), ".param .u64 out, .param .u32 n", TILE)
    for assembler, expected in ((Sass(), 0), (with_shared_operands(), free)):
        ops = lower(parse(text, "k.ptx"), "k", standin(assembler=assembler)).ops
        assert (ops["issues"][ops["kind"] == Kind.LOAD] == 0).sum() == expected


def test_shared_operands_change_no_result():
    body = "ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r3+4]; add.u32 %r6, %r4, %r5; mad.lo.u32 %r6, %r6, 3, %r5;"
    same(kernel(SUM.format(body=body), ".param .u64 out, .param .u32 n", TILE), np.zeros(64, "u4"), scalars=np.uint32(64).tobytes(),
         assembler=with_shared_operands())


# ------------------------------------------------------------------------------------------------------------------- order
CHAINS = "\n".join(f"    {op} %f{k}, %f{k}, %f9;" for k in (1, 2, 3) for op in ("mul.rn.f32", "add.rn.f32", "mul.rn.f32"))
THREE_CHAINS = f"""
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
    mov.f32 %f9, 0f3FC00000; mov.f32 %f2, %f1; mov.f32 %f3, %f1;
{CHAINS}
    add.rn.f32 %f1, %f1, %f2; add.rn.f32 %f1, %f1, %f3; st.global.f32 [%rd3], %f1;"""


def order(body: str, head: str = "", **assembler) -> list[str]:
    """Micro-ops of a body on a small machine whose assembler does only this."""
    from lowering import micro_ops

    text = kernel(body, ".param .u64 out, .param .u32 n", head)
    return micro_ops(lower(parse(text, "k.ptx"), "k", machine(isa__assembler=Sass(**assembler))))


def test_independent_chains_take_turns():
    plain, made = ([op.split()[0] for op in order(THREE_CHAINS, list_scheduling=flag) if "f32" in op] for flag in (False, True))
    assert sorted(plain) == sorted(made)
    assert made[:3] == ["mul_f32"] * 3 and plain[:3] == ["mul_f32", "add_f32", "mul_f32"]
    same(kernel(THREE_CHAINS, ".param .u64 out, .param .u32 n"), np.arange(1, 33, dtype=np.float32), scalars=bytes(4))


def test_values_that_one_register_held_in_turn_take_turns_too():
    body = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];
    mov.u32 %r9, 0; """ + "".join(f"mul.lo.u32 %r3, %r2, {k}; xor.b32 %r3, %r3, {k}; add.u32 %r9, %r9, %r3; " for k in (3, 5, 7)) + "st.global.u32 [%rd3], %r9;"
    made = [op.split()[0] for op in order(body, list_scheduling=True) if op.startswith(("mul_lo", "xor"))]
    assert made == ["mul_lo_b32"] * 3 + ["xor_b32"] * 3
    same(kernel(body, ".param .u64 out, .param .u32 n"), np.arange(512, dtype=np.uint32), scalars=bytes(4))


def test_arithmetic_passes_barriers_and_accesses_do_not():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3]; mul.lo.u32 %r4, %r3, 7; bar.sync 0; mul.hi.u32 %r5, %r1, %r2; ld.global.u32 %r6, [%rd3+128]; xor.b32 %r6, %r6, %r5;
    bar.sync 0; min.u32 %r7, %r1, %r2; st.global.u32 [%rd3+128], %r4; bar.sync 0; max.u32 %r8, %r1, %r2; add.s32 %r6, %r6, %r7; add.s32 %r6, %r6, %r8;
    st.global.u32 [%rd3], %r6;"""
    made = [op.split()[0] for op in order(body, list_scheduling=True) if op.startswith(("load", "store", "barrier", "mul", "min", "max"))]
    at = {name: made.index(name) for name in ("mul_hi_u32", "min_u32", "max_u32", "mul_lo_b32")}
    barriers = [k for k, name in enumerate(made) if name == "barrier.sync"]
    assert [name for name in made if name.startswith(("load", "store", "barrier"))] == ["load.global.b32", "barrier.sync", "load.global.b32", "barrier.sync",
                                                                                       "store.global.b32", "barrier.sync", "store.global.b32"]
    assert at["mul_hi_u32"] < barriers[0] < at["mul_lo_b32"]        # early; late, for what it waits for comes from memory
    assert at["min_u32"] < barriers[0] < at["max_u32"]              # two barriers further ahead, not three
    same(kernel(body, ".param .u64 out, .param .u32 n"), np.arange(64, dtype=np.uint32), scalars=np.array([9], "u4").tobytes())


@pytest.mark.parametrize("read, together, early", [("%r9", "", True), ("%r1", "", False), ("%r9", "bar.sync 0;", False)],
                         ids=["branch", "counter read within", "barrier"])
def test_loops_with_branches_count_before_them(read, together, early):
    body = f"@%p2 bra A; {'mul.lo.u32 %r4, %r4, 7; ' * 12} xor.b32 %r4, %r4, {read}; A: {together} {{}}"
    step = "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0;"
    text = f"""ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r4, [%rd3]; L: add.s32 %r4, %r4, 1; and.b32 %r5, %r4, 1; setp.eq.u32 %p2, %r5, 0; {body.format(step)} @%p1 bra L;
    st.global.u32 [%rd3], %r4;"""
    made = [op for op in order(text, list_scheduling=True) if "branch" in op or "-1" in op]
    assert made[0].startswith("add_b32") == early
    same(kernel(text, ".param .u64 out, .param .u32 n"), np.arange(32, dtype=np.uint32), scalars=np.array([5], "u4").tobytes())


def test_a_unit_that_is_held_is_waited_for():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [%rd3+128]; min.u64 %rd4, %rd3, 99; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3;
    st.global.u64 [%rd1+256], %rd4;"""
    made = [op.split()[0] for op in order(body, list_scheduling=True) if op.startswith(("load", "min"))]
    assert made == ["load.global.b32", "min_u64", "load.global.b32"]


@pytest.mark.parametrize("first, moves", [("", 0), ("mov.f32 %f5, 0f3F000000; mov.f32 %f6, 0f3E800000;", 1)])
def test_immediates_come_within_a_loop_where_the_program_has_them_in_registers_there(first, moves):
    use = "fma.rn.f32 %f1, %f1, %f5, %f6;" if first else "fma.rn.f32 %f1, %f1, 0f3F000000, 0f3E800000;"
    body = f"""ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.f32 %f1, 0f3F800000;
    L: {first} {use} add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; st.global.f32 [%rd1], %f1;"""
    found = listed(body, Sass(loads_constants=True))
    end = next(k for k, op in enumerate(found) if "branch" in op)
    start = int(found[end].split("->")[1].split(",")[0])
    assert sum(op.startswith("mov") for op in found[start:end]) == moves


KEPT = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [n+4]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r8, 0; mov.u32 %r3, 1; O: {outer} mov.u32 %r7, 0;
    I: {inner} add.s32 %r7, %r7, 1; xor.b32 %r3, %r3, %r7; setp.lt.s32 %p1, %r7, %r2; @%p1 bra I;
    add.s32 %r8, %r8, 1; setp.lt.s32 %p2, %r8, %r2; @%p2 bra O; st.global.u32 [%rd3], %r3;"""
PRODUCT = "mad.lo.s32 %r3, %r3, 5, %r1;"


@pytest.mark.parametrize("outer, inner, before", [(PRODUCT, "", "mad"), ("", PRODUCT, "I")])
def test_a_constant_beside_another_is_read_from_a_register_that_a_loop_keeps(outer, inner, before):
    body, assembler = KEPT.format(outer=outer, inner=inner), Sass(loads_constants=True)
    found = listed(body, assembler)
    made, read = next(k for k, op in enumerate(found) if "mov_b32" in op and "param[8]" in op), next(k for k, op in enumerate(found) if "mad_lo" in op)
    assert "param" not in found[read] and found[made].split()[1].strip(",") in found[read]
    starts = sorted({int(op.split("->")[1].split(",")[0]) for op in found if "branch" in op and int(op.split("->")[1].split(",")[0]) <= read})
    # in the outer loop where that is where it is read; else before the inner one
    assert starts[0] <= made < (read if before == "mad" else starts[-1])
    same(kernel(body, ".param .u64 out, .param .u32 n, .param .u32 m"), np.zeros(32, np.uint32), scalars=np.array([7, 3], "u4").tobytes(), assembler=assembler)


def test_a_copy_of_a_parameter_that_a_loop_changes_stays_the_programs_own():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r9, %tid.x; mov.u32 %r3, 0; mov.u32 %r7, 0; mov.b64 %rd5, %rd1;
    I: ld.global.u32 %r4, [%rd5]; add.s64 %rd5, %rd5, 4; mad.lo.s32 %r3, %r3, 3, %r4; mad.wide.s32 %rd6, %r7, 4, %rd1; ld.global.u32 %r5, [%rd6+4];
    xor.b32 %r3, %r3, %r5; add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r2; @%p1 bra I; mad.wide.s32 %rd3, %r9, 4, %rd1; st.global.u32 [%rd3], %r3;"""
    same(kernel(body, ".param .u64 out, .param .u32 n"), np.arange(64, dtype=np.uint32), scalars=np.array([9], "u4").tobytes(),
         assembler=Sass(loads_constants=True))


@pytest.mark.parametrize("logic, ahead, last", [("and", False, True), ("or", False, False), ("and", True, False)])
def test_a_branch_back_waits_for_two_predicates_that_must_both_hold(logic, ahead, last):
    body = f"""ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 1;
    L: add.s32 %r1, %r1, -1; mad.lo.s32 %r3, %r3, 3, 1; setp.gt.s32 %p1, %r1, 0; setp.lt.s32 %p2, %r3, 1000; {logic}.pred %p3, %p1, %p2;
    @%p3 bra {'A' if ahead else 'L'}; bar.sync 0; A: st.global.u32 [%rd3], %r3;"""
    assembler = Sass(branches_take_two=True)
    combined = next(op.split()[0] for op in listed(body, assembler) if op.startswith("set_") and f".{logic}" in op)
    assert combined == f"set_{'lt' if last else 'gt'}_s32.{logic}"
    same(kernel(body, ".param .u64 out, .param .u32 n"), np.zeros(32, np.uint32), scalars=np.array([4], "u4").tobytes(), assembler=assembler)


ACROSS = """
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, %rd2;
    ld.global.u32 %r2, [%rd3]; mul.lo.u32 %r3, %r2, 7; st.global.u32 [{stored}], %r3;
    ld.global{how}.u32 %r4, [%rd3+{offset}]; mul.lo.u32 %r5, %r4, 5; st.global.u32 [{stored}+4], %r5;"""


@pytest.mark.parametrize("stored, how, offset, passes", [
    ("%rd3", "", 4, True),          # beside what was stored, from the same register
    ("%rd3", "", 0, False),         # what was stored
    ("%rd3", "", -2, False),        # half of it
    ("%rd4", "", 4, False),         # who knows
    ("%rd4", ".nc", 4, True)])      # nobody writes what is read so
def test_a_load_passes_a_store_that_cannot_meet_it(stored, how, offset, passes):
    made = [op.split(".")[0] for op in order(ACROSS.format(stored=stored, how=how, offset=offset), list_scheduling=True) if op.startswith(("load.", "store."))]
    assert (made[:2] == ["load", "load"]) is passes
    if offset >= 0:
        same(kernel(ACROSS.format(stored=stored, how=how, offset=offset), ".param .u64 out, .param .u32 n"), np.arange(512, dtype=np.uint32), scalars=bytes(4))


SHARED = """
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];
    mov.u64 %rd4, s; cvt.u64.u32 %rd5, %r1; shl.b64 %rd6, %rd5, 3; and.b64 %rd7, %rd6, 248; add.s64 %rd8, %rd4, %rd7;
    st.shared.u32 [%rd8+8], %r2; {use} ld.shared.u32 %r3, [%rd8+8]; st.global.u32 [%rd3], %r3;"""
HEAD = ".shared .align 8 .b8 before[64]; .shared .align 8 .b8 s[512];"


@pytest.mark.parametrize("use, wide", [("", 0), ("st.global.u64 [%rd1+256], %rd8;", 3)], ids=["addresses alone", "kept, too"])
def test_addresses_of_shared_memory_are_made_with_32_bits_unless_they_are_wanted_whole(use, wide):
    body = SHARED.format(use=use)
    found = order(body, HEAD, narrow_shared_addresses=True)
    assert sum(op.startswith(("shl_b64", "and_b64", "cvt_u64")) for op in found) == wide
    same(kernel(body, ".param .u64 out, .param .u32 n", HEAD), np.arange(80, dtype=np.uint32), scalars=bytes(4))


TWO_WAYS = """
    ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3];
    and.b32 %r2, %r9, 3; setp.eq.u32 %p1, %r2, 1; @%p1 bra A; bra B;
A:  {a} bra M;
B:  {b}
M:  st.global.u32 [%rd3], %r1;"""
LONG = "mad.lo.s32 %r1, %r1, 31, %r9; " * 10


@pytest.mark.parametrize("a, b, branches", [("mul.lo.s32 %r1, %r9, %r9;" + LONG, "mov.u32 %r1, 5;", 1), (LONG, LONG, 2)], ids=["copies", "two ways"])
def test_copies_alone_have_no_way_of_their_own_and_what_is_jumped_to_comes_first(a, b, branches):
    text = TWO_WAYS.format(a=a, b=b)
    same(kernel(text), np.arange(32, dtype=np.uint32))
    found = listed(text, Sass(falls_through_to_else=True))
    assert sum("branch" in op for op in found) == branches
    assert sum("branch" in op for op in listed(text, Sass())) == 2


def test_code_that_leads_to_the_end_ends_there():
    found = listed("""ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; setp.gt.u32 %p1, %r1, 3; @%p1 bra A; atom.global.add.u32 %r2, [%rd1], %r1;
    st.global.u32 [%rd1+8], %r2; bar.sync 0; bra B; A: bar.sync 1; st.global.u32 [%rd1+4], %r1; B:""", Sass())
    assert sum(op.endswith("exit") for op in found) == 2


def test_exchanges_among_lanes_that_may_have_parted_branch_once_a_block():
    exchange = "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; add.s32 %r1, %r1, %r9;"
    text = TWO_WAYS.format(a=exchange * 3, b=LONG + exchange) + exchange
    count = [sum("branch" in op for op in listed(text, Sass(shuffle_branches=flag))) for flag in (False, True)]
    assert count[1] - count[0] == 2         # one in A, one in B, none behind both


@pytest.mark.parametrize("exchange, branches", [("vote.sync.ballot.b32 %r4, %p2, -1;", 2), ("vote.sync.ballot.b32 %r4, %p2, %r3;", 1), ("", 1),
                                                ("shfl.sync.idx.b32 %r4, %r1, 0, 31, %r3;", 1)])
def test_lanes_that_a_register_names_are_waited_for_without_a_branch(exchange, branches):
    found = listed(f"""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; setp.gt.u32 %p2, %r1, 3; mov.u32 %r4, 0; @%p1 bra A;
    activemask.b32 %r3; {exchange} st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1], %r4; A: st.global.u32 [%rd1+8], %r1;""",
                   Sass(shuffle_branches=True))
    assert sum("branch" in op for op in found) == branches


def test_a_multiply_add_of_the_program_is_two_and_two_of_them_are_one():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r9, %tid.x; {} st.global.u64 [%rd3], %rd3;"""
    texts = ["mad.wide.s32 %rd3, %r9, %r1, %rd1;", "mul.wide.s32 %rd2, %r9, %r1; add.s64 %rd3, %rd2, %rd1;"]
    split = Sass(splits_wide_mads=True)
    assert [sum(op.startswith("add_b64") for op in listed(body.format(t), split)) for t in texts] == [1, 0]
    assert [sum(op.startswith("mad_wide") for op in listed(body.format(t), Sass())) for t in texts] == [1, 1]


QUOTIENT = """ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
    div.rn.f32 %f2, %f1, 0f40400000; st.global.f32 [%rd3], %f2;"""


@pytest.mark.parametrize("zeros, branches, divergent", [((), 2, 0), ((0,), 2 + 8, 1), (range(32), 2 + 8, 0), (range(64), 2 + 16, 0)],
                         ids=["none", "one", "a warp's", "all"])
def test_a_quotient_branches_to_its_slow_path_where_numerators_are_zero(zeros, branches, divergent):
    numerators = np.arange(1, 65, dtype="f4")
    numerators[list(zeros)] = 0
    device = Device("h100")
    buffer = device.to_device(numerators)
    result = device.compile(kernel(QUOTIENT)).k[(1,), (64,)](buffer)
    assert (result.counters.branches, result.counters.divergent_branches) == (branches, divergent)
    np.testing.assert_array_equal(np.asarray(buffer), numerators / np.float32(3))


TESTS = """ld.param.u64 %rd1, [out]; ld.param.u32 %r8, [n]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r1, [%rd3]; setp.gt.u32 %p1, %r9, %r8; @%p1 bra L; {work} setp.gt.u32 %p2, %r2, 77; @%p2 bra L; {body}
L:  st.global.u32 [%rd3], %r1;"""
STORES = "".join(f"mul.lo.u32 %r3, %r1, {k}; st.global.u32 [%rd3+{128 * k}], %r3; " for k in range(1, 6))


@pytest.mark.parametrize("work, body, branches", [
    ("mov.u32 %r2, %r1; " + "mad.lo.u32 %r2, %r2, %r1, 5; " * 4, STORES, 1), ("mov.u32 %r2, %r1; " + "mad.lo.u32 %r2, %r2, %r1, 5; " * 5, STORES, 2),
    ("ld.global.u32 %r2, [%rd3+4];", STORES, 2), ("mad.lo.u32 %r2, %r1, %r1, 5; mov.u32 %r1, %r2;", STORES, 2),
    ("mov.u32 %r2, %r1;", "and.b32 %r4, %r1, 7; add.u32 %r4, %r4, 1; M: " + STORES + "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra M;", 3)],
    ids=["a little work", "more work", "a load", "what is read there", "a loop"])
def test_of_two_tests_that_lead_to_one_place_one_branch_is_left(work, body, branches):
    """As many as in machine code for compute capability 9.0, by ptxas 13.0."""
    text = TESTS.format(work=work, body=body)
    assert sum("branch" in op for op in listed(text, Sass(joined_tests_instructions=5))) == branches
    values = np.arange(32 * 8, dtype=np.uint32) % 7
    same(kernel(text, ".param .u64 out, .param .u32 n"), values, scalars=np.array([20], "u4").tobytes())


MIDDLE = """ld.param.u64 %rd1, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r1, 0; bra X;
B:  bar.sync 0; add.u32 %r1, %r1, 1;
X:  st.global.u32 [%rd3], %r1; bar.sync 0; setp.gt.u32 %p1, %r1, 4; @%p1 bra E; st.global.u32 [%rd3+1024], %r1; bra B;
E:  add.u32 %r1, %r1, %r9; st.global.u32 [%rd3], %r1;"""


def test_a_loop_that_begins_in_its_middle_begins_with_that():
    found = listed(MIDDLE, Sass(falls_through_to_else=True))
    assert [op.split()[0].split(".")[0] for op in found if not op.startswith(("m", "add"))][:3] == ["store", "barrier", "set_gt_u32"]
    same(kernel(MIDDLE), np.zeros(320, np.uint32), block=64)


LOADED = """ld.param.u64 %rd1, [out]; ld.param.u32 %r8, [n]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r1, s;
    mul.lo.u32 %r2, %r9, 4; add.u32 %r1, %r1, %r2; setp.gt.u32 %p1, %r9, %r8; @%p1 bra L; {work} and.b32 %r2, %r2, 124; cvt.u64.u32 %rd4, %r2;
    add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r3, [%rd5]; st.shared.u32 [%r1], %r3;
L:  bar.sync 0; {behind} ld.shared.u32 %r4, [%r1]; add.u32 %r4, %r4, %r5; st.global.u32 [%rd3], %r4;"""


@pytest.mark.parametrize("work, behind, branches", [(10, 3, 0), (16, 3, 1), (10, 0, 1)])
def test_what_is_loaded_to_be_stored_is_predicated_where_there_is_work_behind_the_barrier(work, behind, branches):
    made = Sass(joined_tests_instructions=5, predication_near_loads_instructions=18, predication_global_load_instructions=6)
    text = LOADED.format(work="mad.lo.u32 %r2, %r2, %r9, 3; " * work, behind="mov.u32 %r5, %r9; " + "mad.lo.u32 %r5, %r5, %r9, 3; " * behind)
    assert sum("branch" in op for op in listed(text, made, ".shared .align 8 .b8 s[1024];")) == branches


COPIES = """ld.param.u64 %rd1, [out]; ld.param.u32 %r8, [n]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r1, s;
    mul.lo.u32 %r2, %r9, 4; add.u32 %r1, %r1, %r2; {} cp.async.wait_all; ld.shared.u32 %r3, [%r1]; st.global.u32 [%rd3+256], %r3;"""
COPY = "cp.async.ca.shared.global [%r1], [%rd3], 4; "


@pytest.mark.parametrize("body, loads", [
    (COPY, 3), (COPY + COPY, 3), (COPY + "cp.async.commit_group; cp.async.wait_group 0; " + COPY, 3), (COPY + "st.global.u32 [%rd3+512], %r9; " + COPY, 3),
    (COPY + "bar.sync 0; " + COPY, 6), (COPY + "st.shared.u32 [%r1+256], %r9; " + COPY, 6), (COPY + "ld.shared.u32 %r4, [%r1+256]; " + COPY + "st.global.u32 [%rd3+512], %r4; ", 6)],
    ids=["one", "two", "two groups", "a store", "a barrier", "a store to shared memory", "a load from shared memory"])
def test_loads_that_no_lane_does_stand_before_asynchronous_copies(body, loads):
    """As in machine code for compute capability 9.0, by ptxas 13.0, of these very programs."""
    head = ".shared .align 8 .b8 s[1024];"
    made, plain = (sum("load" in op and "shared" in op for op in listed(COPIES.format(body), Sass(loads_before_copies=times), head)) for times in (3, 0))
    assert made - plain == loads


@pytest.mark.parametrize("work, branches", [(16, 0), (17, 1)])
def test_branches_with_asynchronous_copies_are_predicated_up_to_a_length_of_their_own(work, branches):
    inner = "mad.lo.u32 %r2, %r2, %r9, 3; " * work
    body = f"setp.gt.u32 %p1, %r9, %r8; @%p1 bra L; {inner} and.b32 %r2, %r2, 252; add.u32 %r4, %r1, %r2; cp.async.ca.shared.global [%r4], [%rd3], 4; L: "
    found = listed(COPIES.format(body), Sass(predication_with_copies_instructions=19), ".shared .align 8 .b8 s[1024];")
    assert sum("branch" in op for op in found) == branches


TURNED = "mul.wide.u32 %rd4, %r2, 0x9E3779B1; mul.lo.u64 %rd4, %rd4, %rd4; shl.b64 %rd5, %rd4, 13;"
PAIRED = "mov.u32 %r3, 0; setp.gt.u32 %p1, %r2, %r1; setp.lt.u32 %p2, %r2, 20; setp.ne.s32 %p3, %r2, 25;"


SCANNED = """cvt.rn.f32.u32 %f2, %r1; cvt.rn.f32.u32 %f3, %r2; setp.gt.u32 %p1, %r2, 3; mul.f32 %f4, %f2, %f3; fma.rn.f32 %f5, %f2, %f3, %f3;"""


@pytest.mark.parametrize("body, saved, assembler", [
    ("mul.lo.u32 %r3, %r1, %r2; mul.hi.u32 %r4, %r2, %r1; xor.b32 %r3, %r3, %r4;", 1, {"wide_products": True}),
    ("mul.lo.u32 %r3, %r1, %r2; add.s32 %r1, %r1, 1; mul.hi.u32 %r4, %r1, %r2; xor.b32 %r3, %r3, %r4;", 0, {"wide_products": True}),
    ("cvt.rn.f32.u32 %f1, %r1; neg.f32 %f2, %f1; fma.rn.f32 %f3, %f2, %f1, %f2; mov.b32 %r3, %f3;", 1, {"source_modifiers": True}),
    ("cvt.rn.f32.u32 %f1, %r1; abs.f32 %f2, %f1; fma.rn.f32 %f3, %f2, %f1, %f2; mov.b32 %r3, %f3;", 0, {"source_modifiers": True}),
    ("cvt.rn.f32.u32 %f1, %r1; neg.f32 %f2, %f1; mov.b32 %r3, %f2;", 0, {"source_modifiers": True}),
    ("cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f2, %f1, %f1, %f1; cvt.sat.f32.f32 %f3, %f2; mov.b32 %r3, %f3;", 1, {"source_modifiers": True}),
    ("cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f2, %f1, %f1, %f1; cvt.sat.f32.f32 %f3, %f2; add.rn.f32 %f3, %f3, %f2; mov.b32 %r3, %f3;", 0,
     {"source_modifiers": True}),
    ("add.s32 %r4, %r2, %r1; add.s32 %r5, %r4, 224; setp.gt.u32 %p1, %r1, 3; selp.b32 %r3, %r5, %r4, %p1;", 1, {"guards_selections": True}),
    ("add.s32 %r4, %r2, %r1; add.s32 %r5, %r4, 224; setp.gt.u32 %p1, %r1, 3; selp.b32 %r3, %r5, %r4, %p1; add.s32 %r3, %r3, %r4;", 0,
     {"guards_selections": True}),
    ("shr.u32 %r3, 1, %r1;", 0, {"guards_selections": True}),
    (f"{SCANNED} selp.f32 %f6, %f2, %f4, %p1; selp.f32 %f7, %f3, %f5, %p1; add.f32 %f6, %f6, %f7; mov.b32 %r3, %f6;", 1, {"guards_selections": True}),
    ("{ .reg .b16 %h<3>; mov.b32 {%h1, %h2}, %r1; mov.b32 %r3, {%h1, %h2}; }", 2, {"reads_halves": True}),
    ("{ .reg .b16 %h<3>; mov.b32 {%h1, %h2}, %r1; mov.b32 %r3, {%h2, %h1}; }", 0, {"reads_halves": True}),
    (f"{SCANNED} {{ .reg .b16 %h<3>; cvt.rn.f16.f32 %h1, %f2; cvt.rn.f16.f32 %h2, %f3; mov.b32 %r3, {{%h1, %h2}}; }}", 2, {"reads_halves": True}),
    ("cvt.s64.s32 %rd4, %r1; shr.s64 %rd5, %rd4, 63; add.s64 %rd6, %rd5, %rd4; cvt.u32.u64 %r3, %rd6;", 1, {"three_input_operations": True}),
    ("min.s32 %r4, %r1, %r2; min.s32 %r3, %r4, 9;", 1, {"adds_before_minmax": True}),
    ("max.s32 %r4, %r1, %r2; min.s32 %r3, %r4, 9;", 0, {"adds_before_minmax": True}),
    ("min.u32 %r4, %r1, %r2; min.u32 %r5, %r4, 9; add.s32 %r3, %r4, %r5;", 0, {"adds_before_minmax": True}),
    ("and.b32 %r4, %r2, 31; shl.b32 %r3, %r1, %r4;", 1, {"three_input_operations": True}),
    ("and.b32 %r4, %r2, 31; shl.b32 %r3, %r1, %r4; shr.u32 %r5, %r1, %r4; xor.b32 %r3, %r3, %r5;", 0, {"three_input_operations": True}),
    ("and.b32 %r4, %r2, 15; shl.b32 %r3, %r1, %r4;", 0, {"three_input_operations": True}),
    (f"{TURNED} shr.u64 %rd6, %rd4, 51; or.b64 %rd7, %rd5, %rd6; mov.b64 {{%r3, %r4}}, %rd7; xor.b32 %r3, %r3, %r4;", 1, {"three_input_operations": True}),
    (f"{TURNED} shr.u64 %rd6, %rd4, 50; or.b64 %rd7, %rd5, %rd6; mov.b64 {{%r3, %r4}}, %rd7; xor.b32 %r3, %r3, %r4;", 0, {"three_input_operations": True}),
    (f"{PAIRED} or.pred %p4, %p1, %p2; or.pred %p5, %p1, %p3; and.pred %p6, %p4, %p5; selp.u32 %r3, 1, 0, %p6;", 0, {"repeats_comparisons": True}),
    (f"{PAIRED} or.pred %p4, %p1, %p2; or.pred %p5, %p1, %p3; or.pred %p6, %p2, %p3; @%p4 add.s32 %r3, %r3, 1; @%p5 add.s32 %r3, %r3, 2; "
     "@%p6 add.s32 %r3, %r3, 4;", 1, {"repeats_comparisons": True})])
def test_one_instruction_does_what_the_program_spells_with_two(body, saved, assembler):
    body = f"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; {body}"
    text = body + "st.global.u32 [%rd3], %r3;"
    made, plain = (lower(parse(kernel(text, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", standin(assembler=one))
                   for one in (Sass(**assembler), Sass()))
    assert sum(made.ops["issues"]) == sum(plain.ops["issues"]) - saved
    same(kernel(text, ".param .u64 out, .param .u32 n"), np.zeros(32, np.uint32), scalars=np.array([7], "u4").tobytes())


@pytest.mark.parametrize("divisors, ordinary, work", [("%f2 %f2", 0, 3), ("%f2 %f3", 0, 4), ("%f7 %f7", 1, 3), ("0f40800000 %f2", 0, 3)])
def test_quotients_by_one_number_share_its_reciprocal(divisors, ordinary, work):
    first, second = divisors.split()
    made = "ex2.approx.f32 %f6, %f2; add.f32 %f7, %f6, 0f3F800000;" if ordinary else ""
    body = f"""ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
    cvt.rn.f32.u32 %f2, %r2; add.f32 %f2, %f2, 0f3F000000; add.f32 %f3, %f2, 0f40400000; {made}
    div.full.f32 %f4, %f1, {first}; div.full.f32 %f5, %f3, {second}; st.global.f32 [%rd3], %f4; st.global.f32 [%rd3+128], %f5;"""
    found = listed(body, Sass(shares_reciprocals=True))
    assert sum(op.startswith(("rcp", "mul_f32")) for op in found) == work
    assert sum("set_lt_f32" in op for op in found) == (0 if ordinary else len({first, second} & {"%f2", "%f3"}))
    data = np.concatenate([np.float32(2) ** np.arange(-16, 16), np.zeros(32, np.float32)]).astype(np.float32)
    exact = run(kernel(body), data.copy())[0]
    np.testing.assert_array_max_ulp(exact, run(kernel(body), data.copy(), arch=machine(isa__assembler=EVERYTHING))[0], 2)


def test_what_orders_an_access_stands_around_it():
    body = """ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; {} st.global.u32 [%rd1+4], %r2;"""
    for access, before, behind in (("atom.global.gpu.acq_rel.add.u32 %r3, [%rd1], %r2;", 1, 1), ("atom.global.gpu.relaxed.add.u32 %r3, [%rd1], %r2;", 0, 0),
                                   ("ld.acquire.gpu.global.u32 %r3, [%rd1];", 0, 1), ("st.release.gpu.global.u32 [%rd1], %r2;", 1, 0),
                                   ("red.release.gpu.global.add.u32 [%rd1], %r2;", 1, 0)):
        found = listed(body.format(access), Sass(orders_by_fences=True))
        at = next(k for k, op in enumerate(found) if "[r" in op or "[%" in op or "param" in op and "global" in op)
        assert (sum("fence" in op for op in found[:at]), sum("fence" in op for op in found[at:])) == (before, behind), access
        guarded = listed(body.format("@%p1 " + access), Sass(orders_by_fences=True))
        assert any("branch" in op for op in guarded) == bool(before or behind)


@pytest.mark.parametrize("pointers, moves", [(1, 1), (2, 4)])
def test_short_loops_that_stay_bring_the_halves_of_their_pointers_together(pointers, moves):
    steps = "".join(f"ld.global.u32 %r4, [%rd{k}]; xor.b32 %r3, %r3, %r4; add.s64 %rd{k}, %rd{k}, 4; " for k in range(4, 4 + pointers))
    body = f"mov.u32 %r3, 0; mov.u64 %rd4, %rd1; add.s64 %rd5, %rd1, 8; L: {steps} add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"
    assert divided("", body, copies_pointers=36) == moves
    assert divided("", body, copies_pointers=5) == 0


@pytest.mark.parametrize("addend, extra", [("selp.u32 %r5, 1, 0, %p2;", 1), ("selp.u32 %r5, 1, %r9, %p2;", 0), ("and.b32 %r5, %r4, 1;", 0)])
def test_a_sum_of_what_is_selected_is_copied_once_a_trip(addend, extra):
    body = f"""mov.u32 %r3, 0; mov.u32 %r9, %tid.x; L: ld.global.u32 %r4, [%rd1]; setp.gt.u32 %p2, %r4, 3; {addend} add.s32 %r3, %r3, %r5; add.s32 %r1, %r1, -1;
    bar.sync 0; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"""
    found = listed(f"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; {body} st.global.u32 [%rd1], %r3;", Sass(guards_selections=True))
    plain = listed(f"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; {body} st.global.u32 [%rd1], %r3;", Sass())
    assert sum("mov_b32" in op for op in found) - sum("mov_b32" in op for op in plain) == extra


def test_more_is_predicated_where_loads_are_near():
    body = """ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;
    {} setp.lt.u32 %p1, %r9, %r1; @%p1 bra A; """ + "mad.lo.s32 %r9, %r9, 31, %r1; " * 12 + "A: {} st.global.u32 [%rd3], %r9;"
    load, use = "ld.global.u32 %r4, [%rd3];", "add.s32 %r9, %r9, %r4;"
    texts = [body.format(load, use), body.format("", load + use), body.format(load + use, ""), body.format("", "")]
    more = Sass(predication_near_loads_instructions=18)
    assert [sum("branch" in op for op in listed(t, more)) for t in texts] == [0, 0, 1, 1]
    for text in texts:
        same(kernel(text, ".param .u64 out, .param .u32 n"), np.arange(32, dtype=np.uint32), scalars=np.array([9], "u4").tobytes())


def test_code_is_ordered_within_the_predicates_allowed():
    body = "".join(f"setp.gt.u32 %p{k}, %r1, {k}; @%p{k} add.s32 %r3, %r3, %r1; " for k in range(1, 7))
    body = f"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r3, 0; {body} st.global.u32 [%rd1], %r3;"

    def most(allowed):
        alive, found = 0, []
        for op in order(body, list_scheduling=True, list_scheduling_predicates=allowed):
            alive += op.startswith("set_")
            found.append(alive)
            alive -= "add_b32" in op and op[0] in "@%"
        return max(found)

    assert most(2) <= 2 < most(64)


def test_of_two_products_the_first_is_fused():
    body = """
    ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8]; ld.global.f32 %f4, [%rd1+12];
    mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; sub.f32 %f7, %f5, %f6; st.global.f32 [%rd1], %f7;"""
    a, b, c, d = (np.float32(x) for x in (1 + 2**-12, 1 + 2**-13, 1 + 2**-11, 1 - 2**-12))
    found = run(kernel(body, ".param .u64 out, .param .u32 n"), np.array([a, b, c, d]), scalars=bytes(4))
    assert found[0] == np.float32(np.float64(a) * np.float64(b) - np.float64(c * d))


@pytest.mark.parametrize("more, fused", [("", True), ("st.global.f32 [%rd1+8], %f5;", False), ("add.rn.f32 %f8, %f5, %f4; st.global.f32 [%rd1+8], %f8;", False)])
def test_a_product_is_part_of_all_additions_that_read_it_or_of_none(more, fused):
    body = f"""
    ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8]; ld.global.f32 %f4, [%rd1+12];
    mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; sub.f32 %f7, %f4, %f5; st.global.f32 [%rd1], %f6; st.global.f32 [%rd1+4], %f7; {more}"""
    a, b, c, d = (np.float32(x) for x in (1 + 2**-12, 1 + 2**-13, 1 + 2**-11, 1 - 2**-12))
    found = run(kernel(body, ".param .u64 out, .param .u32 n"), np.array([a, b, c, d]), scalars=bytes(4), arch=machine(isa__assembler=EVERYTHING))
    product = np.float64(a) * np.float64(b) if fused else np.float64(a * b)
    np.testing.assert_array_equal(np.array(found[:2]), np.float32([product + c, d - product]))


@pytest.mark.parametrize("type, size, count, widths", [("f64", 8, 3, [2, 1]), ("u16", 2, 8, [4, 4]), ("u16", 2, 3, [2, 1])])
def test_neighbours_of_other_sizes_are_merged_too(type, size, count, widths):
    """Numbers of 16 bits where only what reads halves of registers reads them."""
    names = [f"%fd{10 + k}" if size == 8 else f"%h{k}" for k in range(count)]
    loads = " ".join(f"ld.shared.{type} {name}, [%r3+{size * k}];" for k, name in enumerate(names))
    uses = " ".join(f"st.global.f64 [%rd1+{8 * k}], {name};" if size == 8 else f"cvt.f32.f16 %f{k}, {name}; st.global.f32 [%rd1+{4 * k}], %f{k};"
                    for k, name in enumerate(names))
    head = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 6; mov.u32 %r4, s; add.s32 %r3, %r4, %r2;"
    assembler = Sass(shared_load_bytes=16, reads_halves=True)
    made = [op for op in listed(f"{head} {loads} {uses}", assembler, head=".shared .align 16 .b8 s[4096];") if op.startswith("load.shared")]
    assert sorted(4 if ".v4" in op else 2 if ".v2" in op else 1 for op in made) == sorted(widths)


def test_exchanges_whose_predicates_nobody_reads_wait_for_nobody():
    body = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shfl.sync.down.b32 %r3|%p1, %r1, 1, 31, -1; shfl.sync.up.b32 %r4|%p1, %r1, 1, 0, -1;
    add.s32 %r3, %r3, %r4; {} st.global.u32 [%rd1], %r3;"""
    unread, read = (listed(body.format(more), Sass()) for more in ("", "@%p1 add.s32 %r3, %r3, 1;"))
    assert [sum("shuffle" in op and ", p" in op for op in found) for found in (unread, read)] == [0, 1]


@pytest.mark.parametrize("result, extra", [("", 5), ("st.global.u32 [%rd1+64], %r3;", 11)], ids=["no result", "result"])
def test_atomics_on_one_word_cost_what_makes_them_one_lanes(result, extra):
    body = f"""
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; atom.global.add.u32 %r3, [%rd1], %r1; {result}"""
    lone = body.replace("[%rd1], %r1", "[%rd3], %r1").replace("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;")
    count = [lower(parse(kernel(text, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", machine(isa__assembler=Sass(merged_atomics=pair))).instructions
             for text in (body, lone) for pair in ((0, 0), (5, 11))]
    assert (count[1] - count[0], count[3] - count[2]) == (extra, 0)


def test_memory_operates_once_where_one_lane_does_the_atomic_of_all():
    text = kernel("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r3, 0;
    L: red.global.max.s32 [%rd1], %r1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 40; @%p1 bra L;""", ".param .u64 out")
    cycles = []
    for assembler in (Sass(), Sass(merged_atomics=(5, 11))):
        device = Device(machine(isa__assembler=assembler))
        cycles.append(device.compile(text)["k"][1, 32](device.zeros(1, np.int32)).cycles)
    assert cycles[1] < 0.7 * cycles[0]
    same(text, np.zeros(1, np.int32))


def test_shared_accesses_count_where_no_lane_takes_part():
    body = """
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; setp.gt.u32 %p1, %r1, 99; @%p1 st.shared.u32 [%r2], %r1; bar.sync 0;
    @%p1 ld.shared.u32 %r3, [%r2]; st.global.u32 [%rd1], %r3;"""
    import archdef

    device = archdef.Device("h100")
    result = device.compile(kernel(body, ".param .u64 out, .param .u32 n", HEAD)).k[(1,), (64,)](device.zeros(64, "u4"), np.uint32(0))
    assert (result.counters.shared_stores, result.counters.shared_loads, result.counters.shared_store_passes) == (2, 2, 0)


def test_a_result_that_nobody_reads_holds_no_scoreboard_in_code_for_debugging():
    from archdef.lower import Options

    text = kernel("""ld.param.u64 %rd1, [out]; ld.global.u32 %r7, [%rd1]; shfl.sync.idx.b32 %r8, %r7, 0, 31, -1; shfl.sync.down.b32 %r9, %r7, 1, 31, -1;
    shfl.sync.up.b32 %r10|%p1, %r7, 1, 0, -1; add.s32 %r7, %r7, %r9; setp.gt.s32 %p2, %r7, 9; @%p2 bra A; add.s32 %r7, %r7, 1;
    shfl.sync.bfly.b32 %r7, %r7, 1, 31, -1; A: st.global.u32 [%rd1], %r7;""", ".param .u64 out")
    for scoreboards in (1, 2):
        made = lower(parse(text, "k.ptx"), "k", machine(isa__assembler=Sass(result_scoreboards=scoreboards)), options=Options(debug=True))
        assert made.instructions > 5
