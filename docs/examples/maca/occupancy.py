"""How many waves of a kernel are resident, by block size: ``python occupancy.py [machine …]``."""
import sys
from pathlib import Path

import archdef
from archdef.errors import LaunchError

SIZES = (32, 64, 96, 128, 256, 512, 1024)


def example(name):
    """Give, per block size, the occupancy of the block-wide sum, or why it cannot run."""
    device = archdef.Device(name)
    kernel = device.compile(Path(__file__).with_name("block_sum.maca"))["sum"]
    found = {}
    for threads in SIZES:
        try:
            found[threads] = archdef.occupancy(device.architecture, threads=threads, registers=kernel.registers,
                                               shared_bytes=kernel.shared_bytes + 4 * threads)
        except LaunchError as error:
            found[threads] = error
    return found


def main(names):
    """Print a line for each block size."""
    for name in names:
        for threads, answer in example(name).items():
            if isinstance(answer, LaunchError):
                print(f"{name:6} {threads:5} threads: {answer}")
                continue
            words = answer.vocabulary
            print(f"{name:6} {threads:5} threads: {answer.active_blocks:2} blocks, {answer.active_warps:2} of {answer.max_warps} {words.warp}s per "
                  f"{words.multiprocessor}, {answer.occupancy:.0%} (limit: {', '.join(answer.limiter)})")


if __name__ == "__main__":
    main(sys.argv[1:] or ["c500"])
