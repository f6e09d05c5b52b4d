"""Cooperative sum of whole numbers: ``python block_sum.py [machine …]``."""
import sys
from pathlib import Path

import numpy as np

import archdef

BLOCKS, THREADS, NUMBERS = 104, 256, 1 << 18


def example(name):
    """Run both kernels; give the total that is right, and per kernel the total found and the launch."""
    device = archdef.Device(name)
    numbers = np.random.default_rng(1).integers(-1000, 1000, NUMBERS, dtype="i4")
    module, given, found = device.compile(Path(__file__).with_suffix(".maca")), device.to_device(numbers), {}
    for kernel, shared in (("sum", 4 * THREADS), ("sum_by_waves", 0)):
        total = device.zeros(1, "i4")
        run = module[kernel][BLOCKS, THREADS, shared](total, given, NUMBERS // 4)
        found[kernel] = int(total.to_host()[0]), run
    return int(numbers.sum()), found


def main(names):
    """Print what was found."""
    for name in names:
        right, found = example(name)
        for kernel, (total, run) in found.items():
            atomics = sum(row["thread_instructions"] for row, s in zip(run.counters.statements, run.program.statements) if s.opcode in ("atom", "red"))
            print(f"{name:6} {kernel:13} {total} ({'right' if total == right else 'wrong'}), {run.cycles:,} cycles, {atomics:,} atomics, "
                  f"{run.metrics['dram_read_throughput'] or 0:.0f} GB/s read")


if __name__ == "__main__":
    main(sys.argv[1:] or ["c500"])
