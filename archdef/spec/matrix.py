"""Matrix instructions: what each class of them computes, and how a machine adds up their products."""
from __future__ import annotations

import math
import re

import attrs

from archdef.spec.fields import integer, policy
from archdef.spec.policy import PolicyValue, named

GROUP_BITS = 256
"""Bits of a row of the first factor, and of a column of the second one, that go into a product of four warps."""
_FORMS = (
    ("f16", "f16 or bf16", (("m8n8k4", "matrix"), ("m16n8k8", "matrix_m16n8k8"), ("m16n8k16", "matrix"))),
    ("tf32", "tf32", (("m16n8k4", "matrix_tf32"), ("m16n8k8", "matrix_tf32"))),
    ("f64", "double-precision numbers", (("m8n8k4", "matrix_f64"), ("m16n8k4", "matrix_f64_tall"), ("m16n8k8", "matrix_f64_tall"),
                                         ("m16n8k16", "matrix_f64_tall"))),
    ("int8", "8-bit integers", (("m8n8k16", "matrix_int8"), ("m16n8k16", "matrix_int8"), ("m16n8k32", "matrix_int8 matrix_tall"))),
    ("u4", "4-bit unsigned integers", (("m8n8k32", "matrix_int4"), ("m16n8k32", "matrix_int4 matrix_tall"),
                                       ("m16n8k64", "matrix_int4 matrix_tall"))),
    ("s4", "4-bit integers, signed ones among them", (("m8n8k32", "matrix_int4"), ("m16n8k32", "matrix_int4 matrix_tall"),
                                                      ("m16n8k64", "matrix_int4 matrix_tall"))),
    ("xor", "single bits by exclusive or", (("m8n8k128", "matrix_bits"), ("m16n8k128", "matrix_bits matrix_tall"),
                                            ("m16n8k256", "matrix_bits matrix_tall"))),
    ("and", "single bits by and", (("m8n8k128", "matrix_bits_and"), ("m16n8k128", "matrix_bits_and matrix_tall"),
                                   ("m16n8k256", "matrix_bits_and matrix_tall"))))


def _products(shape: str) -> int:
    """Count the operations of a product, a multiplication and an addition each: ``m16n8k8`` has 2,048."""
    return 2 * math.prod(map(int, re.findall(r"\d+", shape)))


MATRIX_CLASSES: dict[str, str] = {
    f"matrix_{name}_{shape}": f"matrix product {shape} of {what}" + ", in each of four groups of lanes" * ((name, shape) == ("f16", "m8n8k4"))
    for name, what, shapes in _FORMS for shape, _ in shapes} | {
    "matrix_transpose": "exchange of a tile of 8 x 8 16-bit numbers among lanes (movmatrix)",
    "warpgroup_f16": "eight columns of a product of four warps (wgmma) on f16 or bf16; its latency is that of a product without columns",
    "warpgroup_tf32": "eight columns of a product of four warps on tf32",
    "warpgroup_int8": "eight columns of a product of four warps on 8-bit integers",
    "warpgroup_fp8": "eight columns of a product of four warps on 8-bit floats",
    "warpgroup_fence": "meeting of the four warps before their products",
    "warpgroup_wait": "wait for products of four warps that are under way",
    "load_matrix": "load of tiles of 8 x 8 16-bit numbers from shared memory (ldmatrix)",
    "store_matrix": "store of tiles of 8 x 8 16-bit numbers to shared memory (stmatrix)",
}
"""Classes of operation. A product of matrices that are larger than those named (`wmma`) is several of them."""

MATRIX_FLOPS: dict[str, tuple[str, int]] = {
    **{f"matrix_{name}_{shape}": (name, _products(shape) * (4 if (name, shape) == ("f16", "m8n8k4") else 1))
       for name, _, shapes in _FORMS if name in ("f16", "tf32", "f64") for shape, _ in shapes},
    **{f"warpgroup_{name}": (name, 2 * 16 * 8 * GROUP_BITS // bits) for name, bits in (("f16", 16), ("tf32", 32), ("fp8", 8))}}
"""Class of products of floating-point numbers → their type, and operations of a warp's instruction; of `warpgroup` classes, for eight columns."""

MATRIX_FEATURES: dict[str, str] = {
    "matrix": "matrix products on f16: wmma, mma m8n8k4 (7.0)",
    "matrix_m16n8k8": "mma m16n8k8 on f16 (7.5)",
    "matrix_tall": "mma of 16 rows in every depth: m16n8k16 on f16, m16n8k32 on 8-bit integers … (8.0)",
    "matrix_int8": "matrix products on 8-bit integers (7.2)",
    "matrix_int4": "matrix products on 4-bit integers (7.5)",
    "matrix_bits": "matrix products on single bits by exclusive or (7.5)",
    "matrix_bits_and": "matrix products on single bits by and (8.0)",
    "matrix_bf16": "matrix products on bf16 (8.0)",
    "matrix_tf32": "matrix products on tf32 (8.0)",
    "matrix_f64": "matrix products in double precision (8.0)",
    "matrix_f64_tall": "mma of 16 rows in double precision (9.0)",
    "matrix_tiles": "ldmatrix, movmatrix (7.5)",
    "matrix_tiles_store": "stmatrix (9.0)",
    "matrix_warpgroup": "products of four warps, from shared memory: wgmma (9.0); later machines have other products",
    "matrix_fp8": "matrix products on 8-bit floats (8.9)",
}
"""Features, and the compute capability that brought each."""

MATRIX_FEATURE_OF_CLASS: dict[str, str] = {
    f"matrix_{name}_{shape}": features for name, _, shapes in _FORMS for shape, features in shapes} | {
    "warpgroup_f16": "matrix_warpgroup", "warpgroup_tf32": "matrix_warpgroup matrix_tf32", "warpgroup_int8": "matrix_warpgroup matrix_int8",
    "warpgroup_fp8": "matrix_warpgroup matrix_fp8", "warpgroup_fence": "matrix_warpgroup", "warpgroup_wait": "matrix_warpgroup",
    "matrix_transpose": "matrix_tiles", "load_matrix": "matrix_tiles", "store_matrix": "matrix_tiles_store"}

MATRIX_FEATURE_NEEDS: dict[str, str] = {
    "matrix_m16n8k8": "matrix", "matrix_tall": "matrix_m16n8k8", "matrix_int4": "matrix_int8", "matrix_int8": "matrix",
    "matrix_bits": "matrix", "matrix_bits_and": "matrix_bits", "matrix_bf16": "matrix_tall", "matrix_tf32": "matrix_tall",
    "matrix_f64": "matrix", "matrix_f64_tall": "matrix_f64", "matrix_tiles": "matrix", "matrix_tiles_store": "matrix_tiles",
    "matrix_warpgroup": "matrix_tall", "matrix_fp8": "matrix_tall"}


class MatrixSum(PolicyValue):
    """How the products that make one number of the result are added to it."""

    __slots__ = ()


@named("aligned")
class AlignedSum(MatrixSum):
    """Exact products and the number that they are added to are shifted to the largest exponent among them, cut off, and added exactly;
    the sum is cut to single precision, or rounded to the nearest f16. Deeper products take one block of `products` after the other.

    References: Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021; Li et al., FTTN:
    Feature-Targeted Testing for Numerical Properties of NVIDIA & AMD Matrix Accelerators, 2024; Xie et al., MMA-Sim, 2025.
    """

    products: int = integer(at_most=32, default=16)
    """Products added at a time."""
    fraction_bits: int = integer(at_least=10, at_most=30, default=25)
    """Bits kept behind the binary point of the largest exponent: single precision has 23."""
    result_bits: int = integer(at_least=10, at_most=23, default=23)
    """Fraction bits of a sum in single precision: it is cut off behind them."""


@named("chained")
class ChainedSum(MatrixSum):
    """Fused multiply-adds in single precision, rounded to nearest, from +0 on in ascending order; their sum is added to the number last."""


@named("paired")
class PairedSum(MatrixSum):
    """As `ChainedSum` for each pair of products, whose first is rounded; the pairs are added to the number one after the other."""


@attrs.frozen(kw_only=True)
class MatrixArithmetic:
    """How a machine adds up the products of matrix instructions. Integers are exact on every machine, and double precision is a chain of
    fused multiply-adds in ascending order."""

    f16: MatrixSum = policy(MatrixSum)
    bf16: MatrixSum | None = policy(MatrixSum, optional=True, default=None)
    tf32: MatrixSum | None = policy(MatrixSum, optional=True, default=None)
    fp8: MatrixSum | None = policy(MatrixSum, optional=True, default=None)
    groups: MatrixSum = policy(MatrixSum)
    """mma m8n8k4 on f16 with single-precision results, each group of lanes a product of its own."""
    groups_f16: MatrixSum = policy(MatrixSum)
    """The same with f16 results."""


@attrs.frozen(kw_only=True)
class WarpgroupProducts:
    """How four warps compute a product together, whose factors come from shared memory, and which is queued in their `tensor` units.

    A product holds the unit for the cycles of its columns, or for as long as its factors take to come, if that is longer. Its latency is that of its
    class, and the cycles of its columns. 256 bits of the first factor's rows, and of the second one's columns, go into one product.
    """

    operand_bytes_per_cycle: int = integer()
    """Bytes of the factors that shared memory gives the four units together, per cycle."""
    register_factor_cycles: int = integer(at_least=0)
    """SM cycles for which a product whose first factor comes from registers holds the unit at least."""
    shared_factor_cycles: int = integer(at_least=0)
    """SM cycles by which it is later where the first factor comes from shared memory."""
    shared_pass_ratio: int = integer(at_most=64, default=1)
    """Times as long as otherwise a pass over shared memory's banks takes for other instructions while products are under way."""
    least_issue_cycles: int = integer()
    """SM cycles from a product to the warp's next instruction, at least …"""
    issue_columns_per_cycle: int = integer()
    """… and columns for each of which it is one."""
