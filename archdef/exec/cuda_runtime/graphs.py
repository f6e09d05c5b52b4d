"""Graphs: their nodes, what nodes are made of, and launches. References: driver_types.h of CUDA for the structures, cuda_runtime_api.h of 11, 12, 13."""
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from archdef.errors import GraphError
from archdef.exec.calls import Int, Thread, UInt, answers, refuses, signed
from archdef.exec.cuda_runtime.copies import copy_ends, rows_of
from archdef.exec.cuda_runtime.launches import arguments_at
from archdef.exec.cuda_runtime.memory import check_direction
from archdef.exec.user_objects import UserObject
from archdef.host import Event, Executable, Graph, Node
from archdef.host.graph import Work
from archdef.runtime.graphs import in_turn
from archdef.runtime.status import STATUS, Refusal

if TYPE_CHECKING:
    from archdef.exec.session import Session

_KERNEL: Final = struct.Struct("<Q7I4xQQ")
"""cudaKernelNodeParams: function, grid, block, dynamic shared bytes, addresses of the arguments, the same packed."""
_COPY: Final = struct.Struct("<Q3Q4QQ3Q4Q3Qi4x")
"""cudaMemcpy3DParms: array, position, pitched pointer of the source; the same of the destination; extent, direction."""
_MEMSET: Final = struct.Struct("<2Q2I2Q")
"""cudaMemsetParams: address, pitch, value, bytes of an element, elements of a row, rows."""
_HOST: Final = struct.Struct("<2Q")
"""cudaHostNodeParams: function, argument."""
_UPDATE: Final = struct.Struct("<i4xQQ")
"""cudaGraphExecUpdateResultInfo: result, node, node before it."""
_INSTANTIATE: Final = struct.Struct("<QQQi4x")
"""cudaGraphInstantiateParams: flags, stream, node that is wrong, result."""
_UPDATED, _NOT_THE_SAME = 0, 2
_INSTANTIATED, _INVALID_STRUCTURE = 0, 2
_EDGE_BYTES: Final = 8
_EDGES_BY_DEFAULT: Final = 13
"""The version of CUDA from which on functions without a version in their names take data of edges."""
_Thing = TypeVar("_Thing")


def thing(session: Session, handle: int, kind: type[_Thing]) -> _Thing:
    """Give what a handle of graphs stands for. Raises Refusal, with the status that CUDA gives for these."""
    try:
        return session.thing(handle, kind)
    except Refusal as refusal:
        raise Refusal("InvalidValue", str(refusal)) from None


def nodes_at(thread: Thread, address: int, count: int) -> list[Node]:
    """Read handles of nodes."""
    if not count:
        return []
    handles = struct.unpack(f"<{count}Q", thread.memory.get(address, 8 * count))
    return [thing(thread.session, handle, Node) for handle in handles]


def put_nodes(thread: Thread, outs: Sequence[int], count_out: int, rows: Sequence[Sequence[Node]], edges: int = 0) -> None:
    """Write handles of nodes, a list for each of `outs`, into the room that the program says it has there; without room, how many there are."""
    if not all(outs):
        thread.memory.put_word(count_out, len(rows[0]))
        return
    room = thread.memory.word(count_out)
    for out, nodes in zip(outs, rows, strict=True):
        handles = [thread.session.handle_of(node) for node in nodes[:room]]
        thread.memory.put(out, struct.pack(f"<{len(handles)}Q", *handles))
        thread.memory.clear(out + 8 * len(handles), 8 * (room - len(handles)))
    if edges:
        thread.memory.put(edges, bytes(_EDGE_BYTES * min(room, len(rows[0]))))
    thread.memory.put_word(count_out, min(room, len(rows[0])))


def plain_edges(thread: Thread, address: int, count: int) -> None:
    """Refuse dependencies on less than the end of a kernel."""
    if address and any(thread.memory.get(address, _EDGE_BYTES * count)):
        raise Refusal("NotSupported", "dependencies on part of a kernel (programmatic launch): nodes wait for the ends of others here")


def given(thread: Thread, node: Node, layout: struct.Struct) -> tuple[int, ...]:
    """Give the fields of the structure that a node was made by. Raises Refusal if it was made by another one, or by none."""
    if not isinstance(node.work.given, bytes) or len(node.work.given) != layout.size:
        raise Refusal("NotSupported", f"the parameters of {node!r} are not known: it came by stream capture, or is of another kind")
    return layout.unpack(node.work.given)


# --------------------------------------------------------------------------------------------------------------- kernels
def kernel_work(thread: Thread, parameters: int) -> Work:
    """Give a launch as the work of a node, by a cudaKernelNodeParams. Raises Refusal."""
    data = thread.memory.get(parameters, _KERNEL.size)
    stub, *shapes, shared_bytes, arguments, extra = _KERNEL.unpack(data)
    if extra:
        raise Refusal("NotSupported", "a kernel whose arguments are packed (`extra`): give kernelParams")
    kernel = thread.session.kernel(stub)
    values = arguments_at(thread, kernel, arguments)
    return thread.runtime.kernel_work(kernel, tuple(shapes[:3]), tuple(shapes[3:]), values, shared_bytes,
                                      given=(stub, *shapes, shared_bytes, values))


@answers("cudaGraphAddKernelNode")
def add_kernel(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add a launch."""
    add_work(thread, out, graph, dependencies, count, kernel_work(thread, parameters))


@answers("cudaGraphKernelNodeSetParams")
def set_kernel(thread: Thread, node: int, parameters: int) -> None:
    """Let a node launch something else."""
    thread.runtime.change_launch(thing(thread.session, node, Node), kernel_work(thread, parameters))


@answers("cudaGraphExecKernelNodeSetParams")
def set_exec_kernel(thread: Thread, executable: int, node: int, parameters: int) -> None:
    """Let what stands for it in an executable graph launch something else."""
    thread.runtime.change_launch(exec_node(thread, executable, node), kernel_work(thread, parameters))


@answers("cudaGraphKernelNodeGetParams")
def get_kernel(thread: Thread, node: int, out: int) -> None:
    """Give what a node launches; the arguments lie in memory that stays until the program ends."""
    found = thing(thread.session, node, Node)
    if not isinstance(found.work.given, tuple):
        raise Refusal("InvalidValue", f"{found!r} is no kernel")
    stub, *shapes, shared_bytes, values = found.work.given
    address = 0
    if values:
        places, data = [], b""
        for value in values:
            places.append(len(data))
            data += value.ljust(-(-len(value) // 16) * 16, b"\0")
        address = thread.session.lasting(thread.connection, 8 * len(values) + len(data))
        start = address + 8 * len(values)
        thread.memory.put(address, struct.pack(f"<{len(values)}Q", *(start + place for place in places)) + data)
    thread.memory.put(out, _KERNEL.pack(stub, *shapes, shared_bytes, address, 0))


# ---------------------------------------------------------------------------------------------------------- copies and sets
def copy_work(thread: Thread, parameters: int) -> Work:
    """Give a copy, by a cudaMemcpy3DParms. Raises Refusal."""
    data = thread.memory.get(parameters, _COPY.size)
    fields = _COPY.unpack(data)
    source, to, extent, kind = fields[:8], fields[8:16], fields[16:19], fields[19]
    if source[0] or to[0]:
        raise Refusal("NotSupported", "a node that copies arrays (cudaArray): graphs copy plain memory here")
    works = [plain_copy(thread, there, here, width, kind) for there, here, width in rows_of(source[1:], to[1:], extent)]
    return in_turn(works, data)


def plain_copy(thread: Thread, to: int, source: int, nbytes: int, kind: int) -> Work:
    """Give a copy of bytes as the work of a node. Raises Refusal."""
    check_direction(thread, (to, thread.session.pointer(to)), (source, thread.session.pointer(source)), kind)
    return thread.runtime.copy_work(*copy_ends(thread, to, source, nbytes), nbytes)


@answers("cudaGraphAddMemcpyNode")
def add_copy(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add a copy of rows and planes."""
    add_work(thread, out, graph, dependencies, count, copy_work(thread, parameters))


@answers("cudaGraphAddMemcpyNode1D")
def add_copy_1d(thread: Thread, out: int, graph: int, dependencies: int, count: int, to: int, source: int, nbytes: int, kind: Int) -> None:
    """Add a copy."""
    add_work(thread, out, graph, dependencies, count, plain_copy(thread, to, source, nbytes, kind))


@answers("cudaGraphMemcpyNodeSetParams")
def set_copy(thread: Thread, node: int, parameters: int) -> None:
    """Let a node copy something else."""
    thing(thread.session, node, Node).change(copy_work(thread, parameters))


@answers("cudaGraphMemcpyNodeSetParams1D")
def set_copy_1d(thread: Thread, node: int, to: int, source: int, nbytes: int, kind: Int) -> None:
    """Let a node copy something else."""
    thing(thread.session, node, Node).change(plain_copy(thread, to, source, nbytes, kind))


@answers("cudaGraphExecMemcpyNodeSetParams")
def set_exec_copy(thread: Thread, executable: int, node: int, parameters: int) -> None:
    """Let what stands for it in an executable graph copy something else."""
    exec_node(thread, executable, node).change(copy_work(thread, parameters))


@answers("cudaGraphExecMemcpyNodeSetParams1D")
def set_exec_copy_1d(thread: Thread, executable: int, node: int, to: int, source: int, nbytes: int, kind: Int) -> None:
    """Let what stands for it in an executable graph copy something else."""
    exec_node(thread, executable, node).change(plain_copy(thread, to, source, nbytes, kind))


@answers("cudaGraphMemcpyNodeGetParams")
def get_copy(thread: Thread, node: int, out: int) -> None:
    """Give what a node copies."""
    thread.memory.put(out, _COPY.pack(*given(thread, thing(thread.session, node, Node), _COPY)))


def set_work(thread: Thread, parameters: int) -> Work:
    """Give a set, by a cudaMemsetParams. Raises Refusal."""
    data = thread.memory.get(parameters, _MEMSET.size)
    address, pitch, value, size, width, height = _MEMSET.unpack(data)
    if (pointer := thread.session.pointer(address)) is None:
        raise Refusal("InvalidValue", f"no device memory lies at {address:#x}")
    return thread.runtime.set_work(pointer, value, size, width, height, pitch, given=data)


@answers("cudaGraphAddMemsetNode")
def add_set(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add a set."""
    add_work(thread, out, graph, dependencies, count, set_work(thread, parameters))


@answers("cudaGraphMemsetNodeSetParams")
def set_set(thread: Thread, node: int, parameters: int) -> None:
    """Let a node set something else."""
    thing(thread.session, node, Node).change(set_work(thread, parameters))


@answers("cudaGraphExecMemsetNodeSetParams")
def set_exec_set(thread: Thread, executable: int, node: int, parameters: int) -> None:
    """Let what stands for it in an executable graph set something else."""
    exec_node(thread, executable, node).change(set_work(thread, parameters))


@answers("cudaGraphMemsetNodeGetParams")
def get_set(thread: Thread, node: int, out: int) -> None:
    """Give what a node sets."""
    thread.memory.put(out, _MEMSET.pack(*given(thread, thing(thread.session, node, Node), _MEMSET)))


# ------------------------------------------------------------------------------------------------------- functions and others
def host_work(thread: Thread, parameters: int) -> Work:
    """Give a call of a function of the program, by a cudaHostNodeParams. Raises Refusal."""
    data = thread.memory.get(parameters, _HOST.size)
    function, argument = _HOST.unpack(data)
    if not function:
        raise Refusal("InvalidValue", "a node that calls no function")
    called, issued = thread.session.serve(thread).expected(function, argument)
    return thread.runtime.function_work(called, issued=issued, given=data)


@answers("cudaGraphAddHostNode")
def add_host(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add a call of a function of the program."""
    add_work(thread, out, graph, dependencies, count, host_work(thread, parameters))


@answers("cudaGraphHostNodeSetParams")
def set_host(thread: Thread, node: int, parameters: int) -> None:
    """Let a node call something else."""
    thing(thread.session, node, Node).change(host_work(thread, parameters))


@answers("cudaGraphExecHostNodeSetParams")
def set_exec_host(thread: Thread, executable: int, node: int, parameters: int) -> None:
    """Let what stands for it in an executable graph call something else."""
    exec_node(thread, executable, node).change(host_work(thread, parameters))


@answers("cudaGraphHostNodeGetParams")
def get_host(thread: Thread, node: int, out: int) -> None:
    """Give what a node calls."""
    thread.memory.put(out, _HOST.pack(*given(thread, thing(thread.session, node, Node), _HOST)))


@answers("cudaGraphAddEmptyNode")
def add_empty(thread: Thread, out: int, graph: int, dependencies: int, count: int) -> None:
    """Add a node that does nothing."""
    node = thread.runtime.GraphAddEmptyNode(thing(thread.session, graph, Graph), nodes_at(thread, dependencies, count))
    thread.memory.put_word(out, thread.session.handle_of(node))


@answers("cudaGraphAddChildGraphNode")
def add_child(thread: Thread, out: int, graph: int, dependencies: int, count: int, child: int) -> None:
    """Add all of another graph."""
    parent, found = thing(thread.session, graph, Graph), thing(thread.session, child, Graph)
    node = thread.runtime.GraphAddChildGraphNode(parent, nodes_at(thread, dependencies, count), found)
    thread.session.user_objects.share(found, parent)
    thread.memory.put_word(out, thread.session.handle_of(node))


@answers("cudaGraphChildGraphNodeGetGraph")
def child_of(thread: Thread, node: int, out: int) -> None:
    """Give the graph that a node is."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.GraphChildGraphNodeGetGraph(thing(thread.session, node, Node))))


@answers("cudaGraphAddEventRecordNode")
def add_record(thread: Thread, out: int, graph: int, dependencies: int, count: int, event: int) -> None:
    """Add the record of an event."""
    add_work(thread, out, graph, dependencies, count, thread.runtime.event_work("record", thread.session.thing(event, Event)))


@answers("cudaGraphAddEventWaitNode")
def add_wait(thread: Thread, out: int, graph: int, dependencies: int, count: int, event: int) -> None:
    """Add that an event is waited for."""
    add_work(thread, out, graph, dependencies, count, thread.runtime.event_work("wait", thread.session.thing(event, Event)))


# ---------------------------------------------------------------------------------------------------------------- graphs
def add_work(thread: Thread, out: int, graph: int, dependencies: int, count: int, work: Work) -> None:
    """Add a node."""
    node = thing(thread.session, graph, Graph).add(work, nodes_at(thread, dependencies, count))
    thread.memory.put_word(out, thread.session.handle_of(node))


@answers("cudaGraphCreate")
def create(thread: Thread, out: int, flags: UInt) -> None:
    """Make an empty one."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.GraphCreate(flags)))


@answers("cudaGraphDestroy")
def destroy(thread: Thread, graph: int) -> None:
    """Give one up, and its nodes."""
    found = thing(thread.session, graph, Graph)
    thread.runtime.GraphDestroy(found)
    _forget(thread, found)
    destroy_objects(thread, thread.session.user_objects.drop(found))


def _forget(thread: Thread, graph: Graph) -> None:
    """Let the handles of a graph stand for nothing, and those of its nodes and of the graphs in them."""
    for each in (graph, *graph):
        thread.session.forget_thing(each)
    for inner in graph.inner:
        _forget(thread, inner)


def destroy_objects(thread: Thread, things: Sequence[UserObject]) -> None:
    """Call the destructors of what nobody needs, on the calling thread, which may have a lock that they take, as Python's."""
    for each in things:
        thread.session.forget_thing(each)
        thread.connection.call(each.destructor, each.address)


@answers("cudaGraphClone")
def clone(thread: Thread, out: int, graph: int) -> None:
    """Copy one."""
    found = thing(thread.session, graph, Graph)
    copied = thread.runtime.GraphClone(found)
    thread.session.user_objects.share(found, copied)
    thread.memory.put_word(out, thread.session.handle_of(copied))


@answers("cudaGraphNodeFindInClone")
def find_in_clone(thread: Thread, out: int, node: int, graph: int) -> None:
    """Give the copy of a node."""
    found = thread.runtime.GraphNodeFindInClone(thing(thread.session, node, Node), thing(thread.session, graph, Graph))
    thread.memory.put_word(out, thread.session.handle_of(found))


@answers("cudaGraphDestroyNode")
def destroy_node(thread: Thread, node: int) -> None:
    """Take a node out of its graph."""
    found = thing(thread.session, node, Node)
    thread.runtime.GraphDestroyNode(found)
    thread.session.forget_thing(found)
    for inner in found.inner:
        _forget(thread, inner)


@answers("cudaGraphNodeGetType")
def node_type(thread: Thread, node: int, out: int) -> None:
    """Say what a node does."""
    thread.memory.put_word(out, thread.runtime.GraphNodeGetType(thing(thread.session, node, Node)), 4)


@answers("cudaGraphNodeGetContainingGraph")
def graph_of(thread: Thread, node: int, out: int) -> None:
    """Give the graph of a node."""
    thread.memory.put_word(out, thread.session.handle_of(thing(thread.session, node, Node).graph))


@answers("cudaGraphGetNodes")
def get_nodes(thread: Thread, graph: int, nodes_out: int, count_out: int) -> None:
    """List the nodes."""
    put_nodes(thread, [nodes_out], count_out, [thread.runtime.GraphGetNodes(thing(thread.session, graph, Graph))])


@answers("cudaGraphGetRootNodes")
def get_roots(thread: Thread, graph: int, nodes_out: int, count_out: int) -> None:
    """List the nodes that wait for no other."""
    put_nodes(thread, [nodes_out], count_out, [thread.runtime.GraphGetRootNodes(thing(thread.session, graph, Graph))])


def with_edges(thread: Thread) -> bool:
    """Say whether functions without a version in their names take data of edges, as the program was compiled."""
    return thread.session.cuda >= _EDGES_BY_DEFAULT


@answers("cudaGraphGetEdges")
def get_edges(thread: Thread, graph: int, from_out: int, to_out: int, edges: int, count_out: int) -> None:
    """List the dependencies."""
    if not with_edges(thread):
        edges, count_out = 0, edges
    get_edges_2(thread, graph, from_out, to_out, edges, count_out)


@answers("cudaGraphGetEdges_v2")
def get_edges_2(thread: Thread, graph: int, from_out: int, to_out: int, edges: int, count_out: int) -> None:
    """List the dependencies, with data of each, which is 0."""
    pairs = thread.runtime.GraphGetEdges(thing(thread.session, graph, Graph))
    put_nodes(thread, [from_out, to_out], count_out, [[one for one, _ in pairs], [other for _, other in pairs]], edges)


@answers("cudaGraphNodeGetDependencies")
def get_dependencies(thread: Thread, node: int, nodes_out: int, edges: int, count_out: int) -> None:
    """List what a node waits for."""
    found = thread.runtime.GraphNodeGetDependencies(thing(thread.session, node, Node))
    put_nodes(thread, [nodes_out], count_out if with_edges(thread) else edges, [found], edges if with_edges(thread) else 0)


@answers("cudaGraphNodeGetDependencies_v2")
def get_dependencies_2(thread: Thread, node: int, nodes_out: int, edges: int, count_out: int) -> None:
    """List what a node waits for, with data of each, which is 0."""
    put_nodes(thread, [nodes_out], count_out, [thread.runtime.GraphNodeGetDependencies(thing(thread.session, node, Node))], edges)


@answers("cudaGraphNodeGetDependentNodes")
def get_dependents(thread: Thread, node: int, nodes_out: int, edges: int, count_out: int) -> None:
    """List what waits for a node."""
    found = thread.runtime.GraphNodeGetDependentNodes(thing(thread.session, node, Node))
    put_nodes(thread, [nodes_out], count_out if with_edges(thread) else edges, [found], edges if with_edges(thread) else 0)


@answers("cudaGraphNodeGetDependentNodes_v2")
def get_dependents_2(thread: Thread, node: int, nodes_out: int, edges: int, count_out: int) -> None:
    """List what waits for a node, with data of each, which is 0."""
    put_nodes(thread, [nodes_out], count_out, [thread.runtime.GraphNodeGetDependentNodes(thing(thread.session, node, Node))], edges)


@answers("cudaGraphAddDependencies")
def add_dependencies(thread: Thread, graph: int, from_: int, to: int, edges: int, count: int) -> None:
    """Let nodes wait for others."""
    if not with_edges(thread):
        edges, count = 0, edges
    add_dependencies_2(thread, graph, from_, to, edges, count)


@answers("cudaGraphAddDependencies_v2")
def add_dependencies_2(thread: Thread, graph: int, from_: int, to: int, edges: int, count: int) -> None:
    """Let nodes wait for others."""
    plain_edges(thread, edges, count)
    thread.runtime.GraphAddDependencies(thing(thread.session, graph, Graph), nodes_at(thread, from_, count), nodes_at(thread, to, count))


@answers("cudaGraphRemoveDependencies")
def remove_dependencies(thread: Thread, graph: int, from_: int, to: int, edges: int, count: int) -> None:
    """Take dependencies away."""
    remove_dependencies_2(thread, graph, from_, to, 0, count if with_edges(thread) else edges)


@answers("cudaGraphRemoveDependencies_v2")
def remove_dependencies_2(thread: Thread, graph: int, from_: int, to: int, edges: int, count: int) -> None:
    """Take dependencies away."""
    thread.runtime.GraphRemoveDependencies(thing(thread.session, graph, Graph), nodes_at(thread, from_, count), nodes_at(thread, to, count))


# ----------------------------------------------------------------------------------------------------- executable graphs
def exec_node(thread: Thread, executable: int, node: int) -> Node:
    """Give what stands for a node in an executable graph. Raises Refusal."""
    return thread.runtime.exec_node(thing(thread.session, executable, Executable), thing(thread.session, node, Node))


@answers("cudaGraphInstantiate")
def instantiate(thread: Thread, out: int, graph: int, flags: int, log: int, log_bytes: int) -> None:
    """Make one that can be launched. Before CUDA 12 the third argument is where the node that is wrong goes, and a text about it follows."""
    if thread.session.cuda >= 12:
        instantiate_with_flags(thread, out, graph, flags)
        return
    instantiate_with_log(thread, out, graph, flags, log, log_bytes)


def instantiate_with_log(thread: Thread, out: int, graph: int, wrong_out: int, log: int, log_bytes: int) -> None:
    """Make one that can be launched; a text says what is wrong."""
    if wrong_out:
        thread.memory.put_word(wrong_out, 0)
    try:
        instantiate_with_flags(thread, out, graph, 0)
    except GraphError as error:
        if log and log_bytes:
            thread.memory.put(log, str(error).encode()[:log_bytes - 1] + b"\0")
        raise


@answers("cudaGraphInstantiateWithFlags")
def instantiate_with_flags(thread: Thread, out: int, graph: int, flags: int) -> None:
    """Make one that can be launched."""
    found = thing(thread.session, graph, Graph)
    made = thread.runtime.GraphInstantiate(found, flags)
    thread.session.user_objects.share(found, made)
    thread.memory.put_word(out, thread.session.handle_of(made))


@answers("cudaGraphInstantiateWithParams", "cudaGraphInstantiateWithParams_ptsz")
def instantiate_with_params(thread: Thread, out: int, graph: int, parameters: int) -> None:
    """Make one that can be launched, and say in a structure whether that went well."""
    flags, stream, _, _ = _INSTANTIATE.unpack(thread.memory.get(parameters, _INSTANTIATE.size))
    thread.session.stream(stream)
    try:
        instantiate_with_flags(thread, out, graph, flags)
    except GraphError:
        thread.memory.put(parameters, _INSTANTIATE.pack(flags, stream, 0, _INVALID_STRUCTURE))
        raise
    thread.memory.put(parameters, _INSTANTIATE.pack(flags, stream, 0, _INSTANTIATED))


@answers("cudaGraphLaunch", "cudaGraphLaunch_ptsz")
def launch(thread: Thread, executable: int, stream: int) -> None:
    """Put all of it into a stream."""
    if thread.session.unseen:
        thread.session.see_managed()
    thread.runtime.GraphLaunch(thing(thread.session, executable, Executable), thread.session.stream(stream), thread.session.tally.launched)


@answers("cudaGraphUpload", "cudaGraphUpload_ptsz")
def upload(thread: Thread, executable: int, stream: int) -> None:
    """Check both."""
    thread.runtime.GraphUpload(thing(thread.session, executable, Executable), thread.session.stream(stream))


@answers("cudaGraphExecDestroy")
def destroy_exec(thread: Thread, executable: int) -> None:
    """Give one up. What it holds is needed until launches of it have ended."""
    found = thing(thread.session, executable, Executable)
    _wait_for_objects(thread, found)
    thread.runtime.GraphExecDestroy(found)
    thread.session.forget_thing(found)
    destroy_objects(thread, thread.session.user_objects.drop(found))


def _wait_for_objects(thread: Thread, executable: Executable) -> None:
    """Wait for launches, if they may need objects that an executable graph holds. Streams that are captured have none."""
    if thread.session.user_objects.holds(executable):
        for device in thread.runtime.devices.all():
            if device.streams_in_use:
                device.context.drain()


@answers("cudaGraphExecGetFlags")
def exec_flags(thread: Thread, executable: int, out: int) -> None:
    """Give the flags that it was made with."""
    thread.memory.put_word(out, thread.runtime.GraphExecGetFlags(thing(thread.session, executable, Executable)))


@answers("cudaGraphExecUpdate")
def update(thread: Thread, executable: int, graph: int, out: int, result_out: int) -> int:
    """Do what another graph says; before CUDA 12 the node that does not fit and the result go to two addresses."""
    return updated(thread, executable, graph, out if thread.session.cuda >= 12 else (out, result_out))


def updated(thread: Thread, executable: int, graph: int, out: int | tuple[int, int]) -> int:
    """Do what another graph says; what came of that goes to one structure, or node and result go to two addresses."""
    found, other = thing(thread.session, executable, Executable), thing(thread.session, graph, Graph)
    fits, wrong = found.update(other)
    if fits:
        _wait_for_objects(thread, found)
        destroy_objects(thread, thread.session.user_objects.replace(found, other))
    node, result = 0 if wrong is None else thread.session.handle_of(wrong), _UPDATED if fits else _NOT_THE_SAME
    if isinstance(out, tuple):
        thread.memory.put_word(out[0], node)
        thread.memory.put_word(out[1], result, 4)
    else:
        thread.memory.put(out, _UPDATE.pack(result, node, 0))
    return 0 if fits else STATUS["GraphExecUpdateFailure"][0]


@answers("cudaGraphNodeSetEnabled")
def set_enabled(thread: Thread, executable: int, node: int, enabled: UInt) -> None:
    """Do a node, or leave it out."""
    thread.runtime.GraphNodeSetEnabled(thing(thread.session, executable, Executable), thing(thread.session, node, Node), signed(enabled))


@answers("cudaGraphNodeGetEnabled")
def get_enabled(thread: Thread, executable: int, node: int, out: int) -> None:
    """Say whether it does a node."""
    enabled = thread.runtime.GraphNodeGetEnabled(thing(thread.session, executable, Executable), thing(thread.session, node, Node))
    thread.memory.put_word(out, enabled, 4)


refuses("nodes that wait for or signal semaphores of other programs: there are none here",
        "cudaGraphAddExternalSemaphoresSignalNode", "cudaGraphAddExternalSemaphoresWaitNode")
