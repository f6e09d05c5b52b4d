"""PTX on 16-bit floats, packed integers and 128-bit registers does what the manual says, run on a small machine."""
import numpy as np
import pytest
from lowering import kernel, lowered, micro_ops
from lowering import machine as standin
from run_ptx import machine, run
from test_lower_running import LANES, each

from archdef.errors import PtxError

HALVES = np.array([0, 0x3C00, 0xBC00, 0x7C00, 0x7E00, 0x0001, 0x8000, 0x3555], np.uint32)
TABLE = ".global .align 4 .b32 halves[8] = {" + ", ".join(str(x) for x in HALVES) + "};"
LOAD = """mov.u64 %rd10, halves; and.b32 %r3, %r1, 7; mul.wide.u32 %rd11, %r3, 4; add.s64 %rd12, %rd10, %rd11; ld.global.b16 %h1, [%rd12];
    shr.u32 %r4, %r1, 2; mul.wide.u32 %rd13, %r4, 4; add.s64 %rd14, %rd10, %rd13; ld.global.b16 %h2, [%rd14];"""
A, B = HALVES[np.arange(32) & 7].astype(np.uint16).view(np.float16), HALVES[np.arange(32) >> 2].astype(np.uint16).view(np.float16)


def halves(body):
    """What 32 threads leave in %h3, of all pairs of eight halves in %h1 and %h2."""
    return each(LOAD + body + "cvt.u32.u16 %r2, %h3;", TABLE).astype(np.uint16).view(np.float16)


def equal(found, expected):
    return np.array_equal(found, expected.astype(np.float16), equal_nan=True)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def test_scalar_halves():
    assert equal(halves("add.f16 %h3, %h1, %h2;"), A + B)
    assert equal(halves("mul.rn.f16 %h3, %h1, %h2;"), A * B)
    assert equal(halves("fma.rn.f16 %h3, %h1, %h2, %h1;"), A.astype("f8") * B + A)
    assert equal(halves("sub.rn.sat.f16 %h3, %h1, %h2;"), np.where(np.isnan(A - B), 0, np.clip(A - B, 0, 1)))
    assert equal(halves("max.NaN.f16 %h3, %h1, %h2;"), np.maximum(A, B))
    assert equal(halves("setp.lt.f16 %p1, %h1, %h2; selp.b16 %h3, 0x3C00, 0, %p1;"), (A < B) * 1.0)
    assert equal(halves("set.geu.f16.f16 %h3, %h1, %h2;"), ~(A < B) * 1.0)


def test_set_gives_ones_of_its_own_type():
    body = "set.lt.{0} {1}, %h1, %h2;"
    assert np.array_equal(each(LOAD + body.format("u32.f16", "%r2"), TABLE), np.where(A < B, 0xFFFFFFFF, 0))
    assert np.array_equal(each(LOAD + body.format("s32.f16", "%r2"), TABLE), np.where(A < B, 0xFFFFFFFF, 0))
    assert np.array_equal(each(LOAD + body.format("u16.f16", "%h3") + "cvt.u32.u16 %r2, %h3;", TABLE), np.where(A < B, 0xFFFF, 0))
    assert np.array_equal(each("set.lt.f16.u32 %h1, %r1, 5; cvt.u32.u16 %r2, %h1;"), np.where(LANES < 5, 0x3C00, 0))
    assert np.array_equal(each("set.lt.bf16.u32 %h1, %r1, 5; cvt.u32.u16 %r2, %h1;"), np.where(LANES < 5, 0x3F80, 0))


PAIR = LOAD + "mov.b32 %r10, {%h1, %h2}; mov.b32 %r11, {%h2, %h2};"


def test_a_comparison_of_pairs_sets_two_predicates():
    body = PAIR + "setp.lt.f16x2 %p1|%p2, %r10, %r11; selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 2, 0, %p2; add.u32 %r2, %r5, %r6;"
    assert np.array_equal(each(body, TABLE), (A < B) * 1)  # nothing is less than itself
    body = PAIR + """setp.eq.s32 %p1, %r3, 1; setp.leu.or.f16x2 %p1|%p2, %r10, %r11, %p1; selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 2, 0, %p2;
    add.u32 %r2, %r5, %r6;"""
    one = (LANES & 7) == 1
    assert np.array_equal(each(body, TABLE), (~(A > B) | one) * 1 + 2)
    body = PAIR + "set.equ.f16x2.f16x2 %r2, %r10, %r11;"
    assert np.array_equal(each(body, TABLE), ~((A < B) | (A > B)) * 0x3C00 + np.full(32, 0x3C000000))
    body = PAIR + "set.lt.u32.f16x2 %r2, %r10, %r11;"
    assert np.array_equal(each(body, TABLE), (A < B) * 0xFFFF)


def test_pairs_convert_with_the_first_operand_high():
    body = "cvt.rn.f32.u32 %f1, %r1; neg.f32 %f2, %f1; cvt.rn.{0}x2.f32 %r2, %f1, %f2;"
    low, high = (-LANES.astype("f4")), LANES.astype("f4")
    expected = low.astype("f2").view("u2") | high.astype("f2").view("u2").astype("u4") << 16
    assert np.array_equal(each(body.format("f16")), expected)
    expected = (low.view("u4") >> 16) | (high.view("u4") & 0xFFFF0000)
    assert np.array_equal(each(body.format("bf16")), expected)


@pytest.mark.parametrize("type", ["bf16", "f16"])
def test_small_floats_convert_through_every_type(type):
    body = f"cvt.rn.{type}.u32 %h1, %r1; cvt.f32.{type} %f1, %h1; cvt.f64.{type} %fd1, %h1; cvt.rn.{type}.f64 %h2, %fd1;"
    body += f"cvt.rzi.s32.{type} %r3, %h2; cvt.rzi.u32.f32 %r4, %f1; mad.lo.u32 %r2, %r3, 100, %r4;"
    assert np.array_equal(each(body), LANES * 101)
    assert np.array_equal(each(f"cvt.rn.sat.{type}.u32 %h1, %r1; cvt.rni.u32.{type} %r2, %h1;"), np.minimum(LANES, 1))
    assert np.array_equal(each(f"cvt.rn.{type}.s64 %h1, -7; cvt.rni.s32.{type} %r2, %h1;").view("i4"), np.full(32, -7))


def test_from_one_small_float_to_the_other():
    body = "mov.b16 %h1, 0x3555; cvt.rn.bf16.f16 %h2, %h1; cvt.rn.f16.bf16 %h3, %h2; cvt.u32.u16 %r2, %h3;"
    expected = np.float32((np.float32(np.uint16(0x3555).view("f2")).view("u4") + 0x8000) & 0xFFFF0000).astype("u4").view("f4").astype("f2").view("u2")
    assert np.array_equal(each(body), np.full(32, expected))


def test_contraction_follows_the_source():
    def made(body):
        return [op.split()[0] for op in micro_ops(lowered(kernel(body + " st.global.b32 [%rd1], %r5;")))]

    assert "fma_f16x2" in made("mul.f16x2 %r4, %r2, %r3; add.f16x2 %r5, %r4, %r2;")
    assert "fms_bf16x2" in made("mul.bf16x2 %r4, %r2, %r3; sub.bf16x2 %r5, %r4, %r2;")
    assert "add_f16x2" in made("mul.rn.f16x2 %r4, %r2, %r3; add.f16x2 %r5, %r4, %r2;")
    assert "add_f16x2" in made("mul.f16x2 %r4, %r2, %r3; add.rn.f16x2 %r5, %r4, %r2;")


def test_integer_constants_are_bit_patterns():
    assert np.array_equal(each("add.rn.f16x2 %r2, 0x3C003C00, 0x40003C00;"), np.full(32, 0x42004000))
    assert np.array_equal(each("add.bf16 %h1, 0x3F80, 0x3F80; cvt.u32.u16 %r2, %h1;"), np.full(32, 0x4000))
    with pytest.raises(PtxError, match="floating-point constant cannot be an operand of type bf16"):
        lowered(kernel("add.bf16 %h1, %h2, 1.0;"))


def test_registers_declared_as_halves():
    body = ".reg .f16 %q<4>; .reg .f16x2 %w<4>; cvt.rn.f16.u32 %q1, %r1; add.f16 %q2, %q1, %q1; mov.b32 %w1, {%q1, %q2}; mov.b32 %r2, %w1;"
    x = LANES.astype("f2")
    assert np.array_equal(each(body), x.view("u2") | (x + x).view("u2").astype("u4") << 16)


# ------------------------------------------------------------------------------------------------------- 128-bit registers
def test_128_bits_move_pack_and_unpack():
    body = """cvt.u64.u32 %rd5, %r1; mov.b128 %rq1, {%rd5, 7}; mov.b128 %rq2, %rq1; mov.b128 {%rd6, %rd7}, %rq2; mov.b128 %rq3, {%rd7, %rd6};
    mov.b128 {_, %rd8}, %rq3; mad.lo.u64 %rd4, %rd7, 100, %rd8;"""
    assert np.array_equal(each(body, dtype=np.uint64), LANES + 700)


def test_128_bits_can_be_swapped_in_place():
    body = """cvt.u64.u32 %rd5, %r1; mov.b128 %rq1, {%rd5, 7}; mov.b128 {%rd6, %rd7}, %rq1; mov.b128 %rq1, {%rd7, %rd6};
    mov.b128 {%rd8, %rd9}, %rq1; mad.lo.u64 %rd4, %rd8, 100, %rd9;"""
    assert np.array_equal(each(body, dtype=np.uint64), LANES + 700)


def test_128_bits_load_and_store():
    data = np.arange(64, dtype=np.uint64)
    text = kernel("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
    ld.global.b128 %rq1, [%rd3]; mov.b128 {%rd5, %rd6}, %rq1; mov.b128 %rq2, {%rd6, %rd5}; st.global.b128 [%rd3], %rq2;""")
    assert np.array_equal(run(text, data).reshape(-1, 2), data.reshape(-1, 2)[:, ::-1])
    with pytest.raises(PtxError, match="128-bit registers, except in mov, ld and st"):
        lowered(kernel("and.b64 %rd1, %rq1, %rd2;"))


# ---------------------------------------------------------------------------------------------------------------- atomics
ADDRESS = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; "


def test_vector_reductions_add_every_element():
    text = kernel(ADDRESS + """cvt.rn.f32.u32 %f1, %r1; red.global.v4.f32.add [%rd1], {%f1, 0f3F800000, %f1, 0f40000000};
    atom.global.v2.f32.add {%f5, _}, [%rd1+16], {0f3F800000, %f1}; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3+24], %f5;""")
    out = run(text, np.zeros(38, np.float32))
    assert out[:6].tolist() == [496, 32, 496, 64, 32, 496]
    assert sorted(out[6:]) == list(range(32))  # what each lane found
    text = kernel(ADDRESS + "red.global.v2.f16x2.add.noftz [%rd1], {%r5, %r6};".replace("%r5", "0x3C004000").replace("%r6", "0x3C003C00"))
    assert run(text, np.zeros(4, np.float16)).tolist() == [64, 32, 32, 32]
    text = kernel(ADDRESS + "mov.b16 %h1, 0x4000; mov.b16 %h2, 0x3C00; red.global.v4.f16.max.noftz [%rd1], {%h1, %h2, %h1, %h2};")
    assert run(text, np.zeros(4, np.float16)).tolist() == [2, 1, 2, 1]


def test_atomics_on_16_bits_leave_the_neighbour_alone():
    text = kernel(ADDRESS + "mov.b16 %h1, 0x3C00; atom.global.add.noftz.f16 %h2, [%rd1+2], %h1; red.shared.add.noftz.bf16 [cell+2], %h1;",
                  head=".shared .align 4 .b8 cell[4];")
    assert run(text, np.array([7, 0], np.float16)).tolist() == [7, 32]
    text = kernel(ADDRESS + "cvt.u16.u32 %h1, %r1; add.u16 %h2, %h1, 1; atom.global.cas.b16 %h3, [%rd1], %h1, %h2;")
    assert run(text, np.array([0, 99], np.uint16)).tolist() == [32, 99]  # each lane finds what the one before it left


@pytest.mark.parametrize("order", ["", ".relaxed.cta", ".acquire.gpu", ".release.sys", ".acq_rel.cluster"])
def test_orders_and_scopes_change_no_value(order):
    text = kernel(ADDRESS + f"atom{order}.global.add.u32 %r2, [%rd1], 1; red{order.replace('acquire', 'relaxed')}.global.add.u64 [%rd1+8], 2;")
    assert run(text, np.zeros(2, np.uint64)).tolist() == [32, 64]


# ------------------------------------------------------------------------------------------------------------- features
def test_a_machine_without_16_bit_floats_needs_no_costs_for_them():
    without = ["fp16", "fp16_minmax", "fp16_transcendental", "bf16", "atomics_half_add", "atomics_bfloat_add"]
    bare = machine().evolve({"isa.features": standin(without=without).isa.features,
                             "isa.operations": {name: cost for name, cost in machine().isa.operations.items() if name[:5] != "fp16_"}})
    assert np.array_equal(each("cvt.rn.f16.u32 %h1, %r1; cvt.rni.u32.f16 %r2, %h1;", arch=bare), LANES)
