"""Does a plugin place pages in L2 partitions by who asks first, do they stay there, and is an answer that is none refused?"""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import PluginError, PolicyError
from archdef.spec import PagePlacement, named
from archdef.spec.fields import integer

NAMES = [name for name in registry.names() if registry.get(name).interconnect.l2_partitions is not None]
machines = pytest.mark.parametrize("name", NAMES)
PAGE_WORDS = 65536 // 4
KERNEL = """.version 7.0
.target sm_30
.address_size 64
.visible .entry slices(.param .u64 words, .param .u32 further, .param .u32 each)
{
    .reg .b64 %d<4>; .reg .b32 %r<12>; .reg .pred %p<2>;
    ld.param.u64 %d1, [words]; ld.param.u32 %r8, [further]; ld.param.u32 %r9, [each];
    mov.u32 %r1, %smid; add.u32 %r1, %r1, %r8; rem.u32 %r1, %r1, 8;        // whose slice it is
    mul.lo.u32 %r1, %r1, %r9; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;
AGAIN:
    add.u32 %r4, %r1, %r2; mul.wide.u32 %d2, %r4, 4; add.u64 %d2, %d1, %d2;
    ld.global.u32 %r5, [%d2]; add.u32 %r5, %r5, 1; st.global.u32 [%d2], %r5;
    add.u32 %r2, %r2, %r3; setp.lt.u32 %p1, %r2, %r9; @%p1 bra AGAIN;
    ret;
}"""


def machine(name, placed, count=2, **changes):
    return registry.get(name).evolve({"chip.multiprocessors": 8, "chip.cluster_sizes": (), "dram.partitions": 16, "interconnect.distances": None,
                                      "interconnect.l2_partitions.count": count, "dram.partition_map": placed, **changes})


class Slices:
    """A device on which each multiprocessor has a page of its own."""

    def __init__(self, architecture):
        self.device = archdef.Device(architecture)
        self.words = self.device.to_device(np.zeros(8 * PAGE_WORDS, "u4"))
        self.kernel = self.device.compile(KERNEL).slices
        self.launched = 0

    def launch(self, further=0):
        """Let each add 1 to the slice of the one so many further on. Gives the run and the sums of near and far requests."""
        found = self.kernel[8, 256](self.words, further, PAGE_WORDS)
        self.launched += 1
        assert (self.words.to_host() == self.launched).all()
        counted = found.counters.components["placement"]
        return found, int(counted["near_requests"].sum()), int(counted["far_requests"].sum())


@named("test_first_touch")
class FirstTouch(PagePlacement):
    def place(self, view):
        return view.l2_partition


@named("test_in_turn")
class InTurn(PagePlacement):
    page_bytes: int = integer(default=65536)

    def place(self, view):
        return view.page % view.l2_partitions


def watching(answer):
    """A placement that keeps the views that it was asked with."""
    class Watching(PagePlacement):
        seen: list = []

        def place(self, view):
            self.seen.append(view)
            return answer(view)
    return named("test_watching")(Watching)()


@machines
@pytest.mark.parametrize("count", [2, 4])
def test_nothing_is_far_from_who_asked_first(name, count):
    """The slice of each multiprocessor is one page; the others are the kernel's own."""
    far_latency = {"interconnect.l2_partitions.far_latency_ns": 500.0}
    (first, near, far), (turned, near_in_turn, far_in_turn) = (Slices(machine(name, placed, count, **far_latency)).launch() for placed in (FirstTouch(), InTurn()))
    assert near + far == near_in_turn + far_in_turn and far < 0.02 * near
    assert abs(far_in_turn / (near_in_turn + far_in_turn) - (1 - 1 / count)) < 0.3
    assert first.cycles < turned.cycles


@machines
def test_pages_stay_where_they_are_from_launch_to_launch(name):
    placed = watching(lambda view: view.l2_partition)
    slices = Slices(machine(name, placed))
    slices.launch()
    asked = [view.page for view in placed.seen]
    assert len(asked) == len(set(asked)) >= 8
    _, near, far = slices.launch(further=4)       # each goes to the slice of one in the other half
    assert far > 0.95 * (near + far)
    assert [view.page for view in placed.seen[len(asked):]] == []
    _, near, far = slices.launch()
    assert near > 0.95 * (near + far)


@machines
def test_the_view_says_who_asks_and_what_lies_where(name):
    placed = watching(lambda view: view.l2_partition)
    Slices(machine(name, placed, 4)).launch()
    pages = [0] * 4
    for view in placed.seen:
        assert (view.page_bytes, view.l2_partitions, len(view.state)) == (65536, 4, 16) and view.l2_partition == view.multiprocessor // 2
        assert view.pages == pages
        pages[view.l2_partition] += 1


def test_its_state_stays_with_the_device():
    class Counting(PagePlacement):
        counts: list = []

        @property
        def state_words(self):
            return 40

        def place(self, view):
            view.state[39] += 1
            self.counts.append(view.state[39])
            return 0
    device = archdef.Device(machine(NAMES[0], named("test_counting")(Counting)()))
    kernel, held = device.compile(KERNEL).slices, [device.zeros(PAGE_WORDS, "u4") for _ in range(2)]
    for words in held:
        kernel[8, 32](words, 0, PAGE_WORDS // 8)
    assert Counting.counts == list(range(1, 1 + len(Counting.counts))) and len(Counting.counts) >= 2


@machines
def test_no_two_bytes_share_a_place(name):
    """Many small pages, of which each L2 partition gets those that its multiprocessors touch: lines of a cache that were shared would hit where they must miss."""
    found, *_ = Slices(machine(name, InTurn(page_bytes=4096))).launch()
    moved = found.counters.partition["bytes_read"].sum()
    assert moved >= 8 * PAGE_WORDS * 4


@pytest.mark.parametrize("answer", [-1, 2, 1 << 40])
def test_an_l2_partition_that_is_not_there_is_no_answer(answer):
    with pytest.raises(PolicyError, match=rf"dram\.partition_map: .* placed page 0x[0-9a-f]+ in L2 partition {answer}, of 0 to 1"):
        Slices(machine(NAMES[0], watching(lambda view: answer))).launch()


@pytest.mark.parametrize("page_bytes", [0, 128, 5000, 1 << 31, 4096.0])
def test_pages_of_a_size_that_is_none_are_refused_by_path(page_bytes):
    wrong = named("test_wrong")(type("Wrong", (FirstTouch,), {"page_bytes": page_bytes, "__slots__": ()}))
    with pytest.raises(PluginError, match=r"dram\.partition_map: page_bytes of Wrong must be a power of two from dram\.interleave_bytes = \d+ to 2\^30"):
        Slices(machine(NAMES[0], wrong())).launch()


def test_a_machine_of_one_part_has_nowhere_to_place_pages():
    with pytest.raises(PluginError, match=r"dram\.partition_map: FirstTouch places pages in L2 partitions, and gf100 has none"):
        Slices(registry.get("gf100").evolve({"dram.partition_map": FirstTouch()})).launch()
