"""The engine keeps resident exactly what the occupancy rule allows, whatever limits it."""
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import archdef
from archdef import registry
from archdef.errors import LaunchError
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SOURCE = """
extern "C" __global__ void linger(float *out)      // lives long enough for its neighbours to arrive
{
    float x = threadIdx.x;
    for (int i = 0; i < 400; ++i) x = x * 0.5f + 1.0f;
    out[threadIdx.x] = x;
}

extern "C" __global__ void hoard(float *out)       // the same with many values alive
{
    float x[24];
    for (int k = 0; k < 24; ++k) x[k] = threadIdx.x + k;
    for (int i = 0; i < 40; ++i)
        for (int k = 0; k < 24; ++k) x[k] = x[k] * 0.5f + x[(k + 7) % 24];
    float sum = 0;
    for (int k = 0; k < 24; ++k) sum += x[k];
    out[threadIdx.x] = sum;
}
"""


@pytest.fixture(scope="module", params=registry.names())
def module(request):
    # one multiprocessor, and blocks launched back to back, so that all places are taken before the first block ends
    architecture = registry.get(request.param).evolve({"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1,
                                                       "chip.block_launch_cycles": 1})
    return archdef.Device(architecture).compile(SOURCE)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kernel=st.sampled_from(["linger", "hoard"]), threads=st.integers(1, 512), shared=st.sampled_from([0, 100, 3072, 9000]))
def test_resident_blocks_equal_the_occupancy_rule(module, kernel, threads, shared):
    out = module.device.zeros(512)
    try:
        run = module[kernel][40, threads, shared](out)
    except LaunchError as refused:
        assert "registers" in str(refused)      # a block that the register file cannot hold is refused, not shrunk
        return
    assert run.counters.max_resident_blocks == run.occupancy.active_blocks
    assert run.counters.multiprocessor["blocks"].sum() == 40
