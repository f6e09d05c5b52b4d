"""The G80, the G92, the GT215 and the GT200 are what their documents say."""
import archdef
import numpy as np
import pytest
from archdef.errors import LaunchError, PtxError, SpecErrors
from archdef.microbench import measure
from archdef.occupancy import occupancy
from archdef.spec.evidence import covering
from archdef.testing import Conformance
from archdef.testing.latency import declared_latency_cycles
from archdef_tesla import G80, G92, GT200, GT215

EVERY = pytest.mark.parametrize("arch", [G80, G92, GT215, GT200], ids=lambda a: a.name)


class TestG80(Conformance):
    architecture = G80


class TestG92(Conformance):
    architecture = G92


class TestGT215(Conformance):
    architecture = GT215


class TestGT200(Conformance):
    architecture = GT200


@pytest.mark.parametrize("arch, gb_s, lanes, gflops", [(G80, 86.4, 128, 345.6), (G92, 70.4, 128, 432), (GT215, 54.4, 96, 257.3),
                                                     (GT200, 141.7, 240, 622)])
def test_peak_rates_are_the_published_ones(arch, gb_s, lanes, gflops):
    assert arch.dram_bandwidth_gb_s == pytest.approx(gb_s, rel=1e-3)
    assert arch.chip.multiprocessors * arch.unit("sp").lanes == lanes
    assert lanes * 2 * arch.clocks.shader_mhz / 1000 == pytest.approx(gflops, rel=1e-3)


def test_an_unloaded_load_takes_what_was_measured_on_the_gtx_280():
    assert 436 <= measure("global_latency", GT200, footprint_bytes=262144, stride_bytes=512)["cycles"] <= 443      # by a chase through open rows


@EVERY
def test_memory_refreshes_8192_times_in_32_ms(arch):
    """Qimonda HYB18H512321AF, table 38; 52 ns each keep a stream from 1.3 % of what the pins give."""
    assert 8192 * arch.dram.t_refi_ns == pytest.approx(32e6, rel=2e-3)
    never = arch.evolve({"dram.t_refi_ns": None})
    reads = {machine: measure("dram_bandwidth", machine, kind="read")["gb_s"] for machine in (arch, never)}
    assert 0.975 < reads[arch] / reads[never] < 1.005


@EVERY
def test_an_unloaded_load_is_within_the_guides_400_to_600_cycles(arch):
    assert 400 <= declared_latency_cycles(arch, "dram", sector_bytes=64) <= 600


@pytest.mark.parametrize("arch, blocks, warps, registers", [(G80, 2, 3, 2), (G92, 2, 3, 2), (GT215, 4, 4, 4), (GT200, 4, 4, 4)])
def test_the_textbook_block_of_256_threads(arch, blocks, warps, registers):
    result = occupancy(arch, threads=256, registers=16, shared_bytes=3 * 1024)
    assert result.active_blocks == blocks
    assert result.limits == {"warps": warps, "blocks": 8, "registers": registers, "shared": 5}


@EVERY
def test_blocks_of_more_than_512_threads_are_refused(arch):
    with pytest.raises(LaunchError, match="limits.threads_per_block is 512"):
        occupancy(arch, threads=513, registers=8)


@EVERY
def test_six_warps_hide_the_latency_of_arithmetic(arch):
    assert arch.isa.operations["fp32_fma"].latency_cycles / arch.interval_cycles("fp32_fma") == 6


@EVERY
@pytest.mark.parametrize("operation, cycles", [("fp32_add", 4), ("int_mul24", 4), ("int_mul32", 16), ("fp32_rcp", 16),
                                               ("fp32_transcendental", 32)])
def test_a_warp_instruction_takes_the_cycles_of_the_guide(arch, operation, cycles):
    assert arch.interval_cycles(operation) * arch.isa.operations[operation].issues == cycles


def test_double_precision_is_one_unit_per_multiprocessor_and_only_on_the_gt200():
    assert GT200.interval_cycles("fp64_fma") == 32
    assert "fp64" not in G80.isa.features and "fp64_fma" not in G80.isa.operations


def test_features_came_with_their_compute_capability():
    assert not {"atomics_global", "vote"} & G80.isa.features
    assert "atomics_global" in G92.isa.features and not {"atomics_shared", "atomics_global_64", "vote", "fp64"} & G92.isa.features
    assert {"atomics_shared", "atomics_global_64", "vote"} <= GT215.isa.features and "fp64" not in GT215.isa.features
    assert all("clock" in arch.isa.features for arch in (G80, G92, GT215, GT200))
    assert {"atomics_global", "atomics_shared", "vote", "fp64"} <= GT200.isa.features
    assert not {"fp32_fma", "shuffle", "vote_ballot", "unified_addressing"} & GT200.isa.features


def test_swapped_neighbours_cost_the_g80_sixteen_times_the_transactions_of_the_gt200():
    addresses = 128 + 4 * (np.arange(32) ^ 1)  # bytes, shape (32,)
    assert len(G80.coalescing.load.transactions(addresses, 4)) == 32
    assert len(GT200.coalescing.load.transactions(addresses, 4)) == 2


@EVERY
@pytest.mark.parametrize("stride, passes", [(0, 2), (1, 2), (2, 4), (3, 2), (16, 32), (17, 2)])
def test_word_stride_sets_shared_memory_passes(arch, stride, passes):
    assert arch.shared.passes(np.arange(32) * 4 * stride) == passes


def test_a_stride_of_2048_bytes_camps_on_one_partition_of_the_gt200():
    dram = GT200.dram
    assert {dram.partition_map.partition(2048 * row, dram.interleave_bytes, dram.partitions) for row in range(64)} == {0}


@EVERY
def test_no_lane_mask_or_launch_needs_what_the_machine_lacks(arch):
    assert arch.warp.size == 32 and arch.limits.grid_dimensions == (65535, 65535, 1)
    assert arch.limits.kernel_instructions == 2_000_000


@pytest.mark.parametrize("arch", [G80, GT200], ids=lambda a: a.name)
def test_a_kernel_of_more_than_two_million_instructions_is_refused_by_counting(arch):
    """Nothing of it is parsed, let alone lowered: there is no such instruction."""
    text = ".version 1.4\n.target sm_10\n.visible .entry k(.param .u64 out)\n{ .reg .b32 %r<3>;\n" + "addd.u32 %r1, %r1, %r2;\n" * 2_000_001 + "ret; }"
    with pytest.raises(PtxError, match=rf":3: kernel k has at least 2000001 PTX instructions; {arch.name} takes kernels of at most 2000000 instructions"):
        archdef.Device(arch).compile(text)


@pytest.mark.parametrize("arch", [G80, G92], ids=lambda a: a.name)
@pytest.mark.parametrize("start, transactions", [(0, 2), (128, 2), (256, 2), (64, 16), (16, 16)])
def test_sixteen_lanes_of_16_bytes_start_at_a_multiple_of_128_and_take_two_regions_of_128(arch, start, transactions):
    """Where they do not, on devices of compute capability 1.0 and 1.1, each lane goes alone."""
    device = archdef.Device(arch)
    text = f""".version 1.4
.target sm_10
.visible .entry k(.param .u64 in)
{{ .reg .b64 %i, %t; .reg .b32 %r<2>; .reg .f32 %f<4>;
  ld.param.u64 %i, [in]; mov.u32 %r0, %tid.x; mul.wide.u32 %t, %r0, 16; add.u64 %i, %i, %t;
  ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%i+{start}]; st.global.f32 [%i], %f3; ret; }}"""
    assert device.compile(text).k[(1,), (16,)](device.zeros(256)).counters.global_load_transactions == transactions


@pytest.mark.parametrize("arch, bits", [(G80, 32), (G92, 32), (GT215, 40), (GT200, 40)], ids=lambda a: getattr(a, "name", a))
def test_device_memory_is_no_more_than_addresses_reach(arch, bits):
    assert arch.evolve({"dram.capacity_bytes": 1 << bits}).dram.capacity_bytes == 1 << bits
    with pytest.raises(SpecErrors) as caught:
        arch.evolve({"dram.capacity_bytes": 2 << bits})
    assert [str(fault) for fault in caught.value.exceptions] == [
        f"{arch.name}.dram.capacity_bytes must be at most what limits.address_bits = {bits} reach, {1 << bits}, got {2 << bits}"]


@EVERY
def test_every_part_says_at_which_clock_it_runs_and_who_says_so(arch):
    """Arithmetic at the processor clock, a little more than twice the core clock; the rest of a multiprocessor at that."""
    at_core = {"issue", "fetch", "constants", "shared", "texture", "load_store", "lsu", "tex"}
    assert set(arch.clocks.core_domain.parts) == at_core and {"sp", "sfu"}.isdisjoint(at_core)
    assert "clock domains" in covering(arch.evidence, "clocks.core_domain.parts").place
    assert 2 < arch.clocks.shader_mhz / arch.clocks.core_mhz < 2.6 and arch.clocks.core_domain.cycle_ratio == pytest.approx(
        arch.clocks.shader_mhz / arch.clocks.core_mhz, rel=1e-6)


@EVERY
def test_the_cycle_counter_counts_sm_cycles(arch):
    """`clock()` is of compute capability 1.0: two reads around eight dependent multiply-adds lie their latency apart."""
    device = archdef.Device(arch)
    text = """.version 1.4
.target sm_10
.visible .entry k(.param .u64 out)
{ .reg .b64 %o; .reg .b32 %r<6>; .reg .f32 %f<2>; .reg .pred %p;
  ld.param.u64 %o, [out]; mov.f32 %f0, 0f3F800000; mov.u32 %r4, 0;
L: mov.u32 %r0, %clock; """ + "mad.f32 %f0, %f0, %f0, %f0; " * 8 + """mov.b32 %r3, %f0; mov.u32 %r1, %clock; sub.u32 %r2, %r1, %r0;
  add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, 2; @%p bra L;
  st.global.u32 [%o], %r2; st.global.u32 [%o+4], %r3; ret; }"""
    out = device.zeros(2, "u4")
    device.compile(text).k[(1,), (1,)](out)
    assert 8 * 4 <= out.to_host()[0] <= 10 * 24
