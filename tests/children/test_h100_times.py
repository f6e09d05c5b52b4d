"""Do launches by kernels take as long as on an H100? The same kernels, the medians of five rounds (`tests/data/h100/first_launches.txt`)."""
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.frontends import nvrtc

DATA = Path(__file__).parents[1] / "data" / "h100"
pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC"),
              pytest.mark.skipif("h100" not in registry.names(), reason="needs the H100")]


@pytest.fixture(scope="module")
def measured():
    """Name of a line → median of its numbers in rounds 1 to 5; the first of a process touches memory for the first time."""
    rounds = (DATA / "first_launches.txt").read_text().split("round ")[2:]
    lines = [line.rsplit(":", 1) for part in rounds for line in part.splitlines()[1:]]
    return {name: float(np.median([int(n) for other, numbers in lines if other == name for n in numbers.split()])) for name, _ in lines}


@pytest.fixture(scope="module")
def played():
    """Play a kernel; give the nanoseconds that it wrote."""
    device = archdef.Device("h100")
    module = device.compile(DATA / "first_launches.cu")

    def play(kernel, grid, block, *arguments):
        times = device.zeros((8192,), "u8")
        module[kernel][grid, block](times, *arguments)
        return times.to_host().astype("i8")
    return play


CASES = {  # line of the data → kernel, grid, block, arguments, which numbers of what it wrote
    "one thread": ("one_thread", 1, 1, (8, False), lambda t: t[:8]),
    "one thread, fire and forget": ("one_thread", 1, 1, (8, True), lambda t: t[:8]),
    "four blocks at once, four each": ("each_block", 4, 1, (4,), lambda t: t[:16]),
    "four warps in turn, four each": ("warps_in_turn", 1, 128, (4,), lambda t: t[:16]),
    "four lanes in turn, four each": ("lanes_in_turn", 1, 32, (4,), lambda t: t[:16]),
    "eight lanes at once, by lane": ("lanes_at_once", 1, 32, (), lambda t: t[:10]),
    "after 100 us, four": ("quiet_before", 1, 1, (4, 100_000), lambda t: t[:4]),
    "chain by launch 0, starts": ("chain", 1, 1, (0, 12, 0, 0), lambda t: np.diff(t[:96:8])),
    "chain by launch 0, free, starts": ("chain", 1, 1, (0, 12, 0, 1), lambda t: np.diff(t[:96:8])),
    "chain by launch 1, starts": ("chain", 1, 1, (0, 12, 1, 0), lambda t: np.diff(t[:96:8])),
    "chain by launch 2, starts": ("chain", 1, 1, (0, 12, 2, 0), lambda t: np.diff(t[:96:8])),
    "chain by tail, starts": ("chain", 1, 1, (0, 12, 2, 2), lambda t: np.diff(t[:96:8])),
    "one launch each, starts": ("only", 1, 1, (0, 16), lambda t: np.diff(t[:16])),
    "one launch each after 30 us, starts": ("rare", 1, 1, (0, 12, 30_000), lambda t: np.diff(t[:12])),
    "64 blocks, one launch each, starts": ("wide", 64, 1, (0, 12), lambda t: np.diff(t[:12])),
}


@pytest.mark.parametrize("line", CASES)
def test_launches_take_as_long_as_on_an_h100(line, measured, played):
    kernel, grid, block, arguments, of = CASES[line]
    assert float(np.median(of(played(kernel, grid, block, *arguments)))) == pytest.approx(measured[line], rel=0.1)
