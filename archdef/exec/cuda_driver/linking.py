"""Linking: several pieces of PTX become one module."""
from __future__ import annotations

from pathlib import PurePath
from typing import Final

import attrs

from archdef.errors import ArchdefError, UndefinedFunction
from archdef.exec.calls import Thread, UInt
from archdef.exec.cuda_driver import images, modules
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.jit import Options
from archdef.runtime.status import Refusal

_KINDS: Final = ("cubin", "PTX", "fat binary", "object", "library", "NVVM IR")
_PTX, _FAT_BINARY, _LIBRARY = 1, 2, 4
_DEVICE_RUNTIME: Final = "libcudadevrt.a"


@attrs.define(eq=False)
class Link:
    """What has been added so far."""

    options: Options
    texts: list[str] = attrs.Factory(list)
    result: int = 0
    """Address of what was linked, in the program; 0 before."""


@answers("cuLinkCreate", "cuLinkCreate_v2")
def create(thread: Thread, count: UInt, numbers: int, values: int, out: int) -> None:
    """Begin."""
    thread.memory.put_word(out, thread.session.handle(Link(Options(thread, count, numbers, values))))


@answers("cuLinkAddData", "cuLinkAddData_v2")
def add_data(thread: Thread, handle: int, kind: int, data: int, nbytes: int, name: int) -> None:
    """Add a piece."""
    link = thread.session.thing(handle, Link)
    if not 0 < nbytes <= images.MOST_PTX_BYTES:
        raise Refusal("InvalidValue", f"{nbytes} bytes to be linked")
    _add(thread, link, kind, lambda: images.image_of(thread.memory.get(data, nbytes)), thread.memory.text(name) if name else "")


@answers("cuLinkAddFile", "cuLinkAddFile_v2")
def add_file(thread: Thread, handle: int, kind: int, path: int) -> None:
    """Add a piece that is in a file."""
    _add(thread, thread.session.thing(handle, Link), kind, lambda: modules.image_of_file(thread, path), thread.memory.text(path))


def _add(thread: Thread, link: Link, kind: int, read: images.Reader, name: str) -> None:
    kind &= 0xFFFFFFFF
    if kind == _LIBRARY and PurePath(name).name == _DEVICE_RUNTIME:
        return      # what is in it every module has here
    try:
        if kind not in (_PTX, _FAT_BINARY):
            what = _KINDS[kind] if kind < len(_KINDS) else f"input of kind {kind}"
            raise Refusal("InvalidImage" if kind < len(_KINDS) else "InvalidValue", f"{what} {name}: only PTX and fat binaries with PTX can be linked")
        major, minor = thread.session.capability
        link.texts += read().texts(10 * major + minor)
    except ArchdefError as error:
        link.options.say(str(error))
        raise


@answers("cuLinkComplete")
def complete(thread: Thread, handle: int, out: int, nbytes_out: int) -> None:
    """Link, and give what cuModuleLoadData and its like then take. It stays until the link is destroyed."""
    link = thread.session.thing(handle, Link)
    if not link.texts:
        raise Refusal("InvalidValue", "there is nothing to link")
    try:
        images.load(images.Text(*link.texts), thread.runtime.devices.current, thread.session.capability)
    except UndefinedFunction as error:
        link.options.say(str(error))
        raise Refusal("Unknown", str(error)) from None      # what an H200's driver says
    except ArchdefError as error:
        link.options.say(str(error))
        raise
    data = images.linked(link.texts, link.options.most_registers)
    _free(thread, link)
    link.result = thread.session.host_allocate(thread.connection, len(data))
    thread.memory.put(link.result, data)
    link.options.say()
    thread.memory.put_word(out, link.result)
    if nbytes_out:
        thread.memory.put_word(nbytes_out, len(data))


@answers("cuLinkDestroy")
def destroy(thread: Thread, handle: int) -> None:
    """End."""
    _free(thread, thread.session.thing(handle, Link))
    thread.session.forget(handle)


def _free(thread: Thread, link: Link) -> None:
    if link.result:
        thread.session.host_free(thread.connection, link.result)
        link.result = 0
