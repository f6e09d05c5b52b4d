"""Do scattered accesses of all multiprocessors take as long as on the hardware?"""
import csv
from pathlib import Path

import numpy as np
import pytest

import archdef

DATA = Path(__file__).resolve().parents[1] / "src" / "archdef_hopper_evidence" / "data" / "scatter.csv"
WARPS = 16
OFFSETS = {"1 line, full": (lambda k: 4 * k, 128), "2 lines, half sectors": (lambda k: 8 * k, 256),
           "8 lines, 4 partial sectors each": (lambda k: 32 * k, 1024),
           "16 lines, 2 partial sectors each": (lambda k: k // 2 * 128 + k % 2 * 32, 2048),
           "32 lines, 1 partial sector each": (lambda k: 128 * k, 4096), "8 lines, 1 half sector each": (lambda k: k // 4 * 128 + k % 4 * 4, 1024)}
STORES = """.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 lanes, .param .u32 step, .param .u32 requests) {
.reg .b32 %r<9>; .reg .b64 %d<6>; .reg .pred %p;
ld.param.u64 %d0, [p]; ld.param.u64 %d1, [lanes]; ld.param.u32 %r0, [step]; ld.param.u32 %r7, [requests];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3; shr.u32 %r1, %r1, 5;
and.b32 %r3, %r3, 31; mul.wide.u32 %d2, %r3, 4; add.s64 %d2, %d1, %d2; ld.global.u32 %r4, [%d2];
mul.lo.u32 %r1, %r1, %r7; mov.u32 %r5, 0;
L: add.u32 %r6, %r1, %r5; mul.lo.u32 %r6, %r6, %r0; and.b32 %r6, %r6, 1048575; add.u32 %r6, %r6, %r4; cvt.u64.u32 %d3, %r6;
add.s64 %d3, %d0, %d3; st.global.u32 [%d3], 0;
add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, %r7; @%p bra L;
ret;
}"""


def measured(operation: str, blocks: int) -> dict[str, float]:
    """Cycles per request by pattern."""
    with open(DATA, newline="") as file:
        return {r["pattern"]: float(r["cycles_per_request"]) for r in csv.DictReader(file)
                if (r["operation"], r["multiprocessors"], r["requests_per_warp"]) == (operation, str(blocks), "64")}


@pytest.mark.parametrize("pattern", OFFSETS)
def test_stores_of_all_multiprocessors_take_as_long_as_measured(pattern):
    """A store that leaves bytes of a sector alone sends a mask along; half of the multiprocessors are enough to fill the network."""
    device = archdef.Device("h100")
    offset, step = OFFSETS[pattern]
    memory, lanes = device.zeros((1 << 19,), "u4"), device.to_device(np.array([offset(k) for k in range(32)], "u4"))
    kernel = device.compile(STORES).k
    few, many = (kernel[(132,), (32 * WARPS,)](memory, lanes, np.uint32(step), np.uint32(requests)).cycles for requests in (16, 48))
    assert (many - few) / (32 * WARPS) == pytest.approx(measured("st4", 132)[pattern], rel=0.225)
