"""Do blocks start and end as far apart as declared, and does the first on a multiprocessor wait for its parameters?"""
import archdef
import numpy as np
import pytest
from archdef.spec import BlockLaunch

BEFORE = archdef.architecture("gf100")
EMPTY = 'extern "C" __global__ void empty(int* out) { if (out == nullptr) *out = 1; }'


def cycles(blocks: int, **changed) -> int:
    chip = {"chip.block_launch_cycles": changed.pop("apart", 1), "chip.block_launch": BlockLaunch(**changed)}
    device = archdef.Device(BEFORE.evolve(chip))
    return device.compile(EMPTY).empty[blocks, 32](device.zeros(1, "i4")).cycles


@pytest.mark.parametrize("which", ["apart", "end_cycles"])
@pytest.mark.parametrize("apart", [2.5, 40])
def test_every_start_and_every_end_takes_its_cycles(which, apart):
    """Only the slower of the two shows, whether there is room for all blocks or they take each other's places."""
    few, many = (cycles(blocks, **{which: apart}) for blocks in (100, 1100))
    slow = cycles(1100) - cycles(100)
    assert many - few == pytest.approx(max(1000 * apart, slow), rel=0.02)


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
