"""Products of sparse matrices with vectors and dense matrices."""
from __future__ import annotations

from typing import Final

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import DenseMatrix, SparseMatrix, general
from archdef.exec.libraries.cusparse.handles import THREADS, Sparse, answers, factors, operation_of, run, same, sparse, straight, typed, word
from archdef.exec.libraries.library import Real, at_least, blocks, present
from archdef.runtime.status import Refusal

_LANES: Final = 32
_ROWS: Final = 4


def _times_vector(thread: Thread, found: Sparse, a: SparseMatrix, alpha: int, x: int, beta: int, y: int) -> None:
    by, old = factors(thread, found, a.real, alpha, beta)
    if a.rows:
        present(rows=a.starts, y=y)
        if a.count:
            present(columns=a.places, values=a.values, x=x)
        run(thread, found, a.real, "spmv", blocks(thread, -(-a.rows // _ROWS)), (_LANES, _ROWS), a.packed(), by, word(x), old, word(y))


def _times_matrix(thread: Thread, found: Sparse, a: SparseMatrix, alpha: int, b: bytes, beta: int, c: DenseMatrix) -> None:
    by, old = factors(thread, found, a.real, alpha, beta)
    if a.rows and c.columns:
        present(rows=a.starts, c=c.values)
        run(thread, found, a.real, "spmm", blocks(thread, -(-a.rows * c.columns // THREADS), c.batches), (THREADS,), a.packed(), by, b, old, c.packed(),
            word(c.columns), word(c.batches), a.strides())


def _batched(result: SparseMatrix | DenseMatrix, *factors: SparseMatrix | DenseMatrix) -> None:
    """Refuse a factor that is neither one matrix for all results, nor one for each."""
    for each in factors:
        if each.batches not in (1, result.batches):
            raise Refusal("InvalidValue", f"{each.batches} matrices for {result.batches} results")


@answers("cusparseSpMV_bufferSize")
def spmv_size(thread: Thread, handle: int, operation: Int, alpha: int, matrix: int, x: int, beta: int, y: int, kind: Int, algorithm: Int, size: int) -> None:
    """Say that no memory is needed."""
    sparse(thread, handle)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseSpMV_preprocess")
def spmv_prepare(thread: Thread, handle: int, operation: Int, alpha: int, matrix: int, x: int, beta: int, y: int, kind: Int, algorithm: Int,
                 buffer: int) -> None:
    """Check the matrix: its kernel needs no preparation."""
    sparse(thread, handle)
    thread.session.thing(matrix, SparseMatrix)


@answers("cusparseSpMV")
def spmv(thread: Thread, handle: int, operation: Int, alpha: int, matrix: int, x: int, beta: int, y: int, kind: Int, algorithm: Int, buffer: int) -> None:
    """y = alpha A x + beta y."""
    found, a = sparse(thread, handle), thread.session.thing(matrix, SparseMatrix)
    first, second = thread.session.thing(x, DenseMatrix), thread.session.thing(y, DenseMatrix)
    straight(operation)
    same(a.real, first.real, second.real, typed(kind))
    if a.batches > 1:
        raise Refusal("NotSupported", f"{a.batches} matrices times a vector")
    if (first.rows, second.rows) != (a.columns, a.rows):
        raise Refusal("InvalidValue", f"a matrix of {a.rows} x {a.columns}, and vectors of {first.rows} and {second.rows}")
    _times_vector(thread, found, a, alpha, first.values, beta, second.values)


@answers("cusparseSpMM_bufferSize")
def spmm_size(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, matrix: int, b: int, beta: int, c: int, kind: Int, algorithm: Int,
              size: int) -> None:
    """Say that no memory is needed."""
    sparse(thread, handle)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseSpMM_preprocess")
def spmm_prepare(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, matrix: int, b: int, beta: int, c: int, kind: Int, algorithm: Int,
                 buffer: int) -> None:
    """Check the matrix: its kernel needs no preparation."""
    sparse(thread, handle)
    thread.session.thing(matrix, SparseMatrix)


@answers("cusparseSpMM")
def spmm(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, matrix: int, b: int, beta: int, c: int, kind: Int, algorithm: Int,
         buffer: int) -> None:
    """C = alpha A op(B) + beta C."""
    found, a = sparse(thread, handle), thread.session.thing(matrix, SparseMatrix)
    second, third = thread.session.thing(b, DenseMatrix), thread.session.thing(c, DenseMatrix)
    turned = bool(operation_of(of_b))
    straight(of_a)
    same(a.real, second.real, third.real, typed(kind))
    rows, columns = (second.columns, second.rows) if turned else (second.rows, second.columns)
    if (rows, columns, third.rows) != (a.columns, third.columns, a.rows):
        raise Refusal("InvalidValue", f"{a.rows} x {a.columns} times {rows} x {columns} into {third.rows} x {third.columns}")
    _batched(third, a, second)
    _times_matrix(thread, found, a, alpha, second.packed(turned), beta, third)


@answers("cusparseSDDMM_bufferSize")
def sddmm_size(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, matrix: int, kind: Int, algorithm: Int,
               size: int) -> None:
    """Say that no memory is needed."""
    sparse(thread, handle)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseSDDMM_preprocess")
def sddmm_prepare(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, matrix: int, kind: Int, algorithm: Int,
                  buffer: int) -> None:
    """Check the matrix: its kernel needs no preparation."""
    sparse(thread, handle)
    thread.session.thing(matrix, SparseMatrix)


@answers("cusparseSDDMM")
def sddmm(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, matrix: int, kind: Int, algorithm: Int,
          buffer: int) -> None:
    """C = alpha op(A) op(B) + beta C where C has elements."""
    found, c = sparse(thread, handle), thread.session.thing(matrix, SparseMatrix)
    first, second = thread.session.thing(a, DenseMatrix), thread.session.thing(b, DenseMatrix)
    first_turned, second_turned = bool(operation_of(of_a)), bool(operation_of(of_b))
    same(first.real, second.real, c.real, typed(kind))
    rows, inner = (first.columns, first.rows) if first_turned else (first.rows, first.columns)
    other, columns = (second.columns, second.rows) if second_turned else (second.rows, second.columns)
    if (rows, columns, inner) != (c.rows, c.columns, other):
        raise Refusal("InvalidValue", f"{rows} x {inner} times {other} x {columns} into {c.rows} x {c.columns}")
    _batched(c, first, second)
    by, old = factors(thread, found, c.real, alpha, beta)
    c.placed()
    if c.count:
        present(a=first.values, b=second.values)
        run(thread, found, c.real, "sddmm", blocks(thread, -(-c.count // THREADS), c.batches), (THREADS,), first.packed(first_turned), by,
            second.packed(second_turned), old, c.packed(), word(inner), word(c.batches), c.strides())


@answers("cusparse{}csrmv")
def csrmv(real: Real, thread: Thread, handle: int, operation: Int, m: Int, n: Int, count: Int, alpha: int, description: int, values: int, starts: int,
          places: int, x: int, beta: int, y: int) -> None:
    """y = alpha A x + beta y, as before CUDA 11."""
    found, about = sparse(thread, handle), general(thread, description)
    at_least(0, m=m, n=n, elements=count)
    straight(operation)
    _times_vector(thread, found, SparseMatrix(m, n, count, starts, places, values, real, base=about.base), alpha, x, beta, y)


@answers("cusparse{}csrmm")
def csrmm(real: Real, thread: Thread, handle: int, operation: Int, m: Int, n: Int, k: Int, count: Int, alpha: int, description: int, values: int,
          starts: int, places: int, b: int, ldb: Int, beta: int, c: int, ldc: Int) -> None:
    """C = alpha A B + beta C, as before CUDA 11."""
    found, about = sparse(thread, handle), general(thread, description)
    at_least(0, m=m, n=n, k=k, elements=count)
    at_least(max(1, k), ldb=ldb)
    at_least(max(1, m), ldc=ldc)
    straight(operation)
    a = SparseMatrix(m, k, count, starts, places, values, real, base=about.base)
    _times_matrix(thread, found, a, alpha, DenseMatrix(k, n, b, real, 1, ldb).packed(), beta, DenseMatrix(m, n, c, real, 1, ldc))
