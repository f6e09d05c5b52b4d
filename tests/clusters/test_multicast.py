"""Bulk copies from global memory to several blocks of a cluster at once."""
import numpy as np
import pytest
from cluster_kernels import device
from multicast_plans import BLOCKS, BOX, PIECE, PLAIN, ROUNDS, TILE, plan, text

from archdef.errors import GuestFault


def arguments(d, form, data, table, expected):
    array = d.to_device(data.view("f4").reshape(-1, 64))
    return d.zeros((BLOCKS, TILE), "u1"), array, d.to_device(table), d.to_device(expected), d.tensor_map(array, box=(PIECE // 4, 1)), ROUNDS


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("seed", [1, 2])
def test_each_block_of_the_mask_gets_the_bytes_and_the_signal(form, n, seed):
    """Several copies of each block on their way at once, three phases of the mbarriers, masks at random; twice, to the same cycle."""
    data, table, expected, held = plan(n, form, seed)
    d, cycles = device(), set()
    kernel = d.compile(text(form)).k
    given = arguments(d, form, data, table, expected)       # once: at other addresses the DRAM's banks take other times
    for _ in range(2):
        given[0].zero()
        cycles.add(kernel[BLOCKS, 32].launch(*given, cluster=n).cycles)
        assert np.array_equal(given[0].to_host(), held)
    assert len(cycles) == 1


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
def test_epochs_do_not_show(form):
    from archdef.engine import core
    data, table, expected, held = plan(4, form, 3)
    cycles, d = set(), device()
    kernel = d.compile(text(form)).k
    given = arguments(d, form, data, table, expected)
    for lookahead in (0, 40, 7):
        grid = kernel[BLOCKS, 32].prepare(*given, cluster=4)
        session = core.Session(d.machine, d.memory.engine, 1 << 40, 1 << 40, lookahead)
        running = grid.start(session)
        while session.advance(1000):
            pass
        session.finished()
        cycles.add(session.result(running)["cycles"])
        assert np.array_equal(given[0].to_host(), held)
    assert len(cycles) == 1


def test_memory_is_read_once():
    """However many blocks get the bytes."""
    d, moved = device(), set()
    for mask in (1, 0xFF):
        data, table, expected, _ = plan(8, PLAIN, 4)
        table[..., 0], table[..., 2] = 0, 0
        table[0, 0, 0] = mask, 0, PIECE, 0, 99
        expected[:] = 0
        expected[0] = [PIECE * (mask >> k & 1) for k in range(8)]
        result = d.compile(text(PLAIN)).k[BLOCKS, 32].launch(*arguments(d, PLAIN, data, table, expected), cluster=8)
        line = next(s for s in result.statements if s.text.startswith("cp.async.bulk"))
        moved.add((line.counters.global_load_transactions, line.counters.global_load_bytes_moved))
    assert moved == {(PIECE // 32, PIECE)}


def launched(n, form=PLAIN, mask=1, to=0, size=PIECE, named=99, wait=True, before="", barrier=""):
    """Let thread 0 of block 0 make one copy; give what each block holds."""
    d = device()
    source = text(form.replace("[%r24]", f"[%r24{barrier}]"), 1).replace("COPY: ", "setp.ne.u32 %p6, %r4, 0; @%p6 bra WAIT;\nCOPY: ")
    source = source.replace("ROUND: ", f"ROUND: {before}")
    data, _, expected, _ = plan(1, form, 5)
    table, expected[:] = np.zeros(5, "u4"), 0
    table[:] = mask, to, size, 0, named
    if wait:
        expected[0] = [size * (mask >> k & 1) for k in range(8)]
    given = (*arguments(d, form, data, table, expected)[:-1], 1)
    d.compile(source).k[BLOCKS if n > 1 else 1, 32].launch(*given, cluster=n if n > 1 else None)
    return data, given[0].to_host()


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
@pytest.mark.parametrize("named", [99, 0, 3])
def test_a_mask_without_blocks_copies_and_counts_nothing(form, named):
    _, found = launched(4, form, mask=0, named=named)
    assert not found.any()


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
def test_without_clusters_a_mask_names_the_block_itself(form):
    data, found = launched(1, form, mask=1)
    assert np.array_equal(found[0, :PIECE], data[:PIECE])
    with pytest.raises(GuestFault, match="rank 1 of a cluster of 1 blocks"):
        launched(1, form, mask=3)


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
@pytest.mark.parametrize("n, mask, rank", [(2, 4, 2), (2, 0x8001, 15), (4, 0x1F, 4), (8, 0x100, 8)])
def test_ranks_that_the_cluster_has_not(form, n, mask, rank):
    with pytest.raises(GuestFault, match=f"in the shared memory of rank {rank} of a cluster of {n} blocks") as caught:
        launched(n, form, mask=mask)
    assert caught.value.kind == "bounds" and "multicast" in str(caught.value.data["statement"]) and caught.value.data["block"] is not None


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
def test_a_block_that_has_ended(form):
    before = """setp.ne.u32 %p6, %r40, 1; @%p6 bra ON; exit; ON: mov.u32 %r45, 0;
LATE: add.u32 %r45, %r45, 1; setp.lt.u32 %p7, %r45, 3000; @%p7 bra LATE;"""
    with pytest.raises(GuestFault, match="rank 1 of the cluster, a block that has ended") as caught:
        launched(2, form, mask=3, before=before)
    assert caught.value.kind == "cluster_block"


LAST = TILE + 16
"""Bytes of a block's shared memory: the tile, then two mbarriers."""


@pytest.mark.parametrize("named", [99, 0, 1])
@pytest.mark.parametrize("to, size, kind", [(LAST - 16, 32, "bounds"), (LAST, 16, "bounds"), ((1 << 24) - 16, 16, "bounds"), (8, 16, "alignment"),
                                            (TILE, 0xFFFFFFF0, "bounds"), (0, LAST + 16, "bounds"), (0xFFFFFFF0, 32, "bounds")])
def test_hostile_places(to, size, kind, named):
    with pytest.raises(GuestFault) as caught:
        launched(2, PLAIN, mask=3, to=to, size=size, named=named, wait=False)
    assert caught.value.kind == kind


@pytest.mark.parametrize("to", [TILE, (1 << 24) - 128, 0xFFFFFF80 - 0x4000])
def test_hostile_places_of_boxes(to):
    with pytest.raises(GuestFault) as caught:
        launched(2, BOX, mask=2, to=to, wait=False)
    assert caught.value.kind == "bounds"


@pytest.mark.parametrize("form", [PLAIN, BOX], ids=["plain", "box"])
@pytest.mark.parametrize("barrier, kind", [("+16", "bounds"), ("+4", "alignment"), ("+16777216", "bounds")])
def test_hostile_mbarriers(form, barrier, kind):
    """One behind the end, a crooked one, one far away."""
    with pytest.raises(GuestFault) as caught:
        launched(2, form, mask=2, barrier=barrier, wait=False)
    assert caught.value.kind == kind


def test_the_last_bytes_of_shared_memory():
    data, found = launched(2, PLAIN, mask=3, to=TILE - 16, size=16)
    assert np.array_equal(found[:2, TILE - 16:], [data[:16]] * 2) and not found[:, :TILE - 16].any()


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_a_box_goes_to_another_block_and_is_counted_there(rank):
    """Without a multicast the address names the block; so does that of its mbarrier."""
    form = BOX.replace(".multicast::cluster", "").replace("[%r24], %h1", "[%r24]")
    data, found = launched(4, form, mask=1 << rank, named=rank)
    expected = np.zeros((BLOCKS, TILE), "u1")
    expected[rank, :PIECE] = data[:PIECE]
    assert np.array_equal(found, expected)
