"""Registers against private memory: ``python private_memory.py [machine …]``."""
import sys
from pathlib import Path

import numpy as np

import archdef

BLOCKS, THREADS, VALUES = 208, 256, 96


def expected(c):
    """What the kernels compute: the same multiply-adds, each rounded once."""
    c = c.copy()
    for _ in range(4):
        for k in range(VALUES):
            c[k] = (c[k].astype("f8") * 0.5 + c[(k + 1) % VALUES].astype("f8")).astype("f4")
    total = np.zeros(c.shape[1], "f4")
    for k in range(VALUES):
        total = total + c[k]
    return total


def example(name):
    """Give what is right, and per kernel what it left and the launch."""
    device, n = archdef.Device(name), BLOCKS * THREADS
    numbers = np.random.default_rng(3).standard_normal((VALUES, n), "f4")
    module, given, found = device.compile(Path(__file__).with_suffix(".maca")), device.to_device(numbers), {}
    for kernel in ("roomy", "tight"):
        out = device.empty(n)
        run = module[kernel][BLOCKS, THREADS](out, given, n)
        found[kernel] = out.to_host(), run
    return expected(numbers), found


def main(names):
    """Print what registers and private memory cost each kernel."""
    for name in names:
        for kernel, (_, run) in example(name)[1].items():
            p = run.program
            print(f"{name:6} {kernel:6} {run.registers:3} registers, {p.spill_store_bytes:4} B of spill stores and {p.spill_load_bytes:4} B of spill loads "
                  f"in the code, {run.occupancy.occupancy:.0%} occupancy, {run.cycles:,} cycles")
            print(f"       {run.warp_contents}")
        print(run.memory_map)


if __name__ == "__main__":
    main(sys.argv[1:] or ["c500"])
