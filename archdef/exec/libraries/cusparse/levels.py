"""In which order the rows of triangular systems and factors are computed: level by level, each of rows that need only those before it."""
from __future__ import annotations

import struct
from typing import Final

import attrs
import numpy as np

from archdef.exec.calls import Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix
from archdef.exec.libraries.cusparse.handles import Sparse
from archdef.exec.libraries.cusparse.sorting import WORD_BYTES, read_number
from archdef.exec.libraries.library import device_memory_at, from_device, present, to_device
from archdef.runtime.status import Refusal

THREADS: Final = 128
"""Threads of a block of the kernels in triangular.cu."""
_NONE: Final = -1


@attrs.frozen
class Rows:
    """What each row needs: columns, and where their elements are."""

    starts: np.ndarray
    columns: np.ndarray
    elements: np.ndarray
    diagonals: np.ndarray
    """Where the diagonal elements are; -1 for those that are not there."""

    def levels(self, upper: bool) -> np.ndarray:
        """Give the level of each row, by what it needs on its side of the diagonal."""
        count = len(self.starts) - 1
        rows = np.repeat(np.arange(count), np.diff(self.starts))
        needed = self.columns > rows if upper else self.columns < rows
        starts = np.concatenate([[0], np.cumsum(needed)])[self.starts].tolist()
        columns = self.columns[needed].tolist()
        found = [0] * count
        for row in reversed(range(count)) if upper else range(count):
            found[row] = max((found[column] for column in columns[starts[row]:starts[row + 1]]), default=-1) + 1
        return np.array(found, "i8")


@attrs.frozen
class Plan:
    """Rows in their order, as the device has it in memory that the program gave."""

    address: int
    rows: int
    levels: int
    count: int

    def packed(self) -> bytes:
        """Lay it out as kernels take it."""
        parts = [1, self.rows, self.rows + 1, self.rows + 1, self.rows, self.count]       # of the memory: pivot, order, bounds, starts, diagonals, columns
        places = [self.address + WORD_BYTES * sum(parts[:number]) for number in range(len(parts) + 1)]
        return struct.pack("<7Q2q", *places, self.rows, self.levels)

    def pivot(self, thread: Thread, found: Sparse) -> int:
        """Wait for the handle's stream, and give the first row whose diagonal element is 0 or not there, or -1."""
        return read_number(thread, found, self.address)


def plan_bytes(rows: int, count: int) -> int:
    """Give how much memory a plan takes."""
    return WORD_BYTES * (4 * rows + 3 + 2 * count)


def device_array(thread: Thread, found: Sparse, address: int, count: int, wide: int) -> np.ndarray:
    """Wait for the handle's stream, and read indices of the device. Raises Refusal."""
    kind = np.dtype("i8" if wide else "i4")
    if not count:
        return np.empty(0, "i8")
    nbytes = count * kind.itemsize
    return np.frombuffer(from_device(thread, device_memory_at(thread, address, nbytes), nbytes, found.stream), kind).astype("i8")


def elements_of(thread: Thread, found: Sparse, a: SparseMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Read the row and the column of each element. Raises Refusal for indices that are none."""
    a.placed()
    if not a.rows:
        return np.empty(0, "i8"), np.empty(0, "i8")
    columns = device_array(thread, found, a.places, a.count, a.wide[1]) - a.base
    if a.by_element:
        rows = device_array(thread, found, a.starts, a.count, a.wide[0]) - a.base
    else:
        starts = device_array(thread, found, a.starts, a.rows + 1, a.wide[0]) - a.base
        if starts[0] or starts[-1] != a.count or (np.diff(starts) < 0).any():
            raise Refusal("InvalidValue", f"rows that do not begin one behind the other, or do not end at element {a.count}")
        rows = np.repeat(np.arange(a.rows), np.diff(starts))
    if a.count and not (0 <= columns.min() and columns.max() < a.columns and 0 <= rows.min() and rows.max() < a.rows):
        raise Refusal("InvalidValue", f"an element outside of a matrix of {a.rows} x {a.columns}")
    return rows, columns


def arranged(size: int, rows: np.ndarray, columns: np.ndarray, kept: np.ndarray) -> Rows:
    """Give what each row needs of the elements that are kept; the diagonal is taken out of all."""
    diagonals = np.full(size, _NONE, "i8")
    on = np.nonzero(rows == columns)[0]
    diagonals[rows[on]] = on
    elements = np.nonzero(kept)[0]
    elements = elements[np.argsort(rows[elements], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[elements], minlength=size))]).astype("i8")
    return Rows(starts, columns[elements], elements.astype("i8"), diagonals)


def plan(thread: Thread, found: Sparse, needs: Rows, upper: bool, missing_matters: bool, address: int) -> Plan:
    """Order rows, and write that to the program's memory. Raises Refusal."""
    present(buffer=address)
    levels = needs.levels(upper)
    order, count = np.argsort(levels, kind="stable"), int(levels.max(initial=-1)) + 1
    bounds = np.zeros(len(order) + 1, "i8")
    bounds[:count + 1] = np.searchsorted(levels[order], np.arange(count + 1))
    missing = np.nonzero(needs.diagonals == _NONE)[0]
    pivot = int(missing[0]) if missing_matters and len(missing) else _NONE
    words = np.concatenate([[pivot], order, bounds, needs.starts, needs.diagonals, needs.columns, needs.elements]).astype("i8")
    to_device(thread, device_memory_at(thread, address, words.nbytes), words, found.stream)
    return Plan(address, len(order), count, len(needs.columns))


def say_pivot(thread: Thread, found: Sparse, made: Plan | None, base: int, out: int, on_device: bool) -> None:
    """Tell the program the first row that has no diagonal element but 0, or -1. Raises Refusal if there is one."""
    present(position=out)
    row = _NONE if made is None else made.pivot(thread, found)
    value = row + base if row >= 0 else _NONE
    if on_device:
        to_device(thread, device_memory_at(thread, out, 4), np.array([value], "i4"), found.stream)
    else:
        thread.memory.put_word(out, value, 4)
    if row >= 0:
        raise Refusal("ZeroPivot", f"row {row} has no diagonal element, or it is 0")

