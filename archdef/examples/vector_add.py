"""Vector addition: what streaming costs."""
from archdef.examples.workload import FOLDER, Case, Input, Output, Workload


def cases(size, random, architecture):
    """Add two vectors of `size` floats with 256 threads per block."""
    a, b = random.random(size, dtype="f4"), random.random(size, dtype="f4")
    yield Case("vector_add", (-(-size // 256),), (256,), (Output(a + b), Input(a), Input(b), size), 3 * a.nbytes)


WORKLOAD = Workload("vector_add", "vector addition", FOLDER / "vector_add.cu", cases, size=1 << 18)
