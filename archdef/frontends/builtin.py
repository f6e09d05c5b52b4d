"""The front ends that archdef brings, offered by the very hook that plugins use. The order is the order of preference."""
from __future__ import annotations

from archdef.frontends.numba_cuda import Numba
from archdef.frontends.nvcc import Nvcc
from archdef.frontends.nvrtc import Nvrtc
from archdef.frontends.ptxtext import PtxText, ShippedPtx
from archdef.frontends.triton_jit import Triton
from archdef.hookspecs import hookimpl


@hookimpl
def archdef_frontends():
    """NVRTC first; without it shipped PTX, which is the same everywhere; nvcc, whose version differs, last."""
    return [PtxText(), Nvrtc(), ShippedPtx(), Nvcc(), Numba(), Triton()]
