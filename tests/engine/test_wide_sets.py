"""Do caches of wide sets find and replace lines as a list in the order of use does, and do carveouts take their ways?"""
import random
from collections import OrderedDict

import attrs
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import SpecErrors

LINE = 128
PTX = """.version 6.0
.target sm_50
.address_size 64
.extern .shared .align 4 .b8 room[];
.visible .entry k(.param .u64 places, .param .u64 memory, .param .u32 n)
{
    .reg .u64 %at, %base, %next; .reg .u32 %i, %n, %v, %sum, %line; .reg .pred %c;
    ld.param.u64 %at, [places]; ld.param.u64 %base, [memory]; ld.param.u32 %n, [n];
    mov.u32 %i, 0; mov.u32 %sum, 0;
AGAIN:
    ld.global.cg.u32 %line, [%at];
    mad.wide.u32 %next, %line, 128, %base;
    ld.global.ca.u32 %v, [%next];
    add.u32 %sum, %sum, %v;
    add.u64 %at, %at, 4;
    add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, %n;
    @%c bra AGAIN;
    st.shared.u32 [room], %sum;
    ret;
}
"""


def hits(device, lines, shared_bytes=4):
    """Give how many of these lines of memory, read one after the other by one thread, were found in L1."""
    places, memory = device.to_device(np.array(lines, "u4")), device.zeros((max(lines) + 1) * LINE // 4, "u4")
    return device.compile(PTX)["k"][1, 1, shared_bytes](places, memory, np.uint32(len(lines))).counters.l1_hits


def found(lines, sets, ways):
    """Give how many a set-associative cache finds that replaces what was used longest ago."""
    held, count = [OrderedDict() for _ in range(sets)], 0
    for line in lines:
        of = held[line % sets]
        count += line in of
        of[line] = True
        of.move_to_end(line)
        if len(of) > ways:
            of.popitem(last=False)
    return count


@pytest.mark.parametrize("sets, ways", [(4, 8), (4, 16), (1, 17), (2, 24), (3, 32), (4, 64), (1, 256)])
def test_lines_are_found_and_replaced_in_the_order_of_use(sets, ways):
    device = archdef.Device(registry.get("v100").evolve({
        "caches.l1.size_bytes": sets * ways * LINE, "caches.l1.ways": ways, "caches.unified_l1_shared": False, "caches.carveout_takes": "sets"}))
    rng = random.Random(sets * 1000 + ways)
    lines = [rng.randrange(int(1.6 * sets * ways)) if rng.random() < 0.7 else rng.randrange(4) for _ in range(2500)]
    assert hits(device, lines) == found(lines, sets, ways)


def test_the_carveout_takes_ways_and_leaves_four_sets():
    """Jia et al. 2018 count four sets in a V100's L1, Accel-Sim's QV100 64 ways of 32 KiB."""
    device = archdef.Device("v100")
    lines = [4 * k for k in range(64)]
    assert hits(device, lines * 2, 96 * 1024) == 64
    assert hits(device, [*lines, 4 * 64] * 2, 96 * 1024) == 0


@pytest.mark.parametrize("arch", ["v100", "a100", "h100"])
def test_rows_of_16_kib_do_not_drive_each_other_out(arch):
    """32 lines 16 KiB apart are a column of a matrix of 4096 floats a row; blocks of 16 x 16 and 32 x 32 read them again for the next columns."""
    lines = [128 * k for k in range(32)]
    assert hits(archdef.Device(arch), lines * 2) == 32


@attrs.frozen
class Oldest(archdef.spec.Replacement):
    """The engine's own choice in Python."""

    def victim(self, view):
        assert len(view.used) == len(view.lines) == view.ways and len(view.busy_ways) == -(-view.ways // 64)
        return min((way for way in range(view.ways) if not view.busy >> way & 1), key=lambda way: view.used[way])


@attrs.frozen
class Latest(archdef.spec.Replacement):
    """The one used last: of lines read round and round all but one hit."""

    def victim(self, view):
        return max((way for way in range(view.ways) if not view.busy >> way & 1), key=lambda way: view.used[way])


@pytest.mark.parametrize("arch", ["v100", "a100"])
def test_a_policy_of_ones_own_chooses_among_all_ways_of_an_l1_as_it_is_declared(arch):
    ways = registry.get(arch).caches.l1.ways
    assert ways > 64
    lines = [4 * k for k in range(ways + 40)] * 2
    own = {policy: hits(archdef.Device(registry.get(arch).evolve({"caches.l1.replacement": policy})), lines) for policy in (Oldest(), Latest(), "lru")}
    assert own[Oldest()] == own["lru"] == 0 and own[Latest()] > ways // 2


def test_a_policy_of_ones_own_sees_at_most_1024_ways():
    with pytest.raises(SpecErrors) as refused:
        registry.get("v100").evolve({"caches.l1.replacement": Oldest(), "caches.l1.ways": 1025, "caches.l1.size_bytes": 1025 * LINE})
    assert "v100.caches.l1.ways must be at most 1024" in str(refused.value.exceptions[0])
