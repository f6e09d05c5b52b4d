"""Memory that graphs allocate: it has its addresses from the node on that allocates it, and takes bytes of the device from a launch on.

Reference: CUDA programming guide, graph memory nodes.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from archdef.errors import DeviceMemoryError, GraphError
from archdef.host.graph import ALLOCATION, FREE, Graph, Node, Work
from archdef.host.pools import ROOM_BYTES

if TYPE_CHECKING:
    from archdef.host.context import Context
    from archdef.host.graph_launch import Executable
    from archdef.host.operation import Operation
    from archdef.host.stream import Stream
    from archdef.run.memory import Memory


@attrs.define(eq=False)
class _Block:
    """Bytes of the device that graphs use, one after the other."""

    address: int
    room: int
    held: bool = True
    """Whether a launch has it, or an allocation that nobody has freed."""
    stream: Stream | None = None
    before: Sequence[Operation] = ()
    """The stream that freed it, and what may still use it."""
    launch: GraphAllocation | None = None
    """What was freed by the graph that allocated it: the next launch of that graph comes behind it in any stream."""

    @property
    def idle(self) -> bool:
        """Whether nobody uses it any more."""
        return not self.held and all(operation.over for operation in self.before)


class GraphAllocation:
    """Addresses of a graph, which its allocations have one after the other, and what lies there."""

    def __init__(self, graph: Graph, address: int, memories: Sequence[Memory], nbytes: int):
        """memories : where the addresses mean this; the first is that of the device."""
        self.graph, self.address, self.nbytes, self.memories = graph, address, nbytes, memories
        self.block: _Block | None = None
        self.live = False
        """Whether a launch has allocated it, and nobody has freed it since."""
        self.freed_at: Node | None = None
        """The node of its own graph that frees it."""
        self.freed_by: set[Graph] = set()
        """The graphs that free it."""

    @property
    def room(self) -> int:
        """Bytes of the device that it takes."""
        return room_of(self.nbytes)

    @property
    def gone(self) -> bool:
        """Whether nobody can use it any more."""
        executable = self.graph.executable
        return self.graph.destroyed and not self.live and (executable is None or executable.destroyed)

    def check_free(self, graph: Graph | None) -> None:
        """Raise GraphError unless a graph may free it, or, for None, a call."""
        if graph in self.freed_by or self.graph in self.freed_by:
            raise GraphError(f"the memory at {self.address:#x} is freed by the graph that allocates it, or was to be freed twice by one graph")
        if graph is self.graph and self.freed_by:
            raise GraphError(f"the memory at {self.address:#x} is freed by another graph than the one that allocates it")
        if graph is None and not self.live:
            raise GraphError(f"the memory at {self.address:#x} is not allocated: its graph was not launched, or it was freed")


def room_of(nbytes: int) -> int:
    """Give the bytes of the device that an allocation takes."""
    return -(-max(nbytes, 1) // ROOM_BYTES) * ROOM_BYTES


class GraphMemory:
    """What the graphs of a device allocate. Bytes of the device stay here until they are asked back (`trim`)."""

    def __init__(self, context: Context):
        self.context = context
        self.reserved_high = self.used_high = 0
        self._blocks: list[_Block] = []
        self._allocations: dict[int, GraphAllocation] = {}

    # ------------------------------------------------------------------------------------------------------------- graphs
    def free_of(self, graph: Graph, nbytes: int, after: Iterable[Node]) -> GraphAllocation | None:
        """Give addresses of a graph that have been freed before what waits for some nodes; None: there are none of that size."""
        fitting = [each for each in self._allocations.values() if each.graph is graph and each.room == room_of(nbytes) and each.freed_at is not None]
        earlier = _ancestors(after) if fitting else set()
        return next((each for each in fitting if each.freed_at in earlier), None)

    def add(self, allocation: GraphAllocation, nbytes: int, after: Sequence[Node]) -> Node:
        """Add a node that allocates. Raises GraphError."""
        node = allocation.graph.add(Work(ALLOCATION, "allocation", self.context, memory=allocation, given=nbytes), after)
        allocation.freed_at = None
        allocation.freed_by.clear()
        self._allocations[allocation.address] = allocation
        return node

    def add_free(self, graph: Graph, allocation: GraphAllocation, after: Sequence[Node]) -> Node:
        """Add a node that frees. Raises GraphError."""
        allocation.check_free(graph)
        node = graph.add(Work(FREE, "free", self.context, memory=allocation, given=allocation.address), after)
        allocation.freed_by.add(graph)
        if graph is allocation.graph:
            allocation.freed_at = node
        return node

    def at(self, address: int) -> GraphAllocation | None:
        """Give the allocation that an address lies in."""
        known = list(self._allocations.values()) if self._allocations else []      # other threads allocate meanwhile
        return next((each for each in known if each.address <= address < each.address + each.room), None)

    # ----------------------------------------------------------------------------------------------------------- launches
    def give(self, allocation: GraphAllocation, stream: Stream) -> bool:
        """Let bytes of the device lie where a graph has its allocation that is put into a stream; gives whether they have come by that.

        Raises DeviceMemoryError.
        """
        if allocation.live:         # freed and allocated again by the launch, which changes nothing
            return False
        self.context.host.catch_up()
        own, fitting = allocation.block, [each for each in self._blocks if not each.held and each.room == allocation.room]
        free = [each for each in fitting if each.stream is stream or each.idle or each.launch is allocation]
        block = own if own in free else free[0] if free else self._new(allocation.room)
        block.held, allocation.block = True, block
        self._note_most()
        return True

    def _new(self, room: int) -> _Block:
        memory = self.context.memory
        try:
            address = memory.allocate(room)
        except DeviceMemoryError:
            self.context.host.run_until([operation for block in self._blocks if not block.held for operation in block.before])
            self.trim()
            address = memory.allocate(room)
        self._blocks.append(block := _Block(address, room))
        return block

    @staticmethod
    def leave(allocation: GraphAllocation) -> None:
        """Undo what `give` did last, before anything could use it."""
        assert allocation.block is not None, "it was given"
        allocation.block.held = False

    def take_back(self, allocation: GraphAllocation, stream: Stream, before: Sequence[Operation], own_launch: bool = False) -> None:
        """Take what lies there back, behind what a stream has.

        own_launch : whether the launch of the graph that allocates it ends so.
        """
        block = allocation.block
        assert block is not None, "it is allocated"
        allocation.live = False
        block.held, block.stream, block.before, block.launch = False, stream, before, allocation if own_launch else None
        self.forget_gone()

    # ------------------------------------------------------------------------------------------------------------ amounts
    @property
    def reserved(self) -> int:
        """Bytes of the device that are here."""
        return sum(block.room for block in self._blocks)

    @property
    def used(self) -> int:
        """Those of them that lie where a graph has its addresses, whether the graph runs or not."""
        return sum(block.room for block in {each.block for each in self._allocations.values() if each.block is not None})

    def _note_most(self) -> None:
        self.reserved_high, self.used_high = max(self.reserved_high, self.reserved), max(self.used_high, self.used)

    def trim(self) -> None:
        """Give the device back what nobody uses."""
        with self.context.host.lock:
            self.context.host.catch_up()
            for block in [each for each in self._blocks if each.idle]:
                self._blocks.remove(block)
                self.context.memory.free(block.address)
                for allocation in self._allocations.values():
                    if allocation.block is block:
                        allocation.block = None

    def forget_gone(self) -> None:
        """Give addresses back that nobody can use any more."""
        for allocation in [each for each in self._allocations.values() if each.gone]:
            self._forget(allocation)

    def _forget(self, allocation: GraphAllocation) -> None:
        del self._allocations[allocation.address]
        for memory in allocation.memories:
            memory.free(allocation.address)

    def reset(self) -> None:
        """Give all back; nothing uses it any more."""
        for allocation in list(self._allocations.values()):
            allocation.live, allocation.block = False, None
            self._forget(allocation)
        for block in self._blocks:
            self.context.memory.free(block.address)
        self._blocks.clear()
        self.reserved_high = self.used_high = 0


class Uses:
    """What an executable graph allocates and frees."""

    def __init__(self, nodes: Sequence[Node]):
        """Raises GraphError for memory that the graph frees in another order than it allocates it.

        nodes : in an order in which they can be done.
        """
        last: dict[GraphAllocation, str] = {}
        allocated: dict[GraphAllocation, Node] = {}
        for node in nodes:
            if (memory := node.work.memory) is None:
                continue
            if node.kind == ALLOCATION:
                allocated[memory] = node
            elif memory in allocated and allocated[memory] not in _ancestors([node]):
                raise GraphError(f"the memory at {memory.address:#x} is freed by a node that does not wait for the one that allocates it")
            last[memory] = node.kind
        self.own = list(allocated)
        self.kept = [each for each in self.own if last[each] == ALLOCATION]
        """What stays allocated behind a launch."""
        self.others = [each for each in last if each not in allocated]
        """What other graphs have allocated."""

    def __bool__(self) -> bool:
        return bool(self.own or self.others)

    def begin(self, stream: Stream, frees: bool) -> None:
        """Allocate for a launch. Raises GraphError, DeviceMemoryError.

        frees : whether what is left of the launch before is freed, else an error.
        """
        for each in self.own:
            if each.live and not frees:
                raise GraphError(f"the memory at {each.address:#x} is still allocated, by an earlier launch of the graph")
        for each in self.others:
            if not each.live:
                raise GraphError(f"the memory at {each.address:#x} is to be freed, and no launch has allocated it")
        given: list[GraphAllocation] = []
        try:
            for each in self.own:
                if _of(each).give(each, stream):
                    given.append(each)
        except DeviceMemoryError:
            for each in given:
                _of(each).leave(each)
            raise

    def end(self, stream: Stream, operation: Operation) -> None:
        """Free behind a launch what it frees."""
        for each in self.own:
            if each in self.kept:
                each.live = True
            else:
                _of(each).take_back(each, stream, (operation,), own_launch=True)
        for each in self.others:
            _of(each).take_back(each, stream, (operation,))


def check_unused(graph: Graph, executable: Executable) -> None:
    """Let a graph with memory of its own have one executable graph at a time. Raises GraphError."""
    if graph.executable is not None and not graph.executable.destroyed:
        raise GraphError(f"{graph!r} allocates or frees memory, and was instantiated already: one executable graph at a time may do so", supported=False)
    graph.executable = executable


def _of(allocation: GraphAllocation) -> GraphMemory:
    context = allocation.memories[0].context
    assert context is not None, "its node was added to a device that is in use"
    return context.graph_memory


def _ancestors(nodes: Iterable[Node]) -> set[Node]:
    """Give some nodes, and all that they wait for."""
    found: set[Node] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += node.after
    return found
