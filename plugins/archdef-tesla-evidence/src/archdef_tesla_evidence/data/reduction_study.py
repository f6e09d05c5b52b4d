"""The seven reductions of Harris (2007), on blocks of 128 threads: the launch that reads the numbers."""
from pathlib import Path

from archdef.examples import Case, Input, Output, Workload

BLOCK = 128
KERNELS = {"interleaved_divergent": 1, "interleaved_conflicts": 1, "sequential": 1, "first_add": 2, "unrolled_warp": 2, "unrolled": 2,
           "many_elements": None}
"""Kernel → elements of a thread; the last one shares all of them among 64 blocks."""


def cases(size, random, architecture):
    """Sum `size` integers, one partial sum per block."""
    numbers = random.integers(-1000, 1000, size, dtype="i4")
    for kernel, elements in KERNELS.items():
        if elements:
            sums = numbers.reshape(-1, elements * BLOCK).sum(axis=1, dtype="i4")
        else:
            sums = numbers.reshape(-1, 64, 2 * BLOCK).sum(axis=(0, 2), dtype="i4")
        yield Case(kernel, (sums.size,), (BLOCK,), (Input(numbers), Output(sums), size), numbers.nbytes + sums.nbytes)


WORKLOAD = Workload("reduction_study", "sums of integers, after Harris 2007", Path(__file__).with_name("reduction_study.cu"), cases,
                    size=1 << 22, multiple=128 * BLOCK)
