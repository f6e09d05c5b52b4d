"""Vectors and matrices between the program's memory and the device's."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread
from archdef.exec.cuda_runtime.boxes import memcpy_2d_async
from archdef.exec.cuda_runtime.memory import copy
from archdef.exec.libraries.cublas.handles import answers
from archdef.exec.libraries.library import at_least, present
from archdef.runtime import ends


def _vector(thread: Thread, n: int, size: int, source: int, source_step: int, to: int, to_step: int, kind: int, stream: int, wait: bool) -> None:
    at_least(1, size=size, step_of_source=source_step, step_of_destination=to_step)
    if n <= 0:
        return
    present(source=source, destination=to)
    thread.session.failures.check(thread)
    if source_step == to_step == 1:
        copy(thread, to, source, n * size, kind, stream, wait)
    else:
        memcpy_2d_async(thread, to, to_step * size, source, source_step * size, size, n, kind, stream)
    if wait:
        thread.runtime.StreamSynchronize(thread.session.stream(stream))


@answers("cublasSetVector")
def set_vector(thread: Thread, n: Int, size: Int, source: int, source_step: Int, to: int, to_step: Int) -> None:
    """Copy a vector to the device and wait."""
    _vector(thread, n, size, source, source_step, to, to_step, ends.HOST_TO_DEVICE, 0, wait=True)


@answers("cublasGetVector")
def get_vector(thread: Thread, n: Int, size: Int, source: int, source_step: Int, to: int, to_step: Int) -> None:
    """Copy a vector to the host and wait."""
    _vector(thread, n, size, source, source_step, to, to_step, ends.DEVICE_TO_HOST, 0, wait=True)


@answers("cublasSetVectorAsync")
def set_vector_async(thread: Thread, n: Int, size: Int, source: int, source_step: Int, to: int, to_step: Int, stream: int) -> None:
    """Put a copy of a vector to the device into a stream."""
    _vector(thread, n, size, source, source_step, to, to_step, ends.HOST_TO_DEVICE, stream, wait=False)


@answers("cublasGetVectorAsync")
def get_vector_async(thread: Thread, n: Int, size: Int, source: int, source_step: Int, to: int, to_step: Int, stream: int) -> None:
    """Put a copy of a vector to the host into a stream."""
    _vector(thread, n, size, source, source_step, to, to_step, ends.DEVICE_TO_HOST, stream, wait=False)


def _matrix(thread: Thread, rows: int, columns: int, size: int, source: int, source_rows: int, to: int, to_rows: int, kind: int, stream: int,
            wait: bool) -> None:
    at_least(0, rows=rows, columns=columns)
    at_least(1, size=size)
    at_least(max(1, rows), rows_of_source=source_rows, rows_of_destination=to_rows)
    if not rows or not columns:
        return
    present(source=source, destination=to)
    thread.session.failures.check(thread)
    memcpy_2d_async(thread, to, to_rows * size, source, source_rows * size, rows * size, columns, kind, stream)
    if wait:
        thread.runtime.StreamSynchronize(thread.session.stream(stream))


@answers("cublasSetMatrix")
def set_matrix(thread: Thread, rows: Int, columns: Int, size: Int, source: int, source_rows: Int, to: int, to_rows: Int) -> None:
    """Copy a matrix to the device and wait."""
    _matrix(thread, rows, columns, size, source, source_rows, to, to_rows, ends.HOST_TO_DEVICE, 0, wait=True)


@answers("cublasGetMatrix")
def get_matrix(thread: Thread, rows: Int, columns: Int, size: Int, source: int, source_rows: Int, to: int, to_rows: Int) -> None:
    """Copy a matrix to the host and wait."""
    _matrix(thread, rows, columns, size, source, source_rows, to, to_rows, ends.DEVICE_TO_HOST, 0, wait=True)


@answers("cublasSetMatrixAsync")
def set_matrix_async(thread: Thread, rows: Int, columns: Int, size: Int, source: int, source_rows: Int, to: int, to_rows: Int, stream: int) -> None:
    """Put a copy of a matrix to the device into a stream."""
    _matrix(thread, rows, columns, size, source, source_rows, to, to_rows, ends.HOST_TO_DEVICE, stream, wait=False)


@answers("cublasGetMatrixAsync")
def get_matrix_async(thread: Thread, rows: Int, columns: Int, size: Int, source: int, source_rows: Int, to: int, to_rows: Int, stream: int) -> None:
    """Put a copy of a matrix to the host into a stream."""
    _matrix(thread, rows, columns, size, source, source_rows, to, to_rows, ends.DEVICE_TO_HOST, stream, wait=False)
