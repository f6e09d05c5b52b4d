"""Matrices with vectors, sums of matrices, triangular systems, factors."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cublas.handles import THREADS, Blas, answers, blas, vector
from archdef.exec.libraries.library import Real, at_least, blocks, present
from archdef.runtime.status import Refusal

SIDE: Final = 16


def transposed(operation: int) -> int:
    """Read what is done to a matrix: 0 nothing; 1 or 2: it is transposed. Raises Refusal."""
    if operation not in (0, 1, 2):
        raise Refusal("InvalidValue", f"no operation {operation} on a matrix")
    return int(operation != 0)


def _apart(**distances: int) -> None:
    for name, distance in distances.items():
        if not distance:
            raise Refusal("InvalidValue", f"the elements of {name} lie 0 apart")


def multiply_vector(thread: Thread, found: Blas, real: Real, operation: int, m: int, n: int, alpha: bytes, a: int, lda: int, x: int, incx: int,
                    beta: bytes, y: int, incy: int) -> None:
    """y = alpha op(A) x + beta y."""
    at_least(0, m=m, n=n)
    at_least(max(1, m), lda=lda)
    _apart(x=incx, y=incy)
    turned = transposed(operation)
    if m and n:
        present(a=a, x=x, y=y)
        grid = blocks(thread, n if turned else -(-m // THREADS))
        found.launch(thread, real, f"gemv_{'nt'[turned]}", grid, struct.pack("<i", m), struct.pack("<i", n), alpha, struct.pack("<Q", a),
                     struct.pack("<q", lda), vector(x, incx), beta, vector(y, incy))


@answers("cublas{}gemv_v2")
def gemv(real: Real, thread: Thread, handle: int, operation: Int, m: Int, n: Int, alpha: int, a: int, lda: Int, x: int, incx: Int, beta: int, y: int,
         incy: Int) -> None:
    """y = alpha op(A) x + beta y."""
    found = blas(thread, handle)
    multiply_vector(thread, found, real, operation, m, n, found.scalar(thread, real, alpha), a, lda, x, incx, found.scalar(thread, real, beta), y, incy)


@answers("cublas{}ger_v2")
def ger(real: Real, thread: Thread, handle: int, m: Int, n: Int, alpha: int, x: int, incx: Int, y: int, incy: Int, a: int, lda: Int) -> None:
    """A += alpha x y'."""
    found = blas(thread, handle)
    at_least(0, m=m, n=n)
    at_least(max(1, m), lda=lda)
    _apart(x=incx, y=incy)
    by = found.scalar(thread, real, alpha)
    if m and n:
        present(x=x, y=y, a=a)
        grid = blocks(thread, -(-m // SIDE), -(-n // SIDE))
        found.launch(thread, real, "ger", grid, struct.pack("<i", m), struct.pack("<i", n), by, vector(x, incx), vector(y, incy), struct.pack("<Q", a),
                     struct.pack("<q", lda), block=(SIDE, SIDE))


@answers("cublas{}geam")
def geam(real: Real, thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, alpha: int, a: int, lda: Int, beta: int, b: int, ldb: Int,
         c: int, ldc: Int) -> None:
    """C = alpha op(A) + beta op(B)."""
    found, turned_a, turned_b = blas(thread, handle), transposed(of_a), transposed(of_b)
    at_least(0, m=m, n=n)
    at_least(max(1, n if turned_a else m), lda=lda)
    at_least(max(1, n if turned_b else m), ldb=ldb)
    at_least(max(1, m), ldc=ldc)
    first, second = found.scalar(thread, real, alpha), found.scalar(thread, real, beta)
    if m and n:
        present(c=c)
        numbers = [struct.pack("<i", each) for each in (m, n, turned_a, turned_b)]
        found.launch(thread, real, "geam", blocks(thread, -(-m // SIDE), -(-n // SIDE)), *numbers, first, struct.pack("<Q", a), struct.pack("<q", lda), second,
                     struct.pack("<Q", b), struct.pack("<q", ldb), struct.pack("<Q", c), struct.pack("<q", ldc), block=(SIDE, SIDE))


def _solve(thread: Thread, found: Blas, real: Real, size: int, columns: int, lower: bool, turned: int, unit: int, alpha: bytes, a: int, lda: int,
           b: int, row: int, column: int) -> None:
    """Solve M x = alpha b for each of the columns; M is A, or A transposed, and A has its lower or upper half."""
    if size and columns:
        present(a=a, b=b)
        numbers = [struct.pack("<i", each) for each in (size, columns, int(lower != bool(turned)), turned, unit)]
        found.launch(thread, real, "trsm", blocks(thread, columns), *numbers, alpha, struct.pack("<Q", a), struct.pack("<q", lda),
                     struct.pack("<Q", b), struct.pack("<q", row), struct.pack("<q", column))


def _choices(**numbers: int) -> list[int]:
    for name, number in numbers.items():
        if number not in (0, 1):
            raise Refusal("InvalidValue", f"{name} must be 0 or 1, got {number}")
    return list(numbers.values())


@answers("cublas{}trsm_v2")
def trsm(real: Real, thread: Thread, handle: int, side: Int, upper: Int, operation: Int, unit: Int, m: Int, n: Int, alpha: int, a: int, lda: Int, b: int,
         ldb: Int) -> None:
    """Solve op(A) X = alpha B, or X op(A) = alpha B, for X, which takes the place of B."""
    found, turned = blas(thread, handle), transposed(operation)
    right, is_upper, is_unit = _choices(side=side, fill_mode=upper, diagonal_type=unit)
    at_least(0, m=m, n=n)
    at_least(max(1, n if right else m), lda=lda)
    at_least(max(1, m), ldb=ldb)
    by = found.scalar(thread, real, alpha)
    if right:       # the same as op(A)' X' = alpha B'
        _solve(thread, found, real, n, m, not is_upper, 1 - turned, is_unit, by, a, lda, b, ldb, 1)
    else:
        _solve(thread, found, real, m, n, not is_upper, turned, is_unit, by, a, lda, b, 1, ldb)


@answers("cublas{}trsv_v2")
def trsv(real: Real, thread: Thread, handle: int, upper: Int, operation: Int, unit: Int, n: Int, a: int, lda: Int, x: int, incx: Int) -> None:
    """Solve op(A) y = x for y, which takes the place of x."""
    found, step = blas(thread, handle), incx
    is_upper, is_unit = _choices(fill_mode=upper, diagonal_type=unit)
    at_least(0, n=n)
    at_least(max(1, n), lda=lda)
    _apart(x=step)
    one = struct.pack("<Q", 0) + struct.pack(f"<{real.code}", 1.0).ljust(8, b"\0")
    start = x if step > 0 else x - (n - 1) * step * real.nbytes
    _solve(thread, found, real, n, 1, not is_upper, transposed(operation), is_unit, one, a, lda, start, step, 0)


@answers("cublas{}getrfBatched")
def getrf_batched(real: Real, thread: Thread, handle: int, n: Int, matrices: int, lda: Int, pivots: int, info: int, batch: Int) -> None:
    """Make L and U of many matrices, whose addresses the device has; without `pivots` rows stay where they are."""
    found = blas(thread, handle)
    at_least(0, n=n, batch=batch)
    at_least(max(1, n), lda=lda)
    if batch:
        present(matrices=matrices, info=info)
        found.launch(thread, real, "getrf", blocks(thread, batch), struct.pack("<i", n), struct.pack("<Q", matrices), struct.pack("<i", lda),
                     struct.pack("<Q", pivots), struct.pack("<Q", info), struct.pack("<i", batch))
