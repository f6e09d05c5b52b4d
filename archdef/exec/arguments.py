"""Arguments that functions of the runtime and the driver check before they do anything: flags and enumerations, and addresses for what they give.

References: driver_types.h and cuda.h of CUDA 13, and what cuda_runtime_api.h says of each function.
"""
from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.calls import Answer, Thread

Rule: TypeAlias = "Callable[[int], bool]"
"""Says whether there is such a value."""
_GIVEN: Final = "out"
"""The parameter by which a function gives what it makes: it is not null. Others, such as ``count_out``, may be."""
_SCHEDULES: Final = (0, 1, 2, 4)
_SCHEDULE_MASK: Final = 0x07
_DEVICE_MASK: Final = 0xFF
_DISABLE_TIMING, _INTERPROCESS = 2, 4


def _bits(mask: int) -> Rule:
    return lambda value: not value & ~mask


def _one_of(values: Container[int]) -> Rule:
    return lambda value: value in values


def is_device_flags(value: int) -> bool:
    """Say whether these are flags of a device or a context: at most one way to wait among them."""
    return not value & ~_DEVICE_MASK and value & _SCHEDULE_MASK in _SCHEDULES


def _is_event_flags(value: int) -> bool:
    return not value & ~7 and (not value & _INTERPROCESS or bool(value & _DISABLE_TIMING))


_NONE: Final = _bits(0)
_CACHE: Final = _one_of(range(4))
_BANKS: Final = _one_of(range(3))
_ARRAY: Final = _bits(0xEF)
_ADVICE: Final = _one_of(range(1, 7))
RULES: Final[dict[str, tuple[str, Rule]]] = {
    "cuCtxAttach": ("flags", _NONE),
    "cuCtxCreate": ("flags", is_device_flags),
    "cuCtxCreate_v2": ("flags", is_device_flags),
    "cuCtxCreate_v3": ("flags", is_device_flags),
    "cuCtxCreate_v4": ("flags", is_device_flags),
    "cuCtxEnablePeerAccess": ("peer_flags", _NONE),
    "cuCtxSetFlags": ("value", is_device_flags),
    "cuDevicePrimaryCtxSetFlags": ("value", is_device_flags),
    "cuDevicePrimaryCtxSetFlags_v2": ("value", is_device_flags),
    "cuFuncSetCacheConfig": ("what", _CACHE),
    "cuFuncSetSharedMemConfig": ("what", _BANKS),
    "cuInit": ("flags", _NONE),
    "cuKernelSetCacheConfig": ("what", _CACHE),
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ("flags", _bits(1)),
    "cuOccupancyMaxPotentialBlockSizeWithFlags": ("flags", _bits(1)),
    "cuStreamUpdateCaptureDependencies": ("flags", _bits(1)),
    "cuSurfRefSetArray": ("flags", _bits(1)),
    "cuTexRefSetArray": ("flags", _one_of((1,))),
    "cudaDeviceEnablePeerAccess": ("flags", _NONE),
    "cudaDeviceSetCacheConfig": ("config", _CACHE),
    "cudaDeviceSetSharedMemConfig": ("config", _BANKS),
    "cudaEventCreateWithFlags": ("flags", _is_event_flags),
    "cudaEventRecordWithFlags": ("flags", _bits(1)),
    "cudaFuncSetCacheConfig": ("config", _CACHE),
    "cudaFuncSetSharedMemConfig": ("config", _BANKS),
    "cudaHostAlloc": ("flags", _bits(0x07)),
    "cudaHostGetDevicePointer": ("flags", _NONE),
    "cudaHostRegister": ("flags", _bits(0x0F)),
    "cudaInitDevice": ("flags", _bits(1)),
    "cudaLaunchHostFunc_v2": ("waiting", _bits(1)),
    "cudaMalloc3DArray": ("flags", _ARRAY),
    "cudaMallocArray": ("flags", _ARRAY),
    "cudaMemAdvise": ("what", _ADVICE),
    "cudaMemAdvise_v2": ("what", _ADVICE),
    "cudaMemPrefetchAsync_v2": ("flags", _NONE),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ("flags", _bits(1)),
    "cudaSetDeviceFlags": ("flags", is_device_flags),
    "cudaStreamAddCallback": ("flags", _NONE),
    "cudaStreamAttachMemAsync": ("flags", _one_of((1, 2, 4))),
    "cudaStreamUpdateCaptureDependencies_v2": ("flags", _bits(1)),
    "cudaStreamWaitEvent": ("flags", _bits(1)),
    "cudaThreadSetCacheConfig": ("config", _CACHE),
}
"""Function → one of the parameters of its answer, and the values that there are of it."""


def checked(name: str, answer: Answer) -> Answer:
    """Give an answer that checks its arguments first, by the name that it answers to. Raises Refusal."""
    names = list(inspect.signature(answer).parameters)[1:]
    place = names.index(_GIVEN) if _GIVEN in names else None
    found = RULES.get(re.sub(r"_pt[ds][sz]$", "", name))
    if place is None and found is None:
        return answer
    parameter, rule = found or ("", bool)
    number = names.index(parameter) if found else None

    @functools.wraps(answer)
    def careful(thread: Thread, *arguments: Any) -> int | None:
        if number is not None and not rule(arguments[number]):
            raise Refusal("InvalidValue", f"{name} with {parameter} {arguments[number]:#x}")
        if place is not None and not arguments[place]:
            raise Refusal("InvalidValue", f"{name} without an address for what it gives")
        return answer(thread, *arguments)
    return careful
