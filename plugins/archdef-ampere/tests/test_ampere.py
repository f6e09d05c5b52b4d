"""The A100 is what its documents say."""
import re

import numpy as np
import pytest
from archdef_ampere import A100

import archdef
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestA100(Conformance):
    architecture = A100


def lanes(operation):
    """Thread operations per cycle and multiprocessor."""
    cost = A100.isa.operations[operation]
    units = A100.schedulers.count if A100.unit(cost.unit).scope == "scheduler" else A100.unit(cost.unit).copies
    return 32 / A100.interval_cycles(cost) * units / cost.issues


def tera(per_multiprocessor):
    """Operations per cycle and multiprocessor as 10**12 a second."""
    return per_multiprocessor * 108 * A100.clocks.shader_mhz / 1e6


def test_kernels_take_the_parameters_that_cuda_12_1_allows():
    assert A100.limits.parameter_bytes == 32_764


def test_peak_rates_are_the_published_ones():
    assert A100.dram_bandwidth_gb_s == pytest.approx(1555.2, rel=1e-4) and A100.l2_bytes == 40 << 20 and A100.dram.partitions == 80
    assert tera(2 * lanes("fp32_fma")) == pytest.approx(19.5, rel=1e-2) and tera(2 * lanes("fp64_fma")) == pytest.approx(9.7, rel=1e-2)
    assert tera(4 * lanes("fp16_fma")) == pytest.approx(78, rel=1e-2)


@pytest.mark.parametrize("form, products, published", [
    ("f16_m16n8k16", 16 * 8 * 16, 312), ("tf32_m16n8k8", 16 * 8 * 8, 156), ("int8_m16n8k32", 16 * 8 * 32, 624),
    ("s4_m16n8k64", 16 * 8 * 64, 1248), ("xor_m16n8k256", 16 * 8 * 256, 4992), ("f64_m8n8k4", 8 * 8 * 4, 19.5)])
def test_tensor_cores_reach_the_published_rates(form, products, published):
    """Tera-operations a second; a multiply-add is two."""
    assert tera(2 * lanes(f"matrix_{form}") / 32 * products) == pytest.approx(published, rel=1e-2)


@pytest.mark.parametrize("operation, rate", [
    ("fp32_fma", 64), ("fp64_fma", 32), ("fp16_fma", 128), ("int_add", 64), ("int_mul32", 64), ("int_shift", 64), ("int_compare", 64),
    ("int_logic", 64), ("bit_count", 16), ("fp32_rsqrt", 16), ("convert", 16), ("convert64", 16), ("shuffle", 32), ("int_sad", 64),
    ("funnel_shift", 32), ("redux", 16), ("match", 16)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, rate):
    """A pair of halves is one lane here and two operations there."""
    assert lanes(operation) == rate


def test_features_are_those_of_compute_capability_8_0():
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert A100.isa.features == {name for name, since in brought.items() if since <= 8.0} - {"read_only_loads"}      # L1 serves them


def test_latencies_are_the_measured_ones():
    device = archdef.Device(A100)
    assert load_latency_cycles(device) == load_latency_cycles(device, operator=".nc") == pytest.approx(34, abs=1)
    assert load_latency_cycles(device, operator=".cg") == pytest.approx(211, abs=4)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(568, rel=0.07)
    assert A100.isa.operations["load_shared"].latency_cycles + A100.shared.latency_cycles == 26


@pytest.mark.parametrize("kib, blocks", [(0, 32), (4, 32), (40, 4), (41, 3), (163, 1)])
def test_each_block_takes_a_kibibyte_of_shared_memory_for_itself(kib, blocks):
    """Four blocks of 40 KiB fill the 164 KiB; of 41 KiB, three fit."""
    assert archdef.occupancy(A100, threads=64, registers=16, shared_bytes=kib << 10).active_blocks == blocks


def test_sums_of_products_keep_one_bit_more_than_single_precision():
    """24 bits behind the point of 2**25 end at 2, so eight products of 1 are cut off one by one, where a Hopper's 25 bits keep them."""
    text = """.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .b32 half)
{ .reg .b32 %a<5>; .reg .f32 %c<5>; .reg .b64 %d; .reg .b32 %t; .reg .pred %p;
ld.param.u64 %d, [out]; ld.param.b32 %a1, [half]; mov.f32 %c1, 0f4C000000; mov.f32 %c2, 0f4C000000; mov.f32 %c3, 0f4C000000;
mov.f32 %c4, 0f4C000000; mov.b32 %a2, 0x3C003C00;
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c1,%c2,%c3,%c4}, {%a1,%a1}, {%a2}, {%c1,%c2,%c3,%c4};
st.global.f32 [%d], %c1; ret; }"""
    device = archdef.Device(A100)
    out = device.zeros(1, "f4")

    def sum_of(value):
        pair = np.array([value, value], "f2").view("u4")[0]
        device.compile(text).k[1, 32](out, pair)
        return float(out.to_host()[0])

    assert sum_of(1) == 2**25
    assert sum_of(2) == 2**25 + 16


def test_copies_to_shared_memory_run_beside_arithmetic():
    assert "cp_async" in A100.isa.features and "mbarrier" in A100.isa.features and "bulk_copies" not in A100.isa.features


def test_a_copy_reaches_most_of_the_peak_bandwidth():
    (row,) = compare(load("transpose"), [A100], 4096, kernels=["copy"]).rows
    assert row.correct and 0.6 < row.bandwidth / A100.dram_bandwidth_gb_s < 1 / (1 - 40 / 128)  # L2 still holds 40 of the 128 MiB
