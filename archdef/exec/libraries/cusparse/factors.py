"""Incomplete factors of sparse matrices: L and U that have elements only where the matrix has."""
from __future__ import annotations

import attrs
import numpy as np

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix, general
from archdef.exec.libraries.cusparse.handles import answers, run, sparse, word
from archdef.exec.libraries.cusparse.levels import THREADS, Plan, arranged, elements_of, plan, plan_bytes, say_pivot
from archdef.exec.libraries.library import DEVICE, Real, at_least, give, say_bytes
from archdef.runtime.status import Refusal


@attrs.define(eq=False)
class Factors:
    """What analysis tells the factorization."""

    plan: Plan | None = None
    base: int = 0


def _matrix(thread: Thread, m: int, count: int, description: int, values: int, starts: int, places: int, real: Real) -> SparseMatrix:
    about = general(thread, description)
    at_least(0, m=m, elements=count)
    return SparseMatrix(m, m, count, starts, places, values, real, base=about.base)


@answers("cusparseCreateCsrilu02Info")
def create(thread: Thread, out: int) -> None:
    """Begin a factorization."""
    give(thread, out, Factors())


@answers("cusparseDestroyCsrilu02Info")
def destroy(thread: Thread, state: int) -> None:
    """Give it up."""
    thread.session.thing(state, Factors)
    thread.session.forget(state)


def _size(real: Real, thread: Thread, handle: int, m: int, count: int, description: int, state: int) -> int:
    sparse(thread, handle)
    a = _matrix(thread, m, count, description, 0, 0, 0, real)
    thread.session.thing(state, Factors)
    return plan_bytes(a.rows, a.count)


@answers("cusparse{}csrilu02_bufferSize")
def size_of(real: Real, thread: Thread, handle: int, m: Int, count: Int, description: int, values: int, starts: int, places: int, state: int,
            size: int) -> None:
    """Say how much memory the order of the rows takes."""
    say_bytes(thread, size, _size(real, thread, handle, m, count, description, state), 4)


@answers("cusparse{}csrilu02_bufferSizeExt")
def wide_size_of(real: Real, thread: Thread, handle: int, m: Int, count: Int, description: int, values: int, starts: int, places: int, state: int,
                 size: int) -> None:
    """Say it in 64 bits."""
    say_bytes(thread, size, _size(real, thread, handle, m, count, description, state))


@answers("cusparse{}csrilu02_analysis")
def analyse(real: Real, thread: Thread, handle: int, m: Int, count: Int, description: int, values: int, starts: int, places: int, state: int, policy: Int,
            buffer: int) -> None:
    """Find which rows wait for which."""
    found, a, made = sparse(thread, handle), _matrix(thread, m, count, description, values, starts, places, real), thread.session.thing(state, Factors)
    rows, columns = elements_of(thread, found, a)
    if ((np.diff(rows) == 0) & (np.diff(columns) <= 0)).any():
        raise Refusal("InvalidValue", "rows whose columns are not in ascending order")
    made.plan, made.base = None, a.base
    if a.rows:
        made.plan = plan(thread, found, arranged(a.rows, rows, columns, np.ones(a.count, bool)), False, True, buffer)


@answers("cusparse{}csrilu02")
def factor(real: Real, thread: Thread, handle: int, m: Int, count: Int, description: int, values: int, starts: int, places: int, state: int, policy: Int,
           buffer: int) -> None:
    """Make L and U, which take the place of A."""
    found, a, made = sparse(thread, handle), _matrix(thread, m, count, description, values, starts, places, real), thread.session.thing(state, Factors)
    a.placed()
    if not a.rows:
        return
    if made.plan is None or (made.plan.rows, made.plan.count) != (a.rows, a.count):
        raise Refusal("InvalidValue", "analysis of the same matrix comes first, with memory")
    run(thread, found, real, "factored", (1,), (THREADS,), made.plan.packed(), word(values), file="triangular")


@answers("cusparseXcsrilu02_zeroPivot")
def pivot(thread: Thread, handle: int, state: int, position: int) -> None:
    """Say where the first diagonal element is that is 0 or not there."""
    found, made = sparse(thread, handle), thread.session.thing(state, Factors)
    say_pivot(thread, found, made.plan, made.base, position, found.pointer_mode == DEVICE)
