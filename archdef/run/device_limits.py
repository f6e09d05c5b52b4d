"""Limits of a device that a program may set: what cudaDeviceSetLimit does."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef import values
from archdef.errors import LaunchError
from archdef.lower.encoding import SystemCall

if TYPE_CHECKING:
    from archdef.device import Device

STACK, PRINTF, HEAP, SYNCHRONIZATION, PENDING = range(5)
"""Numbers of ``cudaLimit``."""
NAMES = ("stack", "printf", "heap", "synchronization depth", "pending launches")
_FEATURES = ("device_calls", "device_print", "device_heap", "dynamic_parallelism", "dynamic_parallelism")
_PATHS = {STACK: "limits.stack_bytes_per_thread", SYNCHRONIZATION: "device_launches.synchronization_depth", PENDING: "device_launches.pending"}
_STACK_UNIT_BYTES = 16


def _heap_is_open(device: Device) -> bool:
    launches = device.architecture.device_launches
    return bool(device.served & {SystemCall.ALLOCATE, SystemCall.FREE, SystemCall.TAKE, SystemCall.GIVE}
                or SystemCall.LAUNCH in device.served and launches is not None and launches.pool == "virtualised")


def supported(device: Device) -> tuple[int, ...]:
    """List the limits that a device has."""
    machine = device.architecture
    waits = machine.device_launches is not None and machine.device_launches.synchronization_depth > 0
    return tuple(limit for limit, feature in enumerate(_FEATURES) if feature in machine.isa.features and (limit != SYNCHRONIZATION or waits))


def get(device: Device) -> dict[int, int]:
    """Give the limits of a device, by number."""
    machine = device.architecture
    found = {STACK: machine.limits.stack_bytes_per_thread, PRINTF: device.print_bytes, HEAP: device.heap_bytes}
    if machine.device_launches is not None:
        found |= {SYNCHRONIZATION: machine.device_launches.synchronization_depth, PENDING: machine.device_launches.pending}
    return {limit: found[limit] for limit in supported(device)}


def put(device: Device, limit: int, value: int) -> None:
    """Set a limit: it holds for every later launch, also of kernels that were compiled before. Raises LaunchError."""
    label = device.architecture.label
    if not isinstance(limit, int) or limit not in supported(device):
        raise LaunchError(f"{label} has no limit {NAMES[limit] if limit in range(len(NAMES)) and isinstance(limit, int) else values.shown(limit)}", "limit")
    if not isinstance(value, int) or isinstance(value, bool) or value < (limit in (SYNCHRONIZATION, PENDING)):
        raise LaunchError(f"limit {NAMES[limit]} of {label} must be a number that is not negative, got {values.shown(value)}")
    if limit == PRINTF:
        if SystemCall.PRINT in device.served and value != device.print_bytes:
            raise LaunchError(f"limit {NAMES[limit]} of {label} cannot change after the launch of a kernel that prints")
        device.print_bytes = value
    elif limit == HEAP:
        if _heap_is_open(device) and value != device.heap_bytes:
            raise LaunchError(f"limit {NAMES[limit]} of {label} cannot change after the launch of a kernel that allocates")
        device.heap_bytes = value
    else:
        device.set_machine({_PATHS[limit]: -(-value // _STACK_UNIT_BYTES) * _STACK_UNIT_BYTES if limit == STACK else value})
