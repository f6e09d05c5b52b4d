"""Do launches hold a warp of a Tesla K20c as long as is said of the card: 20,000 cycles and 1,700 for each thread (GPGPU-Sim, ``-cdp_latency``)?"""
import pytest

import archdef
from archdef import registry
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC"),
              pytest.mark.skipif("k20" not in registry.names(), reason="needs the K20")]
SOURCE = """
__global__ void child() {}

extern "C" __global__ void parent(int launching, long long *took)
{
    long long began = clock64();
    if (threadIdx.x < launching)
        child<<<1, 1>>>();
    took[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - began;
}
"""


@pytest.mark.parametrize("launching", [1, 8, 32])
def test_a_warp_is_held_for_its_call_and_for_every_thread_of_it_that_launches(launching):
    device = archdef.Device("k20")
    took = device.zeros(32, "i8")
    run = device.compile(SOURCE).parent[1, 32](launching, took)
    assert len(run.launches) == launching
    assert took.to_host()[0] == pytest.approx(20_000 + 1_700 * launching, abs=400)


def test_warps_of_several_multiprocessors_do_not_wait_for_each_other():
    device = archdef.Device("k20")
    took = device.zeros(13 * 32, "i8")
    device.compile(SOURCE).parent[13, 32](32, took)
    assert took.to_host().max() == pytest.approx(20_000 + 1_700 * 32, abs=400)
