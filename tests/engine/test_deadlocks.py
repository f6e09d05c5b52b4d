"""Does a deadlock end in an error that names the warps that wait, the barrier, and the branch that split them?

What a `GuestFault` carries beside its message, in `data`: ``barrier``, the number; ``waiting`` and ``missing``, a dict for each warp
concerned, with ``block``, ``warp``, ``lanes`` (a mask) and ``statement`` (where those lanes stand); ``branch``, the statement that split
them, or None; ``resident`` and ``unstarted``, blocks.
"""
import pytest

import archdef
from archdef import registry
from archdef.errors import BudgetExceeded, GuestFault

_TEXT = """.version 7.0
.target sm_30
.address_size 64
.visible .entry kernel(.param .u64 words)
{
    .reg .b64 %d<3>; .reg .b32 %r<8>; .reg .pred %p<4>;
    ld.param.u64 %d1, [words]; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, WARP_SZ;
"""
HALF_OF_EACH_WARP = _TEXT + """
    and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0;
    @%p1 bra EVEN;
    st.global.u32 [%d1], %r1;
    bar.sync 1;
    st.global.u32 [%d1+4], %r1; st.global.u32 [%d1+8], %r1; st.global.u32 [%d1+12], %r1; st.global.u32 [%d1+16], %r1;
EVEN:
    st.global.u32 [%d1+20], %r1; membar.gl;
    setp.lt.u32 %p2, %r1, %r3;
    @%p2 bra FIRST;
    bar.sync 2;
    bra DONE;
FIRST:
    bar.sync 0;
DONE:
    st.global.u32 [%d1+24], %r1; membar.gl;
    ret;
}"""
WARPS_DIFFER = _TEXT + """
    setp.lt.u32 %p1, %r1, %r3;
    @%p1 bra FIRST;
    bar.sync 2;
    st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r1; st.global.u32 [%d1+8], %r1; st.global.u32 [%d1+12], %r1;
    bra DONE;
FIRST:
    bar.sync 1;
    st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r1; st.global.u32 [%d1+8], %r1; st.global.u32 [%d1+12], %r1;
DONE:
    ret;
}"""
LAST_BLOCK_RELEASES = _TEXT + """
    mov.u32 %r5, %nctaid.x; sub.u32 %r5, %r5, 1; setp.eq.u32 %p1, %r2, %r5;
    @%p1 bra LAST;
WAIT:
    ld.volatile.global.u32 %r6, [%d1]; setp.eq.u32 %p2, %r6, 0;
    @%p2 bra WAIT;
    ret;
LAST:
    mov.u32 %r6, 1; st.global.u32 [%d1], %r6;
    ret;
}"""
LOCK = _TEXT + """
WAIT:
    atom.global.cas.b32 %r6, [%d1], 0, 1; setp.ne.u32 %p2, %r6, 0;
    @%p2 bra WAIT;
    mov.u32 %r6, 0; membar.gl; atom.global.exch.b32 %r6, [%d1], %r6;
    ret;
}"""
NAMES = [name for name in registry.names() if "barrier_count" in registry.get(name).isa.features]
machines = pytest.mark.parametrize("name", NAMES)
stacks = pytest.mark.parametrize("name", [name for name in NAMES if not registry.get(name).warp.reconvergence.independent])
independent = pytest.mark.parametrize("name", [name for name in NAMES if registry.get(name).warp.reconvergence.independent])


def fault(name, text, blocks=1, warps=2, error=GuestFault, cycles=200_000):
    """Launch, expect an error, and give it with the size of a warp."""
    device = archdef.Device(name, max_cycles=cycles)
    lanes = device.architecture.warp.size
    with pytest.raises(error) as caught:
        device.compile(text).kernel[blocks, warps * lanes](device.zeros(16, "u4"))
    return caught.value, lanes


def mask(lanes, step, first=0):
    return sum(1 << lane for lane in range(first, lanes, step))


@stacks
def test_lanes_that_wait_below_a_barrier_are_named_with_the_branch_that_parted_them(name):
    text = HALF_OF_EACH_WARP.replace("@%p1 bra EVEN;", "@%p1 bra EVEN;\n setp.lt.u32 %p2, %r1, %r3; @%p2 bra FIRST; bar.sync 2; bra.uni EVEN;", 1)
    error, lanes = fault(name, text.replace("EVEN:", "EVEN: bar.sync 3;", 1))
    odd = [w for w in error.data["waiting"] if w["lanes"] == mask(lanes, 2, 1)]
    assert "no warp can go on" in str(error) and {w["barrier"] for w in odd} <= {0, 2} and odd
    assert any(w["lanes"] == mask(lanes, 2) and w["statement"] for w in error.data["missing"])
    assert error.data["branch"].text == "@%p1 bra EVEN;" and "@%p1 bra EVEN;" in str(error)


@independent
def test_lanes_at_one_barrier_and_lanes_at_another_are_named_with_the_branch_that_parted_them(name):
    error, lanes = fault(name, HALF_OF_EACH_WARP)
    odd = [w for w in error.data["waiting"] if w["lanes"] == mask(lanes, 2, 1)]
    assert odd and odd[0]["statement"].text == "bar.sync 1;" and odd[0]["barrier"] == 1 and odd[0]["block"] == (0, 0, 0)
    assert {w["barrier"] for w in error.data["waiting"] if w["lanes"] == mask(lanes, 2)} == {0, 2}


@machines
def test_warps_at_different_barriers_are_a_deadlock(name):
    error, _ = fault(name, WARPS_DIFFER)
    assert "no warp can go on" in str(error) and "block (0, 0, 0)" in str(error)


@machines
def test_warps_at_different_barriers_are_all_named_each_with_its_barrier(name):
    error, _lanes = fault(name, WARPS_DIFFER)
    waiting = {w["warp"]: (w["barrier"], w["statement"].text) for w in error.data["waiting"]}
    assert waiting == {0: (1, "bar.sync 1;"), 1: (2, "bar.sync 2;")}
    assert "warp 0" in str(error) and "barrier 1" in str(error) and "warp 1" in str(error) and "barrier 2" in str(error)
    assert error.data["cycle"] > 0


@machines
def test_blocks_that_count_how_often_they_look_end_with_their_budget(name):
    counts = LAST_BLOCK_RELEASES.replace("WAIT:\n", "WAIT:\n add.u32 %r7, %r7, 1;").replace("    ret;\nLAST", " st.global.u32 [%d1+4], %r7; ret;\nLAST")
    error, _ = fault(name, counts, blocks=10_000, error=BudgetExceeded)
    assert "0 of 10000 blocks done" in str(error)


@machines
def test_a_block_that_waits_for_one_that_cannot_be_resident_is_told_so(name):
    error, _ = fault(name, LAST_BLOCK_RELEASES, blocks=10_000, cycles=1_000_000)      # until a state comes back
    kernel = archdef.Device(name).compile(LAST_BLOCK_RELEASES).kernel
    resident = archdef.occupancy(name, threads=2 * registry.get(name).warp.size, registers=kernel.registers).active_blocks
    most = resident * registry.get(name).chip.multiprocessors
    assert not isinstance(error, BudgetExceeded) and f"{most} resident" in str(error) and f"{10_000 - most} blocks" in str(error)
    assert error.data["statement"].text.startswith(("ld.volatile", "@%p2 bra WAIT", "setp"))
    assert len(error.data["waiting"]) >= 1 and error.data["waiting"][0]["block"] == (0, 0, 0)
    assert (error.data["resident"], error.data["unstarted"]) == (most, 10_000 - most)


@stacks
def test_a_lock_that_lanes_of_one_warp_fight_for_names_the_branch_that_keeps_its_holder_waiting(name):
    error, lanes = fault(name, LOCK, warps=1)
    assert not isinstance(error, BudgetExceeded)
    assert error.data["branch"].text == "@%p2 bra WAIT;"
    (spinning,), (holder,) = error.data["waiting"], error.data["missing"]
    assert holder["lanes"].bit_count() == 1 and spinning["lanes"] | holder["lanes"] == (1 << lanes) - 1


@independent
def test_a_lock_that_lanes_of_one_warp_fight_for_is_no_deadlock_where_lanes_progress_independently(name):
    device = archdef.Device(name, max_cycles=1_000_000)
    word = device.zeros(16, "u4")
    device.compile(LOCK).kernel[1, device.architecture.warp.size](word)
    assert word.to_host()[0] == 0
