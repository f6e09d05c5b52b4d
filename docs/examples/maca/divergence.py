"""Half of a wave's lanes take another way: ``python divergence.py [machine …]``."""
import sys
from pathlib import Path

import numpy as np

import archdef

BLOCKS, THREADS = 8, 256


def expected(numbers, way):
    """What the kernels compute, in single precision; `way` is True where a thread goes the first way."""
    one, two = numbers.astype("f8"), numbers.astype("f8")
    for i in range(40):
        one, two = (one * 0.5 + i).astype("f4").astype("f8"), (two * 0.25 - i).astype("f4").astype("f8")
    return np.where(way, one, two).astype("f4")


def example(name):
    """Give, per kernel, what it left, what is right, and the launch."""
    device = archdef.Device(name)
    numbers, t = np.random.default_rng(2).standard_normal(BLOCKS * THREADS, "f4"), np.arange(BLOCKS * THREADS)
    module, found = device.compile(Path(__file__).with_suffix(".maca")), {}
    for kernel, way in (("half_and_half", t % 64 < 32), ("by_wave", t // 64 % 2 == 0)):
        out = device.empty(numbers.shape)
        run = module[kernel][BLOCKS, THREADS](out, device.to_device(numbers))
        found[kernel] = out.to_host(), expected(numbers, way), run
    return found


def main(names):
    """Print the counters that tell the two apart."""
    for name in names:
        for kernel, (_, _, run) in example(name).items():
            m = run.metrics
            print(f"{name:6} {kernel:13} {run.cycles:6,} cycles, {m['branch']:4} branches, {m['divergent_branch']:3} divergent, branch efficiency "
                  f"{m['branch_efficiency']:.1f} %, lanes at work {m['warp_execution_efficiency']:.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:] or ["c500"])
