"""Texture and surface objects. Structures are those of driver_types.h and texture_types.h."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Thread, answers
from archdef.exec.cuda_runtime.memory import device_end
from archdef.run.texture import Handle
from archdef.runtime.arrays import Array, MipmappedArray
from archdef.runtime.status import Refusal
from archdef.runtime.structures import (RESOURCE_ARRAY, RESOURCE_LINEAR, RESOURCE_MIPMAPPED_ARRAY, RESOURCE_PITCH_2D, ChannelFormatDesc, ResourceDesc,
                                        TextureDesc)

_INTERFACE: Final = "runtime"
_RESOURCE_BYTES: Final = 64
"""cudaResourceDesc: the kind of resource, and 56 bytes of which the kind says what they are."""
_FIRST_CUDA_WITH_FLAGS: Final = 13
_RESOURCE_BYTES_WITH_FLAGS: Final = 144
_FLAGS: Final = struct.Struct("<136xI")
"""The same since then, up to its flags: it has 128 bytes behind the kind."""
_MEMORY: Final = struct.Struct("<i4xQ5i4x3Q")
"""The same of memory: kind, pointer, format; the bytes of linear memory, or columns, rows and bytes from row to row."""
_TEXTURE: Final = struct.Struct("<6i4fiIi3f2i")
"""cudaTextureDesc, in the order of `TextureDesc`; before CUDA 12 the last field was of its second version only."""
_SEAMLESS_BYTES: Final = 4
_FIRST_CUDA_WITH_SEAMLESS: Final = 12


def resource_at(thread: Thread, address: int) -> tuple[ResourceDesc, bytes]:
    """Read what a texture or a surface is to be made of; also as the bytes that it is."""
    with_flags = thread.session.cuda >= _FIRST_CUDA_WITH_FLAGS
    data = thread.memory.get(address, _RESOURCE_BYTES_WITH_FLAGS if with_flags else _RESOURCE_BYTES)
    if with_flags and (flags := _FLAGS.unpack_from(data)[0]) != 0:
        raise Refusal("NotSupported", f"resources with the flags {flags:#x}")
    kind, pointer, *numbers = _MEMORY.unpack_from(data)
    desc, sizes = ChannelFormatDesc(*numbers[:5]), numbers[5:]
    if kind == RESOURCE_ARRAY:
        return ResourceDesc(resType=kind, array=thread.session.thing(pointer, Array)), data
    if kind == RESOURCE_MIPMAPPED_ARRAY:
        return ResourceDesc(resType=kind, array=thread.session.thing(pointer, MipmappedArray)), data
    if kind == RESOURCE_LINEAR:
        return ResourceDesc(resType=kind, devPtr=device_end(thread, pointer), desc=desc, sizeInBytes=sizes[0]), data
    if kind == RESOURCE_PITCH_2D:
        return ResourceDesc(resType=kind, devPtr=device_end(thread, pointer), desc=desc, width=sizes[0], height=sizes[1], pitchInBytes=sizes[2]), data
    return ResourceDesc(resType=kind), data     # which the runtime refuses


def texture_desc(data: bytes) -> TextureDesc:
    """Read how a texture is to be read."""
    x, y, z, filtering, read, srgb, *rest = _TEXTURE.unpack(data)
    border, (normalized, anisotropy, mipmap_filter, bias, least, most, plain, seamless) = rest[:4], rest[4:]
    return TextureDesc(addressMode=(x, y, z), filterMode=filtering, readMode=read, sRGB=srgb, borderColor=tuple(border), normalizedCoords=normalized,
                       maxAnisotropy=anisotropy, mipmapFilterMode=mipmap_filter, mipmapLevelBias=bias, minMipmapLevelClamp=least,
                       maxMipmapLevelClamp=most, disableTrilinearOptimization=plain, seamlessCubemap=seamless)


def _create(thread: Thread, out: int, resource: int, texture: int, view: int, seamless: bool) -> None:
    if view:
        raise Refusal("NotSupported", "resource views: a texture shows its array as it was allocated")
    made_of, resource_bytes = resource_at(thread, resource)
    how = thread.memory.get(texture, _TEXTURE.size if seamless else _TEXTURE.size - _SEAMLESS_BYTES)
    handle = thread.runtime.CreateTextureObject(made_of, texture_desc(how.ljust(_TEXTURE.size, b"\0")))
    give(thread, out, handle, _INTERFACE, resource_bytes, how)


@answers("cudaCreateTextureObject")
def create_texture(thread: Thread, out: int, resource: int, texture: int, view: int) -> None:
    """Make a texture."""
    _create(thread, out, resource, texture, view, thread.session.cuda >= _FIRST_CUDA_WITH_SEAMLESS)


@answers("cudaCreateTextureObject_v2")
def create_texture_2(thread: Thread, out: int, resource: int, texture: int, view: int) -> None:
    """Make a texture by the structure that CUDA 12 has, too."""
    _create(thread, out, resource, texture, view, seamless=True)


@answers("cudaDestroyTextureObject")
def destroy_texture(thread: Thread, handle: int) -> None:
    """Give a texture up."""
    if handle:
        thread.runtime.DestroyTextureObject(handle)
        thread.session.described.pop((thread.runtime.GetDevice(), handle), None)


def give(thread: Thread, out: int, handle: Handle, interface: str, resource: bytes, sampling: bytes = b"") -> None:
    """Give the program a texture or a surface, and keep the structures of an interface that it was made by."""
    thread.session.described[thread.runtime.GetDevice(), handle.handle] = interface, resource, sampling
    thread.memory.put_word(out, handle.handle)


def made_by(thread: Thread, handle: int, interface: str) -> tuple[bytes, bytes]:
    """Give the structures that a texture or a surface was made by. Raises Refusal if they are those of another interface."""
    made, resource, sampling = thread.session.described[thread.runtime.GetDevice(), handle]
    if made != interface:
        raise Refusal("NotSupported", f"{handle:#x} was made by the {made}, which describes it in another way: ask that")
    return resource, sampling


@answers("cudaGetTextureObjectResourceDesc")
def texture_resource(thread: Thread, out: int, handle: int) -> None:
    """Say what a texture was made of."""
    thread.runtime.GetTextureObjectResourceDesc(handle)
    thread.memory.put(out, made_by(thread, handle, _INTERFACE)[0])


@answers("cudaGetTextureObjectTextureDesc", "cudaGetTextureObjectTextureDesc_v2")
def texture_how(thread: Thread, out: int, handle: int) -> None:
    """Say how a texture is read."""
    thread.runtime.GetTextureObjectTextureDesc(handle)
    thread.memory.put(out, made_by(thread, handle, _INTERFACE)[1])


@answers("cudaGetTextureObjectResourceViewDesc")
def texture_view(thread: Thread, out: int, handle: int) -> None:
    """Refuse: no texture has a view."""
    thread.runtime.GetTextureObjectResourceDesc(handle)
    raise Refusal("InvalidValue", "the texture was made without a resource view")


@answers("cudaCreateSurfaceObject")
def create_surface(thread: Thread, out: int, resource: int) -> None:
    """Make a surface."""
    made_of, data = resource_at(thread, resource)
    handle = thread.runtime.CreateSurfaceObject(made_of)
    give(thread, out, handle, _INTERFACE, data)


@answers("cudaDestroySurfaceObject")
def destroy_surface(thread: Thread, handle: int) -> None:
    """Give a surface up."""
    if handle:
        thread.runtime.DestroySurfaceObject(handle)
        thread.session.described.pop((thread.runtime.GetDevice(), handle), None)


@answers("cudaGetSurfaceObjectResourceDesc")
def surface_resource(thread: Thread, out: int, handle: int) -> None:
    """Say what a surface was made of."""
    thread.runtime.GetSurfaceObjectResourceDesc(handle)
    thread.memory.put(out, made_by(thread, handle, _INTERFACE)[0])
