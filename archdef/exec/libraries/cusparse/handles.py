"""Handles of cuSPARSE, what is set in them, and arguments that its functions have in common."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import DEVICE, HOST, REALS, Handle, Library, Real, blocks, present, scalar, usable
from archdef.runtime.status import Refusal

LIBRARY: Final = Library("cusparse", not_supported=10, lacking=4, other=7, statuses={
    "InvalidResourceHandle": 1, "MemoryAllocation": 2, "InvalidValue": 3, "InvalidConfiguration": 3, "MatrixType": 8, "ZeroPivot": 9, "IllegalAddress": 6,
    "MisalignedAddress": 6, "LaunchFailure": 6, "LaunchTimeout": 6, "LaunchOutOfResources": 11})
answers = LIBRARY.answers
_NAMES: Final = {0: "SUCCESS", 1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "ARCH_MISMATCH", 5: "MAPPING_ERROR", 6: "EXECUTION_FAILED",
                 7: "INTERNAL_ERROR", 8: "MATRIX_TYPE_NOT_SUPPORTED", 9: "ZERO_PIVOT", 10: "NOT_SUPPORTED", 11: "INSUFFICIENT_RESOURCES"}
THREADS: Final = 128
_REAL: Final = {0: REALS["S"], 1: REALS["D"]}
"""cudaDataType."""


@attrs.define(eq=False)
class Sparse(Handle):
    """What a handle of cuSPARSE stands for."""

    pointer_mode: int = HOST


def sparse(thread: Thread, handle: int) -> Sparse:
    """Give what a handle stands for. Raises Refusal."""
    return usable(thread, handle, Sparse)


def typed(kind: int) -> Real:
    """Give the type of elements that a number of the program means. Raises Refusal."""
    if kind not in _REAL:
        raise Refusal("NotSupported", f"elements of type {kind}: single and double precision are there")
    return _REAL[kind]


def operation_of(number: int) -> int:
    """Give 1 for a matrix that is taken transposed, else 0. Raises Refusal."""
    if number not in (0, 1, 2):
        raise Refusal("InvalidValue", f"no operation {number} on a matrix")
    return int(number != 0)


LIBRARY.gives_handles("cusparseCreate", "cusparseDestroy", Sparse)


@answers("cusparseGetVersion")
def version(thread: Thread, handle: int, out: int) -> None:
    """Say which version the program was compiled for."""
    sparse(thread, handle)
    present(version=out)
    thread.memory.put_word(out, 1000 * thread.session.cuda, 4)


LIBRARY.says_statuses("cusparseGetErrorName", "cusparseGetErrorString", _NAMES)
LIBRARY.sets_stream("cusparseSetStream", sparse)
LIBRARY.gets_stream("cusparseGetStream", sparse)


@answers("cusparseSetPointerMode")
def set_pointer_mode(thread: Thread, handle: int, mode: Int) -> None:
    """Say where factors are."""
    found = sparse(thread, handle)
    if mode not in (HOST, DEVICE):
        raise Refusal("InvalidValue", f"no pointer mode {mode}")
    found.pointer_mode = mode


@answers("cusparseGetPointerMode")
def get_pointer_mode(thread: Thread, handle: int, out: int) -> None:
    """Say where factors are."""
    present(mode=out)
    thread.memory.put_word(out, sparse(thread, handle).pointer_mode, 4)


def run(thread: Thread, found: Sparse, real: Real, name: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: bytes,
        file: str = "sparse") -> None:
    """Put a kernel of sparse.cu, or of another file, into the handle's stream."""
    chosen = kernel(thread, f"{file}.{real.letter}", f"archdef_{real.letter}_{name}")
    launch(thread, chosen, grid, block, arguments, found.stream)


def run_for_each(thread: Thread, found: Sparse, real: Real, name: str, count: int, *arguments: bytes) -> None:
    """Run a kernel with a thread for each of so many things."""
    run(thread, found, real, name, blocks(thread, -(-count // THREADS)), (THREADS,), *arguments)


def word(value: int) -> bytes:
    """Lay out an address or a number of 64 bits as kernels take it."""
    return struct.pack("<Q", value)


def integer(value: int) -> bytes:
    """Lay out a number of 32 bits as kernels take it."""
    return struct.pack("<i", value)


def factors(thread: Thread, found: Sparse, real: Real, *addresses: int) -> list[bytes]:
    """Lay out factors as kernels take them."""
    return [scalar(thread, real, each, found.pointer_mode == DEVICE) for each in addresses]


def same(*reals: Real) -> Real:
    """Give the type of elements that several have in common. Raises Refusal."""
    if len(set(reals)) != 1:
        raise Refusal("NotSupported", "elements of single and of double precision in one call")
    return reals[0]


def straight(operation: int) -> None:
    """Refuse to take a sparse matrix transposed."""
    if operation_of(operation):
        raise Refusal("NotSupported", "products with a transposed sparse matrix")
