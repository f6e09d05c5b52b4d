"""The nine reductions of Professional CUDA C Programming, chapter 3, on blocks of 512 threads."""
from pathlib import Path

from archdef.examples import Case, Input, Output, Workload

BLOCK = 512
KERNELS = {"neighbored": 1, "neighbored_less": 1, "interleaved": 1, "unrolled_2": 2, "unrolled_4": 4, "unrolled_8": 8,
           "unrolled_warps_8": 8, "complete_unrolled_warps_8": 8, "complete_unrolled_512": 8}
"""Kernel → blocks' worth of elements that each block takes."""


def cases(size, random, architecture):
    """Sum `size` integers; blocks leave their sums, the host would add those."""
    numbers = random.integers(-1000, 1000, size, dtype="i4")
    for kernel, blocks in KERNELS.items():
        sums = numbers.reshape(-1, blocks * BLOCK).sum(axis=1, dtype="i4")
        yield Case(kernel, (sums.size,), (BLOCK,), (Input(numbers), Output(sums), size), numbers.nbytes + sums.nbytes)


WORKLOAD = Workload("reduction_study", "sums of integers in global memory, after Professional CUDA C Programming",
                    Path(__file__).with_name("reduction_study.cu"), cases, size=1 << 24, multiple=8 * BLOCK)
