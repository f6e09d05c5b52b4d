"""Kernels that more than one function needs which makes a sparse matrix: sums of counts, and a sort."""
from __future__ import annotations

from typing import Final, NamedTuple

from archdef.exec.calls import Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix
from archdef.exec.libraries.cusparse.handles import Sparse, run, run_for_each, word
from archdef.exec.libraries.library import Real, device_memory_at, from_device

WORD_BYTES: Final = 8
SUMMED_AT_ONCE: Final = 256


class Sorted(NamedTuple):
    """Where keys are, and the places that go with them."""

    keys: int
    places: int


def add_up(thread: Thread, found: Sparse, real: Real, count: int, counts: int, name: str = "added_up") -> None:
    """Let counts become sums of all up to each."""
    run(thread, found, real, name, (1,), (SUMMED_AT_ONCE,), word(count), word(counts))


def sort(thread: Thread, found: Sparse, real: Real, count: int, of: Sorted, room: Sorted) -> tuple[Sorted, Sorted]:
    """Sort by keys, where equal ones keep their order; gives where they are then, and where there is room."""
    width = 1
    while width < count:
        run_for_each(thread, found, real, "merged", count, word(count), word(width), *map(word, (*of, *room)))
        of, room, width = room, of, 2 * width
    return of, room


def put_starts(thread: Thread, found: Sparse, c: SparseMatrix, count: int, keys: int, step: int) -> None:
    """Write where the rows of a matrix begin, by the sorted keys of its elements, which are at least the row's number times `step`."""
    run_for_each(thread, found, c.real, "row_starts", c.rows + 1, word(count), word(keys), word(step), c.packed())


def read_number(thread: Thread, found: Sparse, address: int, nbytes: int = WORD_BYTES) -> int:
    """Wait for the handle's stream, and read a number of the device. Raises Refusal."""
    return int.from_bytes(from_device(thread, device_memory_at(thread, address, nbytes), nbytes, found.stream), "little", signed=True)
