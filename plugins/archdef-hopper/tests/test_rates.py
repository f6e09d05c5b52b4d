"""What all four schedulers share, the load/store unit and its L1, runs at the measured rates."""
import archdef
import pytest
from archdef_hopper import H100

MEASURED = [  # what is repeated, address per thread, cycles per warp instruction and multiprocessor with 32 warps (microbenchmarks)
    ("shfl.sync.bfly.b32 %r10, %r30, 1, 31, -1;", "", 1.008),
    ("ld.shared.u32 %r10, [%r4];", "shl.b32 %r5, %r1, 2; add.u32 %r4, %r3, %r5;", 1.026),
    ("ld.shared.v2.u32 {%r10, %r11}, [%r4];", "shl.b32 %r5, %r1, 3; add.u32 %r4, %r3, %r5;", 2.023),
    ("ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];", "shl.b32 %r5, %r1, 4; add.u32 %r4, %r3, %r5;", 4.024),
    ("ld.shared.u32 %r10, [%r4];", "shl.b32 %r5, %r1, 4; add.u32 %r4, %r3, %r5;", 4.023),
    ("ld.global.ca.u32 %r10, [%rd5];", "mul.wide.u32 %rd6, %r1, 4; add.s64 %rd5, %rd1, %rd6;", 1.042),
    ("ld.global.ca.v2.u32 {%r10, %r11}, [%rd5];", "mul.wide.u32 %rd6, %r1, 8; add.s64 %rd5, %rd1, %rd6;", 2.044),
    ("ld.global.ca.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5];", "mul.wide.u32 %rd6, %r1, 16; add.s64 %rd5, %rd1, %rd6;", 4.056)]


def cycles(step: str, start: str, repeated: int, threads: int = 1024, **changes) -> int:
    body = (step + " xor.b32 %r30, %r30, %r10;") * repeated
    text = f""".version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p;
    .shared .align 16 .b8 tile[16384];
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, tile; mov.u32 %r30, 0; {start}
AGAIN:
    {body}
    add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 8; @%p bra AGAIN;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r30;
    ret;
}}"""
    device = archdef.Device(H100.evolve({"chip.multiprocessors": 1} | changes))
    return device.compile(text).k[1, threads](device.zeros(4096, "u4")).cycles


@pytest.mark.parametrize("step, start, measured", MEASURED)
def test_rates_of_what_the_schedulers_share(step, start, measured):
    here = (cycles(step, start, 64) - cycles(step, start, 32)) / (32 * 8 * 32)    # in short ones, warps load and add up at the same time
    assert here == pytest.approx(measured, rel=0.07)


@pytest.mark.parametrize("between", ["", "add.u32 %r31, %r31, 7;"])
def test_accesses_of_a_warp_are_as_far_apart_as_declared(between):
    took = [cycles(f"st.shared.u32 [%r3], %r31; {between}", "mov.u32 %r31, %r1; mov.u32 %r10, 0;", 4, 32, **{"load_store.pipeline.issue_interval_cycles": d})
            for d in (9, 29)]
    assert took[1] - took[0] == 8 * 3 * 20
