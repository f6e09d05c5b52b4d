"""Measure which block gets on first where all want the same on an H100: block_order.csv. PTX is that of ``order.cu``, by NVRTC for compute_90.

``python measure_order.py PTX BLOCK_ORDER_CSV``
"""
from __future__ import annotations

import csv
import ctypes as c
import sys
from pathlib import Path

import numpy as np

MULTIPROCESSORS = 132
TRIPS = {"loads_1": 16, "loads_2": 16, "loads_4": 16, "loads_8": 16, "stores": 32, "exponentials": 16, "chain": 64, "side_by_side": 128}
SHAPES = ((8, 256), (6, 256), (2, 1024), (1, 1024))
"""Blocks of a multiprocessor, threads of each."""


def ends(log: np.ndarray, blocks: int, threads: int) -> np.ndarray:
    """Give when the blocks of a multiprocessor ended, mean over warps and multiprocessors, shape (blocks,), in order of their slots; cycles
    since the first warp of all began. `log` has shape (warps, 4), as ``order.cu`` writes it."""
    log, warps = log.astype("i8"), threads // 32
    found = []
    for place in np.unique(log[:, 0]):
        rows = log[log[:, 0] == place]
        rows = rows[np.argsort(rows[:, 1])]
        if len(rows) == blocks * warps:
            found.append((rows[:, 3] - rows[:, 2].min()).reshape(blocks, warps).mean(1))
    return np.mean(found, axis=0)


def main(ptx: str, table: str) -> None:
    """Write the table, each launch the second of two."""
    from archdef.microbench.driver import Gpu

    gpu = Gpu()
    module = gpu.assemble(Path(ptx).read_text(encoding="utf-8"))
    log, out = gpu.allocate(1 << 20), gpu.allocate(64)
    with open(table, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["what", "trips", "blocks", "threads", *(f"end_{k}" for k in range(8))])
        for what, trips in TRIPS.items():
            for blocks, threads in SHAPES:
                for _ in range(2):
                    gpu.start(gpu.function(module, what), MULTIPROCESSORS * blocks, threads, log, out, c.c_int(trips))
                    gpu("cuCtxSynchronize")
                read = gpu.fetch(log, np.empty((MULTIPROCESSORS * blocks * threads // 32, 4), np.uint32))
                rows.writerow([what, trips, blocks, threads, *(f"{end:.0f}" for end in ends(read, blocks, threads))])


if __name__ == "__main__":
    main(*sys.argv[1:])
