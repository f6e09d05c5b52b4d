"""Pocket passes the conformance suite and is what its declaration promises."""
import archdef
import pytest
from archdef.testing import Conformance
from archdef_pocket import POCKET


class TestPocket(Conformance):
    """Every check of archdef, on this architecture."""

    architecture = "pocket"
    expected_failures = {}  # {"test_…": "why, DEVIATIONS D1"}; a check that passes nevertheless fails


def test_the_declaration_is_found_by_its_name():
    assert archdef.architecture("pocket") == POCKET


def test_four_channels_of_lpddr5_give_51_gigabytes_a_second():
    assert POCKET.dram_bandwidth_gb_s == pytest.approx(51.2)  # 64 bit x 3200 MHz x 2


def test_half_precision_in_pairs_has_twice_the_rate_and_double_precision_is_refused():
    assert POCKET.interval_cycles("fp16_fma") == POCKET.interval_cycles("fp32_fma") == 1
    assert "fp64" not in POCKET.isa.features and "fp64_fma" not in POCKET.isa.operations


def test_memory_is_shared_with_the_host():
    assert POCKET.host_link is None
