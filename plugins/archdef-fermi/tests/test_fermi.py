"""The GTX 480, the GTX 460 and the Tesla boards are what their documents say."""
import archdef
import numpy as np
import pytest
from archdef.microbench import measure
from archdef.occupancy import occupancy
from archdef.testing import Conformance
from archdef.testing.latency import declared_latency_cycles
from archdef_fermi import GF100, GF104, M2070, M2090

BOTH = pytest.mark.parametrize("arch", [GF100, M2070, M2090], ids=lambda a: a.name)


class TestGF100(Conformance):
    architecture = GF100


class TestM2070(Conformance):
    architecture = M2070


class TestM2090(Conformance):
    architecture = M2090


class TestGF104(Conformance):
    architecture = GF104


@pytest.mark.parametrize("arch, gb_s, gflops, double_gflops", [(GF100, 177.4, 1344.96, 168.12), (M2070, 150.3, 1027.7, 513.9), (M2090, 177.4, 1332.2, 666.1),
                                                              (GF104, 115.2, 907.2, 75.6)])
def test_peak_rates_are_the_published_ones(arch, gb_s, gflops, double_gflops):
    def peak(operation):
        unit = arch.unit(operation.unit)
        rate = arch.schedulers.count if unit.scope == "scheduler" else unit.copies
        return 2 * 32 / arch.interval_cycles(operation) * rate * arch.chip.multiprocessors * arch.clocks.shader_mhz / 1000

    assert arch.dram_bandwidth_gb_s == pytest.approx(gb_s, rel=1e-3)
    assert peak(arch.isa.operations["fp32_fma"]) == pytest.approx(gflops, rel=1e-3)
    assert peak(arch.isa.operations["fp64_fma"]) == pytest.approx(double_gflops, rel=1e-3)


@BOTH
def test_the_l2_is_768_kibibytes_over_six_partitions(arch):
    assert arch.l2_bytes == 786432 and arch.dram.partitions == 6


@BOTH
def test_unloaded_latencies_are_those_of_the_fit(arch):
    assert declared_latency_cycles(arch, "l2", sector_bytes=128) == pytest.approx(445, abs=10)
    assert declared_latency_cycles(arch, "dram", sector_bytes=128) == pytest.approx(803, abs=10)


def test_latencies_of_the_gf104_are_those_measured_on_the_gf106():
    assert declared_latency_cycles(GF104, "l1", sector_bytes=128) == 45
    assert declared_latency_cycles(GF104, "l2", sector_bytes=128) == pytest.approx(310, abs=2)
    assert declared_latency_cycles(GF104, "dram", sector_bytes=128) == pytest.approx(685, abs=5)


def test_the_gf104_needs_parallelism_within_its_warps():
    """Two schedulers fill two of the three groups of lanes with one instruction of a warp at a time."""
    lanes = [measure("throughput", archdef.Device(GF104), operation="fma_f32", chains=chains)["per_cycle"] for chains in (1, 4)]
    assert lanes == pytest.approx([32, 48], rel=0.015)      # 47.4 since replays take 36 cycles, not 28


@BOTH
def test_double_precision_keeps_the_other_scheduler_from_issuing(arch):
    assert arch.unit("dp").scope == "exclusive"


@BOTH
def test_the_shader_clock_is_twice_the_core_clock(arch):
    assert arch.clocks.shader_mhz == pytest.approx(2 * arch.clocks.core_mhz, rel=1e-3)


@BOTH
def test_loads_move_lines_and_stores_move_segments(arch):
    addresses = 132 + 4 * np.arange(32)  # bytes, shape (32,)
    assert [t[:2] for t in arch.coalescing.load.transactions(addresses, 4)] == [(128, 128), (256, 128)]
    assert sum(t.bytes for t in arch.coalescing.store.transactions(addresses, 4)) == 160


@BOTH
@pytest.mark.parametrize("stride, passes", [(0, 1), (1, 1), (2, 2), (32, 32), (33, 1)])
def test_word_stride_sets_shared_memory_passes(arch, stride, passes):
    assert arch.shared.passes(np.arange(32) * 4 * stride) == passes


@BOTH
@pytest.mark.parametrize("kind, cycles", [("load", 16), ("store", 8)])
def test_loads_of_sixteen_bytes_a_lane_take_the_banks_twice_as_long_as_stores(arch, kind, cycles):
    assert measure("shared_throughput", arch, kind=kind, word_bytes=16)["cycles"] == pytest.approx(cycles, rel=0.02)


@BOTH
def test_twenty_one_registers_are_rounded_up_further_than_twenty_three(arch):
    assert occupancy(arch, threads=256, registers=21).limits["registers"] == 5
    assert occupancy(arch, threads=256, registers=20).limits["registers"] == 6


@BOTH
def test_the_l1_can_be_grown_by_a_what_if(arch):
    grown = arch.evolve({"caches.l1.size_bytes": "48 KiB", "limits.shared_bytes_per_multiprocessor": "16 KiB",
                         "limits.shared_bytes_per_block": "16 KiB"})
    assert grown.caches.l1.sets == 96 and occupancy(grown, threads=64, registers=8, shared_bytes=8192).active_blocks == 2


@BOTH
def test_going_round_more_than_the_l1_holds_still_hits_now_and_then(arch):
    """The oldest line would be gone each time; of four ways, those that give way are drawn."""
    found = measure("global_latency", arch, footprint_bytes=24576, stride_bytes=128, operator="ca")["cycles"]
    near, far = (measure("global_latency", arch, footprint_bytes=size, stride_bytes=128, operator=how)["cycles"] for size, how in ((8192, "ca"), (24576, "cg")))
    assert near + 0.2 * (far - near) < found < near + 0.9 * (far - near)


def test_only_the_tesla_board_pays_for_error_correction():
    assert [arch.dram.ecc_overhead_ratio for arch in (GF100, M2070, M2090, GF104)] == [1.0, 1.25, 1.25, 1.0]


@pytest.mark.parametrize("arch", [GF100, M2070, M2090], ids=lambda a: a.name)
def test_rows_a_power_of_two_apart_do_not_meet_in_one_set_of_the_l1(arch):
    l1 = arch.caches.l1

    def set_of(address):
        folded = sum((address >> bit & 1) << k for k, bit in enumerate(l1.set_hash_bits))
        return (address // l1.line_bytes ^ folded) % l1.sets
    assert {set_of(8192 * row) for row in range(4)} == {0, 1, 2, 3}
    assert sorted(set_of(128 * line) for line in range(l1.sets)) == list(range(l1.sets))
