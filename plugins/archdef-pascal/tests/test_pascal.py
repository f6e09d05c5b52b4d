"""The Quadro P2000 is what its documents say."""
import re

import numpy as np
import pytest
from archdef_pascal import P2000

import archdef
from archdef.examples import load
from archdef.report.comparison import compare
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestP2000(Conformance):
    architecture = P2000


def lanes(operation):
    """Thread operations per cycle and multiprocessor."""
    cost = P2000.isa.operations[operation]
    units = P2000.schedulers.count if P2000.unit(cost.unit).scope == "scheduler" else P2000.unit(cost.unit).copies
    return 32 / P2000.interval_cycles(cost) * units / cost.issues


def test_peak_rates_are_the_published_ones():
    assert P2000.dram_bandwidth_gb_s == pytest.approx(140.2, rel=1e-3)
    assert 2 * lanes("fp32_fma") * 8 * P2000.clocks.shader_mhz / 1000 == pytest.approx(3033, rel=1e-3)
    assert P2000.l2_bytes == 1310720 and P2000.dram.partitions == 5


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 128), ("fp64_fma", 4), ("fp16_fma", 1), ("int_add", 128), ("int_logic", 128), ("int_shift", 64), ("int_compare", 64),
    ("bit_field", 64), ("bit_count", 32), ("fp32_rsqrt", 32), ("convert", 32), ("convert64", 4), ("shuffle", 32), ("int_sad", 64)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, rate):
    """A pair of halves is one lane here and two operations there."""
    assert lanes(operation) == rate


def test_features_are_those_of_compute_capability_6_1():
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert P2000.isa.features == {name for name, since in brought.items() if since <= 6.1}


def test_latencies_are_those_measured_on_a_p100():
    device = archdef.Device(P2000)
    assert load_latency_cycles(device, operator=".nc") == pytest.approx(81, abs=1)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".ca") == pytest.approx(252, abs=4)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(482, rel=0.05)
    assert P2000.isa.operations["load_shared"].latency_cycles + P2000.shared.latency_cycles == 25


def test_the_l1_can_be_turned_on_for_loads_that_ask_for_it():
    device = archdef.Device(P2000.evolve({"caches.l1.enabled": "on"}))
    assert load_latency_cycles(device, operator=".ca") == pytest.approx(81, abs=1)
    assert load_latency_cycles(device) == pytest.approx(252, abs=4)


def test_a_multiprocessor_has_twice_the_shared_memory_of_a_block():
    assert archdef.occupancy(P2000, threads=64, registers=16, shared_bytes=48 << 10).active_blocks == 2
    with pytest.raises(archdef.errors.LaunchError, match="shared_bytes_per_block is 49152"):
        archdef.occupancy(P2000, threads=64, registers=16, shared_bytes=(48 << 10) + 1)


@pytest.mark.parametrize("stride, passes", [(0, 1), (1, 1), (2, 2), (32, 32), (33, 1)])
def test_word_stride_sets_shared_memory_passes(stride, passes):
    assert P2000.shared.passes(np.arange(32) * 4 * stride) == passes


def test_a_copy_reaches_most_of_the_peak_bandwidth():
    (row,) = compare(load("transpose"), [P2000], 2048, kernels=["copy"]).rows
    assert row.correct and 0.6 < row.bandwidth / P2000.dram_bandwidth_gb_s < 1
