"""Errors of the runtime: their names and numbers, and which of archdef's own exceptions each stands for."""
from __future__ import annotations

from archdef.errors import (ArchdefError, BudgetExceeded, DeviceMemoryError, GuestFault, HostError, LaunchError, MissingFeature,
                            PluginError, UnknownArchitecture)

STATUS: dict[str, tuple[int, str]] = {
    "Success": (0, "no error"),
    "InvalidValue": (1, "invalid argument"),
    "MemoryAllocation": (2, "out of memory"),
    "InvalidConfiguration": (9, "invalid configuration argument"),
    "InvalidDevicePointer": (17, "invalid device pointer"),
    "InvalidMemcpyDirection": (21, "invalid copy direction for memcpy"),
    "NoDevice": (100, "no device is registered"),
    "InvalidDevice": (101, "invalid device ordinal"),
    "PeerAccessUnsupported": (217, "peer access is not supported between these two devices"),
    "InvalidResourceHandle": (400, "invalid resource handle"),
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
    "NotSupported": (801, "operation not supported"),
    "Unknown": (999, "unknown error"),
}
"""Name without the vocabulary's prefix → number, what it means. Numbers are CUDA's, also for the other vocabulary."""


class Refusal(ArchdefError):
    """A call that the runtime itself refuses."""

    def __init__(self, status: str, message: str):
        self.status = status
        super().__init__(message)


# The engine tells its faults apart by their texts only.
_FAULTS = (("are outside", "IllegalAddress"), ("is not a multiple of the", "MisalignedAddress"), ("ssertion", "Assert"),
           ("store to constant", "IllegalAddress"))
_LAUNCHES = (("all blocks must be resident", "CooperativeLaunchTooLarge"), ("cooperative_launch", "NotSupported"),
             ("grid_dimensions", "InvalidConfiguration"), ("block_dimensions", "InvalidConfiguration"),
             ("threads_per_block", "InvalidConfiguration"), (" must be one to three positive", "InvalidConfiguration"),
             ("the launch needs", "LaunchOutOfResources"), ("do not fit", "LaunchOutOfResources"))


def status_of(error: BaseException) -> str:
    """Give the runtime's name for an error, without prefix."""
    text = str(error)
    match error:
        case Refusal():
            return error.status
        case BudgetExceeded():
            return "LaunchTimeout"
        case GuestFault():
            return next((status for part, status in _FAULTS if part in text), "LaunchFailure")
        case LaunchError():
            return next((status for part, status in _LAUNCHES if part in text), "InvalidValue")
        case DeviceMemoryError():
            return "MemoryAllocation" if "out of device memory" in text else "InvalidValue"
        case HostError():
            return "InvalidResourceHandle"
        case MissingFeature():
            return "NotSupported"
        case UnknownArchitecture() | PluginError():
            return "NoDevice"
    return "Unknown"
