"""Texture and surface objects, by the descriptions that programs give of them."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef import values
from archdef.engine.texture_table import MOST_EXTENT
from archdef.errors import LaunchError
from archdef.run import texture
from archdef.run.array import DeviceArray
from archdef.run.pointer import Pointer
from archdef.run.texture import Handle, View
from archdef.runtime.arrays import SURFACE_LOAD_STORE, Array, MipmappedArray, array_of, element_of
from archdef.runtime.base import Part
from archdef.runtime.ends import MOST_BYTES
from archdef.runtime.status import Refusal
from archdef.runtime.structures import RESOURCE_ARRAY, RESOURCE_LINEAR, RESOURCE_MIPMAPPED_ARRAY, RESOURCE_PITCH_2D, ResourceDesc, TextureDesc

if TYPE_CHECKING:
    from archdef.run.memory import Memory

ALIGNMENT_BYTES: Final = 512
"""Linear memory of a texture begins at a multiple of it, as on NVIDIA's devices."""
PITCH_ALIGNMENT_BYTES: Final = 32
"""Rows of a texture begin at multiples of it."""
_ADDRESSES: Final = ("wrap", "clamp", "mirror", "border")
_FILTERS: Final = ("point", "linear")
_READS: Final = ("element", "normalized_float")


@attrs.frozen
class _Object:
    handle: Handle
    resource: ResourceDesc
    how: TextureDesc | None
    """None: it is a surface."""


class Textures(Part):
    """Texture and surface objects. They are used by launches that were made before they are destroyed."""

    def __init__(self) -> None:
        self._objects: dict[tuple[int, int], _Object] = {}
        self._given_up: list[Handle] = []
        super().__init__()

    def CreateTextureObject(self, resDesc: ResourceDesc, texDesc: TextureDesc, viewDesc: object = None) -> Handle:
        """Make a texture of an array, of linear memory or of rows, on the current device; it is an argument of kernels."""
        if viewDesc is not None:
            raise Refusal("NotSupported", "resource views: a texture shows its array as it was allocated")
        if not isinstance(texDesc, TextureDesc):
            raise Refusal("InvalidValue", f"how a texture is read is said by a TextureDesc, got {values.shown(texDesc)}")
        memory = self._memory(self.devices.current)
        self._check_feature("texture_objects", "texture objects")
        array, form = _texels(_one_level(self._resource(resDesc, memory), texDesc), memory)
        handle = texture.texture(memory, array, **form, **sampling(texDesc))
        return self._note(_Object(handle, attrs.evolve(resDesc), attrs.evolve(texDesc)))

    def DestroyTextureObject(self, texObject: Handle | int) -> None:
        """Give a texture up; launches that were made have it still."""
        self._destroy(texObject, surface=False)

    def GetTextureObjectResourceDesc(self, texObject: Handle | int) -> ResourceDesc:
        """Say what a texture is a view of."""
        return attrs.evolve(self._found(texObject, surface=False).resource)

    def GetTextureObjectTextureDesc(self, texObject: Handle | int) -> TextureDesc:
        """Say how a texture is read."""
        how = self._found(texObject, surface=False).how
        assert how is not None, "found as a texture"
        return attrs.evolve(how)

    def CreateSurfaceObject(self, resDesc: ResourceDesc) -> Handle:
        """Make a surface of an array that was allocated with the flag 2, on the current device."""
        memory = self._memory(self.devices.current)
        self._check_feature("surface", "surfaces")
        array = self._resource(resDesc, memory).array
        if values.as_whole(resDesc.resType) != RESOURCE_ARRAY or not array_of(array).flags & SURFACE_LOAD_STORE:
            raise Refusal("InvalidValue", "a surface is made of an array that was allocated with the flag for loads and stores of surfaces")
        return self._note(_Object(surface_of(array, memory), attrs.evolve(resDesc), None))

    def DestroySurfaceObject(self, surfObject: Handle | int) -> None:
        """Give a surface up; launches that were made have it still."""
        self._destroy(surfObject, surface=True)

    def GetSurfaceObjectResourceDesc(self, surfObject: Handle | int) -> ResourceDesc:
        """Say what a surface is a view of."""
        return attrs.evolve(self._found(surfObject, surface=True).resource)

    # ------------------------------------------------------------------------------------------------------------- helpers
    def texture_of(self, resource: ResourceDesc, how: TextureDesc, memory: Memory) -> Handle:
        """Make a texture that no object stands for, such as a reference binds."""
        array, form = _texels(_one_level(resource, how), memory, aligned=False)
        return texture.texture(memory, array, **form, **sampling(how))

    def _check_feature(self, feature: str, what: str) -> None:
        architecture = self.devices.current.architecture
        if feature not in architecture.isa.features:
            raise Refusal("NotSupported", f"{architecture.label} has no {what}")

    @staticmethod
    def _resource(resource: object, memory: Memory) -> ResourceDesc:
        if not isinstance(resource, ResourceDesc):
            raise Refusal("InvalidValue", f"what a texture or surface is made of is said by a ResourceDesc, got {values.shown(resource)}")
        places = [each for each in (resource.devPtr, getattr(resource.array, "data", None)) if isinstance(each, (Pointer, DeviceArray))]
        if any(each.memory is not memory for each in places):
            raise Refusal("InvalidValue", "a texture or surface is made of memory of its own device")
        return resource

    def _note(self, made: _Object) -> Handle:
        self._forget_given_up()
        self._objects[id(made.handle.memory), made.handle.handle] = made
        return made.handle

    def _found(self, handle: object, surface: bool) -> _Object:
        """Give what a handle, or the number of one on the current device, stands for."""
        memory = handle.memory if isinstance(handle, Handle) else self._memory(self.devices.current)
        number = handle.handle if isinstance(handle, Handle) else values.as_whole(handle)
        found = self._objects.get((id(memory), number or 0))
        if found is None or (found.how is None) != surface:
            raise Refusal("InvalidValue", f"{values.shown(handle)} is no {'surface' if surface else 'texture'} object, or was destroyed")
        return found

    def _destroy(self, handle: object, surface: bool) -> None:
        found = self._found(handle, surface)
        del self._objects[id(found.handle.memory), found.handle.handle]
        self._given_up.append(found.handle)
        self._forget_given_up()

    def _forget_given_up(self) -> None:
        """Let those go that no launch can need any more."""
        for handle in self._given_up:
            context = handle.memory.context
            handle.destroyed = context is None or not context.holding
        self._given_up = [handle for handle in self._given_up if not handle.destroyed]

    def _destroy_objects(self, memory: Memory) -> None:
        """Destroy those of a device, as a reset does."""
        for key in [key for key in self._objects if key[0] == id(memory)]:
            self._objects.pop(key).handle.destroyed = True


def surface_of(array: Array, memory: Memory) -> Handle:
    """Make a surface that no object stands for."""
    return texture.surface(memory, array.data, layered=array.layered or array.cube, channels=array.channels, layout="array", width=None)


def sampling(how: TextureDesc) -> dict[str, Any]:
    """Read how a texture is to be read. Raises Refusal for what there is not."""
    if not isinstance(how.addressMode, (tuple, list)) or not isinstance(how.borderColor, (tuple, list)) or len(how.addressMode) != 3:
        raise Refusal("InvalidValue", f"addressMode and borderColor are numbers for each axis and channel, got {values.shown(how.addressMode)} and "
                                      f"{values.shown(how.borderColor)}")
    address = tuple(_one_of(mode, _ADDRESSES, "addressMode") for mode in how.addressMode)
    if "border" in address and any(not isinstance(part, numbers.Real) or part for part in how.borderColor):
        raise Refusal("NotSupported", f"a border of the colour {values.shown(how.borderColor)}: what lies outside of a texture is 0")
    for name, most in (("sRGB", 0), ("maxAnisotropy", 1), ("seamlessCubemap", 0)):
        if values.whole(getattr(how, name), name, LaunchError) > most:
            raise Refusal("NotSupported", f"textures with {name} {values.shown(getattr(how, name))}")
    return {"filter": _one_of(how.filterMode, _FILTERS, "filterMode"), "read": _one_of(how.readMode, _READS, "readMode"), "address": address,
            "normalized": values.whole(how.normalizedCoords, "normalizedCoords", LaunchError) != 0}


def _one_of(value: object, names: tuple[str, ...], what: str) -> str:
    return names[values.whole(value, what, LaunchError, at_most=len(names) - 1)]


def _one_level(resource: ResourceDesc, how: TextureDesc) -> ResourceDesc:
    """Give a resource with the one level of a mipmapped array that a texture reads, as if it were all. Raises Refusal where it may read others."""
    if values.as_whole(resource.resType) != RESOURCE_MIPMAPPED_ARRAY:
        return resource
    if not isinstance(resource.array, MipmappedArray):
        raise Refusal("InvalidResourceHandle", f"{values.shown(resource.array)} is no mipmapped array")
    if not how.normalizedCoords:
        raise Refusal("InvalidValue", "the coordinates of a texture of a mipmapped array are normalized")
    last = len(resource.array.levels) - 1
    least, most = how.minMipmapLevelClamp, how.maxMipmapLevelClamp
    if not isinstance(least, numbers.Real) or not isinstance(most, numbers.Real):
        raise Refusal("InvalidValue", f"levels of detail are numbers, got {values.shown(least)} and {values.shown(most)}")
    level = 0 if not last or most <= 0 else last if least >= last else least if least == most else -1
    if level < 0 or level != int(level):
        raise Refusal("NotSupported", f"a texture of the levels {values.shown(least)} to {values.shown(most)} of {last + 1}: textures have one level of detail "
                                      "here, to which minMipmapLevelClamp and maxMipmapLevelClamp may hold them")
    return attrs.evolve(resource, resType=RESOURCE_ARRAY, array=resource.array.level(int(level)))


def _texels(resource: ResourceDesc, memory: Memory, aligned: bool = True) -> tuple[Any, dict[str, Any]]:
    """Give the texels of a resource, and what form they have."""
    kind = values.whole(resource.resType, "resType", LaunchError, at_most=RESOURCE_PITCH_2D)
    if kind == RESOURCE_ARRAY:
        array = array_of(resource.array)
        return array.data, {"layered": array.layered, "cube": array.cube, "channels": array.channels, "layout": "array", "width": None}
    if kind == RESOURCE_MIPMAPPED_ARRAY:
        raise Refusal("InvalidValue", "a surface, or a texture by another call, of a mipmapped array: it is of one level of it")
    dtype, channels = element_of(resource.desc)
    texel = int(dtype[1:]) * channels
    unit = ALIGNMENT_BYTES if aligned else texel
    if not isinstance(resource.devPtr, (Pointer, DeviceArray)):
        raise Refusal("InvalidDevicePointer", f"devPtr is device memory, got {values.shown(resource.devPtr)}")
    address, left = (int(resource.devPtr), resource.devPtr.left) if isinstance(resource.devPtr, Pointer) else (resource.devPtr.address, resource.devPtr.nbytes)
    if address % unit:
        raise Refusal("InvalidValue", f"a texture begins at a multiple of {unit} bytes, got {values.shown(resource.devPtr)}")
    tail = (channels,) if channels > 1 else ()
    form = {"layered": False, "cube": False, "channels": channels}
    if kind == RESOURCE_LINEAR:
        width = _size(resource.sizeInBytes, "sizeInBytes") // texel
        if width > MOST_EXTENT:
            raise Refusal("InvalidValue", f"a linear texture of {width} texels; the most are {MOST_EXTENT}")
        # it may be larger than what it is of, as for hardware: only what kernels read has to be there
        return View(memory, address, (width, *tail), dtype, min(width * texel, left)), form | {"layout": "linear", "width": None}
    width, height, pitch = (_size(getattr(resource, name), name) for name in ("width", "height", "pitchInBytes"))
    if pitch % (PITCH_ALIGNMENT_BYTES if aligned else texel) or pitch < width * texel or pitch % texel:
        raise Refusal("InvalidPitchValue", f"rows of {width} texels of {texel} bytes, {pitch} bytes apart")
    reach = (height - 1) * pitch + width * texel
    _check_left(reach, left)
    return View(memory, address, (height, pitch // texel, *tail), dtype, reach), form | {"layout": "pitch", "width": width}


def _size(value: object, name: str) -> int:
    return values.whole(value, name, LaunchError, at_least=1, at_most=MOST_BYTES)


def _check_left(needed: int, left: int) -> None:
    if needed > left:
        raise Refusal("InvalidValue", f"a texture of {needed} bytes, and {left} are there")
