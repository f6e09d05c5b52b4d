"""m1 passes the conformance suite and is what its documents say."""
import archdef
import pytest
from archdef.testing import Conformance
from archdef_m1 import M1


class TestM1(Conformance):
    """Every check of archdef, on this architecture."""

    architecture = "m1"


def test_the_declaration_is_found_by_its_name():
    assert archdef.architecture("m1") == M1 == archdef.architecture("apple_m1")


def test_the_totals_are_the_published_ones():
    assert M1.dram_bandwidth_gb_s == pytest.approx(68.3, rel=1e-3)
    assert M1.chip.multiprocessors * M1.limits.threads_per_multiprocessor == 24576
    lanes = M1.chip.multiprocessors * M1.schedulers.count * M1.unit("alu").lanes
    assert 2 * lanes * M1.clocks.shader_mhz / 1e6 == pytest.approx(2.617, rel=1e-3)     # teraflops
    assert M1.l2_bytes == 768 << 10


@pytest.mark.parametrize("registers, threads", [(52, 1024), (32, 1664), (16, 3072)])
def test_registers_limit_the_threads_of_a_core(registers, threads):
    assert 32 * archdef.occupancy(M1, threads=128, registers=registers).active_warps == threads


def test_double_precision_is_refused_by_name():
    text = """.version 6.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 out) { .reg .f64 %d<2>; .reg .b64 %r<2>; ld.param.u64 %r1, [out]; ld.global.f64 %d1, [%r1];
add.f64 %d1, %d1, %d1; st.global.f64 [%r1], %d1; ret; }"""
    with pytest.raises(archdef.ArchdefError, match="needs the feature fp64, which m1 does not have"):
        archdef.Device(M1).compile(text).k[1, 1](0)
