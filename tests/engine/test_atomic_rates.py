"""How long do atomic operations hold a slice of the L2: on one word, and on all words of a sector?"""
import archdef
import numpy as np
import pytest

MACHINE = archdef.architecture("k40").evolve({"load_store.atomic_cycles": 4, "dram.partitions": 1})
SOURCE = """
.version 7.8
.target sm_20
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 stride, .param .u32 rounds) {
    .reg .u64 %p, %a; .reg .u32 %t, %s, %n; .reg .pred %c;
    ld.param.u64 %p, [p]; ld.param.u32 %s, [stride]; ld.param.u32 %n, [rounds];
    mov.u32 %t, %tid.x; mul.lo.u32 %t, %t, %s; mul.wide.u32 %a, %t, 4; add.u64 %p, %p, %a;
LOOP:
    red.global.add.u32 [%p], 1;
    sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0;
    @%c bra LOOP;
    ret;
}
"""


def cycles(stride: int, **changed) -> float:
    """Cycles for which what a warp adds holds the one slice."""
    device = archdef.Device(MACHINE.evolve({f"load_store.{name}": value for name, value in changed.items()}))
    add, words = device.compile(SOURCE).add, device.zeros(32, "u4")
    few, many = (add[8, 32](words, np.uint32(stride), np.uint32(rounds)).cycles for rounds in (20, 60))
    return (many - few) / (8 * 40)


@pytest.mark.parametrize("changed", [{}, {"atomic_sector_cycles": 20}])
def test_what_full_sectors_take_says_nothing_of_one_word(changed):
    assert cycles(0, **changed) == pytest.approx(32 * 4, rel=0.01)


@pytest.mark.parametrize("changed, each", [({}, 4), ({"atomic_sector_cycles": 20}, 20)])
def test_full_sectors_take_their_time(changed, each):
    assert cycles(1, **changed) == pytest.approx(4 * each, rel=0.01)


SHIFTED = """
.version 7.8
.target sm_20
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 first, .param .u32 others, .param .u32 rounds) {
    .reg .u64 %p, %a, %o; .reg .u32 %t, %s, %n; .reg .pred %c;
    ld.param.u64 %p, [p]; ld.param.u32 %s, [first]; ld.param.u32 %n, [rounds];
    mov.u32 %t, %tid.x; and.b32 %t, %t, 16; cvt.u64.u32 %a, %t; add.u64 %p, %p, %a;
LOOP:
    cvt.u64.u32 %o, %s; add.u64 %a, %p, %o;
    red.global.add.u32 [%a], 1;
    ld.param.u32 %s, [others];
    sub.u32 %n, %n, 1; setp.ne.u32 %c, %n, 0;
    @%c bra LOOP;
    ret;
}
"""


@pytest.mark.parametrize("name", ["k40", "titan_x", "h100"])
@pytest.mark.parametrize("first, others", [(0, 16), (16, 0)])
def test_two_words_take_their_time_in_one_sector_or_two_whichever_was_seen_first(name, first, others):
    device = archdef.Device(archdef.architecture(name).evolve({"load_store.atomic_cycles": 4}))
    add, words = device.compile(SHIFTED).add, device.zeros(32, "u4")

    def cycles(first, rounds):
        return add[1, 32](words, np.uint32(first), np.uint32(others), np.uint32(rounds)).cycles
    assert cycles(first, 200) - cycles(first, 100) == pytest.approx(cycles(others, 200) - cycles(others, 100), rel=0.01)
