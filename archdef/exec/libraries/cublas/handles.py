"""Handles of cuBLAS, what is set in them, and arguments that its functions have in common."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import DEVICE, HOST, BoundContext, Handle, Library, Real, device_memory, present, scalar, usable
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

INVALID_VALUE: Final = 7
LIBRARY: Final = Library("cublas", not_supported=15, lacking=8, other=14, statuses={
    "InvalidResourceHandle": 1, "MemoryAllocation": 3, "InvalidValue": INVALID_VALUE, "InvalidConfiguration": INVALID_VALUE,
    "IllegalAddress": 13, "MisalignedAddress": 13, "LaunchFailure": 13, "LaunchTimeout": 13, "LaunchOutOfResources": 13})
answers = LIBRARY.answers
NAMES: Final = {0: "SUCCESS", 1: "NOT_INITIALIZED", 3: "ALLOC_FAILED", 7: "INVALID_VALUE", 8: "ARCH_MISMATCH", 11: "MAPPING_ERROR",
                 13: "EXECUTION_FAILED", 14: "INTERNAL_ERROR", 15: "NOT_SUPPORTED", 16: "LICENSE_ERROR"}
THREADS: Final = 128
"""Threads of a block of the kernels in blas.cu."""
MOST_PARTS: Final = 1024
_PART_BYTES: Final = 16


@attrs.define(eq=False)
class Blas(Handle):
    """What a handle of cuBLAS stands for."""

    pointer_mode: int = HOST
    math_mode: int = 0
    atomics_mode: int = 0
    rooms: dict[tuple[BoundContext, int], Pointer] = attrs.Factory(dict)
    """Device and stream → memory for parts of sums and for a result."""

    def room(self, thread: Thread) -> Pointer:
        """Give memory for parts, in front of it 16 bytes for a result."""
        key = BoundContext.current(thread), self.stream
        if key not in self.rooms:
            self.rooms[key] = device_memory(thread, _PART_BYTES * (1 + MOST_PARTS))
        return self.rooms[key]

    def free(self, thread: Thread) -> None:
        """Give memory back."""
        while self.rooms:
            (context, _), pointer = self.rooms.popitem()
            if not context.destroyed(thread):
                thread.runtime.Free(pointer)

    def scalar(self, thread: Thread, real: Real, address: int) -> bytes:
        """Lay out a factor as kernels take it: by value, or where the device has it."""
        return scalar(thread, real, address, self.pointer_mode == DEVICE)

    def launch(self, thread: Thread, real: Real, name: str, grid: tuple[int, ...], *arguments: bytes, block: tuple[int, ...] = (THREADS,)) -> None:
        """Put a kernel of blas.cu into the handle's stream."""
        launch(thread, kernel(thread, f"blas.{real.letter}", f"archdef_{real.letter}{name}"), grid, block, arguments, self.stream)


def blas(thread: Thread, handle: int) -> Blas:
    """Give what a handle stands for. Raises Refusal."""
    return usable(thread, handle, Blas)


def vector(address: int, distance: int) -> bytes:
    """Lay a vector out as kernels take it."""
    return struct.pack("<Qq", address, distance)


LIBRARY.gives_handles("cublasCreate_v2", "cublasDestroy_v2", Blas)


@answers("cublasGetVersion_v2")
def version(thread: Thread, handle: int, out: int) -> None:
    """Say which version the program was compiled for."""
    present(version=out)
    thread.memory.put_word(out, 10000 * thread.session.cuda, 4)


LIBRARY.says_property("cublasGetProperty", lambda thread: (thread.session.cuda, 0, 0))


@answers("cublasGetCudartVersion")
def runtime_version(thread: Thread) -> int:
    """Say which runtime it is for."""
    return 1000 * thread.session.cuda


LIBRARY.says_statuses("cublasGetStatusName", "cublasGetStatusString", NAMES)
LIBRARY.sets_stream("cublasSetStream_v2", blas)
LIBRARY.gets_stream("cublasGetStream_v2", blas)


def _set(thread: Thread, handle: int, name: str, value: int, allowed: range) -> None:
    found = blas(thread, handle)
    if value not in allowed:
        raise Refusal("InvalidValue", f"no {name.replace('_', ' ')} {value}")
    setattr(found, name, value)


def _get(thread: Thread, handle: int, name: str, out: int) -> None:
    present(mode=out)
    thread.memory.put_word(out, getattr(blas(thread, handle), name), 4)


@answers("cublasSetPointerMode_v2")
def set_pointer_mode(thread: Thread, handle: int, mode: Int) -> None:
    """Say where factors and results are."""
    _set(thread, handle, "pointer_mode", mode, range(2))


@answers("cublasGetPointerMode_v2")
def get_pointer_mode(thread: Thread, handle: int, out: int) -> None:
    """Say where factors and results are."""
    _get(thread, handle, "pointer_mode", out)


@answers("cublasSetMathMode")
def set_math_mode(thread: Thread, handle: int, mode: Int) -> None:
    """Take what a product may lose: archdef's kernels compute in the precision of the call, which every mode allows."""
    _set(thread, handle, "math_mode", mode, range(64))


@answers("cublasGetMathMode")
def get_math_mode(thread: Thread, handle: int, out: int) -> None:
    """Repeat it."""
    _get(thread, handle, "math_mode", out)


@answers("cublasSetAtomicsMode")
def set_atomics_mode(thread: Thread, handle: int, mode: Int) -> None:
    """Take whether sums may come in any order: those of archdef's kernels always come in the same."""
    _set(thread, handle, "atomics_mode", mode, range(2))


@answers("cublasGetAtomicsMode")
def get_atomics_mode(thread: Thread, handle: int, out: int) -> None:
    """Repeat it."""
    _get(thread, handle, "atomics_mode", out)


@answers("cublasSetWorkspace_v2")
def set_workspace(thread: Thread, handle: int, address: int, nbytes: int) -> None:
    """Check the handle: archdef's kernels need no memory of the program."""
    blas(thread, handle)
