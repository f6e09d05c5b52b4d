"""The GeForce RTX 2080 Ti is what its documents say."""
import re

import pytest
from archdef_turing import RTX2080TI

import archdef
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestRtx2080Ti(Conformance):
    architecture = RTX2080TI


def lanes(operation):
    """Thread operations per cycle and multiprocessor."""
    cost = RTX2080TI.isa.operations[operation]
    units = RTX2080TI.schedulers.count if RTX2080TI.unit(cost.unit).scope == "scheduler" else RTX2080TI.unit(cost.unit).copies
    return 32 / RTX2080TI.interval_cycles(cost) * units / cost.issues


def test_peak_rates_are_those_of_the_white_paper():
    tera = 2 * 68 * RTX2080TI.clocks.shader_mhz / 1e6
    assert tera * lanes("fp32_fma") == pytest.approx(13.4, abs=0.05) and lanes("fp64_fma") == lanes("fp32_fma") / 32
    assert RTX2080TI.dram_bandwidth_gb_s == pytest.approx(616, abs=0.5) and RTX2080TI.l2_bytes == 5632 << 10


@pytest.mark.parametrize("cost, products, tera", [
    ("matrix_f16_m16n8k8", 1024, 53.8), ("matrix_int8_m8n8k16", 1024, 215.2), ("matrix_s4_m8n8k32", 2048, 430.3)])
def test_matrix_products_come_at_the_rates_of_the_white_paper(cost, products, tera):
    assert lanes(cost) / 32 * products * 2 * 68 * 1545 / 1e6 == pytest.approx(tera, rel=2e-3)


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 64), ("fp64_fma", 2), ("fp16_fma", 64), ("int_add", 64), ("int_mul32", 64), ("int_shift", 64), ("int_compare", 64),
    ("int_logic", 64), ("bit_count", 16), ("fp32_rsqrt", 16), ("convert", 16), ("convert64", 16), ("shuffle", 32)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, rate):
    """A pair of halves is one lane here and two operations there."""
    assert lanes(operation) == rate


def test_features_are_those_of_compute_capability_7_5():
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert RTX2080TI.isa.features == {name for name, since in brought.items() if since <= 7.5}


def test_latencies_are_the_measured_ones():
    device = archdef.Device(RTX2080TI)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".nc") == pytest.approx(34, abs=1)
    assert load_latency_cycles(device, operator=".cg") == pytest.approx(175.6, abs=4)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(484, rel=0.03)
    assert RTX2080TI.isa.operations["load_shared"].latency_cycles + RTX2080TI.shared.latency_cycles == 21


@pytest.mark.parametrize("carveout, blocks", [(32, 2), (64, 4)])
def test_both_splits_of_the_unified_memory_can_be_asked_for(carveout, blocks):
    split = RTX2080TI.evolve({"limits.shared_bytes_per_multiprocessor": f"{carveout} KiB", "limits.shared_bytes_per_block": f"{carveout} KiB"})
    assert archdef.occupancy(split, threads=64, registers=16, shared_bytes=16 << 10).active_blocks == blocks


def test_nothing_was_fitted():
    assert RTX2080TI.evidence_counts().get("fitted", 0) == 0
