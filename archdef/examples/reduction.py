"""Sum of integers: divergence and bank conflicts of three ways to pair the elements."""
from collections.abc import Iterator

import numpy as np

from archdef.examples.workload import FOLDER, Case, Input, Output, Workload
from archdef.spec import Architecture

BLOCK = 256


def cases(size: int, random: np.random.Generator, architecture: Architecture) -> Iterator[Case]:
    """Sum `size` integers, one partial sum per block."""
    numbers = random.integers(-1000, 1000, size, dtype="i4")
    sums = Output(numbers.reshape(-1, BLOCK).sum(axis=1, dtype="i4"))
    for kernel in ("neighbored", "neighbored_compact", "interleaved"):
        yield Case(kernel, (size // BLOCK,), (BLOCK,), (sums, Input(numbers)), numbers.nbytes + sums.expected.nbytes)


WORKLOAD = Workload("reduction", "sum of integers: neighbored, compacted, interleaved pairs", FOLDER / "reduction.cu",
                    cases, size=1 << 17, multiple=BLOCK)
