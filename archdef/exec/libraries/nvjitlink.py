"""nvJitLink: pieces of PTX become what the driver loads, without the driver. Reference: nvJitLink.h of CUDA 12 and 13."""
from __future__ import annotations

import itertools
import re
import struct
from pathlib import PurePath
from typing import Final

import attrs

from archdef.errors import ArchdefError
from archdef.exec.calls import Thread, UInt
from archdef.exec.cuda_driver import images, modules
from archdef.exec.libraries.library import Library, present
from archdef.runtime.status import Refusal

LIBRARY: Final = Library("nvJitLink", not_supported=18, lacking=4, other=6, statuses={
    "InvalidValue": 3, "InvalidResourceHandle": 3, "MissingConfiguration": 2, "InvalidPtx": 4, "UnsupportedPtxVersion": 4, "NoKernelImageForDevice": 15,
    "InvalidImage": 12, "SharedObjectSymbolNotFound": 9, "FileNotFound": 8})
answers = LIBRARY.answers
_PTX, _LTO_IR, _FAT_BINARY, _LIBRARY, _ANY = 2, 3, 4, 6, 10
_KINDS: Final = {1: "machine code", 5: "an object", 6: "a library", 7: "an index"}
_REQUEST: Final = struct.Struct("<6Q")
_PIECE: Final = struct.Struct("<3Q")
_DEVICE_RUNTIME: Final = "libcudadevrt.a"
_ARCHITECTURE: Final = re.compile(r"-arch=(?:sm|compute)_(\d+)[af]?")
_REGISTERS: Final = re.compile(r"-maxrregcount=(\d{1,5})")
_MOST_OPTIONS: Final = 1024


@attrs.define(eq=False)
class Linker:
    """What a handle stands for."""

    target: int
    """Compute capability times 10."""
    options: list[str]
    texts: list[str] = attrs.Factory(list)
    lto: list[tuple[str, bytes]] = attrs.Factory(list)
    """Names and contents of pieces that only nvJitLink itself can read."""
    data: bytes = b""
    """What was linked."""
    error: str = ""


@answers("nvJitLinkCreate")
def create(thread: Thread, out: int, count: UInt, options: int) -> None:
    """Begin. Of the options the architecture and the limit of registers mean something, and for LTO-IR those of its compiler: how else machine code is made is
    not asked here."""
    present(handle=out)
    if count > _MOST_OPTIONS:
        raise Refusal("InvalidValue", f"{count} options")
    given = [thread.memory.text(thread.memory.word(options + 8 * each)) for each in range(count)]
    found = [match for match in map(_ARCHITECTURE.fullmatch, given) if match]
    if not found:
        raise Refusal("MissingConfiguration", f"no -arch=sm_NN among the options: {' '.join(given) or 'none'}")
    thread.memory.put_word(out, thread.session.handle(Linker(int(found[-1][1]), given)))


@answers("nvJitLinkDestroy")
def destroy(thread: Thread, place: int) -> None:
    """End."""
    present(handle=place)
    handle = thread.memory.word(place)
    thread.session.thing(handle, Linker)
    thread.session.forget(handle)
    thread.memory.put_word(place, 0)


@answers("nvJitLinkAddData")
def add_data(thread: Thread, handle: int, kind: UInt, data: int, nbytes: int, name: int) -> None:
    """Add a piece."""
    linker = thread.session.thing(handle, Linker)
    present(data=data)
    if not 0 < nbytes <= images.MOST_PTX_BYTES:
        raise Refusal("InvalidValue", f"{nbytes} bytes to be linked")
    called = thread.memory.text(name) if name else ""
    if kind == _LTO_IR:
        linker.lto.append((called, thread.memory.get(data, nbytes)))
        return
    _add(linker, kind, lambda: images.image_of(thread.memory.get(data, nbytes)), called)


@answers("nvJitLinkAddFile")
def add_file(thread: Thread, handle: int, kind: UInt, path: int) -> None:
    """Add a piece that is in a file."""
    _add(thread.session.thing(handle, Linker), kind, lambda: modules.image_of_file(thread, path), thread.memory.text(path))


def _add(linker: Linker, kind: int, read: images.Reader, name: str) -> None:
    if kind in (_LIBRARY, _ANY) and PurePath(name).name == _DEVICE_RUNTIME:
        return      # what is in it every module has here
    try:
        if kind not in (_PTX, _FAT_BINARY, _ANY):
            raise Refusal("InvalidImage", f"{name or 'a piece'} is {_KINDS.get(kind, f'input of kind {kind}')}: only PTX and fat binaries with PTX are linked")
        linker.texts += read().texts(linker.target)
    except ArchdefError as error:
        linker.error = str(error)
        raise


@answers("nvJitLinkComplete")
def complete(thread: Thread, handle: int) -> None:
    """Link. What is wrong in the PTX is found here, as on a machine."""
    linker = thread.session.thing(handle, Linker)
    try:
        if linker.lto:
            linker.texts.append(_optimised(thread, linker))
            linker.lto.clear()
        if not linker.texts:
            raise Refusal("InvalidValue", "there is nothing to link")
        images.load(images.Text(*linker.texts), thread.runtime.devices.current, thread.session.capability)
    except ArchdefError as error:
        linker.error = str(error)
        raise
    found = [match for match in map(_REGISTERS.fullmatch, linker.options) if match]
    linker.data = images.linked(linker.texts, int(found[-1][1]) if found else 0)


def _optimised(thread: Thread, linker: Linker) -> str:
    """Let the program's own nvJitLink make PTX of LTO-IR; of other kinds of input it would make machine code."""
    options = ["-ptx", *(option for option in linker.options if option != "-ptx")]
    parts = [*(option.encode() + b"\0" for option in options), *(name.encode() + b"\0" for name, _ in linker.lto), *(data for _, data in linker.lto)]
    start = _REQUEST.size + 8 * len(options) + _PIECE.size * len(linker.lto)
    here = thread.session.host_allocate(thread.connection, start + sum(map(len, parts)))
    try:
        places = list(itertools.accumulate(map(len, parts), initial=here + start))
        given, named, held = places[:len(options)], places[len(options):len(options) + len(linker.lto)], places[len(options) + len(linker.lto):]
        table = struct.pack(f"<{len(given)}Q", *given) + b"".join(_PIECE.pack(held[k], len(data), named[k]) for k, (_, data) in enumerate(linker.lto))
        head = _REQUEST.pack(here + _REQUEST.size, len(options), here + _REQUEST.size + 8 * len(options), len(linker.lto), 0, 0)
        thread.memory.put(here, b"".join([head, table, *parts]))
        status = thread.connection.call(thread.hello.link_lto, here)
        *_, text, nbytes = _REQUEST.unpack(thread.memory.get(here, _REQUEST.size))
        said = thread.memory.get(text, min(nbytes, images.MOST_PTX_BYTES)).partition(b"\0")[0].decode(errors="replace") if text else ""
        if text:
            thread.connection.call(thread.hello.link_lto, here)
    finally:
        thread.session.host_free(thread.connection, here)
    if status:
        raise Refusal("InvalidPtx", f"nvJitLink makes no PTX of LTO-IR (error {status}): {said.strip() or 'it does not say why'}")
    return said


@answers("nvJitLinkGetLinkedCubinSize", "nvJitLinkGetLinkedPtxSize")
def linked_bytes(thread: Thread, handle: int, out: int) -> None:
    """Give the size of what was linked: PTX, which loads where machine code would."""
    present(size=out)
    thread.memory.put_word(out, len(_linked(thread, handle)))


@answers("nvJitLinkGetLinkedCubin", "nvJitLinkGetLinkedPtx")
def linked(thread: Thread, handle: int, out: int) -> None:
    """Give what was linked."""
    present(code=out)
    thread.memory.put(out, _linked(thread, handle))


def _linked(thread: Thread, handle: int) -> bytes:
    linker = thread.session.thing(handle, Linker)
    if not linker.data:
        raise Refusal("InvalidValue", "nothing was linked: nvJitLinkComplete comes first")
    return linker.data


@answers("nvJitLinkGetErrorLogSize")
def error_bytes(thread: Thread, handle: int, out: int) -> None:
    """Give the size of the message, with its end."""
    thread.memory.put_word(out, len(_error(thread, handle)))


@answers("nvJitLinkGetErrorLog")
def error(thread: Thread, handle: int, out: int) -> None:
    """Give the message."""
    thread.memory.put(out, _error(thread, handle))


def _error(thread: Thread, handle: int) -> bytes:
    text = thread.session.thing(handle, Linker).error
    return text.encode() + b"\0" if text else b""


@answers("nvJitLinkGetInfoLogSize")
def info_bytes(thread: Thread, handle: int, out: int) -> None:
    """Give the size of what it has to tell beside errors: nothing."""
    thread.session.thing(handle, Linker)
    thread.memory.put_word(out, 0)


@answers("nvJitLinkGetInfoLog")
def info(thread: Thread, handle: int, out: int) -> None:
    """Give nothing."""
    thread.session.thing(handle, Linker)
