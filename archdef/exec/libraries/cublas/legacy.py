"""The API before CUDA 4: no handle, factors by value, results returned, and the status asked for afterwards. Reference: cublas.h of CUDA."""
from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import attrs

from archdef.errors import ArchdefError
from archdef.exec.calls import Answer, Int, Thread
from archdef.exec.failures import AfterFailure
from archdef.exec.libraries.cublas import matrices, products, vectors
from archdef.exec.libraries.cublas.handles import LIBRARY, Blas, answers
from archdef.exec.libraries.library import BoundContext, Real, at_least, device_memory, present
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.session import Session

_OPERATIONS: Final = {"n": 0, "t": 1, "c": 2}
_NOT_INITIALIZED: Final = "InvalidResourceHandle"


@attrs.define
class _State:
    blas: Blas | None = None
    """None before cublasInit and behind cublasShutdown."""
    status: int = 0


_STATES: WeakKeyDictionary[Session, _State] = WeakKeyDictionary()


def _state(thread: Thread) -> _State:
    with thread.session.lock:
        return _STATES.setdefault(thread.session, _State())


def _blas(thread: Thread) -> Blas:
    found = _state(thread).blas
    if found is None:
        raise Refusal(_NOT_INITIALIZED, "cublasInit was not called")
    if found.context.destroyed(thread):
        raise Refusal(_NOT_INITIALIZED, f"cublasInit was called before device {found.context.device} was reset")
    return found


def _noting(answer: Answer) -> Answer:
    """Keep the status for cublasGetError."""
    @functools.wraps(answer)
    def noting(*arguments: Any) -> int | None:
        thread = next(each for each in arguments if isinstance(each, Thread))
        try:
            _blas(thread)
            return answer(*arguments)
        except (ArchdefError, AfterFailure) as error:
            _state(thread).status = LIBRARY.failed(error)
            raise
    return noting


def _operation(letter: int) -> int:
    found = _OPERATIONS.get(chr(letter & 0x7F).lower())
    if found is None:
        raise Refusal("InvalidValue", f"no operation {chr(letter & 0x7F)!r} on a matrix")
    return found


def _factor(real: Real, number: float) -> bytes:
    return products.by_value(real.passed(number), real.code)


@answers("cublasInit")
def init(thread: Thread) -> None:
    """Begin."""
    thread.runtime.device()
    state = _state(thread)
    if state.blas is None or state.blas.context.destroyed(thread):
        state.blas = Blas(BoundContext.current(thread))


@answers("cublasShutdown")
def shutdown(thread: Thread) -> None:
    """End, and give memory back."""
    state = _state(thread)
    if state.blas is not None:
        state.blas.free(thread)
        state.blas = None


@answers("cublasGetError")
def get_error(thread: Thread) -> int:
    """Give the last status that was no success, and forget it."""
    state = _state(thread)
    status, state.status = state.status, 0
    return status


@answers("cublasSetKernelStream")
def set_kernel_stream(thread: Thread, stream: int) -> None:
    """Set where kernels go."""
    thread.session.stream(stream)
    _blas(thread).stream = stream


@answers("cublasAlloc")
@_noting
def alloc(thread: Thread, count: Int, size: Int, out: int) -> None:
    """Allocate device memory."""
    at_least(1, count=count, size=size)
    present(pointer=out)
    thread.memory.put_word(out, thread.session.allocated(device_memory(thread, count * size)))


@answers("cublasFree")
@_noting
def free(thread: Thread, address: int) -> None:
    """Give device memory back."""
    if address:
        thread.session.free(thread.connection, address)


@answers("cublas{}gemm")
@_noting
def gemm(real: Real, thread: Thread, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, a: int, lda: Int, b: int, ldb: Int, c: int, ldc: Int) -> None:
    """C = alpha op(A) op(B) + beta C."""
    alpha, beta = (_factor(real, each) for each in thread.floats[:2])
    products.multiply(thread, _blas(thread), real.letter, (_operation(of_a), _operation(of_b)), (m, n, k), alpha, products.Operand(a, lda),
                      products.Operand(b, ldb), beta, products.Operand(c, ldc))


@answers("cublas{}gemv")
@_noting
def gemv(real: Real, thread: Thread, operation: Int, m: Int, n: Int, a: int, lda: Int, x: int, incx: Int, y: int, incy: Int) -> None:
    """y = alpha op(A) x + beta y."""
    alpha, beta = (_factor(real, each) for each in thread.floats[:2])
    matrices.multiply_vector(thread, _blas(thread), real, _operation(operation), m, n, alpha, a, lda, x, incx, beta, y, incy)


@answers("cublas{}scal")
@_noting
def scal(real: Real, thread: Thread, n: Int, x: int, incx: Int) -> None:
    """x *= alpha."""
    vectors.scale(thread, _blas(thread), real, n, _factor(real, thread.floats[0]), x, incx)


@answers("cublas{}axpy")
@_noting
def axpy(real: Real, thread: Thread, n: Int, x: int, incx: Int, y: int, incy: Int) -> None:
    """y += alpha x."""
    vectors.add(thread, _blas(thread), real, n, _factor(real, thread.floats[0]), x, incx, y, incy)


@answers("cublas{}copy")
@_noting
def copy(real: Real, thread: Thread, n: Int, x: int, incx: Int, y: int, incy: Int) -> None:
    """y = x."""
    vectors.move(thread, _blas(thread), real, "copy", n, x, incx, y, incy)


@answers("cublas{}swap")
@_noting
def swap(real: Real, thread: Thread, n: Int, x: int, incx: Int, y: int, incy: Int) -> None:
    """Exchange x and y."""
    vectors.move(thread, _blas(thread), real, "swap", n, x, incx, y, incy)


def _number(thread: Thread, real: Real, name: str, n: int, *operands: tuple[int, int]) -> int:
    return int.from_bytes(vectors.reduce(thread, _blas(thread), real, name, n, operands, real.nbytes), "little")


@answers("cublas{}dot")
@_noting
def dot(real: Real, thread: Thread, n: Int, x: int, incx: Int, y: int, incy: Int) -> int:
    """Add up the products of x and y."""
    return _number(thread, real, "dot", n, (x, incx), (y, incy))


@answers("cublas{}nrm2")
@_noting
def nrm2(real: Real, thread: Thread, n: Int, x: int, incx: Int) -> int:
    """Give the length of x."""
    return _number(thread, real, "nrm2", n, (x, incx))


@answers("cublas{}asum")
@_noting
def asum(real: Real, thread: Thread, n: Int, x: int, incx: Int) -> int:
    """Add up magnitudes."""
    return _number(thread, real, "asum", n, (x, incx))


def _place(thread: Thread, real: Real, name: str, n: int, x: int, incx: int) -> int:
    return int(struct.unpack("<i", vectors.reduce(thread, _blas(thread), real, name, n, ((x, incx),), 4))[0])


@answers("cublasI{l}amax")
@_noting
def amax(real: Real, thread: Thread, n: Int, x: int, incx: Int) -> int:
    """Find the first number of the largest magnitude; the first number is 1."""
    return _place(thread, real, "amax", n, x, incx)


@answers("cublasI{l}amin")
@_noting
def amin(real: Real, thread: Thread, n: Int, x: int, incx: Int) -> int:
    """Find the first number of the smallest magnitude; the first number is 1."""
    return _place(thread, real, "amin", n, x, incx)
