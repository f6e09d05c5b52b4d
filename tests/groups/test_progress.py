"""Do lanes that wait for each other make progress where the machine says so, and are they together again where an H100's are?"""
import json
from pathlib import Path

import attrs
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import GuestFault
from archdef.frontends import nvrtc
from archdef.spec import ConvergenceBarriers, IpdomStack

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = Path(__file__).with_name("progress.cu")
MEASURED = json.loads((Path(__file__).parents[1] / "data/h100/progress.json").read_text())
MEASURED.pop("source")
MEMORY = np.where(np.arange(2048) < 512, 0, (np.arange(-512, 1536) * 7 + 3) % 11).astype("i4")
WAITING = {"critical", "spin", "flag1", "flag2", "after", "syncwarp", "shfl", "ballot"}
"""Kernels in which lanes wait for lanes that went another way."""


def run(device, kernel, **limits):
    memory, together = device.to_device(MEMORY), device.zeros(32, "u4")
    device.compile(SOURCE, target="compute_80")[kernel][1, 32].launch(memory, together, 40, **limits)
    return memory.to_host(), together.to_host()


@pytest.fixture(scope="module", params=[n for n in registry.names() if registry.get(n).warp.reconvergence.independent])
def device(request):
    return archdef.Device(request.param)


@pytest.mark.parametrize("kernel", MEASURED)
def test_lanes_end_with_the_memory_and_the_company_that_they_have_on_an_h100(device, kernel):
    memory, together = run(device, kernel)
    expected = np.zeros(400, "i4")
    for place, value in MEASURED[kernel]["memory"].items():
        expected[int(place)] = value
    assert np.array_equal(memory[:400], expected)
    assert [f"{mask:08x}" for mask in together] == MEASURED[kernel]["masks"]


@pytest.mark.parametrize("kernel", sorted(MEASURED.keys() - WAITING))
def test_a_stack_gives_the_same_memory_unless_lanes_wait_for_each_other(device, kernel):
    stacked = archdef.Device(device.architecture.evolve({"warp.reconvergence": IpdomStack()}))
    memory, _ = run(stacked, kernel)
    reference, _ = run(device, kernel)
    assert np.array_equal(np.sort(memory[:400]), np.sort(reference[:400]))


def test_a_stack_turns_for_ever_where_a_lane_waits_for_one_behind_it(device):
    stacked = archdef.Device(device.architecture.evolve({"warp.reconvergence": IpdomStack()}))
    with pytest.raises(GuestFault, match="lanes wait for others of their own warp") as caught:
        run(stacked, "spin")
    assert caught.value.data["branch"].text.startswith("@%p1 bra")


BARRIERS = """
__global__ void halves(int *out)
{
    __shared__ int room[128];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        room[t] = t;
        __syncthreads();
        out[t] = room[t + 16];
    } else {
        room[t] = 100 + t;
        __syncthreads();
        out[t] = room[t - 16];
    }
    if (t % 3 == 0)
        return;
    __syncthreads();
    out[t] += __syncthreads_count(t % 2);
}
__global__ void never(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void ends_without(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp();
    out[threadIdx.x] = 1;
}
"""


def test_lanes_come_to_a_barrier_one_after_the_other(device):
    """Hardware promises it from compute capability 7.0 on: each thread counts for itself."""
    out = device.zeros(128, "i4")
    device.compile(BARRIERS).halves[1, 128](out)
    t = np.arange(128)
    left = t % 3 != 0
    expected = np.where(t % 32 < 16, 116 + t, t - 16) + left * (left & (t % 2 == 1)).sum()
    assert np.array_equal(out.to_host(), expected)


def test_lanes_that_wait_for_lanes_which_never_come_are_a_deadlock(device):
    with pytest.raises(GuestFault, match="no warp can go on"):
        device.compile(BARRIERS, target="compute_80").never[1, 32](device.zeros(32, "i4"))


def test_lanes_that_are_named_and_have_gone_on_to_the_end_are_not_waited_for(device):
    out = device.zeros(32, "i4")
    device.compile(BARRIERS, target="compute_80").ends_without[1, 32](out)
    assert (out.to_host() == 1).all()


def test_policies_have_names(device):
    assert device.architecture.warp.reconvergence == ConvergenceBarriers()
    by_name = device.architecture.evolve({"warp.reconvergence": "ipdom"})
    assert attrs.evolve(by_name.warp).reconvergence == IpdomStack()


ENDS_APART = """.version 7.0
.target sm_70
.address_size 64
.visible .entry ends_apart(.param .u64 out) {
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %d<3>;
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 4;
    add.s64 %d1, %d0, %d1;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p, %r1, 0;
    @%p bra EVEN;
    barrier.sync 0;
    st.global.u32 [%d1], 1;
    ret;
EVEN:
    barrier.sync 0;
    st.global.u32 [%d1], 2;
    ret;
}
"""


def test_lanes_that_end_elsewhere_wait_at_a_barrier_for_the_others(device):
    out = device.zeros(64, "u4")
    device.compile(ENDS_APART).ends_apart[1, 64](out)
    assert np.array_equal(out.to_host(), 2 - np.arange(64) % 2)
