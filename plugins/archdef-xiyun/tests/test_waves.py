"""Waves of the C500 have 64 lanes, the last one of a block what is left."""
import numpy as np
import pytest
from archdef_xiyun import C500

import archdef
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = """extern "C" __global__ void lanes(int *wave, int *lane)
{
    int id;
    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    wave[threadIdx.x] = threadIdx.x / warpSize;
    lane[threadIdx.x] = id;
}"""


def test_200_threads_make_waves_of_64_64_64_and_8():
    device = archdef.Device(C500)
    wave, lane = device.zeros(200, "i4"), device.zeros(200, "i4")
    run = device.compile(SOURCE).lanes[1, 200](wave, lane)
    assert np.bincount(wave.to_host()).tolist() == [64, 64, 64, 8]
    assert (lane.to_host() == np.arange(200) % 64).all()
    assert (run.counters.warps, run.counters.lanes_launched, run.counters.threads) == (4, 256, 200)
