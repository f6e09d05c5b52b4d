"""Blocks of a cluster reach each other's shared memory: results against numpy."""
import numpy as np
import pytest
from cluster_kernels import NEXT, SYNC, device, results, text

SIZES = [1, 2, 4, 8]


def ranks(blocks, cluster):
    return np.arange(blocks) % cluster, np.arange(blocks) // cluster * cluster


def test_special_registers_say_where_a_block_is():
    names = ["clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z", "cluster_ctaid.x",
             "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank"]
    body = """    mov.u32 %r40, %ctaid.y; mov.u32 %r41, %ctaid.z; mov.u32 %r42, %nctaid.x; mov.u32 %r43, %nctaid.y; mad.lo.u32 %r41, %r41, %r43, %r40;
    mad.lo.u32 %r41, %r41, %r42, %r2; mul.wide.u32 %rd5, %r41, 64; add.s64 %rd5, %rd1, %rd5;\n"""
    body += "".join(f"    mov.u32 %r44, %{name}; st.global.u32 [%rd5+{4 * k}], %r44;\n" for k, name in enumerate(names))
    body += "    selp.u32 %r44, 1, 0, %is_explicit_cluster; st.global.u32 [%rd5+56], %r44; ret;\n"
    module = device().compile(text(body))
    grid, cluster = (4, 6, 2), (2, 3, 1)
    for given in (cluster, None):
        out = device().zeros((*grid[::-1], 16), "u4")
        module.k[grid, 1].launch(out, cluster=given)
        of = given or (1, 1, 1)
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    at, n = (x, y, z), [g // c for g, c in zip(grid, of)]
                    inside = [a % c for a, c in zip(at, of)]
                    want = [*(a // c for a, c in zip(at, of)), *n, *inside, *of, inside[0] + of[0] * (inside[1] + of[1] * inside[2]), np.prod(of),
                            int(given is not None), 0]
                    assert out.to_host()[z, y, x].tolist() == want


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("way", ["shared", "generic", "generic from shared"])
def test_loads_of_the_next_block(n, way):
    load = {"shared": "mapa.shared::cluster.u32 %r11, %r7, %r10; ld.shared::cluster.u32 %r20, [%r11];",
            "generic": "cvt.u64.u32 %rd4, %r7; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, %r10; ld.u32 %r20, [%rd5];",
            "generic from shared": "mapa.shared::cluster.u32 %r11, %r7, %r10; cvt.u64.u32 %rd4, %r11; cvta.shared::cluster.u64 %rd5, %rd4;"
                                   "ld.u32 %r20, [%rd5];"}[way]
    found = results(f"st.shared.u32 [%r7], %r4;{SYNC}{NEXT}{load}{SYNC}", 16, 64, n)
    rank, first = ranks(16, n)
    assert np.array_equal(found, (first + (rank + 1) % n)[:, None] * 64 + np.arange(64))


@pytest.mark.parametrize("n", SIZES)
def test_lanes_of_a_warp_reach_different_blocks(n):
    body = f"st.shared.u32 [%r7], %r4;{SYNC} rem.u32 %r10, %r1, %r9; mapa.shared::cluster.u32 %r11, %r7, %r10; ld.shared::cluster.u32 %r20, [%r11];{SYNC}"
    _, first = ranks(16, n)
    lane = np.arange(64)
    assert np.array_equal(results(body, 16, 64, n), (first[:, None] + lane % n) * 64 + lane)


@pytest.mark.parametrize("n", SIZES)
def test_a_histogram_over_the_cluster(n):
    """Each block owns 64 bins; every thread counts eight pseudo-random numbers in whichever block has their bin."""
    body = f"st.shared.u32 [%r7], 0;{SYNC} mov.u32 %r12, 0; mad.lo.u32 %r13, %r4, 2654435761, 12345;\n"
    body += "ROUND: mad.lo.u32 %r13, %r13, 1664525, 1013904223; shr.u32 %r14, %r13, 16; shl.b32 %r15, %r9, 6; rem.u32 %r14, %r14, %r15;"
    body += "shr.u32 %r16, %r14, 6; and.b32 %r17, %r14, 63; shl.b32 %r17, %r17, 2; add.u32 %r17, %r5, %r17; mapa.shared::cluster.u32 %r18, %r17, %r16;"
    body += "red.shared::cluster.add.u32 [%r18], 1; add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 8; @%p1 bra ROUND;\n"
    body += f"{SYNC} ld.shared.u32 %r20, [%r7];"
    found = results(body, 8, 64, n)
    want = np.zeros((8, 64), int)
    for block in range(8):
        x = (np.arange(64, dtype=np.uint64) + block * 64) * 2654435761 + 12345 & 0xffffffff
        for _ in range(8):
            x = x * 1664525 + 1013904223 & 0xffffffff
            for bin_ in (x >> 16) % (64 * n):
                want[block // n * n + int(bin_) // 64, int(bin_) % 64] += 1
    assert np.array_equal(found, want)


@pytest.mark.parametrize("n", SIZES)
def test_a_reduction_over_the_cluster_returns_old_values(n):
    body = f"st.shared.u32 [%r5], 0;{SYNC} mapa.shared::cluster.u32 %r11, %r5, 0; atom.shared::cluster.add.u32 %r12, [%r11], 1;{SYNC}"
    body += f"ld.shared::cluster.u32 %r13, [%r11]; shl.b32 %r13, %r13, 16; or.b32 %r20, %r12, %r13;{SYNC}"
    found = results(body, 8, 64, n)
    for first in range(0, 8, n):
        assert sorted((found[first:first + n] & 0xffff).ravel()) == list(range(64 * n))
        assert (found[first:first + n] >> 16 == 64 * n).all()


def test_ranks_of_addresses():
    body = """mapa.shared::cluster.u32 %r11, %r7, 3; getctarank.shared::cluster.u32 %r12, %r11; cvt.u64.u32 %rd4, %r7; cvta.shared.u64 %rd4, %rd4;
    mapa.u64 %rd5, %rd4, 2; getctarank.u64 %r13, %rd5; getctarank.u64 %r14, %rd4; getctarank.shared::cluster.u32 %r15, %r7;
    isspacep.shared::cluster %p1, %rd5; isspacep.shared::cta %p2, %rd5; isspacep.shared::cta %p3, %rd4; isspacep.shared::cluster %p4, %rd4;
    isspacep.global %p5, %rd5; mapa.u64 %rd6, %rd4, %r8; isspacep.shared::cta %p6, %rd6; isspacep.global %p7, %rd1; isspacep.shared::cluster %p8, %rd1;
    mad.lo.u32 %r20, %r12, 10, %r13; mad.lo.u32 %r20, %r20, 10, %r14; mad.lo.u32 %r20, %r20, 10, %r15;"""
    body += "".join(f"selp.u32 %r16, 1, 0, %p{k}; mad.lo.u32 %r20, %r20, 2, %r16;" for k in range(1, 9)) + SYNC
    found = results(body, 8, 32, 4)
    rank, _ = ranks(8, 4)
    assert np.array_equal(found[:, 0], ((3 * 10 + 2) * 100 + rank * 11) * 256 + 0b10110110 + 64 * (rank == 2))


def test_an_address_of_ones_own_rank_is_as_good_as_any():
    body = f"""mapa.shared::cluster.u32 %r11, %r7, %r8; st.shared.u32 [%r11], %r4; add.u32 %r12, %r30, 8; mapa.shared::cluster.u32 %r13, %r12, %r8;
    setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r13], 64; bar.sync 0; mbarrier.arrive.shared.b64 _, [%r13];
WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r12], 0; @!%p2 bra WAIT; ld.shared.u32 %r20, [%r7];{SYNC}"""
    assert np.array_equal(results(body, 8, 64, 4), np.arange(512).reshape(8, 64))


# -------------------------------------------------------------------------------------------------------- asynchronous
INIT = "    setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r30], 1;\n"
WAIT = "WAIT{0}: mbarrier.test_wait.parity.shared.b64 %p2, [%r30], {1}; @!%p2 bra WAIT{0};\n"


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("form", ["b32", "v2.b32", "b64", "v4.f32"])
def test_a_ring_of_asynchronous_stores(n, form):
    """Every thread stores to the next block, whose barrier counts the bytes; three times round."""
    size = {"b32": 4, "v2.b32": 8, "b64": 8, "v4.f32": 16}[form]
    value = {"b32": "%r12", "v2.b32": "{%r12, %r13}", "b64": "%rd9", "v4.f32": "{%r12, %r13, %r12, %r13}"}[form]
    vec, type_ = (form.split(".") if "." in form else ("", form))
    body = INIT + f"mov.u32 %r12, %r4; shl.b32 %r31, %r1, 4; add.u32 %r31, %r5, %r31; {NEXT}"
    body += "mapa.shared::cluster.u32 %r14, %r31, %r10; mapa.shared::cluster.u32 %r15, %r30, %r10;" + SYNC
    for turn in range(3):
        body += f"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], {size * 32}; add.u32 %r13, %r12, 7; mov.b64 %rd9, {{%r12, %r13}};"
        body += f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{'.' + vec if vec else ''}.{type_} [%r14], {value}, [%r15];"
        body += WAIT.format(turn, turn & 1) + "ld.shared.u32 %r12, [%r31]; bar.sync 0;" + SYNC
    body += f"mov.u32 %r20, %r12; setp.lt.u32 %p3, {size}, 8; @%p3 bra OUT; ld.shared.u32 %r21, [%r31+4]; add.u32 %r20, %r20, %r21; OUT:{SYNC}"
    found = results(body, 8, 32, n)
    rank, first = ranks(8, n)
    carried = (first + (rank - 3) % n)[:, None] * 32 + np.arange(32)
    assert np.array_equal(found, carried if size == 4 else 2 * carried + 7)


@pytest.mark.parametrize("n", SIZES)
def test_asynchronous_reductions_meet_in_the_first_block(n):
    body = INIT + "mov.u32 %r11, 0; st.shared.u32 [%r7], 5; mapa.shared::cluster.u32 %r14, %r7, 0; mapa.shared::cluster.u32 %r15, %r30, 0; bar.sync 0;"
    body += "setp.eq.and.u32 %p3, %r8, 0, %p1; mul.lo.u32 %r16, %r9, 256; @%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], %r16;" + SYNC
    body += "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r14], %r4, [%r15];"
    body += f"setp.ne.u32 %p4, %r8, 0; @%p4 bra OUT; {WAIT.format(0, 0)} ld.shared.u32 %r20, [%r7]; OUT: {SYNC}"
    found = results(body, 8, 64, n)
    lanes = np.arange(64)
    for first in range(0, 8, n):
        assert np.array_equal(found[first], 5 + sum((first + r) * 64 + lanes for r in range(n)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("arrive", ["mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r15];",
                                    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r15], 1;",
                                    "mbarrier.arrive.b64 _, [%rd8];"])
def test_arrivals_at_the_barrier_of_another_block(n, arrive):
    """The first block waits for all threads of all blocks; data come by plain stores before."""
    arrive = arrive if "%rd8" not in arrive else "cvt.u64.u32 %rd7, %r15; cvta.shared::cluster.u64 %rd8, %rd7; " + arrive
    body = "setp.eq.u32 %p1, %r1, 0; mul.lo.u32 %r16, %r9, %r3; @%p1 mbarrier.init.shared.b64 [%r30], %r16; shl.b32 %r11, %r8, 8;"
    body += "mov.u32 %r17, 0; mapa.shared::cluster.u32 %r15, %r30, 0; shl.b32 %r18, %r8, 7; add.u32 %r18, %r18, %r7; mapa.shared::cluster.u32 %r14, %r18, 0;"
    body += f"{SYNC} st.shared::cluster.u32 [%r14], %r4; {arrive} setp.ne.u32 %p4, %r8, 0; @%p4 bra OUT; {WAIT.format(0, 0)}"
    body += "ADD: shl.b32 %r19, %r17, 7; add.u32 %r19, %r19, %r7; ld.shared.u32 %r21, [%r19]; add.u32 %r20, %r20, %r21; add.u32 %r17, %r17, 1;"
    body += f"setp.lt.u32 %p5, %r17, %r9; @%p5 bra ADD; OUT: {SYNC}"
    found = results(body, 8, 32, n)
    for first in range(0, 8, n):
        assert np.array_equal(found[first], sum((first + r) * 32 + np.arange(32) for r in range(n)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("source", ["shared::cta", "global"])
def test_bulk_copies_into_another_block(n, source):
    body = INIT + f"st.shared.u32 [%r7], %r4; st.global.u32 [%rd3], %r4; fence.proxy.async; {NEXT} add.u32 %r31, %r5, 512;"
    body += "mapa.shared::cluster.u32 %r14, %r31, %r10; mapa.shared::cluster.u32 %r15, %r30, %r10;" + SYNC
    body += "mul.lo.u32 %r32, %r2, 256; cvt.u64.u32 %rd7, %r32; add.u64 %rd7, %rd1, %rd7; bar.sync 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], 256;"
    place = "%r5" if source != "global" else "%rd7"
    body += f"@%p1 cp.async.bulk.shared::cluster.{source}.mbarrier::complete_tx::bytes [%r14], [{place}], 256, [%r15];"
    body += WAIT.format(0, 0) + f"ld.shared.u32 %r20, [%r7+512];{SYNC}"
    found = results(body, 8, 64, n)
    rank, first = ranks(8, n)
    assert np.array_equal(found, (first + (rank - 1) % n)[:, None] * 64 + np.arange(64))
