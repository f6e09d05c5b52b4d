"""The runtime, once, without a vocabulary: `names.py` gives it the names that users know."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from archdef import values
from archdef.device import Device
from archdef.errors import DeviceMemoryError, HostError, LaunchError
from archdef.host import Event, Launched, Node, Stream
from archdef.host.context import Context, context_of
from archdef.host.multi_device import launch_together
from archdef.host.pinned import HostBytes
from archdef.occupancy import blocks_allowed, occupancy
from archdef.run import device_limits
from archdef.run.array import DeviceArray, host_array
from archdef.run.launch import Launcher
from archdef.run.managed import ManagedArray
from archdef.run.memory import Memory
from archdef.run.module import Kernel, Module
from archdef.run.pointer import Pointer
from archdef.run.symbols import Symbol
from archdef.run.tensor_map import (
    DRIVER_TYPES, INTERLEAVES, PROMOTIONS, SWIZZLES, Layout, TensorMap, encode_pixels, encode_tiles)
from archdef.runtime.arrays import Arrays
from archdef.runtime.conditions import ConditionCalls
from archdef.runtime.devices import Devices
from archdef.runtime.ends import DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, End, Source, check_kind, host_end
from archdef.runtime.graph_memory import GraphMemoryCalls
from archdef.runtime.graph_tools import GraphToolCalls
from archdef.runtime.graphs import GraphCalls
from archdef.runtime.launch_calls import LaunchCalls
from archdef.runtime.page_locked import PageLocked
from archdef.runtime.pitched import Pitched
from archdef.runtime.pools import PoolCalls
from archdef.runtime.stream_calls import DeviceCalls, StreamCalls
from archdef.run.properties import ATTRIBUTES, DeviceProperties
from archdef.runtime.status import STATUS, Refusal
from archdef.runtime.textures import Textures
from archdef.runtime.virtual_memory import VirtualMemoryCalls
from archdef.spec import Architecture

STREAM_LEGACY, STREAM_PER_THREAD = 1, 2
NON_BLOCKING = 1
BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS = 1, 2, 4
CPU_DEVICE = -1
ATTACH_GLOBAL, ATTACH_HOST = 1, 2
READ_MOSTLY, NOT_READ_MOSTLY = 1, 2
NO_PRE_SYNC, NO_POST_SYNC = 1, 2


def _encoded(encode: Callable[..., bytes], *arguments: Any) -> bytes:
    try:
        return encode(*arguments)
    except LaunchError as error:
        raise Refusal("InvalidValue", str(error)) from None


class Runtime(Pitched, Arrays, Textures, PageLocked, GraphCalls, GraphToolCalls, GraphMemoryCalls, PoolCalls,
              VirtualMemoryCalls, ConditionCalls, LaunchCalls, StreamCalls, DeviceCalls):
    """Devices, streams, memory and launches in the runtime's way. Methods carry the runtime's names without prefix."""

    def __init__(self, also: dict[str, str], whole_shared: bool = False):
        """also, whole_shared : how properties differ from CUDA's; see `DeviceProperties`."""
        super().__init__()
        self.devices = Devices()
        self._also, self._whole_shared = also, whole_shared
        self._allocated: dict[tuple[int, int], int] = {}
        self._modules: dict[tuple[int, int], tuple[Module, Module]] = {}
        self.per_thread = False
        """Whether no stream means the thread's own one, as if compiled with ``--default-stream per-thread``."""

    # ----------------------------------------------------------------------------------------------------------- devices
    def use(self, *devices: Device | str | Architecture) -> tuple[Device, ...]:
        """Say which devices this runtime has: names of architectures, descriptions or `Device` objects, numbered from 0."""
        self._allocated.clear()
        self._modules.clear()
        self._reservations.clear()
        return self.devices.use(*devices)

    def device(self, number: int | None = None) -> Device:
        """Give the `Device` behind a number, or the current one."""
        return self.devices.current if number is None else self.devices[number]

    def default_stream_per_thread(self, on: bool = True) -> None:
        """Let no stream mean the thread's own default stream instead of the legacy one."""
        self.per_thread = on

    def GetDeviceCount(self) -> int:
        """Count the devices."""
        return len(self.devices.all())

    def SetDevice(self, device: int) -> None:
        """Make a device the calling thread's current one."""
        self.devices.number = device

    def GetDevice(self) -> int:
        """Give the current device's number."""
        return self.devices.number

    def GetDeviceProperties(self, device: int | None = None) -> DeviceProperties:
        """Describe a device; the current one if none is named."""
        return DeviceProperties(self.device(device).architecture, self._also, self._whole_shared)

    def DeviceGetAttribute(self, attribute: str | int, device: int | None = None) -> int:
        """Give one attribute, by name (``MaxThreadsPerBlock``, with or without the vocabulary's prefix) or number."""
        if not isinstance(attribute, str):
            name = next((n for n, (number, _) in ATTRIBUTES.items() if number == attribute), None)
        else:
            name = next((n for n in ATTRIBUTES if attribute == n or attribute.endswith("DevAttr" + n)), None)
        if name is None:
            raise Refusal("InvalidValue", f"no such device attribute: {values.shown(attribute)}")
        return self.GetDeviceProperties(device).attribute(name)

    def DeviceSetLimit(self, limit: int, value: int) -> None:
        """Set a limit of the current device: stack of a thread, buffer of printf, heap, depth of synchronisation, pending launches."""
        device_limits.put(self.devices.current, limit, value)

    def DeviceGetLimit(self, limit: int) -> int:
        """Give a limit of the current device."""
        found = device_limits.get(self.devices.current)
        if limit not in found:
            raise Refusal("UnsupportedLimit", f"{self.devices.current.architecture.label} has no limit {limit}")
        return found[limit]

    def DeviceSynchronize(self) -> None:
        """Wait for everything on the current device."""
        self.devices.current.context.synchronize()

    def DeviceReset(self) -> None:
        """Free what the current device has been given, forget its error, and let its modules' variables be as when they were loaded."""
        device = self.devices.current
        with contextlib.suppress(Exception):        # forgetting it is what a reset is for
            device.context.drain()
        for capture in list(device.context.captures):
            capture.leave()
        for number, address in [key for key in self._allocated if key[0] == id(device.memory)]:
            del self._allocated[number, address]
            device.memory.free(address)
        self._destroy_objects(device.memory)
        self._free_arrays(device.memory)
        self._forget_pools(device.memory)
        for images in list(device.memory.images):
            images.reset()

    def DeviceCanAccessPeer(self, device: int, peer: int) -> bool:
        """Say whether one device can reach the memory of another directly."""
        return self.devices[device].can_access_peer(self.devices[peer])

    def DeviceEnablePeerAccess(self, peer: int, flags: int = 0) -> None:
        """Let the current device reach the memory of another directly."""
        device, other = self.devices.current, self.devices[peer]
        if not device.can_access_peer(other):
            raise Refusal("PeerAccessUnsupported", f"{device.context.label} can not reach {other.context.label}")
        if other.context.number in device.context.peers:
            raise Refusal("PeerAccessAlreadyEnabled", f"{device.context.label} reaches {other.context.label} already")
        device.enable_peer(other)

    def DeviceDisablePeerAccess(self, peer: int) -> None:
        """Take peer access back."""
        device, other = self.devices.current, self.devices[peer]
        if other.context.number not in device.context.peers:
            raise Refusal("PeerAccessNotEnabled", f"{device.context.label} has no access to {other.context.label}")
        device.context.disable_peer(other.context)

    # ------------------------------------------------------------------------------------------------------------ memory
    def Malloc(self, size: int) -> Pointer:
        """Allocate device memory on the current device."""
        if size < 0:
            raise Refusal("InvalidValue", f"{size} bytes")
        self._unsafe("Malloc")
        memory = self._memory(self.devices.current)
        address = memory.allocate(max(1, size))
        self._allocated[id(memory), address] = size
        return Pointer(address, memory, size)

    def Free(self, pointer: Pointer | ManagedArray | None) -> None:
        """Wait for the device, and give memory back. None or 0 does nothing."""
        if pointer is None or isinstance(pointer, int) and not pointer:
            return
        self._unsafe("Free")
        memory: Any = getattr(pointer, "memory", None)
        if self._in_graph(pointer):
            self._free_of_graph(pointer, None)
            return
        address: Any = pointer.address if isinstance(pointer, ManagedArray) else pointer
        if isinstance(address, int) and self._free_pooled(memory, int(address)):
            return
        if not isinstance(address, int) or self._allocated.pop((id(memory), int(address)), None) is None:
            raise Refusal("InvalidValue", f"{values.shown(address)} was not given by Malloc, or was freed")
        context = memory.context
        context.host.wait("free", list(context.holding), [])
        memory.free(int(address))

    def MemGetInfo(self) -> tuple[int, int]:
        """Give the free and the total bytes of the current device."""
        memory = self.devices.current.memory
        return memory.engine.free_bytes, memory.engine.capacity

    def MallocManaged(self, size: int, flags: int = ATTACH_GLOBAL) -> ManagedArray:
        """Allocate memory that kernels and the host both use, on the current device: an array of bytes; ``.view(dtype)`` reads it as
        something else."""
        managed = self.devices.current.context.link.managed
        if flags != ATTACH_GLOBAL and (flags != ATTACH_HOST or managed is None or managed.fault_us is None):     # with faults, both use it at once anyway
            raise Refusal("NotSupported" if flags == ATTACH_HOST else "InvalidValue", f"managed memory with the flags {flags}")
        if size < 1:
            raise Refusal("InvalidValue", f"{size} bytes")
        context, memory = self.devices.current.context, self._memory(self.devices.current)
        if context.link.managed is None:
            raise Refusal("NotSupported", f"{context.label} has no managed memory: it declares no host_link.managed")
        if size > memory.engine.capacity:
            raise Refusal("MemoryAllocation", f"{size} bytes of managed memory asked, the device has {memory.engine.capacity}")
        array = ManagedArray(memory, size, "u1")
        self._allocated[id(memory), array.address] = size
        return array

    def MemPrefetchAsync(self, array: ManagedArray, count: int | None = None, device: int | None = None, stream: Stream | int | None = None) -> None:
        """Move the first bytes of managed memory to its device, or to the host (``CpuDeviceId``), in a stream."""
        context = self._managed(array)
        to_host = self._side_meant(array, device)
        if context.link.managed is None or context.link.managed.fault_us is None:
            raise Refusal("InvalidDevice", f"{context.label} does not prefetch managed memory: its device has no page faults")
        count = array.nbytes if count is None else count
        self._check_count(count, array.nbytes)
        array.prefetch(self._stream(stream, context), to_host=to_host, nbytes=count)

    def MemAdvise(self, array: ManagedArray, count: int | None, advice: int, device: int | None = None) -> None:
        """Say how managed memory will be used: 1 sets and 2 unsets that it is mostly read. The others would let a side reach what stays on
        the other, which is not simulated."""
        context = self._managed(array)
        self._side_meant(array, device)
        if count not in (None, array.nbytes):
            raise Refusal("NotSupported", f"advice for {count} of {array.nbytes} bytes: it counts for the whole allocation here")
        if advice not in (READ_MOSTLY, NOT_READ_MOSTLY):
            known = advice in range(READ_MOSTLY, 7)
            raise Refusal("NotSupported" if known else "InvalidValue",
                          f"advice {advice}: neither host nor device reaches memory that stays with the other here")
        if context.link.managed is None or context.link.managed.fault_us is None:
            raise Refusal("InvalidDevice", f"{context.label} takes no advice on managed memory: its device has no page faults")
        array.read_mostly(advice == READ_MOSTLY)

    def Memcpy(self, dst: End, src: Source, count: int | None = None, kind: int = DEFAULT) -> None:
        """Copy bytes and wait; `dst` and `src` are pointers, device arrays or numpy arrays; `count` None: all of the shorter."""
        self._copy(dst, src, count, kind, None, wait=True)

    def MemcpyAsync(self, dst: End, src: Source, count: int | None = None, kind: int = DEFAULT, stream: Stream | int | None = None) -> None:
        """Put a copy into a stream. Ordinary host memory makes the call wait, as it does in CUDA."""
        self._copy(dst, src, count, kind, stream, wait=False)

    def MemcpyPeer(self, dst: End, dst_device: int, src: Source, src_device: int, count: int | None = None) -> None:
        """Copy between devices and wait."""
        self._peer(dst, dst_device, src, src_device)
        self._copy(dst, src, count, DEVICE_TO_DEVICE, None, wait=True)

    def MemcpyPeerAsync(self, dst: End, dst_device: int, src: Source, src_device: int, count: int | None = None, stream: Stream | int | None = None) -> None:
        """Put a copy between devices into a stream of either."""
        self._peer(dst, dst_device, src, src_device)
        self._copy(dst, src, count, DEVICE_TO_DEVICE, stream, wait=False)

    def Memset(self, pointer: Pointer | DeviceArray, value: int, count: int | None = None) -> None:
        """Set bytes of device memory. As CUDA's it does not wait."""
        self.MemsetAsync(pointer, value, count, None)

    def MemsetAsync(self, pointer: Pointer | DeviceArray, value: int, count: int | None = None, stream: Stream | int | None = None, width: int = 1) -> None:
        """Set bytes of device memory in a stream.

        width : bytes of `value`: 1, 2 or 4, as the driver's calls can set.
        """
        if width not in (1, 2, 4):
            raise Refusal("InvalidValue", f"values of {width} bytes; 1, 2 and 4 can be set")
        memory, address, left = self._device_end(pointer)
        count = left if count is None else count
        self._check_count(count, left)
        if count % width:
            raise Refusal("InvalidValue", f"{count} bytes are no whole number of values of {width}")
        if count:
            self.check_written(address, count)
            memory.context.fill(address, count, value & (1 << 8 * width) - 1, self._stream(stream), width)

    # ---------------------------------------------------------------------------------------------------------- variables
    def MemcpyToSymbol(self, symbol: Symbol, src: Source, count: int | None = None, offset: int = 0, kind: int = HOST_TO_DEVICE) -> None:
        """Copy bytes into a variable of a module, from `offset` on, and wait; `count` None: all that `src` has."""
        self._copy(self._place_in(symbol, offset), src, *self._of_symbol(src, count, kind, HOST_TO_DEVICE), None, wait=True)

    def MemcpyToSymbolAsync(self, symbol: Symbol, src: Source, count: int | None = None, offset: int = 0, kind: int = HOST_TO_DEVICE,
                            stream: Stream | int | None = None) -> None:
        """Put a copy into a variable of a module into a stream."""
        self._copy(self._place_in(symbol, offset), src, *self._of_symbol(src, count, kind, HOST_TO_DEVICE), stream, wait=False)

    def MemcpyFromSymbol(self, dst: End, symbol: Symbol, count: int | None = None, offset: int = 0, kind: int = DEVICE_TO_HOST) -> None:
        """Copy bytes out of a variable of a module, from `offset` on, and wait; `count` None: all that `dst` takes."""
        self._copy(dst, self._place_in(symbol, offset), *self._of_symbol(dst, count, kind, DEVICE_TO_HOST), None, wait=True)

    def MemcpyFromSymbolAsync(self, dst: End, symbol: Symbol, count: int | None = None, offset: int = 0, kind: int = DEVICE_TO_HOST,
                              stream: Stream | int | None = None) -> None:
        """Put a copy out of a variable of a module into a stream."""
        self._copy(dst, self._place_in(symbol, offset), *self._of_symbol(dst, count, kind, DEVICE_TO_HOST), stream, wait=False)

    def GetSymbolAddress(self, symbol: Symbol) -> Pointer:
        """Give a pointer to a variable of a module, on the current device."""
        return self._place_in(symbol, 0)

    def GetSymbolSize(self, symbol: Symbol) -> int:
        """Give the bytes of a variable of a module."""
        return self._place_in(symbol, 0).left

    def ModuleGetGlobal(self, module: Module, name: str) -> tuple[Pointer, int]:
        """Give a pointer to a variable of a module, and its bytes, by name. It lies on the module's device."""
        if not isinstance(module, Module):
            raise Refusal("InvalidResourceHandle", f"{values.shown(module)} is no module; {self.devices.current!r}.compile(source) gives one")
        symbol = module.symbols[name]
        return Pointer(symbol.address, symbol.memory, symbol.nbytes), symbol.nbytes

    # ------------------------------------------------------------------------------------------------------- tensor maps
    def TensorMapEncodeTiled(self, type: int, rank: int, address: DeviceArray | Pointer | int, dims: Sequence[int], strides: Sequence[int],
                             box: Sequence[int], element_strides: Sequence[int], interleave: int = 0, swizzle: int = 0, promotion: int = 0,
                             fill: int = 0) -> TensorMap:
        """Make a map of tiles; types and modes are the driver's numbers."""
        layout = self._layout(type, rank, address, dims, strides, element_strides, (interleave, swizzle, promotion, fill))
        return TensorMap(_encoded(encode_tiles, layout, box))

    def TensorMapEncodeIm2col(self, type: int, rank: int, address: DeviceArray | Pointer | int, dims: Sequence[int], strides: Sequence[int],
                              lower: Sequence[int], upper: Sequence[int], channels: int, pixels: int, element_strides: Sequence[int],
                              interleave: int = 0, swizzle: int = 0, promotion: int = 0, fill: int = 0) -> TensorMap:
        """Make a map of pixels; types and modes are the driver's numbers."""
        layout = self._layout(type, rank, address, dims, strides, element_strides, (interleave, swizzle, promotion, fill))
        return TensorMap(_encoded(encode_pixels, layout, lower, upper, channels, pixels))

    def _layout(self, type: int, rank: int, address: DeviceArray | Pointer | int, dims: Sequence[int], strides: Sequence[int],
                element_strides: Sequence[int], modes: tuple[int, int, int, int]) -> Layout:
        """Read the driver's numbers."""
        found: list[Any] = []
        for what, number, known in zip(("data type", "interleave", "swizzle", "L2 promotion", "fill"), (type, *modes),
                                       (DRIVER_TYPES, INTERLEAVES, SWIZZLES, PROMOTIONS, (False, True))):
            if number not in range(len(known)):
                raise Refusal("InvalidValue", f"{what} of a tensor map: 0 to {len(known) - 1}, got {values.shown(number)}")
            found.append(known[number])
        if rank != len(dims):
            raise Refusal("InvalidValue", f"a tensor of {rank!r} dimensions has as many extents, got {len(dims)}")
        place = address.address if isinstance(address, DeviceArray) else address
        kind, slices, lines, l2, nan = found
        return Layout(kind, place, tuple(dims), tuple(strides), tuple(element_strides), slices, lines, bool(nan), l2)

    # ----------------------------------------------------------------------------------------------------------- streams
    def StreamCreate(self) -> Stream:
        """Make a stream on the current device."""
        return self.devices.current.stream()

    def StreamCreateWithFlags(self, flags: int) -> Stream:
        """Make a stream; with the flag 1 it and the legacy default stream do not wait for each other."""
        if flags & ~NON_BLOCKING:
            raise Refusal("InvalidValue", f"stream flags {flags}")
        return self.devices.current.stream(blocking=not flags & NON_BLOCKING)

    def StreamDestroy(self, stream: Stream) -> None:
        """Give a stream up; what it still has to do is done."""
        self._stream(stream)

    def StreamSynchronize(self, stream: Stream | int | None = None) -> None:
        """Wait for a stream."""
        self._stream(stream).synchronize()

    def StreamQuery(self, stream: Stream | int | None = None) -> bool:
        """Say whether a stream has done all its work by now."""
        return self._stream(stream).done

    def LaunchHostFunc(self, stream: Stream | int | None, function: Callable[..., object], *arguments: Any, issued: Callable[[], None] | None = None) -> None:
        """Call a host function when the stream has done what it has so far; `issued` is called when a stream takes it."""
        self._stream(stream).call(function, *arguments, issued=issued)

    # ------------------------------------------------------------------------------------------------------------ events
    def EventCreate(self) -> Event:
        """Make an event."""
        return Event()

    def EventCreateWithFlags(self, flags: int) -> Event:
        """Make an event; with the flag 2 without timing."""
        if flags & ~(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) or flags & INTERPROCESS and not flags & DISABLE_TIMING:
            raise Refusal("InvalidValue", f"event flags {flags}")
        return Event(timing=not flags & DISABLE_TIMING)

    def EventDestroy(self, event: Event) -> None:
        """Give an event up."""
        self._event(event)

    def EventRecord(self, event: Event, stream: Stream | int | None = None) -> None:
        """Record an event in a stream."""
        self._stream(stream).record(self._event(event))

    def EventSynchronize(self, event: Event) -> None:
        """Wait for the last record of an event."""
        self._event(event).synchronize()

    def EventQuery(self, event: Event) -> bool:
        """Say whether the last record of an event was reached by now."""
        return self._event(event).done

    def EventElapsedTime(self, start: Event, end: Event) -> float:
        """Give the milliseconds between two events."""
        for event in (start, end):
            if (operation := self._event(event).operation) is None or not event.timing:
                raise Refusal("InvalidResourceHandle", f"{values.shown(event)} was never recorded, or made without timing")
            with operation.context.host.lock:
                operation.context.host.catch_up()
            if not operation.over:
                raise Refusal("NotReady", f"{values.shown(event)} has not been reached yet")
        return end.elapsed_since(start) * 1e3

    # ---------------------------------------------------------------------------------------------------------- launches
    def LaunchKernel(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any] = (), shared_bytes: int = 0,
                     stream: Stream | int | None = None) -> Launched | Node:
        """Put a kernel into a stream of the current device; it is compiled anew for a device that it was not compiled for."""
        return self._launch(kernel, grid, block, arguments, shared_bytes, stream, cooperative=False)

    def LaunchCooperativeKernel(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any] = (), shared_bytes: int = 0,
                                stream: Stream | int | None = None) -> Launched | Node:
        """Put a kernel into a stream whose whole grid may synchronise: every block must be resident at once."""
        return self._launch(kernel, grid, block, arguments, shared_bytes, stream, cooperative=True)

    def LaunchCooperativeKernelMultiDevice(self, launches: Sequence[Sequence[Any]], flags: int = 0) -> list[Launched]:
        """Launch one kernel cooperatively on several devices; its grids may wait for each other (``this_multi_grid().sync()``).

        launches : of each device ``(kernel, grid, block, arguments, shared_bytes, stream)``; same kernel, grid, block and shared
                   memory, each stream of another device and none a default stream. Their order is that of the grids' ranks.
        flags    : ``CooperativeLaunchMultiDeviceNoPreSync``: a grid waits for its own stream's work only, not for all streams';
                   ``…NoPostSync``: later work in a stream waits for the stream's own grid only.
        """
        if not launches or flags & ~(NO_PRE_SYNC | NO_POST_SYNC):
            raise Refusal("InvalidValue", f"no launch was given, or there is no flag {flags}")
        if any(isinstance(each, (str, bytes)) or not isinstance(each, Sequence) or len(each) != 6 for each in launches):
            raise Refusal("InvalidValue", "of each device (kernel, grid, block, arguments, shared_bytes, stream) is wanted")
        for kernel, _, _, arguments, _, _ in launches:
            self._for(kernel, self.devices.current)
            if not isinstance(arguments, (list, tuple)):
                raise Refusal("InvalidValue", f"the arguments of a kernel are a list, got {values.shown(arguments)}")
        first, seen = launches[0], set()
        for kernel, grid, block, _, shared_bytes, stream in launches:
            if not isinstance(stream, Stream) or stream.number == 0:
                raise Refusal("InvalidResourceHandle", "every launch needs a stream of its own that is no default stream")
            if stream.context.number in seen:
                raise Refusal("InvalidDevice", f"two launches are for {stream.context.label}")
            seen.add(stream.context.number)
            if (kernel.symbol, grid, block, shared_bytes) != (first[0].symbol, first[1], first[2], first[4]):
                raise Refusal("InvalidValue", "kernel, grid, block and shared memory must be the same on all devices")
        prepared = []
        for kernel, grid, block, arguments, shared_bytes, stream in launches:
            kernel = self._for(kernel, next(d for d in self.devices.all() if d.streams_in_use and d.context is stream.context))
            launcher: Launcher[Launched] = Launcher(kernel, grid, block, shared_bytes, stream)
            self.check_dynamic_bytes(launcher.kernel, shared_bytes)
            prepared.append((stream, launcher.prepare(*arguments, cooperative=True)))
        return launch_together(prepared, before=not flags & NO_PRE_SYNC, after=not flags & NO_POST_SYNC)

    def FuncGetAttributes(self, kernel: Kernel) -> dict[str, int]:
        """Give what a kernel takes, under CUDA's names."""
        kernel = self._for(kernel, self.devices.current)
        return {"numRegs": kernel.registers, "sharedSizeBytes": kernel.shared_bytes, "localSizeBytes": kernel.local_bytes,
                "constSizeBytes": len(kernel.program.const_image), "maxThreadsPerBlock": self._largest_block(kernel)}

    # --------------------------------------------------------------------------------------------------------- occupancy
    def OccupancyMaxActiveBlocksPerMultiprocessor(self, kernel: Kernel, block_size: int, dynamic_shared_bytes: int = 0) -> int:
        """Count the blocks of a kernel that one multiprocessor of the current device holds at once; 0 if not even one fits."""
        if block_size < 1 or dynamic_shared_bytes < 0:
            raise Refusal("InvalidValue", f"a block of {block_size} threads with {dynamic_shared_bytes} bytes")
        return self._allowed_blocks(self._for(kernel, self.devices.current), block_size, dynamic_shared_bytes)

    def OccupancyMaxPotentialBlockSize(self, kernel: Kernel, dynamic_shared_bytes: int = 0, block_size_limit: int = 0) -> tuple[int, int]:
        """Give the smallest grid that fills the device, and the block size of most resident threads, the larger of two equals."""
        return self.OccupancyMaxPotentialBlockSizeVariableSMem(kernel, lambda _: dynamic_shared_bytes, block_size_limit)

    def OccupancyMaxPotentialBlockSizeVariableSMem(self, kernel: Kernel, block_size_to_bytes: Callable[[int], int],
                                                   block_size_limit: int = 0) -> tuple[int, int]:
        """Do the same where dynamic shared memory is a function of the block size.

        References: cuda_occupancy.h of the CUDA runtime, rule of cudaOccMaxPotentialOccupancyBlockSize: whole warps from the
        largest block down, the first with the most resident threads.
        """
        architecture = self.devices.current.architecture
        kernel = self._for(kernel, self.devices.current)
        most = self._most_threads(kernel)
        if block_size_limit:
            most = min(most, block_size_limit)
        best_blocks = best_size = best_threads = 0
        step = architecture.warp.size
        for aligned in range(-(-most // step) * step, 0, -step):
            size = min(most, aligned)
            blocks = self._allowed_blocks(kernel, size, values.whole(block_size_to_bytes(size), "dynamic shared memory of a block", LaunchError))
            if blocks * size > best_threads:
                best_blocks, best_size, best_threads = blocks, size, blocks * size
            if best_threads == architecture.limits.threads_per_multiprocessor:
                break
        return best_blocks * architecture.chip.multiprocessors, best_size

    # ------------------------------------------------------------------------------------------------------------ errors
    def GetErrorString(self, error: object) -> str:
        """Say what an error number means."""
        return next((text for number, text in STATUS.values() if number == values.as_whole(error)), "unrecognized error code")

    # ------------------------------------------------------------------------------------------------------------ helpers
    def pointer_into(self, address: int, device: int | None = None) -> Pointer | None:
        """Give what lies at an address that graphs or mappings gave, from its first byte on; None: nothing. `device`: whose address it is, the current
        one's unless said."""
        found = self.graph_pointer(address, device)
        return found if found is not None else self.mapped_at(address, device)

    def _memory(self, device: Device) -> Memory:
        memory: Memory = device.context.memory
        return memory

    def _stream(self, stream: Stream | int | None, context: Context | None = None) -> Stream:
        """Turn what callers pass for a stream into one: None and 0 the default, 1 the legacy, 2 the thread's own default stream."""
        if isinstance(stream, Stream):
            return stream
        context = context or self.devices.current.context
        if stream in (None, 0):
            return context.per_thread() if self.per_thread else context.default
        if stream == STREAM_LEGACY:
            return context.default
        if stream == STREAM_PER_THREAD:
            return context.per_thread()
        raise Refusal("InvalidResourceHandle", f"{values.shown(stream)} is no stream")

    @staticmethod
    def _event(event: object) -> Event:
        if not isinstance(event, Event):
            raise Refusal("InvalidResourceHandle", f"{values.shown(event)} is no event")
        return event

    def _for(self, kernel: Kernel, device: Device) -> Kernel:
        """Give a kernel as compiled for a device."""
        if not isinstance(kernel, Kernel):
            raise Refusal("InvalidResourceHandle", f"{values.shown(kernel)} is no kernel; module = {device!r}.compile(source) has some")
        if kernel.module.device is device:
            return kernel
        fitting = self._loaded(kernel.module, device)
        return fitting[kernel.symbol if kernel.symbol in fitting.kernels else kernel.name]

    def _loaded(self, module: Module, device: Device) -> Module:
        """Give a module as compiled for a device: each device has its own variables."""
        if module.device is device:
            return module
        key = id(module), id(device)
        if key not in self._modules:
            self._modules[key] = module, Module(device, module.units, module.registers_from, module.lowering)
        return self._modules[key][1]

    def _place_in(self, symbol: Symbol, offset: int) -> Pointer:
        """Give a pointer into a variable of the current device."""
        if not isinstance(symbol, Symbol):
            raise Refusal("InvalidSymbol", f"{values.shown(symbol)} is no variable of a module; module.symbols[\"name\"] gives one")
        symbol = self._loaded(symbol.module, self.devices.current).symbols[symbol.name]
        if not 0 <= offset <= symbol.nbytes:
            raise Refusal("InvalidValue", f"offset {offset} into the {symbol.nbytes} bytes of {symbol.name}")
        return Pointer(symbol.address + offset, symbol.memory, symbol.nbytes - offset)

    @staticmethod
    def _of_symbol(other: Source, count: int | None, kind: int, usual: int) -> tuple[int | None, int]:
        """Check the direction of a copy between a variable and something else; give the bytes and the direction."""
        on_device = isinstance(other, (Pointer, DeviceArray))
        if kind not in (usual, DEVICE_TO_DEVICE, DEFAULT) or kind != DEFAULT and (kind == DEVICE_TO_DEVICE) != on_device:
            raise Refusal("InvalidMemcpyDirection", f"kind {kind} does not fit a variable and {type(other).__name__}")
        if count is None and not isinstance(other, Pointer):    # all of it, or an error; a pointer may reach further
            count = other.nbytes if isinstance(other, (DeviceArray, HostBytes)) else host_array(other).nbytes
        return count, kind

    def _launch(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any], shared_bytes: int, stream: Stream | int | None,
                **options: Any) -> Launched | Node:
        stream = self._stream(stream)
        device = self.devices.current
        if stream.context is not device.context:
            raise HostError(f"{values.shown(stream)} is not of the current device, {device.context.label}")
        launcher: Launcher[Launched] = Launcher(self._for(kernel, device), grid, block, shared_bytes, stream)
        self.check_dynamic_bytes(launcher.kernel, shared_bytes)
        return launcher.launch(*arguments, **options)

    @staticmethod
    def _most_threads(kernel: Kernel) -> int:
        limit = kernel.module.device.architecture.limits.threads_per_block
        return min(limit, kernel.resources.max_threads or limit)

    @staticmethod
    def _largest_block(kernel: Kernel) -> int:
        """Count the threads of the largest block that can be launched, given what a kernel takes; 0 if none can."""
        most, step = Runtime._most_threads(kernel), kernel.module.device.architecture.warp.size
        sizes = (most, *range((most - 1) // step * step, 0, -step))
        return next((size for size in sizes if Runtime._active_blocks(kernel, size, 0) > 0), 0)

    def _allowed_blocks(self, kernel: Kernel, threads: int, dynamic_shared_bytes: int) -> int:
        return self._active_blocks(kernel, threads, dynamic_shared_bytes) if dynamic_shared_bytes <= self.most_dynamic_bytes(kernel) else 0

    @staticmethod
    def _active_blocks(kernel: Kernel, threads: int, dynamic_shared_bytes: int) -> int:
        architecture = kernel.module.device.architecture
        registers, shared = max(1, kernel.registers), kernel.shared_bytes + kernel.program.launch_shared_bytes + dynamic_shared_bytes
        if threads > Runtime._most_threads(kernel):
            return 0
        try:
            return occupancy(architecture, threads=threads, registers=registers, shared_bytes=shared).active_blocks
        except LaunchError:
            return min(0, *blocks_allowed(architecture.limits, architecture.warp.size, threads=threads, registers=registers,
                                          shared_bytes=shared).values())

    @staticmethod
    def _managed(array: object) -> Context:
        """Give the context of the device that managed memory belongs to."""
        if not isinstance(array, ManagedArray):
            raise Refusal("InvalidValue", f"{values.shown(array)} is no managed memory; MallocManaged gives some")
        if array.freed:
            raise DeviceMemoryError("the managed memory was freed")
        return context_of(array.memory)

    def _side_meant(self, array: ManagedArray, device: int | None) -> bool:
        """Say whether a device's number means the host; it may also mean the device that managed memory belongs to, as None does."""
        if device == CPU_DEVICE:
            return True
        if device is not None and self.devices[device].memory is not array.memory:
            raise Refusal("NotSupported", f"managed memory of {context_of(array.memory).label} stays with that device and the host")
        return False

    # A copy has two ends: (True, memory, address, bytes left) on a device, (False, array of bytes) on the host.
    def _device_end(self, end: object) -> tuple[Any, int, int]:
        if isinstance(end, DeviceArray):
            if end.freed:
                raise DeviceMemoryError("the device array was freed")
            memory, address, left = end.memory, end.address, end.nbytes
        elif isinstance(end, Pointer):
            memory, address, left = end.memory, int(end), end.left
        else:
            raise Refusal("InvalidDevicePointer", f"{values.shown(end)} is no device memory")
        context_of(memory)         # puts the device on the host's clock
        return memory, address, left

    def _peer(self, dst: Source, dst_device: int, src: Source, src_device: int) -> None:
        for end, number in ((dst, dst_device), (src, src_device)):
            memory, _, _ = self._device_end(end)
            if memory is not self.devices[number].memory:
                raise Refusal("InvalidValue", f"{values.shown(end)} is not on device {number}")

    @staticmethod
    def _check_count(count: int, *left: int) -> None:
        if count < 0 or any(count > most for most in left):
            raise Refusal("InvalidValue", f"{count} bytes asked, {', '.join(map(str, left))} there")

    def _copy(self, dst: End, src: Source, count: int | None, kind: int, stream: Stream | int | None, wait: bool) -> None:
        there, here = check_kind(dst, src, kind)
        if wait:
            self._unsafe("Memcpy")
        to: Any = self._device_end(dst) if there else _host_side(dst, write=True)
        source: Any = self._device_end(src) if here else _host_side(src, write=False)
        left = [end[2] if on_device else end.nbytes for end, on_device in ((to, there), (source, here))]
        count = min(left) if count is None else count
        self._check_count(count, *left)
        if not count:
            return
        if there:
            self.check_written(to[1], count)
        if there and here:
            (memory, address, _), (other, start, _) = to, source
            context = memory.context
            into = self._stream(stream)
            if other is memory:
                context.within(address, start, count, into)
            else:
                context.from_peer(address, other.context, start, count, into)
                if wait:
                    into.synchronize()
        elif there:
            to[0].context.to_device(to[1], _first(source, count), self._stream(stream), wait)
        elif here:
            source[0].context.to_host(_first(to, count), source[1], self._stream(stream), wait)
        elif (into := self._stream(stream)).capture is not None:
            into.capture.add(into, self.copy_work(to, source, count))
        else:
            into.synchronize()
            to[:count] = source[:count]


def _first(end: np.ndarray | HostBytes, count: int) -> np.ndarray | HostBytes:
    return end.first(count) if isinstance(end, HostBytes) else end[:count]


def _host_side(end: Source, write: bool) -> np.ndarray | HostBytes:
    return end if isinstance(end, HostBytes) else host_end(end, write)
