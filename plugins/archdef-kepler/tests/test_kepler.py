"""The Tesla K40, the K20 and the GeForce GTX 680 are what their documents say."""
import re

import numpy as np
import pytest
from archdef_kepler import GTX680, K20, K40

import archdef
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.spec import FEATURES
from archdef.testing import Conformance
from archdef.testing.latency import load_latency_cycles


class TestK40(Conformance):
    architecture = K40


class TestK20(Conformance):
    architecture = K20


class TestGtx680(Conformance):
    architecture = GTX680


@pytest.mark.parametrize("board, bandwidth, single, double", [(K40, 288, 4290, 1430), (K20, 208, 3524, 1175), (GTX680, 192.26, 3090, 129)],
                         ids=["k40", "k20", "gtx680"])
def test_peak_rates_are_the_published_ones(board, bandwidth, single, double):
    def gflops(operation):
        unit = board.unit(board.isa.operations[operation].unit)
        return 2 * unit.copies * unit.lanes * board.chip.multiprocessors * board.clocks.shader_mhz / 1000

    assert board.dram_bandwidth_gb_s == pytest.approx(bandwidth, rel=2e-3)
    assert gflops("fp32_fma") == pytest.approx(single, rel=1e-3) and gflops("fp64_fma") == pytest.approx(double, rel=2e-3)


def test_the_k20_has_five_sixths_of_the_l2():
    assert K20.l2_bytes == 1310720 and K40.l2_bytes == 1572864 and K20.isa == K40.isa


def test_latencies_of_the_k20_take_the_cycles_of_a_k40_up_to_l2():
    one, other = archdef.Device(K20), archdef.Device(K40)
    assert load_latency_cycles(one) == pytest.approx(load_latency_cycles(other), abs=1)
    assert load_latency_cycles(one, operator=".ca") == load_latency_cycles(other, operator=".ca")


@pytest.mark.parametrize("operation, lanes", [
    ("fp32_fma", 192), ("int_add", 160), ("int_compare", 160), ("fp64_fma", 64), ("int_shift", 64), ("int_mul32", 32), ("fp32_rsqrt", 32),
    ("bit_field", 32), ("bit_count", 32),
    ("shuffle", 32), ("int_sad", 32), ("convert64", 32)])
def test_lanes_per_cycle_are_those_of_the_programming_guide(operation, lanes):
    cost = K40.isa.operations[operation]
    assert 32 / K40.interval_cycles(cost) * K40.unit(cost.unit).copies == lanes


def test_four_schedulers_reach_six_groups_of_lanes_because_each_may_issue_twice():
    text = """.version 7.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 p)
{ .reg .f32 %%f<20>; .reg .b64 %%d<2>; .reg .u32 %%r<2>; .reg .pred %%p<2>; ld.param.u64 %%d1, [p]; %s
mov.u32 %%r1, %d;
again: %s
add.u32 %%r1, %%r1, -1; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra again;
%s ret; }"""
    names = [f"%f{k}" for k in range(1, 13)]
    device = archdef.Device(K40)

    def cycles(trips):        # the loop stays in the first instruction cache
        body = "\n".join(f"fma.rn.f32 {name}, {name}, {name}, {name};" for name in names * 20)
        reads, writes = ("\n".join(form.format(4 * k, name) for k, name in enumerate(names))
                         for form in ("ld.global.f32 {1}, [%d1+{0}];", "st.global.f32 [%d1+{0}], {1};"))
        return device.compile(text % (reads, trips, body, writes)).k[(2,), (1024,)](device.zeros((64,), "f4")).cycles
    lanes = 1024 * 12 * 20 * 4 / (cycles(6) - cycles(2))  # one block per multiprocessor
    assert lanes == pytest.approx(192, rel=0.05)


@pytest.mark.parametrize("board, capability", [(K40, 3.5), (GTX680, 3.0)], ids=["k40", "gtx680"])
def test_features_are_those_of_the_compute_capability(board, capability):
    brought = {name: float(re.search(r"(\d+\.\d)\)", text + "(99.0)")[1]) for name, text in FEATURES.items()}
    assert board.isa.features == {name for name, since in brought.items() if since <= capability}


@pytest.mark.parametrize("operation, lanes", [("fp32_fma", 192), ("int_add", 160), ("int_shift", 32), ("convert64", 8), ("fp64_fma", 8)])
def test_a_gk104_has_fewer_lanes_for_shifts_and_doubles(operation, lanes):
    cost = GTX680.isa.operations[operation]
    assert 32 / GTX680.interval_cycles(cost) * GTX680.unit(cost.unit).copies == lanes


def test_a_gtx_680_has_what_device_query_prints_and_takes_63_registers():
    assert (GTX680.chip.multiprocessors, GTX680.l2_bytes, GTX680.dram.bus_bits) == (8, 512 << 10, 256)
    assert archdef.occupancy(GTX680, threads=256, registers=63, shared_bytes=0).active_blocks == 4
    with pytest.raises(archdef.errors.LaunchError, match="registers_per_thread"):
        archdef.occupancy(GTX680, threads=256, registers=64, shared_bytes=0)


def test_memory_of_a_gtx_680_is_as_far_as_volkov_measured():
    boosted = archdef.Device(GTX680.evolve({"clocks.core_mhz": 1124, "clocks.shader_mhz": 1124}))
    assert load_latency_cycles(boosted, places=2000, stride_bytes=4224, warm=False) == pytest.approx(301, rel=0.03)


def test_nothing_of_the_gtx_680_was_fitted():
    assert GTX680.evidence_counts().get("fitted", 0) == 0


def test_latencies_are_the_measured_ones():
    device = archdef.Device(K40)
    assert load_latency_cycles(device, operator=".ca") == pytest.approx(32, abs=1)
    assert load_latency_cycles(device) == pytest.approx(188, abs=4)
    assert load_latency_cycles(device, places=2000, stride_bytes=4224, warm=False) == pytest.approx(331, rel=0.05)
    assert K40.isa.operations["load_shared"].latency_cycles + K40.shared.latency_cycles == 26


def test_global_loads_move_sectors_unless_the_l1_is_asked():
    addresses = 4 * np.arange(32) * 8  # a sector each
    assert len(K40.coalescing.load_uncached.transactions(addresses, 4)) == 32
    assert len(K40.coalescing.load.transactions(addresses, 4)) == 8
    assert not K40.caches.l1_global_loads


@pytest.mark.parametrize("stride, passes", [(0, 1), (1, 1), (2, 1), (3, 1), (4, 2), (32, 16), (33, 1)])
def test_word_strides_in_the_four_byte_mode_take_half_the_passes_of_four_byte_banks(stride, passes):
    assert K40.shared.passes(np.arange(32) * 4 * stride) == passes


def test_the_eight_byte_mode_is_a_what_if():
    wide = K40.evolve({"shared.bank_width_bytes": 8, "shared.bank_rows": None})
    assert wide.shared.passes(np.arange(32) * 8, 8) == K40.shared.passes(np.arange(32) * 8, 8) == 1
    assert (K40.shared.passes(np.arange(32) * 4 * 3), wide.shared.passes(np.arange(32) * 4 * 3)) == (1, 2)


def test_the_l1_can_be_grown_by_a_what_if():
    grown = K40.evolve({"caches.l1.size_bytes": "48 KiB", "limits.shared_bytes_per_multiprocessor": "16 KiB",
                        "limits.shared_bytes_per_block": "16 KiB"})
    assert grown.caches.l1.sets == 96 and archdef.occupancy(grown, threads=64, registers=8, shared_bytes=8192).active_blocks == 2


@pytest.mark.parametrize("board, share", [(K40, 0.6), (K20, 0.55)], ids=["k40", "k20"])
def test_a_copy_reaches_most_of_the_peak_bandwidth(board, share):
    """Error correction takes a ninth of the K20's."""
    (row,) = compare(load("transpose"), [board], 1024, kernels=["copy"]).rows
    assert row.correct and share < row.bandwidth / board.dram_bandwidth_gb_s < 1
