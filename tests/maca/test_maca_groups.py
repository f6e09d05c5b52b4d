"""Do MXMACA's cooperative groups work on waves of every width, and refuse tiles that are wider than a wave?"""
from pathlib import Path

import numpy as np
import pytest
from test_maca_waves import IN as WAVE
from test_maca_waves import MACHINES

import archdef
from archdef import registry
from archdef.errors import GuestFault, LaunchError, PtxError
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif("c500" not in registry.names(), reason="archdef-xiyun is not installed")]

BLOCKS, THREADS = 3, 128
IN = np.concatenate([WAVE, WAVE[::-1], (WAVE * 7) % 100]).astype("i4")
ALL = np.arange(BLOCKS * THREADS)


@pytest.fixture(scope="module", params=MACHINES, ids=lambda m: f"{m[0]}-{m[1] or 'own'}")
def device(request):
    name, width = request.param
    machine = registry.get(name)
    return archdef.Device(machine if width is None else machine.evolve({
        "warp.size": width, "limits.warps_per_multiprocessor": 128, "limits.register_file_partitions.warps_per_partition": 128}))


@pytest.fixture(scope="module")
def module(device):
    return device.compile(Path(__file__).with_name("groups.maca"))


def result(device, kernel, shape, dtype, *more):
    out = device.zeros(shape, dtype)
    kernel[BLOCKS, THREADS](out, *more)
    return out.to_host()


def bits(holds):
    return (holds.astype(np.uint64) << np.arange(holds.shape[-1], dtype=np.uint64)).sum(-1, dtype=np.uint64).astype("i8")


def test_a_block_knows_its_threads(device, module):
    rank = ALL % THREADS
    expected = np.stack([np.full(IN.size, THREADS), rank, ALL // THREADS, rank, np.full(IN.size, THREADS + 1)], 1)
    assert np.array_equal(result(device, module.block, (IN.size, 5), "u4"), expected)
    assert np.array_equal(result(device, module.block_sum, BLOCKS, "i4", device.to_device(IN)), IN.reshape(BLOCKS, -1).sum(1))


def test_tiles_of_a_size_known_at_run_time(device, module):
    for size in (2, 8, device.architecture.warp.size):
        found = result(device, module.dynamic_tile_sum, IN.size // size, "i4", device.to_device(IN), size)
        assert np.array_equal(found, IN.reshape(-1, size).sum(1))
    assert np.array_equal(result(device, module.tile_of_a_tile, IN.size, "i4"), 400 + ALL % 4)


@pytest.mark.parametrize("size", [3, 2 * 64])
def test_a_size_that_is_no_tile_traps(device, module, size):
    with pytest.raises(GuestFault, match="trap"):
        module.dynamic_tile_sum[1, THREADS](device.zeros(THREADS, "i4"), device.to_device(IN), size)


@pytest.mark.parametrize("size", [4, 16, 32, 64])
def test_a_static_tile_does_all_that_lanes_can(device, module, size):
    kernel, data = module[f"tile{size}"], device.to_device(IN)
    if size > device.architecture.warp.size:
        with pytest.raises(PtxError, match=rf"from groups\.maca:\d+\): a tile of {size} lanes does not fit"):
            kernel[BLOCKS, THREADS](device.zeros((IN.size, 16), "i8"), data)
        return
    found = result(device, kernel, (IN.size, 16), "i8", data)
    t, rank = IN.reshape(-1, size).astype("i8"), ALL % size
    tile = ALL - rank

    def each(values):
        return np.repeat(values, size)

    expected = [size * 1000 + rank, each((t > 90).any(1)), each((t > 5).all(1)), each(bits(t & 1)), IN[tile + size - 1],
                IN[np.where(rank == 0, ALL, ALL - 1)], IN[np.where(rank == size - 1, ALL, (ALL + 1) % IN.size)], IN[tile + (rank ^ size // 2)],
                np.stack([bits(t % 4 == t[:, k:k + 1] % 4) for k in range(size)], 1).ravel(), each(bits(np.ones_like(t))), np.ones(IN.size),
                each(t.sum(1)), each(t.max(1)), t.cumsum(1).ravel(), (t.cumsum(1) - t).ravel(),
                ALL % THREADS // size * 1000 + THREADS // size]
    for number, (column, values) in enumerate(zip(found.T, expected, strict=True)):
        assert np.array_equal(column, values), number


def test_lanes_that_come_together_are_a_group(device, module):
    found, lanes = result(device, module.coalesced, (IN.size, 9), "i8", device.to_device(IN)), device.architecture.warp.size
    expected = np.full((IN.size, 9), -1)
    for wave in ALL.reshape(-1, lanes):
        members = wave[IN[wave] % 3 == 0]
        v, n = IN[members].astype("i8"), len(members)
        if n:
            rank = np.arange(n)
            expected[members] = np.stack([np.full(n, n), rank, np.full(n, v[1 % n]), v[np.maximum(rank - 1, 0)], v[np.minimum(rank + 1, n - 1)],
                                          np.full(n, bits(v & 1)), np.full(n, v.sum()), v.cumsum(), v.cumsum() - v], 1)
    assert np.array_equal(found, expected)


def test_a_group_counts_with_one_atomic(device, module):
    counter = device.zeros(1, "i4")
    run = module.count[BLOCKS, THREADS](counter, device.to_device(IN))
    waves = (IN > 50).reshape(-1, device.architecture.warp.size)
    assert counter.to_host()[0] == (IN > 50).sum()
    assert run.counters.atomic_operations == waves.any(1).sum()


def test_partitions_by_label_and_by_truth(device, module):
    if "match" not in device.architecture.isa.features:
        pytest.skip("the machine has no match")
    found, lanes = result(device, module.partitions, (IN.size, 2), "i4", device.to_device(IN)), device.architecture.warp.size
    t = IN.reshape(-1, lanes)
    labels = np.stack([(t * (t % 3 == t[:, k:k + 1] % 3)).sum(1) for k in range(lanes)], 1).ravel()
    sides = np.stack([np.where((t > 50) == (t[:, k:k + 1] > 50), t, -1).max(1) for k in range(lanes)], 1).ravel()
    assert np.array_equal(found, np.stack([labels, sides], 1))


def test_a_grid_waits_for_all_its_blocks(device, module):
    out, room = device.zeros(IN.size, "i4"), device.zeros(IN.size, "i4")
    module.grid[BLOCKS, THREADS].cooperative(out, room)
    assert np.array_equal(out.to_host(), ALL[::-1] + BLOCKS)
    with pytest.raises(GuestFault, match="trap"):
        module.grid[BLOCKS, THREADS](out, room)
    blocks = device.architecture.chip.multiprocessors * device.architecture.limits.blocks_per_multiprocessor + 1
    with pytest.raises(LaunchError, match="all blocks must be resident at once"):
        module.grid[blocks, THREADS].cooperative(out, room)
