"""Asynchronous copies bring the bytes, and only their waits take time; barriers in shared memory count arrivals and bytes."""
import numpy as np
import pytest
from lowering import kernel, lowered
from lowering import machine as standin
from run_ptx import machine, run

import archdef
from archdef.errors import GuestFault, MissingFeature, PtxError
from archdef.frontends import Options, nvrtc

LANES = np.arange(32, dtype=np.uint32)
HEAD = ".shared .align 16 .b8 tile[1024]; .shared .align 8 .b64 bar[2];"
COPY = """ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
    shl.b32 %r2, %r1, 4; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; """
BACK = " bar.sync 0; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3]; st.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};"
DATA = np.arange(1, 32 * 16 + 1, dtype=np.uint32).astype(np.uint8)


def copied(body, **arguments):
    text = kernel(COPY + body + BACK, ".param .u64 out, .param .u64 in", head=HEAD)
    return run(text, np.full(512, 255, np.uint8), DATA, **arguments)[0].reshape(32, 16)


WAIT = " cp.async.commit_group; cp.async.wait_group 0;"


@pytest.mark.parametrize("body, size", [("cp.async.cg.shared.global [%r3], [%rd4], 16;", 16), ("cp.async.ca.shared.global [%r3], [%rd4], 16;", 16),
                                        ("cp.async.ca.shared.global.L2::128B [%r3], [%rd4], 8;", 8),
                                        ("cp.async.ca.shared::cta.global [%r3], [%rd4], 4;", 4)])
def test_copies_bring_their_bytes(body, size):
    found = copied(body + WAIT)
    assert np.array_equal(found[:, :size], DATA.reshape(32, 16)[:, :size])
    assert not found[:, size:].any()


def test_missing_bytes_are_zero():
    found = copied("and.b32 %r5, %r1, 15; cp.async.cg.shared.global [%r3], [%rd4], 16, %r5;" + WAIT)
    for lane in range(32):
        assert np.array_equal(found[lane], np.where(np.arange(16) < lane % 16, DATA.reshape(32, 16)[lane], 0))
    # lanes that read nothing may have any address
    found = copied("setp.lt.u32 %p1, %r1, 9; @%p1 mov.u64 %rd4, 12345; cp.async.cg.shared.global [%r3], [%rd4], 16, %p1; cp.async.wait_all;")
    assert not found[:9].any() and np.array_equal(found[9:], DATA.reshape(32, 16)[9:])


@pytest.mark.parametrize("body, message", [
    ("add.u64 %rd4, %rd4, 4096; cp.async.ca.shared.global [%r3], [%rd4], 16;", "outside global memory|outside"),
    ("add.u32 %r3, %r3, 1008; cp.async.ca.shared.global [%r3], [%rd4], 16;", "outside"),
    ("mov.u32 %r3, 0xFFFFFFF0; cp.async.ca.shared.global [%r3], [%rd4], 16;", "outside"),
    ("mov.u32 %r3, 0x01000000; cp.async.ca.shared.global [%r3], [%rd4], 16;", "outside"),
    ("mov.u64 %rd4, 0x01000000; cp.async.ca.shared.global [%r3], [%rd4], 16;", "outside"),
    ("add.u64 %rd4, %rd4, 4; cp.async.ca.shared.global [%r3], [%rd4], 8;", "multiple of the 8"),
    ("add.u32 %r3, %r3, 2; cp.async.ca.shared.global [%r3], [%rd4], 4;", "multiple of the 4"),
])
def test_copies_are_checked_like_accesses(body, message):
    with pytest.raises(GuestFault, match=message):
        copied(body + WAIT)


def stalls(body):
    device = archdef.Device(machine())
    module = device.compile(kernel(COPY + body + BACK, ".param .u64 out, .param .u64 in", head=HEAD))
    run = module.k[1, 32](device.zeros(512, "u1"), device.to_device(DATA))
    return run, {s.text.split()[0]: s.counters.stalls["memory_dependency"] for s in run.statements if s.text.startswith("cp.async")}


def test_a_copy_takes_time_where_it_is_waited_for():
    work = " ".join("mad.lo.u32 %r20, %r20, %r20, %r1;" for _ in range(100))
    run, found = stalls("cp.async.cg.shared.global [%r3], [%rd4], 16;" + WAIT + work)
    assert found["cp.async.cg.shared.global"] == 0 and found["cp.async.wait_group"] > 100
    assert run.counters.totals()["global_loads"] == 1
    overlapped, found = stalls("mov.u32 %r20, 1; cp.async.cg.shared.global [%r3], [%rd4], 16; cp.async.commit_group;" + work + "st.shared.u32 [tile+1000], %r20; cp.async.wait_group 0;")
    plain, _ = stalls("mov.u32 %r20, 1; cp.async.cg.shared.global [%r3], [%rd4], 16;" + WAIT + work + "st.shared.u32 [tile+1000], %r20;")
    assert overlapped.cycles < plain.cycles - 100
    _, found = stalls("cp.async.cg.shared.global [%r3], [%rd4], 16; cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 2; cp.async.wait_group 1;")
    assert list(found.values())[-1] > 100  # the last of the two waits


def test_the_latest_groups_stay_under_way_however_many_came_before():
    copy = "cp.async.cg.shared.global [%r3], [%rd4], 16; cp.async.commit_group;"
    for before in (3, 40):
        _, found = stalls((copy + "cp.async.wait_all;") * before + copy + copy + "cp.async.wait_group 2;")
        assert found["cp.async.wait_group"] == 0


def test_many_groups():
    body = "".join("cp.async.ca.shared.global [%r3], [%rd4], 4; cp.async.commit_group;" for _ in range(100)) + "cp.async.wait_group 99; cp.async.wait_group 3; cp.async.wait_all;"
    assert np.array_equal(copied(body)[:, :4], DATA.reshape(32, 16)[:, :4])


@pytest.mark.parametrize("body, message", [("cp.async.cg.shared.global [%r3], [%rd4], 8;", "must be 16, got 8"),
                                           ("cp.async.ca.shared.global [%r3], [%rd4], %r1;", "must be a constant"),
                                           ("cp.async.wait_group %r1;", "must be a constant"), ("cp.async.wait_group -1;", "not be negative")])
def test_sizes_and_counts_are_constants(body, message):
    with pytest.raises(PtxError, match=message):
        lowered(kernel(body))


# --------------------------------------------------------------------------------------------------------- phase barriers
START = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r9, bar; mov.u32 %r2, 0;"


def phases(body, threads=32, **arguments):
    return run(kernel(START + body + "st.global.u32 [%rd3], %r2;", head=HEAD), np.zeros(threads, np.uint32), block=threads, **arguments)


def test_the_last_arrival_ends_the_phase():
    body = """setp.ne.u32 %p1, %r1, 0; @%p1 bra READY; mbarrier.init.shared.b64 [%r9], 64; READY: bar.sync 0;
    mov.u32 %r3, 0;
ROUND: shl.b32 %r4, %r1, 2; mov.u32 %r5, tile; add.u32 %r5, %r5, %r4; add.u32 %r6, %r1, %r3; st.shared.u32 [%r5], %r6;
    mbarrier.arrive.release.cta.shared::cta.b64 %rd5, [%r9];
SPIN: mbarrier.try_wait.shared.b64 %p2, [%r9], %rd5; @!%p2 bra SPIN;
    xor.b32 %r7, %r4, 252; mov.u32 %r5, tile; add.u32 %r5, %r5, %r7; ld.shared.u32 %r8, [%r5]; add.u32 %r2, %r2, %r8;
    mbarrier.arrive.shared.b64 _, [%r9]; and.b32 %r10, %r3, 1;
SPIN2: mbarrier.test_wait.parity.shared.b64 %p2, [%r9], 1; @!%p2 bra SPIN2;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra ROUND;"""
    assert np.array_equal(phases(body, 64), 3 * (63 - np.arange(64)) + 3)


def test_counts_drops_and_bytes():
    one = "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;"
    end = "END: mov.u32 %r30, 0;"
    test = "mbarrier.test_wait.parity.shared.b64 %p2, [%r9], {0}; selp.u32 %r3, {1}, 0, %p2; add.u32 %r2, %r2, %r3;"
    body = one + "mbarrier.init.shared.b64 [%r9], 5;" + test.format(0, 1) + "mbarrier.arrive.noComplete.shared.b64 %rd5, [%r9], 4;" + test.format(0, 10)
    body += "mbarrier.pending_count.b64 %r4, %rd5; mad.lo.u32 %r2, %r4, 1000, %r2; mbarrier.arrive_drop.shared.b64 %rd6, [%r9];" + test.format(0, 100)
    body += "mbarrier.pending_count.b64 %r4, %rd6; mad.lo.u32 %r2, %r4, 10000, %r2; mbarrier.arrive.shared.b64 %rd7, [%r9], 3; mbarrier.pending_count.b64 %r4, %rd7; mad.lo.u32 %r2, %r4, 100000, %r2;"
    assert phases(body + end)[0] == 100 + 5000 + 10000 + 400000
    body = one + "mbarrier.init.shared.b64 [%r9], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r9], 48; mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 16;" + test.format(0, 1)
    body += "mbarrier.complete_tx.shared.b64 [%r9], 60;" + test.format(0, 10) + "mbarrier.complete_tx.shared.b64 [%r9], 4;" + test.format(0, 100) + test.format(1, 1000)
    assert phases(body + end)[0] == 100


@pytest.mark.parametrize("body, message", [
    ("mbarrier.arrive.shared.b64 _, [%r9];", "1 arrivals are not what a barrier"), ("mbarrier.init.shared.b64 [%r9], 0;", "arrivals"),
    ("mbarrier.init.shared.b64 [%r9], 0x100000;", "arrivals"), ("mbarrier.init.shared.b64 [%r9+4], 1;", "not a multiple of the 8"),
    ("mov.u32 %r9, 4096; mbarrier.init.shared.b64 [%r9], 1;", "outside"), ("mov.u32 %r9, 0x01000000; mbarrier.init.shared.b64 [%r9], 1;", "outside"),
    ("mbarrier.init.b64 [%rd1], 1;", "outside"), ("mbarrier.init.shared.b64 [%r9], 1; mbarrier.arrive.shared.b64 _, [%r9], 2;", "2 arrivals"),
])
def test_misuse_is_a_fault(body, message):
    with pytest.raises(GuestFault, match=message):
        phases(body)


@pytest.mark.parametrize("instruction, feature", [
    ("cp.async.commit_group;", "cp_async"), ("mbarrier.init.shared.b64 [%r1], 1;", "mbarrier"),
    ("mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;", "mbarrier_tx"), ("cp.async.mbarrier.arrive.shared.b64 [%r1];", "mbarrier")])
def test_a_machine_without_them_refuses(instruction, feature):
    lowered(kernel(instruction))
    with pytest.raises(MissingFeature, match=feature):
        lowered(kernel(instruction), standin(without=[feature]))


@pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
def test_pipelines_of_cuda():
    source = """#include <cuda_pipeline.h>
__global__ void k(int *out, const int4 *in, int n)
{
    __shared__ int4 stage[2][32];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&stage[0][t], &in[t], 16);
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) __pipeline_memcpy_async(&stage[(i + 1) & 1][t], &in[(i + 1) * 32 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 v = stage[i & 1][31 - t];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        __syncthreads();
    }
    out[t] = sum;
}"""
    device = archdef.Device(machine())
    data = np.random.default_rng(3).integers(0, 1000, (6, 32, 4)).astype(np.int32)
    out = device.zeros(32, "i4")
    module = device.compile(source, Options(target="compute_80"))
    module.k[1, 32](out, device.to_device(data), 6)
    assert np.array_equal(out.copy_to_host(), (data * [1, 2, 3, 4]).sum((0, 2))[::-1])
    assert any(i.text.startswith("cp.async") for i in module.k.program.statements)
