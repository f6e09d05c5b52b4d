"""Descriptions of matrices and vectors."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.handles import answers, typed
from archdef.exec.libraries.library import Real, at_least, give, long, present
from archdef.runtime.status import Refusal

_WIDE: Final = {2: 0, 3: 1}
"""cusparseIndexType_t → whether indices have 64 bits."""
_ROW_ORDER: Final = 2


@attrs.define(eq=False)
class SparseMatrix:
    """A matrix as rows (CSR), or as elements (COO); a sparse vector has no rows."""

    rows: int
    columns: int
    count: int
    starts: int
    places: int
    values: int
    real: Real
    wide: tuple[int, int] = (0, 0)
    base: int = 0
    by_element: bool = False
    batches: int = 1
    next_starts: int = 0
    """Starts from one matrix of a batch to the next."""
    next_elements: int = 0
    upper: int = 0
    """Which half is meant where the matrix is taken as a triangular one."""
    unit: int = 0
    """Whether the diagonal is then all 1."""

    def packed(self) -> bytes:
        """Lay it out as kernels take it."""
        return struct.pack("<3q3Q4i", self.rows, self.columns, self.count, self.starts, self.places, self.values, *self.wide, self.base, self.by_element)

    def strides(self) -> bytes:
        """Lay out how far the matrices of a batch are apart, as kernels take it."""
        return struct.pack("<2q", *(self.next_starts, self.next_elements) if self.batches > 1 else (0, 0))

    def placed(self) -> None:
        """Refuse a matrix whose memory is not set. Raises Refusal."""
        if self.rows:
            present(rows=self.starts)
        if self.count:
            present(columns=self.places, values=self.values)


@attrs.define(eq=False)
class DenseMatrix:
    """A matrix all of whose elements are there; a vector has one column."""

    rows: int
    columns: int
    values: int
    real: Real
    row: int
    """Elements from one row to the next."""
    column: int
    batches: int = 1
    next: int = 0
    """Elements from one matrix of a batch to the next."""

    def packed(self, turned: bool = False) -> bytes:
        """Lay it out as kernels take it."""
        return struct.pack("<Q3q", self.values, *((self.column, self.row) if turned else (self.row, self.column)), self.next if self.batches > 1 else 0)


@attrs.define(eq=False)
class Description:
    """What older functions are told of a matrix."""

    type: int = 0
    fill_mode: int = 0
    diagonal_type: int = 0
    base: int = 0


def index(kind: int) -> int:
    """Give whether indices have 64 bits. Raises Refusal."""
    if kind not in _WIDE:
        raise Refusal("NotSupported", f"indices of type {kind}: those of 32 and 64 bits are there")
    return _WIDE[kind]


def based(base: int) -> int:
    """Give where indices begin. Raises Refusal."""
    if base not in (0, 1):
        raise Refusal("InvalidValue", f"indices that begin at {base}")
    return base


@answers("cusparseCreateMatDescr")
def create_description(thread: Thread, out: int) -> None:
    """Describe a general matrix whose indices begin at 0."""
    give(thread, out, Description())


@answers("cusparseDestroyMatDescr")
def destroy_description(thread: Thread, handle: int) -> None:
    """Give a description up."""
    thread.session.thing(handle, Description)
    thread.session.forget(handle)


def _set(thread: Thread, handle: int, name: str, value: int, most: int) -> None:
    found = thread.session.thing(handle, Description)
    if not 0 <= value <= most:
        raise Refusal("InvalidValue", f"no {name.replace('_', ' ')} {value}")
    setattr(found, name, value)


@answers("cusparseSetMatType")
def set_type(thread: Thread, handle: int, value: Int) -> None:
    """Set what the matrix is."""
    _set(thread, handle, "type", value, 3)


@answers("cusparseSetMatIndexBase")
def set_base(thread: Thread, handle: int, value: Int) -> None:
    """Set where indices begin."""
    _set(thread, handle, "base", value, 1)


@answers("cusparseSetMatFillMode")
def set_fill_mode(thread: Thread, handle: int, value: Int) -> None:
    """Set which half of a triangular matrix is meant."""
    _set(thread, handle, "fill_mode", value, 1)


@answers("cusparseSetMatDiagType")
def set_diagonal_type(thread: Thread, handle: int, value: Int) -> None:
    """Set whether the diagonal is all 1."""
    _set(thread, handle, "diagonal_type", value, 1)


@answers("cusparseGetMatType")
def get_type(thread: Thread, handle: int) -> int:
    """Say what the matrix is."""
    return thread.session.thing(handle, Description).type


@answers("cusparseGetMatFillMode")
def get_fill_mode(thread: Thread, handle: int) -> int:
    """Say which half of a triangular matrix is meant."""
    return thread.session.thing(handle, Description).fill_mode


@answers("cusparseGetMatDiagType")
def get_diagonal_type(thread: Thread, handle: int) -> int:
    """Say whether the diagonal is all 1."""
    return thread.session.thing(handle, Description).diagonal_type


@answers("cusparseGetMatIndexBase")
def get_base(thread: Thread, handle: int) -> int:
    """Say where indices begin."""
    return thread.session.thing(handle, Description).base


@answers("cusparseCreateCsr", "cusparseCreateConstCsr")
def create_csr(thread: Thread, out: int, rows: int, columns: int, count: int, starts: int, places: int, values: int, starts_type: Int, places_type: Int,
               base: Int, kind: Int) -> None:
    """Describe a matrix by rows."""
    at_least(0, rows=long(rows), columns=long(columns), elements=long(count))
    give(thread, out, SparseMatrix(rows, columns, count, starts, places, values, typed(kind), (index(starts_type), index(places_type)), based(base)))


@answers("cusparseCreateCoo", "cusparseCreateConstCoo")
def create_coo(thread: Thread, out: int, rows: int, columns: int, count: int, row_of: int, places: int, values: int, index_type: Int, base: Int,
               kind: Int) -> None:
    """Describe a matrix by elements, in the order of their rows."""
    at_least(0, rows=long(rows), columns=long(columns), elements=long(count))
    wide = index(index_type)
    give(thread, out, SparseMatrix(rows, columns, count, row_of, places, values, typed(kind), (wide, wide), based(base), by_element=True))


@answers("cusparseCreateSpVec", "cusparseCreateConstSpVec")
def create_sparse_vector(thread: Thread, out: int, size: int, count: int, places: int, values: int, index_type: Int, base: Int, kind: Int) -> None:
    """Describe a vector of which few elements are there."""
    at_least(0, size=long(size), elements=long(count))
    give(thread, out, SparseMatrix(0, size, count, 0, places, values, typed(kind), (0, index(index_type)), based(base)))


@answers("cusparseDestroySpMat", "cusparseDestroySpVec")
def destroy_sparse(thread: Thread, handle: int) -> None:
    """Give a description up."""
    thread.session.thing(handle, SparseMatrix)
    thread.session.forget(handle)


@answers("cusparseSpMatGetSize")
def sparse_size(thread: Thread, handle: int, rows: int, columns: int, count: int) -> None:
    """Give numbers of rows, columns and elements."""
    found = thread.session.thing(handle, SparseMatrix)
    for out, value in ((rows, found.rows), (columns, found.columns), (count, found.count)):
        present(size=out)
        thread.memory.put_word(out, value)


def _set_pointers(thread: Thread, handle: int, starts: int, places: int, values: int, by_element: bool) -> None:
    found = thread.session.thing(handle, SparseMatrix)
    if found.by_element != by_element:
        raise Refusal("InvalidValue", f"a matrix by {'elements' if found.by_element else 'rows'}")
    found.starts, found.places, found.values = starts, places, values


@answers("cusparseCsrSetPointers")
def set_csr_pointers(thread: Thread, handle: int, starts: int, places: int, values: int) -> None:
    """Set where a matrix by rows is."""
    _set_pointers(thread, handle, starts, places, values, by_element=False)


@answers("cusparseCooSetPointers")
def set_coo_pointers(thread: Thread, handle: int, row_of: int, places: int, values: int) -> None:
    """Set where a matrix by elements is."""
    _set_pointers(thread, handle, row_of, places, values, by_element=True)


def _strided(found: SparseMatrix | DenseMatrix, batches: int, *strides: int) -> None:
    at_least(1, batches=batches)
    at_least(0, **{f"stride_{number}": long(each) for number, each in enumerate(strides)})
    found.batches = batches


@answers("cusparseCsrSetStridedBatch")
def set_csr_batch(thread: Thread, handle: int, batches: Int, next_starts: int, next_elements: int) -> None:
    """Say that a description is of several matrices."""
    found = thread.session.thing(handle, SparseMatrix)
    _strided(found, batches, next_starts, next_elements)
    found.next_starts, found.next_elements = next_starts, next_elements


@answers("cusparseCooSetStridedBatch")
def set_coo_batch(thread: Thread, handle: int, batches: Int, next_elements: int) -> None:
    """Say that a description is of several matrices."""
    found = thread.session.thing(handle, SparseMatrix)
    _strided(found, batches, next_elements)
    found.next_starts = found.next_elements = next_elements


@answers("cusparseSpMatGetStridedBatch")
def get_sparse_batch(thread: Thread, handle: int, out: int) -> None:
    """Say of how many matrices a description is."""
    present(batches=out)
    thread.memory.put_word(out, thread.session.thing(handle, SparseMatrix).batches, 4)


@answers("cusparseSpMatGetValues", "cusparseSpVecGetValues")
def get_sparse_values(thread: Thread, handle: int, out: int) -> None:
    """Say where elements are."""
    present(values=out)
    thread.memory.put_word(out, thread.session.thing(handle, SparseMatrix).values)


@answers("cusparseSpMatSetValues", "cusparseSpVecSetValues")
def set_sparse_values(thread: Thread, handle: int, values: int) -> None:
    """Set where elements are."""
    thread.session.thing(handle, SparseMatrix).values = values


@answers("cusparseCreateDnVec", "cusparseCreateConstDnVec")
def create_vector(thread: Thread, out: int, size: int, values: int, kind: Int) -> None:
    """Describe a vector."""
    at_least(0, size=long(size))
    give(thread, out, DenseMatrix(size, 1, values, typed(kind), 1, size))


@answers("cusparseCreateDnMat", "cusparseCreateConstDnMat")
def create_dense(thread: Thread, out: int, rows: int, columns: int, leading: int, values: int, kind: Int, order: Int) -> None:
    """Describe a matrix whose elements are all there, column by column (1) or row by row (2)."""
    if order not in (1, _ROW_ORDER):
        raise Refusal("InvalidValue", f"no order {order} of elements")
    by_rows = order == _ROW_ORDER
    at_least(0, rows=long(rows), columns=long(columns))
    at_least(max(1, columns if by_rows else rows), leading_dimension=long(leading))
    if leading * (rows if by_rows else columns) >> 63:
        raise Refusal("InvalidValue", f"a matrix of {rows} x {columns} elements, whose leading dimension is {leading}")
    give(thread, out, DenseMatrix(rows, columns, values, typed(kind), *((leading, 1) if by_rows else (1, leading))))


@answers("cusparseDnMatSetStridedBatch")
def set_dense_batch(thread: Thread, handle: int, batches: Int, next: int) -> None:
    """Say that a description is of several matrices."""
    found = thread.session.thing(handle, DenseMatrix)
    _strided(found, batches, next)
    found.next = next


@answers("cusparseDnMatGetStridedBatch")
def get_dense_batch(thread: Thread, handle: int, batches: int, next: int) -> None:
    """Say of how many matrices a description is, and how far apart they are."""
    found = thread.session.thing(handle, DenseMatrix)
    present(batches=batches, stride=next)
    thread.memory.put_word(batches, found.batches, 4)
    thread.memory.put_word(next, found.next)


@answers("cusparseDnVecGetValues", "cusparseDnMatGetValues")
def get_values(thread: Thread, handle: int, out: int) -> None:
    """Say where elements are."""
    present(values=out)
    thread.memory.put_word(out, thread.session.thing(handle, DenseMatrix).values)


@answers("cusparseDestroyDnVec", "cusparseDestroyDnMat")
def destroy_dense(thread: Thread, handle: int) -> None:
    """Give a description up."""
    thread.session.thing(handle, DenseMatrix)
    thread.session.forget(handle)


@answers("cusparseDnVecSetValues", "cusparseDnMatSetValues")
def set_values(thread: Thread, handle: int, values: int) -> None:
    """Set where elements are."""
    thread.session.thing(handle, DenseMatrix).values = values


def general(thread: Thread, description: int) -> Description:
    """Give what older functions are told of a matrix, if that is nothing in particular. Raises Refusal."""
    found = thread.session.thing(description, Description)
    if found.type:
        raise Refusal("MatrixType", f"matrices of type {found.type}: general ones are there")
    return found
