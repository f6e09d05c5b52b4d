"""Sparse matrices by columns instead of rows, which are those of the transposed matrix."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix, based
from archdef.exec.libraries.cusparse.handles import answers, integer, run_for_each, sparse, typed, word
from archdef.exec.libraries.cusparse.sorting import WORD_BYTES, Sorted, put_starts, sort
from archdef.exec.libraries.library import at_least, present
from archdef.runtime.status import Refusal


def _checked(m: int, n: int, count: int, with_values: int, algorithm: int) -> tuple[int, int, int]:
    at_least(0, m=m, n=n, elements=count)
    if with_values not in (0, 1):
        raise Refusal("InvalidValue", f"no action {with_values}")
    if algorithm not in (1, 2):
        raise Refusal("InvalidValue", f"no algorithm {algorithm}")
    return m, n, count


def _nbytes(count: int) -> int:
    return 4 * WORD_BYTES * max(1, count)


@answers("cusparseCsr2cscEx2_bufferSize")
def transpose_size(thread: Thread, handle: int, m: Int, n: Int, count: Int, values: int, starts: int, places: int, to_values: int, to_starts: int,
                   to_places: int, kind: Int, with_values: Int, base: Int, algorithm: Int, size: int) -> None:
    """Say how much memory the sort needs."""
    sparse(thread, handle)
    m, n, count = _checked(m, n, count, with_values, algorithm)
    typed(kind)
    present(size=size)
    thread.memory.put_word(size, _nbytes(count))


@answers("cusparseCsr2cscEx2")
def transpose(thread: Thread, handle: int, m: Int, n: Int, count: Int, values: int, starts: int, places: int, to_values: int, to_starts: int,
              to_places: int, kind: Int, with_values: Int, base: Int, algorithm: Int, buffer: int) -> None:
    """Give a matrix by columns, each in the order of its rows."""
    found, real = sparse(thread, handle), typed(kind)
    m, n, count = _checked(m, n, count, with_values, algorithm)
    numeric, first = with_values, based(base)
    present(columns_out=to_starts)
    if count:
        present(rows=starts, columns=places, rows_out=to_places, buffer=buffer)
        if numeric:
            present(values=values, values_out=to_values)
    a = SparseMatrix(m, n, count, starts, places, values, real, base=first)
    c = SparseMatrix(n, m, count, to_starts, to_places, to_values, real, base=first)
    part = WORD_BYTES * count
    of, room = Sorted(buffer, buffer + part), Sorted(buffer + 2 * part, buffer + 3 * part)
    if count:
        run_for_each(thread, found, real, "columns", count, a.packed(), *map(word, of))
        of, room = sort(thread, found, real, count, of, room)
        run_for_each(thread, found, real, "transposed", count, a.packed(), word(of.places), c.packed(), integer(numeric))
    put_starts(thread, found, c, count, of.keys, 1)
