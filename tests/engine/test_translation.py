"""Translation of addresses: what reaches beyond a TLB waits for the next one, then for a walk; results stay what they were."""
import functools

import attrs
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.engine import core
from archdef.errors import SpecErrors
from archdef.examples import load as workload
from archdef.examples.command import launches
from archdef.spec import AddressTranslation, PageWalk, Tlb

NAMES = registry.names()
pytestmark = pytest.mark.skipif(not NAMES, reason="no architecture is installed")
machines = pytest.mark.parametrize("name", NAMES)
SOME = NAMES[::6]
"""What is asked of any machine, whatever it has, is asked of these."""

PAGE = 4096
STRIDE = PAGE + 128
TLB = AddressTranslation(
    page_bytes=PAGE, l1=Tlb(entries=8, ways=8, latency_cycles=3, misses_in_flight=8),
    l2=Tlb(entries=32, ways=32, latency_cycles=200, lookups_per_cycle=2, misses_in_flight=64),
    walk=PageWalk(walkers=4, levels=4, level_cycles=150))

HEAD = """.version 6.0
.target sm_30
.address_size 64
"""
CHASE = HEAD + """.visible .entry chase(.param .u64 out, .param .u64 words, .param .u32 steps)
{
    .reg .b64 %d<5>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [words]; ld.param.u32 %r1, [steps]; mov.u32 %r2, 0;
AGAIN:
    cvt.u64.u32 %d3, %r2; add.u64 %d4, %d2, %d3; ld.global.cg.u32 %r2, [%d4];
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
    st.global.u32 [%d1], %r2; ret;
}"""
LANES = HEAD + """.visible .entry lanes(.param .u64 out, .param .u64 words, .param .u32 bytes)
{
    .reg .b64 %d<6>; .reg .b32 %r<6>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [words]; ld.param.u32 %r1, [bytes];
    mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, %r1; add.u64 %d4, %d2, %d3; ld.global.cg.u32 %r3, [%d4];
    mul.wide.u32 %d3, %r2, 4; add.u64 %d5, %d1, %d3; st.global.u32 [%d5], %r3; ret;
}"""
"""Each lane reads a word of its own, so many bytes from its neighbour's."""


def small(name, **changes):
    """A machine of one multiprocessor, without refreshes of DRAM, which come more or less often."""
    return registry.get(name).evolve({"chip.multiprocessors": 1, "chip.cluster_sizes": (), "dram.t_refi_ns": None, "dram.refresh_banks": None, **changes})


def tlb(**changes):
    """The hierarchy of these tests with something else in it, by path below it."""
    made = TLB
    for path, value in changes.items():
        part, _, field = path.rpartition("__")
        made = attrs.evolve(made, **({part: attrs.evolve(getattr(made, part), **{field: value})} if part else {field: value}))
    return made


def chase(arch, pages, steps):
    """Let one thread follow a ring of words, one on each page."""
    device = archdef.Device(arch)
    words = np.zeros(pages * STRIDE // 4 + 1, "u4")
    words[np.arange(pages) * STRIDE // 4] = (np.arange(pages) + 1) % pages * STRIDE
    out = device.to_device(np.zeros(1, "u4"))
    found = device.compile(CHASE).chase[1, 1](out, device.to_device(words), steps)
    assert out.to_host()[0] == steps % pages * STRIDE
    return found


def step_cycles(arch, pages):
    """SM cycles of a load, once all pages have been seen."""
    return (chase(arch, pages, 4 * pages).cycles - chase(arch, pages, 2 * pages).cycles) / (2 * pages)


def lanes(arch, stride, blocks=1):
    """Let a warp read a word a lane, or each of several blocks the same words."""
    device, width = archdef.Device(arch), arch.warp.size
    words = np.random.default_rng(3).integers(0, 1 << 30, width * stride // 4 + 1).astype("u4")
    out = device.to_device(np.zeros(width, "u4"))
    found = device.compile(LANES).lanes[blocks, width](out, device.to_device(words), stride)
    np.testing.assert_array_equal(out.to_host(), words[np.arange(width) * stride // 4])
    return found


def counted(run, counter):
    return int(run.counters.components["translation"][counter].sum())


# ------------------------------------------------------------------------------------------------------------------- reach
@machines
@pytest.mark.parametrize("pages, beyond", [(4, 0), (8, 0), (12, 1), (32, 1), (48, 2)])
def test_a_chase_shows_how_far_each_tlb_reaches(name, pages, beyond):
    arch, core_cycle = small(name), registry.get(name).clocks.shader_mhz / registry.get(name).clocks.core_mhz
    cost = 3 + (beyond >= 1) * 200 * core_cycle + (beyond >= 2) * 600 * core_cycle
    more = step_cycles(arch.evolve({"caches.tlb": TLB}), pages) - step_cycles(arch, pages)
    assert more == pytest.approx(cost, abs=3 + 0.04 * cost)


@machines
def test_the_reach_is_a_number_of_bytes(name):
    wide, narrow = (chase(small(name, **{"caches.tlb": one}), 32, 128) for one in (tlb(page_bytes=4 * PAGE), TLB))
    assert counted(wide, "l1_misses") <= 10 < counted(narrow, "l1_misses")


def test_pages_of_one_set_displace_each_other():
    narrow = tlb(l1__entries=8, l1__ways=1)
    device = small(SOME[0], **{"caches.tlb": narrow})
    apart = chase(device, 2, 64)
    assert counted(apart, "l1_misses") < 8
    words = 8 * PAGE        # two words on pages of the same set
    found = lanes(device, words, 4)
    assert counted(found, "l1_misses") >= 4


# ------------------------------------------------------------------------------------------------------- limits of each stage
@machines
def test_walks_wait_for_a_walker(name):
    """As many pages as there are lanes: one walker after the other, or all at once."""
    arch, core_cycle = small(name), registry.get(name).clocks.shader_mhz / registry.get(name).clocks.core_mhz
    room = tlb(l1__misses_in_flight=64)
    one, four, all_ = (lanes(arch.evolve({"caches.tlb": attrs.evolve(room, walk=attrs.evolve(room.walk, walkers=n))}), STRIDE).cycles for n in (1, 4, 64))
    walk, width = 600 * core_cycle, arch.warp.size
    assert one - all_ == pytest.approx((width - 1) * walk, rel=0.1)
    assert 0.6 < (four - all_) / ((width / 4 - 1) * walk) < 1.1      # less where transactions come slowly


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("path", ["l1__misses_in_flight", "l2__misses_in_flight"])
def test_misses_in_flight_bound_the_walks_under_way(name, path):
    room = tlb(l1__misses_in_flight=64, walk__walkers=64)
    arch = small(name)
    one, all_ = (lanes(arch.evolve({"caches.tlb": one}), STRIDE) for one in (tlb(**{"l1__misses_in_flight": 64, "walk__walkers": 64, path: 1}), room))
    assert one.cycles - all_.cycles > 0.8 * (arch.warp.size - 1) * 600 * arch.clocks.shader_mhz / arch.clocks.core_mhz
    assert counted(one, "walks") == counted(all_, "walks")


@pytest.mark.parametrize("name", SOME)
def test_requests_overtake_misses_unless_they_may_not(name):
    """Half of the lanes' pages are there: they need not wait for the others' walks, but do if misses block."""
    over, behind = (lanes(small(name, **{"caches.tlb": tlb(hit_under_miss=flag)}), PAGE // 2) for flag in (True, False))
    assert counted(over, "wait_fs") < counted(behind, "wait_fs") and over.cycles < behind.cycles


QUICK = {"l1__misses_in_flight": 32, "l2__misses_in_flight": 64, "walk__walkers": 64, "walk__level_cycles": 1}


@pytest.mark.parametrize("name", SOME)
def test_ports_bound_the_rate_of_lookups(name):
    """What one miss has held up is looked up as fast as there are ports."""
    one, many = (lanes(small(name, **{"caches.tlb": tlb(**QUICK, hit_under_miss=False, l1__lookups_per_cycle=n)}), 256) for n in (1, 64))
    assert counted(many, "wait_fs") < counted(one, "wait_fs")


@pytest.mark.parametrize("name", SOME)
def test_ports_of_the_shared_tlb_bound_what_multiprocessors_ask_for_together(name):
    arch = registry.get(name)
    one, many = (lanes(arch.evolve({"caches.tlb": tlb(**QUICK, l2__lookups_per_cycle=n)}), STRIDE, arch.chip.multiprocessors) for n in (1, 64))
    assert counted(many, "wait_fs") < counted(one, "wait_fs")


@pytest.mark.parametrize("name", SOME)
def test_walks_need_not_read_what_is_cached_of_the_page_table(name):
    without, with_ = (lanes(small(name, **{"caches.tlb": tlb(walk__cached_entries=n, walk__walkers=1)}), STRIDE) for n in (0, 16))
    assert counted(without, "walk_accesses") == 4 * counted(without, "walks")
    assert counted(with_, "walk_accesses") < counted(with_, "walks") + 8      # all pages are in one or two of the last tables
    assert with_.cycles < without.cycles


@pytest.mark.parametrize("name", SOME)
def test_without_a_second_tlb_misses_are_walked_for_at_once(name):
    arch = small(name)
    alone, both = (step_cycles(arch.evolve({"caches.tlb": one}), 48) for one in (tlb(l2=None), TLB))
    assert both - alone == pytest.approx(200 * arch.clocks.shader_mhz / arch.clocks.core_mhz, rel=0.1)


@pytest.mark.parametrize("name", SOME)
def test_a_page_that_all_multiprocessors_lack_is_walked_for_once(name):
    arch = registry.get(name).evolve({"caches.tlb": TLB})
    device = archdef.Device(arch)
    words = device.to_device(np.arange(1024, dtype="u4"))
    out = device.to_device(np.zeros(arch.warp.size, "u4"))
    run = device.compile(LANES).lanes[4 * arch.chip.multiprocessors, arch.warp.size](out, words, 4)
    pages = {address // PAGE for array in (words, out) for address in range(array.address, array.address + array.nbytes)}
    assert counted(run, "walks") == len(pages)
    assert counted(run, "l2_misses") > len(pages) and counted(run, "l2_hits") + counted(run, "l2_misses") <= counted(run, "l1_misses")


# ------------------------------------------------------------------------------------------- the same results, in the order of time
def results(arch, name, size):
    rows, _refused = launches(workload(name), arch, size)       # raises if a result is not numpy's
    return [row.run for row in rows]


@machines
@pytest.mark.parametrize("example, size", [("matmul", 64), ("reduction", 1 << 13), ("transpose", 64), ("vector_add", 1 << 13)])
def test_kernels_compute_the_same_with_translation(name, example, size):
    without, with_ = (results(arch, example, size) for arch in (registry.get(name), registry.get(name).evolve({"caches.tlb": TLB})))
    assert len(without) == len(with_) > 0
    for one, other in zip(without, with_, strict=True):
        assert other.counters.issued.tolist() == one.counters.issued.tolist()
        assert other.cycles > 0.98 * one.cycles         # a little less where requests that wait for translations meet better rows of DRAM
        assert counted(other, "l1_hits") + counted(other, "l1_misses") > 0
        assert one.counters.components == {}
        assert other.bounds is None or other.bounds.upper is None or other.cycles <= other.bounds.upper.cycles


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("length", [1, 7, 50])
def test_cycles_do_not_depend_on_the_length_of_epochs(name, length, monkeypatch):
    arch = registry.get(name).evolve({"caches.tlb": tlb(l1__misses_in_flight=2, walk__walkers=1, walk__cached_entries=4)})

    def told():
        return [(run.cycles, run.counters.statements.tobytes(), run.counters.partition.tobytes(), run.counters.components["translation"].tobytes())
                for run in results(arch, "transpose", 64)]
    usual = told()
    original = core.Session
    monkeypatch.setattr(core, "Session", functools.partial(original, lookahead_cycles=length))
    assert told() == usual


# --------------------------------------------------------------------------------------------------- what users see, and give
@pytest.mark.parametrize("name", SOME)
def test_metrics_say_what_the_tlbs_did(name):
    arch = small(name, **{"caches.tlb": TLB})
    run, plain = chase(arch, 12, 120), chase(small(name), 12, 120)
    cycle = arch.clocks.shader_mhz / arch.clocks.core_mhz
    assert run.metrics["l1_tlb_hit_rate"] < 3 and run.metrics["l2_tlb_hit_rate"] > 85
    assert run.metrics["page_walks"] == 13 and run.metrics["page_walk_cycles"] == pytest.approx(600 * cycle, rel=0.01)      # and the page of what is stored
    assert run.metrics["translation_latency"] == pytest.approx(203 * cycle + 13 / 121 * 600 * cycle, rel=0.1)
    assert all(plain.metrics[one] is None for one in ("l1_tlb_hit_rate", "l2_tlb_hit_rate", "page_walks", "page_walk_cycles", "translation_latency"))


@pytest.mark.parametrize("name", SOME)
def test_a_description_file_adds_translation(name, tmp_path):
    path = tmp_path / "paged.toml"
    path.write_text(f"""base = "{name}"
name = "paged"
[caches.tlb]
page_bytes = "64 KiB"
l1 = {{entries = 16, ways = 4, latency_cycles = 1, misses_in_flight = 8}}
l2 = {{entries = 512, ways = 16, latency_cycles = 40, lookups_per_cycle = 2, misses_in_flight = 64}}
walk = {{walkers = 8, levels = 4, level_cycles = 100, cached_entries = 32}}
""")
    arch = archdef.load(path)
    assert arch.caches.tlb.l2.entries == 512 and arch.caches.tlb.page_bytes == 65536
    assert counted(chase(arch, 12, 40), "walks") > 0
    further = arch.evolve({"caches.tlb.walk.walkers": 1, "caches.tlb.l2": None})
    assert further.caches.tlb.walk.walkers == 1 and chase(further, 12, 40).cycles < chase(arch, 12, 40).cycles


@pytest.mark.parametrize("changes, said", [
    ({"l1__ways": 3}, "caches.tlb.l1.ways must divide entries = 8"), ({"page_bytes": 5000}, "caches.tlb.page_bytes must be a power of two"),
    ({"page_bytes": 64}, "caches.tlb.page_bytes must be at least 4096"), ({"walk__levels": 0}, "caches.tlb.walk.levels must be at least 1"),
    ({"walk__levels": 9}, "caches.tlb.walk.levels must be at most 6"), ({"walk__walkers": 0}, "caches.tlb.walk.walkers must be at least 1"),
    ({"l2__entries": 0}, "caches.tlb.l2.entries must be at least 1"), ({"l1__misses_in_flight": -1}, "caches.tlb.l1.misses_in_flight must be at least 1"),
    ({"walk__table_entries": 256}, "caches.tlb.walk.table_entries must be left at 512 where cached_entries = 0"),
    ({"walk__levels": 1, "walk__cached_entries": 4}, "caches.tlb.walk.cached_entries must be 0 where levels = 1"),
    ({"l1": None}, "caches.tlb.l1 must be given"), ({"hit_under_miss": 3}, "caches.tlb.hit_under_miss must be True or False")])
def test_values_without_sense_are_refused_by_name(changes, said):
    with pytest.raises(SpecErrors) as caught:
        registry.get(NAMES[0]).evolve({"caches.tlb": tlb(**changes)})
    assert any(said in str(one) for one in caught.value.exceptions), [str(one) for one in caught.value.exceptions]
