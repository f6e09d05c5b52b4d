"""The barrier of a cluster: who is waited for, and who is not."""
import numpy as np
import pytest
from cluster_kernels import NEXT, SYNC, device, results, text

from archdef.errors import GuestFault

WORK = "mov.u32 %r25, 0; mul.lo.u32 %r26, %r8, 60; LATE: add.u32 %r25, %r25, 1; setp.lt.u32 %p9, %r25, %r26; @%p9 bra LATE;\n"
"""Longer in blocks of higher rank."""


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("arrive, wait", [(".release", ".acquire"), (".relaxed", ""), ("", ".acquire.aligned"), (".release.aligned", "")])
def test_nobody_passes_before_all_blocks_have_arrived(n, arrive, wait):
    """Four rounds of: store, arrive, wait, read the next block's, arrive, wait."""
    sync = f"barrier.cluster.arrive{arrive}; barrier.cluster.wait{wait};"
    body = WORK + f"""{NEXT} mapa.shared::cluster.u32 %r11, %r7, %r10; mov.u32 %r21, 0;
ROUND: add.u32 %r12, %r4, %r21; st.shared.u32 [%r7], %r12; {sync} ld.shared::cluster.u32 %r13, [%r11]; add.u32 %r20, %r20, %r13; {sync}
    add.u32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, 4; @%p1 bra ROUND;"""
    found = results(body, 8, 96, n)
    block = np.arange(8)
    of = block // n * n + (block + 1) % n
    assert np.array_equal(found, 4 * (of[:, None] * 96 + np.arange(96)) + 6)


@pytest.mark.parametrize("n", [2, 4])
def test_threads_that_have_ended_count_as_arrived(n):
    """A part of each block's threads ends at once, the others meet twice."""
    body = f"""mul.lo.u32 %r11, %r8, 8; add.u32 %r11, %r11, 20; setp.ge.u32 %p1, %r1, %r11; @%p1 exit; st.shared.u32 [%r7], %r4;
    barrier.cluster.arrive; barrier.cluster.wait; {NEXT} mapa.shared::cluster.u32 %r12, %r5, %r10; ld.shared::cluster.u32 %r20, [%r12];
    barrier.cluster.arrive; barrier.cluster.wait;"""
    found = results(body, 8, 64, n)
    block, lane = np.arange(8)[:, None], np.arange(64)[None]
    assert np.array_equal(found, np.where(lane < 20 + block % n * 8, (block // n * n + (block + 1) % n) * 64, 0))


@pytest.mark.parametrize("ended", [0, 1, 3])
@pytest.mark.parametrize("late", [False, True])
def test_blocks_that_have_ended_count_as_arrived(ended, late):
    work = "mov.u32 %r25, 0; L: add.u32 %r25, %r25, 1; setp.lt.u32 %p9, %r25, 400; @%p9 bra L;" if late else ""
    body = f"setp.eq.u32 %p1, %r8, {ended}; @!%p1 bra ON; {work} exit; ON: {SYNC * 3} add.u32 %r20, %r4, 1;"
    found = results(body, 8, 64, 4)
    block = np.arange(8)[:, None]
    assert np.array_equal(found, np.where(block % 4 == ended, 0, np.arange(512).reshape(8, 64) + 1))


def test_threads_that_arrive_and_end_without_waiting():
    body = f"setp.eq.u32 %p1, %r8, 1; @!%p1 bra ON; barrier.cluster.arrive; exit; ON: {WORK} {SYNC * 2} add.u32 %r20, %r4, 1;"
    found = results(body, 8, 64, 4)
    assert np.array_equal(found, np.where(np.arange(8)[:, None] % 4 == 1, 0, np.arange(512).reshape(8, 64) + 1))


def test_work_between_arriving_and_waiting_hides_the_wait():
    work = "mov.u32 %r25, 0; L: add.u32 %r25, %r25, 1; setp.lt.u32 %p9, %r25, 40; @%p9 bra L;"

    def cycles(between: str, behind: str) -> int:
        d = device()
        return d.compile(text(f"barrier.cluster.arrive; {between} barrier.cluster.wait; {behind}")).k[4, 32].launch(d.zeros(128, "u4"), cluster=4).cycles
    assert cycles(work, "") < cycles("", work) - 100


def test_more_clusters_than_have_room_follow_each_other():
    body = f"st.shared.u32 [%r7], %r4;{SYNC}{NEXT} mapa.shared::cluster.u32 %r11, %r7, %r10; ld.shared::cluster.u32 %r20, [%r11];{SYNC}"
    found = results(body, 512, 64, 8, shared=100_000)
    block = np.arange(512)
    assert np.array_equal(found, (block // 8 * 8 + (block + 1) % 8)[:, None] * 64 + np.arange(64))


def test_epochs_do_not_show():
    """The same launch in shorter epochs takes as long."""
    from archdef.engine import core
    body = WORK + f"st.shared.u32 [%r7], %r4;{SYNC}{NEXT} mapa.shared::cluster.u32 %r11, %r7, %r10; ld.shared::cluster.u32 %r20, [%r11];{SYNC}"
    cycles = set()
    for lookahead in (0, 40, 7):
        d = device()
        grid = d.compile(text(body)).k[16, 64].prepare(d.zeros(1024, "u4"), cluster=8)
        session = core.Session(d.machine, d.memory.engine, 1 << 40, 1 << 40, lookahead)
        running = grid.start(session)
        while session.advance(1000):
            pass
        session.finished()
        cycles.add(session.result(running)["cycles"])
    assert len(cycles) == 1


def test_a_deadlock_names_the_clusters_barrier():
    body = "setp.eq.u32 %p1, %r8, 1; @%p1 bra BLOCKED; barrier.cluster.arrive; barrier.cluster.wait; bra OUT; BLOCKED: bar.sync 1, 64; OUT: mov.u32 %r20, 1;"
    with pytest.raises(GuestFault, match="at the barrier of its cluster") as caught:
        results(body, 4, 32, 2)
    assert caught.value.kind == "deadlock"
    assert "cluster" in {entry["barrier"] for entry in caught.value.data["waiting"]}
