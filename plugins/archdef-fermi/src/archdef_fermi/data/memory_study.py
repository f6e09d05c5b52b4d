"""Sums, copies and transposes of the book's chapters 3 and 4 on `size` x `size` floats."""
from pathlib import Path

from archdef.examples import Case, Input, Output, Workload


def cases(size, random, architecture, block=(16, 16), offset=0):
    """Launch all kernels with blocks of one shape; `offset` floats lie before what `read_offset` reads."""
    a, b = (random.random((size, size), dtype="f4") for _ in range(2))
    grid = (-(-size // block[0]), -(-size // block[1]))
    total = a.ravel() + b.ravel()
    shifted = total * 0
    shifted[:total.size - offset] = total[offset:]
    yield Case("sum_matrix", grid, block, (Input(a), Input(b), Output(a + b), size, size), 3 * a.nbytes)
    yield Case("read_offset", (a.size // 512,), (512,), (Input(a.ravel()), Input(b.ravel()), Output(shifted), a.size, offset), 3 * a.nbytes)
    for kernel in ("copy_row", "copy_column"):
        yield Case(kernel, grid, block, (Output(a), Input(a), size, size), 2 * a.nbytes)
    for kernel in ("transpose_row", "transpose_column"):
        yield Case(kernel, grid, block, (Output(a.T.copy()), Input(a), size, size), 2 * a.nbytes)


WORKLOAD = Workload("memory_study", "sums, copies and transposes of Professional CUDA C Programming",
                    Path(__file__).with_name("memory_study.cu"), cases, size=2048, multiple=32, size_means="rows and columns")
