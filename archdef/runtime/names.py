"""One table, two vocabularies: every call, constant and error of the runtime under its prefix."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from archdef import values
from archdef.errors import ArchdefError, RuntimeApiError
from archdef.runtime import api, arrays, ends, page_locked, structures
from archdef.runtime.checks import checked
from archdef.run.properties import ATTRIBUTES
from archdef.runtime.status import STATUS, status_of

DRIVER = ("ModuleGetGlobal", "TensorMapEncodeTiled", "TensorMapEncodeIm2col", "MemAddressFree", "MemAddressReserve", "MemCreate", "MemGetAccess",
          "MemGetAllocationGranularity", "MemGetAllocationPropertiesFromHandle", "MemMap", "MemRelease", "MemRetainAllocationHandle", "MemSetAccess",
          "MemUnmap")
"""Calls of the driver, whose prefix may be another one."""
CALLS = tuple(name for name, value in inspect.getmembers(api.Runtime) if callable(value) and name[0].isupper() and name not in DRIVER)
"""Every other call, without prefix."""
PLAIN = ("use", "device", "default_stream_per_thread")
"""What archdef adds; it has no prefix."""
CONSTANTS = {"MemcpyHostToHost": ends.HOST_TO_HOST, "MemcpyHostToDevice": ends.HOST_TO_DEVICE, "MemcpyDeviceToHost": ends.DEVICE_TO_HOST,
             "MemcpyDeviceToDevice": ends.DEVICE_TO_DEVICE, "MemcpyDefault": ends.DEFAULT, "StreamDefault": 0,
             "StreamNonBlocking": api.NON_BLOCKING, "EventDefault": 0, "EventDisableTiming": api.DISABLE_TIMING,
             "StreamLegacy": api.STREAM_LEGACY, "StreamPerThread": api.STREAM_PER_THREAD,
             "StreamCaptureModeGlobal": 0, "StreamCaptureModeThreadLocal": 1, "StreamCaptureModeRelaxed": 2,
             "StreamCaptureStatusNone": 0, "StreamCaptureStatusActive": 1, "StreamCaptureStatusInvalidated": 2,
             "StreamAddCaptureDependencies": 0, "StreamSetCaptureDependencies": 1,
             "GraphNodeTypeKernel": 0, "GraphNodeTypeMemcpy": 1, "GraphNodeTypeMemset": 2, "GraphNodeTypeHost": 3, "GraphNodeTypeGraph": 4,
             "GraphNodeTypeEmpty": 5, "GraphNodeTypeWaitEvent": 6, "GraphNodeTypeEventRecord": 7, "GraphNodeTypeMemAlloc": 10, "GraphNodeTypeMemFree": 11,
             "GraphNodeTypeConditional": 13, "GraphCondTypeIf": 0, "GraphCondTypeWhile": 1, "GraphCondTypeSwitch": 2, "GraphCondAssignDefault": 1,
             "GraphInstantiateFlagAutoFreeOnLaunch": 1, "GraphMemAttrUsedMemCurrent": 0, "GraphMemAttrUsedMemHigh": 1, "GraphMemAttrReservedMemCurrent": 2,
             "GraphMemAttrReservedMemHigh": 3,
             "MemPoolReuseFollowEventDependencies": 1, "MemPoolReuseAllowOpportunistic": 2, "MemPoolReuseAllowInternalDependencies": 3,
             "MemPoolAttrReleaseThreshold": 4, "MemPoolAttrReservedMemCurrent": 5, "MemPoolAttrReservedMemHigh": 6, "MemPoolAttrUsedMemCurrent": 7,
             "MemPoolAttrUsedMemHigh": 8, "MemAccessFlagsProtNone": 0, "MemAccessFlagsProtRead": 1, "MemAccessFlagsProtReadWrite": 3,
             "LaunchAttributeCooperative": 2, "LaunchAttributeClusterDimension": 4, "LaunchAttributePriority": 8,
             "FuncAttributeMaxDynamicSharedMemorySize": 8, "FuncAttributePreferredSharedMemoryCarveout": 9,
             "FuncAttributeNonPortableClusterSizeAllowed": 14, "EventRecordDefault": 0, "EventRecordExternal": 1, "EventWaitDefault": 0,
             "EventWaitExternal": 1, "MemAttachSingle": 4, "DevP2PAttrPerformanceRank": 1, "DevP2PAttrAccessSupported": 2,
             "DevP2PAttrNativeAtomicSupported": 3, "DevP2PAttrCudaArrayAccessSupported": 4,
             "CpuDeviceId": api.CPU_DEVICE, "MemAttachGlobal": api.ATTACH_GLOBAL, "MemAttachHost": api.ATTACH_HOST,
             "MemAdviseSetReadMostly": api.READ_MOSTLY, "MemAdviseUnsetReadMostly": api.NOT_READ_MOSTLY,
             "LimitStackSize": 0, "LimitPrintfFifoSize": 1, "LimitMallocHeapSize": 2, "LimitDevRuntimeSyncDepth": 3,
             "LimitDevRuntimePendingLaunchCount": 4,
             "CooperativeLaunchMultiDeviceNoPreSync": api.NO_PRE_SYNC, "CooperativeLaunchMultiDeviceNoPostSync": api.NO_POST_SYNC}

CONSTANTS |= {"HostAllocDefault": 0, "HostAllocPortable": page_locked.PORTABLE, "HostAllocMapped": page_locked.MAPPED,
              "HostAllocWriteCombined": page_locked.WRITE_COMBINED, "HostRegisterDefault": 0, "HostRegisterPortable": page_locked.PORTABLE,
              "HostRegisterMapped": page_locked.MAPPED,
              "ArrayDefault": 0, "ArrayLayered": arrays.LAYERED, "ArraySurfaceLoadStore": arrays.SURFACE_LOAD_STORE, "ArrayCubemap": arrays.CUBEMAP,
              "ArrayTextureGather": arrays.TEXTURE_GATHER,
              "ChannelFormatKindSigned": structures.FORMAT_SIGNED, "ChannelFormatKindUnsigned": structures.FORMAT_UNSIGNED,
              "ChannelFormatKindFloat": structures.FORMAT_FLOAT, "ChannelFormatKindNone": structures.FORMAT_NONE,
              "ResourceTypeArray": structures.RESOURCE_ARRAY, "ResourceTypeMipmappedArray": structures.RESOURCE_MIPMAPPED_ARRAY,
              "ResourceTypeLinear": structures.RESOURCE_LINEAR, "ResourceTypePitch2D": structures.RESOURCE_PITCH_2D,
              "AddressModeWrap": structures.ADDRESS_WRAP, "AddressModeClamp": structures.ADDRESS_CLAMP,
              "AddressModeMirror": structures.ADDRESS_MIRROR, "AddressModeBorder": structures.ADDRESS_BORDER,
              "FilterModePoint": structures.FILTER_POINT, "FilterModeLinear": structures.FILTER_LINEAR,
              "ReadModeElementType": structures.READ_ELEMENT, "ReadModeNormalizedFloat": structures.READ_NORMALIZED_FLOAT}
STRUCTURES = (structures.Extent, structures.Pos, structures.PitchedPtr, structures.Memcpy3DParms, structures.Memcpy3DPeerParms,
              structures.ChannelFormatDesc, structures.ResourceDesc, structures.TextureDesc)
"""Classes under the names that the runtime's structures have, without prefix."""


class _LastError:
    """The last error of a runtime, as GetLastError and PeekAtLastError give it."""

    def __init__(self, prefix: str, errors: Mapping[str, str]):
        self.prefix, self.errors, self.name = prefix, errors, "Success"

    def peek(self) -> str:
        """Give the name of the last error."""
        return self.called(self.name)

    def get(self) -> str:
        """Give the name of the last error, and forget it."""
        name, self.name = self.name, "Success"
        return self.called(name)

    def called(self, status: str) -> str:
        """Give a status its prefix."""
        return f"{self.prefix}{'' if status == 'Success' else 'Error'}{self.errors.get(status, status)}"

    def name_of(self, number: int) -> str:
        """Give the name of an error number."""
        whole = values.as_whole(number)
        return next((self.called(status) for status, (n, _) in STATUS.items() if n == whole), "unrecognized error code")


def _guarded(call: Callable[..., Any], last: _LastError) -> Callable[..., Any]:
    call = checked(call)

    @functools.wraps(call)
    def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            return call(*arguments, **named)
        except ArchdefError as error:
            status = status_of(error)
            last.name = status
            raise RuntimeApiError(last.called(status), STATUS[status][0], str(error)) from error
    return guarded


def vocabulary(prefix: str, driver: str, errors: Mapping[str, str] | None = None, **differences: Any) -> dict[str, Any]:
    """Give everything of a runtime by its names; `driver` is the prefix of the driver's calls, `errors` are those with another name than CUDA's,
    `differences` are those of `Runtime`."""
    runtime = api.Runtime(**differences)
    last = _LastError(prefix, errors or {})
    names: dict[str, Any] = {prefix + name: _guarded(getattr(runtime, name), last) for name in CALLS}
    names |= {driver + name: _guarded(getattr(runtime, name), last) for name in DRIVER}
    names |= {name: _guarded(getattr(runtime, name), last) for name in PLAIN}
    names |= {prefix + name: value for name, value in CONSTANTS.items()}
    names |= {prefix + each.__name__: each for each in STRUCTURES}
    names |= {f"{prefix}DevAttr{name}": number for name, (number, _) in ATTRIBUTES.items()}
    names |= {last.called(status): number for status, (number, _) in STATUS.items()}
    names |= {prefix + "GetLastError": last.get, prefix + "PeekAtLastError": last.peek, prefix + "GetErrorName": last.name_of}
    return names | {"runtime": runtime}
