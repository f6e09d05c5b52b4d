"""Do CUDA's cooperative groups work, from its own header, on every machine that declares what they are made of?"""
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import CompileError, GuestFault, LaunchError, PtxError
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = Path(__file__).with_name("cooperative_groups.cu")
BLOCKS, THREADS = 4, 256
IN = np.random.default_rng(4).integers(0, 100, BLOCKS * THREADS).astype("i4")
LANES = np.arange(32)


def tiles(size, data=IN):
    return data.reshape(-1, size)


def spread(values, size):
    """One value a tile, for each of its lanes."""
    return np.repeat(values, size)


def ballot(holds):
    return (holds.astype("i8") << np.arange(holds.shape[1])).sum(1)


def expected_block():
    rank = np.tile(np.arange(THREADS), BLOCKS)
    return np.stack([np.full(IN.size, THREADS), rank, np.repeat(np.arange(BLOCKS), THREADS), rank], 1)


def expected_exchange():
    t = tiles(16)
    lane = np.arange(16)
    return np.stack([spread((t > 90).any(1), 16), spread((t > 5).all(1), 16), spread(ballot(t % 2), 16), spread(t[:, 5], 16),
                     t[:, np.where(lane < 2, lane, lane - 2)].ravel(), t[:, lane ^ 3].ravel()], 1)


def expected_scans():
    t = tiles(32)
    return np.stack([spread(t.sum(1), 32), t.cumsum(1).ravel(), (t.cumsum(1) - t).ravel()], 1)


def expected_matches():
    t = tiles(16) % 4
    return np.stack([np.stack([ballot(t == t[:, k:k + 1]) for k in range(16)], 1).ravel(), np.full(IN.size, 0xFFFF),
                     np.ones(IN.size)], 1)


def expected_labels():
    t = tiles(32)
    return np.stack([np.stack([(t * (t % 3 == t[:, k:k + 1] % 3)).sum(1) for k in LANES], 1).ravel(),
                     np.stack([np.where((t > 50) == (t[:, k:k + 1] > 50), t, -1).max(1) for k in LANES], 1).ravel()], 1)


SHUFFLE = ("vote_ballot", "shuffle")
KERNELS = {  # kernel → features that it is made of, what it gives
    "block": ((), expected_block()),
    "block_sum": ((), IN.reshape(BLOCKS, -1).sum(1)),
    "tile_sum": (("vote_ballot",), tiles(16).sum(1)),
    "static_tile_sum": (SHUFFLE, tiles(8).sum(1)),
    "exchange": (SHUFFLE, expected_exchange()),
    "scans": (SHUFFLE, expected_scans()),
    "fetch": ((), IN.reshape(BLOCKS, -1)[:, ::-1]),
    "matches": ((*SHUFFLE, "match"), expected_matches()),
    "labels": ((*SHUFFLE, "match"), expected_labels()),
}
VALID = """#include <cooperative_groups.h>
namespace cg = cooperative_groups; __global__ void k(int *o) { o[0] = GROUP.is_valid(); }"""
MACHINES = [name for name in registry.names() if registry.get(name).warp.size == 32]
"""The header counts on warps of 32 lanes."""


@pytest.fixture(scope="module", params=MACHINES)
def device(request):
    return archdef.Device(request.param)


@pytest.fixture(scope="module")
def module(device):
    return device.compile(SOURCE)


def missing(device, features):
    return [name for name in features if name not in device.architecture.isa.features]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_group_gives_what_it_promises_or_names_the_feature_that_lacks(device, module, kernel):
    features, expected = KERNELS[kernel]
    lacking = missing(device, features)
    if kernel not in dir(module):
        assert lacking, "the header leaves groups out only for targets that cannot have them"
        return
    out = device.zeros(expected.shape, "i4")
    if lacking:
        with pytest.raises(PtxError, match="|".join(lacking)):
            getattr(module, kernel)[BLOCKS, THREADS](out, device.to_device(IN))
        return
    given = (out,) if kernel == "block" else (out, device.to_device(IN))
    getattr(module, kernel)[BLOCKS, THREADS](*given)
    assert np.array_equal(out.to_host(), expected)


def test_lanes_that_come_together_make_one_atomic_operation(device, module):
    if missing(device, SHUFFLE):
        pytest.skip("needs votes and shuffles")
    count, out = device.zeros(1, "i4"), device.zeros(IN.size, "i4")
    run = module.aggregated[BLOCKS, THREADS](count, out, device.to_device(IN))
    odd = IN[IN % 2 == 1]
    assert count.to_host()[0] == odd.size
    assert np.array_equal(np.sort(out.to_host()[:odd.size]), np.sort(odd))
    assert run.counters.atomics == (tiles(32) % 2).any(1).sum()


class TestGrid:
    @pytest.fixture(autouse=True)
    def cooperative(self, device):
        if missing(device, ("cooperative_launch",)):
            pytest.skip("no cooperative launches")

    def arguments(self, device, blocks):
        return device.zeros(2, "i4"), device.zeros(blocks * THREADS, "i4"), device.to_device(IN), IN.size

    def test_a_cooperative_grid_waits_for_all_its_blocks(self, device, module):
        out, *rest = self.arguments(device, BLOCKS)
        module.grid_sum[BLOCKS, THREADS].cooperative(out, *rest)
        assert out.to_host().tolist() == [IN.sum(), 1]

    def test_the_largest_cooperative_grid_fills_the_machine_and_one_block_more_is_refused(self, device, module):
        fits = archdef.occupancy(device.architecture, threads=THREADS, registers=module.grid_sum.registers).active_blocks
        most = 1 << (fits * device.architecture.chip.multiprocessors).bit_length() - 1    # the kernel halves its grid
        out, *rest = self.arguments(device, most)
        module.grid_sum[most, THREADS].cooperative(out, *rest)
        assert out.to_host()[0] == IN.sum()
        blocks = fits * device.architecture.chip.multiprocessors + 1
        with pytest.raises(LaunchError, match=rf"all blocks must be resident at once, at most {blocks - 1} .*, got {blocks}"):
            module.grid_sum[blocks, THREADS].cooperative(*self.arguments(device, 1))

    def test_an_ordinary_launch_that_waits_for_its_grid_is_told_what_it_lacks(self, device, module):
        with pytest.raises(GuestFault, match="only a cooperative launch has"):
            module.grid_sum[BLOCKS, THREADS](*self.arguments(device, BLOCKS))


def test_a_machine_without_cooperative_launches_refuses_them(device, module):
    if not missing(device, ("cooperative_launch",)):
        pytest.skip("has cooperative launches")
    with pytest.raises(LaunchError, match="does not declare the feature cooperative_launch"):
        module.block[BLOCKS, THREADS].cooperative(device.zeros((BLOCKS * THREADS, 4), "i4"))


def test_grids_say_whether_they_are_valid_and_other_groups_have_no_such_member():
    """CUDA's headers, unlike some texts, have `is_valid` for grids alone; MXMACA's have it for all (tests/maca/test_maca_multi_grid.py)."""
    for device in (archdef.Device(name) for name in MACHINES if "cooperative_launch" in registry.get(name).isa.features):
        out = device.to_device(np.full(1, -1, "i4"))
        kernel = device.compile(VALID.replace("GROUP", "cg::this_grid()")).k[1, 32]
        kernel(out)
        assert out.to_host()[0] == 0
        kernel.cooperative(out)
        assert out.to_host()[0] == 1
    block = "cg::this_thread_block()"
    for group in (block, f"cg::tiled_partition<8>({block})", f"cg::tiled_partition({block}, 8)", "cg::coalesced_threads()"):
        with pytest.raises(CompileError, match="has no member \"is_valid\""):
            archdef.Device(MACHINES[0]).compile(VALID.replace("GROUP", group))
