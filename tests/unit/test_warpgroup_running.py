"""Products of four warps: who must be there, when results are waited for, what is refused, and that no micro-op does harm."""
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lowering import kernel, lowered
from lowering import machine as standin
from run_ptx import machine, run

from archdef.engine import core
from archdef.errors import GuestFault, MissingFeature, PtxError, UnsupportedInstruction
from archdef.lower.encoding import CONSTANT_ROW, MICRO_OP, NO_ROW, SPECIAL_ROW, GroupForm, GroupOp, Kind, MatrixOp
from archdef.pack import machine_tables


PRODUCT = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r20, %r21, %r22, %r23}, %rd2, %rd2, 1, 1, 1, 0, 0;"
FENCE, COMMIT, WAIT = "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"
ARCH = machine()
TABLES = machine_tables(ARCH)


def program(*lines: str) -> str:
    """A kernel whose threads store the cycles that lines take and a number of the result."""
    return """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<8>; .shared .align 128 .b8 tile[4096];
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3; mov.u32 %r2, tile; shr.u32 %r3, %r2, 4;
    cvt.u64.u32 %rd2, %r3; or.b64 %rd2, %rd2, 68720001024; shr.u32 %r5, %r1, 5;
    mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;
    bar.sync 0; mov.u32 %r10, %clock;
    """ + "\n    ".join(lines) + """
    mov.u32 %r11, %clock; sub.u32 %r11, %r11, %r10; st.global.v2.u32 [%rd1], {%r11, %r20}; ret; }
"""


def cycles(*lines: str, threads: int = 128, arch=None) -> np.ndarray:
    return run(program(*lines), np.zeros(2 * threads, np.uint32), block=threads, arch=arch)[::2]


def test_the_warps_of_a_group_leave_a_fence_together():
    late = "setp.ne.u32 %p1, %r5, 2; @%p1 bra GO; mov.u32 %r6, 0; SPIN: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 100; @%p2 bra SPIN; GO:"
    alone, together = cycles(late), cycles(late, FENCE)
    assert alone[0] < alone[64] // 4 and np.ptp(together) < alone[64] // 4 and together.min() > alone[64]
    both = cycles(late, FENCE, threads=256)           # the other group of the block waits for nobody of this one
    assert both[128:].max() < alone[64] // 2


def test_results_cost_time_where_their_group_is_waited_for():
    slow = {"isa.operations": {**ARCH.isa.operations, "warpgroup_f16": ARCH.isa.operations["warpgroup_f16"].__class__("alu", 500, 40)}}
    arch = ARCH.evolve(slow)
    first = cycles(FENCE, PRODUCT, COMMIT, arch=arch).max()
    two = (FENCE, PRODUCT, COMMIT, PRODUCT, PRODUCT, COMMIT)
    one, all_, nothing = (cycles(*two, f"wgmma.wait_group.sync.aligned {n};", arch=arch).max() for n in (1, 0, 2))
    assert first < 200 and nothing < 200 < 500 < one
    warps = 4 // ARCH.schedulers.count
    assert 80 * warps <= all_ - one <= 80 * warps + 10     # two more of each warp of a scheduler, behind the first


def test_a_commit_is_part_of_the_last_product():
    def groups(*lines):
        return [op for op in lowered(program(*lines)).ops if op["kind"] in (Kind.GROUP, Kind.GROUP_PRODUCT)]

    made = groups(FENCE, PRODUCT, PRODUCT, COMMIT, WAIT)
    assert [op["kind"] for op in made] == [Kind.GROUP, Kind.GROUP_PRODUCT, Kind.GROUP_PRODUCT, Kind.GROUP]
    assert [op["offset"] & GroupForm.COMMIT for op in made[1:3]] == [0, GroupForm.COMMIT]
    made = groups(FENCE, PRODUCT, COMMIT, COMMIT, WAIT)
    assert [op["fn"] for op in made if op["kind"] == Kind.GROUP] == [GroupOp.FENCE, GroupOp.COMMIT, GroupOp.WAIT]


def test_how_long_a_product_holds_its_warp_is_no_place_in_the_program():
    ops = lowered(program(FENCE, PRODUCT, COMMIT, WAIT)).ops
    products = ops[ops["kind"] == Kind.GROUP_PRODUCT]
    assert len(products) and (products["held_cycles"] > 0).all() and (products["reconverge"] == -1).all()


@pytest.mark.parametrize("lines, threads, complaint", [
    ((FENCE,), 96, "an instruction of four whole warps, of which block .* has not all"),
    ((PRODUCT,), 64, "an instruction of four whole warps, of which block .* has not all"),
    (("setp.eq.u32 %p1, %r5, 3; @%p1 exit;", "bar.sync 0;", FENCE), 128, "an instruction of four whole warps, of which block .* has not all"),
    (("setp.eq.u32 %p1, %r5, 3; @%p1 bra ON;", FENCE, "ON:", "bar.sync 0;"), 128, "no warp can go on"),
    (("setp.lt.u32 %p1, %r1, 40; @%p1 bra ON;", FENCE, "ON:", WAIT), 128, "an instruction of a whole warp that 8 of its 32 lanes do not"),
    (("setp.lt.u32 %p1, %r1, 40; @%p1 exit;", FENCE), 128, "an instruction of a whole warp that|an instruction of four whole warps")])
def test_who_is_missing_is_a_fault(lines, threads, complaint):
    with pytest.raises(GuestFault, match=complaint):
        cycles(*lines, threads=threads)


def test_a_guarded_product_of_a_warp_that_does_not_take_part_is_none():
    assert (cycles(FENCE, "setp.eq.u32 %p1, %r1, 1000;", f"@%p1 {PRODUCT}", COMMIT, WAIT) > 0).all()


def test_other_machines_refuse_them():
    for feature in ("matrix_warpgroup", "matrix_fp8"):
        with pytest.raises(MissingFeature, match=f"needs the feature {feature}, which standin does not have"):
            lowered(kernel("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, 1, 1;"),
                    standin(without=[feature]))
    with pytest.raises(UnsupportedInstruction, match="fragments of matrices are defined for warps of 32 lanes"):
        lowered(kernel(FENCE), standin(warp_size=64))
    with pytest.raises(UnsupportedInstruction, match=r"standin does not say how four warps compute products together \(isa\.warpgroup\)"):
        lowered(kernel(FENCE), standin(warpgroup=None))


@pytest.mark.parametrize("instruction, complaint", [
    (PRODUCT.replace(", 0, 0;", ", 0;"), "takes 8 operands, got 7"), (PRODUCT.replace("%r23}", "%r23, %r24}"), "operand d takes 4 registers"),
    (PRODUCT.replace("1, 1, 1, 0, 0", "1, 2, 1, 0, 0"), "the sign of operand a must be 1 or -1"),
    (PRODUCT.replace("1, 1, 1, 0, 0", "1, 1, 1, 0, 2"), "the order of a factor must be 0 or 1"),
    (PRODUCT.replace("%rd2, %rd2, 1,", "{%r1, %r2}, %rd2, 1,").replace(", 0, 0;", ", 0;"), "operand a takes 4 registers"),
    ("wgmma.wait_group.sync.aligned %r1;", "must be a constant"), ("wgmma.wait_group.sync.aligned -1;", "must be a constant that is not negative"),
    (PRODUCT.replace("m64n8k16", "m64n12k16"), "is not supported"), (PRODUCT.replace("m64n8k16", "m64n264k16"), "is not supported")])
def test_operands_that_do_not_fit_are_an_error(instruction, complaint):
    with pytest.raises(PtxError, match=complaint):
        lowered(program(instruction))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_micro_ops_are_refused_or_run(seed):
    rng = np.random.default_rng(seed)
    ops = np.zeros(4, MICRO_OP)
    ops["issues"], ops["interval"], ops["latency"], ops["reconverge"], ops["s"], ops["d"] = 1, 1, 1, -1, NO_ROW, NO_ROW
    operands = []
    for op in ops[:3]:
        op["kind"], op["fn"], op["count"] = Kind.GROUP, rng.integers(0, 4), rng.choice([0, 1, 5, 2**30, -1])
        if rng.random() < 0.6:
            fn = int(rng.choice([MatrixOp.F16, MatrixOp.BF16, MatrixOp.TF32, MatrixOp.INTEGER, MatrixOp.E4M3, MatrixOp.E5M2, MatrixOp.F64, 11]))
            op["kind"], op["fn"], op["vec"], op["combine"] = Kind.GROUP_PRODUCT, fn, rng.choice([0, 1, 2, 3, 32, 33]), rng.choice([0, 1, 7, 8, 24])
            op["element"], op["offset"] = {2: 32, 0: 16, 1: 16}.get(fn, 8), rng.choice([0, 4, 8, 12, 16, 63, 1 << 40])
            op["s"] = [rng.choice([NO_ROW, 0, 38, 40, -1]), rng.choice([0, 0, 2, -1, NO_ROW, 41]), rng.choice([0, 1, 2, 9]), NO_ROW, NO_ROW]
            op["held_cycles"] = rng.choice([0, 1, 64, -1, 1 << 25], p=[.3, .3, .3, .05, .05])
            results = int(op["vec"]) * (2 if op["combine"] & 16 else 4)
            count = 2 * results + 4 * (op["s"][0] == NO_ROW)
            op["target"], op["count"] = len(operands), count + rng.choice([0, 0, 0, 0, 1, -1])
            operands += [int(v) for v in rng.integers(0, 40, count)]
            if operands and rng.random() < 0.2:
                operands[-1] = int(rng.choice([-1, -3, -9, 40, 2**30, -2**31]))
    ops[3]["kind"] = Kind.EXIT
    constants = np.array([(0, 8, rng.integers(0, 2**63)), (0, 0, 0), (0, 4, 5)], CONSTANT_ROW)
    loaded = SimpleNamespace(entry="k", ops=ops, targets=np.zeros(0, np.int32), operands=np.array(operands, np.int32), constants=constants,
                             specials=np.array([(6, 1)], SPECIAL_ROW), rows=40, predicates=2, shared_bytes=int(rng.choice([0, 64, 4096, 65536])),
                             local_bytes=0, statements=("a", "b", "c", "d"))
    try:
        simulation = core.Simulation(TABLES, loaded, core.DeviceMemory(1 << 16), (1, 1, 1), (int(rng.choice([32, 128, 128, 256, 130])), 1, 1))
        while simulation.advance():
            pass
    except (core.ProgramError, GuestFault):
        pass
