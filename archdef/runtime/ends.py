"""What copies go from and to, and in which directions."""
from __future__ import annotations

from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike

from archdef.host import box
from archdef.host.pinned import HostBytes
from archdef.run.array import DeviceArray, host_array
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = range(5)
_KINDS = {(False, False): HOST_TO_HOST, (True, False): HOST_TO_DEVICE, (False, True): DEVICE_TO_HOST, (True, True): DEVICE_TO_DEVICE}
TO_A_DEVICE, FROM_A_DEVICE = (HOST_TO_DEVICE, DEVICE_TO_DEVICE), (DEVICE_TO_HOST, DEVICE_TO_DEVICE)
MOST_BYTES = 1 << 62
"""More than any extent, pitch or offset can be."""

End: TypeAlias = Pointer | DeviceArray | np.ndarray | HostBytes
"""Where bytes are copied to."""
Source: TypeAlias = End | ArrayLike
"""Where they come from: what makes a numpy array, too."""


@attrs.frozen
class Region:
    """One end of a copy of rows."""

    end: Source
    """Where its first byte is."""
    pitch: int
    """Bytes from row to row."""
    plane: int = 0
    """Bytes from plane to plane."""


def check_kind(dst: object, src: object, kind: int) -> tuple[bool, bool]:
    """Say of both ends whether they are on a device. Raises Refusal unless the direction fits them."""
    there, here = (isinstance(end, (Pointer, DeviceArray)) for end in (dst, src))
    if kind != DEFAULT and kind != _KINDS[there, here]:
        raise Refusal("InvalidMemcpyDirection", f"kind {kind} does not fit {type(dst).__name__} and {type(src).__name__}")
    return there, here


def host_end(end: Source, write: bool) -> np.ndarray:
    """Give host memory as an array of bytes. Raises Refusal unless it is contiguous, and can be written if it must."""
    if not isinstance(end, (np.ndarray, HostBytes)) and not write:
        end = host_array(end)
    if not isinstance(end, np.ndarray) or not end.flags.c_contiguous or end.dtype.hasobject or write and not end.flags.writeable:
        kind = "a contiguous numpy array that can be written" if write else "a contiguous numpy array"
        raise Refusal("InvalidValue", f"host memory is {kind}, got {type(end).__name__}")
    return end.reshape(-1).view("u1")


def host_rows(region: Region, extent: tuple[int, int, int], write: bool) -> np.ndarray | HostBytes:
    """Give rows of host memory as planes, rows, columns, or as what reaches them when the copy runs. Raises Refusal unless all are there."""
    if isinstance(region.end, HostBytes):
        width, height, depth = extent
        if region.end.nbytes != width * height * depth:
            raise Refusal("InvalidValue", f"{width} x {height} x {depth} bytes, {region.end.nbytes} there")
        return region.end
    data = host_end(region.end, write)
    check_reach(region, extent, data.nbytes)
    return box.rows(data, extent, region.pitch, region.plane)


def check_reach(region: Region, extent: tuple[int, int, int], left: int) -> None:
    """Raise Refusal unless the rows of a region follow each other, and lie in the bytes that are there."""
    width, height, depth = extent
    if not 0 <= region.pitch <= MOST_BYTES or not 0 <= region.plane <= MOST_BYTES or max(extent) > MOST_BYTES or min(extent) < 0:
        raise Refusal("InvalidValue", f"{width} x {height} x {depth} bytes, rows {region.pitch} and planes {region.plane} bytes apart")
    if height > 1 and width > region.pitch or depth > 1 and width + (height - 1) * region.pitch > region.plane:
        raise Refusal("InvalidPitchValue", f"rows of {width} bytes {region.pitch} apart, planes of {height} rows {region.plane} apart")
    needed = box.reach(width, height, depth, region.pitch, region.plane)
    if min(extent) and needed > left:
        raise Refusal("InvalidValue", f"{needed} bytes from the first to the last row, {left} there")
