"""Does the engine keep resident what the occupancy rule allows?"""
from __future__ import annotations

from archdef.errors import LaunchError
from archdef.testing.checks.check import Subject, check, expect
from archdef.testing.checks.samples import kernel

STEPS = 150
"""Turns of the loop that keeps a block alive until its neighbours have arrived."""


def _hoard(values: int) -> str:
    """Write a kernel that keeps some single-precision values alive for a while."""
    body = f".reg .f32 %x<{values + 1}>; cvt.rn.f32.u32 %f1, %r2; mov.u32 %r7, 0;\n"
    body += "".join(f"add.rn.f32 %x{k}, %f1, 0f{0x3F800000 + 0x1000 * k:08X};\n" for k in range(values))
    body += "LOOP:\n" + "".join(f"mul.rn.f32 %x{k}, %x{k}, 0f3F000000; add.rn.f32 %x{k}, %x{k}, %x{(k + 1) % values};\n"
                                for k in range(values))
    body += f"add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, {max(4, STEPS // values)}; @%p1 bra LOOP;\n"
    body += "".join(f"add.rn.f32 %x0, %x0, %x{k};\n" for k in range(1, values))
    return kernel(body + "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.f32 [%rd5], %x0;")


_CASES = {"small blocks": (0.05, 2, 0), "half blocks": (0.5, 2, 0), "whole blocks": (1, 2, 0), "an odd number of threads": (0.33, 2, 0),
          "many registers": (0.25, 24, 0), "more registers": (0.1, 48, 0), "shared memory": (0.1, 2, 0.2), "most shared memory": (0.1, 2, 0.6),
          "registers and shared memory": (0.2, 20, 0.1)}
"""Name → part of the threads that a block may have, values per thread, part of the shared memory that it may have."""


@check(cases=lambda subject: list(_CASES), quick=3)
def residency_equals_occupancy(subject: Subject, case: str) -> None:
    """As many blocks are resident on a multiprocessor as the occupancy rule says, whichever resource limits them."""
    part, values, share = _CASES[case]
    limits = subject.architecture.limits
    # one multiprocessor, and blocks launched back to back, so that all places are taken before the first block ends
    one = subject.architecture.evolve({"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1, "chip.block_launch_cycles": 1})
    most = min(limits.threads_per_block, limits.block_dimensions[0], limits.threads_per_multiprocessor,
               limits.warps_per_multiprocessor * one.warp.size)
    threads, device = max(1, round(part * most)), subject.device(one)
    shared = round(share * limits.shared_bytes_per_block)
    blocks = limits.blocks_per_multiprocessor + 3
    out, module = device.zeros(blocks * threads), device.compile(_hoard(values))
    while True:
        try:
            run = module.k[(blocks,), (threads,), shared](out, out, 0)
            break
        except LaunchError as refused:      # a block that the register file cannot hold is refused, not shrunk
            expect(threads > 1 and "registers" in str(refused), f"a block of {threads} threads is refused: {refused}")
            threads //= 2
    has, wants = run.counters.max_resident_blocks, min(run.occupancy.active_blocks, blocks)
    expect(has == wants, f"{threads} threads, {run.registers} registers, {shared} bytes of shared memory: {has} blocks were resident, "
                         f"occupancy says {wants} (limits: {dict(run.occupancy.limits)})")
    done = int(run.counters.multiprocessor["blocks"].sum())
    expect(done == blocks, f"{done} of {blocks} blocks ran")
