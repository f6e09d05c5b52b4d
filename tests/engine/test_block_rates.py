"""Do blocks start and end as far apart as declared, and does the first on a multiprocessor wait for its parameters?"""
import archdef
import numpy as np
import pytest
from archdef.spec import BlockLaunch

BEFORE = archdef.architecture("gf100")
EMPTY = 'extern "C" __global__ void empty(int* out) { if (out == nullptr) *out = 1; }'


def cycles(blocks: int, threads: int = 32, **changed) -> int:
    chip = {"chip.block_launch_cycles": changed.pop("apart", 1), "chip.block_launch": BlockLaunch(**changed)}
    device = archdef.Device(BEFORE.evolve(chip))
    return device.compile(EMPTY).empty[blocks, threads](device.zeros(1, "i4")).cycles


@pytest.mark.parametrize("which", ["apart", "end_cycles"])
@pytest.mark.parametrize("apart", [2.5, 40])
def test_every_start_and_every_end_takes_its_cycles(which, apart):
    """Only the slower of the two shows, whether there is room for all blocks or they take each other's places."""
    few, many = (cycles(blocks, **{which: apart}) for blocks in (100, 1100))
    slow = cycles(1100) - cycles(100)
    assert many - few == pytest.approx(max(1000 * apart, slow), rel=0.02)


@pytest.mark.parametrize("threads, warps", [(32, 1), (33, 2), (256, 8)])
def test_every_warp_of_a_block_delays_the_next_anywhere_on_the_chip(threads, warps):
    few, many = (cycles(blocks, threads, apart=0.5, chip_warp_cycles=30.25) for blocks in (100, 500))
    assert many - few == pytest.approx(400 * (0.5 + 30.25 * warps), rel=0.02)


def test_warps_that_delay_others_are_in_the_bounds():
    device = archdef.Device(BEFORE.evolve({"chip.block_launch_cycles": 1, "chip.block_launch.chip_warp_cycles": 30}))
    bounds = device.compile(EMPTY).empty[500, 256](device.zeros(1, "i4")).bounds
    assert bounds.binding.name == "dispatch" and bounds.binding.cycles == 499 * 241
    assert bounds.upper.cycles > 500 * 241


def test_ends_of_blocks_that_end_apart_cost_nothing():
    """Each is noted before the next one comes."""
    assert cycles(50, apart=20, end_cycles=15) == cycles(50, apart=20) + 15


@pytest.mark.parametrize("blocks", [1, 1000])
def test_only_the_first_block_of_a_multiprocessor_waits(blocks):
    assert cycles(blocks, first_cycles=5000) - cycles(blocks) == pytest.approx(5000, rel=0.03)


def test_a_second_launch_waits_again():
    device = archdef.Device(BEFORE.evolve({"chip.block_launch.first_cycles": 5000}))
    empty, out = device.compile(EMPTY).empty, device.zeros(1, "i4")
    assert np.diff([empty[1, 32](out).cycles for _ in range(2)]) == [0]
