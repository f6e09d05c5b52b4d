"""Do MXMACA's grids of several devices know each other, and is_valid() say which groups there are?"""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import RuntimeApiError
from archdef.frontends import nvrtc
from archdef.runtime import maca

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif("c500" not in registry.names(), reason="archdef-xiyun is not installed")]
SOURCE = """
#include <maca_cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void ranks(unsigned *what)
{
    cg::multi_grid_group group = cg::this_multi_grid();
    unsigned *mine = what + 5 * (blockIdx.x * blockDim.x + threadIdx.x);
    mine[0] = group.is_valid(); mine[1] = group.grid_rank(); mine[2] = group.num_grids(); mine[3] = group.thread_rank(); mine[4] = group.size();
    group.sync();
}
__global__ void alone(unsigned *what) { what[0] = cg::this_multi_grid().is_valid(); }
__global__ void waits(unsigned *what) { cg::this_multi_grid().sync(); }
__global__ void valid(unsigned *what)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group plain = block;
    what[0] = block.is_valid(); what[1] = plain.is_valid(); what[2] = cg::tiled_partition<16>(block).is_valid();
    what[3] = cg::tiled_partition(block, 32).is_valid(); what[4] = cg::coalesced_threads().is_valid(); what[5] = cg::this_grid().is_valid();
}
"""
GRID, BLOCK = 2, 128


@pytest.fixture(autouse=True)
def devices_are_forgotten():
    yield
    maca.use()


def test_grids_of_several_devices_know_their_ranks_and_wait_for_each_other():
    devices = maca.use("c500", "c500", "c500")
    module = devices[0].compile(SOURCE, compiler="maca")
    launches, memory = [], []
    for number in range(3):
        maca.mcSetDevice(number)
        memory.append(maca.mcMalloc(4 * 5 * GRID * BLOCK))
        launches.append((module.ranks, GRID, BLOCK, [memory[-1]], 0, maca.mcStreamCreate()))
    maca.mcLaunchCooperativeKernelMultiDevice(launches, 0)
    for rank, pointer in enumerate(memory):
        found = np.zeros((GRID * BLOCK, 5), "u4")
        maca.mcSetDevice(rank)
        maca.mcDeviceSynchronize()
        maca.mcMemcpy(found.reshape(-1), pointer)
        thread = np.arange(GRID * BLOCK)
        assert (found == np.stack([0 * thread + 1, 0 * thread + rank, 0 * thread + 3, thread + rank * GRID * BLOCK,
                                   0 * thread + 3 * GRID * BLOCK], 1)).all()


def test_after_other_launches_there_is_none():
    device, = maca.use("c500")
    module, out = device.compile(SOURCE, compiler="maca"), device.to_device(np.full(8, 9, np.uint32))
    module.alone[1, 64](out)
    assert out.to_host()[0] == 0
    with pytest.raises(RuntimeApiError, match="mcErrorLaunchFailure"):
        maca.mcLaunchKernel(module.waits, 1, 64, [out])
        maca.mcDeviceSynchronize()


@pytest.mark.parametrize("cooperative", [False, True])
def test_groups_of_a_block_are_valid_and_a_grid_after_a_cooperative_launch(cooperative):
    device = archdef.Device("c500")
    out = device.to_device(np.full(8, 9, np.uint32))
    device.compile(SOURCE, compiler="maca").valid[1, 64].launch(out, cooperative=cooperative)
    assert out.to_host()[:6].tolist() == [1, 1, 1, 1, 1, int(cooperative)]
