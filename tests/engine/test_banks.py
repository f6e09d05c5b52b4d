"""Does the compiled bank model count the passes that the declared shared memory defines?"""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archdef.engine import shared
from archdef.pack import bank_table
from archdef.spec import MulticastBroadcast, SharedMemory, SingleWordBroadcast, SplitLanes, WordAtATime


def memory(banks, lanes, broadcast, wide=SplitLanes()):
    return SharedMemory(banks=banks, conflict_lanes=lanes, broadcast=broadcast, wide_access=wide, latency_cycles=30, pass_cycles=2)


MEMORIES = [memory(16, 16, SingleWordBroadcast()), memory(32, 32, MulticastBroadcast()), memory(16, 16, MulticastBroadcast()),
            memory(32, 32, MulticastBroadcast(), WordAtATime()), memory(1, 32, MulticastBroadcast())]


@pytest.mark.parametrize("declared", MEMORIES, ids=repr)
@given(words=st.lists(st.integers(0, 400), min_size=1, max_size=64), mask=st.integers(1, 2**64 - 1),
       word_bytes=st.sampled_from([1, 2, 4, 8, 16]))
def test_compiled_passes_equal_the_definition(declared, words, mask, word_bytes):
    addresses = [w * word_bytes for w in words]
    mask &= 2 ** len(words) - 1
    if not mask:
        return
    lanes = [bool(mask >> i & 1) for i in range(len(words))]
    assert shared.passes(bank_table(declared), addresses, word_bytes, mask) == (
        declared.passes(addresses, word_bytes, lanes), declared.groups(addresses, word_bytes, lanes))


@pytest.mark.parametrize("stride", range(1, 33))
def test_word_stride_sets_passes_on_16_and_32_banks(stride):
    for banks, lanes in ((16, 32), (32, 32)):
        table = bank_table(memory(banks, banks, MulticastBroadcast()))
        passes, groups = shared.passes(table, [4 * stride * i for i in range(lanes)], 4)
        assert groups == lanes // banks
        assert passes == groups * np.gcd(stride, banks)


def test_broadcast_is_one_pass_and_two_words_of_one_bank_are_two():
    for declared in MEMORIES[:2]:
        lanes = declared.conflict_lanes
        assert shared.passes(bank_table(declared), [64] * lanes, 4) == (1, 1)
        assert shared.passes(bank_table(declared), [0, 4 * declared.banks] * (lanes // 2), 4) == (2, 1)


def test_single_word_broadcast_serves_one_word_per_pass():
    """Two words of different banks, each wanted by half the lanes: one broadcasts, of the other one lane is served a pass."""
    addresses = [0, 4] * 8
    assert shared.passes(bank_table(MEMORIES[0]), addresses, 4)[0] == 2
    assert shared.passes(bank_table(MEMORIES[1]), addresses, 4)[0] == 1
