"""Sparse triangular systems: analysis puts rows in an order, solving goes through it."""
from __future__ import annotations

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import DenseMatrix, SparseMatrix, general
from archdef.exec.libraries.cusparse.handles import Sparse, answers, factors, integer, operation_of, run, same, sparse, typed, word
from archdef.exec.libraries.cusparse.levels import THREADS, Plan, arranged, elements_of, plan, plan_bytes, say_pivot
from archdef.exec.libraries.library import DEVICE, Real, at_least, blocks, give, present, say_bytes
from archdef.runtime.status import Refusal


@attrs.define(eq=False)
class System:
    """What analysis tells solving."""

    plan: Plan | None = None
    how: tuple[int, int, int] = (0, 0, 0)
    """Whether the matrix was transposed, an upper one, and one whose diagonal is all 1."""
    base: int = 0


def analyse(thread: Thread, found: Sparse, a: SparseMatrix, turned: int, state: System, buffer: int) -> None:
    """Find which rows wait for which. Raises Refusal."""
    if a.rows != a.columns:
        raise Refusal("InvalidValue", f"a triangular matrix of {a.rows} x {a.columns}")
    if a.batches > 1:
        raise Refusal("NotSupported", f"systems of {a.batches} matrices")
    rows, columns = elements_of(thread, found, a)
    kept = columns > rows if a.upper else columns < rows
    upper = bool(a.upper) != bool(turned)
    if turned:
        rows, columns = columns, rows
    state.plan, state.how, state.base = None, (turned, a.upper, a.unit), a.base
    if a.rows:
        state.plan = plan(thread, found, arranged(a.rows, rows, columns, kept), upper, not a.unit, buffer)


def solve(thread: Thread, found: Sparse, a: SparseMatrix, turned: int, alpha: int, b: bytes, c: DenseMatrix, state: System) -> None:
    """C = alpha op(A)^-1 B. Raises Refusal."""
    (by,) = factors(thread, found, a.real, alpha)
    if not (a.rows and c.columns):
        return
    if state.plan is None or state.plan.rows != a.rows or state.how != (turned, a.upper, a.unit):
        raise Refusal("InvalidValue", "analysis of the same system comes first, with memory")
    present(c=c.values)
    run(thread, found, a.real, "solved", blocks(thread, c.columns), (THREADS,), state.plan.packed(), word(a.values), by, integer(a.unit), b, c.packed(),
        word(c.columns), file="triangular")


def _system(thread: Thread, operations: tuple[int, int], matrices: tuple[int, int, int], kind: int, algorithm: int) -> tuple[
        SparseMatrix, int, DenseMatrix, DenseMatrix, bool]:
    a = thread.session.thing(matrices[0], SparseMatrix)
    b, c = (thread.session.thing(each, DenseMatrix) for each in matrices[1:])
    turned, b_turned = (operation_of(each) for each in operations)
    same(a.real, b.real, c.real, typed(kind))
    if algorithm:
        raise Refusal("InvalidValue", f"no algorithm {algorithm}")
    if (b.columns if b_turned else b.rows, b.rows if b_turned else b.columns) != (a.rows, c.columns) or c.rows != a.rows:
        raise Refusal("InvalidValue", f"a system of {a.rows} x {a.columns}, {b.rows} x {b.columns} and {c.rows} x {c.columns}")
    if b.batches > 1 or c.batches > 1:
        raise Refusal("NotSupported", "systems of several matrices")
    return a, turned, b, c, bool(b_turned)


@answers("cusparseSpSV_createDescr", "cusparseSpSM_createDescr")
def create(thread: Thread, out: int) -> None:
    """Begin a system."""
    give(thread, out, System())


@answers("cusparseSpSV_destroyDescr", "cusparseSpSM_destroyDescr")
def destroy(thread: Thread, state: int) -> None:
    """Give it up."""
    thread.session.thing(state, System)
    thread.session.forget(state)


@answers("cusparseSpSM_bufferSize")
def spsm_size(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, c: int, kind: Int, algorithm: Int, state: int,
              size: int) -> None:
    """Say how much memory the order of the rows takes."""
    sparse(thread, handle)
    matrix = _system(thread, (of_a, of_b), (a, b, c), kind, algorithm)[0]
    thread.session.thing(state, System)
    say_bytes(thread, size, plan_bytes(matrix.rows, matrix.count))


@answers("cusparseSpSM_analysis")
def spsm_analysis(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, c: int, kind: Int, algorithm: Int, state: int,
                  buffer: int) -> None:
    """Find which rows wait for which."""
    found, (matrix, turned, *_) = sparse(thread, handle), _system(thread, (of_a, of_b), (a, b, c), kind, algorithm)
    analyse(thread, found, matrix, turned, thread.session.thing(state, System), buffer)


@answers("cusparseSpSM_solve")
def spsm(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, c: int, kind: Int, algorithm: Int, state: int) -> None:
    """C = alpha op(A)^-1 op(B)."""
    found, (matrix, turned, second, third, b_turned) = sparse(thread, handle), _system(thread, (of_a, of_b), (a, b, c), kind, algorithm)
    if third.columns:
        present(b=second.values)
    solve(thread, found, matrix, turned, alpha, second.packed(b_turned), third, thread.session.thing(state, System))


@answers("cusparseSpSV_bufferSize")
def spsv_size(thread: Thread, handle: int, of_a: Int, alpha: int, a: int, x: int, y: int, kind: Int, algorithm: Int, state: int, size: int) -> None:
    """Say how much memory the order of the rows takes."""
    spsm_size(thread, handle, of_a, 0, alpha, a, x, y, kind, algorithm, state, size)


@answers("cusparseSpSV_analysis")
def spsv_analysis(thread: Thread, handle: int, of_a: Int, alpha: int, a: int, x: int, y: int, kind: Int, algorithm: Int, state: int, buffer: int) -> None:
    """Find which rows wait for which."""
    spsm_analysis(thread, handle, of_a, 0, alpha, a, x, y, kind, algorithm, state, buffer)


@answers("cusparseSpSV_solve")
def spsv(thread: Thread, handle: int, of_a: Int, alpha: int, a: int, x: int, y: int, kind: Int, algorithm: Int, state: int) -> None:
    """y = alpha op(A)^-1 x."""
    spsm(thread, handle, of_a, 0, alpha, a, x, y, kind, algorithm, state)


@answers("cusparseSpMatSetAttribute")
def set_attribute(thread: Thread, handle: int, attribute: Int, data: int, nbytes: int) -> None:
    """Say which half of a triangular matrix is meant (0), or whether its diagonal is all 1 (1)."""
    found = thread.session.thing(handle, SparseMatrix)
    value = int.from_bytes(thread.memory.get(_attribute(attribute, data, nbytes), nbytes), "little")
    if value not in (0, 1):
        raise Refusal("InvalidValue", f"attribute {attribute} of a matrix must be 0 or 1, got {value}")
    setattr(found, _ATTRIBUTES[attribute], value)


@answers("cusparseSpMatGetAttribute")
def get_attribute(thread: Thread, handle: int, attribute: Int, data: int, nbytes: int) -> None:
    """Repeat it."""
    found = thread.session.thing(handle, SparseMatrix)
    thread.memory.put_word(_attribute(attribute, data, nbytes), getattr(found, _ATTRIBUTES[attribute]), nbytes)


_ATTRIBUTES = ("upper", "unit")


def _attribute(attribute: int, data: int, nbytes: int) -> int:
    if attribute not in range(len(_ATTRIBUTES)) or nbytes != 4:
        raise Refusal("InvalidValue", f"no attribute {attribute} of {nbytes} bytes")
    present(data=data)
    return data


# ------------------------------------------------------------------------------------------------------------ as before CUDA 12
@answers("cusparseCreateCsrsv2Info")
def create_older(thread: Thread, out: int) -> None:
    """Begin a system."""
    give(thread, out, System())


@answers("cusparseDestroyCsrsv2Info")
def destroy_older(thread: Thread, state: int) -> None:
    """Give it up."""
    destroy(thread, state)


def _older(thread: Thread, m: int, count: int, description: int, values: int, starts: int, places: int, real: Real) -> SparseMatrix:
    about = general(thread, description)
    at_least(0, m=m, elements=count)
    return SparseMatrix(m, m, count, starts, places, values, real, base=about.base, upper=about.fill_mode, unit=about.diagonal_type)


@answers("cusparse{}csrsv2_bufferSize")
def csrsv_size(real: Real, thread: Thread, handle: int, of_a: Int, m: Int, count: Int, description: int, values: int, starts: int, places: int, state: int,
               size: int) -> None:
    """Say how much memory the order of the rows takes."""
    sparse(thread, handle)
    a = _older(thread, m, count, description, values, starts, places, real)
    thread.session.thing(state, System)
    say_bytes(thread, size, plan_bytes(a.rows, a.count), 4)


@answers("cusparse{}csrsv2_analysis")
def csrsv_analysis(real: Real, thread: Thread, handle: int, of_a: Int, m: Int, count: Int, description: int, values: int, starts: int, places: int,
                   state: int, policy: Int, buffer: int) -> None:
    """Find which rows wait for which."""
    a = _older(thread, m, count, description, values, starts, places, real)
    analyse(thread, sparse(thread, handle), a, operation_of(of_a), thread.session.thing(state, System), buffer)


@answers("cusparse{}csrsv2_solve")
def csrsv(real: Real, thread: Thread, handle: int, of_a: Int, m: Int, count: Int, alpha: int, description: int, values: int, starts: int, places: int,
          state: int, f: int, x: int, policy: Int, buffer: int) -> None:
    """x = alpha op(A)^-1 f."""
    a = _older(thread, m, count, description, values, starts, places, real)
    if a.rows:
        present(f=f, x=x)
    b, c = (DenseMatrix(a.rows, 1, each, real, 1, a.rows) for each in (f, x))
    solve(thread, sparse(thread, handle), a, operation_of(of_a), alpha, b.packed(), c, thread.session.thing(state, System))


@answers("cusparseXcsrsv2_zeroPivot")
def csrsv_pivot(thread: Thread, handle: int, state: int, position: int) -> None:
    """Say where the first diagonal element is that is 0 or not there."""
    found, system = sparse(thread, handle), thread.session.thing(state, System)
    say_pivot(thread, found, system.plan, system.base, position, found.pointer_mode == DEVICE)
