"""Sums of sparse matrices."""
from __future__ import annotations

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix, general
from archdef.exec.libraries.cusparse.handles import answers, factors, integer, run_for_each, sparse, word
from archdef.exec.libraries.cusparse.sorting import add_up, read_number
from archdef.exec.libraries.library import DEVICE, REALS, Real, at_least, present


@attrs.frozen
class _Given:
    """One matrix as these functions are told of it."""

    description: int
    count: int
    values: int
    starts: int
    places: int

    def matrix(self, thread: Thread, m: int, n: int, real: Real) -> SparseMatrix:
        about = general(thread, self.description)
        at_least(0, m=m, n=n, elements=self.count)
        return SparseMatrix(m, n, self.count, self.starts, self.places, self.values, real, base=about.base)


@answers("cusparse{}csrgeam2_bufferSizeExt")
def sum_size(real: Real, thread: Thread, handle: int, m: Int, n: Int, alpha: int, of_a: int, a_count: Int, a_values: int, a_starts: int, a_places: int,
             beta: int, of_b: int, b_count: Int, b_values: int, b_starts: int, b_places: int, of_c: int, c_values: int, c_starts: int, c_places: int,
             size: int) -> None:
    """Say that no memory is needed."""
    sparse(thread, handle)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseXcsrgeam2Nnz")
def sum_count(thread: Thread, handle: int, m: Int, n: Int, of_a: int, a_count: Int, a_starts: int, a_places: int, of_b: int, b_count: Int, b_starts: int,
              b_places: int, of_c: int, c_starts: int, total: int, workspace: int) -> None:
    """Write where the rows of a sum begin, and how many elements it has."""
    found, base = sparse(thread, handle), general(thread, of_c).base
    single = REALS["S"]
    a = _Given(of_a, a_count, 0, a_starts, a_places).matrix(thread, m, n, single)
    b = _Given(of_b, b_count, 0, b_starts, b_places).matrix(thread, m, n, single)
    present(rows_a=a_starts, rows_b=b_starts, rows_out=c_starts, total=total)
    if a.count:
        present(columns_a=a_places)
    if b.count:
        present(columns_b=b_places)
    run_for_each(thread, found, single, "union_counts", a.rows + 1, a.packed(), b.packed(), integer(base), word(c_starts))
    add_up(thread, found, single, a.rows + 1, c_starts, "added_up_int")
    if found.pointer_mode == DEVICE:
        run_for_each(thread, found, single, "last_count", 1, word(a.rows), word(c_starts), word(total))
    else:
        thread.memory.put_word(total, read_number(thread, found, c_starts + 4 * a.rows, 4) - base, 4)


@answers("cusparse{}csrgeam2")
def add(real: Real, thread: Thread, handle: int, m: Int, n: Int, alpha: int, of_a: int, a_count: Int, a_values: int, a_starts: int, a_places: int,
        beta: int, of_b: int, b_count: Int, b_values: int, b_starts: int, b_places: int, of_c: int, c_values: int, c_starts: int, c_places: int,
        buffer: int) -> None:
    """C = alpha A + beta B, where `sum_count` has written the rows of C."""
    found = sparse(thread, handle)
    a = _Given(of_a, a_count, a_values, a_starts, a_places).matrix(thread, m, n, real)
    b = _Given(of_b, b_count, b_values, b_starts, b_places).matrix(thread, m, n, real)
    c = _Given(of_c, 0, c_values, c_starts, c_places).matrix(thread, m, n, real)
    by, other = factors(thread, found, real, alpha, beta)
    for each in (a, b, c):
        each.placed()
    if a.count or b.count:
        present(columns_out=c_places, values_out=c_values)
    if a.rows:
        run_for_each(thread, found, real, "united", a.rows, a.packed(), by, b.packed(), other, c.packed())
