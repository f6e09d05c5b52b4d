"""Matrix transpose: coalescing, bank conflicts and partition camping in one file."""
from collections.abc import Iterator

import numpy as np

from archdef.examples.workload import FOLDER, Case, Input, Output, Workload
from archdef.spec import Architecture


def cases(size: int, random: np.random.Generator, architecture: Architecture) -> Iterator[Case]:
    """Launch the five kernels on one `size` x `size` matrix of floats."""
    matrix = random.random((size, size), dtype="f4")
    tiles = (size // 32, size // 32)
    for kernel in ("copy", "naive", "tiled", "padded", "diagonal"):
        expected = matrix if kernel == "copy" else matrix.T.copy()
        yield Case(kernel, tiles, (32, 8), (Output(expected), Input(matrix), size, size), 2 * matrix.nbytes)


WORKLOAD = Workload("transpose", "matrix transpose: copy, naive, tiled, tiled and padded, diagonal",
                    FOLDER / "transpose.cu", cases, size=512, multiple=32, size_means="rows and columns")
