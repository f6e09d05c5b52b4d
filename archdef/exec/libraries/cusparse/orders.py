"""Orders of the elements of sparse matrices."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix, general
from archdef.exec.libraries.cusparse.handles import answers, run_for_each, sparse, word
from archdef.exec.libraries.cusparse.sorting import WORD_BYTES, Sorted, sort
from archdef.exec.libraries.library import REALS, at_least, present


@answers("cusparseCreateIdentityPermutation")
def identity(thread: Thread, handle: int, n: Int, places: int) -> None:
    """Write the order in which nothing is moved."""
    found = sparse(thread, handle)
    at_least(0, n=n)
    if n:
        present(permutation=places)
        run_for_each(thread, found, REALS["S"], "identity", n, word(n), word(places))


@answers("cusparseXcsrsort_bufferSizeExt")
def sort_size(thread: Thread, handle: int, m: Int, n: Int, count: Int, starts: int, places: int, size: int) -> None:
    """Say how much memory the sort needs."""
    sparse(thread, handle)
    at_least(0, m=m, n=n, elements=count)
    present(size=size)
    thread.memory.put_word(size, 4 * WORD_BYTES * max(1, count))


@answers("cusparseXcsrsort")
def sort_rows(thread: Thread, handle: int, m: Int, n: Int, count: Int, description: int, starts: int, places: int, order: int, buffer: int) -> None:
    """Bring the columns of each row into ascending order, and a permutation with them."""
    found, base, real = sparse(thread, handle), general(thread, description).base, REALS["S"]
    at_least(0, m=m, n=n, elements=count)
    if not count:
        return
    present(rows=starts, columns=places, permutation=order, buffer=buffer)
    a, part = SparseMatrix(m, n, count, starts, places, 0, real, base=base), WORD_BYTES * count
    of, room = Sorted(buffer, buffer + part), Sorted(buffer + 2 * part, buffer + 3 * part)
    run_for_each(thread, found, real, "element_keys", count, a.packed(), *map(word, of))
    of, room = sort(thread, found, real, count, of, room)
    run_for_each(thread, found, real, "picked", count, word(count), word(of.places), word(order), word(room.keys))
    run_for_each(thread, found, real, "put_sorted", count, a.packed(), word(of.keys), word(room.keys), word(order))
