"""Addresses that no block of the cluster has: each is a fault that names the statement."""
import pytest
from cluster_kernels import SYNC, device, results, text

from archdef.errors import GuestFault

OFF = "mov.u64 %rd4, tile; cvta.shared.u64 %rd4, %rd4;"
HOSTILE = {
    "rank past the last": ("mapa.shared::cluster.u32 %r11, %r7, 4;", "bounds"),
    "rank far past the last": ("mapa.shared::cluster.u32 %r11, %r7, 0xffffffff;", "bounds"),
    "rank that wraps": ("mapa.shared::cluster.u32 %r11, %r7, 256;", "bounds"),
    "byte of rank 4": ("mov.u32 %r11, 0x06000000;", "bounds"),
    "highest byte": ("mov.u32 %r11, 0xff000000;", "bounds"),
    "all ones": ("mov.u32 %r11, 0xfffffffc;", "bounds"),
    "end of another's": ("mapa.shared::cluster.u32 %r11, %r5, 1; add.u32 %r11, %r11, 1056;", "bounds"),
    "before another's": ("mov.u32 %r11, 0x02fffffc;", "bounds"),
    "unaligned": ("mapa.shared::cluster.u32 %r11, %r5, 1; add.u32 %r11, %r11, 2;", "alignment"),
}
ACCESSES = ["ld.shared::cluster.u32 %r20, [%r11];", "st.shared::cluster.u32 [%r11], %r1;", "atom.shared::cluster.add.u32 %r20, [%r11], 1;",
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r11], %r1, [%r40];", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];",
            "cvt.u64.u32 %rd5, %r11; cvta.shared::cluster.u64 %rd5, %rd5; ld.u32 %r20, [%rd5];",
            "ld.shared::cluster.v4.u32 {%r20, %r21, %r22, %r23}, [%r11];"]


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("access", ACCESSES)
def test_hostile_addresses(what, access):
    make, kind = HOSTILE[what]
    body = f"mapa.shared::cluster.u32 %r40, %r30, 1; {make} {SYNC}{access}{SYNC}"
    with pytest.raises(GuestFault) as caught:
        results(body, 8, 32, 4)
    assert caught.value.kind in ("bounds", "alignment") and (caught.value.kind == kind or "mbarrier" in access or "v4" in access)
    assert caught.value.data["statement"] is not None and caught.value.data["block"] is not None


@pytest.mark.parametrize("access", ["ld.shared::cluster.u32 %r20, [%r11];", "red.shared::cluster.add.u32 [%r11], 1;",
                                    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];"])
def test_a_block_that_has_ended(access):
    body = f"""mapa.shared::cluster.u32 %r11, %r5, 1; {SYNC} setp.eq.u32 %p1, %r8, 1; @%p1 exit; mov.u32 %r25, 0;
L: add.u32 %r25, %r25, 1; setp.lt.u32 %p9, %r25, 3000; @%p9 bra L; {access}"""
    with pytest.raises(GuestFault, match="in the shared memory of rank 1 of the cluster, a block that has ended") as caught:
        results(body, 4, 32, 2)
    assert caught.value.kind == "cluster_block"
    assert access.split(".")[0] in str(caught.value.data["statement"])


@pytest.mark.parametrize("operation", ["mbarrier.init.shared::cta.b64 [%r11], 1;", "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r11], 0;",
                                       "mbarrier.inval.shared::cta.b64 [%r11];", "mbarrier.arrive.shared::cta.b64 %rd9, [%r11];",
                                       "cp.async.ca.shared.global [%r11], [%rd1], 4;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r11];",
                                       "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [%r11], 16, [%r30];"])
def test_what_only_the_block_itself_can_do(operation):
    body = f"mapa.shared::cluster.u32 %r11, %r5, 1; mapa.shared::cluster.u32 %r12, %r5, 1; {SYNC} setp.eq.u32 %p1, %r8, 0; @!%p1 bra OUT; {operation} OUT:{SYNC}"
    with pytest.raises(GuestFault) as caught:
        results(body, 4, 32, 2)
    assert caught.value.kind == "bounds"


def test_arrivals_that_another_blocks_barrier_does_not_expect():
    body = f"mapa.shared::cluster.u32 %r11, %r30, 1; {SYNC} mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11]; {SYNC}{SYNC}"
    with pytest.raises(GuestFault, match="was it initialised") as caught:
        results(body, 4, 32, 2)
    assert "mbarrier.arrive" in str(caught.value.data["statement"])


def test_outside_of_clusters_ranks_are_no_addresses():
    d = device()
    for address in (0x02000000, 0x03000000, 0x13000000, 0xff000000):
        for access in (f"mov.u32 %r11, {address}; ld.shared.u32 %r20, [%r11];", f"mov.u64 %rd5, {address}; add.u64 %rd5, %rd5, %rd20; ld.u32 %r20, [%rd5];"):
            with pytest.raises(GuestFault, match="outside") as caught:
                d.compile(text("mov.u64 %rd20, 0;" + access)).k[1, 32].launch(d.zeros(32, "u4"))
            assert caught.value.kind == "bounds"
