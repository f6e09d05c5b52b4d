"""Do accesses that wait in queues leave what they would have left at once, and does their warp go on meanwhile?"""
import archdef
import numpy as np
import pytest

KERNEL = """.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u64 sum, .param .u64 times) {
.reg .b32 %r<20>; .reg .b64 %d<8>; .reg .pred %p;
.shared .align 4 .b8 words[4096]; .shared .align 4 .b8 count[4];
ld.param.u64 %d0, [from]; ld.param.u64 %d1, [to]; ld.param.u64 %d2, [sum]; ld.param.u64 %d3, [times];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d4, %r3, 4; add.s64 %d0, %d0, %d4; add.s64 %d1, %d1, %d4; add.s64 %d3, %d3, %d4;
mov.u32 %r4, words; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5; xor.b32 %r7, %r5, 124; add.u32 %r7, %r4, %r7;
setp.eq.u32 %p, %r0, 0; @%p st.shared.u32 [count], 0;
mov.u32 %r12, %clock;
ld.global.u32 %r8, [%d0]; st.shared.u32 [%r6], %r8;
mov.u32 %r13, %clock;
bar.sync 0;
ld.shared.u32 %r9, [%r7]; atom.shared.add.u32 %r10, [count], 1; red.global.add.u32 [%d2], %r9;
shfl.sync.idx.b32 %r11, %r9, 0, 31, -1; add.u32 %r9, %r9, %r11;
st.global.u32 [%d1], %r9;
bar.sync 0;
ld.shared.u32 %r14, [count]; setp.ne.u32 %p, %r14, %r2; @%p trap;
sub.u32 %r13, %r13, %r12; st.global.u32 [%d3], %r13;
ret;
}"""
STORES = """.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 times) {
.reg .b32 %r<9>; .reg .b64 %d<3>;
.shared .align 4 .b8 words[4096];
ld.param.u64 %d0, [times]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d0, %d0, %d1;
mov.u32 %r1, words; shl.b32 %r2, %r0, 7; and.b32 %r2, %r2, 4095; add.u32 %r1, %r1, %r2;
bar.sync 0;
mov.u32 %r3, %clock;
st.shared.u32 [%r1], %r0; st.shared.u32 [%r1], %r3; st.shared.u32 [%r1], %r0; st.shared.u32 [%r1], %r3;
mov.u32 %r4, %clock;
sub.u32 %r4, %r4, %r3; st.global.u32 [%d0], %r4;
ret;
}"""


def queueing():
    return [name for name in archdef.architectures() if archdef.architecture(name).load_store.memory_instruction_queue]


@pytest.mark.parametrize("name", queueing())
@pytest.mark.parametrize("entries, waiting, policy", [(1, 0, "grr"), (1, 1, "grr"), (2, 64, "grr"), (64, 3, "grr"), (4, 20, "gto"), (4, 20, "lrr"),
                                                      (4, 20, "oldest"), (4, 20, "two_level"), (4, 20, "weighted")])
def test_results_do_not_depend_on_how_many_accesses_wait(name, entries, waiting, policy):
    device = archdef.Device(archdef.architecture(name).evolve({
        "load_store.memory_instruction_queue.entries": entries, "load_store.pipeline.data_stage_entries": waiting, "schedulers.policy": policy}))
    n = 40 * 256
    values = np.random.default_rng(5).integers(0, 1 << 20, n, "u4")
    to, total, times = device.zeros(n, "u4"), device.zeros(1, "u4"), device.zeros(n, "u4")
    device.compile(KERNEL).k[n // 256, 256](device.to_device(values), to, total, times)
    swapped = values.reshape(-1, 32)[:, ::-1]
    assert np.array_equal(to.to_host().reshape(-1, 32), swapped + swapped[:, :1])
    assert total.to_host()[0] == values.sum(dtype="u4")


@pytest.mark.parametrize("name", queueing())
def test_a_warp_goes_on_behind_what_it_has_queued(name):
    """Each of four stores occupies the banks for 32 cycles: a warp is through with them before the first has ended, or waits for three."""
    passed = {}
    for entries in (1, 64):
        device = archdef.Device(archdef.architecture(name).evolve(
            {"load_store.memory_instruction_queue.entries": entries, "load_store.pipeline.data_stage_entries": 0}))
        times = device.zeros(32, "u4")
        device.compile(STORES).k[1, 32](times)
        passed[entries] = int(times.to_host().max())
    assert passed[64] < 32 and passed[1] > 64


@pytest.mark.parametrize("name", queueing())
def test_another_scheduling_policy_leaves_the_queue_in_place(name):
    """What a policy changes is the order of issue alone: under each a warp goes on behind its stores."""
    passed = {}
    for policy in ("gto", "lrr", "oldest"):
        for queue in ({}, {"load_store.memory_instruction_queue": None}):
            device = archdef.Device(archdef.architecture(name).evolve({"schedulers.policy": policy, "load_store.pipeline.data_stage_entries": 0} | queue))
            times = device.zeros(32, "u4")
            device.compile(STORES).k[1, 32](times)
            passed[policy, bool(queue)] = int(times.to_host().max())
    assert all(taken > 64 if without else taken < 32 for (_, without), taken in passed.items()), passed
