"""What is asked and told of nodes beyond their work, in the runtime's way: attributes of launches, events, numbers, a drawing."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from archdef.files import atomic
from archdef.host import Event, Executable, Graph, Node
from archdef.host.graph import KERNEL, RECORD, WAIT, Work
from archdef.host.graph_dot import dot
from archdef.runtime.base import Part
from archdef.runtime.launch_calls import COOPERATIVE, LAUNCH_HINTS
from archdef.runtime.status import Refusal

VERBOSE, KERNELS = 1 << 0, 1 << 2
_KNOWN_FLAGS: Final = 0x1FFFF & ~(1 << 1)
"""Of a drawing, as driver_types.h has them; those for handles and for nodes that are not here add nothing."""
NODE_ATTRIBUTES: Final = frozenset({1, 2, 4, 5, 8, 9, 10, 11, 13, 16, 17, 18})
"""Attributes of a launch that nodes of graphs may have."""


class GraphToolCalls(Part):
    """The part of a runtime that looks into nodes."""

    if TYPE_CHECKING:
        def _graph(self, graph: object) -> Graph: ...
        def _node(self, node: object) -> Node: ...
        def _executable(self, executable: object) -> Executable: ...
        def exec_node(self, executable: Executable, node: Node) -> Node: ...
        def event_work(self, kind: str, event: Event) -> Work: ...

    # ------------------------------------------------------------------------------------------------------------ drawing
    def GraphDebugDotPrint(self, graph: Graph, path: str | os.PathLike[str], flags: int = 0) -> None:
        """Write a graph as text for Graphviz; with the flag 1 or 4, what each launch is of."""
        atomic.write_text(path, self.graph_dot(graph, flags))

    def graph_dot(self, graph: Graph, flags: int = 0) -> str:
        """Give a graph as text for Graphviz. Raises Refusal for flags that there are not."""
        if flags & ~_KNOWN_FLAGS:
            raise Refusal("InvalidValue", f"a drawing of a graph with the flags {flags:#x}")
        return dot(self._graph(graph), (lambda node: node.work.shape) if flags & (VERBOSE | KERNELS) else lambda node: "")

    # ------------------------------------------------------------------------------------------------------------- numbers
    def GraphGetId(self, graph: Graph) -> int:
        """Give a number that no other graph has."""
        return self._graph(graph).number

    def GraphExecGetId(self, executable: Executable) -> int:
        """Give a number that no other graph has, executable or not."""
        return self._executable(executable).graph.number

    def GraphNodeGetLocalId(self, node: Node) -> int:
        """Give a number that no other node of the graph has."""
        return self._node(node).number

    def GraphNodeGetToolsId(self, node: Node) -> int:
        """Give a number that no other node has."""
        number: int = self._node(node).graph.number << 32 | node.number
        return number

    # -------------------------------------------------------------------------------------------------------------- events
    def GraphEventRecordNodeGetEvent(self, node: Node) -> Event:
        """Give the event that a node records."""
        return self._event_of(node, RECORD)

    def GraphEventWaitNodeGetEvent(self, node: Node) -> Event:
        """Give the event that a node waits for."""
        return self._event_of(node, WAIT)

    def GraphEventRecordNodeSetEvent(self, node: Node, event: Event) -> None:
        """Let a node record another event."""
        self._put_event(self._node(node), RECORD, event)

    def GraphEventWaitNodeSetEvent(self, node: Node, event: Event) -> None:
        """Let a node wait for another event."""
        self._put_event(self._node(node), WAIT, event)

    def GraphExecEventRecordNodeSetEvent(self, executable: Executable, node: Node, event: Event) -> None:
        """Let what stands for a node in an executable graph record another event."""
        self._put_event(self.exec_node(executable, node), RECORD, event)

    def GraphExecEventWaitNodeSetEvent(self, executable: Executable, node: Node, event: Event) -> None:
        """Let it wait for another event."""
        self._put_event(self.exec_node(executable, node), WAIT, event)

    def _event_of(self, node: Node, kind: str) -> Event:
        found = self._node(node).work.given
        if node.kind != kind or not isinstance(found, Event):
            raise Refusal("InvalidValue", f"{node!r} is no {kind} of an event")
        return found

    def _put_event(self, node: Node, kind: str, event: Event) -> None:
        node.change(self.event_work(kind, event))

    # -------------------------------------------------------------------------------------------------------------- graphs
    def GraphExecChildGraphNodeSetParams(self, executable: Executable, node: Node, child: Graph) -> None:
        """Let what stands for a node that is a graph do the work of another graph of the same shape."""
        if not self._executable(executable).update_child(self.exec_node(executable, node), self._graph(child)):
            raise Refusal("InvalidValue", f"{child!r} has not the shape of the graph that {node!r} is")

    # ---------------------------------------------------------------------------------------------- attributes of launches
    def GraphKernelNodeSetAttribute(self, node: Node, attribute: int, value: Any) -> None:
        """Set an attribute of a launch, as `LaunchKernelExC` takes them: 2 cooperative, 4 the blocks of a cluster, or a hint."""
        self._attribute_of(node, attribute)
        self._put_attributes(node, {**node.attributes, attribute: value})

    def GraphKernelNodeGetAttribute(self, node: Node, attribute: int) -> Any:
        """Give an attribute of a launch; None if it was not set."""
        self._attribute_of(node, attribute)
        return node.attributes.get(attribute)

    def GraphKernelNodeCopyAttributes(self, dst: Node, src: Node) -> None:
        """Give a launch the attributes of another."""
        for node in (dst, src):
            self._attribute_of(node, COOPERATIVE)
        self._put_attributes(dst, dict(src.attributes))

    def change_launch(self, node: Node, work: Work) -> None:
        """Let a node launch something else, with the attributes that it has. Raises Refusal, GraphError."""
        node.change(work if not node.attributes or work.again is None else work.again(node.attributes))

    def _attribute_of(self, node: Node, attribute: int) -> None:
        if self._node(node).kind != KERNEL or attribute not in NODE_ATTRIBUTES:
            raise Refusal("InvalidValue", f"the attribute {attribute} of {node!r}")

    @staticmethod
    def _put_attributes(node: Node, attributes: dict[int, Any]) -> None:
        if node.work.again is not None:
            node.change(node.work.again(attributes))
        elif any(attributes.get(number) != node.attributes.get(number) for number in {*attributes, *node.attributes} - LAUNCH_HINTS):
            raise Refusal("NotSupported", f"{node!r} came by stream capture: how it is launched stays as it was")
        node.attributes = attributes
