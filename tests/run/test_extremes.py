"""Extreme but legal declarations still finish, with the right answer."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SOURCE = """
extern "C" __global__ void reverse(int *out, const int *in, int stride)
{
    __shared__ int part[64];
    int block = blockIdx.x * 64;
    part[threadIdx.x] = in[(block + threadIdx.x) * stride];
    __syncthreads();
    out[(block + threadIdx.x) * stride] = part[63 - threadIdx.x];
}"""

EXTREMES = {
    "one multiprocessor": {"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1},
    "one bank": {"shared.banks": 1},
    "no caches": {"caches.l1": None, "caches.constant": None, "caches.l2": None},
    "one partition": {"dram.partitions": 1},
    "seven partitions": {"dram.partitions": 7},
    "one read in flight": {"load_store.reads_in_flight_per_multiprocessor": 1},
    "one store in flight": {"load_store.stores_in_flight_per_multiprocessor": 1},
    "one queue entry": {"dram.queue_entries": 1, "dram.scheduling.window": 1, "dram.write_drain_high": 1,
                        "dram.write_drain_low": 0},
    "one DRAM bank": {"dram.banks": 1},
    "instant responses": {"interconnect.response_latency_ns": 2.0, "interconnect.request_latency_ns": 0.001},
    "slow responses": {"interconnect.response_latency_ns": 1e6, "interconnect.request_latency_ns": 1e6},
    "no turnover": {"chip.block_turnover_cycles": 0, "chip.block_launch_cycles": 0},
    "slow turnover": {"chip.block_turnover_cycles": 10**7},
    "one block resident": {"limits.blocks_per_multiprocessor": 1},
    "narrow ports": {"interconnect.injection_bytes_per_cycle": 1, "interconnect.partition_request_bytes_per_cycle": 1,
                     "interconnect.partition_response_bytes_per_cycle": 1, "interconnect.cluster_response_bytes_per_cycle": 1},
    "greedy": {"schedulers.policy": "gto"}, "oldest": {"schedulers.policy": "oldest"},
    "two level": {"schedulers.policy": "two_level"}, "weighted": {"schedulers.policy": "weighted"},
    "hashed partitions": {"dram.partition_map": "xor_hash"},
}


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("stride", [1, 17])
def test_an_extreme_machine_finishes_with_the_right_answer(name, extreme, stride):
    device = archdef.Device(registry.get(name).evolve(EXTREMES[extreme]))
    numbers = np.arange(64 * 20 * stride, dtype="i4")
    out = device.zeros(numbers.shape, "i4")
    run = device.compile(SOURCE).reverse[20, 64](out, device.to_device(numbers), stride)
    expected = np.zeros_like(numbers)
    expected[::stride] = numbers[::stride].reshape(20, 64)[:, ::-1].reshape(-1)
    assert (out.to_host() == expected).all()
    assert sum(run.counters.stalls.values()) == run.counters.multiprocessor["warp_cycles"].sum()
