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


def test_one_lane_adds_to_a_counter_for_its_warp():
    device = archdef.Device(TITAN_X)
    counter = device.zeros(1, np.uint32)
    run = device.compile(""".version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 p) { .reg .b64 %rd; ld.param.u64 %rd, [p]; red.global.add.u32 [%rd], 1; ret; }""").k[64, 1024](counter)
    assert counter.to_host()[0] == 65536 and run.cycles < 65536 / 8     # one after the other on one address


@pytest.mark.parametrize("lanes, passes", [("own", 4), ("pairs", 2), ("next but one", 2), ("fours apart", 4), ("one", 2)])
def test_wide_loads_are_served_together_where_neighbours_read_the_same(lanes, passes):
    """The patterns that N. Gray tried for SGEMM on a GM204."""
    k = np.arange(32)
    quads = {"own": k, "pairs": k >> 1, "next but one": k >> 2 << 1 | k & 1, "fours apart": k & 7, "one": 0 * k}[lanes]
    assert TITAN_X.shared.passes(16 * quads, word_bytes=16, load=True) == passes


def cycles_of_a_load(architecture, rows, word="f32"):
    """SM cycles of a multiprocessor for a load of a warp that hits, whose lanes read as many rows of 4 KiB, neighbouring words of each."""
    width = 4 if word.startswith("v4") else 1
    names = [[f"%f{4 * k + part}" for part in range(width)] for k in range(8)]
    loads = ";".join(f"ld.global.nc.{word} {'{' + ', '.join(name) + '}' if width > 1 else name[0]}, [%rd3+{128 * k}]" for k, name in enumerate(names))
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


@pytest.mark.parametrize("word, cycles", [("f32", 2), ("v4.f32", 8)])
def test_the_texture_units_give_64_bytes_a_cycle(word, cycles):
    """Two lanes of 4 bytes each: eight of them have twice what the four of a GP100's multiprocessor were measured to give."""
    assert cycles_of_a_load(TITAN_X, 1, word) == pytest.approx(cycles, rel=0.05)
