"""Matrix product: data reuse through shared memory."""
from collections.abc import Iterator

import numpy as np

from archdef.examples.workload import FOLDER, Case, Input, Output, Workload
from archdef.spec import Architecture


def cases(size: int, random: np.random.Generator, architecture: Architecture) -> Iterator[Case]:
    """Multiply two `size` x `size` matrices of floats."""
    a, b = random.random((size, size), dtype="f4"), random.random((size, size), dtype="f4")
    product = Output((a.astype("f8") @ b.astype("f8")).astype("f4"), tolerance=1e-5)
    for kernel in ("naive", "tiled"):
        yield Case(kernel, (size // 16, size // 16), (16, 16), (product, Input(a), Input(b), size), 3 * a.nbytes)


WORKLOAD = Workload("matmul", "matrix product: naive, tiled", FOLDER / "matmul.cu", cases, size=128, multiple=16,
                    size_means="rows and columns")
