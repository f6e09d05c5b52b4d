"""Sparse vectors with dense ones."""
from __future__ import annotations

from archdef.exec.calls import Thread
from archdef.exec.libraries.cusparse.descriptions import DenseMatrix, SparseMatrix
from archdef.exec.libraries.cusparse.handles import Sparse, answers, factors, run_for_each, same, sparse, word
from archdef.exec.libraries.library import present
from archdef.runtime.status import Refusal


def _both(thread: Thread, handle: int, x: int, y: int) -> tuple[Sparse, SparseMatrix, DenseMatrix]:
    found, first, second = sparse(thread, handle), thread.session.thing(x, SparseMatrix), thread.session.thing(y, DenseMatrix)
    same(first.real, second.real)
    if first.columns != second.rows:
        raise Refusal("InvalidValue", f"vectors of {first.columns} and {second.rows} elements")
    if first.count:
        present(indices=first.places, values=first.values, y=second.values)
    return found, first, second


@answers("cusparseAxpby")
def axpby(thread: Thread, handle: int, alpha: int, x: int, beta: int, y: int) -> None:
    """y = alpha x + beta y."""
    found, first, second = _both(thread, handle, x, y)
    by, old = factors(thread, found, first.real, alpha, beta)
    if second.rows:
        run_for_each(thread, found, first.real, "scaled", second.rows, word(second.rows), old, word(second.values))
    if first.count:
        run_for_each(thread, found, first.real, "axpy", first.count, first.packed(), by, word(second.values))


@answers("cusparseGather")
def gather(thread: Thread, handle: int, y: int, x: int) -> None:
    """Take elements of y into x."""
    found, first, second = _both(thread, handle, x, y)
    if first.count:
        run_for_each(thread, found, first.real, "gather", first.count, first.packed(), word(second.values), word(first.values))


@answers("cusparseScatter")
def scatter(thread: Thread, handle: int, x: int, y: int) -> None:
    """Put the elements of x into y."""
    found, first, second = _both(thread, handle, x, y)
    if first.count:
        run_for_each(thread, found, first.real, "scatter", first.count, first.packed(), word(second.values))
