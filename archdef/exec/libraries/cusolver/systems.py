"""Systems that are solved by factors, and products with Q."""
from __future__ import annotations

import struct

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusolver.handles import answers, long, one_of, run, say_room, solver, view
from archdef.exec.libraries.library import Real, at_least, present
from archdef.runtime.status import Refusal


def _checked(n: int, count: int, lda: int, ldb: int) -> None:
    at_least(0, n=n, right_hand_sides=count)
    at_least(max(1, n), lda=lda, ldb=ldb)


@answers("cusolverDn{}potrs")
def potrs(real: Real, thread: Thread, handle: int, upper: Int, n: Int, count: Int, a: int, lda: Int, b: int, ldb: Int, info: int) -> None:
    """Solve A X = B, of whose A `potrf` has made the factor."""
    found, is_upper = solver(thread, handle), bool(one_of(upper, "fill mode", 1))
    _checked(n, count, lda, ldb)
    present(info=info)
    if n and count:
        present(a=a, b=b)
    run(thread, found, real, "potrs", count, view(a, lda, is_upper), long(n), view(b, ldb), long(count), long(info))


@answers("cusolverDn{}getrs")
def getrs(real: Real, thread: Thread, handle: int, operation: Int, n: Int, count: Int, a: int, lda: Int, pivots: int, b: int, ldb: Int, info: int) -> None:
    """Solve op(A) X = B, of whose A `getrf` has made the factors."""
    found, turned = solver(thread, handle), bool(one_of(operation, "operation on a matrix", 2))
    _checked(n, count, lda, ldb)
    present(info=info)
    if n and count:
        present(a=a, b=b)
    run(thread, found, real, "getrs", count, view(a, lda), long(n), struct.pack("<i", turned), long(pivots), view(b, ldb), long(count), long(info))


def _product(side: int, operation: int, m: int, n: int, k: int, lda: int, ldc: int) -> tuple[bool, bool]:
    right, turned = bool(one_of(side, "side", 1)), bool(one_of(operation, "operation on a matrix", 2))
    at_least(0, m=m, n=n, k=k)
    rows = n if right else m
    at_least(max(1, rows), lda=lda)
    at_least(max(1, m), ldc=ldc)
    if k > rows:
        raise Refusal("InvalidValue", f"{k} reflections of {rows} rows")
    return right, turned


@answers("cusolverDn{}ormqr_bufferSize")
def ormqr_size(real: Real, thread: Thread, handle: int, side: Int, operation: Int, m: Int, n: Int, k: Int, a: int, lda: Int, tau: int, c: int, ldc: Int,
               size: int) -> None:
    """Say how much memory a product with Q takes."""
    solver(thread, handle)
    _product(side, operation, m, n, k, lda, ldc)
    say_room(thread, size)


@answers("cusolverDn{}ormqr")
def ormqr(real: Real, thread: Thread, handle: int, side: Int, operation: Int, m: Int, n: Int, k: Int, a: int, lda: Int, tau: int, c: int, ldc: Int,
          workspace: int, count: Int, info: int) -> None:
    """C = op(Q) C, or C op(Q), with the Q of `geqrf`."""
    found, (right, turned) = solver(thread, handle), _product(side, operation, m, n, k, lda, ldc)
    present(info=info)
    if m and n and k:
        present(a=a, tau=tau, c=c)
    rows, columns = (n, m) if right else (m, n)     # C Q is the same as Q' C', transposed
    run(thread, found, real, "ormqr", columns, view(a, lda), long(rows), long(k), long(tau), struct.pack("<i", turned != right), view(c, ldc, right),
        long(columns), long(info))
