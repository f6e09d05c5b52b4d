"""On a machine that does not declare clusters of blocks, a cluster is one block: what names or waits for its blocks finds that one."""
import numpy as np
import pytest
from lowering import kernel
from run_ptx import machine, run

import archdef
from archdef.errors import GuestFault, LaunchError

START = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 0; mov.u32 %r3, tile;"
HEAD = ".shared .align 16 .b8 tile[1024];"


def results(body, threads=96, grid=1):
    text = kernel(START + body + "st.global.u32 [%rd3], %r2;", head=HEAD)
    return run(text, np.zeros(threads, np.uint32), block=threads, grid=grid)


def test_a_rank_maps_to_the_blocks_own_shared_memory():
    body = """shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; st.shared.u32 [%r5], %r1; bar.sync 0; mov.u32 %r9, %cluster_ctarank;
    mapa.shared::cluster.u32 %r6, %r5, %r9; ld.shared::cluster.u32 %r2, [%r6];
    cvt.u64.u32 %rd4, %r5; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, 0; ld.u32 %r7, [%rd5]; add.u32 %r2, %r2, %r7;
    mapa.shared::cluster.u32 %r8, tile, 0; sub.u32 %r8, %r8, %r3; add.u32 %r2, %r2, %r8;
    getctarank.shared::cluster.u32 %r10, %r6; add.u32 %r2, %r2, %r10; getctarank.u64 %r10, %rd5; add.u32 %r2, %r2, %r10;"""
    assert np.array_equal(results(body), 2 * np.arange(96))


@pytest.mark.parametrize("body", ["mapa.shared::cluster.u32 %r6, %r3, 1; ld.shared::cluster.u32 %r2, [%r6];",
                                  "mov.u64 %rd4, tile; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, 3; ld.u32 %r2, [%rd5];"])
def test_another_blocks_memory_cannot_be_accessed(body):
    with pytest.raises(GuestFault, match="outside|not a multiple"):
        results(body)


def test_nobody_passes_the_barrier_before_all_have_arrived():
    body = """mov.u32 %r20, 0;
ROUND: shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; add.u32 %r6, %r1, %r20; st.shared.u32 [%r5], %r6;
    barrier.cluster.arrive.release.aligned; mov.u32 %r7, %r6; barrier.cluster.wait.acquire.aligned;
    xor.b32 %r8, %r4, 128; setp.gt.u32 %p1, %r8, 380; @%p1 mov.u32 %r8, %r4; add.u32 %r9, %r3, %r8; ld.shared.u32 %r10, [%r9];
    add.u32 %r2, %r2, %r10; barrier.cluster.arrive; barrier.cluster.wait;
    add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 3; @%p2 bra ROUND;"""
    lane = np.arange(96)
    other = np.where(lane ^ 32 > 95, lane, lane ^ 32)
    assert np.array_equal(results(body, grid=1), 3 * other + 3)


def test_work_between_arriving_and_waiting_hides_the_wait():
    def cycles(first, then):
        late = "setp.ge.u32 %p1, %r1, 64; @!%p1 bra GO;" + "mad.lo.u32 %r20, %r20, %r20, %r1;" * 60 + "GO: "
        body = late + f"barrier.cluster.arrive; {first} barrier.cluster.wait; {then} add.u32 %r2, %r20, %r21;"
        device = archdef.Device(machine())
        return device.compile(kernel(START + body + "st.global.u32 [%rd3], %r2;", head=HEAD)).k[1, 96](device.zeros(96, "u4")).cycles
    work = "setp.lt.u32 %p1, %r1, 64; @!%p1 bra ON;" + "mad.lo.u32 %r21, %r21, %r21, %r1;" * 60 + "ON: mov.u32 %r22, 0;"
    assert cycles(work, "") < cycles("", work) - 100


def test_threads_that_have_ended_are_not_waited_for():
    body = "setp.ge.u32 %p1, %r1, 64; @%p1 exit; barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r2, %r1, 1;"
    assert np.array_equal(results(body), np.where(np.arange(96) < 64, np.arange(96) + 1, 0))
    body = "setp.ge.u32 %p1, %r1, 64; @!%p1 barrier.cluster.arrive; @!%p1 barrier.cluster.wait; @%p1 exit; add.u32 %r2, %r1, 1;"
    assert np.array_equal(results(body), np.where(np.arange(96) < 64, np.arange(96) + 1, 0))


def test_a_warp_with_a_stack_arrives_with_any_of_its_lanes():
    arrive = "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r2, %r1, 1;"
    assert np.array_equal(results(arrive), np.arange(96) + 1)


def test_lanes_that_do_not_wait_go_on_beside_lanes_that_do():
    body = """and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; barrier.cluster.arrive; @%p1 barrier.cluster.wait;
    add.u32 %r2, %r1, 1; @%p1 add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;"""
    found = run(kernel(START + body, head=HEAD), np.zeros(96, np.uint32), block=96, arch=machine(warp__reconvergence="convergence_barriers"))
    assert np.array_equal(found, np.arange(96) + 2 - np.arange(96) % 2)


def test_kernels_of_larger_clusters_are_refused():
    device = archdef.Device(machine())
    text = kernel("ret;").replace(")\n{", ")\n.explicitcluster\n.reqnctapercluster CLUSTER\n{", 1)
    device.compile(text.replace("CLUSTER", "1, 1, 1")).k[2, 32](device.zeros(4))
    with pytest.raises(LaunchError, match="in clusters of 4 blocks on .*: it does not declare block_clusters"):
        device.compile(text.replace("CLUSTER", "2, 2")).k[(2, 2), 32](device.zeros(4))


def test_parted_lanes_arrive_and_wait_each_in_their_own_place():
    body = """and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; mov.u32 %r20, 0;
ROUND: shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; add.u32 %r6, %r1, %r20; st.shared.u32 [%r5], %r6; @%p1 bra EVEN;
    mad.lo.u32 %r7, %r6, %r6, %r6; barrier.cluster.arrive; barrier.cluster.wait; bra MET;
EVEN: barrier.cluster.arrive; barrier.cluster.wait;
MET: xor.b32 %r8, %r4, 124; add.u32 %r9, %r3, %r8; ld.shared.u32 %r10, [%r9]; add.u32 %r2, %r2, %r10;
    barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 3; @%p2 bra ROUND;"""
    text = kernel(START + body + "st.global.u32 [%rd3], %r2;", head=HEAD)
    found = run(text, np.zeros(96, np.uint32), block=96, arch=machine(warp__reconvergence="convergence_barriers"))
    assert np.array_equal(found, 3 * (np.arange(96) ^ 31) + 3)


def test_a_thread_that_arrives_and_ends_does_not_stand_for_another():
    body = """setp.lt.u32 %p1, %r1, 64; @!%p1 bra LATE; barrier.cluster.arrive; exit;
LATE: mov.u32 %r20, 1;""" + "mad.lo.u32 %r20, %r20, %r20, %r1;" * 50 + "barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r2, %r1, 1;"
    assert np.array_equal(results(body), np.where(np.arange(96) < 64, 0, np.arange(96) + 1))
