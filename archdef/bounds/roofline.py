"""The roofline of a launch: how many operations it does per byte at each level, and what the machine allows at that.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", Communications of the ACM 52(4), 2009.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.bounds.ceilings import ceilings
from archdef.lower.encoding import Kind
from archdef.lower.pack import lane_functions

if TYPE_CHECKING:
    from archdef.run.result import Run

_FLOPS = {"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}
_CLASSES = {"f32": "fp32_", "f64": "fp64_"}
"""Width → how the names of its classes begin."""


@attrs.frozen
class Point:
    """A launch at one level of memory."""

    level: str
    """``shared memory``, ``L2`` (``network`` where there is none) or ``DRAM``."""
    bytes: float
    """Bytes that the launch moved there."""
    intensity: float
    """Floating-point operations per byte."""
    attainable: float
    """GFLOP/s that this level and the units allow at this intensity."""


@attrs.frozen
class Roofline:
    """Where a launch stands under the machine's roof."""

    flops: float
    """Floating-point operations of all lanes; a multiply-add is two."""
    gflop_s: float
    """Of them, 10⁹ per second."""
    peak: float
    """GFLOP/s of the machine in the width that the launch computes most in."""
    points: tuple[Point, ...]

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
    widest = max(flops, key=flops.__getitem__)
    peak = max(rate for name, rate in tops.items() if name.startswith(_CLASSES[widest]))
    moved = _moved(run)
    points = tuple(Point(level, n, whole / n, min(peak, whole / n * tops[level])) for level, n in moved.items() if n and level in tops)
    return Roofline(whole, whole / run.elapsed_s / 1e9 if run.elapsed_s else 0.0, peak, points)


def _flops(run: Run) -> dict[str, float]:
    """Floating-point operations by width. Each op has as many active lanes as its statement on average."""
    ops, counters = run.program.ops, run.counters
    instructions = counters.statements["instructions"].astype(float)
    lanes = np.divide(counters.statements["thread_instructions"], instructions, out=np.zeros_like(instructions), where=instructions > 0)
    found = dict.fromkeys(_CLASSES, 0.0)
    names = {number: name for name, number in lane_functions()[Kind.ALU].items()}
    for k in np.flatnonzero((ops["kind"] == Kind.ALU) & (counters.issued > 0)):
        what, _, width = names[int(ops["fn"][k])].partition("_")
        width = width.partition("_")[0]
        if width in found and what in _FLOPS:
            found[width] += float(counters.issued[k]) * lanes[ops["statement"][k]] * _FLOPS[what]
    return found


def _moved(run: Run) -> dict[str, float]:
    """Bytes by level."""
    c, arch = run.counters, run.architecture
    passes = c.shared_load_passes + c.shared_store_passes + c.shared_atomic_passes
    looked_up = c.l1_hits + c.l1_misses
    loads = c.global_load_bytes_moved * (c.l1_misses / looked_up if looked_up else 1.0)
    moved = {"shared memory": float(passes * arch.shared.banks * arch.shared.bank_width_bytes),
             "L2" if arch.caches.l2 is not None else "network": loads + c.global_store_bytes_moved}
    if c.launches == 1:
        moved["DRAM"] = float((c.partition["bytes_read"] + c.partition["bytes_written"]).sum())
    return moved
