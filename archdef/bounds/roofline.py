"""The roofline of a launch: how many operations it does per byte at each level, and what the machine allows at that.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", Communications of the ACM 52(4), 2009.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.bounds.ceilings import ceilings, network_level, peak
from archdef.lower.encoding import Kind, MatrixOp
from archdef.lower.pack import lane_functions

from archdef.spec.matrix import GROUP_BITS

if TYPE_CHECKING:
    from archdef.run.result import Run

_FLOPS = {"add": 1, "sub": 1, "mul": 1, "fma": 2, "fms": 2, "fnma": 2, "mad": 2, "msub": 2, "nmad": 2}
_WIDTHS = {"f64": ("fp64", 1), "f32": ("fp32", 1), "f16": ("fp16", 1), "f16x2": ("fp16", 2), "bf16": ("fp16", 1), "bf16x2": ("fp16", 2)}
"""Type → how the names of its classes begin, and values that a lane's operation has."""
_PRODUCTS = {MatrixOp.F16: "matrix_f16", MatrixOp.BF16: "matrix_f16", MatrixOp.GROUPS: "matrix_f16", MatrixOp.TF32: "matrix_tf32", MatrixOp.F64: "matrix_f64",
             MatrixOp.E4M3: "matrix_fp8", MatrixOp.E5M2: "matrix_fp8"}
"""Product of matrices → the width that it is of."""


@attrs.frozen
class Point:
    """A launch at one level of memory."""

    level: str
    """``shared memory``, ``L2 reads`` and ``L2 writes`` (``network`` where there is no L2), or ``DRAM``: the names of ceilings."""
    bytes: float
    """Bytes that the launch moved there, with the headers of packets."""
    intensity: float
    """Floating-point operations per byte."""
    attainable: float
    """GFLOP/s that this level and the units allow at this intensity."""


@attrs.frozen(repr=False)
class Roofline:
    """Where a launch stands under the machine's roof."""

    flops: float
    """Floating-point operations of all lanes; a multiply-add is two."""
    gflop_s: float
    """Of them, 10⁹ per second."""
    peak: float
    """GFLOP/s that the units allow: of each width that the launch computes in, as large a part as it has of the operations."""
    points: tuple[Point, ...]

    def __repr__(self) -> str:
        return f"<Roofline: {self.gflop_s:.4g} of {self.attainable:.4g} GFLOP/s attainable, peak {self.peak:.4g}>"

    @property
    def attainable(self) -> float:
        """GFLOP/s that the lowest roof allows."""
        return min([self.peak, *(point.attainable for point in self.points)])

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return attrs.asdict(self) | {"attainable": self.attainable}


def roofline(run: Run) -> Roofline | None:
    """Place a launch under the roofline of its machine.

    Parameters
    ----------
    run : Run
        A finished launch.

    Returns
    -------
    Roofline or None
        None if the launch did no floating-point operations, or launched kernels of its own.
    """
    flops = _flops(run)
    whole = sum(flops.values())
    if whole == 0 or run.launches:
        return None
    tops = {ceiling.name: ceiling.rate for ceiling in ceilings(run.architecture)}
    least = {width: n / rate for width, n in flops.items() if n and (rate := peak(run.architecture, width))}     # units of widths may work at a time
    most = whole / max(least.values()) if least else math.inf
    points = tuple(Point(level, n, whole / n, min(most, whole / n * tops[level])) for level, n in _moved(run).items() if n and level in tops)
    return Roofline(whole, whole / run.elapsed_s / 1e9 if run.elapsed_s else 0.0, most, points)


def _flops(run: Run) -> dict[str, float]:
    """Floating-point operations by width. Each op has as many active lanes as its statement on average."""
    ops, counters = run.program.ops, run.counters
    instructions = counters.statements["instructions"].astype(float)
    lanes = np.divide(counters.statements["thread_instructions"], instructions, out=np.zeros_like(instructions), where=instructions > 0)
    found: dict[str, float] = {}
    names = {number: name for name, number in lane_functions()[Kind.ALU].items()}
    for k in np.flatnonzero((ops["kind"] == Kind.ALU) & (counters.issued > 0)):
        what, *_, type_ = names[int(ops["fn"][k])].split("_")
        if type_ in _WIDTHS and what in _FLOPS:
            width, values = _WIDTHS[type_]
            found[width] = found.get(width, 0.0) + float(counters.issued[k] * lanes[ops["statement"][k]]) * _FLOPS[what] * values
    for kind, operations in ((Kind.MATRIX, _of_product), (Kind.GROUP_PRODUCT, _of_group_product)):
        for k in np.flatnonzero((ops["kind"] == kind) & (counters.issued > 0)):
            if (of := _PRODUCTS.get(MatrixOp(int(ops["fn"][k])))) is not None:
                done = float(counters.issued[k] * lanes[ops["statement"][k]]) / run.architecture.warp.size    # parts of a warp meet, each issues once
                found[of] = found.get(of, 0.0) + done * operations(ops[k])
    return found


def _of_product(op: np.void) -> int:
    """Count the operations of a warp's product: rows, columns, depth, a multiplication and an addition each; of four groups of lanes, four products."""
    return 2 * 8 * int(op["vec"]) * 8 * int(op["offset"]) * (4 if op["fn"] == MatrixOp.GROUPS else 1)


def _of_group_product(op: np.void) -> int:
    """Count those of one of the four warps that compute a product together: 16 of its rows."""
    return 2 * 16 * 8 * int(op["vec"]) * (GROUP_BITS // int(op["element"]))


def _moved(run: Run) -> dict[str, float]:
    """Bytes by level."""
    c, arch = run.counters, run.architecture
    passes = c.shared_load_passes + c.shared_store_passes + c.shared_atomic_passes
    moved = {"shared memory": float(passes * arch.shared.banks * arch.shared.bank_width_bytes)}
    if c.launches == 1:
        level, partition = network_level(arch), c.partition
        moved[f"{level} reads"] = float(partition["response_bytes"].sum())
        moved[f"{level} writes"] = float(partition["request_bytes"].sum())
        moved["DRAM"] = float((partition["bytes_read"] + partition["bytes_written"]).sum())
    return moved
