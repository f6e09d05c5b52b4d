"""The Tesla V100 is what its documents say."""
import re

import numpy as np
import pytest
from archdef_volta import V100

import archdef
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestV100(Conformance):
    architecture = V100


def lanes(operation):
    """Thread operations per cycle and multiprocessor."""
    cost = V100.isa.operations[operation]
    units = V100.schedulers.count if V100.unit(cost.unit).scope == "scheduler" else V100.unit(cost.unit).copies
    return 32 / V100.interval_cycles(cost) * units / cost.issues


def test_kernels_take_the_parameters_that_cuda_12_1_allows():
    assert V100.limits.parameter_bytes == 32_764


def test_peak_rates_are_the_published_ones():
    def gflops(operation):
        return 2 * lanes(operation) * 80 * V100.clocks.shader_mhz / 1000

    assert V100.dram_bandwidth_gb_s == pytest.approx(898.05, rel=1e-3)
    assert gflops("fp32_fma") == pytest.approx(15667, rel=1e-3) and gflops("fp64_fma") == pytest.approx(7834, rel=1e-3)
    assert V100.l2_bytes == 6 << 20 and V100.dram.partitions == 32


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 64), ("fp64_fma", 32), ("fp16_fma", 64), ("int_add", 64), ("int_mul32", 64), ("int_shift", 64), ("int_compare", 64),
    ("int_logic", 64), ("bit_count", 16), ("fp32_rsqrt", 16), ("convert", 16), ("convert64", 16), ("shuffle", 32), ("int_sad", 64)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, rate):
    """A pair of halves is one lane here and two operations there."""
    assert lanes(operation) == rate


def test_features_are_those_of_compute_capability_7_0():
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert V100.isa.features == {name for name, since in brought.items() if since <= 7.0} - {"read_only_loads"}      # L1 serves them


def test_latencies_are_the_measured_ones():
    device = archdef.Device(V100)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".nc") == pytest.approx(28, abs=1)
    assert load_latency_cycles(device, operator=".cg") == pytest.approx(213, abs=4)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(449, rel=0.05)
    assert V100.isa.operations["load_shared"].latency_cycles + V100.shared.latency_cycles == 19


@pytest.mark.parametrize("carveout, blocks", [(0, 0), (8, 0), (16, 1), (32, 2), (64, 4), (96, 6)])
def test_carveouts_are_what_ifs(carveout, blocks):
    smaller = V100.evolve({"limits.shared_bytes_per_multiprocessor": f"{carveout} KiB",
                           "limits.shared_bytes_per_block": f"{carveout} KiB"})
    if blocks:
        assert archdef.occupancy(smaller, threads=64, registers=16, shared_bytes=16 << 10).active_blocks == blocks
    else:
        with pytest.raises(archdef.errors.LaunchError, match="shared_bytes_per_block"):
            archdef.occupancy(smaller, threads=64, registers=16, shared_bytes=16 << 10)


@pytest.mark.parametrize("kernel, loads, stores", [("row", 1, 1), ("column", 32, 32), ("padded", 1, 1)])
def test_shared_transactions_are_those_that_a_profiler_counted(kernel, loads, stores):
    """checkSmemSquare on a V100: a 32 x 32 tile of int; the profiler's 32.6 loads per request hold replays."""
    lane = np.arange(32)
    address = {"row": 4 * lane, "column": 4 * 32 * lane, "padded": 4 * 33 * lane}[kernel]
    assert V100.shared.passes(address) == loads == stores


def test_sectors_of_a_line_are_fetched_apart():
    assert len(V100.coalescing.load.transactions(np.arange(32) * 4, 4)) == 4
    assert len(V100.coalescing.load.transactions(np.arange(32) * 32, 4)) == 32


def test_a_copy_reaches_most_of_the_peak_bandwidth():
    (row,) = compare(load("transpose"), [V100], 4096, kernels=["copy"]).rows
    assert row.correct and 0.6 < row.bandwidth / V100.dram_bandwidth_gb_s < 1


def test_one_lane_adds_to_a_counter_for_its_warp():
    device = archdef.Device(V100)
    counter = device.zeros(1, np.uint32)
    run = device.compile(""".version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 p) { .reg .b64 %rd; ld.param.u64 %rd, [p]; red.global.add.u32 [%rd], 1; ret; }""").k[64, 1024](counter)
    assert counter.to_host()[0] == 65536 and run.cycles < 65536 / 8     # one after the other on one address


@pytest.mark.parametrize("lanes, passes", [("own", 4), ("pairs", 2), ("next but one", 2), ("fours apart", 4), ("one", 2)])
def test_wide_loads_are_served_together_where_neighbours_read_the_same(lanes, passes):
    """As NVIDIA's forum has it for 7.0 to 7.5."""
    k = np.arange(32)
    quads = {"own": k, "pairs": k >> 1, "next but one": k >> 2 << 1 | k & 1, "fours apart": k & 7, "one": 0 * k}[lanes]
    assert V100.shared.passes(16 * quads, word_bytes=16, load=True) == passes
