"""A simulated device: an architecture with memory, on which modules are compiled and launched."""
from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import attrs
import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from archdef import lower, pack, registry, values
from archdef._deprecation import deprecated
from archdef.engine import core
from archdef.errors import CompileError, DeviceMemoryError, HostError, LaunchError
from archdef.frontends import Options
from archdef.frontends import compile as compile_source
from archdef.host import Event, Host, Stream, current
from archdef.host.link import peers
from archdef.host.pinned import pin
from archdef.host.context import Context, context_of
from archdef.run.array import DeviceArray, dtype_of, host_array, shape_of
from archdef.run.footprint import MemoryMap, memory_map
from archdef.run.managed import ManagedArray
from archdef.run.memory import Memory
from archdef.run.module import Module
from archdef.run.multicast import Multicast
from archdef.run.multicast import multicast as make_multicast
from archdef.run.tensor_map import TensorMap, of_array
from archdef.run.texture import Handle
from archdef.run.texture import sampler as make_sampler
from archdef.run.texture import surface as make_surface
from archdef.run.texture import texture as make_texture
from archdef.spec import Architecture

MAX_INSTRUCTIONS = 10_000_000_000
MAX_CYCLES = 1_000_000_000_000
HEAP_BYTES = 8 << 20
PRINT_BYTES = 1 << 20
MOST_BYTES = 1 << 48
"""Largest heap or print buffer that can be asked for."""


class Device:
    """One simulated GPU: allocates arrays and compiles modules, whose kernels run on its architecture."""

    def __init__(self, architecture: str | Architecture, *, max_instructions: int = MAX_INSTRUCTIONS,
                 max_cycles: int = MAX_CYCLES, printf: TextIO | None = None, heap_bytes: int = HEAP_BYTES,
                 print_bytes: int = PRINT_BYTES, host: Host | None = None, functional: bool | Callable[[str], bool] = False):
        """Make a device.

        architecture                 : the name of an installed one, or a description.
        max_instructions, max_cycles : budgets of each launch, so that a kernel that never ends does end.
        printf                       : a text stream, such as ``sys.stdout``, that gets what each launch printed, at its end;
                                       `Run.printed` has it in any case.
        heap_bytes                   : size of the heap from which kernels allocate; taken from device memory by the first
                                       launch that uses it.
        print_bytes                  : room for what one launch prints; calls past it are counted and lost.
        host                         : the `archdef.host.Host` whose clock its streams follow; None for the process's own.
        functional                   : True: launches are executed without being timed, unless they say otherwise; or what says so for each
                                       of them, by the name of its kernel, when it starts.

        Raises UnknownArchitecture; LaunchError and HostError for options that cannot be.
        """
        self.architecture = registry.described(architecture)
        self.max_instructions = values.whole(max_instructions, "max_instructions", LaunchError, at_least=1)
        self.max_cycles = values.whole(max_cycles, "max_cycles", LaunchError, at_least=1)
        self.heap_bytes = values.whole(heap_bytes, "heap_bytes", LaunchError, at_most=MOST_BYTES)
        self.print_bytes = values.whole(print_bytes, "print_bytes", LaunchError, at_most=MOST_BYTES)
        if printf is not None and not callable(getattr(printf, "write", None)):
            raise LaunchError(f"printf must be a text stream such as sys.stdout, or None, got {values.shown(printf)}")
        if host is not None and not isinstance(host, Host):
            raise HostError(f"host must be an archdef.host.Host, or None, got {values.shown(host)}")
        self.printf, self._host = printf, host
        self._functional = functional if callable(functional) else values.flag(functional, "functional", LaunchError)
        self.served: set[int] = set()
        """System calls of the kernels that were launched."""
        self.modules: weakref.WeakSet[Module] = weakref.WeakSet()
        """Modules that were compiled for it."""

    def executes_only(self, kernel: str) -> bool:
        """Say whether a launch of a kernel that starts now is executed without being timed. It counts for what says so."""
        return self._functional(kernel) if callable(self._functional) else self._functional

    def set_machine(self, changed: dict[str, Any]) -> None:
        """Change fields of the description for every later launch."""
        self.architecture = self.architecture.evolve(changed)
        for derived in ("machine", "tables"):
            self.__dict__.pop(derived, None)
        for module in self.modules:
            module.forget()

    def beside(self, architecture: Architecture) -> Device:
        """Make a device of another description with the memory of this one; what kernels print on it is shown nowhere."""
        other = Device(architecture, max_instructions=self.max_instructions, max_cycles=self.max_cycles, heap_bytes=self.heap_bytes,
                       print_bytes=self.print_bytes, host=self._host)
        other.__dict__["memory"] = self.memory
        return other

    @functools.cached_property
    def memory(self) -> Memory:
        """Device memory; it survives faults."""
        return Memory(self.architecture.dram.capacity_bytes, self.architecture, self._host)

    @functools.cached_property
    def machine(self) -> dict[str, Any]:
        """The description in the engine's terms."""
        return pack.machine_tables(self.architecture)

    @functools.cached_property
    def tables(self) -> core.Tables | dict[str, Any]:
        """The same as the engine reads it, for all its sessions; policies of plugins begin anew in each, so with some it stays as it is."""
        return self.machine if self.machine.get("policies") else core.Tables(self.machine)

    @property
    def memory_map(self) -> MemoryMap:
        """Shares of device memory now, while nothing runs; `Run.memory_map` has those of a launch."""
        return memory_map(self.architecture, global_bytes=self.memory.taken("global"), constant_bytes=self.memory.taken("constant"))

    # ---------------------------------------------------------------------------------------------------------- arrays
    def to_device(self, array: ArrayLike) -> DeviceArray:
        """Copy a numpy array (or what makes one) to the device."""
        array = host_array(array)
        return DeviceArray(self.memory, array.shape, array.dtype).copy_from_host(array)

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = "f4") -> DeviceArray:
        """Allocate an array without setting its contents."""
        return DeviceArray(self.memory, shape, dtype)

    def empty_like(self, array: ArrayLike | DeviceArray) -> DeviceArray:
        """Allocate an array of the shape and dtype of another, on the device or not."""
        if not isinstance(array, DeviceArray):
            array = host_array(array)
        return DeviceArray(self.memory, array.shape, array.dtype)

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike = "f4") -> DeviceArray:
        """Allocate an array of zeros."""
        return DeviceArray(self.memory, shape, dtype).zero()

    # --------------------------------------------------------------------------------------------------------- streams
    @property
    def context(self) -> Context:
        """The device's half of the host model; the first use of it puts the device on the host's clock."""
        return context_of(self.memory)

    @property
    @deprecated(since="0.1", removed="0.2", instead="Device.context")
    def side(self) -> Context:
        """The device's `context`, by its old name."""
        return self.context

    @property
    def streams_in_use(self) -> bool:
        """Whether the host model is in use: from the first stream, event or asynchronous call on."""
        return "memory" in self.__dict__ and self.memory.context is not None

    @property
    def host(self) -> Host:
        """The host: its clock and its timeline."""
        if self._host is None:
            self._host = current()
        return self._host

    def stream(self, blocking: bool = True, label: str | None = None) -> Stream:
        """Make a stream: pass it to launches (``kernel[grid, block, shared_bytes, stream]``) and copies.

        blocking : whether it and the default stream wait for each other.
        """
        if label is not None:
            values.text(label, "the label of a stream", HostError)
        return self.context.stream(values.flag(blocking, "blocking", HostError), label)

    @property
    def default_stream(self) -> Stream:
        """The stream of everything that names none; it and all blocking streams wait for each other."""
        return self.context.default

    @property
    def per_thread_stream(self) -> Stream:
        """The calling thread's own default stream: a blocking stream like any other."""
        return self.context.per_thread()

    def event(self, label: str = "event", timing: bool = True) -> Event:
        """Make an event, to be recorded by `Stream.record`."""
        return Event(label, timing)

    def synchronize(self) -> None:
        """Wait for all streams. Raises what went wrong in them, with the kernel's own message."""
        if self.streams_in_use:
            self.context.synchronize()

    def pinned(self, array_or_shape: np.ndarray | int | tuple[int, ...], dtype: DTypeLike = "f4") -> np.ndarray:
        """Give page-locked host memory: an array of a shape, or a copy of an array. Copies from and to it do not block the host."""
        if isinstance(array_or_shape, np.ndarray):
            return pin(np.array(array_or_shape, order="C"))
        shape, kind = shape_of(array_or_shape), dtype_of(dtype)
        try:
            return pin(np.zeros(shape, kind))
        except (MemoryError, ValueError) as error:  # more than the computer has, or than an array can hold
            raise DeviceMemoryError(f"out of host memory: {kind}[{', '.join(map(str, shape))}] asked", "capacity") from error

    def managed(self, array_or_shape: np.ndarray | int | tuple[int, ...], dtype: DTypeLike = "f4") -> ManagedArray:
        """Give memory that kernels and the host both use: zeros of a shape, or a copy of an array; its pages move where they are touched.

        Raises HostError where the machine has none (`host_link.managed`).
        """
        if isinstance(array_or_shape, np.ndarray):
            array = host_array(array_or_shape)
            return ManagedArray(self.memory, array.shape, array.dtype).copy_from_host(array)
        return ManagedArray(self.memory, array_or_shape, dtype)

    def can_access_peer(self, other: Device) -> bool:
        """Say whether copies between two devices can go directly."""
        _device(other)
        return self is not other and peers(self.architecture, other.architecture) is not None

    def enable_peer(self, other: Device) -> None:
        """Copy directly from and to another device from now on. Raises HostError where that can not be."""
        self.context.enable_peer(_device(other).context)

    # -------------------------------------------------------------------------------------------------------- textures
    def texture(self, array: DeviceArray, *, filter: str = "point", address: str | Sequence[str] = "clamp",
                normalized: bool = False, read: str = "element", layered: bool = False, cube: bool = False, channels: int = 1,
                layout: str = "array", width: int | None = None) -> Handle:
        """Make a texture of a device array, to be passed to kernels as a texture object.

        array      : 8, 16 or 32-bit integers, half or single precision; axes slices, rows, columns, then channels if there are
                     more than one; layers or faces of cubes come first. Fetches read what it holds at the launch.
        filter     : ``point``, or ``linear`` with weights of 8 fractional bits.
        address    : coordinates out of range: ``clamp``, ``border`` (zero), and for normalized ones ``wrap`` and ``mirror``, which
                     otherwise clamp; one for all axes, or one for each, x first.
        normalized : coordinates run from 0 to 1.
        read       : ``element``, or ``normalized_float``: 8 and 16-bit integers as -1 … 1 or 0 … 1.
        layered    : the first axis counts layers.
        cube       : the first axis counts faces, +x -x +y -y +z -z.
        layout     : ``array``: caches see rows and columns in tiles; ``linear`` memory of one axis; ``pitch``: rows as they lie.
        width      : columns of each row that belong to the texture; None for all.

        Raises LaunchError for what hardware has not, such as linear filtering of integers.
        """
        return make_texture(self.memory, array, filter=filter, address=address, normalized=normalized, read=read,
                            layered=layered, cube=cube, channels=channels, layout=layout, width=width)

    def surface(self, array: DeviceArray, *, layered: bool = False, channels: int = 1, layout: str = "array",
                width: int | None = None) -> Handle:
        """Make a surface of a device array, to be passed to kernels as a surface object.

        The first coordinate of surface accesses counts bytes. What happens out of range is the instruction's choice: trap, clamp
        or zero. Parameters are those of `texture`. Raises LaunchError.
        """
        return make_surface(self.memory, array, layered=layered, channels=channels, layout=layout, width=width)

    def tensor_map(self, array: DeviceArray, *, box: Sequence[int] | None = None, lower: Sequence[int] | None = None,
                   upper: Sequence[int] | None = None, channels: int | None = None, pixels: int | None = None, type: str | None = None,
                   shape: Sequence[int] | None = None, strides: Sequence[int] | None = None, element_strides: Sequence[int] | None = None,
                   interleave: int = 0, swizzle: int = 0, oob_fill: str = "zero", l2_promotion: int = 0) -> TensorMap:
        """Describe a device array for copies by ``cp.async.bulk.tensor``: as ``cuTensorMapEncodeTiled`` does, or ``…Im2col``.

        Lists begin with the dimension whose elements lie side by side, the last one of numpy's. The map is a launch's argument (of
        128 bytes by value); `bytes` gives its contents.

        box                                   : elements that a copy spans, of a map of tiles.
        lower, upper, channels, pixels        : corners of the box of pixels, and how much of it a copy takes, of a map of pixels.
        type                                  : of an element, if not numpy's: one of ``bf16``, ``tf32``, ``f32_ftz`` …
        shape, strides                        : extents, and bytes from the second dimension on; by default the array's.
        element_strides                       : of so many elements in a dimension one is copied.
        interleave, swizzle, l2_promotion     : 0, or 16, 32; 32, 64, 128; 64, 128, 256 bytes.
        oob_fill                              : ``zero`` or ``nan``, what elements outside the array are.
        """
        return of_array(array, box=box, lower=lower, upper=upper, channels=channels, pixels=pixels, type=type, shape=shape, strides=strides,
                        element_strides=element_strides, interleave=interleave, swizzle=swizzle, oob_fill=oob_fill, l2_promotion=l2_promotion)

    def multicast(self, array: DeviceArray) -> Multicast:
        """Map an array at a multicast address too, as an object made by ``cuMulticastCreate`` with this device as its only member does.

        The result is a launch's argument: ``multimem`` instructions take its address, and nothing else does. It lasts as long as it is held.
        Raises LaunchError where the machine has no ``multimem``.
        """
        return make_multicast(self.architecture, self.memory, array)

    def sampler(self, *, filter: str = "point", address: str | Sequence[str] = "clamp", normalized: bool = False) -> Handle:
        """Make a sampler, for code that keeps textures and samplers apart. Parameters are those of `texture`."""
        return make_sampler(self.memory, filter=filter, address=address, normalized=normalized)

    # --------------------------------------------------------------------------------------------------------- modules
    def compile(self, source: Any, options: Options | None = None, *, lowering: lower.Options | None = None, **changed: Any) -> Module:
        """Compile for this device: a ``.cu`` or ``.ptx`` file or the text of one, a Numba CUDA function, a Triton kernel.

        A list of sources is linked into one module.

        options  : compiler options. Without a target in them the code is compiled for the newest that the machine's compute
                   capability takes, or the oldest there is; without fused multiply-adds where the machine has none.
        changed  : single options, by name: ``compiler="nvcc"``, ``signature="void(float32[:])"``, ``registers="ptxas"``; what
                   is no field of `Options` goes to the front end (``num_warps=4``).
        lowering : an `archdef.lower.Options`: what archdef itself does to the PTX, such as predicating short branches; None
                   for all that the machine's own compiler would do.

        Raises CompileError, PtxError.
        """
        if options is not None and not isinstance(options, Options):
            raise CompileError(f"options must be archdef.Options, got {values.shown(options)}")
        if lowering is not None and not isinstance(lowering, lower.Options):
            raise CompileError(f"lowering must be archdef.lower.Options, got {values.shown(lowering)}")
        options = (options or Options()).changed(**changed)
        options = attrs.evolve(options, capability=options.capability or self.architecture.compute_capability)
        if "fp32_fma" not in self.architecture.isa.features:
            options = attrs.evolve(options, fused_multiply_add=False)
        if options.debug:
            lowering = attrs.evolve(lowering or lower.Options(), debug=True)
        if not isinstance(source, (list, tuple)):
            return Module(self, [compile_source(source, options)], options.registers, lowering)
        if len(source) > 1:  # functions and variables of one source may be used in another
            options = attrs.evolve(options, extra=(*options.extra, "--relocatable-device-code=true"))
        if not source:
            raise CompileError("no source to compile")
        return Module(self, [compile_source(one, options) for one in source], options.registers, lowering)

    def __repr__(self) -> str:
        return f"<Device {values.cut(self.architecture.label, 200)}>"


def _device(other: Any) -> Device:
    if not isinstance(other, Device):
        raise HostError(f"a peer is another archdef.Device, got {values.shown(other)}")
    return other
