"""Handles of cuBLASLt, which are those of cuBLAS, and its versions."""
from __future__ import annotations

from archdef.exec.calls import Thread
from archdef.exec.libraries.cublas.handles import LIBRARY, NAMES, Blas, answers


LIBRARY.gives_handles("cublasLtCreate", "cublasLtDestroy", Blas)


@answers("cublasLtGetVersion")
def version(thread: Thread) -> int:
    """Say which version the program was compiled for."""
    return 10000 * thread.session.cuda


@answers("cublasLtGetCudartVersion")
def runtime_version(thread: Thread) -> int:
    """Say which runtime it is for."""
    return 1000 * thread.session.cuda


LIBRARY.says_property("cublasLtGetProperty", lambda thread: (thread.session.cuda, 0, 0))


LIBRARY.says_statuses("cublasLtGetStatusName", "cublasLtGetStatusString", NAMES)
