"""Factors of dense matrices."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusolver.handles import answers, long, one_of, run, say_room, solver, view
from archdef.exec.libraries.library import Real, at_least, present


@answers("cusolverDn{}potrf_bufferSize")
def potrf_size(real: Real, thread: Thread, handle: int, upper: Int, n: Int, a: int, lda: Int, size: int) -> None:
    """Say how much memory Cholesky's factor takes."""
    solver(thread, handle)
    one_of(upper, "fill mode", 1)
    at_least(0, n=n)
    at_least(max(1, n), lda=lda)
    say_room(thread, size)


@answers("cusolverDn{}potrf")
def potrf(real: Real, thread: Thread, handle: int, upper: Int, n: Int, a: int, lda: Int, workspace: int, count: Int, info: int) -> None:
    """Make L or U of A = L L' = U' U."""
    found, is_upper = solver(thread, handle), bool(one_of(upper, "fill mode", 1))
    at_least(0, n=n)
    at_least(max(1, n), lda=lda)
    present(info=info)
    if n:
        present(a=a)
    run(thread, found, real, "potrf", 1, view(a, lda, is_upper), long(n), long(info))


@answers("cusolverDn{}getrf_bufferSize")
def getrf_size(real: Real, thread: Thread, handle: int, m: Int, n: Int, a: int, lda: Int, size: int) -> None:
    """Say how much memory L and U take."""
    solver(thread, handle)
    at_least(0, m=m, n=n)
    at_least(max(1, m), lda=lda)
    say_room(thread, size)


@answers("cusolverDn{}getrf")
def getrf(real: Real, thread: Thread, handle: int, m: Int, n: Int, a: int, lda: Int, workspace: int, pivots: int, info: int) -> None:
    """Make P, L and U of A = P L U; without `pivots` rows stay where they are."""
    found = solver(thread, handle)
    at_least(0, m=m, n=n)
    at_least(max(1, m), lda=lda)
    present(info=info)
    if m and n:
        present(a=a)
    run(thread, found, real, "getrf", 1, view(a, lda), long(m), long(n), long(pivots), long(info))


@answers("cusolverDn{}geqrf_bufferSize")
def geqrf_size(real: Real, thread: Thread, handle: int, m: Int, n: Int, a: int, lda: Int, size: int) -> None:
    """Say how much memory Q and R take."""
    getrf_size(real, thread, handle, m, n, a, lda, size)


@answers("cusolverDn{}geqrf")
def geqrf(real: Real, thread: Thread, handle: int, m: Int, n: Int, a: int, lda: Int, tau: int, workspace: int, count: Int, info: int) -> None:
    """Make R, and the reflections whose product is Q."""
    found = solver(thread, handle)
    at_least(0, m=m, n=n)
    at_least(max(1, m), lda=lda)
    present(info=info)
    if m and n:
        present(a=a, tau=tau)
    run(thread, found, real, "geqrf", 1, view(a, lda), long(m), long(n), long(tau), long(info))
