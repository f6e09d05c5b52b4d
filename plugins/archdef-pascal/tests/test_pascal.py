"""The Quadro P2000 and the Tesla P100 are what their documents say."""
import re

import numpy as np
import pytest
from archdef_pascal import P100, P2000

import archdef
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestP2000(Conformance):
    architecture = P2000


class TestP100(Conformance):
    architecture = P100


def lanes(operation, board=P2000):
    """Thread operations per cycle and multiprocessor."""
    cost = board.isa.operations[operation]
    units = board.schedulers.count if board.unit(cost.unit).scope == "scheduler" else board.unit(cost.unit).copies
    return 32 / board.interval_cycles(cost) * units / cost.issues


def test_peak_rates_are_the_published_ones():
    assert P2000.dram_bandwidth_gb_s == pytest.approx(140.2, rel=1e-3)
    assert 2 * lanes("fp32_fma") * 8 * P2000.clocks.shader_mhz / 1000 == pytest.approx(3033, rel=1e-3)
    assert P2000.l2_bytes == 1310720 and P2000.dram.partitions == 5


def test_peak_rates_of_the_p100_are_the_published_ones():
    def gflops(operation):
        return 2 * lanes(operation, P100) * 56 * P100.clocks.shader_mhz / 1000

    assert P100.dram_bandwidth_gb_s == pytest.approx(732.16, rel=1e-3) and P100.l2_bytes == 4 << 20
    assert gflops("fp32_fma") == pytest.approx(9526, rel=1e-3) and gflops("fp64_fma") == pytest.approx(4763, rel=1e-3)


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 64), ("fp64_fma", 32), ("fp16_fma", 64), ("int_add", 64), ("int_logic", 64), ("int_shift", 32), ("int_compare", 32),
    ("bit_field", 32), ("bit_count", 16), ("fp32_rsqrt", 16), ("convert", 16), ("convert64", 16), ("shuffle", 32), ("int_sad", 32)])
def test_lanes_per_cycle_of_the_p100_are_those_of_the_programming_guide(operation, rate):
    assert lanes(operation, P100) == rate


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 128), ("fp64_fma", 4), ("fp16_fma", 1), ("int_add", 128), ("int_logic", 128), ("int_shift", 64), ("int_compare", 64),
    ("bit_field", 64), ("bit_count", 32), ("fp32_rsqrt", 32), ("convert", 32), ("convert64", 4), ("shuffle", 32), ("int_sad", 64)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, rate):
    """A pair of halves is one lane here and two operations there."""
    assert lanes(operation) == rate


@pytest.mark.parametrize("board", [P2000, P100], ids=lambda board: board.name)
def test_features_are_those_of_the_compute_capability(board):
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert board.isa.features == {name for name, since in brought.items() if since <= float(board.compute_capability)}


def test_latencies_are_those_measured_on_a_p100():
    device = archdef.Device(P2000)
    assert load_latency_cycles(device, operator=".nc") == pytest.approx(81, abs=1)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".ca") == pytest.approx(252, abs=4)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(482, rel=0.05)
    assert P2000.isa.operations["load_shared"].latency_cycles + P2000.shared.latency_cycles == 25


def test_loads_of_the_p100_hit_its_l1():
    device = archdef.Device(P100)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".nc") == pytest.approx(81, abs=1)
    assert load_latency_cycles(device, operator=".cg") == pytest.approx(252, abs=2)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(482, rel=0.05)


def test_warps_of_the_p100_have_registers_in_twos():
    """65536 registers hold 51 warps of 1280: 25 blocks of two, where four warps at a time would leave 24."""
    assert archdef.occupancy(P100, threads=64, registers=33, shared_bytes=0).active_blocks == 25
    assert archdef.occupancy(P2000, threads=64, registers=33, shared_bytes=0).active_blocks == 24


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


@pytest.mark.parametrize("board", [P2000, P100], ids=lambda board: board.name)
def test_a_copy_reaches_most_of_the_peak_bandwidth(board):
    (row,) = compare(load("transpose"), [board], 2048, kernels=["copy"]).rows
    assert row.correct and 0.6 < row.bandwidth / board.dram_bandwidth_gb_s < 1
