"""Does the compiled bank model count the passes that the declared shared memory defines?"""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archdef.engine import shared
from archdef.pack import bank_table
from archdef.spec import BankRows, ExtraPass, MergedLanes, MulticastBroadcast, SharedMemory, SingleWordBroadcast, SplitLanes, WordAtATime


def memory(banks, lanes, broadcast, wide=SplitLanes(), width=4, row_words=1):
    return SharedMemory(banks=banks, conflict_lanes=lanes, broadcast=broadcast, wide_access=wide, bank_width_bytes=width,
                        bank_rows=BankRows(words=row_words) if row_words > 1 else None, latency_cycles=30, pass_cycles=2)


MEMORIES = [memory(16, 16, SingleWordBroadcast()), memory(32, 32, MulticastBroadcast()), memory(16, 16, MulticastBroadcast()),
            memory(32, 32, MulticastBroadcast(), WordAtATime()), memory(1, 32, MulticastBroadcast()),
            memory(32, 32, MulticastBroadcast(), MergedLanes()),
            memory(32, 32, MulticastBroadcast(), row_words=2), memory(32, 32, MulticastBroadcast(), width=8),
            memory(16, 16, SingleWordBroadcast(), row_words=4), memory(32, 32, MulticastBroadcast(), WordAtATime(), row_words=2),
            memory(32, 32, MulticastBroadcast(), ExtraPass())]
FOUR, EIGHT = MEMORIES[6:8]
"""Banks of eight bytes as Kepler has them: addressed by words of four, two to a row, and by words of eight."""


@pytest.mark.parametrize("declared", MEMORIES, ids=repr)
@given(words=st.lists(st.integers(0, 400), min_size=1, max_size=64), mask=st.integers(1, 2**64 - 1),
       word_bytes=st.sampled_from([1, 2, 4, 8, 16]), alike=st.sampled_from([1, 2, 4]), load=st.booleans())
def test_compiled_passes_equal_the_definition(declared, words, mask, word_bytes, alike, load):
    addresses = [words[k // alike] * word_bytes for k in range(len(words))]
    mask &= 2 ** len(words) - 1
    if not mask:
        return
    lanes = [bool(mask >> i & 1) for i in range(len(words))]
    assert shared.passes(bank_table(declared), addresses, word_bytes, mask, load) == (
        declared.passes(addresses, word_bytes, lanes, load), declared.groups(addresses, word_bytes, lanes, load))


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


@pytest.mark.parametrize("word_bytes, loaded, stored", [(4, 1, 1), (8, 2, 2), (16, 8, 4)])
def test_an_extra_pass_is_taken_by_each_quarter_of_a_warp_that_loads_four_words_a_lane(word_bytes, loaded, stored):
    """CUDA C Programming Guide 4.2, F.4.3.2: accesses of 128 bits conflict two-way, without two lanes of a quarter in one bank."""
    table, addresses = bank_table(memory(32, 32, MulticastBroadcast(), ExtraPass())), [word_bytes * lane for lane in range(32)]
    groups = word_bytes // 4
    assert shared.passes(table, addresses, word_bytes, load=True) == (loaded, groups)
    assert shared.passes(table, addresses, word_bytes, load=False) == (stored, groups)
    assert shared.passes(table, addresses, word_bytes, mask=0xff, load=True)[0] == (2 if word_bytes == 16 else 1)


# ------------------------------------------------------------------------------------------------- banks of eight bytes
def passes(declared, words, word_bytes=4):
    """Passes of one warp, by the definition and by the engine."""
    addresses = [word * word_bytes for word in words]
    (count, _), said = shared.passes(bank_table(declared), addresses, word_bytes), declared.passes(addresses, word_bytes)
    assert count == said
    return count


@pytest.mark.parametrize("first, second, together", [
    (0, 32, 1), (31, 63, 1), (0, 64, 2), (32, 64, 2), (40, 72, 2), (64, 96, 1), (5, 101, 2), (5, 5, 1)])
def test_two_words_of_a_bank_go_together_if_they_lie_in_one_row(first, second, together):
    """CUDA C Programming Guide, compute capability 3.x, 32-bit mode: no conflict within 64 aligned words."""
    assert passes(FOUR, [first, second]) == together
    assert passes(MEMORIES[1], [first, second]) == 1 + (first != second)


@pytest.mark.parametrize("stride, four, eight", [(1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 2, 2), (8, 4, 4), (16, 8, 8), (32, 16, 16), (64, 32, 32)])
def test_both_modes_serve_eight_bytes_of_every_bank(stride, four, eight):
    assert (passes(FOUR, range(0, 32 * stride, stride)), passes(EIGHT, range(0, 32 * stride, stride))) == (four, eight)


def test_a_warp_of_doubles_takes_one_pass_where_banks_have_eight_bytes_and_two_where_they_have_four():
    assert [passes(declared, range(32), 8) for declared in (FOUR, EIGHT, MEMORIES[1])] == [1, 1, 2]
    assert [passes(declared, range(32), 16) for declared in (FOUR, EIGHT, MEMORIES[1])] == [2, 2, 4]
