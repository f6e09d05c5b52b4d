"""Do policies of L1 that a plugin brings decide what it keeps, fetches and gets from beside it, are they told what happens, and are wrong answers refused?"""
import itertools

import numpy as np
import pytest
from test_cache_policies import FILL, HIT, KERNEL, MACHINES, MISS, SCATTERED, SETS, STORE, WAYS, changed, fresh, machines, read

import archdef
from archdef import registry
from archdef.errors import PolicyError, SpecErrors
from archdef.policies import ABI, Compiled
from archdef.spec import Admission, Prefetcher, StridePrefetcher, VictimCache

FIELDS = {"l1_admission": (Admission, "admit"), "l1_prefetch": (Prefetcher, "fetch"), "l1_victim_cache": (VictimCache, "supply")}
NOTHING = {"l1_admission": True, "l1_prefetch": (), "l1_victim_cache": 0}
"""The answer by which everything stays as it is."""


def answering(field, answer, **members):
    """A policy of L1 that always answers this."""
    kind, method = FIELDS[field]
    return fresh(kind, **{method: lambda self, view: answer(view) if callable(answer) else answer}, **members)


def same(one, other):
    return one.cycles == other.cycles and np.array_equal(one.counters.statements, other.counters.statements)


@machines
@pytest.mark.parametrize("field", FIELDS)
def test_a_policy_that_changes_nothing_takes_the_time_that_it_took(name, field):
    own = read(changed(name), SCATTERED, blocks=3, warps=2)
    assert same(read(changed(name, **{f"caches__{field}": answering(field, NOTHING[field])}), SCATTERED, blocks=3, warps=2), own)
    listening = answering(field, NOTHING[field], told=lambda self, view: None, line_words=2)
    assert same(read(changed(name, **{f"caches__{field}": listening}), SCATTERED, blocks=3, warps=2), own)


# ------------------------------------------------------------------------------------------------------------------------- admission
@machines
def test_loads_that_are_not_admitted_find_nothing_and_leave_nothing(name):
    some = [0, 0, 0, 1, 1, 1]
    line = []
    odd = answering("l1_admission", lambda view: (line.append(view.line), view.line != min(line))[1])
    kept, passed, half = (read(changed(name, caches__l1_admission=policy), some) for policy in (None, answering("l1_admission", False), odd))
    if kept.counters.l1_hits:
        assert passed.counters.l1_hits == 0 and passed.counters.l1_misses == kept.counters.l1_hits + kept.counters.l1_misses
        assert 2 * half.counters.l1_hits == kept.counters.l1_hits
        assert passed.cycles > half.cycles > kept.cycles


@machines
def test_admission_is_asked_of_what_l1_lacks_alone_and_shown_the_set(name):
    asked, told = [], []

    def admit(view):
        assert view.place == -1 and view.line + 1 not in view.tags and len(view.tags) == len(view.used) == view.ways == WAYS
        assert view.sets == SETS and view.set < SETS and 0 <= view.busy < WAYS
        assert view.address // view.line_bytes == view.line and min(view.warp, view.launched, view.block, view.index, view.instruction) >= 0
        asked.append(view.line)
        return True

    def tell(self, view):
        if view.event == STORE:
            return
        told.append((view.event, view.line, view.place, view.evicted))
        assert view.tags[view.place % view.ways] == view.line + 1 and view.place // view.ways == view.set
    found = read(changed(name, caches__l1_admission=answering("l1_admission", admit, told=tell)), SCATTERED)
    filled = [line for event, line, _, _ in told if event == FILL]
    assert asked == filled and sum(event == HIT for event, _, _, _ in told) * bool(asked) <= found.counters.l1_hits
    stands = {}
    for event, line, place, evicted in told:
        assert stands.get(place, line) == (line if event == HIT or evicted is None else evicted)
        stands[place] = line


@machines
def test_blocks_and_warps_are_told_apart(name):
    seen = set()
    policy = answering("l1_admission", lambda view: (seen.add((view.block, view.index, view.first)), True)[1])
    read(changed(name, caches__l1_admission=policy), [0], blocks=2, warps=2)
    asked = {(block, index) for block, index, _ in seen}
    assert asked <= {(block, index) for block in range(2) for index in range(2)} and all(first in (0, 1) for _, _, first in seen)


# ------------------------------------------------------------------------------------------------------------------------ prefetching
def stride_again(entries, degree, page_bytes):
    """The engine's stride prefetcher, as a plugin would write it."""
    table = {}

    def fetch(view):
        if not view.first:
            return []
        key = view.launched, view.instruction
        last, stride = table.get(key, (None, 0))
        step = 0 if last is None else view.line - last
        if last is not None and step == 0:
            return []
        table[key] = view.line, step
        if step == 0 or step != stride:
            return []
        page = page_bytes // view.line_bytes
        return [line for line in (view.line + step * (1 + i) for i in range(degree)) if line // page == view.line // page]
    return answering("l1_prefetch", fetch)


@machines
@pytest.mark.parametrize("step", [1, 3, -2])
def test_a_stride_prefetcher_in_python_is_the_engines(name, step):
    lines = [80 + step * k for k in range(24)]
    own = read(changed(name, caches__l1_prefetcher=StridePrefetcher(entries=65536, degree=2, page_bytes=1 << 30)), lines, warps=2)
    assert same(read(changed(name, caches__l1_prefetch=stride_again(65536, 2, 1 << 30)), lines, warps=2), own)
    assert own.counters.l1_hits == 0 or own.cycles != read(changed(name), lines, warps=2).cycles


@machines
def test_lines_that_no_allocation_holds_are_not_fetched(name):
    wild = (0, 1, (1 << 64) - 1, (1 << 64) // 128 - 1, (1 << 57) + 3, (1 << 32) // 128 - 1, (1 << 62) // 128)

    def told(self, view):
        raise AssertionError(f"fetched {view.line:#x}")
    policy = answering("l1_prefetch", wild, told=told)
    own, asked = (read(changed(name, caches__l1__replacement="lru", caches__l1_prefetch=one), SCATTERED) for one in (None, policy))
    assert same(own, asked)


@machines
def test_a_prefetcher_hears_where_its_lines_stand_and_what_they_displace(name):
    told = []

    def fetch(view):
        return [view.line + 1] if view.event == MISS else []

    def tell(self, view):
        assert view.event == FILL and view.warp == view.instruction == -1 and view.tags[view.place % view.ways] == view.line + 1
        told.append(view.line)
    found = read(changed(name, caches__l1_prefetch=answering("l1_prefetch", fetch, told=tell)), list(range(30)))
    plain = read(changed(name), list(range(30)))
    assert not told or found.counters.l1_misses < plain.counters.l1_misses and found.cycles < plain.cycles


# ---------------------------------------------------------------------------------------------------------------------- beside L1
@machines
def test_what_is_beside_l1_gives_it_after_as_many_cycles_as_it_says(name):
    lines = list(range(8))
    fast, slow, none = (read(changed(name, caches__l1_victim_cache=answering("l1_victim_cache", cycles)), lines) for cycles in (10, 30, 0))
    asked = []
    read(changed(name, caches__l1_victim_cache=answering("l1_victim_cache", lambda view: (asked.append(view.line), 0)[1])), lines)
    if asked:
        assert slow.cycles - fast.cycles == 20 * len(lines) and slow.cycles < none.cycles
    assert fast.counters.l1_misses == slow.counters.l1_misses == none.counters.l1_misses


STORES = """.version 7.0
.target sm_30
.address_size 64
.visible .entry stores(.param .u64 words)
{
    .reg .b64 %d<4>; .reg .b32 %r<4>;
    ld.param.u64 %d1, [words]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
    ld.global.ca.u32 %r2, [%d1]; add.u32 %r2, %r2, 1; OPERATION
    ret;
}"""


@machines
@pytest.mark.parametrize("operation", ["st.global.u32 [%d1], %r2;", "red.global.add.u32 [%d1], %r2;"], ids=["store", "atomic"])
def test_what_makes_a_line_invalid_is_told(name, operation):
    told = []
    policy = answering("l1_victim_cache", 0, told=lambda self, view: told.append((view.event, view.line)))
    machine = changed(name, caches__l1_victim_cache=policy)
    device = archdef.Device(machine)
    device.compile(STORES.replace("OPERATION", operation)).stores[1, machine.warp.size](device.zeros(machine.warp.size, "u4"))
    filled, stored = ({line for event, line in told if event == wanted} for wanted in (FILL, STORE))
    assert stored if operation.startswith("red") or machine.caches.l1.write == "evict" else not stored
    assert filled <= stored or not stored


@machines
@pytest.mark.parametrize("operation", ["st.global.u32 [%d1], %r2;", "red.global.add.u32 [%d1], %r2;"], ids=["store", "atomic"])
def test_what_has_to_wait_for_a_credit_makes_a_line_invalid_once(name, operation):
    told = []
    policy = answering("l1_victim_cache", 0, told=lambda self, view: told.append((view.event, view.line)))
    machine = changed(name, caches__l1_victim_cache=policy, load_store__stores_in_flight_per_multiprocessor=1, load_store__write_combining=None,
                      load_store__store_buffer=None, load_store__reads_in_flight_per_multiprocessor=1)
    device = archdef.Device(machine)
    wide = STORES.replace("mul.wide.u32 %d2, %r1, 4", "mul.wide.u32 %d2, %r1, 256").replace("OPERATION", operation)
    run = device.compile(wide).stores[1, machine.warp.size](device.zeros(machine.warp.size * 64, "u4"))
    stored = sum(event == STORE for event, _ in told)
    assert stored == (machine.warp.size if operation.startswith("red") or machine.caches.l1.write == "evict" else 0)
    assert run.counters.global_stores + run.counters.atomics == 1


BULK = """.version 8.0
.target sm_90
.address_size 64
.visible .entry copies(.param .u64 words)
{
    .shared .align 128 .b8 bytes[4096]; .reg .b64 %d<2>; .reg .b32 %r<2>;
    ld.param.u64 %d1, [words]; mov.u32 %r1, bytes;
    OPERATION [%d1], [%r1], 4096;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
    ret;
}"""


@pytest.mark.parametrize("name", [name for name in MACHINES if "bulk_copies" in registry.get(name).isa.features])
@pytest.mark.parametrize("operation", ["cp.async.bulk.global.shared::cta.bulk_group", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"],
                         ids=["store", "atomic"])
def test_bulk_copies_that_wait_for_credits_make_lines_invalid_once(name, operation):
    def lines(**few):
        told = []
        policy = answering("l1_victim_cache", 0, told=lambda self, view: told.append((view.event, view.line)))
        device = archdef.Device(changed(name, caches__l1_victim_cache=policy, load_store__store_buffer=None, **few))
        device.compile(BULK.replace("OPERATION", operation)).copies[1, 1](device.zeros(1024, "u4"))
        return sorted(line for event, line in told if event == STORE)
    few = lines(load_store__stores_in_flight_per_multiprocessor=1, load_store__reads_in_flight_per_multiprocessor=1)
    assert few and few == lines()


@machines
def test_what_gives_way_is_told_with_its_sectors(name):
    told = []
    policy = answering("l1_victim_cache", 0, told=lambda self, view: told.append((view.event, view.evicted, view.evicted_sectors)))
    read(changed(name, caches__l1_victim_cache=policy), list(range(30)))
    fills = [one for one in told if one[0] == FILL]
    assert len(fills) in (0, 30) or len(fills) > 30
    assert all(0 < sectors < 16 for _, evicted, sectors in fills if evicted is not None)
    assert sum(evicted is not None for _, evicted, _ in fills) == max(len(fills) - SETS * WAYS, 0)


# ------------------------------------------------------------------------------------------------------------------- words and answers
@machines
def test_words_of_lines_begin_anew_where_l1_is_divided_anew(name):
    machine = registry.get(name)
    if not machine.caches.unified_l1_shared:
        pytest.skip("its L1 is not divided")
    seen = []

    def admit(view):
        seen.append((view.sets * view.ways, sum(view.words)))
        return True

    def tell(self, view):
        if view.event == FILL:
            view.words[view.place] = 1
    policy = answering("l1_admission", admit, told=tell, line_words=1)
    device = archdef.Device(machine.evolve({"chip.multiprocessors": 1, "chip.cluster_sizes": (), "caches.l1_admission": policy}))
    kernel = device.compile(KERNEL).reads
    words, order, out = device.zeros(4096, "u4"), device.to_device(np.arange(8, dtype="u4") * 128), device.zeros(64, "u4")
    for shared in (0, 8 << 10, 0):
        kernel[1, machine.warp.size, shared](out, words, order, 8)
    sizes = [size for size, _ in seen]
    assert len(set(sizes)) > 1
    for (before, _), (size, total) in itertools.pairwise(seen):
        assert total == 0 or size == before


WRONG = {"l1_admission": ({"answer": 2, "text": "answered 2, where 1 gives line 0x[0-9a-f]+ a place and 0 lets the load pass by"}),
         "l1_victim_cache": ({"answer": (1 << 20) + 1, "text": r"answered 1048577 cycles for line 0x[0-9a-f]+, of 0 to 1048576"}),
         "l1_prefetch": ({"answer": range(17), "text": r"raised ValueError\('fetch must give at most 16 lines, got 17'\)"})}


@pytest.mark.parametrize("name", MACHINES[:1])
@pytest.mark.parametrize("field", FIELDS)
def test_an_answer_that_is_none_is_an_error_that_names_the_policy(name, field):
    with pytest.raises(PolicyError, match=rf"caches\.{field}: Fresh\(\) {WRONG[field]['text']}"):
        read(changed(name, **{f"caches__{field}": answering(field, WRONG[field]["answer"])}), [0])


C = """
#include "archdef/engine/policy.h"
int64_t seventeen(const ArchdefL1View *v) { return v->event == ARCHDEF_CACHE_MISS ? 17 : 0; }
int64_t told(const ArchdefL1View *v) { return v->event == ARCHDEF_CACHE_FILL ? -3 : v->event == ARCHDEF_CACHE_MISS; }
int64_t next(const ArchdefL1View *v) { v->fetch[0] = v->line + 1; return v->event == ARCHDEF_CACHE_MISS; }
"""


def in_c(field, function, **members):
    return fresh(FIELDS[field][0], compiled=lambda self: Compiled(function, (), ABI), **members)


@pytest.mark.parametrize("name", MACHINES[:1])
def test_a_compiled_prefetcher_that_names_too_many_lines_is_refused(name, library):
    with pytest.raises(PolicyError, match=r"caches\.l1_prefetch: Fresh\(\) answered 17 lines to fetch after line 0x[0-9a-f]+, of 0 to 16"):
        read(changed(name, caches__l1_prefetch=in_c("l1_prefetch", library.seventeen)), [0])


@pytest.mark.parametrize("name", MACHINES[:1])
def test_a_compiled_answer_to_an_event_is_refused(name, library):
    with pytest.raises(PolicyError, match=r"caches\.l1_admission: Fresh\(\) answered -3 where it is told of a fill of line 0x[0-9a-f]+: the answer must be 0"):
        read(changed(name, caches__l1_admission=in_c("l1_admission", library.told, told=lambda self, view: None)), [0])


@machines
def test_a_prefetcher_in_c_fetches_what_the_one_in_python_does(name, library):
    python = answering("l1_prefetch", lambda view: [view.line + 1] if view.event == MISS else [])
    assert same(*(read(changed(name, caches__l1_prefetch=policy), SCATTERED, blocks=2, warps=2) for policy in (python, in_c("l1_prefetch", library.next))))


@pytest.mark.parametrize("name", MACHINES[:1])
@pytest.mark.parametrize("field", FIELDS)
def test_what_such_a_policy_raises_is_the_errors_cause(name, field):
    with pytest.raises(PolicyError, match=rf"caches\.{field}: Fresh\(\) raised ZeroDivisionError") as caught:
        read(changed(name, **{f"caches__{field}": answering(field, lambda view: 1 // 0)}), [0])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("field", FIELDS)
def test_a_policy_of_an_l1_that_is_not_there_is_refused(field):
    with pytest.raises(SpecErrors) as caught:
        registry.get(MACHINES[0]).evolve({"caches.l1.enabled": False, f"caches.{field}": answering(field, NOTHING[field])})
    assert any(f"caches.{field} must be None where there is no L1" in str(one) for one in caught.value.exceptions)
