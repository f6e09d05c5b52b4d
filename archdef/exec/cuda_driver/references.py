"""Texture and surface references of modules: what they stand for, and how textures are read, is settled when a kernel of the module is launched."""
from __future__ import annotations

import struct

import attrs

from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.cuda_driver.arrays import DESCRIPTION, element, format_of
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.kernels import Loaded
from archdef.exec.cuda_driver.textures import sampling
from archdef.exec.cuda_runtime.memory import device_end
from archdef.run.pointer import Pointer
from archdef.runtime.arrays import Array
from archdef.runtime.status import Refusal
from archdef.runtime.structures import RESOURCE_ARRAY, RESOURCE_LINEAR, RESOURCE_PITCH_2D, ResourceDesc
from archdef.runtime.textures import surface_of

_FLOAT = 0x20
_AXES = 3


@attrs.define(eq=False)
class Reference:
    """A texture or surface reference of a module."""

    name: str
    surface: bool
    array: Array | None = None
    handle: int = 0
    """Of the array."""
    memory: Pointer | None = None
    """Linear memory, in place of an array."""
    sizes: tuple[int, int, int] = (0, 0, 0)
    """Of linear memory: its bytes or the columns, the rows or 0, the bytes from row to row."""
    form: tuple[int, int] = (_FLOAT, 1)
    """Format of a channel of linear memory, and channels."""
    modes: list[int] = attrs.Factory(lambda: [0] * _AXES)
    filtering: int = 0
    flags: int = 0
    anisotropy: int = 0
    changed: bool = False

    def resource(self) -> ResourceDesc | None:
        """Give what it stands for; None: nothing. Raises Refusal."""
        if self.array is not None:
            return ResourceDesc(resType=RESOURCE_ARRAY, array=self.array)
        if self.memory is None:
            return None
        first, rows, pitch = self.sizes
        if rows:
            return ResourceDesc(resType=RESOURCE_PITCH_2D, devPtr=self.memory, desc=element(*self.form), width=first, height=rows, pitchInBytes=pitch)
        return ResourceDesc(resType=RESOURCE_LINEAR, devPtr=self.memory, desc=element(*self.form), sizeInBytes=min(first, self.memory.left))


def bind(thread: Thread, of: Loaded) -> None:
    """Bind the references of a module that were changed. Raises Refusal for what cannot be."""
    memory = of.module.device.memory
    for found in map(thread.session.found, of.references.values()):
        if not isinstance(found, Reference) or not found.changed or (resource := found.resource()) is None:
            continue
        if found.surface and found.array is not None:
            of.module.textures[found.name] = surface_of(found.array, memory)
        else:
            desc = resource.desc if found.array is None else found.array.desc
            how = sampling(desc, (found.modes[0], found.modes[1], found.modes[2]), found.filtering, found.flags, found.anisotropy)
            of.module.textures[found.name] = thread.runtime.texture_of(resource, how, memory)
        found.changed = False


def _get(thread: Thread, out: int, handle: int, name: int, surface: bool) -> None:
    of, wanted = thread.session.thing(handle, Loaded), thread.memory.text(name)
    declared = of.module.ptx.variables.get(wanted)
    if declared is None or declared.opaque is None or (declared.opaque == "surfref") != surface:
        raise Refusal("SymbolNotFound", f"the module has no {'surface' if surface else 'texture'} reference {wanted!r}")
    if wanted not in of.references:
        of.references[wanted] = thread.session.handle(Reference(wanted, surface))
    thread.memory.put_word(out, of.references[wanted])


def _texture(thread: Thread, handle: int) -> Reference:
    """Give a texture reference that is about to be changed. Raises Refusal."""
    found = thread.session.thing(handle, Reference)
    if found.surface:
        raise Refusal("InvalidResourceHandle", f"{found.name} is a surface reference")
    found.changed = True
    return found


@answers("cuModuleGetTexRef")
def get_texture(thread: Thread, out: int, handle: int, name: int) -> None:
    """Give a texture reference of a module."""
    _get(thread, out, handle, name, surface=False)


@answers("cuModuleGetSurfRef")
def get_surface(thread: Thread, out: int, handle: int, name: int) -> None:
    """Give a surface reference of a module."""
    _get(thread, out, handle, name, surface=True)


@answers("cuTexRefSetArray", "cuSurfRefSetArray")
def set_array(thread: Thread, reference: int, array: int, flags: UInt) -> None:
    """Let a reference stand for an array, whose format it then has."""
    found, made = thread.session.thing(reference, Reference), thread.session.thing(array, Array)
    found.array, found.handle, found.memory, found.changed = made, array, None, True
    found.form = format_of(made.desc)


@answers("cuTexRefSetAddress_v2")
def set_linear(thread: Thread, offset_out: int, reference: int, address: int, nbytes: int) -> None:
    """Let a reference stand for linear memory; textures begin where they are bound to."""
    found = _texture(thread, reference)
    found.array, found.memory, found.sizes = None, device_end(thread, address), (nbytes, 0, 0)
    if offset_out:
        thread.memory.put_word(offset_out, 0)


@answers("cuTexRefSetAddress2D_v2", "cuTexRefSetAddress2D_v3")
def set_rows(thread: Thread, reference: int, description: int, address: int, pitch: int) -> None:
    """Let a reference stand for rows of memory."""
    width, height, kind, channels = DESCRIPTION.unpack(thread.memory.get(description, DESCRIPTION.size))
    if not width or not height:
        raise Refusal("InvalidValue", f"{height} rows of {width} elements")
    found = _texture(thread, reference)
    element(kind, channels)     # raises Refusal for a format that there is not
    found.array, found.memory, found.sizes, found.form = None, device_end(thread, address), (width, height, pitch), (kind, channels)


@answers("cuTexRefSetFormat")
def set_format(thread: Thread, reference: int, kind: Int, channels: Int) -> None:
    """Set the format of linear memory; that of an array is its own. Raises Refusal for another one than the array's."""
    found, form = _texture(thread, reference), (kind, channels)
    element(*form)
    if found.array is not None and form != format_of(found.array.desc):
        raise Refusal("InvalidValue", f"the format {form[0]:#x} of {form[1]} channels is not that of the array, {found.array.desc}")
    found.form = form


@answers("cuTexRefSetAddressMode")
def set_mode(thread: Thread, reference: int, axis: Int, mode: Int) -> None:
    """Say what lies outside, along one axis."""
    found = _texture(thread, reference)
    if not 0 <= axis < _AXES:
        raise Refusal("InvalidValue", f"textures have no axis {axis}")
    found.modes[axis] = mode


@answers("cuTexRefSetFilterMode")
def set_filter(thread: Thread, reference: int, mode: Int) -> None:
    """Say whether texels are interpolated."""
    _texture(thread, reference).filtering = mode


@answers("cuTexRefSetFlags")
def set_flags(thread: Thread, reference: int, flags: UInt) -> None:
    """Set whether coordinates are normalized, and integers are read as they are."""
    sampling(None, (0, 0, 0), 0, flags)        # raises Refusal for flags that there are not
    _texture(thread, reference).flags = flags


@answers("cuTexRefSetMaxAnisotropy")
def set_anisotropy(thread: Thread, reference: int, most: UInt) -> None:
    """Set the anisotropy; more than 1 is refused at the launch."""
    _texture(thread, reference).anisotropy = most


@answers("cuParamSetTexRef")
def of_function(thread: Thread, function: int, unit: Int, reference: int) -> None:
    """Check the reference: a kernel uses those of its module, without being told."""
    thread.session.thing(reference, Reference)


# ------------------------------------------------------------------------------------------------------------------- questions
@answers("cuTexRefGetArray", "cuSurfRefGetArray")
def get_array(thread: Thread, out: int, reference: int) -> None:
    """Give the array that a reference stands for. Raises Refusal if it stands for none."""
    found = thread.session.thing(reference, Reference)
    if found.array is None:
        raise Refusal("InvalidValue", f"{found.name} stands for no array")
    thread.memory.put_word(out, found.handle)


@answers("cuTexRefGetAddress_v2")
def get_address(thread: Thread, out: int, reference: int) -> None:
    """Give the address of the memory that a reference stands for. Raises Refusal if it stands for none."""
    memory = thread.session.thing(reference, Reference).memory
    if memory is None:
        raise Refusal("InvalidValue", "the reference stands for no linear memory")
    thread.memory.put_word(out, int(memory))


@answers("cuTexRefGetFormat")
def get_format(thread: Thread, kind_out: int, channels_out: int, reference: int) -> None:
    """Give the format of its elements."""
    for out, value in zip((kind_out, channels_out), thread.session.thing(reference, Reference).form, strict=True):
        thread.memory.put(out, struct.pack("<I", value))


@answers("cuTexRefGetAddressMode")
def get_mode(thread: Thread, out: int, reference: int, axis: Int) -> None:
    """Say what lies outside, along one axis."""
    if not 0 <= axis < _AXES:
        raise Refusal("InvalidValue", f"textures have no axis {axis}")
    thread.memory.put_word(out, thread.session.thing(reference, Reference).modes[axis], 4)


@answers("cuTexRefGetFilterMode")
def get_filter(thread: Thread, out: int, reference: int) -> None:
    """Say whether texels are interpolated."""
    thread.memory.put_word(out, thread.session.thing(reference, Reference).filtering, 4)


@answers("cuTexRefGetFlags")
def get_flags(thread: Thread, out: int, reference: int) -> None:
    """Give its flags."""
    thread.memory.put_word(out, thread.session.thing(reference, Reference).flags, 4)


@answers("cuTexRefGetMaxAnisotropy")
def get_anisotropy(thread: Thread, out: int, reference: int) -> None:
    """Give its anisotropy."""
    thread.memory.put_word(out, thread.session.thing(reference, Reference).anisotropy, 4)
