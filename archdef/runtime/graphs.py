"""Graphs and stream capture in the runtime's way."""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from archdef import values
from archdef.host import Event, Executable, Graph, Launched, Node, Stream, capture
from archdef.host.context import TO_DEVICE, TO_HOST
from archdef.host.graph import COPY, EMPTY, FUNCTION, GRAPH, KERNEL, MEMSET, NODE_TYPES, RECORD, WAIT, Work
from archdef.host.pinned import HostBytes
from archdef.run.array import DeviceArray
from archdef.run.launch import Launcher
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.host.context import Context
    from archdef.run.module import Kernel
    from archdef.runtime.devices import Devices

CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED = range(3)
AUTO_FREE, UPLOAD, DEVICE_LAUNCH, USE_NODE_PRIORITY = 1, 2, 4, 8
"""Flags of an instantiation."""


class GraphCalls:
    """The part of a runtime that makes graphs, and captures streams into them."""

    if TYPE_CHECKING:
        devices: Devices

        def _stream(self, stream: Stream | int | None, context: Context | None = None) -> Stream: ...
        def _event(self, event: object) -> Event: ...
        def _for(self, kernel: Kernel, device: Any) -> Kernel: ...
        def _device_end(self, end: object) -> tuple[Any, int, int]: ...

        def check_written(self, address: int, nbytes: int) -> None: ...
        def _check_count(self, count: int, *left: int) -> None: ...
        def _forget_graph_memory(self) -> None: ...
        def change_launch(self, node: Node, work: Work) -> None: ...
        def launch_options(self, kernel: Kernel, attributes: Sequence[tuple[int, Any]]) -> dict[str, Any]: ...
        def check_dynamic_bytes(self, kernel: Kernel, shared_bytes: int) -> None: ...

    def __init__(self) -> None:
        self._thread_modes = threading.local()
        super().__init__()

    # ----------------------------------------------------------------------------------------------------------- capture
    def StreamBeginCapture(self, stream: Stream | int | None, mode: int = capture.GLOBAL) -> None:
        """Make a graph of what is put into a stream from here on. Modes: 0 global, 1 of the thread, 2 relaxed."""
        capture.begin(self._stream(stream), mode)

    def StreamBeginCaptureToGraph(self, stream: Stream | int | None, graph: Graph, dependencies: Sequence[Node] = (), mode: int = capture.GLOBAL) -> None:
        """Add what is put into a stream from here on to a graph, behind some of its nodes."""
        capture.begin(self._stream(stream), mode, self._graph(graph), self._nodes(dependencies))

    def StreamEndCapture(self, stream: Stream | int | None) -> Graph:
        """End the capture that began in a stream, and give its graph."""
        return capture.end(self._stream(stream))

    def StreamIsCapturing(self, stream: Stream | int | None = None) -> int:
        """Say whether a stream is captured: 0 no, 1 yes, 2 it was, and a call that is not allowed has ended it."""
        found = self._stream(stream).capture
        return CAPTURE_NONE if found is None else CAPTURE_INVALIDATED if found.broken else CAPTURE_ACTIVE

    def StreamGetCaptureInfo(self, stream: Stream | int | None = None) -> tuple[int, int, Graph | None, list[Node]]:
        """Give whether a stream is captured, the capture's number, its graph, and what the next node in the stream will wait for."""
        found = self._stream(stream).capture
        if found is None:
            return CAPTURE_NONE, 0, None, []
        return CAPTURE_INVALIDATED if found.broken else CAPTURE_ACTIVE, found.number, found.graph, list(found.before[self._stream(stream)])

    def StreamUpdateCaptureDependencies(self, stream: Stream | int | None, dependencies: Sequence[Node], flags: int = 0) -> None:
        """Change what the next node in a captured stream will wait for: also for these nodes (flags 0), or for them only (1)."""
        found = self._stream(stream).capture
        if found is None:
            raise Refusal("IllegalState", "the stream is not being captured")
        if flags not in (0, 1):
            raise Refusal("InvalidValue", f"flags {flags}: 0 adds dependencies, 1 sets them")
        for node in self._nodes(dependencies):
            if node not in found.graph.nodes:
                raise Refusal("InvalidValue", f"{node!r} is not of the graph that is being captured")
        if flags:
            found.before[self._stream(stream)] = []
        found.join(self._stream(stream), dependencies)

    def ThreadExchangeStreamCaptureMode(self, mode: int) -> int:
        """Say how this thread's calls that may wait for the device take captures: as StreamBeginCapture's modes; gives what it was."""
        if mode not in range(3):
            raise Refusal("InvalidValue", f"there is no capture mode {mode}")
        before: int = getattr(self._thread_modes, "mode", capture.GLOBAL)
        self._thread_modes.mode = mode
        return before

    def _unsafe(self, name: str) -> None:
        """Refuse a call that captures do not allow."""
        for device in self.devices.all():
            if device.streams_in_use and device.context.captures:
                capture.refuse_unsafe(device.context.captures, name, getattr(self._thread_modes, "mode", capture.GLOBAL))

    # ------------------------------------------------------------------------------------------------------------- graphs
    def GraphCreate(self, flags: int = 0) -> Graph:
        """Make an empty graph."""
        if flags:
            raise Refusal("InvalidValue", f"flags of a graph must be 0, got {flags}")
        return Graph()

    def GraphDestroy(self, graph: Graph) -> None:
        """Give a graph up. What was instantiated of it stays."""
        self._graph(graph).destroyed = True
        self._forget_graph_memory()

    def GraphClone(self, graph: Graph) -> Graph:
        """Copy a graph."""
        self._graph(graph).check_no_memory("a graph cannot be copied")
        return graph.clone()

    def GraphNodeFindInClone(self, node: Node, graph: Graph) -> Node:
        """Give the copy of a node in the clone of its graph."""
        return self._graph(graph).copy_of(self._node(node))

    def GraphAddKernelNode(self, graph: Graph, dependencies: Sequence[Node], kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any] = (),
                           shared_bytes: int = 0) -> Node:
        """Add a launch on the current device."""
        return self._graph(graph).add(self.kernel_work(kernel, grid, block, arguments, shared_bytes), self._nodes(dependencies))

    def GraphAddMemcpyNode1D(self, graph: Graph, dependencies: Sequence[Node], dst: Any, src: Any, count: int | None = None, kind: int = 4) -> Node:
        """Add a copy; host memory is read or written when the copy runs."""
        return self._graph(graph).add(self.copy_work(dst, src, count), self._nodes(dependencies))

    def GraphAddMemsetNode(self, graph: Graph, dependencies: Sequence[Node], dst: Pointer | DeviceArray, value: int, element_size: int = 1,
                           width: int | None = None, height: int = 1, pitch: int = 0) -> Node:
        """Add a set of device memory: rows of so many elements of 1, 2 or 4 bytes."""
        return self._graph(graph).add(self.set_work(dst, value, element_size, width, height, pitch), self._nodes(dependencies))

    def GraphAddHostNode(self, graph: Graph, dependencies: Sequence[Node], function: Callable[..., object], *arguments: Any) -> Node:
        """Add a call of a host function."""
        return self._graph(graph).add(self.function_work(function, *arguments), self._nodes(dependencies))

    def GraphAddEmptyNode(self, graph: Graph, dependencies: Sequence[Node] = ()) -> Node:
        """Add a node that does nothing: many can wait for it instead of for each that it waits for."""
        return self._graph(graph).add(Work(EMPTY, "empty"), self._nodes(dependencies))

    def GraphAddChildGraphNode(self, graph: Graph, dependencies: Sequence[Node], child: Graph) -> Node:
        """Add all of another graph, as it is now."""
        if child is graph:
            raise Refusal("InvalidValue", "a graph cannot be a node of itself")
        self._graph(child).check_no_memory("a graph cannot be a node of another")
        return self._graph(graph).add(Work(GRAPH, "graph", child=child), self._nodes(dependencies))

    def GraphAddEventRecordNode(self, graph: Graph, dependencies: Sequence[Node], event: Event) -> Node:
        """Add a record of an event."""
        return self._graph(graph).add(self.event_work(RECORD, event), self._nodes(dependencies))

    def GraphAddEventWaitNode(self, graph: Graph, dependencies: Sequence[Node], event: Event) -> Node:
        """Add that what follows waits for the last record of an event."""
        return self._graph(graph).add(self.event_work(WAIT, event), self._nodes(dependencies))

    def GraphAddDependencies(self, graph: Graph, from_: Sequence[Node], to: Sequence[Node]) -> None:
        """Let nodes wait for others, pair by pair."""
        self._pairs(from_, to)
        self._graph(graph).connect(from_, to)

    def GraphRemoveDependencies(self, graph: Graph, from_: Sequence[Node], to: Sequence[Node]) -> None:
        """Take dependencies away, pair by pair."""
        self._pairs(from_, to)
        self._graph(graph).disconnect(from_, to)

    def GraphDestroyNode(self, node: Node) -> None:
        """Take a node out of its graph."""
        self._node(node).graph.remove(node)

    def GraphGetNodes(self, graph: Graph) -> list[Node]:
        """List the nodes of a graph."""
        return list(self._graph(graph))

    def GraphGetRootNodes(self, graph: Graph) -> list[Node]:
        """List the nodes that wait for no other."""
        return self._graph(graph).roots

    def GraphGetEdges(self, graph: Graph) -> list[tuple[Node, Node]]:
        """List the dependencies: what is waited for, and what waits."""
        return self._graph(graph).edges

    def GraphNodeGetDependencies(self, node: Node) -> list[Node]:
        """List what a node waits for."""
        return list(self._node(node).after)

    def GraphNodeGetDependentNodes(self, node: Node) -> list[Node]:
        """List what waits for a node."""
        return self._node(node).graph.followers(node)

    def GraphNodeGetType(self, node: Node) -> int:
        """Give the number of what a node does."""
        return NODE_TYPES[self._node(node).kind]

    def GraphChildGraphNodeGetGraph(self, node: Node) -> Graph:
        """Give the graph that a node is."""
        if (child := self._node(node).work.child) is None:
            raise Refusal("InvalidValue", f"{node!r} is no graph")
        return child

    def GraphKernelNodeSetParams(self, node: Node, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any] = (), shared_bytes: int = 0) -> None:
        """Let a node launch something else."""
        self.change_launch(self._node(node), self.kernel_work(kernel, grid, block, arguments, shared_bytes))

    def GraphMemcpyNodeSetParams1D(self, node: Node, dst: Any, src: Any, count: int | None = None, kind: int = 4) -> None:
        """Let a node copy something else."""
        self._node(node).change(self.copy_work(dst, src, count))

    def GraphMemsetNodeSetParams(self, node: Node, dst: Pointer | DeviceArray, value: int, element_size: int = 1, width: int | None = None,
                                 height: int = 1, pitch: int = 0) -> None:
        """Let a node set something else."""
        self._node(node).change(self.set_work(dst, value, element_size, width, height, pitch))

    def GraphHostNodeSetParams(self, node: Node, function: Callable[..., object], *arguments: Any) -> None:
        """Let a node call something else."""
        self._node(node).change(self.function_work(function, *arguments))

    # --------------------------------------------------------------------------------------------------- executable graphs
    def GraphInstantiate(self, graph: Graph, flags: int = 0) -> Executable:
        """Make what can be launched of a graph as it is now."""
        if flags & ~(AUTO_FREE | UPLOAD | USE_NODE_PRIORITY):
            raise Refusal("NotSupported" if flags & DEVICE_LAUNCH else "InvalidValue", f"a graph with the flags {flags}: kernels cannot launch graphs here")
        return Executable(self._graph(graph), flags, auto_free=bool(flags & AUTO_FREE))

    def GraphInstantiateWithFlags(self, graph: Graph, flags: int = 0) -> Executable:
        """Do the same."""
        return self.GraphInstantiate(graph, flags)

    def GraphUpload(self, executable: Executable, stream: Stream | int | None = None) -> None:
        """Check both: a graph is where it is wanted from the start."""
        self._executable(executable)
        self._stream(stream)

    def GraphLaunch(self, executable: Executable, stream: Stream | int | None = None, note: Callable[[Launched], object] | None = None) -> list[Launched]:
        """Put all of a graph into a stream; gives its kernels. It waits for its own launch before.

        note : is called with each kernel once it is put, in place of a list of all.
        """
        return self._executable(executable).launch(self._stream(stream), note)

    def GraphExecDestroy(self, executable: Executable) -> None:
        """Give an executable graph up; what it still has to do is done."""
        self._executable(executable).destroyed = True
        self._forget_graph_memory()

    def GraphExecGetFlags(self, executable: Executable) -> int:
        """Give the flags that it was made with."""
        return self._executable(executable).flags

    def GraphExecKernelNodeSetParams(self, executable: Executable, node: Node, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any] = (),
                                     shared_bytes: int = 0) -> None:
        """Let what stands in an executable graph for a node launch something else from the next launch on."""
        self.change_launch(self.exec_node(executable, node), self.kernel_work(kernel, grid, block, arguments, shared_bytes))

    def GraphExecMemcpyNodeSetParams1D(self, executable: Executable, node: Node, dst: Any, src: Any, count: int | None = None, kind: int = 4) -> None:
        """Let it copy something else."""
        self.exec_node(executable, node).change(self.copy_work(dst, src, count))

    def GraphExecMemsetNodeSetParams(self, executable: Executable, node: Node, dst: Pointer | DeviceArray, value: int, element_size: int = 1,
                                     width: int | None = None, height: int = 1, pitch: int = 0) -> None:
        """Let it set something else."""
        self.exec_node(executable, node).change(self.set_work(dst, value, element_size, width, height, pitch))

    def GraphExecHostNodeSetParams(self, executable: Executable, node: Node, function: Callable[..., object], *arguments: Any) -> None:
        """Let it call something else."""
        self.exec_node(executable, node).change(self.function_work(function, *arguments))

    def GraphExecUpdate(self, executable: Executable, graph: Graph) -> None:
        """Let an executable graph do what another graph of the same shape says, from the next launch on."""
        fits, wrong = self._executable(executable).update(self._graph(graph))
        if not fits:
            raise Refusal("GraphExecUpdateFailure", f"{graph!r}, {wrong!r}: no counterpart of its kind, device and dependencies in {executable!r}")

    def GraphNodeSetEnabled(self, executable: Executable, node: Node, enabled: int) -> None:
        """Let an executable graph do a kernel, copy or set, or leave it out."""
        found = self.exec_node(executable, node)
        if found.kind not in (KERNEL, COPY, MEMSET):
            raise Refusal("InvalidValue", f"{node!r} cannot be left out: only kernels, copies and sets can")
        found.enabled = bool(enabled)

    def GraphNodeGetEnabled(self, executable: Executable, node: Node) -> int:
        """Say whether an executable graph does a node."""
        return int(self.exec_node(executable, node).enabled)

    # --------------------------------------------------------------------------------------------------- what nodes are made of
    def kernel_work(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any], shared_bytes: int, given: Any = None, **options: Any) -> Work:
        """Check a launch on the current device, and give it as the work of a node."""
        number, device = self.devices.number, self.devices.current
        launcher: Launcher[Launched] = Launcher(self._for(kernel, device), grid, block, shared_bytes)
        self.check_dynamic_bytes(launcher.kernel, shared_bytes)
        context, prepared = device.context, launcher.prepare(*arguments, **options)

        def again(attributes: dict[int, Any]) -> Work:
            with self.devices.using(number):
                options = self.launch_options(kernel, list(attributes.items()))
                return self.kernel_work(kernel, grid, block, arguments, shared_bytes, given, **options)
        shape = f"grid {launcher.grid}, block {launcher.block}, {launcher.shared_bytes} bytes of dynamic shared memory"
        return Work(KERNEL, prepared.name, context, lambda branch: context.launch(prepared.again(), branch), given=given, shape=shape,
                    again=again)

    def copy_work(self, dst: Any, src: Any, count: int | None, given: Any = None) -> Work:
        """Give a copy between pointers, arrays of a device or of numpy, or `HostBytes`, as the work of a node. Raises Refusal."""
        there, here = (isinstance(end, (Pointer, DeviceArray)) for end in (dst, src))
        to: Any = self._device_end(dst) if there else _host_bytes(dst, write=True)
        source: Any = self._device_end(src) if here else _host_bytes(src, write=False)
        left = [end[2] if on_device else end.nbytes for end, on_device in ((to, there), (source, here))]
        count = min(left) if count is None else count
        self._check_count(count, *left)
        if there and count:
            self.check_written(to[1], count)
        if there and here:
            return _between(to, source, count, given)
        if there or here:
            memory, address, _ = to if there else source
            end = source if there else to
            work: Work = memory.context.copy_work(TO_DEVICE if there else TO_HOST, address, end.first(count))
            return Work(COPY, work.name, work.context, work.put, given=given)
        context = self.devices.current.context
        return Work(COPY, "copy within host", context,
                    lambda branch: context.function(branch, lambda: to.first(count).write(source.first(count).read()), (), 0.0), given=given)

    def set_work(self, dst: Pointer | DeviceArray, value: int, element_size: int = 1, width: int | None = None, height: int = 1, pitch: int = 0,
                 given: Any = None) -> Work:
        """Give a set of device memory as the work of a node. Raises Refusal."""
        memory, address, left = self._device_end(dst)
        if element_size not in (1, 2, 4):
            raise Refusal("InvalidValue", f"elements of 1, 2 or 4 bytes can be set, got {element_size}")
        nbytes = left if width is None else width * element_size
        if height < 1 or height > 1 and pitch < nbytes:
            raise Refusal("InvalidValue", f"{height} rows of {nbytes} bytes, {pitch} apart")
        self._check_count((height - 1) * pitch + nbytes, left)
        self.check_written(address, (height - 1) * pitch + nbytes)
        context, value = memory.context, value & (1 << 8 * element_size) - 1
        rows = [(address, nbytes * height)] if pitch == nbytes else [(address + k * pitch, nbytes) for k in range(height)]

        def put(branch: Stream) -> None:
            for start, size in rows:
                if size:
                    context.fill(start, size, value, branch, element_size)
        return Work(MEMSET, "memset", context, put, given=given)

    def function_work(self, function: Callable[..., object], *arguments: Any, issued: Callable[[], None] | None = None, given: Any = None) -> Work:
        """Give a call of a host function as the work of a node."""
        if not callable(function):
            raise Refusal("InvalidValue", f"the host calls a function, got {values.shown(function)}")
        context = self.devices.current.context
        return Work(FUNCTION, getattr(function, "__name__", "function"), context,
                    lambda branch: context.function(branch, function, arguments, 0.0, issued), given=given)

    def event_work(self, kind: str, event: Event) -> Work:
        """Give the record of an event, or that it is waited for, as the work of a node."""
        event = self._event(event)
        context = self.devices.current.context
        return Work(kind, event.label, context, lambda branch: (branch.record if kind == RECORD else branch.wait_event)(event), given=event)

    def capture_work(self, stream: Stream | int | None, work: Work) -> Node:
        """Make some work the next node of a stream that is captured."""
        found = self._stream(stream)
        if found.capture is None:
            raise Refusal("IllegalState", f"{found.label} is not being captured")
        return found.capture.add(found, work)

    def exec_node(self, executable: Executable, node: Node) -> Node:
        """Give what stands in an executable graph for a node."""
        return self._executable(executable).node(self._node(node))

    @staticmethod
    def _graph(graph: object) -> Graph:
        if not isinstance(graph, Graph) or graph.destroyed:
            raise Refusal("InvalidValue", f"{values.shown(graph)} is no graph, or was destroyed")
        return graph

    @staticmethod
    def _executable(executable: object) -> Executable:
        if not isinstance(executable, Executable) or executable.destroyed:
            raise Refusal("InvalidValue", f"{values.shown(executable)} is no executable graph, or was destroyed")
        return executable

    @staticmethod
    def _node(node: object) -> Node:
        if not isinstance(node, Node) or node not in node.graph.nodes:
            raise Refusal("InvalidValue", f"{values.shown(node)} is no node of a graph, or was destroyed")
        return node

    def _nodes(self, nodes: Sequence[Node]) -> list[Node]:
        return [self._node(node) for node in nodes]

    def _pairs(self, from_: Sequence[Node], to: Sequence[Node]) -> None:
        if len(self._nodes(from_)) != len(self._nodes(to)):
            raise Refusal("InvalidValue", f"{len(from_)} nodes that are waited for, and {len(to)} that wait")


def in_turn(works: Sequence[Work], given: Any = None) -> Work:
    """Make one work of several of the same kind on one device, one after the other."""
    first = works[0]
    if any(work.context is not first.context for work in works):
        raise Refusal("InvalidValue", "a node of a graph does its work on one device")

    def put(branch: Stream) -> None:
        for work in works:
            assert work.put is not None, "there is something to do"
            work.put(branch)
    return Work(first.kind, first.name, first.context, put, given=given)


def _host_bytes(end: Any, write: bool) -> HostBytes:
    if isinstance(end, HostBytes):
        return end
    if not isinstance(end, np.ndarray) or not end.flags.c_contiguous or end.dtype.hasobject or write and not end.flags.writeable:
        kind = "a contiguous numpy array that can be written" if write else "a contiguous numpy array"
        raise Refusal("InvalidValue", f"host memory of a graph is {kind}, got {type(end).__name__}")
    return HostBytes(end.reshape(-1).view("u1"))


def _between(to: tuple[Any, int, int], source: tuple[Any, int, int], count: int, given: Any) -> Work:
    """A copy between device memories."""
    (memory, address, _), (other, start, _) = to, source
    context = memory.context
    if other is memory:
        return Work(COPY, "copy within device", context, lambda branch: context.within(address, start, count, branch), given=given)
    return Work(COPY, "copy between devices", context, lambda branch: context.from_peer(address, other.context, start, count, branch), given=given)
