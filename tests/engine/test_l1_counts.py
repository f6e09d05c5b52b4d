"""Are sectors that loads find in L1 counted as hits, and those that they do not as misses, on every machine?"""
import pytest

import archdef
from archdef import registry
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = """
extern "C" __global__ void twice(const int *in, int *out)
{
    int zero = in[threadIdx.x];
    out[threadIdx.x] = in[threadIdx.x + zero];      // the same words, once the first have come
}
"""


@pytest.mark.parametrize("name", registry.names())
def test_words_that_come_a_second_time_are_hits(name):
    device = archdef.Device(name)
    caches = device.architecture.caches
    run = device.compile(SOURCE).twice[1, 32](device.zeros(64, "i4"), device.zeros(64, "i4"))
    counted = run.counters.l1_hits, run.counters.l1_misses
    if caches.l1 is None or not caches.l1.enabled:
        assert counted == (0, 0)
        assert run.metrics["l1_hit_rate"] is None
    elif caches.l1_global_loads:
        sectors = 128 // caches.l1.sector_bytes
        assert counted == (sectors, sectors)
        assert run.metrics["l1_hit_rate"] == 50
    else:
        assert counted[0] == 0
