"""Vector addition: what streaming costs."""
from collections.abc import Iterator

import numpy as np

from archdef.examples.workload import FOLDER, Case, Input, Output, Workload
from archdef.spec import Architecture


def cases(size: int, random: np.random.Generator, architecture: Architecture) -> Iterator[Case]:
    """Add two vectors of `size` floats with 256 threads per block."""
    a, b = random.random(size, dtype="f4"), random.random(size, dtype="f4")
    yield Case("vector_add", (-(-size // 256),), (256,), (Output(a + b), Input(a), Input(b), size), 3 * a.nbytes)


WORKLOAD = Workload("vector_add", "vector addition", FOLDER / "vector_add.cu", cases, size=1 << 18)
