"""Branches, guards and loads of one warp, whose waits are the assembler's: cycles a trip as on an H100."""
import csv
from functools import cache
from importlib.resources import files

import archdef
import numpy as np
import pytest

ROWS = list(csv.DictReader((files("archdef_hopper_evidence") / "data" / "branches.csv").read_text().splitlines()))
ADDITION = "fma.rn.f32 %f1,%f1,%f2,%f2;"
TEST = "setp.gt.f32 %p4,%f1,%f2;"
BODIES = {
    "additions in a chain; a test far before the branch back": lambda n: n * ADDITION,
    "a test and an addition that it guards": lambda n: n * f"{TEST} @%p4 add.f32 %f1,%f1,%f2;",
    "a test and a selection by it": lambda n: n * f"{TEST} selp.f32 %f1,%f1,%f2,%p4;",
    "branches around one addition that no lane takes": lambda n: "".join(
        f"{2 * ADDITION} @%p1 bra U{k}; bar.warp.sync -1; fma.rn.f32 %f3,%f3,%f2,%f2; U{k}:" for k in range(n)),
    "a test and a vote and an addition that it guards": lambda n: n * f"{TEST} vote.sync.any.pred %p5,%p4,-1; @%p5 add.f32 %f1,%f1,%f2;",
    "loads from L1 and their sum": lambda n: "".join(f"ld.global.ca.f32 %f{10 + k},[%rd5+{1024 + 128 * k}];" for k in range(n)) + "".join(
        f"add.f32 %f3,%f3,%f{10 + k};" for k in range(n)) + "add.s64 %rd5,%rd5,%rd16;",
}
KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry loop(.param .u64 floats, .param .u64 integers, .param .u64 cycles) {{
.reg .b64 %rd<40>; .reg .b32 %r<20>; .reg .f32 %f<40>; .reg .pred %p<12>;
ld.param.u64 %rd2,[floats]; ld.param.u64 %rd3,[integers]; ld.param.u64 %rd1,[cycles];
mov.u32 %r10,%tid.x; mul.wide.u32 %rd4,%r10,4; add.s64 %rd5,%rd2,%rd4; add.s64 %rd6,%rd3,%rd4;
ld.global.f32 %f1,[%rd5]; ld.global.f32 %f2,[%rd5+128]; ld.global.u32 %r1,[%rd6]; ld.global.u32 %r2,[%rd6+128]; ld.global.u32 %r3,[%rd6+256];
mov.f32 %f3,%f1; cvt.u64.u32 %rd16,%r3; setp.eq.s32 %p1,%r3,77;
bar.sync 0;
mov.u64 %rd20,%clock64;
LOOP:
{body}
sub.s32 %r1,%r1,%r2; setp.gt.s32 %p9,%r1,0; @%p9 bra LOOP;
mov.u64 %rd21,%clock64;
sub.s64 %rd22,%rd21,%rd20; add.f32 %f1,%f1,%f3; st.global.f32 [%rd5],%f1; st.global.u64 [%rd1],%rd22;
ret;
}}"""


@cache
def trip(what: str, times: int) -> float:
    """Give the mean cycles of a trip, of 100."""
    device = archdef.Device("h100")
    loop = device.compile(KERNEL.format(body=BODIES[what](times))).loop
    took = []
    for trips in (100, 200):
        cycles = device.zeros(1, "i8")
        loop[1, 32](device.zeros(8192, "f4"), device.to_device(np.repeat(np.int32([trips, 1, 0]), 32)), cycles)
        took.append(int(cycles.to_host()[0]))
    return (took[1] - took[0]) / 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['times']} {row['what']}")
def test_a_trip_takes_as_long_as_on_the_hardware(row):
    within = 0.35 if "loads" in row["what"] else 0.15 if "branches" in row["what"] else 0.1     # H29
    assert trip(row["what"], int(row["times"])) == pytest.approx(float(row["cycles"]), rel=within)


def test_a_predicate_is_later_as_a_guard_than_as_an_operand():
    guarded, selected = (trip(f"a test and {what}", 16) for what in ("an addition that it guards", "a selection by it"))
    assert guarded - selected == pytest.approx(16 * 9, rel=0.1)
