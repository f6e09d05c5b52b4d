"""Texture and surface objects. References: CUDA_RESOURCE_DESC and CUDA_TEXTURE_DESC of cuda.h."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Thread
from archdef.exec.cuda_driver.arrays import element
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime import textures
from archdef.exec.cuda_runtime.memory import device_end
from archdef.runtime.arrays import Array, MipmappedArray
from archdef.runtime.status import Refusal
from archdef.runtime.structures import (FORMAT_FLOAT, READ_ELEMENT, READ_NORMALIZED_FLOAT, RESOURCE_ARRAY, RESOURCE_LINEAR, RESOURCE_MIPMAPPED_ARRAY,
                                        RESOURCE_PITCH_2D, ChannelFormatDesc, ResourceDesc, TextureDesc)

_INTERFACE: Final = "driver"
_RESOURCE: Final = struct.Struct("<i4xQ2I3Q88xI4x")
"""CUDA_RESOURCE_DESC: kind, array or address, format and channels of memory, its bytes or width, height, bytes from row to row; flags."""
_TEXTURE: Final = struct.Struct("<4i2Ii3f4f48x")
"""CUDA_TEXTURE_DESC: address modes, filter, flags, anisotropy, filter between levels of detail, bias, least and greatest level, colour of the border."""
_AS_INTEGER, _NORMALIZED, _SRGB, _PLAIN, _SEAMLESS = 0x01, 0x02, 0x10, 0x20, 0x40
_WIDEST_NORMALIZED: Final = 16
"""Bits of the widest integers that are read as floats of 0 to 1."""


def sampling(desc: ChannelFormatDesc | None, modes: tuple[int, int, int], filtering: int, flags: int, anisotropy: int = 0,
             border: tuple[float, float, float, float] = (0.0,) * 4) -> TextureDesc:
    """Say in the runtime's words how a texture of a format is read. Raises Refusal for flags that there are not."""
    if flags & ~(_AS_INTEGER | _NORMALIZED | _SRGB | _PLAIN | _SEAMLESS):
        raise Refusal("InvalidValue", f"textures with the flags {flags:#x}")
    as_float = desc is not None and desc.f != FORMAT_FLOAT and desc.x <= _WIDEST_NORMALIZED and not flags & _AS_INTEGER
    return TextureDesc(addressMode=modes, filterMode=filtering, readMode=READ_NORMALIZED_FLOAT if as_float else READ_ELEMENT,
                       sRGB=int(bool(flags & _SRGB)), borderColor=border, normalizedCoords=int(bool(flags & _NORMALIZED)), maxAnisotropy=anisotropy,
                       disableTrilinearOptimization=int(bool(flags & _PLAIN)), seamlessCubemap=int(bool(flags & _SEAMLESS)))


def _resource_at(thread: Thread, address: int) -> tuple[ResourceDesc, bytes]:
    """Read what a texture or a surface is to be made of; also as the bytes that it is."""
    data = thread.memory.get(address, _RESOURCE.size)
    kind, pointer, form, channels, first, height, pitch, flags = _RESOURCE.unpack(data)
    if flags:
        raise Refusal("InvalidValue", f"resources with the flags {flags:#x}")
    if kind == RESOURCE_ARRAY:
        return ResourceDesc(resType=kind, array=thread.session.thing(pointer, Array)), data
    if kind == RESOURCE_MIPMAPPED_ARRAY:
        return ResourceDesc(resType=kind, array=thread.session.thing(pointer, MipmappedArray)), data
    if kind == RESOURCE_LINEAR:
        return ResourceDesc(resType=kind, devPtr=device_end(thread, pointer), desc=element(form, channels), sizeInBytes=first), data
    if kind == RESOURCE_PITCH_2D:
        return ResourceDesc(resType=kind, devPtr=device_end(thread, pointer), desc=element(form, channels), width=first, height=height,
                            pitchInBytes=pitch), data
    return ResourceDesc(resType=kind), data     # which the runtime refuses


@answers("cuTexObjectCreate")
def create(thread: Thread, out: int, resource: int, texture: int, view: int) -> None:
    """Make a texture."""
    if view:
        raise Refusal("NotSupported", "resource views: a texture shows its array as it was allocated")
    made_of, data = _resource_at(thread, resource)
    how = thread.memory.get(texture, _TEXTURE.size)
    x, y, z, filtering, flags, anisotropy, mipmap_filter, bias, least, most, *border = _TEXTURE.unpack(how)
    array = made_of.array.level(0) if isinstance(made_of.array, MipmappedArray) else made_of.array
    described = sampling(made_of.desc if array is None else array.desc, (x, y, z), filtering, flags, anisotropy, tuple(border))
    described.mipmapFilterMode, described.mipmapLevelBias = mipmap_filter, bias
    described.minMipmapLevelClamp, described.maxMipmapLevelClamp = least, most
    handle = thread.runtime.CreateTextureObject(made_of, described)
    textures.give(thread, out, handle, _INTERFACE, data, how)


@answers("cuTexObjectGetResourceDesc")
def resource_of(thread: Thread, out: int, handle: int) -> None:
    """Say what a texture was made of."""
    thread.runtime.GetTextureObjectResourceDesc(handle)
    thread.memory.put(out, textures.made_by(thread, handle, _INTERFACE)[0])


@answers("cuTexObjectGetTextureDesc")
def sampling_of(thread: Thread, out: int, handle: int) -> None:
    """Say how a texture is read."""
    thread.runtime.GetTextureObjectTextureDesc(handle)
    thread.memory.put(out, textures.made_by(thread, handle, _INTERFACE)[1])


@answers("cuSurfObjectCreate")
def create_surface(thread: Thread, out: int, resource: int) -> None:
    """Make a surface."""
    made_of, data = _resource_at(thread, resource)
    handle = thread.runtime.CreateSurfaceObject(made_of)
    textures.give(thread, out, handle, _INTERFACE, data)


@answers("cuSurfObjectGetResourceDesc")
def resource_of_surface(thread: Thread, out: int, handle: int) -> None:
    """Say what a surface was made of."""
    thread.runtime.GetSurfaceObjectResourceDesc(handle)
    thread.memory.put(out, textures.made_by(thread, handle, _INTERFACE)[0])


answers("cuTexObjectDestroy")(textures.destroy_texture)
answers("cuTexObjectGetResourceViewDesc")(textures.texture_view)
answers("cuSurfObjectDestroy")(textures.destroy_surface)
