"""The G80 and the GT200 are what their documents say."""
import numpy as np
import pytest
from archdef.errors import LaunchError
from archdef.occupancy import occupancy
from archdef.testing import Conformance
from archdef.testing.latency import declared_latency_cycles
from archdef_tesla import G80, GT200

BOTH = pytest.mark.parametrize("arch", [G80, GT200], ids=lambda a: a.name)


class TestG80(Conformance):
    architecture = G80


class TestGT200(Conformance):
    architecture = GT200


@pytest.mark.parametrize("arch, gb_s, lanes, gflops", [(G80, 86.4, 128, 345.6), (GT200, 141.7, 240, 622)])
def test_peak_rates_are_the_published_ones(arch, gb_s, lanes, gflops):
    assert arch.dram_bandwidth_gb_s == pytest.approx(gb_s, rel=1e-3)
    assert arch.chip.multiprocessors * arch.unit("sp").lanes == lanes
    assert lanes * 2 * arch.clocks.shader_mhz / 1000 == pytest.approx(gflops, rel=1e-3)


def test_an_unloaded_load_takes_what_was_measured_on_the_gtx_280():
    assert 430 <= declared_latency_cycles(GT200, "dram", sector_bytes=64) <= 445


def test_an_unloaded_load_on_the_g80_is_within_the_guides_400_to_600_cycles():
    assert 400 <= declared_latency_cycles(G80, "dram", sector_bytes=64) <= 600


@pytest.mark.parametrize("arch, blocks, warps, registers", [(G80, 2, 3, 2), (GT200, 4, 4, 4)])
def test_the_textbook_block_of_256_threads(arch, blocks, warps, registers):
    result = occupancy(arch, threads=256, registers=16, shared_bytes=3 * 1024)
    assert result.active_blocks == blocks
    assert result.limits == {"warps": warps, "blocks": 8, "registers": registers, "shared": 5}


@BOTH
def test_blocks_of_more_than_512_threads_are_refused(arch):
    with pytest.raises(LaunchError, match="limits.threads_per_block is 512"):
        occupancy(arch, threads=513, registers=8)


@BOTH
def test_six_warps_hide_the_latency_of_arithmetic(arch):
    assert arch.isa.operations["fp32_fma"].latency_cycles / arch.interval_cycles("fp32_fma") == 6


@BOTH
@pytest.mark.parametrize("operation, cycles", [("fp32_add", 4), ("int_mul24", 4), ("int_mul32", 16), ("fp32_rcp", 16),
                                               ("fp32_transcendental", 32)])
def test_a_warp_instruction_takes_the_cycles_of_the_guide(arch, operation, cycles):
    assert arch.interval_cycles(operation) * arch.isa.operations[operation].issues == cycles


def test_double_precision_is_one_unit_per_multiprocessor_and_only_on_the_gt200():
    assert GT200.interval_cycles("fp64_fma") == 32
    assert "fp64" not in G80.isa.features and "fp64_fma" not in G80.isa.operations


def test_features_came_with_their_compute_capability():
    assert not {"atomics_global", "vote"} & G80.isa.features
    assert {"atomics_global", "atomics_shared", "vote", "fp64"} <= GT200.isa.features
    assert not {"fp32_fma", "shuffle", "vote_ballot", "unified_addressing"} & GT200.isa.features


def test_swapped_neighbours_cost_the_g80_sixteen_times_the_transactions_of_the_gt200():
    addresses = 128 + 4 * (np.arange(32) ^ 1)  # bytes, shape (32,)
    assert len(G80.coalescing.load.transactions(addresses, 4)) == 32
    assert len(GT200.coalescing.load.transactions(addresses, 4)) == 2


@BOTH
@pytest.mark.parametrize("stride, passes", [(0, 2), (1, 2), (2, 4), (3, 2), (16, 32), (17, 2)])
def test_word_stride_sets_shared_memory_passes(arch, stride, passes):
    assert arch.shared.passes(np.arange(32) * 4 * stride) == passes


def test_a_stride_of_2048_bytes_camps_on_one_partition_of_the_gt200():
    dram = GT200.dram
    assert {dram.partition_map.partition(2048 * row, dram.interleave_bytes, dram.partitions) for row in range(64)} == {0}


@BOTH
def test_no_lane_mask_or_launch_needs_what_the_machine_lacks(arch):
    assert arch.warp.size == 32 and arch.limits.grid_dimensions == (65535, 65535, 1)
    assert arch.limits.kernel_instructions == 2_000_000
