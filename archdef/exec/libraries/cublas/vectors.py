"""Vectors: sums, scalings, norms."""
from __future__ import annotations

import struct
from typing import Final

import numpy as np

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cublas.handles import MOST_PARTS, THREADS, Blas, answers, blas, vector
from archdef.exec.libraries.library import DEVICE, REALS, Real, blocks, from_device, present
from archdef.runtime.status import Refusal

_INT_BYTES: Final = 4
_NARROW: Final = {2: Real("h", np.dtype("f2"), "e"), 14: Real("b", np.dtype("u2"), "H")}
"""CUDA's number of a type → vectors of it, which are computed with in single precision."""
_ENDINGS: Final = {"dot": "sum_end", "asum": "sum_end", "nrm2": "nrm2_end", "amax": "amax_end", "amin": "amin_end"}


def _grid(thread: Thread, n: int) -> tuple[int, ...]:
    return blocks(thread, -(-n // THREADS))


def scale(thread: Thread, found: Blas, real: Real, n: int, alpha: bytes, x: int, incx: int) -> None:
    """x *= alpha."""
    if n > 0 and incx > 0:
        present(x=x)
        found.launch(thread, real, "scal", _grid(thread, n), struct.pack("<i", n), alpha, vector(x, incx))


def add(thread: Thread, found: Blas, real: Real, n: int, alpha: bytes, x: int, incx: int, y: int, incy: int) -> None:
    """y += alpha x."""
    if n > 0:
        present(x=x, y=y)
        found.launch(thread, real, "axpy", _grid(thread, n), struct.pack("<i", n), alpha, vector(x, incx), vector(y, incy))


def move(thread: Thread, found: Blas, real: Real, name: str, n: int, x: int, incx: int, y: int, incy: int) -> None:
    """Copy or swap."""
    if n > 0:
        present(x=x, y=y)
        found.launch(thread, real, name, _grid(thread, n), struct.pack("<i", n), vector(x, incx), vector(y, incy))


def reduce(thread: Thread, found: Blas, real: Real, name: str, n: int, vectors: tuple[tuple[int, int], ...], nbytes: int, to: int = 0) -> bytes:
    """Make one number of vectors, each an address and a distance. It goes to an address of the device, or (0) is given."""
    nothing = n <= 0 or (len(vectors) == 1 and vectors[0][1] <= 0)
    if nothing and not to:
        return bytes(nbytes)
    if nothing:
        if (pointer := thread.session.pointer(to)) is None:
            raise Refusal("InvalidValue", f"{to:#x} is no device's memory")
        thread.session.failures.check(thread)
        thread.runtime.MemsetAsync(pointer, 0, nbytes, thread.session.stream(found.stream))
        return b""
    for address, _ in vectors:
        present(vector=address)
    room = found.room(thread)
    (count,) = blocks(thread, min(MOST_PARTS, 4 * thread.runtime.device().architecture.chip.multiprocessors, -(-n // THREADS)))
    parts = struct.pack("<Q", int(room) + 16)
    found.launch(thread, real, name, (count,), struct.pack("<i", n), *(vector(*each) for each in vectors), parts)
    found.launch(thread, real, _ENDINGS[name], (1,), parts, struct.pack("<i", count), struct.pack("<Q", to or int(room)))
    return b"" if to else from_device(thread, room, nbytes, found.stream)


def _deliver(thread: Thread, handle: int, real: Real, name: str, n: int, vectors: tuple[tuple[int, int], ...], nbytes: int, out: int) -> None:
    found = blas(thread, handle)
    present(result=out)
    if found.pointer_mode == DEVICE:
        reduce(thread, found, real, name, n, vectors, nbytes, out)
    else:
        thread.memory.put(out, reduce(thread, found, real, name, n, vectors, nbytes))


@answers("cublas{}scal_v2")
def scal(real: Real, thread: Thread, handle: int, n: Int, alpha: int, x: int, incx: Int) -> None:
    """x *= alpha."""
    found = blas(thread, handle)
    scale(thread, found, real, n, found.scalar(thread, real, alpha), x, incx)


@answers("cublas{}axpy_v2")
def axpy(real: Real, thread: Thread, handle: int, n: Int, alpha: int, x: int, incx: Int, y: int, incy: Int) -> None:
    """y += alpha x."""
    found = blas(thread, handle)
    add(thread, found, real, n, found.scalar(thread, real, alpha), x, incx, y, incy)


@answers("cublas{}copy_v2")
def copy(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, y: int, incy: Int) -> None:
    """y = x."""
    move(thread, blas(thread, handle), real, "copy", n, x, incx, y, incy)


@answers("cublas{}swap_v2")
def swap(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, y: int, incy: Int) -> None:
    """Exchange x and y."""
    move(thread, blas(thread, handle), real, "swap", n, x, incx, y, incy)


@answers("cublas{}rot_v2")
def rot(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, y: int, incy: Int, c: int, s: int) -> None:
    """Turn each pair of x and y."""
    found = blas(thread, handle)
    cosine, sine = (found.scalar(thread, real, each) for each in (c, s))
    if n > 0:
        present(x=x, y=y)
        found.launch(thread, real, "rot", _grid(thread, n), struct.pack("<i", n), vector(x, incx), vector(y, incy), cosine, sine)


@answers("cublas{}dot_v2")
def dot(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, y: int, incy: Int, out: int) -> None:
    """Add up the products of x and y."""
    _deliver(thread, handle, real, "dot", n, ((x, incx), (y, incy)), real.nbytes, out)


@answers("cublas{}nrm2_v2")
def nrm2(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, out: int) -> None:
    """Give the length of x."""
    _deliver(thread, handle, real, "nrm2", n, ((x, incx),), real.nbytes, out)


@answers("cublas{}asum_v2")
def asum(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, out: int) -> None:
    """Add up magnitudes."""
    _deliver(thread, handle, real, "asum", n, ((x, incx),), real.nbytes, out)


def _place(real: Real, thread: Thread, handle: int, name: str, n: int, x: int, incx: int, out: int) -> None:
    _deliver(thread, handle, real, name, n, ((x, incx),), _INT_BYTES, out)


@answers("cublasI{l}amax_v2")
def amax(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, out: int) -> None:
    """Find the first number of the largest magnitude; the first number is 1."""
    _place(real, thread, handle, "amax", n, x, incx, out)


@answers("cublasI{l}amin_v2")
def amin(real: Real, thread: Thread, handle: int, n: Int, x: int, incx: Int, out: int) -> None:
    """Find the first number of the smallest magnitude; the first number is 1."""
    _place(real, thread, handle, "amin", n, x, incx, out)


def _reals(name: str, vectors: tuple[Int, ...], computed: tuple[Int, ...]) -> tuple[Real, Real]:
    """Give the types of vectors and of what is computed with them: single, double, or vectors of half or bfloat16 with single. Raises Refusal for others."""
    each, other = (set(numbers) for numbers in (vectors, computed))
    if each == other and each in ({0}, {1}):
        real = REALS["SD"[each.pop()]]
        return real, real
    if len(each) == 1 and each <= set(_NARROW) and other == {0}:
        return _NARROW[each.pop()], REALS["S"]
    raise Refusal("NotSupported", f"{name} for vectors of the types {sorted(each)}, computed as {sorted(other)}")


@answers("cublasDotEx")
def dot_ex(thread: Thread, handle: int, n: Int, x: int, x_type: Int, incx: Int, y: int, y_type: Int, incy: Int, out: int, out_type: Int,
           sum_type: Int) -> None:
    """Add up the products of x and y."""
    real, _ = _reals("cublasDotEx", (x_type, y_type, out_type), (sum_type,))
    dot(real, thread, handle, n, x, incx, y, incy, out)


@answers("cublasNrm2Ex")
def nrm2_ex(thread: Thread, handle: int, n: Int, x: int, x_type: Int, incx: Int, out: int, out_type: Int, sum_type: Int) -> None:
    """Give the length of x."""
    real, _ = _reals("cublasNrm2Ex", (x_type, out_type), (sum_type,))
    nrm2(real, thread, handle, n, x, incx, out)


@answers("cublasScalEx")
def scal_ex(thread: Thread, handle: int, n: Int, alpha: int, alpha_type: Int, x: int, x_type: Int, incx: Int, product_type: Int) -> None:
    """x *= alpha."""
    real, factor = _reals("cublasScalEx", (x_type,), (alpha_type, product_type))
    found = blas(thread, handle)
    scale(thread, found, real, n, found.scalar(thread, factor, alpha), x, incx)


@answers("cublasAxpyEx")
def axpy_ex(thread: Thread, handle: int, n: Int, alpha: int, alpha_type: Int, x: int, x_type: Int, incx: Int, y: int, y_type: Int, incy: Int,
            sum_type: Int) -> None:
    """y += alpha x."""
    real, factor = _reals("cublasAxpyEx", (x_type, y_type), (alpha_type, sum_type))
    found = blas(thread, handle)
    add(thread, found, real, n, found.scalar(thread, factor, alpha), x, incx, y, incy)
