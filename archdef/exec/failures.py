"""Devices on which a kernel of the program has failed: they do nothing more for this process, and every call says why.

Measured on an H100 with CUDA 13.0 (tests/data/h100/calls_after_a_failure.txt), for illegal and misaligned addresses, traps and failed assertions.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archdef.errors import ArchdefError, BudgetExceeded, GuestFault
from archdef.exec.contexts import QUERIES
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.calls import Thread

UNAFFECTED: Final = QUERIES | frozenset(
    "cudaGetLastError cudaPeekAtLastError cudaGetErrorName cudaGetErrorString cudaSetDevice cudaPointerGetAttributes cudaDeviceReset cudaThreadExit "
    "cuCtxGetDevice".split())
"""Functions that need no device that works."""


class AfterFailure(Exception):
    """A call to a device on which a kernel has failed, of which the program has been told."""

    def __init__(self, failure: ArchdefError):
        self.failure = failure
        super().__init__(str(failure))


class Failures:
    """What has failed on the devices of a program."""

    def __init__(self) -> None:
        self._of: dict[int, ArchdefError] = {}

    def note(self, thread: Thread, error: BaseException) -> None:
        """Keep an error with the thread's device, if it is a kernel's; a failed assertion is told as CUDA tells it, on the program's stream of errors."""
        if isinstance(error, (GuestFault, BudgetExceeded)) and (device := thread.runtime.GetDevice()) not in self._of:
            self._of[device] = error
            if isinstance(error, GuestFault) and error.kind == "assertion":
                thread.print(_assertions(error), is_error=True)

    def of(self, thread: Thread) -> ArchdefError | None:
        """Give what has failed on the thread's device."""
        return self._of.get(thread.runtime.GetDevice()) if self._of else None

    def check(self, thread: Thread) -> None:
        """Raise AfterFailure if something has failed there."""
        if (failure := self.of(thread)) is not None:
            raise AfterFailure(failure)

    def reset(self, thread: Thread) -> None:
        """Note that the thread's device is reset, which does not make it work again."""
        if (device := thread.runtime.GetDevice()) in self._of:
            self._of[device] = Refusal("DevicesUnavailable", f"a kernel failed on device {device} before it was reset: only another process can use it now")


def _assertions(fault: GuestFault) -> str:
    """Give a line for each thread of the first warp in which an assertion has failed."""
    file, line, function, expression = fault.data["assertion"]
    places = ((f"[{','.join(map(str, place))}]" for place in (fault.data["block"], thread)) for thread in fault.data["threads"])
    return "".join(f"{file}:{line}: {function}: block: {block}, thread: {thread} Assertion `{expression}` failed.\n" for block, thread in places)
