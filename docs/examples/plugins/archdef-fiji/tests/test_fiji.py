"""Fiji passes the conformance suite and is what its documents say."""
import archdef
import numpy as np
import pytest
from archdef.testing import Conformance
from archdef_fiji import FIJI


class TestFiji(Conformance):
    """Every check of archdef, on this architecture."""

    architecture = "fiji"
    expected_failures = {}


def test_the_declaration_is_found_by_its_name_and_aliases():
    assert archdef.architecture("fiji") == archdef.architecture("GCN3") == FIJI


def test_peak_rates_are_the_published_ones():
    def gflops(operation):
        return 2 * 64 / FIJI.interval_cycles(operation) * FIJI.schedulers.count * FIJI.chip.multiprocessors * FIJI.clocks.shader_mhz / 1000

    assert FIJI.dram_bandwidth_gb_s == pytest.approx(512)
    assert gflops("fp32_fma") == pytest.approx(8601.6) and gflops("fp64_fma") == pytest.approx(8601.6 / 16)
    assert FIJI.l2_bytes == 2 * 2**20


@pytest.mark.parametrize("registers, waves", [(24, 40), (25, 36), (32, 32), (64, 16), (128, 8), (129, 4)])
def test_waves_follow_from_vector_registers_as_the_guide_tables_them(registers, waves):
    assert archdef.occupancy(FIJI, threads=256, registers=registers).active_warps == waves


@pytest.mark.parametrize("stride, passes", [(0, 2), (1, 2), (2, 4), (32, 64), (33, 2)])
def test_a_wave_reads_the_lds_in_halves(stride, passes):
    assert FIJI.shared.passes(np.arange(64) * 4 * stride) == passes


def test_a_wave_of_consecutive_words_touches_four_lines():
    assert [t[:2] for t in FIJI.coalescing.load.transactions(4 * np.arange(64), 4)] == [(0, 64), (64, 64), (128, 64), (192, 64)]


def test_a_warp_has_64_lanes_and_single_precision_atomics_are_refused():
    device = archdef.Device("fiji")
    head = """.version 6.0
        .target sm_60
        .address_size 64
        .visible .entry k(.param .u64 out) { .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f1; ld.param.u64 %rd1, [out];
        """
    out = device.zeros((1,), "u8")
    device.compile(head + "mov.u32 %r1, WARP_SZ; st.global.u32 [%rd1], %r1; ret; }").k[(1,), (64,)](out)
    assert out.to_host()[0] == 64
    with pytest.raises(archdef.ArchdefError, match="feature atomics_float_add, which fiji does not have"):
        device.compile(head + "mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1], %f1; ret; }").k[(1,), (64,)](out)
