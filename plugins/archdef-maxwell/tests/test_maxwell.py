"""The GeForce GTX TITAN X is what its documents say."""
import re

import numpy as np
import pytest
from archdef_maxwell import TITAN_X

import archdef
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestTitanX(Conformance):
    architecture = TITAN_X


def lanes(operation):
    """Thread operations per cycle and multiprocessor."""
    cost = TITAN_X.isa.operations[operation]
    units = TITAN_X.schedulers.count if TITAN_X.unit(cost.unit).scope == "scheduler" else TITAN_X.unit(cost.unit).copies
    return 32 / TITAN_X.interval_cycles(cost) * units / cost.issues


def test_peak_rates_are_the_published_ones():
    assert TITAN_X.dram_bandwidth_gb_s == pytest.approx(336.5, rel=1e-3)
    assert 2 * lanes("fp32_fma") * 24 * TITAN_X.clocks.shader_mhz / 1000 == pytest.approx(6611, rel=1e-3)
    assert TITAN_X.l2_bytes == 3 << 20 and TITAN_X.dram.partitions == 12


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 128), ("fp64_fma", 4), ("int_add", 128), ("int_logic", 128), ("int_shift", 64), ("int_compare", 64), ("bit_field", 64),
    ("bit_count", 32), ("fp32_rsqrt", 32), ("convert", 32), ("convert64", 4), ("shuffle", 32), ("int_sad", 64)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, rate):
    assert lanes(operation) == rate


def test_features_are_those_of_compute_capability_5_2():
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert TITAN_X.isa.features == {name for name, since in brought.items() if since <= 5.2}


def test_half_precision_is_refused_with_its_feature():
    kernel = """.version 7.0
.target sm_60
.address_size 64
.visible .entry k() { .reg .b32 %a; mov.b32 %a, 0; add.f16x2 %a, %a, %a; ret; }"""
    with pytest.raises(archdef.errors.ArchdefError, match="fp16"):
        archdef.Device(TITAN_X).compile(kernel).k[1, 32]()


def test_loads_go_to_l2_unless_they_are_read_only():
    device = archdef.Device(TITAN_X)
    assert load_latency_cycles(device, operator=".nc") == pytest.approx(82, abs=1)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".ca") == pytest.approx(225, abs=4)


def test_the_l1_can_be_turned_on_for_loads_that_ask_for_it():
    device = archdef.Device(TITAN_X.evolve({"caches.l1.enabled": "on"}))
    assert load_latency_cycles(device, operator=".ca") == pytest.approx(82, abs=1)
    assert load_latency_cycles(device) == pytest.approx(225, abs=4)


def test_a_multiprocessor_has_twice_the_shared_memory_of_a_block():
    assert archdef.occupancy(TITAN_X, threads=64, registers=16, shared_bytes=48 << 10).active_blocks == 2
    with pytest.raises(archdef.errors.LaunchError, match="shared_bytes_per_block is 49152"):
        archdef.occupancy(TITAN_X, threads=64, registers=16, shared_bytes=(48 << 10) + 1)


@pytest.mark.parametrize("stride, passes", [(0, 1), (1, 1), (2, 2), (32, 32), (33, 1)])
def test_word_stride_sets_shared_memory_passes(stride, passes):
    assert TITAN_X.shared.passes(np.arange(32) * 4 * stride) == passes


def test_a_copy_reaches_most_of_the_peak_bandwidth():
    (row,) = compare(load("transpose"), [TITAN_X], 2048, kernels=["copy"]).rows
    assert row.correct and 0.6 < row.bandwidth / TITAN_X.dram_bandwidth_gb_s < 1.1  # L2 still holds 3 of the 32 MiB
