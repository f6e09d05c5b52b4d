"""cuSPARSE: sparse matrices with vectors and dense matrices. Reference: cusparse.h of CUDA."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Thread, signed
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import DEVICE, HOST, REALS, Library, Real, at_least, blocks, present, scalar
from archdef.runtime.status import Refusal

LIBRARY: Final = Library("cusparse", not_supported=10, lacking=4, other=7, statuses={
    "InvalidResourceHandle": 1, "MemoryAllocation": 2, "InvalidValue": 3, "InvalidConfiguration": 3, "MatrixType": 8, "IllegalAddress": 6,
    "MisalignedAddress": 6, "LaunchFailure": 6, "LaunchTimeout": 6})
answers = LIBRARY.answers
_NAMES: Final = {0: "SUCCESS", 1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "ARCH_MISMATCH", 5: "MAPPING_ERROR", 6: "EXECUTION_FAILED",
                 7: "INTERNAL_ERROR", 8: "MATRIX_TYPE_NOT_SUPPORTED", 9: "ZERO_PIVOT", 10: "NOT_SUPPORTED", 11: "INSUFFICIENT_RESOURCES"}
_THREADS, _LANES, _ROWS = 128, 32, 4
_REAL: Final = {0: REALS["S"], 1: REALS["D"]}
"""cudaDataType."""
_WIDE: Final = {2: 0, 3: 1}
"""cusparseIndexType_t → whether indices have 64 bits."""
_ROW_ORDER: Final = 2


@attrs.define(eq=False)
class Sparse:
    """What a handle stands for."""

    stream: int = 0
    pointer_mode: int = HOST


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

    def packed(self) -> bytes:
        """Lay it out as kernels take it."""
        return struct.pack("<3q3Q4i", self.rows, self.columns, self.count, self.starts, self.places, self.values, *self.wide, self.base, self.by_element)


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

    def packed(self, turned: bool = False) -> bytes:
        """Lay it out as kernels take it."""
        return struct.pack("<Qqq", self.values, *((self.column, self.row) if turned else (self.row, self.column)))


@attrs.define(eq=False)
class Description:
    """What older functions are told of a matrix."""

    type: int = 0
    fill_mode: int = 0
    diagonal_type: int = 0
    base: int = 0


def _sparse(thread: Thread, handle: int) -> Sparse:
    return thread.session.thing(handle, Sparse)


def _long(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _typed(kind: int) -> Real:
    if signed(kind) not in _REAL:
        raise Refusal("NotSupported", f"elements of type {signed(kind)}: single and double precision are there")
    return _REAL[signed(kind)]


def _index(kind: int) -> int:
    if signed(kind) not in _WIDE:
        raise Refusal("NotSupported", f"indices of type {signed(kind)}: those of 32 and 64 bits are there")
    return _WIDE[signed(kind)]


def _based(base: int) -> int:
    if signed(base) not in (0, 1):
        raise Refusal("InvalidValue", f"indices that begin at {signed(base)}")
    return signed(base)


def _operation(number: int) -> int:
    if signed(number) not in (0, 1, 2):
        raise Refusal("InvalidValue", f"no operation {signed(number)} on a matrix")
    return int(signed(number) != 0)


def _put(thread: Thread, out: int, thing: object) -> None:
    present(descriptor=out)
    thread.memory.put_word(out, thread.session.handle(thing))


# -------------------------------------------------------------------------------------------------------------------- handles
@answers("cusparseCreate")
def create(thread: Thread, out: int) -> None:
    """Make a handle."""
    thread.runtime.device()
    _put(thread, out, Sparse())


@answers("cusparseDestroy")
def destroy(thread: Thread, handle: int) -> None:
    """Give a handle up."""
    _sparse(thread, handle)
    thread.session.forget(handle)


@answers("cusparseGetVersion")
def version(thread: Thread, handle: int, out: int) -> None:
    """Say which version the program was compiled for."""
    _sparse(thread, handle)
    present(version=out)
    thread.memory.put_word(out, 1000 * thread.session.cuda, 4)


@answers("cusparseGetErrorName")
def error_name(thread: Thread, number: int) -> int:
    """Give a status its name."""
    return thread.string("CUSPARSE_STATUS_" + _NAMES.get(signed(number), "UNKNOWN"))


@answers("cusparseGetErrorString")
def error_text(thread: Thread, number: int) -> int:
    """Say what a status means."""
    return thread.string(_NAMES.get(signed(number), "unknown").lower().replace("_", " "))


@answers("cusparseSetStream")
def set_stream(thread: Thread, handle: int, stream: int) -> None:
    """Set where kernels go."""
    found = _sparse(thread, handle)
    thread.session.stream(stream)
    found.stream = stream


@answers("cusparseGetStream")
def get_stream(thread: Thread, handle: int, out: int) -> None:
    """Say where kernels go."""
    present(stream=out)
    thread.memory.put_word(out, _sparse(thread, handle).stream)


@answers("cusparseSetPointerMode")
def set_pointer_mode(thread: Thread, handle: int, mode: int) -> None:
    """Say where factors are."""
    found = _sparse(thread, handle)
    if signed(mode) not in (HOST, DEVICE):
        raise Refusal("InvalidValue", f"no pointer mode {signed(mode)}")
    found.pointer_mode = signed(mode)


@answers("cusparseGetPointerMode")
def get_pointer_mode(thread: Thread, handle: int, out: int) -> None:
    """Say where factors are."""
    present(mode=out)
    thread.memory.put_word(out, _sparse(thread, handle).pointer_mode, 4)


# --------------------------------------------------------------------------------------------------------------- descriptions
@answers("cusparseCreateMatDescr")
def create_description(thread: Thread, out: int) -> None:
    """Describe a general matrix whose indices begin at 0."""
    _put(thread, out, Description())


@answers("cusparseDestroyMatDescr")
def destroy_description(thread: Thread, handle: int) -> None:
    """Give a description up."""
    thread.session.thing(handle, Description)
    thread.session.forget(handle)


def _set(thread: Thread, handle: int, name: str, value: int, most: int) -> None:
    found = thread.session.thing(handle, Description)
    if not 0 <= signed(value) <= most:
        raise Refusal("InvalidValue", f"no {name.replace('_', ' ')} {signed(value)}")
    setattr(found, name, signed(value))


@answers("cusparseSetMatType")
def set_type(thread: Thread, handle: int, value: int) -> None:
    """Set what the matrix is."""
    _set(thread, handle, "type", value, 3)


@answers("cusparseSetMatIndexBase")
def set_base(thread: Thread, handle: int, value: int) -> None:
    """Set where indices begin."""
    _set(thread, handle, "base", value, 1)


@answers("cusparseSetMatFillMode")
def set_fill_mode(thread: Thread, handle: int, value: int) -> None:
    """Set which half of a triangular matrix is meant."""
    _set(thread, handle, "fill_mode", value, 1)


@answers("cusparseSetMatDiagType")
def set_diagonal_type(thread: Thread, handle: int, value: int) -> None:
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
def create_csr(thread: Thread, out: int, rows: int, columns: int, count: int, starts: int, places: int, values: int, starts_type: int, places_type: int,
               base: int, kind: int) -> None:
    """Describe a matrix by rows."""
    at_least(0, rows=_long(rows), columns=_long(columns), elements=_long(count))
    _put(thread, out, SparseMatrix(rows, columns, count, starts, places, values, _typed(kind), (_index(starts_type), _index(places_type)), _based(base)))


@answers("cusparseCreateCoo", "cusparseCreateConstCoo")
def create_coo(thread: Thread, out: int, rows: int, columns: int, count: int, row_of: int, places: int, values: int, index_type: int, base: int,
               kind: int) -> None:
    """Describe a matrix by elements, in the order of their rows."""
    at_least(0, rows=_long(rows), columns=_long(columns), elements=_long(count))
    wide = _index(index_type)
    _put(thread, out, SparseMatrix(rows, columns, count, row_of, places, values, _typed(kind), (wide, wide), _based(base), by_element=True))


@answers("cusparseCreateSpVec", "cusparseCreateConstSpVec")
def create_sparse_vector(thread: Thread, out: int, size: int, count: int, places: int, values: int, index_type: int, base: int, kind: int) -> None:
    """Describe a vector of which few elements are there."""
    at_least(0, size=_long(size), elements=_long(count))
    _put(thread, out, SparseMatrix(0, size, count, 0, places, values, _typed(kind), (0, _index(index_type)), _based(base)))


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


@answers("cusparseCsrSetPointers")
def set_pointers(thread: Thread, handle: int, starts: int, places: int, values: int) -> None:
    """Set where a matrix is."""
    found = thread.session.thing(handle, SparseMatrix)
    found.starts, found.places, found.values = starts, places, values


@answers("cusparseCreateDnVec", "cusparseCreateConstDnVec")
def create_vector(thread: Thread, out: int, size: int, values: int, kind: int) -> None:
    """Describe a vector."""
    at_least(0, size=_long(size))
    _put(thread, out, DenseMatrix(size, 1, values, _typed(kind), 1, size))


@answers("cusparseCreateDnMat", "cusparseCreateConstDnMat")
def create_dense(thread: Thread, out: int, rows: int, columns: int, leading: int, values: int, kind: int, order: int) -> None:
    """Describe a matrix whose elements are all there, column by column (1) or row by row (2)."""
    if signed(order) not in (1, _ROW_ORDER):
        raise Refusal("InvalidValue", f"no order {signed(order)} of elements")
    by_rows = signed(order) == _ROW_ORDER
    at_least(0, rows=_long(rows), columns=_long(columns))
    at_least(max(1, columns if by_rows else rows), leading_dimension=_long(leading))
    _put(thread, out, DenseMatrix(rows, columns, values, _typed(kind), *((leading, 1) if by_rows else (1, leading))))


@answers("cusparseDestroyDnVec", "cusparseDestroyDnMat")
def destroy_dense(thread: Thread, handle: int) -> None:
    """Give a description up."""
    thread.session.thing(handle, DenseMatrix)
    thread.session.forget(handle)


@answers("cusparseDnVecSetValues", "cusparseDnMatSetValues")
def set_values(thread: Thread, handle: int, values: int) -> None:
    """Set where elements are."""
    thread.session.thing(handle, DenseMatrix).values = values


# ------------------------------------------------------------------------------------------------------------------- products
def _run(thread: Thread, found: Sparse, real: Real, name: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: bytes) -> None:
    chosen = kernel(thread, f"sparse.{real.letter}", f"archdef_{real.letter}_{name}")
    launch(thread, chosen, grid, block, arguments, found.stream)


def _same(*reals: Real) -> Real:
    if len(set(reals)) != 1:
        raise Refusal("NotSupported", "elements of single and of double precision in one call")
    return reals[0]


def _straight(operation: int) -> None:
    if _operation(operation):
        raise Refusal("NotSupported", "products with a transposed sparse matrix")


def _times_vector(thread: Thread, found: Sparse, a: SparseMatrix, alpha: int, x: int, beta: int, y: int) -> None:
    factors = [scalar(thread, a.real, each, found.pointer_mode == DEVICE) for each in (alpha, beta)]
    if a.rows:
        present(rows=a.starts, y=y)
        if a.count:
            present(columns=a.places, values=a.values, x=x)
        _run(thread, found, a.real, "spmv", blocks(thread, -(-a.rows // _ROWS)), (_LANES, _ROWS), a.packed(), factors[0], struct.pack("<Q", x), factors[1],
             struct.pack("<Q", y))


def _times_matrix(thread: Thread, found: Sparse, a: SparseMatrix, alpha: int, b: bytes, beta: int, c: DenseMatrix) -> None:
    factors = [scalar(thread, a.real, each, found.pointer_mode == DEVICE) for each in (alpha, beta)]
    if a.rows and c.columns:
        present(rows=a.starts, c=c.values)
        _run(thread, found, a.real, "spmm", blocks(thread, -(-a.rows * c.columns // _THREADS)), (_THREADS,), a.packed(), factors[0], b, factors[1], c.packed(),
             struct.pack("<q", c.columns))


@answers("cusparseSpMV_bufferSize")
def spmv_size(thread: Thread, handle: int, operation: int, alpha: int, matrix: int, x: int, beta: int, y: int, kind: int, algorithm: int, size: int) -> None:
    """Say that no memory is needed."""
    _sparse(thread, handle)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseSpMV_preprocess")
def spmv_prepare(thread: Thread, handle: int, operation: int, alpha: int, matrix: int, x: int, beta: int, y: int, kind: int, algorithm: int,
                 buffer: int) -> None:
    """Check the matrix: its kernel needs no preparation."""
    _sparse(thread, handle)
    thread.session.thing(matrix, SparseMatrix)


@answers("cusparseSpMV")
def spmv(thread: Thread, handle: int, operation: int, alpha: int, matrix: int, x: int, beta: int, y: int, kind: int, algorithm: int, buffer: int) -> None:
    """y = alpha A x + beta y."""
    found, a = _sparse(thread, handle), thread.session.thing(matrix, SparseMatrix)
    first, second = thread.session.thing(x, DenseMatrix), thread.session.thing(y, DenseMatrix)
    _straight(operation)
    _same(a.real, first.real, second.real, _typed(kind))
    if (first.rows, second.rows) != (a.columns, a.rows):
        raise Refusal("InvalidValue", f"a matrix of {a.rows} x {a.columns}, and vectors of {first.rows} and {second.rows}")
    _times_vector(thread, found, a, alpha, first.values, beta, second.values)


@answers("cusparseSpMM_bufferSize")
def spmm_size(thread: Thread, handle: int, of_a: int, of_b: int, alpha: int, matrix: int, b: int, beta: int, c: int, kind: int, algorithm: int,
              size: int) -> None:
    """Say that no memory is needed."""
    _sparse(thread, handle)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cusparseSpMM_preprocess")
def spmm_prepare(thread: Thread, handle: int, of_a: int, of_b: int, alpha: int, matrix: int, b: int, beta: int, c: int, kind: int, algorithm: int,
                 buffer: int) -> None:
    """Check the matrix: its kernel needs no preparation."""
    _sparse(thread, handle)
    thread.session.thing(matrix, SparseMatrix)


@answers("cusparseSpMM")
def spmm(thread: Thread, handle: int, of_a: int, of_b: int, alpha: int, matrix: int, b: int, beta: int, c: int, kind: int, algorithm: int,
         buffer: int) -> None:
    """C = alpha A op(B) + beta C."""
    found, a = _sparse(thread, handle), thread.session.thing(matrix, SparseMatrix)
    second, third = thread.session.thing(b, DenseMatrix), thread.session.thing(c, DenseMatrix)
    turned = bool(_operation(of_b))
    _straight(of_a)
    _same(a.real, second.real, third.real, _typed(kind))
    rows, columns = (second.columns, second.rows) if turned else (second.rows, second.columns)
    if (rows, columns, third.rows) != (a.columns, third.columns, a.rows):
        raise Refusal("InvalidValue", f"{a.rows} x {a.columns} times {rows} x {columns} into {third.rows} x {third.columns}")
    _times_matrix(thread, found, a, alpha, second.packed(turned), beta, third)


def _general(thread: Thread, description: int) -> Description:
    found = thread.session.thing(description, Description)
    if found.type:
        raise Refusal("MatrixType", f"matrices of type {found.type}: general ones are there")
    return found


@answers("cusparse{}csrmv")
def csrmv(real: Real, thread: Thread, handle: int, operation: int, m: int, n: int, count: int, alpha: int, description: int, values: int, starts: int,
          places: int, x: int, beta: int, y: int) -> None:
    """y = alpha A x + beta y, as before CUDA 11."""
    found, about = _sparse(thread, handle), _general(thread, description)
    m, n, count = signed(m), signed(n), signed(count)
    at_least(0, m=m, n=n, elements=count)
    _straight(operation)
    _times_vector(thread, found, SparseMatrix(m, n, count, starts, places, values, real, base=about.base), alpha, x, beta, y)


@answers("cusparse{}csrmm")
def csrmm(real: Real, thread: Thread, handle: int, operation: int, m: int, n: int, k: int, count: int, alpha: int, description: int, values: int,
          starts: int, places: int, b: int, ldb: int, beta: int, c: int, ldc: int) -> None:
    """C = alpha A B + beta C, as before CUDA 11."""
    found, about = _sparse(thread, handle), _general(thread, description)
    m, n, k, count = signed(m), signed(n), signed(k), signed(count)
    at_least(0, m=m, n=n, k=k, elements=count)
    at_least(max(1, k), ldb=signed(ldb))
    at_least(max(1, m), ldc=signed(ldc))
    _straight(operation)
    a = SparseMatrix(m, k, count, starts, places, values, real, base=about.base)
    _times_matrix(thread, found, a, alpha, struct.pack("<Qqq", b, 1, signed(ldb)), beta, DenseMatrix(m, n, c, real, 1, signed(ldc)))


# -------------------------------------------------------------------------------------------------------------------- vectors
def _both(thread: Thread, handle: int, x: int, y: int) -> tuple[Sparse, SparseMatrix, DenseMatrix]:
    found, first, second = _sparse(thread, handle), thread.session.thing(x, SparseMatrix), thread.session.thing(y, DenseMatrix)
    _same(first.real, second.real)
    if first.columns != second.rows:
        raise Refusal("InvalidValue", f"vectors of {first.columns} and {second.rows} elements")
    if first.count:
        present(indices=first.places, values=first.values, y=second.values)
    return found, first, second


@answers("cusparseAxpby")
def axpby(thread: Thread, handle: int, alpha: int, x: int, beta: int, y: int) -> None:
    """y = alpha x + beta y."""
    found, first, second = _both(thread, handle, x, y)
    factors = [scalar(thread, first.real, each, found.pointer_mode == DEVICE) for each in (alpha, beta)]
    to = struct.pack("<Q", second.values)
    if second.rows:
        _run(thread, found, first.real, "scaled", blocks(thread, -(-second.rows // _THREADS)), (_THREADS,), struct.pack("<q", second.rows), factors[1], to)
    if first.count:
        _run(thread, found, first.real, "axpy", blocks(thread, -(-first.count // _THREADS)), (_THREADS,), first.packed(), factors[0], to)


@answers("cusparseGather")
def gather(thread: Thread, handle: int, y: int, x: int) -> None:
    """Take elements of y into x."""
    found, first, second = _both(thread, handle, x, y)
    if first.count:
        _run(thread, found, first.real, "gather", blocks(thread, -(-first.count // _THREADS)), (_THREADS,), first.packed(), struct.pack("<Q", second.values),
             struct.pack("<Q", first.values))


@answers("cusparseScatter")
def scatter(thread: Thread, handle: int, x: int, y: int) -> None:
    """Put the elements of x into y."""
    found, first, second = _both(thread, handle, x, y)
    if first.count:
        _run(thread, found, first.real, "scatter", blocks(thread, -(-first.count // _THREADS)), (_THREADS,), first.packed(), struct.pack("<Q", second.values))
