"""Handles of cuDNN, its version and its statuses."""
from __future__ import annotations

from typing import Final

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.library import Handle, Library, usable

LIBRARY: Final = Library("cudnn", not_supported=3000, lacking=3007, other=4000, statuses={
    "InvalidResourceHandle": 1001, "MemoryAllocation": 4004, "InvalidValue": 2000, "InvalidConfiguration": 2000, "IllegalAddress": 5000,
    "MisalignedAddress": 5000, "LaunchFailure": 5000, "LaunchTimeout": 5000, "LaunchOutOfResources": 5000})
answers = LIBRARY.answers
_NAMES: Final = {0: "SUCCESS", 1001: "NOT_INITIALIZED", 2000: "BAD_PARAM", 3000: "NOT_SUPPORTED", 3007: "NOT_SUPPORTED_ARCH_MISMATCH", 4000: "INTERNAL_ERROR",
                 4004: "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", 5000: "EXECUTION_FAILED"}
_VERSION: Final = (9, 0, 0)
"""The first version with these numbers of statuses."""


class Dnn(Handle):
    """What a handle of cuDNN stands for."""


def dnn(thread: Thread, handle: int) -> Dnn:
    """Give what a handle stands for. Raises Refusal."""
    return usable(thread, handle, Dnn)


LIBRARY.gives_handles("cudnnCreate", "cudnnDestroy", Dnn)
LIBRARY.sets_stream("cudnnSetStream", dnn)
LIBRARY.gets_stream("cudnnGetStream", dnn)


@answers("cudnnGetVersion")
def version(thread: Thread) -> int:
    """Say which version these functions are of."""
    return 10000 * _VERSION[0] + 100 * _VERSION[1] + _VERSION[2]


@answers("cudnnGetCudartVersion")
def runtime_version(thread: Thread) -> int:
    """Say which runtime it is for."""
    return 1000 * thread.session.cuda


LIBRARY.says_property("cudnnGetProperty", lambda thread: _VERSION)


@answers("cudnnGetErrorString")
def status_name(thread: Thread, number: Int) -> int:
    """Give the name of a status."""
    return thread.string("CUDNN_STATUS_" + _NAMES.get(number, "UNKNOWN"))
