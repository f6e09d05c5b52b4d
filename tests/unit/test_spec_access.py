"""The readable definitions of coalescing and bank conflicts give the published figures."""
import math
import tomllib
from collections import Counter
from pathlib import Path

import attrs
import numpy as np
import pytest
from archdef import spec
from archdef.errors import UnsupportedPolicy
from archdef.pack import machine_tables
from archdef.spec import (Interleaved, Lines, MulticastBroadcast, ParityHash, SegmentShrinking, SharedMemory, SingleWordBroadcast,
                          StrictHalfWarp, WordAtATime, XorHash, named)
from hypothesis import given
from hypothesis import strategies as st
from small_machine import gizmo

CASES = tomllib.loads((Path(__file__).parents[1] / "data/coalescing_cases.toml").read_text())["entry"]
RULES = {"CC10-11": StrictHalfWarp(), "CC12-13": SegmentShrinking(), "CC2x": Lines(32, 128, 128),
         "CC2xL2-onlyorCC50+": Lines(32, 128, 32)}
LANES = np.arange(32)
PATTERNS = {"aligned": (128 + 4 * LANES, 4), "permuted": (128 + 4 * (LANES ^ 1), 4), "misaligned": (132 + 4 * LANES, 4),
            "stride2": (8 * LANES, 4), "double": (8 * LANES, 8)}
BANKS16 = SharedMemory(banks=16, conflict_lanes=16, broadcast=SingleWordBroadcast(), latency_cycles=38, pass_cycles=2)
BANKS32 = SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), latency_cycles=50, pass_cycles=2)

accesses = st.tuples(st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 64)).flatmap(lambda t: st.tuples(
    st.just(t[0]), st.lists(st.integers(0, 300).map(lambda word: word * t[0]), min_size=t[1], max_size=t[1]),
    st.lists(st.booleans(), min_size=t[1], max_size=t[1])))
rules = st.sampled_from([*RULES.values(), Lines(16, 128, 128), Lines(64, 128, 64), StrictHalfWarp(8), SegmentShrinking(32)])


@pytest.mark.parametrize("word_bytes, start, rule, sent", [
    (16, 256, StrictHalfWarp(), [(256, 128), (384, 128)]), (16, 128, StrictHalfWarp(), [(128, 128), (256, 128)]), (16, 64, StrictHalfWarp(), 16),
    (16, 128, StrictHalfWarp(alignment_bytes=256), 16), (16, 256, StrictHalfWarp(alignment_bytes=256), [(256, 128), (384, 128)]),
    (8, 128, StrictHalfWarp(), [(128, 128)]), (8, 64, StrictHalfWarp(), 16), (4, 64, StrictHalfWarp(), [(64, 64)]), (4, 32, StrictHalfWarp(), 16)])
def test_words_of_16_bytes_may_start_in_the_middle_of_256_unless_more_is_asked(word_bytes, start, rule, sent):
    """Guide 3.0-4.2: the first eight in one segment of 128 bytes, the others in the next; earlier ones: a multiple of 16 words."""
    found = [t[:2] for t in rule.transactions(start + word_bytes * LANES[:16], word_bytes)]
    assert found == sent if isinstance(sent, list) else len(found) == sent


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_the_published_transactions_are_reproduced(case):
    _, pattern, rule = case["id"].split("_", 2)
    addresses, word_bytes = PATTERNS[pattern]
    sent = RULES[rule].transactions(addresses, word_bytes)
    counted = Counter((t.address, t.bytes) for t in sent)
    assert [f"{n} x {size}B at {address}" for (address, size), n in sorted(counted.items())] == case["value"]
    assert (len(sent), sum(t.bytes for t in sent)) == (case["count"], case["bytes"])


@given(rules, accesses)
def test_every_active_lane_is_served_and_no_other(rule, access):
    word_bytes, addresses, mask = access
    sent = rule.transactions(addresses, word_bytes, mask)
    assert {lane for t in sent for lane in t.lanes} == {lane for lane, active in enumerate(mask) if active}
    for t in sent:
        assert t.address % t.bytes == 0 and t.lanes and t.bytes <= rule.largest_bytes
        assert all(t.address <= addresses[lane] and addresses[lane] + word_bytes <= t.address + t.bytes for lane in t.lanes)


@given(rules, accesses)
def test_inactive_lanes_may_hold_any_address(rule, access):
    word_bytes, addresses, mask = access
    junk = [address if active else 977 * lane for lane, (address, active) in enumerate(zip(addresses, mask, strict=True))]
    assert rule.transactions(addresses, word_bytes, mask) == rule.transactions(junk, word_bytes, mask)


def test_a_half_warp_with_idle_lanes_is_still_one_transaction_on_the_strict_rule():
    mask = LANES[:16] % 3 == 0
    assert [t[:2] for t in StrictHalfWarp().transactions(4 * LANES[:16], 4, mask)] == [(0, 64)]


def test_words_of_sixteen_bytes_take_two_transactions_per_half_warp_on_the_strict_rule():
    assert [t[:2] for t in StrictHalfWarp().transactions(16 * LANES[:16], 16)] == [(0, 128), (128, 128)]


def test_words_of_one_byte_are_never_together_on_the_strict_rule():
    assert len(StrictHalfWarp().transactions(LANES, 1)) == 32


def test_a_narrow_warp_is_one_narrow_group():
    assert [t[:2] for t in StrictHalfWarp().transactions(128 + 4 * np.arange(8), 4)] == [(128, 32)]
    assert [t[:2] for t in Lines(32, 128, 128).transactions(4 * np.arange(8), 4)] == [(0, 128)]


@pytest.mark.parametrize("stride", range(1, 33))
def test_a_word_stride_costs_its_common_divisor_with_the_banks(stride):
    assert BANKS16.passes(4 * stride * LANES) == 2 * math.gcd(stride, 16)
    assert BANKS32.passes(4 * stride * LANES) == math.gcd(stride, 32)


@pytest.mark.parametrize("memory, lanes, groups", [(BANKS16, 32, 2), (BANKS32, 32, 1), (BANKS32, 64, 2), (BANKS16, 8, 1)])
def test_a_broadcast_is_one_pass_per_group(memory, lanes, groups):
    addresses = np.full(lanes, 40)
    assert memory.passes(addresses) == memory.groups(addresses) == groups


def test_two_broadcast_words_take_two_passes_on_one_word_machines_and_one_on_others():
    addresses = np.where(LANES % 2, 4, 4 + 64 * 4)[:16]  # same bank on 16 banks
    assert BANKS16.passes(addresses) == 2
    neighbours = np.where(LANES % 2, 4, 8)[:16]  # different banks: eight lanes on each
    assert BANKS16.passes(neighbours) == 2 and BANKS32.passes(neighbours) == 1


def test_bytes_in_a_row_conflict_fourfold_where_one_word_is_broadcast():
    assert BANKS16.passes(LANES[:16], 1) == 4 and BANKS32.passes(LANES, 1) == 1


def test_wide_words_are_served_for_fewer_lanes_at_a_time():
    assert BANKS32.passes(8 * LANES, 8) == BANKS32.groups(8 * LANES, 8) == 2
    assert BANKS32.passes(16 * LANES, 16) == 4 and BANKS16.passes(8 * LANES, 8) == 4


def test_wide_words_served_piece_by_piece_conflict_with_themselves():
    assert attrs.evolve(BANKS32, wide_access=WordAtATime()).passes(8 * LANES, 8) == 4


@given(st.sampled_from([BANKS16, BANKS32]), accesses)
def test_passes_lie_between_the_groups_and_one_per_lane(memory, access):
    word_bytes, addresses, mask = access
    passes, groups = memory.passes(addresses, word_bytes, mask), memory.groups(addresses, word_bytes, mask)
    assert groups <= passes <= sum(mask) * max(1, word_bytes // 4) and (passes == 0) == (not any(mask))


@given(accesses)
def test_sending_many_words_at_once_is_never_slower(access):
    word_bytes, addresses, mask = access
    many = attrs.evolve(BANKS16, broadcast=MulticastBroadcast())
    assert many.passes(addresses, word_bytes, mask) <= BANKS16.passes(addresses, word_bytes, mask)


def test_a_stride_of_all_partitions_camps_unless_the_map_is_a_hash():
    rows = [2048 * row for row in range(64)]
    assert {Interleaved().partition(address, 256, 8) for address in rows} == {0}
    assert {XorHash().partition(address, 256, 8) for address in rows} == set(range(8))


@given(st.sampled_from([Interleaved(), XorHash(), XorHash((1, 2)), ParityHash()]), st.integers(0, 1 << 36), st.integers(1, 64))
def test_a_chunk_lies_in_one_partition_that_exists(partition_map, address, partitions):
    first = address // 256 * 256
    assert partition_map.partition(first, 256, partitions) == partition_map.partition(address, 256, partitions) < partitions


# ------------------------------------------------------------------------------------------ policies of somebody else's making
def _choices(kind, name, **methods):
    """A policy of a kind that the engine knows nothing about; its name is taken back at once."""
    made = named(name)(type(name.title(), (kind,), {"__slots__": (), **methods}))
    del kind._choices[name]
    return made()


@pytest.mark.parametrize("path, kind, methods", [
    ("schedulers.policy", spec.SchedulerPolicy, {}),
    ("shared.broadcast", spec.Broadcast, {"passes": lambda *_: 1}), ("shared.wide_access", spec.WideAccess, {}),
    ("dram.scheduling", spec.DramScheduling, {}),
    ("warp.reconvergence", spec.Reconvergence, {}), ("chip.block_launch.dispatch", spec.BlockDispatch, {})])
def test_a_policy_that_the_engine_has_not_is_named_with_its_path(path, kind, methods):
    machine = gizmo().evolve({path: _choices(kind, "peculiar", **methods)})
    with pytest.raises(UnsupportedPolicy, match=rf"{path}: the engine carries out .*got Peculiar\(\)") as caught:
        machine_tables(machine)
    assert caught.value.path == path and caught.value.known


def test_a_policy_without_its_rule_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        _choices(spec.CoalescingRule, "unfinished")
