"""Does MXMACA's device side, from headers of ours, do what waves of any width do?"""
import re
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import LaunchError
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif("c500" not in registry.names(), reason="archdef-xiyun is not installed")]

SOURCE = Path(__file__).with_name("waves.maca")
THREADS = 128
IN = np.random.default_rng(7).integers(0, 100, THREADS).astype("i4")
WIDTHS = (8, 16, 32, 64)
MACHINES = [("c500", width) for width in WIDTHS] + [(name, None) for name in ("h100", "v100") if name in registry.names()]


@pytest.fixture(scope="module", params=MACHINES, ids=lambda m: f"{m[0]}-{m[1] or 'own'}")
def device(request):
    name, width = request.param
    machine = registry.get(name)
    return archdef.Device(machine if width is None else machine.evolve({
        "warp.size": width, "limits.warps_per_multiprocessor": 128, "limits.register_file_partitions.warps_per_partition": 128}))


@pytest.fixture(scope="module")
def module(device):
    return device.compile(SOURCE)


@pytest.fixture(scope="module")
def lanes(device):
    return device.architecture.warp.size


def bits(holds):
    """Masks of the waves that `holds` (waves, lanes) makes."""
    return (holds.astype(np.uint64) << np.arange(holds.shape[1], dtype=np.uint64)).sum(1, dtype=np.uint64)


def spread(values, lanes):
    return np.repeat(values, lanes)


def launch(device, kernel, shape, dtype, *more):
    out = device.zeros(shape, dtype)
    run = kernel[1, THREADS](out, *more)
    return out.to_host(), run


def test_the_width_is_the_machines(device, module, lanes):
    assert launch(device, module.width, 3, "i4")[0].tolist() == [lanes, lanes, 1000]


def test_votes_have_a_bit_for_every_lane(device, module, lanes):
    found, run = launch(device, module.votes, (THREADS, 6), "u8", device.to_device(IN))
    waves = IN.reshape(-1, lanes)
    odd, lane = (waves & 1).astype(bool), np.arange(THREADS) % lanes
    everyone = bits(np.ones_like(odd))
    own = odd.ravel()
    assert np.array_equal(found[:, 0], spread(bits(odd), lanes))
    assert np.array_equal(found[:, 1], spread((waves > 98).any(1) * 2 + (waves < 99).all(1), lanes))
    assert np.array_equal(found[:, 2], spread(everyone, lanes))
    assert np.array_equal(found[:, 3], np.uint64(1) * (2 ** lane.astype(object) - 1).astype(np.uint64))
    assert np.array_equal(found[:, 4], spread(bits(odd & (waves > 50)), lanes) * own)
    assert np.array_equal(found[:, 5], spread(bits(odd), lanes) * own)
    assert not run.warnings


@pytest.mark.parametrize("kernel, dtype", [("shuffle_int", "i4"), ("shuffle_double", "f8"), ("shuffle_half", "f2"), ("shuffle_byte", "u1")])
def test_shuffles_cross_the_whole_wave(device, module, lanes, kernel, dtype):
    found = launch(device, module[kernel], (6, THREADS), dtype, device.to_device(IN))[0]
    value = (IN / 3.0 if dtype == "f8" else IN).astype(dtype)
    t = np.arange(THREADS)
    lane, wave = t % lanes, t // lanes * lanes
    half = lanes // 2
    segment = np.where(t % 2, 4, 8)
    sources = [wave + 5, np.where(lane < 3, t, t - 3), np.where(lane + half < lanes, t + half, t), t ^ 1,
               np.where(lane % 4 == 3, t, t + 1), wave + lane // segment * segment + t // 4 % segment]
    for row, source in zip(found, sources, strict=True):
        assert np.array_equal(row, value[source])


def test_matches_name_all_lanes_that_agree(device, module, lanes):
    if "match" not in device.architecture.isa.features:
        pytest.skip("the machine has no match")
    found = launch(device, module.matches, (THREADS, 4), "u8", device.to_device(IN))[0]
    waves = IN.reshape(-1, lanes)

    def agreeing(values):
        return np.stack([bits(values == values[:, k:k + 1]) for k in range(lanes)], 1).ravel()

    assert np.array_equal(found[:, 0], agreeing(waves % 3))
    assert np.array_equal(found[:, 1], agreeing(waves))
    assert np.array_equal(found[:, 2], spread(bits(np.ones_like(waves, bool)), lanes))
    assert np.array_equal(found[:, 3], np.full(THREADS, 1))


def test_reductions_are_over_the_members(device, module, lanes):
    found = launch(device, module.reductions, (THREADS, 4), "i4", device.to_device(IN))[0]
    waves = IN.reshape(-1, lanes)
    small = waves < 40
    assert np.array_equal(found[:, 0], spread(waves.sum(1), lanes))
    assert np.array_equal(found[:, 1], spread(waves.max(1), lanes))
    assert np.array_equal(found[:, 2], np.where(IN < 40, spread((waves * small).sum(1), lanes), -1))
    assert np.array_equal(found[:, 3], np.where(IN < 40, spread(np.where(small, waves, 100).min(1), lanes), -1))


def test_a_mask_of_32_bits_covers_half_of_a_wide_wave_and_the_run_says_where(device, module, lanes):
    line = 1 + next(n for n, text in enumerate(SOURCE.read_text().splitlines()) if "__ballot_sync(0xffffffff" in text)
    found, run = launch(device, module.half_of_the_wave, THREADS, "u8")
    assert np.array_equal(found, np.full(THREADS, 2 ** min(lanes, 32) - 1))
    if lanes <= 32:
        assert not run.warnings
        return
    assert len(run.warnings) == 2           # the ballot, the barrier
    assert re.match(rf"waves\.maca:{line}: a mask of 32 bits names lanes 0 to 31 of the 64 lanes of a wave", run.warnings[0])
    assert run.warnings[1].startswith(f"waves.maca:{line + 2}:") and "warning: waves.maca" in str(run)
    found, run = launch(device, module.computed_half, THREADS, "u8", 0xFFFF)
    assert np.array_equal(found, np.full(THREADS, 0xFFFF)) and len(run.warnings) == 1


def test_the_default_of_syncwave_is_the_whole_wave(device, module):
    out = device.zeros(THREADS, "i4")
    run = module.whole_wave[1, THREADS, 4 * THREADS](out)
    assert np.array_equal(out.to_host(), np.arange(THREADS) ^ 1) and not run.warnings


def test_vectors_atomics_bounds_and_printing(device, module, lanes):
    numbers = np.random.default_rng(3).integers(0, 100, (THREADS, 4)).astype("f4")
    total = device.zeros(1, "f4")
    found, run = launch(device, module.vectors, (THREADS, 4), "f4", device.to_device(numbers), total)
    assert np.array_equal(found, numbers[:, ::-1]) and total.to_host()[0] == numbers.sum()
    assert run.printed == f"thread 70 of 128 in wave {70 // lanes}\n"
    assert run.counters.warps == THREADS // lanes
    assert module.vectors.resources.max_threads == 256


def test_more_private_memory_than_a_thread_can_have_is_refused_at_launch():
    machine = registry.get("c500")
    module = archdef.Device(machine).compile("""#include <mc_runtime.h>
__global__ void deep(int *out, int n)
{
    int room[1500];
    for (int i = 0; i < 1500; ++i)
        room[i * n % 1500] = i;
    out[threadIdx.x] = room[threadIdx.x];
}""")
    assert module.deep.local_bytes == 6000
    with pytest.raises(LaunchError, match="cannot launch deep on c500: limits.local_bytes_per_thread is 4096, got 6000"):
        module.deep[1, 64](module.device.zeros(64, "i4"), 1)
    roomy = archdef.Device(machine.evolve({"limits.local_bytes_per_thread": 8192}))
    out = roomy.zeros(64, "i4")
    run = roomy.compile(module.compiled.ptx).deep[1, 64](out, 1)
    assert np.array_equal(out.to_host(), np.arange(64))
    assert run.memory_map.private_bytes == 104 * 64 * run.occupancy.active_warps * 6000
