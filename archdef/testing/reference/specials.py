"""Special registers: who a thread is, and how it was launched. Clocks and processor numbers have no defined value and are left out."""
from __future__ import annotations

from collections.abc import Callable

_MASKS = {"%lanemask_eq": lambda k: 1 << k, "%lanemask_le": lambda k: (2 << k) - 1, "%lanemask_lt": lambda k: (1 << k) - 1,
          "%lanemask_ge": lambda k: -(1 << k), "%lanemask_gt": lambda k: -(2 << k)}
_TRIPLES = {"tid": "tid", "ntid": "ntid", "ctaid": "ctaid", "nctaid": "nctaid"}


def reader(name: str, warp_size: int) -> Callable | None:
    """Give a function of a thread that reads a special register; None if the reference does not know it.

    Lane masks have a bit for each lane of the machine; reading one as 32 bits cuts it.
    """
    if name == "WARP_SZ":
        return lambda t: warp_size
    stem, _, part = name.removeprefix("%").partition(".")
    if stem in _TRIPLES and part in ("x", "y", "z"):
        axis = "xyz".index(part)
        return lambda t: getattr(t, stem)[axis]
    if stem in _TRIPLES and part == "w":
        return lambda t: 0
    if stem in ("clusterid", "cluster_ctaid") and part in ("x", "y", "z", "w") or name == "%cluster_ctarank":
        return lambda t: 0  # a launch without clusters has clusters of one block
    if name in ("%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_nctarank"):
        return lambda t: 1
    if name == "%laneid":
        return lambda t: t.lane
    if name == "%warpid":
        return lambda t: t.warp.number
    if name == "%dynamic_smem_size":
        return lambda t: t.dynamic_shared_bytes
    if name in _MASKS:
        everyone, mask = (1 << warp_size) - 1, _MASKS[name]
        return lambda t: mask(t.lane) & everyone
    return None
