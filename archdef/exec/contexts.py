"""Contexts of the driver, and the one notion of a current device that it has in common with the runtime."""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import attrs

from archdef.errors import ArchdefError
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.calls import Thread
    from archdef.exec.cuda_driver.kernels import Loaded
    from archdef.exec.session import Session
    from archdef.run.pointer import Pointer

QUERIES: Final = frozenset(
    "cudaGetDeviceCount cudaGetDevice cudaGetDeviceProperties cudaGetDeviceProperties_v2 cudaDeviceGetAttribute cudaDeviceGetPCIBusId cudaDeviceGetByPCIBusId "
    "cudaDriverGetVersion cudaRuntimeGetVersion cudaDeviceCanAccessPeer cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion cudaSetDeviceFlags".split())
"""Functions of the runtime that make no context."""
WITHOUT_DRIVER: Final = frozenset(("cudaDriverGetVersion", "cudaRuntimeGetVersion"))
"""Those that do without ``cuInit``, which all others call."""


@attrs.define(eq=False)
class Context:
    """What CUDA calls a context: a device in use. Its memory is the device's."""

    device: int
    handle: int
    flags: int = 0
    primary: bool = False
    holders: int = 0
    """How many have retained it, of a primary one; of another one, who made it and who attached it."""
    runtime: bool = False
    """Whether the runtime uses it."""
    destroyed: bool = False
    allocations: dict[int, Pointer] = attrs.Factory(dict)
    """Address → memory that was allocated in it, and goes with it unless it was freed before."""
    modules: list[Loaded] = attrs.Factory(list)
    """What was loaded in it, and goes with it."""
    cache_config: int = 0
    """Whether kernels shall have more L1 or more shared memory, as the program has said."""

    @property
    def active(self) -> bool:
        """Whether somebody uses a primary one."""
        return self.runtime or self.holders > 0


class Contexts:
    """The contexts of one process."""

    def __init__(self, session: Session):
        self.session = session
        self.initialised = False
        """Whether the process has called ``cuInit``, or the runtime has for it."""
        self.known_ones: list[Context] = []
        self._primary: dict[int, Context] = {}

    def primary(self, device: int) -> Context:
        """Give the primary context of a device. Raises Refusal if there is no such device."""
        self.session.runtime.device(device)
        with self.session.lock:
            if device not in self._primary:
                self._primary[device] = self._new(device, 0, primary=True)
            return self._primary[device]

    def create(self, thread: Thread, device: int, flags: int) -> Context:
        """Make a context and let it be the thread's current one. Raises Refusal."""
        self.session.runtime.device(device)
        made = self._new(device, flags)
        self.push(thread, made)
        return made

    def _new(self, device: int, flags: int, primary: bool = False) -> Context:
        made = Context(device, 0, flags, primary, holders=0 if primary else 1)
        made.handle = self.session.handle(made)
        self.known_ones.append(made)
        return made

    def known(self, handle: int) -> Context:
        """Give the context that a handle stands for. Raises Refusal."""
        found = self.session.found(handle)
        if not isinstance(found, Context):
            raise Refusal("InvalidContext", f"{handle:#x} is no context")
        return found

    def chosen(self, thread: Thread) -> None:
        """Let the primary context of the device that the runtime has been told to use be the current one."""
        primary = self.primary(thread.runtime.GetDevice())
        primary.runtime = True
        if thread.contexts:
            thread.contexts[-1] = primary

    def current(self, thread: Thread) -> Context | None:
        """Give the thread's current context; None if it has none."""
        if thread.contexts:
            return thread.contexts[-1]
        if not thread.uses_runtime:
            return None
        primary = self.primary(thread.runtime.GetDevice())
        primary.runtime = True
        return primary

    def needed(self, thread: Thread) -> Context:
        """Give the thread's current context. Raises Refusal if it has none that can be used."""
        current = self.current(thread)
        if current is None:
            raise Refusal("InvalidContext" if self.initialised else "NotInitialized",
                          "the thread has no current context" if self.initialised else "cuInit was not called")
        if current.destroyed:
            raise Refusal("ContextIsDestroyed", "the current context was destroyed")
        return current

    def push(self, thread: Thread, context: Context) -> None:
        """Put one on the thread's stack."""
        thread.contexts.append(context)
        thread.runtime.SetDevice(context.device)

    def pop(self, thread: Thread) -> Context:
        """Take the thread's current one off its stack. Raises Refusal."""
        current = self.current(thread)
        if current is None:
            raise Refusal("InvalidContext", "the thread's stack of contexts is empty")
        if thread.contexts:
            thread.contexts.pop()
        if thread.contexts:
            thread.runtime.SetDevice(thread.contexts[-1].device)
        return current

    def put(self, thread: Thread, context: Context | None) -> None:
        """Let another one be the thread's current one, or none."""
        if thread.contexts:
            thread.contexts.pop()
        if context is not None:
            self.push(thread, context)

    def destroy(self, thread: Thread, context: Context) -> None:
        """Free what was made in a context, and forget it. Raises Refusal for a primary one, and for one that another thread destroys."""
        if context.primary:
            raise Refusal("InvalidContext", "primary contexts are released, not destroyed")
        with self.session.lock:
            if context.destroyed:
                raise Refusal("InvalidContext", f"{context.handle:#x} is destroyed by another thread")
            context.destroyed = True
        if thread.contexts and thread.contexts[-1] is context:
            self.pop(thread)
        self._empty(thread, context)
        self.known_ones.remove(context)
        self.session.forget(context.handle)

    def detach(self, thread: Thread, context: Context) -> None:
        """Let one less hold a context that was made or attached; the last one destroys it. Raises Refusal for a primary one."""
        context.holders -= not context.primary
        if context.primary or not context.holders:
            self.destroy(thread, context)

    def release(self, thread: Thread, device: int) -> None:
        """Let one less hold a primary context; the last one frees what was made in it. Raises Refusal."""
        context = self.primary(device)
        if not context.holders:
            raise Refusal("InvalidContext", f"nobody has retained the primary context of device {device}")
        context.holders -= 1
        if not context.active:
            self.reset(thread, device)

    def reset(self, thread: Thread, device: int) -> None:
        """Free what was made in a primary context, and what the runtime has made on its device, as the runtime's own reset does."""
        self._empty(thread, self.primary(device))
        with thread.runtime.devices.using(device):
            self.session.reset_device(thread.connection)

    def _empty(self, thread: Thread, context: Context) -> None:
        self._drain(context.device)
        for module in list(context.modules):
            module.forget(self.session)
        context.modules.clear()
        for address, pointer in list(context.allocations.items()):
            if self.session.allocation(address, context.device) is pointer:     # and not what another context was given there later
                self.session.free(thread.connection, address, context.device)
        context.allocations.clear()

    def unload(self, module: Loaded) -> None:
        """Forget a module, whichever context it was loaded in; its kernels end first, and what they print is printed."""
        with self.session.lock:
            found = [context for context in self.known_ones if module in context.modules]
        for context in found:
            self._drain(context.device)
            context.modules.remove(module)
        module.forget(self.session)

    def _drain(self, device: int) -> None:
        """Wait for what a device has to do. A fault of it is for the calls that ask."""
        with contextlib.suppress(ArchdefError):
            self.session.runtime.device(device).context.drain()
