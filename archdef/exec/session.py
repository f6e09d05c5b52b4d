"""One process of a running program: its memory, the runtime it talks to, and what its handles and addresses stand for."""
from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar, cast

import attrs

from archdef.device import Device
from archdef.errors import ArchdefError
from archdef.exec import fatbin
from archdef.exec.calls import Output, Thread
from archdef.exec.guest import GuestMemory
from archdef.exec.helper import Helper
from archdef.exec.host_memory import HostMemory
from archdef.exec.ranges import Ranges
from archdef.exec.tally import Tally
from archdef.host import Host, Stream
from archdef.run.pointer import Pointer
from archdef.runtime.api import Runtime
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    import numpy as np

    from archdef.exec.wire import Connection
    from archdef.run.managed import ManagedArray
    from archdef.run.memory import Memory
    from archdef.run.module import Kernel, Module
    from archdef.run.symbols import Symbol
    from archdef.spec import Architecture

_LOG = logging.getLogger(__name__)
_FIRST_HANDLE: Final = 0x10000
"""Below it lie numbers that mean something of themselves, such as the legacy stream's."""
_ASSUMED_CUDA: Final = 12
_Thing = TypeVar("_Thing")


@attrs.define(eq=False)
class Binary:
    """Device code that the program brought."""

    image: bytes
    kernels: dict[int, str] = attrs.Factory(dict)
    """Address of the host's stub → the kernel's name in PTX."""
    variables: dict[int, str] = attrs.Factory(dict)
    """Address of the host's shadow → the variable's name in PTX."""
    modules: dict[int, Module] = attrs.Factory(dict)
    """Number of the device → the module on it."""


class Session:
    """What one process of a program has made. Its devices are its own."""

    def __init__(self, process: int, architectures: Sequence[str | Architecture], **options: Any):
        """options : of each `Device`."""
        self.process, self.memory = process, GuestMemory(process)
        self.output, self.host, self.tally = Output(), Host(), Tally()
        self.runtime = Runtime({})
        self.runtime.use(*(Device(each, printf=cast("TextIO", self.output), host=self.host, **options) for each in architectures))
        self.lock = threading.RLock()
        self.helper: Helper | None = None
        self.strings: dict[str, int] = {}
        self.scratch_used = 0
        self.library_modules: dict[tuple[str, int], Module] = {}
        """Kernels of libraries and number of the device → their module on it."""
        self.cuda = _ASSUMED_CUDA
        """Major version of the CUDA that compiled the program."""
        self._binaries: list[Binary] = []
        self._of_stub: dict[int, Binary] = {}
        self._of_shadow: dict[int, Binary] = {}
        self._handles: dict[int, Any] = {}
        self._next = itertools.count(_FIRST_HANDLE, 16)
        self._on_device: Ranges[Pointer] = Ranges()
        self._managed: dict[int, ManagedArray] = {}
        self._pinned = HostMemory()

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability of the current device; (0, 0) where it has none."""
        found = self.runtime.GetDeviceProperties()
        return found.major, found.minor

    def serve(self, thread: Thread) -> Helper:
        """See to it that functions of the program can be called while all its threads wait for each other."""
        with self.lock:
            if self.helper is None:
                self.helper = Helper(self)
                if thread.connection.call(thread.hello.start_server):
                    raise Refusal("MemoryAllocation", "the program cannot start one more thread")
            return self.helper

    # ------------------------------------------------------------------------------------------------------------- handles
    def handle(self, thing: Any) -> int:
        """Give a number that stands for something."""
        with self.lock:
            number = next(self._next)
            self._handles[number] = thing
        return number

    def thing(self, handle: int, kind: type[_Thing]) -> _Thing:
        """Give what a number stands for. Raises Refusal unless it is of that kind."""
        found = self._handles.get(handle)
        if not isinstance(found, kind):
            raise Refusal("InvalidResourceHandle", f"{handle:#x} is no {kind.__name__.lower()}")
        return found

    def forget(self, handle: int) -> None:
        """Let a number stand for nothing."""
        self._handles.pop(handle, None)

    def stream(self, handle: int) -> Stream | int | None:
        """Give a stream; 0 to 2 are the runtime's own."""
        return handle or None if handle <= 2 else self.thing(handle, Stream)

    # -------------------------------------------------------------------------------------------------------------- memory
    def allocated(self, pointer: Pointer) -> int:
        """Note device memory, and give its address."""
        with self.lock:
            self._on_device.add(int(pointer), max(1, pointer.left), pointer)
        return int(pointer)

    def variable(self, pointer: Pointer) -> None:
        """Note a variable of a module as device memory."""
        with self.lock:
            if self._on_device.at(int(pointer)) is None:
                self._on_device.add(int(pointer), max(1, pointer.left), pointer)

    def pointer(self, address: int) -> Pointer | None:
        """Give the device memory that an address lies in; None if in none."""
        with self.lock:
            base = self._on_device.at(address)
        return None if base is None else base + (address - int(base))

    def is_managed(self, address: int) -> bool:
        """Say whether an address lies in managed memory."""
        with self.lock:
            base = self._on_device.at(address)
        return base is not None and int(base) in self._managed

    def map_managed(self, connection: Connection, array: ManagedArray) -> None:
        """Show managed memory to the program, where the device has it. Raises Refusal if something else is there."""
        descriptor = array.memory.engine.share(array.address)
        if connection.map(array.address, array.nbytes, 0, descriptor) != array.address:
            raise Refusal("MemoryAllocation", f"the program has other memory at {array.address:#x}, where the device has {array.nbytes} managed bytes")
        self._managed[array.address] = array
        self.allocated(Pointer(array.address, array.memory, array.nbytes))

    def free(self, connection: Connection, address: int) -> None:
        """Give device memory back. Raises Refusal if none starts there."""
        with self.lock:
            pointer = self._on_device.remove(address)
        if pointer is None:
            raise Refusal("InvalidValue", f"{address:#x} was not given by cudaMalloc, or was freed")
        managed = self._managed.pop(address, None)
        self.runtime.Free(pointer if managed is None else managed)
        if managed is not None:
            connection.unmap(address, managed.nbytes)

    def forget_allocations(self, memory: Memory) -> None:
        """Forget what a reset of a device has freed."""
        with self.lock:
            self._on_device.keep(lambda pointer: pointer.memory is not memory)

    def host_allocate(self, connection: Connection, nbytes: int) -> int:
        """Allocate page-locked memory that the program and archdef both see, and give its address."""
        return self._pinned.allocate(connection, nbytes)

    def host_free(self, connection: Connection, address: int) -> None:
        """Give it back."""
        self._pinned.free(connection, address)

    def host_register(self, address: int, nbytes: int) -> None:
        """Note memory of the program that it has page-locked."""
        self._pinned.register(address, nbytes)

    def host_unregister(self, address: int) -> None:
        """Forget that."""
        self._pinned.unregister(address)

    def is_registered(self, address: int) -> bool:
        """Say whether the program has page-locked what lies at an address."""
        return self._pinned.is_registered(address)

    def host_view(self, address: int, nbytes: int) -> np.ndarray | None:
        """Give page-locked memory as an array of bytes that are the program's own; None if it is other memory."""
        return self._pinned.view(address, nbytes)

    # ------------------------------------------------------------------------------------------------------------- modules
    def register(self, wrapper: int) -> int:
        """Read a fat binary of the program, by its wrapper's address, and give its handle."""
        magic = int.from_bytes(self.memory.get(wrapper, 4), "little")
        start = self.memory.word(wrapper + 8) if magic == fatbin.WRAPPER_MAGIC else wrapper
        image = self.memory.get(start, fatbin.total_bytes(self.memory.get(start, 16)))
        self._binaries.append(binary := Binary(image))
        self.cuda = fatbin.compiled_for(image) or self.cuda
        return self.handle(binary)

    def register_kernel(self, handle: int, stub: int, name: str) -> None:
        """Note that a stub of the host means a kernel."""
        self.thing(handle, Binary).kernels[stub] = name
        self._of_stub[stub] = self.thing(handle, Binary)

    def register_variable(self, handle: int, shadow: int, name: str) -> None:
        """Note that a shadow of the host means a variable."""
        self.thing(handle, Binary).variables[shadow] = name
        self._of_shadow[shadow] = self.thing(handle, Binary)

    def module(self, binary: Binary) -> Module:
        """Give a binary's module on the current device; it is loaded when first wanted. Raises FatbinError, PtxError."""
        number, device = self.runtime.devices.number, self.runtime.devices.current
        with self.lock:
            if number not in binary.modules:
                major, minor = self.capability
                ptx = fatbin.best_ptx(binary.image, 10 * major + minor)
                _LOG.info("loading %d characters of PTX for %s", len(ptx), device.architecture.label)
                binary.modules[number] = device.compile(ptx)
            return binary.modules[number]

    def kernel(self, stub: int) -> Kernel:
        """Give the kernel that a stub of the host stands for. Raises Refusal."""
        if (binary := self._of_stub.get(stub)) is None:
            raise Refusal("InvalidDeviceFunction", f"no kernel is registered for the function at {stub:#x}")
        return self.module(binary)[binary.kernels[stub]]

    def symbol(self, shadow: int) -> Symbol:
        """Give the variable that a shadow of the host stands for. Raises Refusal."""
        if (binary := self._of_shadow.get(shadow)) is None:
            raise Refusal("InvalidSymbol", f"no variable of the device is registered for {shadow:#x}")
        return self.module(binary).symbols[binary.variables[shadow]]

    def end(self) -> None:
        """Let what was launched end, as it does when a process of CUDA ends without waiting."""
        try:
            self.tally.count(to_the_end=True)
        except ArchdefError as error:
            self.tally.failed.append(str(error))
