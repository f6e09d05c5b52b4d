"""What the device runtime serves when kernels launch kernels: names, arguments and the system calls that stand for them.

Each has two names, the plain one and that of CUDA 12's second model, ``__cudaCDP2…``, in which no kernel waits for its children.
"""
from __future__ import annotations

from archdef.lower.encoding import SystemCall
from archdef.lower.select.service import Service

DIM3 = "dim3"
"""A parameter of three 32-bit words."""

NO_PREFERENCE = 0
"""``cudaFuncCachePreferNone``: how L1 and shared memory divide their array follows from the kernel alone."""
DEVICE_RUNTIME_VERSION = 6000
"""What an H200 answers in a kernel, with CUDA 13.0; the host's version is another."""
REFUSED = ("LaunchDevice", "GetParameterBuffer", "FuncGetAttributes", "OccupancyMaxActiveBlocksPerMultiprocessor",
           "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "Memcpy2DAsync", "Memcpy3DAsync", "Memset2DAsync", "Memset3DAsync",
           "DeviceGetSharedMemConfig", "EventRecordWithFlags")
"""Calls of the device runtime that nothing serves, without prefix; a compiler's stand-in for them that does nothing is refused too."""

_PREFIX = "__cudaCDP2"


def _services() -> dict[str, Service]:
    def made(call: SystemCall, *parameters: str, result: str = "u32", constants: tuple[int, ...] = ()) -> Service:
        return Service(call, parameters, result, "dynamic_parallelism", constants)

    served = {
        "GetParameterBufferV2": made(SystemCall.LAUNCH_BUFFER, "u64", DIM3, DIM3, "u32", result="u64"),
        "LaunchDeviceV2": made(SystemCall.LAUNCH, "u64", "u64"),
        "StreamCreateWithFlags": made(SystemCall.STREAM_MAKE, "u64", "u32"),
        "StreamDestroy": made(SystemCall.STREAM_DROP, "u64"),
        "StreamWaitEvent": made(SystemCall.EVENT_WAIT, "u64", "u64", "u32"),
        "EventCreateWithFlags": made(SystemCall.EVENT_MAKE, "u64", "u32"),
        "EventRecord": made(SystemCall.EVENT_RECORD, "u64", "u64"),
        "EventDestroy": made(SystemCall.EVENT_DROP, "u64"),
        "MemcpyAsync": made(SystemCall.COPY, "u64", "u64", "u64", "u32", "u64"),
        "MemsetAsync": made(SystemCall.FILL, "u64", "u32", "u64", "u64"),
        "Malloc": made(SystemCall.TAKE, "u64", "u64"),
        "Free": made(SystemCall.GIVE, "u64"),
        "GetLastError": made(SystemCall.ERROR, constants=(1,)),
        "PeekAtLastError": made(SystemCall.ERROR, constants=(0,)),
        "GetErrorString": made(SystemCall.ERROR_TEXT, "u32", result="u64", constants=(0,)),
        "GetErrorName": made(SystemCall.ERROR_TEXT, "u32", result="u64", constants=(1,)),
        "GetDevice": made(SystemCall.DEVICE, "u64", constants=(0,)),
        "GetDeviceCount": made(SystemCall.DEVICE, "u64", constants=(1,)),
        "DeviceGetAttribute": made(SystemCall.ATTRIBUTE, "u64", "u32", "u32"),
        "DeviceGetLimit": made(SystemCall.LIMIT, "u64", "u32"),
        "DeviceGetCacheConfig": made(SystemCall.NUMBER, "u64", constants=(NO_PREFERENCE,)),
        "RuntimeGetVersion": made(SystemCall.NUMBER, "u64", constants=(DEVICE_RUNTIME_VERSION,)),
    }
    for name in ("StreamWaitEvent", "EventRecord", "MemcpyAsync", "MemsetAsync"):
        served[f"{name}_ptsz"] = served[name]
    named = {f"{prefix}{name}": service for name, service in served.items() for prefix in ("cuda", _PREFIX)}
    waits = made(SystemCall.JOIN)
    return named | {"cudaDeviceSynchronize": waits, "__cudaDeviceSynchronizeDeprecationAvoidance": waits}


CHILD_SERVICES = _services()
"""Name of the function → what serves it."""


def refused(name: str) -> bool:
    """Tell whether a function is one of the device runtime that nothing serves."""
    for prefix in (_PREFIX, "cuda"):
        if name.startswith(prefix):
            return name.removeprefix(prefix).removesuffix("_ptsz") in REFUSED
    return False
