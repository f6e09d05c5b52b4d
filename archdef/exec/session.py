"""One process of a running program: its memory, the runtime it talks to, and what its handles and addresses stand for."""
from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar, cast

import attrs

from archdef import registry
from archdef.device import Device
from archdef.errors import ArchdefError
from archdef.exec import fatbin
from archdef.exec.calls import Output, Thread
from archdef.exec.contexts import Contexts
from archdef.exec.failures import Failures
from archdef.exec.guest import GuestMemory
from archdef.exec.helper import Helper
from archdef.exec.host_memory import HostMemory, words_of
from archdef.exec.idle import Idle
from archdef.exec.node_lists import NodeLists
from archdef.exec.ranges import Ranges
from archdef.exec.tally import Tally
from archdef.frontends import Compiled
from archdef.exec.user_objects import UserObjects
from archdef.host import Host, Launched, Stream
from archdef.run import mapped, names
from archdef.run.module import Module
from archdef.run.pointer import Pointer
from archdef.runtime.api import ATTACH_GLOBAL, STREAM_PER_THREAD, Runtime
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    import numpy as np

    from archdef.exec.cuda_runtime.advice import Advice
    from archdef.exec.wire import Connection
    from archdef.host.conditions import Condition
    from archdef.ptx import ir
    from archdef.run.managed import ManagedArray
    from archdef.run.memory import Memory
    from archdef.run.module import Kernel
    from archdef.run.symbols import Symbol
    from archdef.spec import Architecture

_LOG = logging.getLogger(__name__)
_FIRST_HANDLE: Final = 0x10000
"""Below it lie numbers that mean something of themselves, such as the legacy stream's."""
_HANDLE_STEP: Final = 16
_ASSUMED_CUDA: Final = 12
_FIRST_CUDA_WITH_HANDLES: Final = 13
"""The first major version all of whose runtimes take a cudaKernel_t in place of a function, by cuda_runtime_api.h: those of 12.0 and 12.4 do not, that of
12.9 does. An H100 with CUDA 13 says of a launch of an ordinary function that its handle is not valid."""
_LAST_CALL_SECONDS: Final = 0.5
"""How long a call of another thread may still take when the program has ended, before its devices are stopped."""
_PIECE_BYTES: Final = 1 << 16
"""What is taken at once of the program's memory for what calls give by their addresses."""
_Thing = TypeVar("_Thing")


@attrs.define(eq=False)
class Binary:
    """Device code that the program brought."""

    images: list[bytes]
    """Fat binaries, whose PTX is to be linked."""
    kernels: dict[int, str] = attrs.Factory(dict)
    """Address of the host's stub → the kernel's name in PTX."""
    variables: dict[int, str] = attrs.Factory(dict)
    """Address of the host's shadow → the variable's name in PTX."""
    references: dict[int, tuple[str, bool]] = attrs.Factory(dict)
    """Address of the host's shadow → the texture's or surface's name in PTX, and whether it reads integers as floats."""
    managed: dict[int, str] = attrs.Factory(dict)
    """Address of a pointer of the host → the managed variable's name in PTX, whose address is to stand there."""
    managed_device: int | None = None
    """Number of the device that has the managed variables, once they are placed."""
    modules: dict[int, Module] = attrs.Factory(dict)
    """Number of the device → the module on it."""


class Session:
    """What one process of a program has made. Its devices are its own."""

    def __init__(self, process: int, architectures: Sequence[str | Architecture], **options: Any):
        """options : of each `Device`."""
        self.process, self.memory = process, GuestMemory(process)
        self.output, self.host, self.tally = Output(), Host(), Tally()
        self.host.addresses = mapped.address_space([registry.described(each) for each in architectures])
        self.runtime = Runtime({})
        self.runtime.use(*(Device(each, printf=cast("TextIO", self.output), host=self.host, **options) for each in architectures))
        self.lock = threading.RLock()
        self.helper: Helper | None = None
        self.idle: Idle | None = None
        """What lets streams go on while the program asks for nothing; None: it can not see what kernels do then."""
        self.strings: dict[str, int] = {}
        self.scratch_used = 0
        self.conditions: weakref.WeakValueDictionary[int, Condition] = weakref.WeakValueDictionary()
        """Conditions of graphs that the program has, by the number that kernels take."""
        self.library_kernels: dict[int, Callable[[], Kernel]] = {}
        """Handle of a kernel that the program has loaded by the runtime's functions → what gives it on the current device."""
        self.library_modules: dict[tuple[str, int], Module] = {}
        """Kernels of libraries and number of the device → their module on it."""
        self.cuda: int = _ASSUMED_CUDA
        """Major version of the CUDA that compiled the program: of its device code, or else of the runtime that it was linked with."""
        self.contexts = Contexts(self)
        self.user_objects = UserObjects()
        self.node_lists = NodeLists()
        self._binaries: list[Binary] = []
        self._of_stub: dict[int, Binary] = {}
        self._kernels: dict[tuple[int, int], Kernel] = {}
        """Number of the device, address of the host's stub → the kernel there, of those that were asked for."""
        self.function_handles: dict[Kernel, int] = {}
        """Kernels of the program that it has asked the driver's handles of."""
        self._of_shadow: dict[int, Binary] = {}
        self._of_reference: dict[int, Binary] = {}
        self.described: dict[tuple[int, int], tuple[str, bytes, bytes]] = {}
        """Number of the device, handle of a texture or surface → by which interface and which of its structures the program made it."""
        self._handles: dict[int, Any] = {}
        self._numbers: dict[Any, int] = {}
        self._next = itertools.count(_FIRST_HANDLE, _HANDLE_STEP)
        self._managed: dict[int, ManagedArray] = {}
        self.advice: weakref.WeakKeyDictionary[ManagedArray, Advice] = weakref.WeakKeyDictionary()
        self._managing = threading.RLock()
        """Held from the change of managed memory on the device to that of the program's mapping, so that no other thread gets the address between them."""
        self.unseen: dict[int, ManagedArray] = {}
        """Managed memory that the devices have not had as a whole, by address."""
        devices = self.runtime.devices.all()
        one: Ranges[Pointer] = Ranges()
        self._ranges = {id(device.memory): one if self.host.addresses is not None else Ranges() for device in devices}
        """What is allocated. Without unified addressing an address means another thing on each device."""
        seeing = [device for device in devices if mapped.can_map(device.architecture)]
        self._pinned = HostMemory([device.memory for device in seeing], all(mapped.unified(device.architecture) for device in seeing))
        self._lasting = self._lasting_left = 0
        self._resets: Counter[int] = Counter()
        """How often what devices had was freed, by the identity of their memory."""
        self._tables: dict[str, int] = {}
        """Constants of libraries that the program was given → their address."""
        self.failures = Failures()
        self._ended = False
        self._end_lock = threading.Lock()

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

    def handle_of(self, thing: Any) -> int:
        """Give the number that stands for something: always the same one."""
        with self.lock:
            if thing not in self._numbers:
                self._numbers[thing] = self.handle(thing)
            return self._numbers[thing]

    def found(self, handle: int) -> Any:
        """Give what a number stands for; None if for nothing."""
        return self._handles.get(handle)

    def forget(self, handle: int) -> None:
        """Let a number stand for nothing."""
        self._handles.pop(handle, None)

    def forget_thing(self, thing: Any) -> None:
        """Let the number of something that `handle_of` has numbered stand for nothing."""
        with self.lock:
            self._handles.pop(self._numbers.pop(thing, 0), None)

    def stream(self, handle: int) -> Stream | int | None:
        """Give a stream; 0 to 2 are the runtime's own."""
        thread: Thread | None = getattr(self.output.current, "thread", None)
        if not handle and thread is not None and thread.per_thread:
            return STREAM_PER_THREAD
        return handle or None if handle <= 2 else self.thing(handle, Stream)

    # -------------------------------------------------------------------------------------------------------------- memory
    def allocated(self, pointer: Pointer) -> int:
        """Note device memory, and give its address."""
        with self.lock:
            self._ranges[id(pointer.memory)].add(int(pointer), max(1, pointer.left), pointer)
        return int(pointer)

    def variable(self, pointer: Pointer) -> None:
        """Note a variable of a module as device memory."""
        with self.lock:
            ranges = self._ranges[id(pointer.memory)]
            if ranges.at(int(pointer)) is None:
                ranges.add(int(pointer), max(1, pointer.left), pointer)

    def forget_variable(self, variable: Pointer) -> None:
        """Forget a variable of a module that is no longer loaded."""
        with self.lock:
            self._ranges[id(variable.memory)].remove(int(variable))

    def _on(self, device: int | None = None) -> Ranges[Pointer]:
        """Give what is allocated where addresses are those of a device, or of the current one."""
        return self._ranges[id(self.runtime.device(device).memory)]

    def pointer(self, address: int, device: int | None = None) -> Pointer | None:
        """Give the device memory that an address lies in; None if in none. `device`: whose address it is, the current one's unless said."""
        with self.lock:
            base = self._on(device).at(address)
        base = base if base is not None else self.runtime.pointer_into(address, device)
        return None if base is None else base + (address - int(base))

    def allocation(self, address: int, device: int | None = None) -> Pointer | None:
        """Give the allocation or variable that an address lies in, from its first byte on; None if in none."""
        with self.lock:
            base = self._on(device).at(address)
        return base if base is not None else self.runtime.pointer_into(address, device)

    def is_managed(self, address: int) -> bool:
        """Say whether an address lies in managed memory."""
        base = self.allocation(address)
        return base is not None and int(base) in self._managed

    def managed_at(self, address: int) -> ManagedArray:
        """Give the managed memory that begins at an address. Raises Refusal if none does."""
        found = self._managed.get(address)
        if found is None:
            raise Refusal("InvalidValue", f"no managed memory begins at {address:#x}")
        return found

    def allocate_managed(self, connection: Connection, nbytes: int, flags: int = ATTACH_GLOBAL) -> int:
        """Allocate managed memory and show it to the program, where the device has it; gives the address. Raises Refusal if something else is there."""
        with self._managing:
            array = self.runtime.MallocManaged(nbytes, flags)
            try:
                self._map_managed(connection, array)
            except BaseException:
                self.runtime.Free(array)
                raise
        return array.address

    def _map_managed(self, connection: Connection, array: ManagedArray) -> None:
        descriptor = array.memory.engine.share(array.address)
        if connection.map(array.address, array.nbytes, 0, descriptor) != array.address:
            raise Refusal("MemoryAllocation", f"the program has other memory at {array.address:#x}, where the device has {array.nbytes} managed bytes")
        array.begin_unseen()
        with self.lock:
            self._managed[array.address] = self.unseen[array.address] = array
        self.allocated(Pointer(array.address, array.memory, array.nbytes))

    def see_managed(self) -> None:
        """Note what the program has touched of managed memory, before a launch takes it to the device."""
        with self.lock:
            self.unseen = {address: array for address, array in self.unseen.items() if array.see()}

    def free(self, connection: Connection, address: int, device: int | None = None) -> None:
        """Give device memory back. Raises Refusal if none starts there."""
        managed = self._managed.get(address)
        with self._managing if managed is not None else contextlib.nullcontext():
            with self._forgotten(address, device) as pointer:
                pointer = pointer if pointer is not None else self.runtime.graph_pointer(address, device)
                if pointer is None or address != int(pointer):
                    raise Refusal("InvalidValue", f"{address:#x} was not given by cudaMalloc, or was freed")
                self.runtime.Free(pointer if managed is None else managed)
            if managed is not None:
                connection.unmap(address, managed.nbytes)

    def free_async(self, address: int, stream: Stream | int | None) -> None:
        """Give memory of a pool back behind what a stream has. Raises Refusal, CaptureError."""
        pointer = self.pointer(address)
        if pointer is None:
            raise Refusal("InvalidValue", f"{address:#x} was not given by cudaMallocAsync, or was freed")
        with self._forgotten(address):
            self.runtime.FreeAsync(pointer, stream)

    @contextlib.contextmanager
    def _forgotten(self, address: int, device: int | None = None) -> Iterator[Pointer | None]:
        """Forget what was allocated at an address, before it is given back and another thread gets it; know it again if it is not given back."""
        ranges = self._on(device)
        with self.lock:
            pointer, managed, unseen = ranges.remove(address), self._managed.pop(address, None), self.unseen.pop(address, None)
        try:
            yield pointer
        except BaseException:
            with self.lock:
                for known, array in ((self._managed, managed), (self.unseen, unseen)):
                    if array is not None:
                        known[address] = array
                if pointer is not None:
                    ranges.add(address, max(1, pointer.left), pointer)
            raise

    def reset_device(self, connection: Connection) -> None:
        """Reset the current device, and forget what that has freed."""
        with self._managing:
            self.runtime.DeviceReset()
            self._forget_allocations(connection, self.runtime.device().memory)

    def _forget_allocations(self, connection: Connection, memory: Memory) -> None:
        with self.lock:
            self._ranges[id(memory)].keep(lambda pointer: pointer.memory is not memory)
            self._resets[id(memory)] += 1
            gone = [array for array in self._managed.values() if array.memory is memory]
            for array in gone:
                del self._managed[array.address]
                self.unseen.pop(array.address, None)
        for array in gone:
            connection.unmap(array.address, array.nbytes)

    def resets(self, device: int) -> int:
        """Say how often a device was reset."""
        return self._resets[id(self.runtime.device(device).memory)]

    def host_allocate(self, connection: Connection, nbytes: int, flags: int = 0) -> int:
        """Allocate page-locked memory that the program and archdef both see, and give its address."""
        address = self._pinned.allocate(connection, nbytes, flags)
        self._watch()
        return address

    def lasting(self, connection: Connection, nbytes: int) -> int:
        """Give the address of memory in the program that stays until its end, for what a call gives by its address."""
        with self.lock:
            room = -(-nbytes // 16) * 16
            if self._lasting_left < room:
                self._lasting, self._lasting_left = (self.host_allocate(connection, max(room, _PIECE_BYTES)), max(room, _PIECE_BYTES))
            self._lasting, self._lasting_left, address = self._lasting + room, self._lasting_left - room, self._lasting
            return address

    def table(self, connection: Connection, name: str, data: np.ndarray) -> int:
        """Give the address of constants in the program, in ordinary memory that stays until its end. Raises Refusal."""
        with self.lock:
            if name not in self._tables:
                with open(mapped.shared_file(data.nbytes), "wb") as file:
                    file.write(data.tobytes())
                    file.flush()
                    address = connection.map(0, data.nbytes, 0, file.fileno())
                if not address:
                    raise Refusal("MemoryAllocation", f"the program has no room for {data.nbytes} bytes")
                self._tables[name] = address
            return self._tables[name]

    def host_free(self, connection: Connection, address: int) -> None:
        """Give it back."""
        self._pinned.free(connection, address)

    def host_register(self, address: int, nbytes: int, flags: int = 0) -> None:
        """Note memory of the program that it has page-locked."""
        self._pinned.register(address, nbytes, flags)

    def host_unregister(self, connection: Connection, address: int) -> None:
        """Forget that."""
        self._pinned.unregister(connection, address)

    def host_on_devices(self, connection: Connection, address: int) -> int:
        """Give the address at which kernels see page-locked memory. Raises Refusal if they do not."""
        found = self._pinned.on_devices(connection, self.memory, address)
        self._watch()
        return found

    def note_launch(self, kernel: Kernel, arguments: Sequence[bytes], launched: Launched) -> None:
        """Count a launch, and note whether it was given memory of the host, or of another device."""
        if kernel.module.device.context.peers and self._of_others(kernel.module.device.memory, arguments):
            self.tally.peers[kernel.name] = None
        if self._pinned.seen_by_kernels and self._pinned.given(arguments):
            self.tally.mapped[kernel.name] = None
            self._watch()
        self.tally.launched(launched)

    def _of_others(self, memory: Memory, arguments: Sequence[bytes]) -> bool:
        """Say whether the arguments of a launch have an address in another device's memory than its own."""
        with self.lock:
            found = [self._ranges[id(memory)].at(word) for word in words_of(arguments)]
        return any(pointer is not None and pointer.memory is not memory for pointer in found)

    def host_flags(self, address: int) -> int | None:
        """Give the flags of page-locked memory; None if there is none at an address."""
        return self._pinned.flags(address)

    def _watch(self) -> None:
        """See to it that kernels go on that write to memory of the host, while the program waits for that by reading it."""
        with self.lock:
            if self.idle is None and any(device.memory.shared_with_host for device in self.runtime.devices.all()):
                self.idle = Idle(self)

    def is_registered(self, address: int) -> bool:
        """Say whether the program has page-locked what lies at an address."""
        return self._pinned.is_registered(address)

    def host_view(self, address: int, nbytes: int) -> np.ndarray | None:
        """Give page-locked memory as an array of bytes that are the program's own; None if it is other memory."""
        return self._pinned.view(address, nbytes)

    def host_seen(self, address: int) -> bool:
        """Say whether kernels see page-locked memory that the program has allocated."""
        return self._pinned.is_seen(address)

    def host_range(self, address: int) -> tuple[int, int] | None:
        """Give start and bytes of page-locked memory that kernels see at the program's own address, by an address in it; None if it is other memory."""
        return self._pinned.range_at(address)

    # ------------------------------------------------------------------------------------------------------------- modules
    def inherit(self, parent: Session) -> None:
        """Know the device code that the process which this one was made from by `fork` had registered, by the same handles and addresses."""
        self.cuda, self._next = parent.cuda, itertools.count(next(parent._next), _HANDLE_STEP)      # its other handles stand for nothing here
        known = {id(binary): attrs.evolve(binary, kernels=dict(binary.kernels), variables=dict(binary.variables), references=dict(binary.references),
                                          managed_device=None, modules={}) for binary in list(parent._binaries)}
        self._binaries = list(known.values())
        self._handles = {handle: known[id(thing)] for handle, thing in dict(parent._handles).items() if id(thing) in known}
        for mine, its in ((self._of_stub, parent._of_stub), (self._of_shadow, parent._of_shadow), (self._of_reference, parent._of_reference)):
            mine.update((address, known[id(binary)]) for address, binary in dict(its).items() if id(binary) in known)

    def register(self, wrapper: int) -> int:
        """Read a fat binary of the program, by its wrapper's address, and give its handle."""
        images = fatbin.read(self.memory.get, wrapper)
        self._binaries.append(binary := Binary(images))
        with contextlib.suppress(ArchdefError):     # what cannot be read is said when it is wanted
            self.cuda = max(filter(None, map(fatbin.compiled_for, images)), default=self.cuda)
        return self.handle(binary)

    def register_kernel(self, handle: int, stub: int, name: str) -> None:
        """Note that a stub of the host means a kernel."""
        self.thing(handle, Binary).kernels[stub] = name
        self._of_stub[stub] = self.thing(handle, Binary)
        for number in range(self.runtime.GetDeviceCount()):
            self._kernels.pop((number, stub), None)     # a library may be loaded where another was

    def register_variable(self, handle: int, shadow: int, name: str) -> None:
        """Note that a shadow of the host means a variable."""
        self.thing(handle, Binary).variables[shadow] = name
        self._of_shadow[shadow] = self.thing(handle, Binary)

    def register_managed(self, handle: int, pointer: int, name: str) -> None:
        """Note that a pointer of the host is to have the address of a managed variable."""
        self.thing(handle, Binary).managed[pointer] = name

    def register_reference(self, handle: int, shadow: int, name: str, normalized: bool) -> None:
        """Note that a shadow of the host means a texture or surface reference."""
        self.thing(handle, Binary).references[shadow] = name, normalized
        self._of_reference[shadow] = self.thing(handle, Binary)

    def reference(self, shadow: int, status: str) -> tuple[Module, str, bool]:
        """Give the module of a texture or surface reference, its name, and whether it reads integers as floats. Raises Refusal with a status."""
        if (binary := self._of_reference.get(shadow)) is None:
            raise Refusal(status, f"no texture or surface reference is registered for {shadow:#x}")
        return self.module(binary), *binary.references[shadow]

    def place_managed(self, connection: Connection, handle: int) -> None:
        """Put a binary's managed variables where program and kernels see them, and tell the program. Raises Refusal, FatbinError, PtxError."""
        binary = self.thing(handle, Binary)
        if not binary.managed or binary.managed_device is not None:
            return

        def place(variable: ir.Variable) -> int:
            return self.allocate_managed(connection, max(variable.bytes, 1))
        binary.managed_device = self.runtime.devices.number
        symbols = self.module(binary, place).symbols
        for pointer, name in binary.managed.items():
            self.memory.put_word(pointer, address := symbols[name].address)
            binary.variables[address] = name
            self._of_shadow[address] = binary

    def module(self, binary: Binary, place: Callable[[ir.Variable], int] | None = None) -> Module:
        """Give a binary's module on the current device; it is loaded when first wanted. Raises FatbinError, PtxError.

        place : says where its managed variables lie.
        """
        number, device = self.runtime.devices.number, self.runtime.devices.current
        if binary.managed and number != binary.managed_device:
            raise Refusal("NotSupported", f"device {number} has no __managed__ variables: they are one device's, and the process's that began with them")
        with self.lock:
            if number not in binary.modules:
                major, minor = self.capability
                texts = [fatbin.best_ptx(image, 10 * major + minor) for image in binary.images]
                for text in texts:
                    fatbin.check_version(text)
                _LOG.info("loading %d characters of PTX for %s", sum(map(len, texts)), device.architecture.label)
                names = ["<ptx>"] if len(texts) == 1 else [f"<ptx {part}>" for part in range(1, len(texts) + 1)]
                binary.modules[number] = Module(device, [Compiled(text, name) for text, name in zip(texts, names, strict=True)], place=place)
            return binary.modules[number]

    def kernel(self, stub: int, or_handle: bool = True) -> Kernel:
        """Give the kernel that a stub of the host stands for. Raises Refusal.

        or_handle : whether the call takes handles of kernels, too, in a CUDA that has them: what is no stub is taken for one.
        """
        if (kernel := self._kernels.get((self.runtime.devices.number, stub))) is not None:
            return kernel
        if (kernel_here := self.library_kernels.get(stub)) is not None:
            return kernel_here()
        if (binary := self._of_stub.get(stub)) is None:
            status = "InvalidResourceHandle" if or_handle and self.cuda >= _FIRST_CUDA_WITH_HANDLES else "InvalidDeviceFunction"
            raise Refusal(status, f"no kernel is registered for the function at {stub:#x}")
        kernel = self._kernels[self.runtime.devices.number, stub] = self.module(binary)[binary.kernels[stub]]
        return kernel

    def kernel_name(self, stub: int) -> str | None:
        """Give the name of the kernel that a stub stands for, whether it can be loaded or not; None if it stands for none."""
        binary = self._of_stub.get(stub)
        return None if binary is None else names.readable(binary.kernels[stub])

    def symbol(self, shadow: int) -> Symbol:
        """Give the variable that a shadow of the host stands for. Raises Refusal."""
        if (binary := self._of_shadow.get(shadow)) is None:
            raise Refusal("InvalidSymbol", f"no variable of the device is registered for {shadow:#x}")
        return self.module(binary).symbols[binary.variables[shadow]]

    def end(self) -> None:
        """End what the program has launched and not waited for, as the end of a process of CUDA does, and the ranges that it has left open.
        The memory of its devices is given back."""
        with self._end_lock:
            if not self._ended:
                self._ended = True
                self._end()

    def _end(self) -> None:
        for each in (self.helper, self.idle):
            if each is not None:
                each.end()
        if self.host.lock.acquire(timeout=_LAST_CALL_SECONDS):      # else a thread of the program still waited for a device when it ended
            try:
                self._count()
            finally:
                self.host.lock.release()
        self.tally.give_up()
        self.host.abandoned = True
        self._count()
        self.host.end_ranges()
        if self.host.lock.acquire(timeout=_LAST_CALL_SECONDS):      # else a call of the program does not come to its end
            try:
                self._release()
            finally:
                self.host.lock.release()

    def _release(self) -> None:
        for context in self.host.contexts:
            context.grids.advance(None)     # ends what still runs, now that the host is abandoned
        for device in self.runtime.devices.all():
            device.memory.close()
        self._pinned.close()

    def _count(self) -> None:
        try:
            self.tally.count()
        except ArchdefError as error:
            self.tally.failed.append(str(error))
