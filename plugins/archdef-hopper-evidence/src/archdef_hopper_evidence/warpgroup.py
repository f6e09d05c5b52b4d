"""Products by warpgroups: kernels in CUDA C++ with ``wgmma`` in inline assembly, and what Triton makes of a matrix product for sm_90."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef_hopper_evidence.calibration import floats, unset
from archdef_hopper_evidence.launches import Kernels, Launch

f32, i32, u64 = np.float32, np.int32, np.uint64


def _factors(n: int, type=np.float16) -> dict:
    return {"a": (floats(n * n, 501) - f32(0.5)).astype(type), "b": (floats(n * n, 502) - f32(0.5)).astype(type), "c": unset(n * n)}


def _plain(tile: int, threads: int, shared: int = 0) -> Callable[..., Launch]:
    return lambda n: Launch((n // tile, n // tile), (threads, 1), {**_factors(n), "n": i32(n)}, "c", shared_bytes=shared)


def _triton(rows: int, columns: int, warps: int, shared: int, type=np.float16) -> Callable[..., Launch]:
    """`matmul` of ``data/warpgroup_matmul.py``: square matrices by rows, and two pointers of Triton's own."""
    return lambda n: Launch((n // rows, n // columns), (32 * warps, 1), {
        **_factors(n, type), **{name: i32(n) for name in ("m", "n", "k", "stride_a", "stride_b", "stride_c")},
        "scratch": u64(0), "profile": u64(0)}, "c", shared_bytes=shared)


KERNELS: dict[str, Callable[..., Launch]] = {
    "wgmma_direct": _plain(64, 128), "wgmma_stages": _plain(128, 256, 65536),
    "triton_64x64": _triton(64, 64, 4, 49152), "triton_128x128": _triton(128, 128, 8, 98304),
    "triton_128x256": _triton(128, 256, 8, 147456), "triton_tf32": _triton(64, 64, 4, 32768, f32)}
"""Kernel → its launch at a size."""
SIZES = {"wgmma_direct": ("n=128", "n=1024"), "wgmma_stages": ("n=256", "n=1024"), "triton_64x64": ("n=128", "n=1024"),
         "triton_128x128": ("n=256", "n=1024"), "triton_128x256": ("n=256", "n=1024"), "triton_tf32": ("n=128", "n=512")}
"""Kernel → a small size and one that fills the machine."""

WARPGROUP = Kernels("warpgroup", KERNELS, SIZES)


def warpgroup(device, *, case: str, launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the set; give its quantities by the names of ``warpgroup_kernels.csv``."""
    return WARPGROUP.measured(device, case, launch_cycles)
