"""The C500 is what its documents and probes say, and admits what they do not."""
import archdef
import numpy as np
import pytest
from archdef.microbench import measure
from archdef.occupancy import occupancy
from archdef.testing import Conformance
from archdef.testing.latency import declared_latency_cycles
from archdef_xiyun import C500

VECADD = """
.version 7.8
.target sm_35
.address_size 64
.visible .entry vecadd(.param .u64 to, .param .u64 one, .param .u64 other, .param .u32 count) {
    .reg .u64 %c, %a, %b, %at, %to; .reg .u32 %i, %t, %w, %n, %step; .reg .f32 %x, %y; .reg .pred %p;
    ld.param.u64 %c, [to]; ld.param.u64 %a, [one]; ld.param.u64 %b, [other]; ld.param.u32 %n, [count];
    mov.u32 %t, %tid.x; mov.u32 %w, %ntid.x; mov.u32 %i, %ctaid.x; mad.lo.u32 %i, %i, %w, %t;
    mov.u32 %step, %nctaid.x; mul.lo.u32 %step, %step, %w;
LOOP:
    setp.ge.u32 %p, %i, %n;
    @%p bra END;
    mul.wide.u32 %at, %i, 4;
    add.u64 %to, %a, %at; ld.global.f32 %x, [%to];
    add.u64 %to, %b, %at; ld.global.f32 %y, [%to];
    add.f32 %x, %x, %y;
    add.u64 %to, %c, %at; st.global.f32 [%to], %x;
    add.u32 %i, %i, %step;
    bra LOOP;
END:
    ret;
}
"""


class TestC500(Conformance):
    architecture = C500


def test_peak_rates_are_the_profilers():
    fma = 64 / C500.interval_cycles("fp32_fma") * C500.schedulers.count * C500.chip.multiprocessors
    assert 2 * fma * C500.clocks.core_mhz / 1e6 == pytest.approx(14.98, rel=1e-3)
    assert C500.dram_bandwidth_gb_s == pytest.approx(1843.2)
    assert C500.l2_bytes == 8 << 20
    assert C500.dram.partitions * C500.interconnect.partition_response_bytes_per_cycle == 4096


def test_the_profilers_peak_of_416_instructions_per_cycle():
    schedulers = C500.schedulers
    per_cycle = schedulers.count * schedulers.issue_width / schedulers.issue_interval_cycles
    assert per_cycle * C500.chip.multiprocessors == 416


def test_unloaded_latencies_are_the_guides():
    assert declared_latency_cycles(C500, "l2", sector_bytes=128) == pytest.approx(170, abs=5)
    assert declared_latency_cycles(C500, "dram", sector_bytes=128) == pytest.approx(420, abs=5)
    assert C500.shared.latency_cycles == 64


@pytest.mark.parametrize("registers, waves_per_peu", [(24, 8), (58, 8), (66, 7), (73, 6), (92, 5), (98, 4), (126, 4), (186, 2)])
def test_waves_per_peu_follow_the_compilers_reports(registers, waves_per_peu):
    assert occupancy(C500, threads=64, registers=registers).active_warps == 4 * waves_per_peu


@pytest.mark.parametrize("threads, registers, shared_bytes, resident", [
    (128, 12, 0, 16), (256, 52, 0, 8), (256, 142, 0, 3), (128, 39, 0, 16), (128, 12, 16384, 4)])
def test_resident_blocks_are_those_that_a_probe_counted(threads, registers, shared_bytes, resident):
    assert occupancy(C500, threads=threads, registers=registers, shared_bytes=shared_bytes).active_blocks == resident


def test_two_hundred_threads_make_four_waves():
    assert occupancy(C500, threads=200, registers=16).warps_per_block == 4


@pytest.mark.parametrize("stride, passes", [(0, 2), (1, 2), (8, 16), (16, 32), (32, 64), (64, 64)])
def test_store_strides_serialise_as_the_probe_shows(stride, passes):
    assert C500.shared.passes(np.arange(64) * 4 * stride) == passes


def test_lanes_of_a_wave_that_share_a_line_share_a_transaction():
    sent = C500.coalescing.load.transactions(4 * np.arange(64), 4)
    assert [t[:2] for t in sent] == [(0, 128), (128, 128)]
    assert len(C500.coalescing.load.transactions(np.zeros(64, int), 4)) == 1


def test_the_l1_is_off_unless_asked_for():
    assert not C500.caches.l1.enabled and C500.evolve({"caches.l1.enabled": "on"}).caches.l1.enabled


@pytest.mark.parametrize("path", [
    "limits.shared_allocation_unit_bytes", "limits.blocks_per_multiprocessor", "dram.partitions", "dram.interleave_bytes",
    "caches.l1.ways", "caches.l2.ways", "schedulers.policy", "load_store.atomic_cycles", "isa.operations.fp64_fma.latency_cycles",
    "isa.operations.int_add.latency_cycles"])
def test_what_nobody_has_published_is_marked_assumed(path):
    assert path in C500.assumed()


@pytest.mark.parametrize("path", ["warp.size", "chip.multiprocessors", "limits.registers_per_multiprocessor", "shared.banks",
                                  "shared.latency_cycles", "dram.bus_bits", "clocks.core_mhz"])
def test_what_is_published_is_not(path):
    assert path not in C500.assumed()


def test_a_barrier_of_four_waves_takes_the_time_that_a_probe_adds_for_each():
    cycles = measure("barrier", C500.name, warps=4)["cycles"]
    assert cycles / C500.clocks.shader_mhz * 1000 == pytest.approx(42.7, abs=1)      # ns


def test_blocks_of_one_float_a_thread_take_longer_than_a_fixed_grid_that_goes_over_them():
    """As vectors of 67 million floats do on the board: 0.87 and 0.56 ms (cuda-oxide for MetaX)."""
    device, n = archdef.Device(C500), 1 << 21
    vecadd = device.compile(VECADD).vecadd
    plain, fixed = (vecadd[blocks, 256](*(device.zeros(n, "f4") for _ in range(3)), np.int32(n)).cycles for blocks in (n // 256, 832))
    assert plain > 1.3 * fixed
