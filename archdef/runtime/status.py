"""Errors of the runtime: their names and numbers, and which of archdef's own exceptions each stands for."""
from __future__ import annotations

from archdef.errors import (ArchdefError, BudgetExceeded, CaptureError, DeviceMemoryError, GraphError, GuestFault, HostError, LaunchError, MissingExtra,
                            MissingFeature, PluginError, PtxError, UnknownArchitecture)

STATUS: dict[str, tuple[int, str]] = {
    "Success": (0, "no error"),
    "InvalidValue": (1, "invalid argument"),
    "MemoryAllocation": (2, "out of memory"),
    "InvalidConfiguration": (9, "invalid configuration argument"),
    "InvalidPitchValue": (12, "invalid pitch argument"),
    "InvalidSymbol": (13, "invalid device symbol"),
    "InvalidDevicePointer": (17, "invalid device pointer"),
    "InvalidTexture": (18, "invalid texture reference"),
    "InvalidChannelDescriptor": (20, "invalid channel descriptor"),
    "InvalidMemcpyDirection": (21, "invalid copy direction for memcpy"),
    "InvalidSurface": (37, "invalid surface reference"),
    "DevicesUnavailable": (46, "CUDA-capable device(s) is/are busy or unavailable"),
    "MissingConfiguration": (52, "__global__ function call is not configured"),
    "InvalidDeviceFunction": (98, "invalid device function"),
    "NoDevice": (100, "no device is registered"),
    "InvalidDevice": (101, "invalid device ordinal"),
    "InvalidKernelImage": (200, "device kernel image is invalid"),
    "NoKernelImageForDevice": (209, "no kernel image is available for execution on the device"),
    "UnsupportedLimit": (215, "limit is not supported on this architecture"),
    "PeerAccessUnsupported": (217, "peer access is not supported between these two devices"),
    "InvalidPtx": (218, "a PTX JIT compilation failed"),
    "JitCompilerNotFound": (221, "PTX JIT compiler library not found"),
    "UnsupportedPtxVersion": (222, "the provided PTX was compiled with an unsupported toolchain"),
    "InvalidResourceHandle": (400, "invalid resource handle"),
    "IllegalState": (401, "the operation cannot be performed in the present state"),
    "SymbolNotFound": (500, "named symbol not found"),
    "NotReady": (600, "device not ready"),
    "IllegalAddress": (700, "an illegal memory access was encountered"),
    "LaunchOutOfResources": (701, "too many resources requested for launch"),
    "LaunchTimeout": (702, "the launch timed out and was terminated"),
    "PeerAccessAlreadyEnabled": (704, "peer access is already enabled"),
    "PeerAccessNotEnabled": (705, "peer access has not been enabled"),
    "Assert": (710, "device-side assert triggered"),
    "HostMemoryAlreadyRegistered": (712, "part or all of the requested memory range is already mapped"),
    "HostMemoryNotRegistered": (713, "pointer does not correspond to a registered memory region"),
    "MisalignedAddress": (716, "misaligned address"),
    "LaunchFailure": (719, "unspecified launch failure"),
    "CooperativeLaunchTooLarge": (720, "too many blocks in cooperative launch"),
    "NotPermitted": (800, "operation not permitted"),
    "NotSupported": (801, "operation not supported"),
    "StreamCaptureUnsupported": (900, "operation not permitted when stream is capturing"),
    "StreamCaptureInvalidated": (901, "operation failed due to a previous error during capture"),
    "StreamCaptureMerge": (902, "operation would result in a merge of separate capture sequences"),
    "StreamCaptureUnmatched": (903, "capture was not ended in the same stream as it began"),
    "StreamCaptureUnjoined": (904, "capturing stream has unjoined work"),
    "StreamCaptureIsolation": (905, "dependency created on uncaptured work in another stream"),
    "StreamCaptureImplicit": (906, "operation would make the legacy stream depend on a capturing blocking stream"),
    "CapturedEvent": (907, "operation not permitted on an event last recorded in a capturing stream"),
    "StreamCaptureWrongThread": (908, "attempt to terminate a thread-local capture sequence from another thread"),
    "GraphExecUpdateFailure": (910, "the graph update was not performed because it included changes which violated constraints"),
    "InvalidClusterSize": (912, "invalid cluster size"),
    "Unknown": (999, "unknown error"),
}
"""Name without the vocabulary's prefix → number, what it means. Numbers are CUDA's, also for the other vocabulary."""


class Refusal(ArchdefError):
    """A call that the runtime itself refuses."""

    def __init__(self, status: str, message: str):
        self.status = status
        super().__init__(message)


_FAULTS = {"bounds": "IllegalAddress", "read_only": "IllegalAddress", "surface_bounds": "IllegalAddress", "launch_copy": "IllegalAddress",
           "alignment": "MisalignedAddress", "surface_alignment": "MisalignedAddress", "assertion": "Assert"}
_LAUNCHES = {"residency": "CooperativeLaunchTooLarge", "feature": "NotSupported", "permission": "NotPermitted", "limit": "UnsupportedLimit",
             "shape": "InvalidConfiguration", "resources": "LaunchOutOfResources", "name": "SymbolNotFound", "image": "NoKernelImageForDevice",
             "cluster": "InvalidClusterSize"}
_CAPTURES = {"CapturedEvent": "CapturedEvent", "IllegalState": "IllegalState", "Mode": "InvalidValue"}
"""Kind of archdef's error → the runtime's name."""


def status_of(error: BaseException) -> str:
    """Give the runtime's name for an error, without prefix."""
    match error:
        case Refusal():
            return error.status
        case BudgetExceeded():
            return "LaunchTimeout"
        case GuestFault():
            return _FAULTS.get(error.kind, "LaunchFailure")
        case LaunchError():
            return _LAUNCHES.get(error.kind, "InvalidValue")
        case DeviceMemoryError():
            return "MemoryAllocation" if error.kind == "capacity" else "InvalidValue"
        case CaptureError():
            return _CAPTURES.get(error.kind, f"StreamCapture{error.kind}")
        case GraphError():
            return "InvalidValue" if error.supported else "NotSupported"
        case HostError():
            return "InvalidResourceHandle"
        case MissingFeature():      # for CUDA, code of a target that the device does not have
            return "NoKernelImageForDevice"
        case PtxError():
            return "InvalidPtx"
        case MissingExtra():        # what unpacks device code is not installed
            return "JitCompilerNotFound"
        case UnknownArchitecture() | PluginError():
            return "NoDevice"
    return "Unknown"
