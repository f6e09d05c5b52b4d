"""The H100 is what was measured on it."""
import numpy as np
import pytest
from archdef.testing import Conformance
from archdef_hopper import H100


class TestH100(Conformance):
    architecture = H100


def test_kernels_take_the_parameters_that_cuda_12_1_allows():
    assert H100.limits.parameter_bytes == 32_764


def test_peak_rates_are_the_published_ones():
    def gflops(operation):
        cost = H100.isa.operations[operation]
        return 2 * 32 / H100.interval_cycles(cost) * H100.schedulers.count * 132 * H100.clocks.shader_mhz / 1000

    assert H100.dram_bandwidth_gb_s == pytest.approx(3352.3, rel=1e-4)
    assert gflops("fp32_fma") == pytest.approx(66908, rel=1e-3) and gflops("fp64_fma") == pytest.approx(33454, rel=1e-3)


def test_the_l2_is_50_mebibytes_over_80_channels():
    assert H100.l2_bytes == 50 * 2**20 and H100.dram.partitions == 80


def test_unloaded_latencies_are_the_measured_ones():
    net, clock = H100.interconnect, H100.clocks.shader_mhz / 1000
    load = H100.isa.operations["load_global"].latency_cycles
    l2 = load + (net.request_latency_ns + net.response_latency_ns + net.distances.partition_ns / 2) * clock + H100.caches.l2.latency_cycles + 2
    l2 += sum(net.distances.hop_cycles) / len(net.distances.hop_cycles)
    assert load + H100.caches.l1.latency_cycles == 32
    assert l2 == pytest.approx(284, abs=2)
    # where most loads from the near half lie in refresh.csv; those that wait for a refresh take longer
    assert l2 + (H100.dram.t_rcd_ns + H100.dram.t_cl_ns + H100.dram.extra_latency_ns) * clock == pytest.approx(575, abs=10)
    assert H100.isa.operations["load_shared"].latency_cycles + H100.shared.latency_cycles == 23


@pytest.mark.parametrize("stride, sectors", [(1, 4), (2, 8), (4, 16), (8, 32), (32, 32)])
def test_sectors_per_request_are_those_that_were_counted(stride, sectors):
    addresses = np.arange(32, dtype=np.int64) * 4 * stride  # bytes
    assert len(H100.coalescing.load.transactions(addresses, 4)) == len(H100.coalescing.store.transactions(addresses, 4)) == sectors


@pytest.mark.parametrize("stride, passes", [(0, 1), (1, 1), (2, 2), (32, 32), (33, 1)])
def test_word_stride_sets_shared_memory_passes(stride, passes):
    assert H100.shared.passes(np.arange(32) * 4 * stride) == passes


def test_it_has_every_feature_but_wide_lane_masks_and_read_only_loads_of_their_own():
    assert {"match", "shuffle", "atomics_double_add", "funnel_shift", "int_dot", "globaltimer"} <= set(H100.isa.features)
    assert not {"lane_masks_64", "read_only_loads"} & set(H100.isa.features)
