"""The context of one device: its streams, its engines, and the calls that put work into them."""
from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from archdef.errors import HostError
from archdef.host import managed
from archdef.host.box import Box
from archdef.host.capture import captured, join_capture, refuse_legacy, refuse_waiting
from archdef.host.engines import Engine
from archdef.host.executor import Executor, Shared
from archdef.host.graph import COPY, FUNCTION, KERNEL, MEMSET, Node, Work
from archdef.host.graph_launch import Branch
from archdef.host.graph_memory import GraphMemory
from archdef.host.host import current
from archdef.host.link import fs, link_of, peers, transfer_fs
from archdef.host.operation import RUNNING, Operation
from archdef.host.pinned import HostBytes, host_bytes, is_pinned
from archdef.host.pools import Pool
from archdef.host.stream import Event, Launched, Stream

if TYPE_CHECKING:
    from archdef.host.capture import Capture
    from archdef.host.host import Host

TO_DEVICE, TO_HOST = "h2d", "d2h"
STAGING_CHUNK_BYTES = 4 << 20
"""Copies between devices that go by way of the host are cut into pieces of this size, so that both links work at a time."""

FILLED_AT_ONCE_BYTES = 1 << 20
"""Memory is set to values of several bytes piece by piece."""


class Context:
    """A device's half of the host model. Made by the first use of a stream, event or asynchronous call."""

    def __init__(self, architecture, memory, host: Host, grids=None):
        self.architecture, self.memory, self.host = architecture, memory, host
        self.link = link_of(architecture)
        self.captures: list[Capture] = []
        """Captures that have begun in its streams and not ended."""
        self.default_pool = self.pool = Pool(self)
        """The pool that there is from the start, and the one that allocations in streams take from."""
        self.pools = [self.default_pool]
        self.graph_memory = GraphMemory(self)
        self.number = host.add(self)
        self.label = architecture.name if self.number == 0 else f"{architecture.name}:{self.number}"
        link = self.link
        self.call_fs, self.submit_fs, self.dependency_fs = fs(link.call_us), fs(link.submit_us), fs(link.dependency_us)
        self.event_fs = fs(link.event_us)
        self.wakeup_fs, self.launch_fs = fs(link.wakeup_us), fs(architecture.chip.launch_overhead_us)
        self.grids: Executor = grids or Shared(architecture, link, min(self.dependency_fs, fs(link.latency_us)))
        self.compute = Engine("kernels", link.concurrent_grids, self.grids)
        copies = [Engine(name) for name in _ENGINE_NAMES[min(link.copy_engines, 3)]] or [self.compute]
        self.engines = {TO_DEVICE: copies[0], TO_HOST: copies[min(1, len(copies) - 1)], "peer": copies[-1]}
        self.connections = min(host.connections, link.work_queues)
        self.tails: dict[int, Operation] = {}
        """Stream number → the last operation that is not over."""
        self.pending: set[Operation] = set()
        """What its streams have not ended."""
        self.holding: set[Operation] = set()
        """What may still use its memory, of other devices' streams too."""
        self._last: Operation | None = None
        self.flowing: list[Operation] = []
        """Copies whose bytes are on the link."""
        self.error: BaseException | None = None
        self.unseen: list[Operation] = []
        """Grids that the host has launched and not heard of since, by waiting or asking, where that matters for managed memory."""
        self.peers: set[int] = set()
        """Numbers of the devices whose memory this one may reach directly."""
        self._numbers = itertools.count(1)
        self.default = Stream(self, 0, blocking=True, label="default")
        self._per_thread: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    # ----------------------------------------------------------------------------------------------------------- streams
    def stream(self, blocking: bool = True, label: str | None = None) -> Stream:
        """Make a stream; one that is not blocking does not wait for the default stream, nor that for it."""
        number = self.next_number()
        return Stream(self, number, blocking, label or f"stream {number}")

    def next_number(self) -> int:
        """Give a number that no stream has had."""
        with self.host.lock:
            return next(self._numbers)

    def per_thread(self) -> Stream:
        """Give the calling thread's own default stream: a blocking stream like any other."""
        with self.host.lock:
            thread = threading.current_thread()
            if thread not in self._per_thread:
                number = next(self._numbers)
                self._per_thread[thread] = Stream(self, number, True, f"thread {len(self._per_thread) + 1}")
            return self._per_thread[thread]

    def rate_of(self, copy: Operation) -> float:
        """Give the part of its rate that a copy has, by what else is on the link."""
        return self.link.duplex_ratio if any(o.direction != copy.direction for o in self.flowing) else 1

    @staticmethod
    def before(stream: Stream) -> list[Operation]:
        """List what the next operation of a stream has to wait for."""
        tails = stream.context.tails
        found = [tails[stream.number]] if stream.number in tails else []
        if isinstance(stream, Branch):
            return [*stream.after, *found]
        if stream.number == 0:          # the legacy default stream waits for all blocking streams, and they for it
            found += [o for o in tails.values() if o.stream.blocking]
        elif stream.blocking and 0 in tails:
            found.append(tails[0])
        return found

    def issue(self, operation: Operation, engine: Engine | None = None, after: list[Operation] | None = None) -> Operation:
        """Put an operation at the end of its engine's queue, and make it the last of its stream; `after` is what it waits for."""
        stream = operation.stream
        if stream.capture is not None:
            raise stream.capture.spoil(f"{operation.name} cannot be part of a graph, and {stream.label} is being captured")
        home = stream.context
        waits = self.before(stream) if after is None else after
        operation.queue = (stream.number - 1) % home.connections if stream.number else 0
        if operation.kind == "function":
            operation.queue = home.number, stream.number
        home.tails[stream.number] = operation
        home.pending.add(operation)
        for context in operation.touches:
            context.holding.add(operation)
            if context.link.late_kernel_signals:
                context._follow(operation)
        if engine is not None:
            engine.add(operation)
        return self.host.issue(operation, waits)

    def _follow(self, operation: Operation) -> None:
        """Note what is issued right after what."""
        last, self._last = self._last, operation
        if last is not None and last.grid is not None and operation.grid is not None and not last.over:
            last.sequel = operation

    def ended(self, operation: Operation) -> None:
        """Forget an operation that is over."""
        self.pending.discard(operation)
        for context in operation.touches:
            context.holding.discard(operation)
            if context._last is operation:
                context._last = None
        if self.tails.get(operation.stream.number) is operation:
            del self.tails[operation.stream.number]

    def mend(self) -> None:
        """Let streams whose last operation was dropped end with what they still do."""
        for operation in sorted(self.pending, key=lambda o: o.number):
            if operation.state == RUNNING:
                self.tails[operation.stream.number] = operation

    def own(self, stream: Stream | None) -> Stream:
        """Check a stream; None for the default one."""
        if stream is None:
            return self.default
        if not isinstance(stream, Stream):
            raise HostError(f"a stream is made by Device.stream(), got {type(stream).__name__}")
        if stream.context is not self:
            raise HostError(f"{stream!r} is of {stream.context.label}, the work of {self.label}")
        return stream

    def of_host(self, stream: Stream | None) -> Stream:
        """Check the stream of a copy or a set, which may be another device's that has the same host; None for the default one of this device."""
        if isinstance(stream, Stream) and stream.context.host is self.host:
            return stream
        return self.own(stream)

    def synchronize(self) -> None:
        """Wait for all streams of this device. Raises CaptureError while one is captured."""
        refuse_waiting([stream for capture in self.host.captures for stream in capture.before if stream.context is self], "synchronize")
        self.drain()

    def drain(self) -> None:
        """Wait for what is in the streams of this device; one that is captured has nothing to wait for."""
        self.host.wait(f"synchronize {self.label}", list(self.tails.values()), [self])

    # ------------------------------------------------------------------------------------------------------------- pools
    def new_pool(self, most_bytes: int = 0) -> Pool:
        """Make a pool of this device's memory."""
        self.pools.append(pool := Pool(self, most_bytes))
        return pool

    def forget_pools(self) -> None:
        """Begin with an empty default pool, and no others."""
        self.default_pool = self.pool = Pool(self)
        self.pools = [self.default_pool]

    # -------------------------------------------------------------------------------------------------------------- work
    def launch(self, grid, stream: Stream | None) -> Launched | Node:
        """Put a prepared grid into a stream; gives the node that it becomes if the stream is captured."""
        with self.host.lock:
            stream = self.own(stream)
            if self.host.captures:
                node = captured(self, stream, Work(KERNEL, grid.name, self, lambda branch: self.launch(grid.again(), branch)))
                if node is not None:
                    return node
            self.host.charge(f"launch {grid.name}", self.launch_fs)
            grid.moved = managed.before_launch(self, grid, stream)
            operation = Operation("kernel", grid.name, self, stream, grid=grid)
            managed.note_launch(self, operation)
            return Launched(self.issue(operation, self.compute))

    def move(self, stream: Stream, to_device: bool, nbytes: int, latency: int, transfer: int) -> Operation:
        """Put a move of managed memory into a stream."""
        operation = managed.moving(self, stream, to_device, nbytes, latency, transfer)
        return self.issue(operation, self.engines[operation.direction])

    def fill(self, address: int | Box, nbytes: int, value: int, stream: Stream | None, width: int = 1) -> Operation | None:
        """Set device memory to values of `width` bytes: the device writes them at the rate of its memory."""
        with self.host.lock:
            stream = self.of_host(stream)
            if captured(self, stream, Work(MEMSET, "memset", self, lambda branch: self.fill(address, nbytes, value, branch, width))):
                return None
            self.host.charge("memset", self.call_fs)
            managed.written_by_device(self.memory, address, nbytes)
            duration = self.dependency_fs + transfer_fs(nbytes, self.architecture.dram_bandwidth_gb_s)
            operation = Operation("memset", "memset", self, stream, duration=duration, nbytes=nbytes,
                                  act=lambda: _fill(self.memory, address, nbytes, value, width))
            return self.issue(operation, self.compute)

    def within(self, to: int | Box, source: int | Box, nbytes: int, stream: Stream | None) -> Operation | None:
        """Copy inside device memory, which reads and writes every byte."""
        with self.host.lock:
            stream = self.of_host(stream)
            if captured(self, stream, Work(COPY, "copy within device", self, lambda branch: self.within(to, source, nbytes, branch))):
                return None
            self.host.charge("copy within device", self.call_fs)
            managed.written_by_device(self.memory, to, nbytes)

            def act():
                _move(self.memory, to, self.memory, source, nbytes)
            duration = self.dependency_fs + transfer_fs(2 * nbytes, self.architecture.dram_bandwidth_gb_s)
            operation = Operation("copy", "copy within device", self, stream, duration=duration, nbytes=nbytes, act=act)
            return self.issue(operation, self.compute)

    def to_device(self, address: int | Box, array: np.ndarray | HostBytes, stream: Stream | None, wait: bool = False) -> None:
        """Copy host memory to the device. Ordinary memory: small copies are staged at once, large ones block the host."""
        with self.host.lock:
            stream = self.of_host(stream)
            if captured(self, stream, self.copy_work(TO_DEVICE, address, host_bytes(array))):
                return
            link, nbytes, pinned = self.link, array.nbytes, is_pinned(array)
            staged = not pinned and nbytes <= link.staging_bytes
            data = _copied(array) if staged else array
            self.host.charge("copy to device", self.call_fs + (transfer_fs(nbytes, link.pageable_h2d_gb_s) if staged else 0))

            managed.written_by_device(self.memory, address, nbytes)

            def act():
                if isinstance(data, HostBytes):
                    self._take(address, data)
                else:
                    self.memory.write(address, _bytes(data))
            rate = link.pinned_h2d_gb_s if pinned or staged else link.pageable_h2d_gb_s
            operation = self._copy(stream, TO_DEVICE, "copy to device", nbytes, rate, act)
            if wait or not (pinned or staged):
                self.host.wait("copy to device", [operation], [self, *({stream.context} - {self})])

    def to_host(self, array: np.ndarray | HostBytes, address: int | Box, stream: Stream | None, wait: bool = False) -> None:
        """Copy device memory to the host; to ordinary memory the host waits for the end."""
        with self.host.lock:
            stream = self.of_host(stream)
            if captured(self, stream, self.copy_work(TO_HOST, address, host_bytes(array))):
                return
            pinned = is_pinned(array)
            self.host.charge("copy to host", self.call_fs)

            def act():
                if isinstance(array, HostBytes):
                    self._give(array, address)
                elif array.flags.c_contiguous:
                    self.memory.read(address, _bytes(array))
                else:
                    array[...] = _fetched(self.memory, address, array.nbytes).view(array.dtype).reshape(array.shape)
            rate = self.link.pinned_d2h_gb_s if pinned else self.link.pageable_d2h_gb_s
            operation = self._copy(stream, TO_HOST, "copy to host", array.nbytes, rate, act)
            if wait or not pinned:
                self.host.wait("copy to host", [operation], [self, *({stream.context} - {self})])

    def copy_work(self, direction: str, address: int | Box, end: HostBytes) -> Work:
        """Give the work of a node that copies between device memory and the host's, whose bytes are read, or written, when the copy runs."""
        return Work(COPY, _COPIES[direction], self, lambda branch: self._copy_when_there(branch, direction, address, end))

    def _copy_when_there(self, stream: Stream, direction: str, address: int | Box, end: HostBytes) -> None:
        link, there = self.link, direction == TO_DEVICE
        if there:
            managed.written_by_device(self.memory, address, end.nbytes)
            rate = link.pinned_h2d_gb_s if end.pinned else link.pageable_h2d_gb_s
        else:
            rate = link.pinned_d2h_gb_s if end.pinned else link.pageable_d2h_gb_s

        def act():
            if there:
                self._take(address, end)
            else:
                self._give(end, address)
        self.host.charge(_COPIES[direction], self.call_fs)
        self._copy(stream, direction, _COPIES[direction], end.nbytes, rate, act)

    def _take(self, address: int | Box, end: HostBytes) -> None:
        """Move bytes of the host into device memory: without a stop between where they lie there on end."""
        if isinstance(address, Box):
            self.memory.write(address, end.read())
        elif end.nbytes:
            end.into(self.memory.view(address, end.nbytes))

    def _give(self, end: HostBytes, address: int | Box) -> None:
        """Move bytes of device memory to the host, likewise."""
        if isinstance(address, Box):
            end.write(_fetched(self.memory, address, end.nbytes))
        elif end.nbytes:
            end.write(self.memory.view(address, end.nbytes))

    def _copy(self, stream: Stream, direction: str, name: str, nbytes: int, rate: float, act, after=None) -> Operation:
        operation = Operation("copy", name, self, stream, duration=fs(self.link.latency_us), nbytes=nbytes, direction=direction,
                              left=transfer_fs(nbytes, rate), act=act)
        return self.issue(operation, self.engines[direction], after)

    def from_peer(self, to: int | Box, other: Context, source: int | Box, nbytes: int, stream: Stream | None) -> None:
        """Copy from another device's memory: directly where peer access is enabled, else by way of the host, in pieces."""
        with self.host.lock:
            if other.host is not self.host:
                raise HostError(f"{self.label} and {other.label} belong to different hosts; copy by way of a numpy array")
            stream = self.of_host(stream)
            if captured(self, stream, Work(COPY, "copy between devices", self, lambda branch: self.from_peer(to, other, source, nbytes, branch))):
                return
            self.host.charge("copy between devices", self.call_fs)
            managed.written_by_device(self.memory, to, nbytes)
            rate = peers(self.architecture, other.architecture)
            if rate is not None and (other.number in self.peers or self.number in other.peers):
                def act():
                    _move(self.memory, to, other.memory, source, nbytes)
                duration = fs(max(self.link.peer_latency_us, other.link.peer_latency_us)) + transfer_fs(nbytes, rate)
                operation = Operation("copy", f"copy to {self.label}", other, stream, duration=duration, nbytes=nbytes, act=act)
                operation.touches |= {self}
                other.issue(operation, other.engines["peer"])
                return
            before = self.before(stream)
            for (into, size), (out_of, _) in zip(_pieces(to, nbytes), _pieces(source, nbytes), strict=True):
                self._stage(into, other, out_of, size, stream, before)

    def _stage(self, to: int | Box, other: Context, source: int | Box, nbytes: int, stream: Stream, before: list[Operation]) -> None:
        """One piece: out of the one device when the piece before has left it, into the other when it is in the host."""
        held: list[np.ndarray] = []
        latency = fs(other.link.latency_us)
        out = Operation("copy", "copy to host (staged)", other, stream, duration=latency, nbytes=nbytes, direction=TO_HOST,
                        left=transfer_fs(nbytes, other.link.pinned_d2h_gb_s),
                        act=lambda: held.append(_fetched(other.memory, source, nbytes)))
        other.issue(out, other.engines[TO_HOST], before)
        self._copy(stream, TO_DEVICE, "copy to device (staged)", nbytes, self.link.pinned_h2d_gb_s,
                   lambda: self.memory.write(to, held.pop()), [out])

    # ------------------------------------------------------------------------------------------------------------ events
    def record(self, stream: Stream, event: Event) -> None:
        """Note in an event when everything before it in the stream has ended. In a stream that is captured, it stands for what is there so far."""
        with self.host.lock:
            if stream.capture is not None:
                stream.capture.check()
                event.captured = stream.capture, list(stream.capture.before[stream])
                return
            event.captured = None
            if stream.number == 0:
                refuse_legacy(self, "record event")
            self.host.charge("record event", self.call_fs)
            event.operation = self.issue(Operation("record", event.label, self, stream, duration=self.event_fs))

    def wait_event(self, stream: Stream, event: Event) -> None:
        """Let a stream wait for the last record of an event, of this device or another; without one for nothing.

        One that was recorded in a captured stream takes the stream into the capture.
        """
        with self.host.lock:
            if event.captured is not None or stream.capture is not None:
                join_capture(stream, event)
                return
            if stream.number == 0:
                refuse_legacy(self, "wait for event")
            self.host.charge("wait for event", self.call_fs)
            if event.operation is not None and not event.operation.over:
                self.issue(Operation("wait", f"wait for {event.label}", self, stream, duration=self.event_fs), after=[event.operation, *self.before(stream)])

    def wait_value(self, stream: Stream, holds: Callable[[], bool]) -> None:
        """Let what comes later in a stream wait until memory has what `holds` looks for. Nobody may ever write it; then it waits without end."""
        self._value(stream, Operation("value", "wait for value", self, stream), holds)

    def write_value(self, stream: Stream, write: Callable[[], None]) -> None:
        """Write memory when everything before it in a stream has ended."""
        self._value(stream, Operation("value", "write value", self, stream, act=write))

    def _value(self, stream: Stream, operation: Operation, holds: Callable[[], bool] | None = None) -> None:
        with self.host.lock:
            if stream.number == 0:
                refuse_legacy(self, operation.name)
            self.host.charge(operation.name, self.call_fs)
            operation.holds = holds
            self.issue(operation)

    def function(self, stream: Stream, function, arguments, seconds: float, issued=None) -> None:
        """Call a function on the host when everything before it in the stream has ended; `issued` is called when a stream takes it."""
        with self.host.lock:
            name = getattr(function, "__name__", "function")
            if captured(self, stream, Work(FUNCTION, name, self, lambda branch: self.function(branch, function, arguments, seconds, issued))):
                return
            self.host.charge("host function", self.call_fs)
            if issued is not None:
                issued()
            operation = Operation("function", name, self, stream, duration=round(seconds * 1e15), act=lambda: function(*arguments))
            self.issue(operation)

    # ------------------------------------------------------------------------------------------------------------- peers
    def enable_peer(self, other: Context) -> None:
        """Let this device reach another's memory directly. Raises HostError where it can not."""
        if other is self or peers(self.architecture, other.architecture) is None:
            why = "they are one device" if other is self else "at least one declares no host_link.peer_gb_s, or they are of two vendors"
            raise HostError(f"{self.label} has no peer access to {other.label}: {why}")
        self.peers.add(other.number)
        if self.shares_addresses(other):
            self.memory.engine.reach(other.memory.engine)

    def disable_peer(self, other: Context) -> None:
        """Take that back. Raises HostError where it was not so."""
        if other.number not in self.peers:
            raise HostError(f"{self.label} has no access to {other.label}")
        self.peers.remove(other.number)
        if self.shares_addresses(other):
            self.memory.engine.leave(other.memory.engine)

    def shares_addresses(self, other: Context) -> bool:
        """Whether an address of this device's memory is none of the other's, so that kernels of one may access what the other has."""
        return self.host is other.host and self.host.addresses is not None


def context_of(memory) -> Context:
    """Give the host model's half of the device that a memory belongs to; the first call makes it."""
    if memory.context is None:
        memory.context = Context(memory.architecture, memory, memory.host or current())
    return memory.context


_COPIES = {TO_DEVICE: "copy to device", TO_HOST: "copy to host"}
_ENGINE_NAMES = ((), ("copies",), ("copies to device", "copies to host"), ("copies to device", "copies to host", "copies to peers"))
"""Of each number of copy engines."""


def _bytes(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view("u1")


def _pieces(place: int | Box, nbytes: int) -> list[tuple[int | Box, int]]:
    """Cut what is copied by way of the host, and count the bytes of each piece."""
    if isinstance(place, Box):
        return [(piece, piece.nbytes) for piece in place.pieces(STAGING_CHUNK_BYTES)]
    return [(place + start, min(STAGING_CHUNK_BYTES, nbytes - start)) for start in range(0, max(nbytes, 1), STAGING_CHUNK_BYTES)]


def _fill(memory, address: int | Box, nbytes: int, value: int, width: int) -> None:
    if width == 1:
        memory.fill(address, nbytes, value)
        return
    at_once = max(FILLED_AT_ONCE_BYTES, address.width) if isinstance(address, Box) else FILLED_AT_ONCE_BYTES
    values = np.full(min(nbytes, at_once) // width, value, f"<u{width}").view("u1")
    if isinstance(address, Box):
        for piece in address.pieces(at_once):
            memory.write(piece, values[:piece.nbytes])
        return
    for start in range(0, nbytes, values.nbytes):
        memory.write(address + start, values[:nbytes - start])


def _copied(array: np.ndarray | HostBytes) -> np.ndarray:
    """Give the bytes as they are now."""
    if not isinstance(array, HostBytes):
        return np.array(array, order="C").reshape(-1).view("u1")
    data = np.zeros(array.nbytes, "u1")
    array.into(data)
    return data


def _move(memory, to: int | Box, other, source: int | Box, nbytes: int) -> None:
    """Copy device memory to device memory: without a stop between where both ends lie there on end."""
    if isinstance(to, Box) or isinstance(source, Box):
        memory.write(to, _fetched(other, source, nbytes))
    elif nbytes:
        found = other.view(source, nbytes)
        np.copyto(memory.view(to, nbytes), found)       # as if by way of other memory, where the two overlap


def _fetched(memory, address: int | Box, nbytes: int) -> np.ndarray:
    data = np.empty(nbytes, "u1")
    if nbytes:
        memory.read(address, data)
    return data

