"""Device code that a program has loaded, and its kernels: as modules of a context, or as libraries that belong to none."""
from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from archdef.exec.calls import Thread
from archdef.exec.cuda_driver import images
from archdef.run.module import Kernel, Module
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.session import Session
    from archdef.run.pointer import Pointer


@attrs.define(eq=False)
class Loaded:
    """A module as a program has it."""

    module: Module
    handle: int = 0
    kernels: dict[str, int] = attrs.Factory(dict)
    """Name → handle of those that were asked for."""
    variables: dict[int, Pointer] = attrs.Factory(dict)
    """Those that were asked for, by address."""
    references: dict[str, int] = attrs.Factory(dict)
    """The same of texture and surface references."""

    def forget(self, session: Session) -> None:
        """Let its handles stand for nothing, and the addresses of its variables, whose memory goes with it."""
        for handle in (*self.kernels.values(), *self.references.values(), self.handle):
            session.forget(handle)
        for variable in self.variables.values():
            session.forget_variable(variable)


@attrs.define(eq=False)
class SetUp:
    """What a program has told a kernel before it launches it with nothing but a grid."""

    block: tuple[int, ...] = (1, 1, 1)
    shared_bytes: int = 0
    arguments: bytearray = attrs.Factory(bytearray)


@attrs.frozen(eq=False)
class Function:
    """A kernel as a program has it."""

    kernel: Kernel
    module: int
    """Handle of the module that it is of."""
    set_up: SetUp = attrs.Factory(SetUp)


@attrs.define(eq=False)
class Library:
    """Device code before it is known for which device."""

    image: images.Image
    handle: int = 0
    loaded: dict[int, Loaded] = attrs.Factory(dict)
    """Number of the device → the module on it."""
    kernels: dict[str, int] = attrs.Factory(dict)
    """Name → handle of those that were asked for."""


@attrs.frozen(eq=False)
class LibraryKernel:
    """A kernel of a library."""

    library: Library
    name: str


def loaded(thread: Thread, image: images.Image) -> Loaded:
    """Load device code on the current device. Raises PtxError, FatbinError."""
    made = Loaded(images.load(image, thread.runtime.devices.current, thread.session.capability))
    made.handle = thread.session.handle(made)
    return made


def on_device(thread: Thread, library: Library) -> Loaded:
    """Give a library's module on the current device; it is loaded when first wanted. Raises PtxError, FatbinError."""
    number = thread.runtime.devices.number
    with thread.session.lock:
        if number not in library.loaded:
            library.loaded[number] = loaded(thread, library.image)
        return library.loaded[number]


def function(thread: Thread, of: Loaded, name: str) -> int:
    """Give the handle of a kernel; it is made ready to run. Raises Refusal if there is none of that name, PtxError if it cannot run here."""
    if name not in of.kernels:
        if name not in of.module.kernels:
            known = ", ".join(of.module.kernels[:8]) or "none"
            raise Refusal("SymbolNotFound", f"the module has no kernel {name!r}; it has {known}")
        kernel = of.module[name]
        _ = kernel.program
        of.kernels[name] = thread.session.handle(Function(kernel, of.handle))
    return of.kernels[name]


def function_of_stub(thread: Thread, stub: int) -> int:
    """Give the handle of a kernel of the program itself on the current device. Raises Refusal."""
    kernel, session = thread.session.kernel(stub), thread.session
    with session.lock:
        if kernel not in session.function_handles:
            session.function_handles[kernel] = session.handle(Function(kernel, 0))
        return session.function_handles[kernel]


def function_of(thread: Thread, handle: int) -> Function:
    """Give a function, or a library's kernel as one on the current device. Raises Refusal."""
    found = thread.session.found(handle)
    if isinstance(found, LibraryKernel):
        of = on_device(thread, found.library)
        found = thread.session.found(function(thread, of, found.name))
    if not isinstance(found, Function):
        raise Refusal("InvalidResourceHandle", f"{handle:#x} is no function")
    if found.kernel.module.device is not thread.runtime.devices.current:
        raise Refusal("InvalidResourceHandle", f"{found.kernel.name} was loaded on another device than that of the current context")
    return found


def kernel_of(thread: Thread, handle: int) -> Kernel:
    """Give the kernel of a function, or of a library, on the current device. Raises Refusal."""
    return function_of(thread, handle).kernel


def module_of(thread: Thread, handle: int) -> Loaded | None:
    """Give the module of a function, or of a library's kernel on the current device; None if it is neither, or the module was unloaded."""
    found = thread.session.found(handle)
    if isinstance(found, LibraryKernel):
        return on_device(thread, found.library)
    of = thread.session.found(found.module) if isinstance(found, Function) else None
    return of if isinstance(of, Loaded) else None
