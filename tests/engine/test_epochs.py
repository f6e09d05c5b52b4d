"""Do cycles and counters stay the same however long the epochs are in which multiprocessors run alone?

The kernels are such that much happens in one cycle: fills of many small reads, stores that land together, blocks that end together, or whose
ends are known before they come, messages that meet at one mbarrier.
"""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.engine import core

MACHINES = [name for name in ("gf100", "gt200", "k20", "v100", "h100", "c500") if name in registry.names()]
CLUSTERED = [name for name in registry.names() if registry.get(name).block_clusters is not None]
ENDING = [name for name in MACHINES if (launch := registry.get(name).chip.block_launch) is not None and launch.end_cycles]
LENGTHS = (0, "half", 7)
HEAD = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 stride)
{{
    .reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r9, [stride];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3; mov.u32 %r20, 0;
{body}
}}
"""
WORDS = 1 << 14
SCATTERED = f"mad.lo.u32 %r5, %r5, 1664525, 1013904223; shr.u32 %r6, %r5, 8; and.b32 %r6, %r6, {WORDS - 1}; mul.wide.u32 %rd5, %r6, 4;\n"
"""Give %rd5 an offset into the input that looks like chance."""
BODIES = {
    "reads anywhere": "mov.u32 %r5, %r4;" + "".join(
        f"{SCATTERED} add.u64 %rd6, %rd2, %rd5; ld.global.u32 %r{10 + k}, [%rd6];\n" for k in range(6)) + "".join(
        f"add.u32 %r20, %r20, %r{10 + k};" for k in range(6)) + "st.global.u32 [%rd4], %r20; ret;",
    "reads behind each other": "mov.u32 %r5, %r4;" + "".join(
        f"{SCATTERED} add.u64 %rd6, %rd2, %rd5; ld.global.u32 %r10, [%rd6]; add.u32 %r5, %r5, %r10;\n" for _ in range(5)) + "st.global.u32 [%rd4], %r5; ret;",
    "reads by columns": "mul.lo.u32 %r5, %r1, %r9; mad.lo.u32 %r5, %r2, 4, %r5;" + "".join(
        f"and.b32 %r6, %r5, {WORDS - 1}; mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %rd2, %rd5; ld.global.u32 %r10, [%rd6];"
        f"add.u32 %r20, %r20, %r10; add.u32 %r5, %r5, 32;\n" for _ in range(4)) + "st.global.u32 [%rd4], %r20; ret;",
    "stores anywhere": "mov.u32 %r5, %r4;" + "".join(
        f"{SCATTERED} add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r20; add.u64 %rd6, %rd2, %rd5; ld.global.u32 %r10, [%rd6];\n"
        for _ in range(3)) + "ret;",
    "atomics whose old values nobody wants": "mov.u32 %r5, %r4;" + "".join(
        f"{SCATTERED} add.u64 %rd6, %rd1, %rd5; red.global.add.u32 [%rd6], %r1;\n" for _ in range(3)) + "ret;",
    "reads that nobody waits for": """.shared .align 4 .b8 room[12288]; mov.u32 %r7, room; st.shared.u32 [%r7], %r1;
    mul.lo.u32 %r5, %r1, %r9; mad.lo.u32 %r5, %r2, 65, %r5; and.b32 %r5, %r5, 16383; mul.wide.u32 %rd5, %r5, 4; add.u64 %rd6, %rd2, %rd5;
    ld.volatile.global.u32 %r10, [%rd6]; ld.volatile.global.u32 %r11, [%rd6]; ret;""",
}
MEETING = """.shared .align 8 .b64 bar; .shared .align 4 .b8 room[4096];
    mov.u32 %r7, bar; mov.u32 %r12, %cluster_ctarank; mapa.shared::cluster.u32 %r8, %r7, 0; setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared.b64 [%r7], 128; fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive; barrier.cluster.wait;
    mul.wide.u32 %rd5, %r4, 64; add.u64 %rd6, %rd2, %rd5; ld.global.u32 %r10, [%rd6]; add.u32 %r20, %r20, %r10;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];
    setp.ne.u32 %p2, %r12, 0; @%p2 bra DONE;
SPIN: mbarrier.test_wait.parity.shared.b64 %p3, [%r7], 0; @!%p3 bra SPIN;
DONE: barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%rd4], %r20; ret;"""


def _result(device, text, grid, block, stride, length, **options):
    """What a launch counts in epochs of a length, on memory that nobody has touched."""
    out, source = device.zeros(1 << 18, "u4"), device.to_device(np.arange(1 << 18, dtype=np.uint32))
    prepared = device.compile(text).k[grid, block].prepare(out, source, stride, **options)
    if length == "half":
        length = max(core.Session(device.machine, device.memory.engine, 1, 1).lookahead_cycles // 2, 1)
    session = core.Session(device.machine, device.memory.engine, 1 << 40, 1 << 40, length)
    running = prepared.start(session)
    while session.advance(1000):
        pass
    session.finished()
    return session.result(running)


def _differences(one, other):
    """Names of what two results do not have in common."""
    assert one.keys() == other.keys()
    return [name for name in one if not (np.array_equal(one[name], other[name]) if isinstance(one[name], np.ndarray) else one[name] == other[name])]


def _examine(name, text, *launch, **options):
    results = [_result(archdef.Device(name), text, *launch, length, **options) for length in LENGTHS]
    found = {length: (result["cycles"], _differences(results[0], result)) for length, result in zip(LENGTHS, results)}
    assert all(differences == [] for _, differences in found.values()), found


@pytest.mark.parametrize("kernel", BODIES)
@pytest.mark.parametrize("name", MACHINES)
def test_cycles_and_counters_are_the_same_in_shorter_epochs(name, kernel):
    blocks = min(6 * registry.get(name).chip.multiprocessors, 400)
    _examine(name, HEAD.format(version="6.0", target="sm_30", body=BODIES[kernel]), blocks, 64, 33)


@pytest.mark.parametrize("name", ENDING)
def test_ends_of_blocks_that_lie_ahead_wait_for_those_before(name):
    """Words of one bank come one after the other, so that a block whose last reads nobody waits for ends later than is seen."""
    _examine(name, HEAD.format(version="6.0", target="sm_30", body=BODIES["reads that nobody waits for"]), 4000, 32, 32)


@pytest.mark.parametrize("name", CLUSTERED)
def test_messages_of_several_blocks_to_one_mbarrier_come_in_an_order_of_their_own(name):
    _examine(name, HEAD.format(version="8.0", target="sm_90", body=MEETING), 64, 32, 1, cluster=4)
