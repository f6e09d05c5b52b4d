"""The GeForce RTX 2080 Ti is what its documents say."""
import re

import numpy as np
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
    assert RTX2080TI.isa.features == {name for name, since in brought.items() if since <= 7.5} - {"read_only_loads"}      # L1 serves them


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


def test_one_lane_adds_to_a_counter_for_its_warp():
    device = archdef.Device(RTX2080TI)
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
    assert RTX2080TI.shared.passes(16 * quads, word_bytes=16, load=True) == passes


def cycles_of_a_load(architecture, rows, word="f32", start=0):
    """SM cycles of a multiprocessor for a load of a warp that hits, whose lanes read as many rows of 4 KiB, neighbouring words of each from a byte on."""
    width = 4 if word.startswith("v4") else 1
    names = [[f"%f{4 * k + part}" for part in range(width)] for k in range(8)]
    loads = ";".join(f"ld.global.nc.{word} {'{' + ', '.join(name) + '}' if width > 1 else name[0]}, [%rd3+{start + 128 * k}]" for k, name in enumerate(names))
    loads += "".join(f"; add.f32 %f32, %f32, {part}" for name in names for part in name)
    text = f""".version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{{
    .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<33>; .reg .pred %p;
    ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %laneid;
    div.u32 %r3, %r2, {32 // rows}; rem.u32 %r4, %r2, {32 // rows}; shl.b32 %r3, %r3, 12; shl.b32 %r4, %r4, {4 if width > 1 else 2};
    add.u32 %r3, %r3, %r4; cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2; mov.u32 %r5, 0; mov.f32 %f32, 0f00000000;
L:  {loads};
    add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, %r1; @%p bra L;
    st.global.f32 [%rd1], %f32;
    ret;
}}"""
    device = archdef.Device(architecture)
    kernel = device.compile(text).k
    short, long = (kernel[1, 512](device.zeros(4096), np.uint32(rounds)).cycles for rounds in (20, 60))
    return (long - short) / (40 * 8 * 16)


def test_the_l1_gives_64_bytes_a_cycle_of_one_line_and_of_two():
    assert cycles_of_a_load(RTX2080TI, 1) == pytest.approx(2, rel=0.05)
    assert cycles_of_a_load(RTX2080TI, 2) == pytest.approx(4, rel=0.05)     # the same banks of both
    assert cycles_of_a_load(RTX2080TI, 1, start=64) < 2.5       # half of a line and of the next, in other banks; few pairs of tags meet in a bank
