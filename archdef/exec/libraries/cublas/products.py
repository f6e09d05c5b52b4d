"""Products of matrices, of several types of elements, one at a time or many."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cublas.handles import answers, blas
from archdef.exec.libraries.cublas.matrices import transposed
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import DEVICE, HasStream, Real, at_least, blocks, long, present
from archdef.run.module import Kernel
from archdef.runtime.status import Refusal

_TILES: Final = ((64, 16), (16, 16), (8, 8))
"""Side of the tile that a block makes, and of the block: the first is taken that is not larger than the matrix and has the registers."""
_SMALL: Final = 16
"""Tiles up to here are taken for smaller matrices, too."""
_KERNELS: Final = {(0, 0): "s", (1, 1): "d", (2, 2): "h", (2, 0): "hs", (14, 14): "b", (14, 0): "bs", (3, 10): "i"}
"""cudaDataType of A and B, and of C → name of the kernels."""
SUMS: Final = {"s": "f", "d": "d", "h": "f", "hs": "f", "b": "f", "bs": "f", "i": "i"}
"""Name of the kernels → what products are added up in."""
_SINGLE, _DOUBLE, _HALF, _INTEGER = "f", "d", "e", "i"
FACTORS: Final = {0: _SINGLE, 68: _SINGLE, 69: _SINGLE, 74: _SINGLE, 75: _SINGLE, 77: _SINGLE, 1: _DOUBLE, 70: _DOUBLE, 71: _DOUBLE,
                   2: _HALF, 64: _HALF, 65: _HALF, 10: _INTEGER, 72: _INTEGER, 73: _INTEGER}
"""cublasComputeType_t, and cudaDataType before CUDA 11 → what alpha and beta are."""


@attrs.frozen
class Operand:
    """A, B or C of a product."""

    address: int
    leading: int
    stride: int = 0


def factor(thread: Thread, on_device: bool, code: str, sum_code: str, address: int) -> bytes:
    """Lay out a factor of a type of its own as kernels take it. Raises Refusal."""
    present(alpha_or_beta=address)
    if on_device:
        if code != sum_code:
            raise Refusal("NotSupported", "a product with alpha and beta of half precision in the device's memory")
        return struct.pack("<QQ", address, 0)
    (value,) = struct.unpack(f"<{code}", thread.memory.get(address, struct.calcsize(code)))
    return by_value(value, sum_code)


def by_value(value: float, code: str) -> bytes:
    """Lay out a factor as kernels take it."""
    return struct.pack("<Q", 0) + struct.pack(f"<{code}", value).ljust(8, b"\0")


def chosen(thread: Thread, name: str, m: int, n: int, epilogue: bool = False) -> tuple[Kernel, int, int]:
    """Give the kernel, the side of its tiles, and of its blocks."""
    for tile, side in _TILES[epilogue:]:
        found = kernel(thread, f"lt.{name}", f"archdef_lt_{name}gemm_{tile}") if epilogue else kernel(thread, f"gemm.{name}", f"archdef_{name}gemm_{tile}")
        if (min(m, n) >= tile or tile <= _SMALL) and thread.runtime.OccupancyMaxActiveBlocksPerMultiprocessor(found, side * side, 0):
            break
    return found, tile, side


def multiply(thread: Thread, found: HasStream, name: str, operations: tuple[int, int], sizes: tuple[int, int, int], alpha: bytes, a: Operand, b: Operand,
             beta: bytes, c: Operand, batch: int = 1, addresses: bool = False, epilogue: bytes = b"") -> None:
    """C = alpha op(A) op(B) + beta C, or what an epilogue of cuBLASLt makes of this."""
    m, n, k = sizes
    of_a, of_b = map(transposed, operations)
    lda, ldb, ldc = (each.leading for each in (a, b, c))
    at_least(0, m=m, n=n, k=k, batch=batch)
    at_least(max(1, k if of_a else m), lda=lda)
    at_least(max(1, n if of_b else k), ldb=ldb)
    at_least(max(1, m), ldc=ldc)
    if not (m and n and batch):
        return
    present(c=c.address)
    if k:
        present(a=a.address, b=b.address)
    taken, tile, side = chosen(thread, name, m, n, bool(epilogue))
    arguments = struct.pack("<4i3Q3q3q4i", m, n, k, batch, a.address, b.address, c.address, lda, ldb, ldc, *(long(each.stride) for each in (a, b, c)),
                            of_a, of_b, addresses, 0) + alpha + beta
    grid = blocks(thread, -(-m // tile), -(-n // tile), batch)
    launch(thread, taken, grid, (side, side), (arguments, epilogue) if epilogue else (arguments,), found.stream)


def typed(compute: int, of_a: int, of_b: int, of_c: int) -> tuple[str, str]:
    """Give the name of the kernels, and what factors are. Raises Refusal for types that they do not have."""
    name, code = _KERNELS.get((of_a, of_c)) if of_a == of_b else None, FACTORS.get(compute)
    if name is None or code is None or (code != SUMS[name] and (code, name) != (_HALF, "h")):
        raise Refusal("NotSupported", f"a product of the types {of_a} and {of_b} into {of_c}, computed as {compute}")
    return name, code


@answers("cublas{}gemm_v2")
def gemm(real: Real, thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, lda: Int, b: int, ldb: Int, beta: int,
         c: int, ldc: Int) -> None:
    """Multiply."""
    strided(real, thread, handle, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1)


@answers("cublas{}gemmStridedBatched")
def strided(real: Real, thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, lda: Int, stride_a: int, b: int,
            ldb: Int, stride_b: int, beta: int, c: int, ldc: Int, stride_c: int, batch: Int) -> None:
    """Multiply many, each at the same distance from the one before."""
    found = blas(thread, handle)
    multiply(thread, found, real.letter, (of_a, of_b), (m, n, k), found.scalar(thread, real, alpha), Operand(a, lda, stride_a), Operand(b, ldb, stride_b),
             found.scalar(thread, real, beta), Operand(c, ldc, stride_c), batch)


@answers("cublas{}gemmBatched")
def batched(real: Real, thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, lda: Int, b: int, ldb: Int,
            beta: int, c: int, ldc: Int, batch: Int) -> None:
    """Multiply many, whose addresses the device has."""
    found = blas(thread, handle)
    multiply(thread, found, real.letter, (of_a, of_b), (m, n, k), found.scalar(thread, real, alpha), Operand(a, lda), Operand(b, ldb),
             found.scalar(thread, real, beta), Operand(c, ldc), batch, addresses=True)


@answers("cublasGemmStridedBatchedEx")
def strided_ex(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, type_a: Int, lda: Int, stride_a: int, b: int,
               type_b: Int, ldb: Int, stride_b: int, beta: int, c: int, type_c: Int, ldc: Int, stride_c: int, batch: Int, compute: Int,
               algorithm: Int) -> None:
    """Multiply many of other types."""
    found, (name, code) = blas(thread, handle), typed(compute, type_a, type_b, type_c)
    factors = [factor(thread, found.pointer_mode == DEVICE, code, SUMS[name], each) for each in (alpha, beta)]
    multiply(thread, found, name, (of_a, of_b), (m, n, k), factors[0], Operand(a, lda, stride_a), Operand(b, ldb, stride_b), factors[1],
             Operand(c, ldc, stride_c), batch)


@answers("cublasGemmEx")
def gemm_ex(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, type_a: Int, lda: Int, b: int, type_b: Int,
            ldb: Int, beta: int, c: int, type_c: Int, ldc: Int, compute: Int, algorithm: Int) -> None:
    """Multiply matrices of other types."""
    strided_ex(thread, handle, of_a, of_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute, algorithm)


@answers("cublasSgemmEx")
def sgemm_ex(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, type_a: Int, lda: Int, b: int, type_b: Int,
             ldb: Int, beta: int, c: int, type_c: Int, ldc: Int) -> None:
    """Multiply matrices of other types with sums of single precision."""
    gemm_ex(thread, handle, of_a, of_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, 0, 0)


@answers("cublasGemmBatchedEx")
def batched_ex(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, type_a: Int, lda: Int, b: int, type_b: Int,
               ldb: Int, beta: int, c: int, type_c: Int, ldc: Int, batch: Int, compute: Int, algorithm: Int) -> None:
    """Multiply many of other types, whose addresses the device has."""
    found, (name, code) = blas(thread, handle), typed(compute, type_a, type_b, type_c)
    factors = [factor(thread, found.pointer_mode == DEVICE, code, SUMS[name], each) for each in (alpha, beta)]
    multiply(thread, found, name, (of_a, of_b), (m, n, k), factors[0], Operand(a, lda), Operand(b, ldb), factors[1], Operand(c, ldc), batch,
             addresses=True)


@answers("cublasHgemm")
def hgemm(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, lda: Int, b: int, ldb: Int, beta: int, c: int,
          ldc: Int) -> None:
    """Multiply matrices of half precision; products are added up in single precision."""
    gemm_ex(thread, handle, of_a, of_b, m, n, k, alpha, a, 2, lda, b, 2, ldb, beta, c, 2, ldc, 64, 0)


@answers("cublasHgemmStridedBatched")
def hgemm_strided(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, lda: Int, stride_a: int, b: int, ldb: Int,
                  stride_b: int, beta: int, c: int, ldc: Int, stride_c: int, batch: Int) -> None:
    """Multiply many of half precision."""
    strided_ex(thread, handle, of_a, of_b, m, n, k, alpha, a, 2, lda, stride_a, b, 2, ldb, stride_b, beta, c, 2, ldc, stride_c, batch, 64, 0)


@answers("cublasHgemmBatched")
def hgemm_batched(thread: Thread, handle: int, of_a: Int, of_b: Int, m: Int, n: Int, k: Int, alpha: int, a: int, lda: Int, b: int, ldb: Int, beta: int,
                  c: int, ldc: Int, batch: Int) -> None:
    """Multiply many of half precision, whose addresses the device has."""
    batched_ex(thread, handle, of_a, of_b, m, n, k, alpha, a, 2, lda, b, 2, ldb, beta, c, 2, ldc, batch, 64, 0)
