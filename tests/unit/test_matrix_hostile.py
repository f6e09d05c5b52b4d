"""Whatever matrix micro-ops and matrix instructions say, loading and running them ends in data or in a named error."""
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from run_ptx import machine

from archdef.engine import core
from archdef.errors import ArchdefError, GuestFault, PtxError
from archdef.lower import lower
from archdef.lower.encoding import CONSTANT_ROW, MICRO_OP, NO_ROW, SPECIAL_ROW, Kind, MatrixOp, Space
from archdef.pack import machine_tables
from archdef.ptx import parse

ARCH = machine()
TABLES = machine_tables(ARCH)
ROWS = 40
DEPTHS = {MatrixOp.F16: (16, (8, 16)), MatrixOp.BF16: (16, (8, 16)), MatrixOp.TF32: (32, (4, 8)), MatrixOp.F64: (64, (4, 8, 16)),
          MatrixOp.INTEGER: (8, (16, 32)), MatrixOp.BITS_XOR: (1, (128, 256)), MatrixOp.BITS_AND: (1, (128, 256)), MatrixOp.GROUPS: (16, (4,)),
          MatrixOp.TRANSPOSE: (16, (0,))}


def registers(fn, tall, depth, bits, form):
    """Operands that the engine wants, so that many random ops are accepted."""
    if fn == MatrixOp.TRANSPOSE:
        return 2
    half_c, half_d = form >> 3 & 1, form >> 4 & 1
    if fn == MatrixOp.GROUPS:
        return 4 + 8 // (1 + half_c) + 8 // (1 + half_d)
    words = depth if fn == MatrixOp.F64 else depth * bits // 32
    return words // 4 * (tall + 1) + 2 * tall // (1 + half_c) + 2 * tall // (1 + half_d)


def attempt(ops, operands, rng):
    constants = np.array([(0, 8, 3), (0, 0, 0), (0, 4, 0x3C003C00), (0, 4, 1 << 30)], CONSTANT_ROW)
    program = SimpleNamespace(entry="k", ops=ops, targets=np.zeros(0, np.int32), operands=np.array(operands, np.int32), constants=constants,
                              specials=np.array([(6, 1)], SPECIAL_ROW), rows=ROWS, predicates=2, shared_bytes=int(rng.choice([0, 64, 4096])),
                              local_bytes=0, statements=("a", "b", "c"))
    try:
        simulation = core.Simulation(TABLES, program, core.DeviceMemory(1 << 16), (1, 1, 1), (int(rng.choice([32, 64, 40])), 1, 1))
        while simulation.advance():
            pass
    except (core.ProgramError, GuestFault):
        return False
    return True


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_products_are_refused_or_run(seed):
    rng = np.random.default_rng(seed)
    ops = np.zeros(3, MICRO_OP)
    ops["issues"], ops["interval"], ops["latency"], ops["reconverge"] = 1, 1, 1, -1
    operands = []
    for op in ops[:2]:
        fn = int(rng.integers(0, 10))
        bits, depths = DEPTHS.get(fn, (16, (8,)))
        op["kind"], op["fn"], op["element"], op["offset"] = Kind.MATRIX, fn, bits, rng.choice(depths)
        op["vec"], op["combine"], op["width"] = rng.integers(1, 3), rng.integers(0, 128), 8
        if rng.random() < 0.4:        # anything else
            name = rng.choice(["element", "offset", "vec", "fn"])
            op[name] = rng.choice([0, 1, 2, 3, 4, 7, 9, 17, 31, 33, 64, 100, 255])
        count = registers(fn, int(op["vec"]), int(op["offset"]), int(op["element"]), int(op["combine"]))
        op["target"], op["count"] = len(operands), count + rng.choice([0, 0, 0, 0, 1, -1])
        if rng.random() < 0.1:
            op["target"] = rng.choice([-1, 0, 5, 10**6, 2**31 - 1])
        operands += [int(v) for v in rng.integers(0, ROWS // 2, count) * 2]
        if operands and rng.random() < 0.4:
            operands[int(rng.integers(0, len(operands)))] = int(rng.choice([-1, -2, -3, -4, -5, 1, ROWS - 1, ROWS, 2**30, -2**31]))
    ops[2]["kind"] = Kind.EXIT
    attempt(ops, operands, rng)


def test_numbers_of_16_bits_are_added_to_float_products_only():
    ops = np.zeros(2, MICRO_OP)
    ops["issues"], ops["interval"], ops["latency"], ops["reconverge"] = 1, 1, 1, -1
    ops[0]["kind"], ops[0]["fn"], ops[0]["element"], ops[0]["offset"], ops[0]["vec"] = Kind.MATRIX, MatrixOp.INTEGER, 8, 16, 1
    ops[1]["kind"] = Kind.EXIT
    for form in (8, 16, 24):
        ops[0]["combine"], ops[0]["count"] = form, registers(MatrixOp.INTEGER, 1, 16, 8, form)
        assert not attempt(ops, list(range(int(ops[0]["count"]))), np.random.default_rng(form))


def test_a_sound_product_of_the_random_kind_runs():
    ops = np.zeros(2, MICRO_OP)
    ops["issues"], ops["interval"], ops["latency"], ops["reconverge"] = 1, 1, 1, -1
    ops[0]["kind"], ops[0]["fn"], ops[0]["element"], ops[0]["offset"], ops[0]["vec"], ops[0]["count"] = Kind.MATRIX, MatrixOp.F16, 16, 16, 2, 14
    ops[1]["kind"] = Kind.EXIT
    sure = SimpleNamespace(choice=lambda values: {0: 64}.get(values[0], values[0]))
    assert attempt(ops, list(range(14)), sure)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_tiles_are_refused_or_run(seed):
    rng = np.random.default_rng(seed)
    ops = np.zeros(2, MICRO_OP)
    ops["issues"], ops["interval"], ops["latency"], ops["reconverge"] = 1, 1, 1, -1
    op = ops[0]
    op["kind"], op["fn"], op["vec"] = rng.choice([Kind.MATRIX_LOAD, Kind.MATRIX_STORE]), rng.integers(0, 3), rng.choice([0, 1, 2, 4, 4, 5])
    op["space"], op["flags"] = rng.choice([Space.SHARED, Space.SHARED, Space.GENERIC, Space.GLOBAL]), rng.integers(0, 3)
    op["offset"] = rng.choice([0, 0, 0, 8, 16, -16, 2**40, -2**63, 2**63 - 1, 0x01000000])
    op["s"] = rng.choice([NO_ROW, -5, -4, -1, 0, 1, 2, ROWS - 1, ROWS], 5, p=[.05, .05, .1, .2, .2, .1, .1, .1, .1])
    op["d"] = rng.choice([NO_ROW, -1, 0, 2, 4, ROWS - 1, ROWS], 4, p=[.1, .1, .2, .2, .2, .15, .05])
    ops[1]["kind"] = Kind.EXIT
    attempt(ops, [], rng)


WORDS = ("mma wmma .mma .load .store .a .b .c .d .sync .aligned .row .col .m16n16k16 .m8n32k16 .m16n8k16 .m16n8k8 .m8n8k4 .m8n8k32 .global .shared "
         ".f16 .f32 .f64 .bf16 .tf32 .s32 .u8 .s8 .u4 .b1 .xor .popc .satfinite .x4 .m8n8 .trans .b16 ldmatrix stmatrix movmatrix "
         "{%r1} {%r1,%r2} {%r1,%r2,%r3,%r4} {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8} {%rd1} [%rd1] [%r1] [tile+4] , ; %r1 16 -1 %rd1 _ {_}").split()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=22))
def test_any_text_lowers_or_is_refused_with_its_place(words):
    text = f""".version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 tile[256];
.visible .entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<3>;
{' '.join(words).replace(' .', '.')};
ret; }}"""
    try:
        assert lower(parse(text, "k.ptx"), "k", ARCH)
    except PtxError as error:
        assert error.line >= 1
    except ArchdefError:
        pass
