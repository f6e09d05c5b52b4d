"""What lanes do together, and masks on machines of every width up to 64 lanes."""
import numpy as np
import pytest
from lowering import kernel, lowered
from lowering import machine as standin
from run_ptx import machine, run
from test_lower_running import LANES, each

from archdef.errors import PtxError

WIDE = machine(warp__size=64)
LANES64 = np.arange(64, dtype=np.uint32)


def wide(body, **arguments):
    """What 64 threads of a 64-lane machine leave."""
    return each(body, threads=64, arch=WIDE, **arguments)


@pytest.mark.parametrize("lanes", [1, 8, 32, 64])
@pytest.mark.parametrize("op, type, reduce", [
    ("add", "s32", np.add), ("min", "s32", np.minimum), ("max", "s32", np.maximum), ("min", "u32", np.minimum), ("max", "u32", np.maximum),
    ("and", "b32", np.bitwise_and), ("or", "b32", np.bitwise_or), ("xor", "b32", np.bitwise_xor)])
def test_redux_gives_every_member_the_total(lanes, op, type, reduce):
    body = f"mul.lo.u32 %r3, %r1, 0x9E3779B9; add.u32 %r4, %r3, 0x12345678; redux.sync.{op}.{type} %r2, %r4, -1;"
    values = (np.arange(lanes, dtype=np.uint32) * np.uint32(0x9E3779B9) + np.uint32(0x12345678))
    expected = reduce.reduce(values.view(np.int32) if type == "s32" else values, dtype=np.int32 if type == "s32" else np.uint32)
    found = each(body, threads=lanes, arch=machine(warp__size=lanes))
    assert np.array_equal(found, np.full(lanes, expected).view(np.uint32))


def test_redux_counts_active_members_only():
    body = "mov.u32 %r2, 7; setp.lt.u32 %p1, %r1, 20; @!%p1 bra OUT; redux.sync.add.s32 %r2, %r1, 0xFFFFF;\nOUT:"
    assert np.array_equal(each(body), np.where(LANES < 20, 190, 7))


def test_elect_chooses_the_lowest_member():
    body = "mov.u32 %r2, 99; setp.lt.u32 %p1, %r1, 4; @%p1 bra OUT; elect.sync %r3|%p2, 0xFFFFFFF0; selp.u32 %r4, 100, 0, %p2; add.u32 %r2, %r3, %r4;\nOUT:"
    assert np.array_equal(each(body), np.where(LANES < 4, 99, np.where(LANES == 4, 104, 4)))
    assert np.array_equal(each("elect.sync _|%p2, -1; selp.u32 %r2, 1, 0, %p2;"), LANES == 0)


# -------------------------------------------------------------------------------------------------------- machines of 64 lanes
def test_a_literal_of_all_ones_means_every_lane_of_a_wide_machine():
    for mask in ("-1", "0xFFFFFFFF", "0xFFFFFFFFFFFFFFFF"):
        assert np.array_equal(wide(f"setp.eq.u32 %p1, %r1, 60; vote.sync.any.pred %p2, %p1, {mask}; selp.u32 %r2, 1, 0, %p2;"), np.ones(64))
    # as compilers write it: a register that never holds anything else
    assert np.array_equal(wide("mov.b32 %r3, -1; redux.sync.add.s32 %r2, %r1, %r3;"), np.full(64, 2016))
    assert np.array_equal(wide("mov.u32 %r5, -1; shfl.sync.idx.b32 %r2, %r1, 63, 0x3f, %r5;"), np.full(64, 63))


def test_masks_of_64_bits():
    body = "mov.b64 %rd5, 0xF00000000000000F; setp.ge.u32 %p1, %r1, 62; mov.u64 %rd4, 0; vote.sync.ballot.b64 %rd4, %p1, %rd5;"
    assert np.array_equal(wide(body, dtype=np.uint64), np.full(64, 0xC << 60, np.uint64))
    assert np.array_equal(wide("activemask.b64 %rd4;", dtype=np.uint64), np.full(64, 2**64 - 1, np.uint64))
    body = "shr.u32 %r3, %r1, 4; mov.b64 %rd5, -1; match.any.sync.b32 %rd4, %r3, %rd5;"
    assert np.array_equal(wide(body, dtype=np.uint64), np.array([0xFFFF << lane // 16 * 16 for lane in range(64)], np.uint64))
    body = "cvt.u64.u32 %rd6, %r1; shr.u64 %rd7, %rd6, 6; match.all.sync.b64 %rd4|%p1, %rd7, -1;"
    assert np.array_equal(wide(body, dtype=np.uint64), np.full(64, 2**64 - 1, np.uint64))
    body = "mov.u64 %rd5, %lanemask_gt; popc.b64 %r3, %rd5; mov.u64 %rd6, %lanemask_le; popc.b64 %r4, %rd6; mad.lo.u32 %r2, %r3, 100, %r4;"
    assert np.array_equal(wide(body), (63 - LANES64) * 100 + LANES64 + 1)


@pytest.mark.parametrize("body, advice", [
    ("vote.sync.any.pred %p1, %p2, %r3;", "use a .b64 register, or the literal -1 for all lanes"),
    ("and.b32 %r3, %r1, 7; shfl.sync.idx.b32 %r2, %r1, 0, 31, %r3;", "use a .b64 register"),
    ("mov.u32 %r3, -1; mov.u32 %r3, 1; redux.sync.add.s32 %r2, %r1, %r3;", "use a .b64 register"),
    ("vote.sync.ballot.b32 %r2, %p1, -1;", "use vote.sync.ballot.b64"), ("activemask.b32 %r2;", "use activemask.b64"),
    ("match.any.sync.b32 %r2, %r1, -1;", "use a .b64 destination")])
def test_a_32_bit_mask_on_a_wide_machine_says_what_to_use(body, advice):
    with pytest.raises(PtxError) as caught:
        lowered(kernel(body), standin(warp_size=64))
    assert "names 32 of the 64 lanes that a warp of standin has" in str(caught.value) and advice in str(caught.value)
    lowered(kernel(body))


@pytest.mark.parametrize("mode, control, instead", [
    ("bfly", "31", "use 0x203f, or 0x3f for the whole warp"), ("down", "0x181f", "segments of 8, .* use 0x383f"),
    ("up", "0x1800", "segments of 8, .* use 0x3800, or 0x0")])
def test_segments_of_32_lanes_on_a_wide_machine_say_what_to_use(mode, control, instead):
    text = kernel(f"shfl.sync.{mode}.b32 %r2, %r1, 1, {control}, -1;")
    with pytest.raises(PtxError, match=instead):
        lowered(text, standin(warp_size=64))
    lowered(text)


def test_a_fault_of_an_instruction_names_the_line_of_the_source_that_it_came_from():
    text = kernel('.loc 1 27 3; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;') + '.file 1 "sum.cu"\n'
    with pytest.raises(PtxError, match=r"segments of 32.*\(from sum\.cu:27\)"):
        lowered(text, standin(warp_size=64))


def test_shuffles_of_64_lanes_have_wider_fields():
    assert np.array_equal(wide("shfl.sync.bfly.b32 %r2, %r1, 40, 0x3f, -1;"), LANES64 ^ 40)
    assert np.array_equal(wide("shfl.sync.down.b32 %r2|%p1, %r1, 33, 0x3f, -1; selp.u32 %r2, %r2, 500, %p1;"),
                          np.where(LANES64 < 31, LANES64 + 33, 500))
    assert np.array_equal(wide("shfl.sync.up.b32 %r2, %r1, 1, 0, -1;"), np.maximum(LANES64.astype(int) - 1, 0))
    # segments of 16 lanes: the segment mask is what is left of 6 bits
    assert np.array_equal(wide("shfl.sync.idx.b32 %r2, %r1, 3, 0x303f, -1;"), LANES64 // 16 * 16 + 3)


# ------------------------------------------------------------------------------------------------------- special registers
def test_a_cluster_is_one_block():
    body = """mov.u32 %r3, %clusterid.x; mov.u32 %r4, %nclusterid.x; mov.u32 %r5, %cluster_ctaid.x; mov.u32 %r6, %cluster_nctaid.x;
    mov.u32 %r7, %cluster_ctarank; mov.u32 %r8, %cluster_nctarank; mov.u32 %r9, %ctaid.x; sub.u32 %r10, %r3, %r9; mad.lo.u32 %r2, %r4, 10, %r10;
    mad.lo.u32 %r2, %r2, 10, %r5; mad.lo.u32 %r2, %r2, 10, %r6; mad.lo.u32 %r2, %r2, 10, %r7; mad.lo.u32 %r2, %r2, 10, %r8;"""
    assert np.array_equal(each(body, grid=3), np.full(32, 300101))


def test_sizes_of_shared_memory():
    body = ".shared .align 4 .b8 tile[256]; st.shared.u32 [tile], 1; mov.u32 %r3, %total_smem_size; mov.u32 %r4, %dynamic_smem_size; mad.lo.u32 %r2, %r3, 1000, %r4;"
    assert np.array_equal(each(body, shared=64), np.full(32, 256064 + 64000))


def test_shared_memory_in_all_has_what_the_machine_reserves():
    body = ".shared .align 4 .b8 tile[256]; st.shared.u32 [tile], 1; mov.u32 %r2, %aggr_smem_size;"
    arch = machine(limits__shared_reserved_bytes_per_block=1024)
    assert np.array_equal(each(body, arch=arch), np.full(32, 1280))


def test_what_counts_nothing_reads_zero():
    body = "mov.u32 %r3, %envreg1; mov.u32 %r4, %pm3; mov.u64 %rd5, %pm3_64; mov.pred %p1, %is_explicit_cluster; selp.u32 %r5, 1, 0, %p1; or.b32 %r6, %r3, %r4; cvt.u32.u64 %r7, %rd5; or.b32 %r8, %r5, %r7; or.b32 %r2, %r6, %r8;"
    assert not each(body).any()


def test_reserved_shared_memory_lies_before_the_kernels_own():
    body = """.shared .align 4 .b8 tile[64]; mov.u32 %r3, %reserved_smem_offset_1; mov.u32 %r4, tile; mov.u32 %r5, %reserved_smem_offset_end;
    st.shared.u32 [%r3], %r1; ld.shared.u32 %r6, [%r3]; setp.ge.u32 %p1, %r4, %r5; selp.u32 %r2, %r6, 99, %p1; mov.u32 %r2, %r6;"""
    assert np.array_equal(each(body), np.full(32, 0))      # of lanes that store to one place the lowest wins


def test_a_grid_synchronises_through_its_workspace():
    """The kernel's side of cooperative groups' grid barrier: arrive, then wait until the last block has flipped the top bit."""
    body = """mov.u32 %r3, %envreg1; mov.u32 %r4, %envreg2; mov.b64 %rd5, {%r4, %r3}; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %nctaid.x;
    mul.wide.u32 %rd6, %r5, 4; ld.param.u64 %rd1, [out]; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r6; bar.sync 0;
    mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; setp.eq.u32 %p2, %r5, 0; sub.u32 %r7, 0x80000001, %r6; selp.u32 %r8, %r7, 1, %p2;
    atom.add.release.gpu.u32 %r9, [%rd5+4], %r8;
WAIT: ld.acquire.gpu.u32 %r10, [%rd5+4]; xor.b32 %r11, %r10, %r9; setp.ge.s32 %p3, %r11, 0; @%p3 bra WAIT;
    xor.b32 %r12, %r5, 1; mul.wide.u32 %rd8, %r12, 4; add.s64 %rd9, %rd1, %rd8; ld.volatile.global.u32 %r13, [%rd9]; add.u32 %r14, %r13, 5;
    st.global.u32 [%rd7+16], %r14;
DONE:"""
    assert run(kernel(body), np.zeros(8, np.uint32), grid=4, cooperative=True).tolist() == [4] * 4 + [9] * 4


# ------------------------------------------------------------------------------------------------------------ memory forms
@pytest.mark.parametrize("load, store", [
    ("ld.global.ca", "st.global.wb"), ("ld.global.cg", "st.global.cg"), ("ld.global.cs", "st.global.cs"), ("ld.global.lu", "st.global.wt"),
    ("ld.global.cv", "st.global.wt"), ("ld.volatile.global", "st.volatile.global"), ("ld.relaxed.gpu.global", "st.relaxed.cluster.global"),
    ("ld.acquire.sys.global", "st.release.sys.global"), ("ld.mmio.relaxed.sys.global", "st.mmio.relaxed.sys.global"), ("ld.weak.global", "st.weak.global"),
    ("ld.global.nc", "st.global"), ("ld.global.nc.L1::no_allocate.L2::128B", "st.global.L1::no_allocate"),
    ("ld.global.L1::evict_last.L2::cache_hint.L2::64B", "st.global.L1::evict_first.L2::cache_hint")])
def test_hints_and_orders_of_memory_accesses(load, store):
    policy = ", %rd20" if "cache_hint" in load else ""
    text = kernel(f"""createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd20, 0.5; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; {load}.u32 %r2, [%rd3]{policy}; add.u32 %r3, %r2, 1; {store}.u32 [%rd3], %r3{policy};""")
    assert np.array_equal(run(text, LANES), LANES + 1)


def test_unified_addresses_are_a_promise():
    lowered(kernel("ld.global.u32 %r1, [%rd1].unified; ld.global.u32 %r2, [%rd1+4].unified, %rd2;".replace(", %rd2", "")))


@pytest.mark.parametrize("instruction", [
    "membar.cta", "membar.gl", "membar.sys", "fence.sc.gpu", "fence.acq_rel.cluster", "fence.acquire.gpu", "fence.release.sys",
    "fence.mbarrier_init.release.cluster", "fence.proxy.async.shared::cta", "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128",
    "fence.acquire.sync_restrict::shared::cluster.cluster", "membar.proxy.alias", "griddepcontrol.wait", "griddepcontrol.launch_dependents",
    "setmaxnreg.inc.sync.aligned.u32 232", "pmevent 3", "pmevent.mask 3", "nanosleep.u32 %r1", "prefetch.global.L1 [%rd1]",
    "prefetch.global.L2::evict_last [%rd1+64]", "prefetchu.L1 [%rd1]", "discard.global.L2 [%rd1], 128",
    "applypriority.global.L2::evict_normal [%rd1], 128", "createpolicy.range.L2::evict_last.b64 %rd4, [%rd1], 64, 128",
    "createpolicy.cvt.L2.b64 %rd4, %rd5"])
def test_fences_and_hints_change_no_value(instruction):
    assert np.array_equal(each(f"add.u32 %r2, %r1, 1; {instruction};"), LANES + 1)


def test_windows_that_do_not_exist_hold_no_address():
    body = "cvta.global.u64 %rd5, %rd1; isspacep.const %p1, %rd5; isspacep.param %p2, %rd5; isspacep.shared::cluster %p3, %rd5; or.pred %p4, %p1, %p2; or.pred %p5, %p3, %p4; selp.u32 %r2, 1, 0, %p5;"
    assert not each(body).any()
