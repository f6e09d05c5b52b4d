"""Products as cuBLASLt is told of them: D = epilogue(alpha op(A) op(B) + beta C)."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cublas.handles import Blas, answers, blas
from archdef.exec.libraries.cublas.matrices import transposed
from archdef.exec.libraries.cublas.products import FACTORS, SUMS, Operand, chosen, factor, multiply, typed
from archdef.exec.libraries.cublaslt.descriptions import (
    BATCHES, COLUMNS, COMPUTE, LAYOUT, LEADING, ORDER, POINTERS, PREFERENCE, PRODUCT, ROWS, SCALE, STRIDE, TURNED_A, TURNED_B, TYPE, Described, described)
from archdef.exec.libraries.cublaslt.epilogues import Epilogue, add_up, epilogue_of, packed
from archdef.exec.libraries.library import DEVICE, HOST, at_least, present
from archdef.runtime.status import Refusal

_SCALES: Final = {0: "f", 1: "d", 2: "e", 10: "i"}
"""cudaDataType of alpha and beta → what they are."""
_MOST: Final = (1 << 31) - 1
_COLUMNS, _ROWS = 0, 1
"""Orders of elements."""
_RESULT: Final = struct.Struct("<64sQif16x")
"""cublasLtMatmulHeuristicResult_t."""
_ALGORITHM: Final = b"archdef".ljust(64, b"\0")


@attrs.frozen
class _Product:
    """One product: how it is described, and what came out of that."""

    about: Described
    a: Described
    b: Described
    c: Described
    d: Described
    name: str
    """Of the kernels."""
    code: str
    """What alpha and beta are."""
    epilogue: Epilogue
    turned: tuple[int, int]
    """Whether A and B are transposed, as they lie in memory column by column."""

    @property
    def by_rows(self) -> bool:
        return self.d[ORDER] == _ROWS

    @property
    def depth(self) -> int:
        return self.a[ROWS if transposed(self.about[TURNED_A]) else COLUMNS]


def _checked(layout: Described, what: str) -> Described:
    if layout[ORDER] not in (_COLUMNS, _ROWS):
        raise Refusal("NotSupported", f"{what} in order {layout[ORDER]}: column by column and row by row are there")
    at_least(1, batches=layout[BATCHES])
    at_least(0, stride=layout[STRIDE])
    at_least(max(1, layout[ROWS if layout[ORDER] == _COLUMNS else COLUMNS]), **{f"leading_dimension_of_{what}": layout[LEADING]})
    if max(layout[ROWS], layout[COLUMNS], layout[LEADING]) > _MOST:
        raise Refusal("NotSupported", f"{what} of {layout[ROWS]} x {layout[COLUMNS]}, whose leading dimension is {layout[LEADING]}")
    return layout


def _product(thread: Thread, about: int, a: int, b: int, c: int, d: int) -> _Product:
    """Read a product's descriptions. Raises Refusal."""
    found = described(thread, about, PRODUCT)
    a_, b_, c_, d_ = (_checked(described(thread, each, LAYOUT), what) for each, what in zip((a, b, c, d), "abcd", strict=True))
    if found[COMPUTE] not in FACTORS:
        raise Refusal("InvalidValue", f"no compute type {found[COMPUTE]}")
    name, code = typed(found[COMPUTE], a_[TYPE], b_[TYPE], d_[TYPE])
    if _SCALES.get(found[SCALE]) != code and not (code == "e" and found[SCALE] == 0 and thread.session.cuda <= 10):
        raise Refusal("NotSupported", f"alpha and beta of type {found[SCALE]} for a product that is computed as {found[COMPUTE]}")
    if c_[TYPE] != d_[TYPE] or c_[ORDER] != d_[ORDER]:
        raise Refusal("NotSupported", "C and D of different types or orders")
    if found[POINTERS] not in (HOST, DEVICE):
        raise Refusal("NotSupported", f"alpha and beta by pointer mode {found[POINTERS]}")
    of_a, of_b = transposed(found[TURNED_A]), transposed(found[TURNED_B])
    left, right = (tuple(each[part] for part in ((COLUMNS, ROWS) if turned else (ROWS, COLUMNS))) for each, turned in ((a_, of_a), (b_, of_b)))
    if (left[0], right[1], left[1]) != (d_[ROWS], d_[COLUMNS], right[0]) or any(c_[each] != d_[each] for each in (ROWS, COLUMNS)):
        raise Refusal("InvalidValue", f"{left[0]} x {left[1]} times {right[0]} x {right[1]} into {d_[ROWS]} x {d_[COLUMNS]}")
    if len({each[BATCHES] for each in (a_, b_, c_, d_)}) > 1:
        raise Refusal("InvalidValue", "matrices of different numbers in one product")
    by_rows = d_[ORDER] == _ROWS
    return _Product(found, a_, b_, c_, d_, name, code, epilogue_of(found, name, d_[TYPE], by_rows), (of_a ^ a_[ORDER], of_b ^ b_[ORDER]))


@answers("cublasLtMatmulAlgoGetHeuristic")
def algorithms(thread: Thread, handle: int, about: int, a: int, b: int, c: int, d: int, preference: int, wanted: Int, results: int, count: int) -> None:
    """Give the one algorithm that there is, if it can do it."""
    blas(thread, handle)
    present(results=results, count=count)
    at_least(1, algorithms=wanted)
    described(thread, preference, PREFERENCE)
    thread.memory.put_word(count, 0, 4)
    found = _product(thread, about, a, b, c, d)
    m, n = max(1, found.d[ROWS]), max(1, found.d[COLUMNS])
    taken, tile, side = chosen(thread, found.name, m, n, found.epilogue.alters)
    resident = max(1, thread.runtime.OccupancyMaxActiveBlocksPerMultiprocessor(taken, side * side, 0))
    at_once = resident * thread.runtime.device().architecture.chip.multiprocessors
    thread.memory.put(results, _RESULT.pack(_ALGORITHM, 0, 0, -(-m // tile) * -(-n // tile) * found.d[BATCHES] / at_once))
    thread.memory.put_word(count, 1, 4)


@answers("cublasLtMatmul")
def matmul(thread: Thread, handle: int, about: int, alpha: int, a: int, layout_a: int, b: int, layout_b: int, beta: int, c: int, layout_c: int, d: int,
           layout_d: int, algorithm: int, workspace: int, workspace_bytes: int, stream: int) -> None:
    """D = epilogue(alpha op(A) op(B) + beta C)."""
    target = Blas(blas(thread, handle).context, stream)
    found = _product(thread, about, layout_a, layout_b, layout_c, layout_d)
    if algorithm and thread.memory.get(algorithm, len(_ALGORITHM)) != _ALGORITHM:
        raise Refusal("InvalidValue", "an algorithm that cublasLtMatmulAlgoGetHeuristic has not given")
    on_device, sums = found.about[POINTERS] == DEVICE, SUMS[found.name]
    by, old = (factor(thread, on_device, found.code, sums, each) for each in (alpha, beta))
    if not (found.d[ROWS] and found.d[COLUMNS]):
        return
    left, right, third, result = (Operand(address, each[LEADING], each[STRIDE]) for address, each in (
        (a, found.a), (b, found.b), (c or d, found.c), (d, found.d)))
    if on_device or any(old[8:]):
        present(c=c)
    _beside(thread, found, left, right, stream)
    turned, sizes = found.turned, (found.d[ROWS], found.d[COLUMNS], found.depth)
    if found.by_rows:       # the transposed matrix is made, of the transposed ones
        left, right, turned, sizes = right, left, (1 - turned[1], 1 - turned[0]), (sizes[1], sizes[0], sizes[2])
    epilogue = b""
    if found.epilogue.alters or (third != result and (on_device or any(old[8:]))):
        epilogue = packed(found.about, found.epilogue, third, sizes[0], found.by_rows)
    multiply(thread, target, found.name, turned, sizes, by, left, right, old, result, found.d[BATCHES], epilogue=epilogue)


def _beside(thread: Thread, found: _Product, a: Operand, b: Operand, stream: int) -> None:
    """Write the sums that the epilogue has beside the product."""
    batch = found.d[BATCHES]
    if found.epilogue.of_a:
        present(a=a.address)
        add_up(thread, found.about, found.name, a, not found.turned[0], found.d[ROWS], found.depth, batch, stream)
    if found.epilogue.of_b:
        present(b=b.address)
        add_up(thread, found.about, found.name, b, bool(found.turned[1]), found.d[COLUMNS], found.depth, batch, stream)
