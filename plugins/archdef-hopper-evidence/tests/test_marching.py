"""Do the blocks of a multiprocessor get on as on an H100 where they wait for memory?"""
import csv
import importlib.resources
from functools import cache
from pathlib import Path

import archdef
import numpy as np
import pytest

SOURCE = Path(__file__).with_name("marching.ptx")
MULTIPROCESSORS, THREADS, N = 132, 256, 1024
PRODUCTS = {"own tiles": (-1, -1, 0, 15), "one tile": (0, 0, 0, 15), "turned": (-1, -1, 1, 14), "own tiles, near": (-1, -1, 0, 0),
            "one tile, near": (0, 0, 0, 0)}


def measured(name: str, **wanted) -> dict[str, str]:
    with (importlib.resources.files("archdef_hopper_evidence") / "data" / name).open() as file:
        return next(row for row in csv.DictReader(file) if all(row[k] == str(v) for k, v in wanted.items()))


def of_blocks(multiprocessor: np.ndarray, blocks: int) -> np.ndarray:
    """Numbers of the blocks of each multiprocessor, in the order in which they started."""
    return np.array([np.flatnonzero(multiprocessor == sm)[:blocks] for sm in range(MULTIPROCESSORS)])


@cache
def product(kernel: str, blocks: int) -> tuple[float, np.ndarray]:
    """Microseconds until a multiprocessor has ended, and until its blocks, the first before the second, have an eighth; means over all."""
    device = archdef.Device("h100")
    times = device.zeros(MULTIPROCESSORS * blocks * 10, "u4")
    a, b, c = device.zeros(N * N, "f4"), device.zeros(4 * N * N, "f4"), device.zeros(N * N, "f4")
    device.compile(SOURCE).product[MULTIPROCESSORS * blocks, THREADS](a, b, c, np.int32(N), times, *map(np.int32, PRODUCTS[kernel]))
    noted = times.to_host().reshape(-1, 10).astype(np.int64)
    at = (noted[:, :9] - noted[:, 0].min())[of_blocks(noted[:, 9], blocks)] / 1000
    return at[:, :, 8].max(axis=1).mean(), at[:, :, 1].mean(axis=0)


def middles(kernel: str, trips: int, blocks: int) -> np.ndarray:
    """Cycles from a multiprocessor's first warp on until its blocks are halfway."""
    device = archdef.Device("h100")
    log = device.zeros(MULTIPROCESSORS * blocks * 8 * 4, "u4")
    memory = device.zeros(1 << 22, "u1")
    launch = getattr(device.compile(SOURCE), kernel)[MULTIPROCESSORS * blocks, THREADS]
    launch(log, device.zeros(1, "f4"), memory, np.uint64(memory.address + 65536), np.int32(trips))
    noted = log.to_host().reshape(-1, 8, 4).astype(np.int64)[of_blocks(log.to_host()[::32], blocks)]
    return (noted[..., 2] - noted[..., 1].min(axis=(1, 2), keepdims=True)).mean(axis=(0, 2))


@pytest.mark.parametrize("kernel, blocks", [("own tiles", 1), ("own tiles", 8), ("own tiles, near", 3)])
def test_blocks_march_along_a_matrix_in_memory_as_fast(kernel, blocks):
    there = measured("marching.csv", kernel=kernel, caches="cold", blocks_per_multiprocessor=blocks)
    end, eighths = product(kernel, blocks)
    assert end == pytest.approx(float(there["end_us"]), rel=0.04)
    first = [float(there[f"eighth_{k}_us"]) for k in range(min(blocks, 4))]
    assert eighths[:4] == pytest.approx(first, rel=0.17)


def test_no_block_leads_where_all_wait_for_the_same_rows():
    there = measured("marching.csv", kernel="own tiles", caches="cold", blocks_per_multiprocessor=8)
    assert float(there["eighth_7_us"]) < 1.01 * float(there["eighth_0_us"])
    eighths = product("own tiles", 8)[1]
    assert eighths.max() < 1.03 * eighths.min()


@pytest.mark.parametrize("kernel, blocks", [("shared_8", 5), ("l1_8", 5)])
def test_blocks_that_wait_for_the_l2_share_what_brings_loads_near_by(kernel, blocks):
    there = measured("waiting_blocks.csv", kernel=kernel, blocks_per_multiprocessor=blocks)
    assert middles(kernel, int(there["trips"]), blocks) == pytest.approx([float(there[f"middle_{k}"]) for k in range(blocks)], rel=0.08)
