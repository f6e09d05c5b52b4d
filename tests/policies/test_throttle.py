"""Does a plugin's warp throttle decide which warps may load, is it told what L1 did, and is an answer that is none refused?"""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.engine.counters import Stall
from archdef.errors import PluginError, PolicyError
from archdef.policies import VIEWS
from archdef.spec import WarpThrottle, named
from archdef.spec.fields import integer

NAMES = [name for name in registry.names() if registry.get(name).caches.l1 is not None]
machines = pytest.mark.parametrize("name", NAMES)
TIME, HIT, MISS, START, END = range(5)
KERNEL = """.version 7.0
.target sm_30
.address_size 64
.visible .entry rows(.param .u64 out, .param .u64 in, .param .u32 width)
{
    .reg .b64 %d<6>; .reg .b32 %r<12>; .reg .pred %p<2>;
    ld.param.u64 %d1, [in]; ld.param.u32 %r9, [width]; ld.param.u64 %d5, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.lo.u32 %r5, %r4, %r9; mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d1, %d2;
    mov.u32 %r10, 0; mov.u32 %r11, 0;
AGAIN:
    ld.global.ca.u32 %r7, [%d2]; add.u32 %r11, %r11, %r7; add.u64 %d2, %d2, 4;
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r9; @%p1 bra AGAIN;
    mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d5, %d3; st.global.u32 [%d3], %r11;
    ret;
}"""
WIDTH, BLOCKS, THREADS = 16, 6, 128


def run(architecture, blocks=BLOCKS, threads=THREADS):
    """Let every thread add up a row of its own. Gives the run; the sums are right."""
    device = archdef.Device(architecture)
    rows = np.random.default_rng(3).integers(0, 1 << 20, (blocks * threads, WIDTH)).astype("u4")
    out, given = device.to_device(np.zeros(len(rows), "u4")), device.to_device(rows)
    found = device.compile(KERNEL).rows[blocks, threads](out, given, WIDTH)
    np.testing.assert_array_equal(out.to_host(), rows.sum(axis=1, dtype="u4"))
    return found


def throttled(name, throttle, **changes):
    return registry.get(name).evolve({"chip.multiprocessors": 1, "chip.cluster_sizes": (), "schedulers.throttle": throttle, **changes})


@named("test_everyone")
class Everyone(WarpThrottle):
    def allow(self, view):
        return 0


@named("test_oldest_few")
class OldestFew(WarpThrottle):
    """Only the few oldest warps may load."""

    few: int = integer(default=1)

    def allow(self, view):
        oldest = sorted((view.launched[slot], slot) for slot in range(view.warps) if view.resident[slot])[:self.few]
        for slot in range(view.warps):
            view.allowed[slot] = int(slot in {slot for _, slot in oldest})
        return 0


class Watcher(WarpThrottle):
    """Keeps what it is told."""

    seen: list = []

    def allow(self, view):
        self.seen.append((view.event, view.warp, view.line, view.place, view.evicted, view.cycle, view.instructions))
        assert len(view.state) == 16 and (view.event not in (HIT, MISS) or view.lines > view.place >= 0 and view.resident[view.warp])
        return 0


@machines
def test_a_throttle_that_holds_nobody_back_changes_nothing(name):
    assert run(throttled(name, Everyone())).cycles == run(throttled(name, None)).cycles


@machines
def test_warps_that_are_held_back_load_later(name):
    free, held = (run(throttled(name, throttle)) for throttle in (None, OldestFew()))
    assert held.cycles > 1.2 * free.cycles
    assert held.counters.thread_instructions == free.counters.thread_instructions
    waits = [one.counters.statements["stall_cycles"].sum(axis=0)[Stall.ST_MEMORY_THROTTLE] for one in (free, held)]
    assert waits[1] > waits[0] + 0.5 * (held.cycles - free.cycles)      # of one warp at least, all the time that the others load


@machines
def test_the_throttle_is_told_what_l1_did(name):
    watcher = named("test_watcher")(type("Fresh", (Watcher,), {"seen": [], "__slots__": ()}))()
    found = run(throttled(name, watcher), 2, 64)
    events = [one[0] for one in watcher.seen]
    assert events.count(START) == events.count(END) == 2 * 64 // registry.get(name).warp.size
    assert events.count(TIME) == 0
    if found.counters.l1_hits:          # of some machines, loads from global memory pass L1 by
        assert events.count(HIT) > 0 and 0 < events.count(MISS) <= found.counters.l1_misses
    assert all(before[5] <= after[5] and before[6] <= after[6] for before, after in zip(watcher.seen, watcher.seen[1:]))
    places = {}
    for event, _, line, place, evicted, _, _ in watcher.seen:
        if event in (HIT, MISS):
            assert places.get(place, line) == (line if evicted is None else evicted)       # what stood there, and gave way
            places[place] = line


@machines
def test_it_is_asked_again_at_the_cycle_that_it_names(name):
    class Timed(WarpThrottle):
        asked: list = []

        def allow(self, view):
            if view.event == TIME:
                self.asked.append(view.cycle)
                view.allowed[:] = [1] * view.warps
                return 0
            if view.cycle < 500:
                view.allowed[:] = [0] * view.warps
                return 500
            return 0
    run(throttled(name, named("test_timed")(Timed)()))
    assert Timed.asked and all(cycle >= 500 for cycle in Timed.asked) and min(Timed.asked) == 500


@machines
def test_a_wish_to_be_asked_sooner_is_heard_by_schedulers_that_sleep(name):
    """Loads of one warp are held back without a time; when another warp has ended, the policy names one."""
    class Later(WarpThrottle):
        asked: list = []

        def allow(self, view):
            if view.event == TIME:
                self.asked.append(view.cycle)
                view.allowed[:] = [1] * view.warps
                return 0
            held = [slot for slot in range(view.warps) if view.resident[slot]][1:]
            if not self.asked:
                for slot in held:
                    view.allowed[slot] = 0
            return view.cycle + 50 if view.event == END and not self.asked else 0
    run(throttled(name, named("test_later")(Later)()), 1, 2 * registry.get(name).warp.size)
    assert len(Later.asked) == 1


@pytest.mark.parametrize("name", NAMES[:1])
def test_whoever_holds_everyone_back_for_ever_is_refused(name):
    class Never(WarpThrottle):
        def allow(self, view):
            view.allowed[:] = [0] * view.warps
            return 0
    with pytest.raises(PolicyError, match=r"schedulers\.throttle: .* holds back the loads of warp \d+ of multiprocessor 0 at cycle \d+"):
        run(throttled(name, named("test_never")(Never)()))


@pytest.mark.parametrize("name", NAMES[:1])
@pytest.mark.parametrize("answer", [-1, 1, 1 << 40])
def test_a_cycle_that_has_passed_is_no_answer(name, answer):
    class Past(WarpThrottle):
        def allow(self, view):
            return answer if view.event == MISS else 0
    with pytest.raises(PolicyError, match=rf"schedulers\.throttle: .* answered cycle {answer} at cycle \d+ of multiprocessor 0: it must be a later one, by at most 2.30, or 0"):
        run(throttled(name, named("test_past")(Past)()))


@pytest.mark.parametrize("name", NAMES[:1])
@pytest.mark.parametrize("words", [-1, 1 << 17, 1.5])
def test_a_size_of_state_that_is_none_is_refused_by_path(name, words):
    wrong = named("test_wrong")(type("Wrong", (Everyone,), {"state_words": words, "__slots__": ()}))
    with pytest.raises(PluginError, match=r"schedulers\.throttle: state_words of Wrong must be 0 to 65536"):
        run(throttled(name, wrong()))


@pytest.mark.parametrize("name", NAMES[:1])
def test_each_multiprocessor_has_a_state_of_its_own(name):
    class Counting(WarpThrottle):
        counts: dict = {}

        @property
        def state_words(self):
            return 300

        def allow(self, view):
            view.state[299] += 1
            self.counts.setdefault(view.multiprocessor, []).append(view.state[299])
            return 0
    run(throttled(name, named("test_counting")(Counting)(), **{"chip.multiprocessors": 2}))
    assert len(Counting.counts) == 2 and all(seen == list(range(1, len(seen) + 1)) for seen in Counting.counts.values())


def test_the_view_has_its_last_field_where_c_has_it():
    from archdef.engine.policy import PolicyKind, sizes
    assert sizes()[PolicyKind.PK_THROTTLE] == (VIEWS["throttle"].itemsize, VIEWS["throttle"].fields["allowed"][1])
