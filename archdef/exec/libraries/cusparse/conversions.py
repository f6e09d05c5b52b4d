"""Sparse matrices of dense ones and the other way round, and how many elements of a dense one are not 0."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import DenseMatrix, SparseMatrix, general
from archdef.exec.libraries.cusparse.handles import answers, run, run_for_each, same, sparse, word
from archdef.exec.libraries.cusparse.levels import device_array
from archdef.exec.libraries.cusparse.sorting import SUMMED_AT_ONCE, WORD_BYTES, add_up, read_number
from archdef.exec.libraries.library import DEVICE, Real, at_least, present, say_bytes
from archdef.runtime.status import Refusal

_BY_ROW, _BY_COLUMN = 0, 1


def _both(thread: Thread, dense: int, matrix: int, algorithm: int) -> tuple[DenseMatrix, SparseMatrix]:
    a, b = thread.session.thing(dense, DenseMatrix), thread.session.thing(matrix, SparseMatrix)
    same(a.real, b.real)
    if algorithm:
        raise Refusal("InvalidValue", f"no algorithm {algorithm}")
    if (a.rows, a.columns) != (b.rows, b.columns):
        raise Refusal("InvalidValue", f"a dense matrix of {a.rows} x {a.columns}, a sparse one of {b.rows} x {b.columns}")
    if a.batches > 1 or b.batches > 1:
        raise Refusal("NotSupported", "conversions of several matrices in one call")
    return a, b


@answers("cusparseSparseToDense_bufferSize")
def to_dense_size(thread: Thread, handle: int, matrix: int, dense: int, algorithm: Int, size: int) -> None:
    """Say that no memory is needed."""
    sparse(thread, handle)
    _both(thread, dense, matrix, algorithm)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseSparseToDense")
def to_dense(thread: Thread, handle: int, matrix: int, dense: int, algorithm: Int, buffer: int) -> None:
    """Write all elements of a sparse matrix, and 0 elsewhere."""
    found, (b, a) = sparse(thread, handle), _both(thread, dense, matrix, algorithm)
    a.placed()
    if b.rows * b.columns:
        present(dense=b.values)
        run_for_each(thread, found, a.real, "zeros", b.rows * b.columns, b.packed(), word(b.rows), word(b.columns))
    if a.count:
        run_for_each(thread, found, a.real, "spread", a.count, a.packed(), b.packed())


@answers("cusparseDenseToSparse_bufferSize")
def to_sparse_size(thread: Thread, handle: int, dense: int, matrix: int, algorithm: Int, size: int) -> None:
    """Say how much memory the counts of the rows take."""
    sparse(thread, handle)
    a, _ = _both(thread, dense, matrix, algorithm)
    say_bytes(thread, size, WORD_BYTES * (a.rows + 1))


@answers("cusparseDenseToSparse_analysis")
def count_elements(thread: Thread, handle: int, dense: int, matrix: int, algorithm: Int, buffer: int) -> None:
    """Count the elements that are not 0."""
    found, (a, b) = sparse(thread, handle), _both(thread, dense, matrix, algorithm)
    present(buffer=buffer)
    if a.rows * a.columns:
        present(dense=a.values)
    run_for_each(thread, found, a.real, "dense_counts", a.rows + 1, a.packed(), word(a.rows), word(a.columns), word(buffer))
    add_up(thread, found, a.real, a.rows + 1, buffer)
    b.count = read_number(thread, found, buffer + WORD_BYTES * a.rows)


@answers("cusparseDenseToSparse_convert")
def to_sparse(thread: Thread, handle: int, dense: int, matrix: int, algorithm: Int, buffer: int) -> None:
    """Write the elements that `count_elements` has counted."""
    found, (a, b) = sparse(thread, handle), _both(thread, dense, matrix, algorithm)
    present(buffer=buffer)
    b.placed()
    if a.rows:
        run_for_each(thread, found, a.real, "gathered", a.rows, a.packed(), word(buffer), b.packed())


@answers("cusparse{}nnz")
def count(real: Real, thread: Thread, handle: int, direction: Int, m: Int, n: Int, description: int, a: int, lda: Int, counts: int, total: int) -> None:
    """Count the elements of each row, or of each column, that are not 0, and all of them."""
    found = sparse(thread, handle)
    general(thread, description)
    at_least(0, m=m, n=n)
    at_least(max(1, m), lda=lda)
    present(total=total)
    if direction not in (_BY_ROW, _BY_COLUMN):
        raise Refusal("InvalidValue", f"no direction {direction}")
    matrix = DenseMatrix(m, n, a, real, 1, lda)
    lines, each = (n, m) if direction == _BY_COLUMN else (m, n)
    if lines:
        present(counts=counts)
        if each:
            present(a=a)
        run_for_each(thread, found, real, "row_counts", lines, matrix.packed(direction == _BY_COLUMN), word(lines), word(each), word(counts))
    if found.pointer_mode == DEVICE:
        run(thread, found, real, "total", (1,), (SUMMED_AT_ONCE,), word(lines), word(counts), word(total))
    else:
        thread.memory.put_word(total, int(device_array(thread, found, counts, lines, 0).sum()), 4)
