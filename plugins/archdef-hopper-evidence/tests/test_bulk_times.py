"""Bulk copies of one block take the time that they took on the hardware."""
import csv
from importlib import resources

import archdef
import numpy as np
import pytest
from archdef_hopper import H100

with (resources.files("archdef_hopper_evidence") / "data" / "bulk_copies.csv").open(newline="") as file:
    MEASURED = [row for row in csv.DictReader(line for line in file if line[0] != "#") if row["blocks"] == "1"]
START = """.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 128 .b8 tile[];
.shared .align 8 .b64 bar;
.visible .entry k(.param .u64 times, .param .u64 data, .param .u32 bytes, .param .u32 copies)
{
    .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;
    ld.param.u64 %rd1, [times]; ld.param.u64 %rd2, [data]; ld.param.u32 %r1, [bytes]; ld.param.u32 %r2, [copies];
    mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
    mov.u32 %r4, tile; mov.u32 %r5, bar; mbarrier.init.shared::cta.b64 [%r5], 1; fence.proxy.async; mov.u32 %r6, 0;
AGAIN:
    mov.u64 %rd3, %clock64;
"""
STOP = """
    mov.u64 %rd4, %clock64; sub.s64 %rd4, %rd4, %rd3; mul.wide.u32 %rd5, %r6, 8; add.s64 %rd5, %rd1, %rd5; st.global.u64 [%rd5], %rd4;
    add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5; @%p2 bra AGAIN;
END:
    ret;
}"""
LOAD = """
    mul.lo.u32 %r7, %r1, %r2; mbarrier.arrive.expect_tx.shared::cta.b64 %rd6, [%r5], %r7;
    mov.u32 %r8, 0; mov.u32 %r9, %r4; mov.u64 %rd7, %rd2; cvt.u64.u32 %rd8, %r1;
COPY:
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd7], %r1, [%r5];
    add.u32 %r9, %r9, %r1; add.s64 %rd7, %rd7, %rd8; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, %r2; @%p3 bra COPY;
    and.b32 %r10, %r6, 1;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r5], %r10; @!%p3 bra WAIT;
"""
STORE = """
    cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r4], %r1; cp.async.bulk.commit_group; cp.async.bulk.wait_group{read} 0;
"""


def test_bulk_copies_take_the_measured_time():
    device = archdef.Device(H100.evolve({"chip.multiprocessors": 1}))
    modules = {"load": LOAD, "store": STORE.format(read=""), "store.read": STORE.format(read=".read")}
    modules = {route: device.compile(START + body + STOP) for route, body in modules.items()}
    times, data = device.zeros(5, "u8"), device.zeros(1 << 15, "u4")
    far = {}
    for row in MEASURED:
        modules[row["route"]]["k"][(1,), (32,), 140_000](times, data, np.uint32(row["bytes"]), np.uint32(row["copies"]))
        ratio = int(times.to_host()[4]) / int(row["later"])
        if not 0.85 < ratio < 1.15:
            far[row["route"], row["bytes"], row["copies"]] = ratio
    assert len(MEASURED) == 27 and far == {}


@pytest.mark.parametrize("field", ["isa.operations.bulk_copy", "load_store.bulk_copies.read_bytes_per_cycle", "load_store.bulk_copies.write_bytes_per_cycle"])
def test_what_was_measured_says_so(field):
    assert H100.evidence_for(field).kind == "measured"
