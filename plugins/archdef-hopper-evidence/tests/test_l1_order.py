"""Do blocks that all load from L1 get on in the order in which they did on an H100?"""
import csv
import importlib.resources
from pathlib import Path

import archdef
import numpy as np
import pytest

SOURCE = Path(__file__).with_name("l1_order.ptx")
MULTIPROCESSORS, WARPS, TRIPS = 132, 8, 16


def hardware(kernel: str, blocks: int) -> np.ndarray:
    with (importlib.resources.files("archdef_hopper_evidence") / "data" / "l1_order.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if (row["kernel"], row["blocks_per_multiprocessor"]) == (kernel, str(blocks)))
    return np.array([float(row[f"end_{k}"]) for k in range(blocks)])


def simulated(kernel: str, blocks: int) -> np.ndarray:
    device = archdef.Device("h100")
    log = device.zeros(MULTIPROCESSORS * blocks * WARPS * 4, "u4")
    launch = getattr(device.compile(SOURCE), kernel)[MULTIPROCESSORS * blocks, 32 * WARPS]
    launch(log, device.zeros(1, "f4"), device.zeros(1 << 16, "u1"), np.int32(TRIPS))
    noted = log.to_host().reshape(-1, WARPS, 4).astype("i8")
    mine = np.array([np.flatnonzero(noted[:, 0, 0] == place) for place in range(MULTIPROCESSORS)])     # in the order in which they started
    return (noted[mine, :, 2] - noted[mine, :, 1].min(axis=(1, 2), keepdims=True)).mean(axis=(0, 2))


@pytest.mark.parametrize("kernel, within", [("l1_1", 0.05), ("l1_4", 0.14), ("two_4", 0.06), ("four_1", 0.03), ("four_8", 0.12)])
def test_blocks_end_by_age_where_the_banks_have_more_to_do_than_they_can(kernel, within):
    there, here = hardware(kernel, 8), simulated(kernel, 8)
    assert np.all(np.abs(here / there - 1) < within), f"{here.round()} and {there}"


def test_chains_of_single_loads_take_turns():
    there = hardware("four_1", 8)
    assert there.max() < 1.02 * there.min()         # as the model, by the test above
