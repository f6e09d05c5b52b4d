"""Handles of cuSOLVER, and arguments that its functions have in common."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Thread
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import Handle, Library, Real, blocks, present, usable
from archdef.runtime.status import Refusal

LIBRARY: Final = Library("cusolver", not_supported=9, lacking=4, other=7, statuses={
    "InvalidResourceHandle": 1, "MemoryAllocation": 2, "InvalidValue": 3, "InvalidConfiguration": 3, "IllegalAddress": 6, "MisalignedAddress": 6,
    "LaunchFailure": 6, "LaunchTimeout": 6, "LaunchOutOfResources": 6})
answers = LIBRARY.answers
_BLOCK: Final = (16, 8)
"""Threads of a block of the kernels in solver.cu."""


class Solver(Handle):
    """What a handle of cuSOLVER stands for."""


def solver(thread: Thread, handle: int) -> Solver:
    """Give what a handle stands for. Raises Refusal."""
    return usable(thread, handle, Solver)


LIBRARY.gives_handles("cusolverDnCreate", "cusolverDnDestroy", Solver)
LIBRARY.sets_stream("cusolverDnSetStream", solver)
LIBRARY.gets_stream("cusolverDnGetStream", solver)


@answers("cusolverGetVersion")
def version(thread: Thread, out: int) -> None:
    """Say which version the program was compiled for."""
    present(version=out)
    thread.memory.put_word(out, 1000 * thread.session.cuda, 4)


LIBRARY.says_property("cusolverGetProperty", lambda thread: (thread.session.cuda, 0, 0))


def run(thread: Thread, found: Solver, real: Real, name: str, columns: int, *arguments: bytes) -> None:
    """Put a kernel of solver.cu into the handle's stream, with a block for each of so many columns."""
    chosen = kernel(thread, f"solver.{real.letter}", f"archdef_{real.letter}{name}")
    launch(thread, chosen, blocks(thread, columns), _BLOCK, arguments, found.stream)


def view(address: int, leading: int, transposed: bool = False) -> bytes:
    """Lay a matrix that lies column by column out as kernels take it."""
    return struct.pack("<Q2q", address, *((leading, 1) if transposed else (1, leading)))


def long(value: int) -> bytes:
    """Lay out a number of 64 bits, or an address, as kernels take it."""
    return struct.pack("<q" if value < 0 else "<Q", value)


def one_of(number: int, what: str, most: int) -> int:
    """Give a choice. Raises Refusal for one that is not there."""
    if not 0 <= number <= most:
        raise Refusal("InvalidValue", f"no {what} {number}")
    return number


def say_room(thread: Thread, out: int) -> None:
    """Say how much memory is needed: none, but programs may not allocate so little."""
    present(size=out)
    thread.memory.put_word(out, 1, 4)
