"""Does the compiled coalescer form the transactions that the declared rule defines?"""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archdef.engine import coalesce
from archdef.pack import coalescing_table
from archdef.spec import Lines, SegmentShrinking, StrictHalfWarp

RULES = [StrictHalfWarp(), StrictHalfWarp(alignment_bytes=256), SegmentShrinking(), Lines(32, 128, 128), Lines(32, 128, 32), Lines(16, 128, 128), Lines(64, 64, 32)]


@st.composite
def accesses(draw):
    """Addresses of one warp: strides, permutations and noise, aligned to the word."""
    lanes = draw(st.sampled_from([8, 16, 32, 64]))
    word = draw(st.sampled_from([1, 2, 4, 8, 16]))
    start = draw(st.integers(0, 64)) * 16
    stride = draw(st.sampled_from([0, 1, 1, 1, 2, 3, 16, 33]))
    words = np.arange(lanes) * stride
    if draw(st.booleans()):
        words = words[np.array(draw(st.permutations(range(lanes))))]
    if draw(st.booleans()):
        words = np.array(draw(st.lists(st.integers(0, 200), min_size=lanes, max_size=lanes)))
    mask = draw(st.one_of(st.just(2**lanes - 1), st.integers(1, 2**lanes - 1)))
    return [int(start + w * word) for w in words], word, mask


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(access=accesses())
def test_compiled_rule_equals_its_definition(rule, access):
    addresses, word, mask = access
    lanes = [bool(mask >> i & 1) for i in range(len(addresses))]
    defined = sorted((t.address, t.bytes) for t in rule.transactions(addresses, word, lanes))
    formed = coalesce.transactions(coalescing_table(rule), addresses, word, mask)
    if isinstance(rule, Lines):     # the engine sends the sectors of one line in one packet
        assert sum(count for _, _, count in formed) == len(defined)
        assert sum(size for _, size, _ in formed) == sum(size for _, size in defined)
        assert len(formed) <= len(defined)
    else:
        assert sorted((address, size) for address, size, _ in formed) == defined


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(access=accesses())
def test_every_active_byte_is_moved(rule, access):
    addresses, word, mask = access
    formed = coalesce.transactions(coalescing_table(rule), addresses, word, mask)
    active = [a for i, a in enumerate(addresses) if mask >> i & 1]
    assert sum(size for _, size, _ in formed) >= len({(a + k) for a in active for k in range(word)})
    assert len(formed) <= 2 * len(active)
