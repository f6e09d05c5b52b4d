"""Bank conflicts: other warps issue during the passes that they add, or, where arithmetic itself reads shared memory, none does."""
import numpy as np
import pytest

import archdef
from archdef import registry

LOADS, ADDS, WARPS = 24, 256, 8


def kernel(stride, lanes):
    """The first warp reads shared memory with a stride, the others add."""
    loads = "".join(f"    ld.shared.u32 %r4, [%r3+{4 * k}]; xor.b32 %r6, %r6, %r4;\n" for k in range(LOADS))
    adds = "".join(f"    add.u32 %r{6 + k % 4}, %r{6 + k % 4}, %r1;\n" for k in range(ADDS))
    return f""".version 7.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p; .shared .align 4 .b8 words[{4 * stride * lanes + 4 * LOADS}];
    mov.u32 %r1, %tid.x; mov.u32 %r2, words; mad.lo.u32 %r3, %r1, {4 * stride}, %r2;
    mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u32 %r9, 0;
    setp.lt.u32 %p, %r1, {lanes};
    @%p bra READS;
{adds}    bra.uni END;
READS:
{loads}
END:
    add.u32 %r6, %r6, %r7; add.u32 %r8, %r8, %r9; add.u32 %r6, %r6, %r8;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r6;
    ret;
}}"""


def measured(name, stride, holds):
    device = archdef.Device(registry.get(name).evolve({"shared.conflicts_hold_issue": holds, "shared.pass_latency_cycles": None}))
    lanes = device.architecture.warp.size
    out = device.zeros(WARPS * lanes, "u4")
    run = device.compile(kernel(stride, lanes)).k[1, WARPS * lanes](out)
    assert (out.to_host()[lanes:] == np.arange(lanes, WARPS * lanes) * ADDS).all()
    return run


@pytest.mark.parametrize("name", registry.names())
def test_others_wait_for_the_passes_that_a_conflict_adds(name):
    shared = registry.get(name).shared
    free, held = (measured(name, shared.banks * shared.row_words, holds) for holds in (False, True))
    assert free.counters.shared_load_passes == held.counters.shared_load_passes > LOADS * registry.get(name).warp.size // 2
    assert held.counters.instructions == free.counters.instructions
    assert held.counters.multiprocessor["warp_cycles"].sum() > free.counters.multiprocessor["warp_cycles"].sum()


@pytest.mark.parametrize("name", registry.names())
def test_without_conflicts_nobody_waits(name):
    free, held = (measured(name, 1, holds) for holds in (False, True))
    assert free.cycles == held.cycles
