"""Structures of the runtime's calls, with the fields and the numbers that CUDA's headers give them."""
from __future__ import annotations

from typing import Any

import attrs

from archdef.runtime.ends import DEFAULT

FORMAT_SIGNED, FORMAT_UNSIGNED, FORMAT_FLOAT, FORMAT_NONE = range(4)
RESOURCE_ARRAY, RESOURCE_MIPMAPPED_ARRAY, RESOURCE_LINEAR, RESOURCE_PITCH_2D = range(4)
ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER = range(4)
FILTER_POINT, FILTER_LINEAR = range(2)
READ_ELEMENT, READ_NORMALIZED_FLOAT = range(2)


@attrs.frozen
class Extent:
    """The size of a box: of arrays in elements, of linear memory `width` in bytes. `depth` counts slices, or layers."""

    width: int
    height: int
    depth: int


@attrs.frozen
class Pos:
    """A place in an array, in elements; in linear memory `x` in bytes."""

    x: int = 0
    y: int = 0
    z: int = 0


@attrs.frozen
class PitchedPtr:
    """Linear memory of rows; a plane has `ysize` of them."""

    ptr: Any
    """A pointer, a device array or a numpy array."""
    pitch: int
    xsize: int
    ysize: int


@attrs.define(kw_only=True)
class Memcpy3DParms:
    """What a copy of a box goes from and to: of each end the array or the pointer is given."""

    srcArray: Any = None
    srcPos: Pos = Pos()
    srcPtr: PitchedPtr | None = None
    dstArray: Any = None
    dstPos: Pos = Pos()
    dstPtr: PitchedPtr | None = None
    extent: Extent | None = None
    """Its width is in elements if an array is one end."""
    kind: int = DEFAULT


@attrs.define(kw_only=True)
class Memcpy3DPeerParms:
    """The same between devices."""

    srcArray: Any = None
    srcPos: Pos = Pos()
    srcPtr: PitchedPtr | None = None
    srcDevice: int = 0
    dstArray: Any = None
    dstPos: Pos = Pos()
    dstPtr: PitchedPtr | None = None
    dstDevice: int = 0
    extent: Extent | None = None


@attrs.frozen
class ChannelFormatDesc:
    """Bits of each channel of an element, and what they mean."""

    x: int
    y: int
    z: int
    w: int
    f: int
    """Signed 0, unsigned 1, float 2."""


@attrs.define(kw_only=True)
class ResourceDesc:
    """What a texture or a surface is a view of. Which fields count is said by `resType`."""

    resType: int
    """An array 0, a mipmapped array 1, linear memory 2, rows of linear memory 3."""
    array: Any = None
    """An array, mipmapped or not."""
    devPtr: Any = None
    """A pointer or a device array, of linear memory and rows."""
    desc: ChannelFormatDesc | None = None
    sizeInBytes: int = 0
    """Of linear memory."""
    width: int = 0
    """Elements of a row."""
    height: int = 0
    pitchInBytes: int = 0


@attrs.define(kw_only=True)
class TextureDesc:
    """How a texture is read."""

    addressMode: tuple[int, int, int] = (ADDRESS_WRAP,) * 3
    """Along x, y and z: wrap 0, clamp 1, mirror 2, border 3."""
    filterMode: int = FILTER_POINT
    """Point 0, linear 1."""
    readMode: int = READ_ELEMENT
    """Element 0, normalized float 1."""
    sRGB: int = 0
    borderColor: tuple[float, float, float, float] = (0.0,) * 4
    normalizedCoords: int = 0
    maxAnisotropy: int = 0
    mipmapFilterMode: int = FILTER_POINT
    mipmapLevelBias: float = 0.0
    minMipmapLevelClamp: float = 0.0
    maxMipmapLevelClamp: float = 0.0
    disableTrilinearOptimization: int = 0
    seamlessCubemap: int = 0
