"""Are policies of caches that a plugin brings told what happens there, do they keep words for each line, and is an answer that is none refused?"""

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import PluginError, PolicyError
from archdef.policies import ABI, Compiled
from archdef.spec import LeastRecentlyUsed, Replacement, named

MACHINES = [name for name in registry.names() if getattr(registry.get(name).caches.l1, "enabled", False)]
machines = pytest.mark.parametrize("name", MACHINES)
HIT, MISS, FILL, STORE = range(1, 5)
KERNEL = """.version 7.0
.target sm_30
.address_size 64
.visible .entry reads(.param .u64 out, .param .u64 in, .param .u64 order, .param .u32 count)
{
    .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [order]; ld.param.u32 %r4, [count];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r6, %r2, %r3, %r1;
    mul.wide.u32 %d4, %r1, 4; add.u64 %d2, %d2, %d4; mov.u32 %r2, 0; mov.u32 %r3, 0;
AGAIN:
    ld.global.cg.u32 %r5, [%d3]; cvt.u64.u32 %d5, %r5; add.u64 %d6, %d2, %d5;
    ld.global.ca.u32 %r5, [%d6]; add.u32 %r3, %r3, %r5; and.b32 %r5, %r5, 0; cvt.u64.u32 %d5, %r5; add.u64 %d3, %d3, %d5; add.u64 %d3, %d3, 4;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; @%p1 bra AGAIN;
    mul.wide.u32 %d4, %r6, 4; add.u64 %d4, %d1, %d4; st.global.u32 [%d4], %r3;
    ret;
}"""
"""Each load's address waits for the word that the one before has brought."""
SETS, WAYS = 4, 4


def changed(name, **changes):
    """A multiprocessor with an L1 of a few lines."""
    l1 = registry.get(name).caches.l1
    small = {"chip.multiprocessors": 1, "chip.cluster_sizes": (), "caches.l1.ways": WAYS, "caches.l1.size_bytes": SETS * WAYS * l1.line_bytes,
             "caches.l1.set_hash_bits": (), "caches.unified_l1_shared": False, "caches.carveout_takes": "sets"}
    return registry.get(name).evolve({**small, **{k.replace("__", "."): v for k, v in changes.items()}})


def read(architecture, lines, blocks=1, warps=1):
    """Let warps read the given lines one after the other. Gives the run; the sums are right."""
    device, width, line_bytes = archdef.Device(architecture), warps * architecture.warp.size, architecture.caches.l1.line_bytes
    words = np.random.default_rng(7).integers(0, 1 << 20, (max(lines) + 2) * line_bytes // 4 + width).astype("u4")
    order = np.array(lines, "u4") * line_bytes
    out = device.to_device(np.zeros(blocks * width, "u4"))
    found = device.compile(KERNEL).reads[blocks, width](out, device.to_device(words), device.to_device(order), len(lines))
    np.testing.assert_array_equal(out.to_host(), np.tile(sum(words[k // 4:k // 4 + width] for k in order.tolist()), blocks))
    return found


def fresh(kind, **members):
    """A policy of a kind with these members."""
    return named("fresh")(type("Fresh", (kind,), {"__slots__": (), **members}))()


SCATTERED = [int(k) for k in np.random.default_rng(11).integers(0, 2 * SETS * WAYS, 60)]


# ----------------------------------------------------------------------------------------------------------------- replacement
def listener(seen, words=1):
    """Last use, from words that the policy keeps for each line by what it is told."""
    def victim(self, view):
        assert view.event == 0 and view.way == -1 and len(view.words) == view.ways * words and view.sets * view.ways
        seen.append(("victim", view.line, None))
        return min((way for way in range(view.ways) if not view.busy >> way & 1), key=lambda way: view.words[way * words + words - 1])

    def told(self, view):
        seen.append((view.event, view.line, view.way))
        if view.event in (HIT, FILL):
            view.words[view.way * words + words - 1] = view.accesses
    return fresh(Replacement, victim=victim, told=told, line_words=words)


@machines
@pytest.mark.parametrize("words", [1, 3])
def test_last_use_by_words_of_each_line_is_the_engines_last_use(name, words):
    seen = []
    mine, own = (read(changed(name, caches__l1__replacement=policy), SCATTERED) for policy in (listener(seen, words), LeastRecentlyUsed()))
    assert (mine.cycles, mine.counters.l1_misses) == (own.cycles, own.counters.l1_misses)
    assert np.array_equal(mine.counters.statements, own.counters.statements)
    assert own.counters.l1_hits == 0 or {"victim", HIT, MISS, FILL} == {event for event, _, _ in seen}


@machines
def test_a_replacement_is_told_of_each_lookup_once_and_where_lines_stand(name):
    seen = []
    read(changed(name, caches__l1__replacement=listener(seen)), SCATTERED)
    stands = {}
    for (before, line, _), (event, number, way) in zip([(None, None, None), *seen], seen):
        if event == HIT:
            assert stands[number] == way
        elif event == FILL:
            assert before == MISS and line == number and number not in stands
            stands = {one: place for one, place in stands.items() if (place, one % SETS) != (way, number % SETS)}
            stands[number] = way
        elif event == MISS:
            assert number not in stands


@machines
def test_the_load_behind_a_lookup_of_l1_is_named(name):
    seen = set()

    def told(self, view):
        seen.add((view.event, view.instruction, view.warp))
    read(changed(name, caches__l1__replacement=fresh(Replacement, told=told, victim=lambda self, view: 0)), [0, 0, 1, 1], warps=2)
    assert len({instruction for _, instruction, _ in seen}) == 1 and min(min(one) for one in seen) >= 0
    assert {warp for _, _, warp in seen} == {0, 1}


@pytest.mark.parametrize("level", ["l2", "constant", "texture_l1", "instruction"])
def test_other_caches_tell_their_policy_too(level):
    name = next((name for name in MACHINES if getattr(registry.get(name).caches, level) is not None), None)
    if name is None:
        pytest.skip(f"no installed architecture with an L1 has a cache {level}")
    seen = set()

    def told(self, view):
        assert view.instruction == -1 or level != "l2"
        seen.add(view.event)

    def victim(self, view):
        return next(way for way in range(view.ways) if not view.busy >> way & 1)
    read(changed(name, **{f"caches__{level}__replacement": fresh(Replacement, told=told, victim=victim)}), SCATTERED)
    assert seen == {HIT, MISS, FILL} if level == "l2" else seen <= {HIT, MISS, FILL}


@pytest.mark.parametrize("name", MACHINES[:1])
def test_a_replacement_has_as_many_words_of_state_as_it_says(name):
    counts = []

    def told(self, view):
        view.state[299] += 1
        counts.append(view.state[299])
        assert len(view.state) == 300
    read(changed(name, caches__l1__replacement=fresh(Replacement, told=told, victim=lambda self, view: 0, state_words=300)), SCATTERED)
    assert counts == list(range(1, len(counts) + 1)) != []


@pytest.mark.parametrize("name", MACHINES[:1])
@pytest.mark.parametrize("field, most", [("line_words", 16), ("state_words", 65536)])
@pytest.mark.parametrize("words", [-1, 1 << 17, 1.5])
def test_a_size_of_words_that_is_none_is_refused_by_path(name, field, most, words):
    wrong = fresh(Replacement, victim=lambda self, view: 0, **{field: words})
    with pytest.raises(PluginError, match=rf"caches\.l1\.replacement: {field} of Fresh must be 0 to {most}"):
        read(changed(name, caches__l1__replacement=wrong), [0])


# ---------------------------------------------------------------------------------------------------------------- wrong answers
C = """
#include "archdef/engine/policy.h"
int64_t seven(const ArchdefReplacementView *v) { return v->event == ARCHDEF_CACHE_VICTIM ? 0 : 7; }
"""


@pytest.mark.parametrize("name", MACHINES[:1])
def test_an_answer_to_an_event_is_refused(name, library):
    wrong = fresh(Replacement, compiled=lambda self: Compiled(library.seven, (), ABI), told=lambda self, view: None)
    with pytest.raises(PolicyError, match=r"caches\.l1\.replacement: .* answered 7 where it is told of a miss of line 0x[0-9a-f]+: the answer must be 0"):
        read(changed(name, caches__l1__replacement=wrong), [0])
    quiet = fresh(Replacement, compiled=lambda self: Compiled(library.seven, (), ABI))
    read(changed(name, caches__l1__replacement=quiet), [0])     # it does not listen


@pytest.mark.parametrize("name", MACHINES[:1])
def test_words_must_be_changed_in_place(name):
    def told(self, view):
        view.words = [0] * len(view.words)
    with pytest.raises(PolicyError, match=r"caches\.l1\.replacement: .*view\.words is 4 words: change them in place"):
        read(changed(name, caches__l1__replacement=fresh(Replacement, told=told, victim=lambda self, view: 0, line_words=1)), [0])
