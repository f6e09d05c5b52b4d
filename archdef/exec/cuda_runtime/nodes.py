"""Nodes of graphs by one structure for all kinds. References: cudaGraphNodeParams of driver_types.h, CUgraphNodeParams of cuda.h."""
from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

import attrs

from archdef.exec.calls import Thread, answers
from archdef.exec.cuda_runtime import conditions, graph_memory, graphs
from archdef.host import Event, Node
from archdef.host.graph import Work
from archdef.runtime.status import Refusal

_HEAD: Final = struct.Struct("<I12x")
"""Kind of the node; what it is made of follows."""
_KERNEL, _COPY, _SET, _HOST, _GRAPH, _EMPTY, _WAIT, _RECORD = range(8)
_ALLOCATION, _FREE = 10, 11
_REFUSED: Final = {8: "semaphores of other programs", 9: "semaphores of other programs"}
_CONDITIONAL: Final = 13
_COPY_HEAD: Final = struct.Struct("<i12x")
"""cudaMemcpyNodeParams up to the copy: flags."""
_CHILD: Final = struct.Struct("<QI")
"""cudaChildGraphNodeParams: graph, and whether the node takes it over, which before CUDA 12.9 were zeros behind the graph."""


@attrs.frozen
class Kinds:
    """What reads the structures of launches and copies, which the runtime and the driver have in two ways."""

    kernel: Callable[[Thread, int], Work]
    copy: Callable[[Thread, int], Work]


_RUNTIME: Final = Kinds(graphs.kernel_work, graphs.copy_work)


def _kind(thread: Thread, parameters: int) -> int:
    return int(_HEAD.unpack(thread.memory.get(parameters, _HEAD.size))[0])


def work(thread: Thread, parameters: int, kinds: Kinds) -> Work:
    """Give what a node does. Raises Refusal for nodes that do no work of their own, and for those that graphs do not have here."""
    kind, inside = _kind(thread, parameters), parameters + _HEAD.size
    if kind == _KERNEL:
        return kinds.kernel(thread, inside)
    if kind == _COPY:
        if _COPY_HEAD.unpack(thread.memory.get(inside, _COPY_HEAD.size)) != (0,):
            raise Refusal("InvalidValue", "a node that copies, with flags")
        return kinds.copy(thread, inside + _COPY_HEAD.size)
    if kind == _SET:
        return graphs.set_work(thread, inside)
    if kind == _HOST:
        return graphs.host_work(thread, inside)
    if kind in (_WAIT, _RECORD):
        return thread.runtime.event_work("wait" if kind == _WAIT else "record", thread.session.thing(thread.memory.word(inside), Event))
    if kind in (_GRAPH, _EMPTY, _ALLOCATION, _FREE, _CONDITIONAL):
        raise Refusal("NotSupported", "a node that is a graph, allocates, frees, decides or does nothing, stays as it is")
    raise Refusal("NotSupported" if kind in _REFUSED else "InvalidValue", f"graphs have no nodes of {_REFUSED.get(kind, f'kind {kind}')} here")


def add(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int, kinds: Kinds) -> None:
    """Add a node of any kind. Raises Refusal."""
    kind = _kind(thread, parameters)
    if kind == _EMPTY:
        graphs.add_empty(thread, out, graph, dependencies, count)
    elif kind == _GRAPH:
        child, taken_over = _CHILD.unpack(thread.memory.get(parameters + _HEAD.size, _CHILD.size))
        if taken_over:
            raise Refusal("NotSupported", "a node that takes its graph over: let it be copied")
        graphs.add_child(thread, out, graph, dependencies, count, child)
    elif kind == _ALLOCATION:
        graph_memory.add_allocation(thread, out, graph, dependencies, count, parameters + _HEAD.size)
    elif kind == _CONDITIONAL:
        conditions.add(thread, out, graph, dependencies, count, parameters + _HEAD.size)
    elif kind == _FREE:
        graph_memory.add_free(thread, out, graph, dependencies, count, thread.memory.word(parameters + _HEAD.size))
    else:
        graphs.add_work(thread, out, graph, dependencies, count, work(thread, parameters, kinds))


@answers("cudaGraphAddNode")
def add_node(thread: Thread, out: int, graph: int, dependencies: int, edges: int, count: int, parameters: int) -> None:
    """Add a node; before CUDA 13 there was no data of edges."""
    if not graphs.with_edges(thread):
        edges, count, parameters = 0, edges, count
    add_node_2(thread, out, graph, dependencies, edges, count, parameters)


@answers("cudaGraphAddNode_v2")
def add_node_2(thread: Thread, out: int, graph: int, dependencies: int, edges: int, count: int, parameters: int) -> None:
    """Add a node, with data of the edges."""
    graphs.plain_edges(thread, edges, count)
    add(thread, out, graph, dependencies, count, parameters, _RUNTIME)


@answers("cudaGraphNodeSetParams")
def set_node(thread: Thread, node: int, parameters: int) -> None:
    """Let a node do something else of its kind."""
    thread.runtime.change_launch(graphs.thing(thread.session, node, Node), work(thread, parameters, _RUNTIME))


@answers("cudaGraphExecNodeSetParams")
def set_exec_node(thread: Thread, executable: int, node: int, parameters: int) -> None:
    """Let what stands for it in an executable graph do something else of its kind."""
    thread.runtime.change_launch(graphs.exec_node(thread, executable, node), work(thread, parameters, _RUNTIME))
