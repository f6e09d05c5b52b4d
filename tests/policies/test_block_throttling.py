"""May a plugin's dispatch of blocks decline to place one, is it asked again, and is one that stops the machine refused by name?"""
import numpy as np
import pytest
from test_brought import run, same, small

import archdef
from archdef import registry
from archdef.engine import core
from archdef.errors import PolicyError
from archdef.spec import BlockDispatch, named
from archdef.spec.fields import integer

NAMES = registry.names()
machines = pytest.mark.parametrize("name", NAMES)
SPIN = """.version 7.0
.target sm_30
.address_size 64
.visible .entry kernel(.param .u64 words)
{
    .reg .b64 %d<3>; .reg .b32 %r<9>; .reg .pred %p<4>;
    ld.param.u64 %d1, [words]; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOK;
    mov.u32 %r6, 1; st.volatile.global.u32 [%d1], %r6; ret;
LOOK: ld.volatile.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;
    ret;
}"""


NOTHING = """.version 7.0
.target sm_30
.address_size 64
.visible .entry kernel() { ret; }"""


@named("test_most")
class Most(BlockDispatch):
    """No more than a few blocks on a multiprocessor."""

    most: int = integer(default=1)

    def multiprocessor(self, view):
        free = [k for k in range(view.multiprocessors) if view.room[k] and view.blocks[k] < self.most]
        return min(free, key=lambda k: (view.load[k], k)) if free else None


def brought(method, **attributes):
    """A dispatch of blocks by a function of a view."""
    return named("test_brought")(type("Brought", (BlockDispatch,), {"__slots__": (), "multiprocessor": lambda self, view: method(view), **attributes}))()


def fewest(view):
    return min((k for k in range(view.multiprocessors) if view.room[k]), key=lambda k: (view.load[k], k))


@machines
def test_no_more_blocks_are_resident_than_it_lets_in(name):
    (free, left), (held, right) = run(small(name)), run(small(name, chip__block_dispatch=Most()))
    assert np.array_equal(left, right) and free.counters.max_resident_blocks > 1 == held.counters.max_resident_blocks
    assert held.cycles > free.cycles


@machines
def test_a_limit_that_holds_nobody_back_changes_nothing(name):
    assert same(run(small(name, chip__block_dispatch=Most(most=64))), run(small(name)))


@machines
def test_it_is_asked_again_at_the_cycle_that_it_names(name):
    seen = []

    def later(view):
        seen.append(view.cycle)
        if view.cycle < 700:
            view.again = 700
            return None
        return fewest(view)
    free, held = (archdef.Device(small(name, **changes)).compile(NOTHING).kernel[4, 32]() for changes in ({}, {"chip__block_dispatch": brought(later)}))
    assert seen[:2] == [0, 700] and held.cycles - free.cycles == 700


def test_a_wish_for_an_earlier_cycle_takes_the_place_of_a_later_one():
    seen = []

    def later(view):
        seen.append((view.block, view.cycle))
        if view.block == 2 and len([block for block, _ in seen if block == 2]) < 3:
            view.again = view.cycle + [1000, 10][len([block for block, _ in seen if block == 2]) - 1]
            return None
        return fewest(view)
    run(small("gf100", chip__block_dispatch=brought(later)))
    asked = [cycle for block, cycle in seen if block == 2]
    assert asked == [0, 1000, 1010]


@machines
def test_it_is_told_what_has_ended_and_issued(name):
    seen = []

    def keep(view):
        seen.append((view.cycle, sum(view.ended), sum(view.instructions), sum(view.blocks)))
        return Most().multiprocessor(view)
    found = run(small(name, chip__block_dispatch=brought(keep)))[0]
    assert seen == sorted(seen, key=lambda one: one[0]) and seen[0][:3] == (0, 0, 0)
    _, ended, issued, resident = seen[-1]
    assert 0 < ended == 12 - resident - 1 and 0 < issued <= found.counters.totals()["instructions"]


@pytest.mark.parametrize("name", ["k20", "h100"])
@pytest.mark.parametrize("lookahead", [1, 13])
def test_what_it_decides_does_not_depend_on_epochs(name, lookahead):
    def some(view):
        if view.instructions[0] % 3 == 1 and view.blocks[0]:
            view.again = view.cycle + 17
            return None
        return Most(most=2).multiprocessor(view)
    from test_brought import COUNT, KERNEL
    found = []
    for epochs in (0, lookahead):
        device = archdef.Device(small(name, chip__block_dispatch=brought(some)))
        words = device.to_device(np.zeros(COUNT + 12 * 128, "u4"))
        grid = device.compile(KERNEL).kernel[12, 128].prepare(words, COUNT)
        session = core.Session(device.machine, device.memory.engine, device.max_instructions, device.max_cycles, epochs)
        grid.start(session)
        while session.advance(1000.0):
            pass
        session.finished()
        found.append(grid.finish().cycles)
    assert found[0] == found[1]


# ---------------------------------------------------------------------------------------------------------------- refused
@pytest.mark.parametrize("again", [0, 1 << 20])
def test_whoever_starts_nothing_is_refused(again):
    def never(view):
        view.again = view.cycle + again if again else 0
    with pytest.raises(PolicyError, match=r"chip\.block_launch\.dispatch: .* holds back block 0 at cycle \d+, for which 2 multiprocessors have room, where"):
        run(small("gf100", chip__block_dispatch=brought(never)))


def test_whoever_starts_no_more_is_refused_when_the_others_have_ended():
    with pytest.raises(PolicyError, match=r"holds back block 3 at cycle \d+"):
        run(small("gf100", chip__block_dispatch=brought(lambda view: fewest(view) if view.block < 3 else None)))


@pytest.mark.parametrize("again", [0, 50])
def test_whoever_holds_back_the_block_that_others_wait_for_is_refused(again):
    def first(view):
        if view.block == 0:
            return 0
        view.again = view.cycle + again if again else 0
        return None
    device = archdef.Device(small("gf100", chip__block_dispatch=brought(first)), max_cycles=100_000_000)
    with pytest.raises(PolicyError, match=r"chip\.block_launch\.dispatch: .* holds back block 1 at cycle \d+"):
        device.compile(SPIN).kernel[2, 32](device.zeros(4, "u4"))


@pytest.mark.parametrize("again", [-3, 1 << 40])
def test_a_cycle_that_has_passed_is_no_wish(again):
    def wrong(view):
        view.again = again
    with pytest.raises(PolicyError, match=rf"wants to be asked about block 0 again at cycle {again}, at cycle 0: it must be a later one, by at most 2.30, or 0"):
        run(small("gf100", chip__block_dispatch=brought(wrong)))


@pytest.mark.parametrize("answer", [-2, 2, 1 << 40])
def test_a_multiprocessor_that_is_not_there_is_no_answer(answer):
    with pytest.raises(PolicyError, match=rf"sent block 0 to multiprocessor {answer}, which has no room for it, or is not one of 0 to 1"):
        run(small("gf100", chip__block_dispatch=brought(lambda view: answer)))
