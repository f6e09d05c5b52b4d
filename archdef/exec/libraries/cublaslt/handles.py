"""Handles of cuBLASLt, which are those of cuBLAS, and its versions."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cublas.handles import LIBRARY, NAMES, Blas, answers
from archdef.exec.libraries.library import present
from archdef.runtime.status import Refusal


LIBRARY.gives_handles("cublasLtCreate", "cublasLtDestroy", Blas)


@answers("cublasLtGetVersion")
def version(thread: Thread) -> int:
    """Say which version the program was compiled for."""
    return 10000 * thread.session.cuda


@answers("cublasLtGetCudartVersion")
def runtime_version(thread: Thread) -> int:
    """Say which runtime it is for."""
    return 1000 * thread.session.cuda


@answers("cublasLtGetProperty")
def get_property(thread: Thread, kind: Int, out: int) -> None:
    """Give a part of the version: major, minor, patch."""
    if kind not in (0, 1, 2):
        raise Refusal("InvalidValue", f"no property {kind}")
    present(value=out)
    thread.memory.put_word(out, 0 if kind else thread.session.cuda, 4)


LIBRARY.says_statuses("cublasLtGetStatusName", "cublasLtGetStatusString", NAMES)
