"""Descriptions change by path, and remember what was changed."""
import copy
import pickle
import re

import numpy as np
import pytest
from archdef.errors import SpecErrors, UnknownField
from archdef.spec import arch as arch_module
from archdef.spec import AddressTranslation, Architecture, Cache, GreedyThenOldest, KiB, PageWalk, StridePrefetcher, Tlb, TwoLevel, XorHash
from hypothesis import given, settings
from hypothesis import strategies as st
from small_machine import gizmo
import contextlib

GIZMO = gizmo()
WHOLE = [path for path, value, _ in GIZMO.leaves() if isinstance(value, int) and not isinstance(value, bool)]


def test_values_change_by_path_and_the_rest_stays():
    changed = GIZMO.evolve({"caches.l1.size_bytes": 48 * KiB, "schedulers.policy": GreedyThenOldest(), "warp.size": 16})
    assert (changed.caches.l1.size_bytes, changed.schedulers.policy, changed.warp.size) == (49152, GreedyThenOldest(), 16)
    assert changed.evolve({"l1.size_bytes": 16 * KiB, "schedulers.policy": "lrr", "warp.size": 32}) == GIZMO


@pytest.mark.parametrize("path, text, value", [
    ("caches.l1.size_bytes", "48 KiB", 49152), ("caches.l1.size_bytes", "0x4000", 16384), ("dram.capacity_bytes", "2GiB", 2 << 30),
    ("dram.capacity_bytes", "0.5 MiB", 1 << 19), ("dram.t_cl_ns", "12.5 ns", 12.5), ("dram.t_cl_ns", "12.5", 12.5),
    ("chip.block_launch_cycles", "7 cycles", 7), ("schedulers.policy", "gto", GreedyThenOldest()),
    ("schedulers.policy", "two_level", TwoLevel()), ("dram.partition_map", "xor_hash", XorHash()),
    ("caches.l1.enabled", "off", False), ("caches.l1", "none", None), ("interconnect.slices", "none", None), ("schedulers.throttle", "None", None),
    ("isa.pointer_bits", "32", 32),
    ("isa.float_mad", "truncated", "truncated"), ("limits.grid_dimensions", "(7, 8, 9)", (7, 8, 9)),
    ("isa.features", "clock", frozenset({"clock"}))])
def test_text_is_read_the_way_the_field_wants_it(path, text, value):
    assert GIZMO.evolve({path: text})[path] == value


@pytest.mark.parametrize("path, text", [("caches.l1.size_bytes", "48 Kb"), ("warp.size", "many"), ("warp.size", ""),
                                        ("warp.size", "16 KiB"), ("schedulers.policy", "gta"), ("caches.l1.enabled", "maybe")])
def test_text_that_does_not_fit_is_refused_with_the_path(path, text):
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve({path: text})
    assert caught.value.exceptions[0].path == f"gizmo.{path}"


@pytest.mark.parametrize("path, text", [("schedulers.throttle", "gto")])
def test_who_refuses_a_policy_says_which_there_are_and_whether_none_will_do(path, text):
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve({path: text})
    assert re.fullmatch(rf"gizmo\.{path} must be a \w+ \(.+\) or None, got 'gto'", str(caught.value.exceptions[0]))


def test_a_policys_own_numbers_have_paths():
    assert GIZMO.evolve({"schedulers.policy": "two_level",
                         "schedulers.policy.active_warps": 4}).schedulers.policy == TwoLevel(4)
    assert GIZMO.evolve({"coalescing.load.line_bytes": 64,
                         "coalescing.load.sector_bytes": 32}).coalescing.load.sector_bytes == 32


def test_a_list_of_numbers_has_a_longest():
    hashed = GIZMO.evolve({"dram.partition_map": "xor_hash", "partition_map.shifts": "2, 4"})
    assert hashed.dram.partition_map == XorHash((2, 4))
    with pytest.raises(SpecErrors) as caught:
        hashed.evolve({"partition_map.shifts": tuple(range(1, 10))})
    assert "gizmo.dram.partition_map.shifts must hold at most 8 numbers" in str(caught.value)


def test_units_and_operations_are_addressed_by_name():
    changed = GIZMO.evolve({"units.alu.lanes": 8, "isa.operations.fp32_fma.latency_cycles": 3})
    assert changed.unit("alu").lanes == 8 and changed.isa.operations["fp32_fma"].latency_cycles == 3
    assert changed.interval_cycles("fp32_fma") == 4 and GIZMO.interval_cycles("fp32_fma") == 2


def test_part_of_a_path_will_do_unless_it_is_ambiguous():
    assert GIZMO.evolve({"l1.ways": 8}) == GIZMO.evolve({"caches.l1.ways": 8})
    with pytest.raises(UnknownField, match="gizmo has several fields 'ways': caches.l1.ways, caches.l2.ways"):
        GIZMO.evolve({"ways": 8})


@pytest.mark.parametrize("path, message", [
    ("warp.sise", r"gizmo has no field 'warp.sise' \(did you mean warp.size\?\)"),
    ("caches.constant.wais", "gizmo has no field 'caches.constant.wais', because caches.constant is None"),
    ("warp.size.more", "gizmo has no field 'warp.size.more'"), ("", "gizmo has no field ''"), ("name.x", "no field"),
    ("evidence", "no field"), ("changes", "no field")])
def test_an_unknown_path_is_refused_with_the_nearest(path, message):
    with pytest.raises(UnknownField, match=message):
        GIZMO.evolve({path: 1})


def test_an_absent_part_can_be_set_as_a_whole():
    constant = Cache(size_bytes=8 * KiB, line_bytes=64, sector_bytes=64, ways=2, latency_cycles=8, misses_in_flight=4,
                     write="evict", scope="multiprocessor")
    assert GIZMO.evolve({"caches.constant": constant, "caches.constant.ways": 4}).caches.constant.ways == 4


def test_fields_of_an_absent_part_make_it():
    """What a command line can say of a component that the machine has not: no more than its fields, one by one, as texts."""
    changed = GIZMO.evolve({"caches.l1_prefetcher.entries": "64", "l1_prefetcher.degree": 2, "warp.size": 16})
    assert changed.caches.l1_prefetcher == StridePrefetcher(entries=64, degree=2) and changed.warp.size == 16
    assert changed.changes["caches.l1_prefetcher"] == (None, changed.caches.l1_prefetcher)
    assert changed.evolve({"caches.l1_prefetcher": None}) == GIZMO.evolve({"warp.size": 16})


def test_fields_of_parts_within_an_absent_part_make_them_too():
    tlb = {"entries": "16", "ways": 4, "latency_cycles": 10, "misses_in_flight": 8}
    changes = {"tlb.page_bytes": "64 KiB", "caches.tlb.walk.walkers": 8, "tlb.walk.levels": "4", "tlb.walk.level_cycles": 100,
               **{f"tlb.l1.{field}": value for field, value in tlb.items()}}
    made = GIZMO.evolve(changes).caches.tlb
    assert made.page_bytes == 64 * KiB and made.l1.entries == 16 and made.l2 is None and made.walk.levels == 4
    assert GIZMO.evolve(changes | {f"tlb.l2.{field}": value for field, value in tlb.items()}).caches.tlb.l2 == made.l1
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve({"caches.tlb.page_bytes": 4096, "caches.tlb.walk.walkers": 8})
    assert [fault.path for fault in caught.value.exceptions] == [
        f"gizmo.caches.tlb.{field}" for field in ("l1.entries", "l1.ways", "l1.latency_cycles", "l1.misses_in_flight", "walk.levels", "walk.level_cycles")]


SOME_TLB = Tlb(entries=16, ways=4, latency_cycles=10, misses_in_flight=8)


@pytest.mark.parametrize("changes", [
    {"caches.tlb.l1": SOME_TLB, "caches.tlb.l1.entries": 32}, {"caches.tlb.l1.entries": 32, "tlb.l1": SOME_TLB}, {"caches.tlb.l1": None, "tlb.l1.entries": 32},
    {"caches.tlb.page_bytes": 4096, "tlb.page_bytes": 8192}])
def test_a_field_of_an_absent_part_is_given_once(changes):
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve(changes)
    assert "must be changed once, and as a whole before its fields" in str(caught.value.exceptions[0])


@pytest.mark.parametrize("value", [{"entries": 16, "ways": 4}, "none", 7])
def test_a_part_within_an_absent_part_is_no_other_value(value):
    with pytest.raises(SpecErrors):
        GIZMO.evolve({"caches.tlb.page_bytes": 4096, "caches.tlb.l1": value, "caches.tlb.walk": PageWalk(walkers=1, levels=1, level_cycles=1)})


def test_the_end_of_a_path_means_a_field_that_is_there_before_one_of_an_absent_part():
    with_tlb = GIZMO.evolve({"caches.tlb": AddressTranslation(page_bytes=4096, l1=SOME_TLB, walk=PageWalk(walkers=1, levels=1, level_cycles=1))})
    assert with_tlb.evolve({"l2.latency_cycles": 200}).caches.l2.latency_cycles == 200


def test_a_field_of_an_absent_part_that_is_misspelt_is_refused_with_the_nearest():
    with pytest.raises(UnknownField, match=r"because caches.tlb is None \(did you mean caches.tlb.page_bytes\?\)"):
        GIZMO.evolve({"caches.tlb.page_byte": 4096})


def test_a_part_that_is_given_as_a_whole_is_not_made_of_fields():
    constant = Cache(size_bytes=8 * KiB, line_bytes=64, sector_bytes=64, ways=2, latency_cycles=8, misses_in_flight=4,
                     write="evict", scope="multiprocessor")
    assert GIZMO.evolve({"caches.constant": constant, "constant.ways": 4}).caches.constant.ways == 4


@pytest.mark.parametrize("changes", [{"caches.l1_prefetcher.degree": 2}, {"l1_prefetcher.degree": "2", "warp.size": 16}])
def test_an_absent_part_is_not_made_without_what_it_must_have(changes):
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve(changes)
    assert [str(one) for one in caught.value.exceptions] == [
        "gizmo.caches.l1_prefetcher.entries must be given, too: the machine has no caches.l1_prefetcher to change, got None"]


def test_what_is_set_to_what_it_is_changes_nothing():
    """Also where it is nothing: a description has no evidence for what it does not have."""
    assert GIZMO.dram.t_refi_ns is None
    assert GIZMO.evolve({"dram.t_refi_ns": None, "dram.banks": GIZMO.dram.banks}) == GIZMO


def test_a_change_that_breaks_the_machine_is_refused():
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve({"dram.interleave_bytes": 300})
    assert "gizmo.dram.interleave_bytes must be a power of two, got 300 (did you mean 512?)" in str(caught.value)


def test_what_ifs_may_move_one_number_at_a_time():
    for change in ({"warp.size": 64}, {"dram.partitions": 7}, {"shared.banks": 16}, {"limits.warps_per_multiprocessor": 16}):
        GIZMO.evolve(change)


def test_the_label_says_what_was_changed_and_forgets_what_was_changed_back():
    changed = GIZMO.evolve({"dram.partitions": 7, "warp.size": 16})
    assert changed.name == "gizmo" and changed.label == "gizmo with dram.partitions=7, warp.size=16"
    assert changed.evolve({"dram.partitions": 4}).label == "gizmo with warp.size=16"
    assert changed.changes["dram.partitions"] == (4, 7)


def test_a_changed_number_is_assumed_and_says_what_it_was():
    cite = GIZMO.evolve({"dram.partitions": 7}).evidence_for("dram.partitions")
    assert cite.kind == "assumed" and "declared: 4" in str(cite)


def test_numpy_scalars_become_plain_numbers():
    assert type(GIZMO.evolve({"dram.partitions": np.int64(8)}).dram.partitions) is int


def test_descriptions_are_values():
    assert gizmo() == GIZMO and hash(gizmo()) == hash(GIZMO) and GIZMO.evolve({"warp.size": 16}) != GIZMO
    assert pickle.loads(pickle.dumps(GIZMO)) == GIZMO and copy.deepcopy(GIZMO) == GIZMO
    with pytest.raises(AttributeError):
        GIZMO.warp.size = 16


@settings(deadline=None)
@given(st.sampled_from(WHOLE), st.integers(-2, 1 << 20))
def test_evolving_is_refused_or_comes_back(path, value):
    try:
        changed = GIZMO.evolve({path: value})
    except SpecErrors as errors:
        assert all(f"gizmo.{path}".startswith("gizmo.") and f.path.startswith("gizmo.") for f in errors.exceptions)
        return
    assert isinstance(changed, Architecture) and changed[path] == value
    assert changed.evolve({path: GIZMO[path]}) == GIZMO and not changed.evolve({path: GIZMO[path]}).changes


@settings(deadline=None)
@given(st.text(max_size=30))
def test_no_text_as_a_path_or_value_does_worse_than_a_named_error(text):
    for change in ({text: 1}, {"caches.l1.size_bytes": text}, {"schedulers.policy": text}, {"dram.t_cl_ns": text}):
        with contextlib.suppress(UnknownField, SpecErrors):
            GIZMO.evolve(change)


@pytest.mark.parametrize("path", [path for path, _, _ in GIZMO.walk()])
def test_every_path_leads_to_its_value(path):
    assert GIZMO[path] is next(value for place, value, _ in GIZMO.walk() if place == path)


def test_many_changes_walk_the_description_as_often_as_one(monkeypatch):
    walks = []
    whole = arch_module._walk
    monkeypatch.setattr(arch_module, "_walk", lambda parts: walks.append(1) or whole(parts))
    counts = []
    for paths in WHOLE[:1], WHOLE[:12]:
        walks.clear()
        GIZMO.evolve({path: GIZMO[path] for path in paths})
        counts.append(len(walks))
    assert counts[0] == counts[1]
