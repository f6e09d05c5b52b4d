"""Memory that graphs allocate and free, in the runtime's way."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from archdef import values
from archdef.errors import DeviceMemoryError
from archdef.host import Graph, Node
from archdef.host.context import context_of
from archdef.host.graph import ALLOCATION, FREE
from archdef.host.graph_memory import GraphAllocation
from archdef.run import mapped
from archdef.run.pointer import Pointer
from archdef.runtime.base import Part
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.host import Stream
    from archdef.host.context import Context

USED, USED_HIGH, RESERVED, RESERVED_HIGH = range(4)


class GraphMemoryCalls(Part):
    """The part of a runtime that lets graphs allocate."""

    if TYPE_CHECKING:
        def device(self, number: int | None = None) -> Device: ...
        def _graph(self, graph: object) -> Graph: ...
        def _node(self, node: object) -> Node: ...
        def _nodes(self, nodes: Sequence[Node]) -> list[Node]: ...

    # -------------------------------------------------------------------------------------------------------------- nodes
    def GraphAddMemAllocNode(self, graph: Graph, dependencies: Sequence[Node], size: int, device: int | None = None) -> tuple[Node, Pointer]:
        """Add an allocation on a device; gives the address, too, which it has at each launch."""
        context = self.device(device).context
        with context.host.lock:
            return self._add_allocation(self._graph(graph), self._nodes(dependencies), size, context)

    def GraphAddMemFreeNode(self, graph: Graph, dependencies: Sequence[Node], pointer: Pointer) -> Node:
        """Add that memory is freed which this graph, or another one, allocates."""
        found = self._allocation(pointer)
        context = context_of(found.memories[0])
        with context.host.lock:
            return context.graph_memory.add_free(self._graph(graph), found, self._nodes(dependencies))

    def GraphMemAllocNodeGetParams(self, node: Node) -> tuple[int, Pointer]:
        """Give the device of an allocation, and where it is; the pointer's ``left`` is its size."""
        memory = self._memory_node(node, ALLOCATION)
        device = next(number for number, device in enumerate(self.devices.all()) if device.memory is memory.memories[0])
        return device, Pointer(memory.address, memory.memories[0], node.work.given)

    def GraphMemFreeNodeGetParams(self, node: Node) -> Pointer:
        """Give what a node frees."""
        memory = self._memory_node(node, FREE)
        return Pointer(memory.address, memory.memories[0], memory.nbytes)

    def _memory_node(self, node: Node, kind: str) -> GraphAllocation:
        memory = self._node(node).work.memory
        if memory is None or node.kind != kind:
            raise Refusal("InvalidValue", f"{node!r} is no {kind} of memory")
        return memory

    # ----------------------------------------------------------------------------------------------------------- amounts
    def DeviceGraphMemTrim(self, device: int) -> None:
        """Give a device back what its graphs have used, and nobody uses any more."""
        self.device(device).context.graph_memory.trim()

    def DeviceGetGraphMemAttribute(self, device: int, attribute: int) -> int:
        """Give an attribute: 0 and 1 bytes that lie in the memory of graphs, now and at most, 2 and 3 bytes that are kept for them."""
        memory = self.device(device).context.graph_memory
        match attribute:
            case 0:
                return memory.used
            case 1:
                return memory.used_high
            case 2:
                return memory.reserved
            case 3:
                return memory.reserved_high
        raise Refusal("InvalidValue", f"attribute {attribute} of the memory of graphs")

    def DeviceSetGraphMemAttribute(self, device: int, attribute: int, value: int) -> None:
        """Set a maximum, which can be set to 0 only: to what it is now."""
        memory = self.device(device).context.graph_memory
        if attribute not in (USED_HIGH, RESERVED_HIGH) or value:
            raise Refusal("InvalidValue", f"attribute {attribute} of the memory of graphs cannot be {value}")
        if attribute == USED_HIGH:
            memory.used_high = memory.used
        else:
            memory.reserved_high = memory.reserved

    # ------------------------------------------------------------------------------------------------------------ helpers
    def graph_pointer(self, address: int, device: int | None = None) -> Pointer | None:
        """Give the memory of a graph that an address lies in; None if in none. `device`: whose address it is, the current one's unless said."""
        memory = self.device(device).memory
        for each in self.devices.all():
            if each.memory.context is None or (found := each.memory.context.graph_memory.at(address)) is None or memory not in found.memories:
                continue
            if address - found.address < max(1, found.nbytes):
                return Pointer(found.address, found.memories[0], found.nbytes)
        return None

    def _add_allocation(self, graph: Graph, after: Sequence[Node], size: int, context: Context) -> tuple[Node, Pointer]:
        if size < 1:
            raise Refusal("InvalidValue", f"{size} bytes")
        memory = context.graph_memory
        found = memory.free_of(graph, size, after)
        made = GraphAllocation(graph, *self._addresses(size, context), nbytes=size) if found is None else found
        try:
            node = memory.add(made, size, after)
        except Exception:
            if found is None:
                for each in made.memories:
                    each.free(made.address)
            raise
        return node, Pointer(made.address, context.memory, size)

    def _addresses(self, size: int, context: Context) -> tuple[int, list[Any]]:
        """Give addresses that mean nothing else, on the device and on those that share its addresses, itself the first."""
        memories = [context.memory]
        if context.host.addresses is not None:
            memories += [device.memory for device in self.devices.all() if device.memory is not context.memory and device.memory.host is context.host]
        try:
            descriptor = mapped.shared_file(size)
        except (OSError, OverflowError, ValueError) as error:
            raise Refusal("MemoryAllocation", f"{size} bytes of a graph are not to be had: {error}") from None
        try:
            return mapped.show(descriptor, size, memories), memories
        except DeviceMemoryError as error:
            raise Refusal("MemoryAllocation", f"{size} bytes of a graph are not to be had: {error}") from None
        finally:
            os.close(descriptor)

    def _allocation(self, pointer: object) -> GraphAllocation:
        """Give the memory of a graph that begins where a pointer says. Raises Refusal."""
        memory: Any = getattr(pointer, "memory", None)
        context: Context | None = getattr(memory, "context", None)
        found = context.graph_memory.at(int(pointer)) if context is not None and isinstance(pointer, int) else None
        if found is None or found.address != pointer:
            raise Refusal("InvalidValue", f"{values.shown(pointer)} was not given by a graph, or was freed")
        return found

    def _in_graph(self, pointer: object) -> bool:
        """Say whether a pointer is that of an allocation of a graph."""
        context: Context | None = getattr(getattr(pointer, "memory", None), "context", None)
        return context is not None and isinstance(pointer, int) and context.graph_memory.at(int(pointer)) is not None

    def _capture_allocation(self, size: int, stream: Stream, context: Context) -> Pointer:
        """Make an allocation the next node of a stream that is captured."""
        capture = stream.capture
        assert capture is not None, "the stream is captured"
        with context.host.lock:
            capture.check()
            node, pointer = self._add_allocation(capture.graph, capture.before[stream], size, context)
            capture.before[stream] = [node]
        return pointer

    def _free_of_graph(self, pointer: object, stream: Stream | None) -> None:
        """Free memory that a graph has allocated: behind what a stream has, by the next node of one that is captured, or now."""
        found = self._allocation(pointer)
        context = context_of(found.memories[0])
        with context.host.lock:
            if stream is not None and (capture := stream.capture) is not None:
                capture.check()
                capture.before[stream] = [context.graph_memory.add_free(capture.graph, found, capture.before[stream])]
                return
            found.check_free(None)
            if stream is None:
                context.host.wait("free", list(context.holding), [])
                context.graph_memory.take_back(found, context.default, ())
            else:
                context.host.charge("free", context.call_fs)
                context.graph_memory.take_back(found, stream, tuple(context.before(stream)))

    def _forget_graph_memory(self) -> None:
        """Give addresses back that no graph has any more."""
        for device in self.devices.all():
            if device.memory.context is not None:
                device.memory.context.graph_memory.forget_gone()
