"""Kernels for `test_numba`, in a file of their own because their line numbers are looked at."""
import math

from numba import cuda, float32

TILE = 8


@cuda.jit
def axpy(y, x, a, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


@cuda.jit
def matmul(c, a, b):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for tile in range(a.shape[1] // TILE):
        left[y, x] = a[row, tile * TILE + x]
        right[y, x] = b[tile * TILE + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def norm(out, x):
    total = 0.0
    for i in range(x.size):
        total += square(x[i])
    out[cuda.threadIdx.x] = math.sqrt(total)


@cuda.jit
def histogram(bins, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


def scalars(out, z, pair, flag):
    out[0] = z.real
    out[1] = z.imag
    out[2] = pair[0] - pair[1] if flag else 0.0


def untyped(y):
    i = cuda.grid(1)
    y[i] = undefined_name(i)  # noqa: F821
