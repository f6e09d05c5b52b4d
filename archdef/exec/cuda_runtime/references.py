"""Texture and surface references, as CUDA 11 and older have them. Structures are those of texture_types.h and surface_types.h of CUDA 11."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread, answers
from archdef.exec.cuda_runtime.arrays import FORMAT, format_at
from archdef.exec.cuda_runtime.memory import device_end
from archdef.runtime.arrays import Array
from archdef.runtime.status import Refusal
from archdef.runtime.structures import RESOURCE_ARRAY, RESOURCE_LINEAR, RESOURCE_PITCH_2D, ChannelFormatDesc, ResourceDesc, TextureDesc
from archdef.runtime.textures import surface_of

_REFERENCE: Final = struct.Struct("<10iiI")
"""textureReference up to the anisotropy: normalized, filter, an address mode for each axis, format, sRGB."""


@answers("__cudaRegisterTexture", status=False)
def register_texture(thread: Thread, handle: int, shadow: int, address: int, name: int, dimensions: Int, normalized: Int, external: Int) -> None:
    """Tie the host's shadow to a texture reference; `normalized` says that integers are read as floats of 0 to 1."""
    thread.session.register_reference(handle, shadow, thread.memory.text(name), bool(normalized))


@answers("__cudaRegisterSurface", status=False)
def register_surface(thread: Thread, handle: int, shadow: int, address: int, name: int, dimensions: Int, external: Int) -> None:
    """Tie the host's shadow to a surface reference."""
    thread.session.register_reference(handle, shadow, thread.memory.text(name), normalized=False)


@answers("cudaBindTexture")
def bind_linear(thread: Thread, offset: int, shadow: int, pointer: int, desc: int, nbytes: int) -> None:
    """Let a texture reference stand for linear memory, at most for what is allocated there."""
    memory = device_end(thread, pointer)
    _bind(thread, shadow, ResourceDesc(resType=RESOURCE_LINEAR, devPtr=memory, desc=format_at(thread, desc), sizeInBytes=min(nbytes, memory.left)))
    if offset:
        thread.memory.put_word(offset, 0)


@answers("cudaBindTexture2D")
def bind_rows(thread: Thread, offset: int, shadow: int, pointer: int, desc: int, width: int, height: int, pitch: int) -> None:
    """Let a texture reference stand for rows of memory."""
    _bind(thread, shadow, ResourceDesc(resType=RESOURCE_PITCH_2D, devPtr=device_end(thread, pointer), desc=format_at(thread, desc), width=width,
                                       height=height, pitchInBytes=pitch))
    if offset:
        thread.memory.put_word(offset, 0)


@answers("cudaBindTextureToArray")
def bind_array(thread: Thread, shadow: int, array: int, desc: int) -> None:
    """Let a texture reference stand for an array."""
    found = thread.session.thing(array, Array)
    _check_format(thread, desc, found)
    _bind(thread, shadow, ResourceDesc(resType=RESOURCE_ARRAY, array=found))


@answers("cudaBindTextureToMipmappedArray")
def bind_mipmapped_array(thread: Thread, shadow: int, array: int, desc: int) -> None:
    """Refuse."""
    raise Refusal("NotSupported", "mipmapped arrays: textures have one level of detail here")


@answers("cudaBindSurfaceToArray")
def bind_surface(thread: Thread, shadow: int, array: int, desc: int) -> None:
    """Let a surface reference stand for an array."""
    found = thread.session.thing(array, Array)
    _check_format(thread, desc, found)
    module, name, _ = thread.session.reference(shadow, "InvalidSurface")
    module.textures[name] = surface_of(found, thread.runtime.device().memory)


@answers("cudaUnbindTexture")
def unbind(thread: Thread, shadow: int) -> None:
    """Let a texture reference stand for nothing."""
    module, name, _ = thread.session.reference(shadow, "InvalidTexture")
    del module.textures[name]


@answers("cudaGetTextureAlignmentOffset")
def alignment_offset(thread: Thread, out: int, shadow: int) -> None:
    """Say by how much fetches must be moved: textures begin where they are bound to."""
    thread.session.reference(shadow, "InvalidTexture")
    thread.memory.put_word(out, 0)


@answers("cudaGetTextureReference")
def texture_reference(thread: Thread, out: int, shadow: int) -> None:
    """Give the host's shadow of a texture reference, which it is named by."""
    thread.session.reference(shadow, "InvalidTexture")
    thread.memory.put_word(out, shadow)


@answers("cudaGetSurfaceReference")
def surface_reference(thread: Thread, out: int, shadow: int) -> None:
    """Give the host's shadow of a surface reference."""
    thread.session.reference(shadow, "InvalidSurface")
    thread.memory.put_word(out, shadow)


def _bind(thread: Thread, shadow: int, resource: ResourceDesc) -> None:
    """Bind, by the modes that stand in the shadow now."""
    module, name, normalized_read = thread.session.reference(shadow, "InvalidTexture")
    normalized, filtering, x, y, z, *_, srgb, anisotropy = _REFERENCE.unpack(thread.memory.get(shadow, _REFERENCE.size))
    how = TextureDesc(addressMode=(x, y, z), filterMode=filtering, readMode=int(normalized_read), sRGB=srgb, normalizedCoords=normalized,
                      maxAnisotropy=anisotropy)
    module.textures[name] = thread.runtime.texture_of(resource, how, thread.runtime.device().memory)


def _check_format(thread: Thread, desc: int, array: Array) -> None:
    if ChannelFormatDesc(*FORMAT.unpack(thread.memory.get(desc, FORMAT.size))) != array.desc:
        raise Refusal("InvalidValue", f"the format of the reference is not that of the array, {array.desc}")
