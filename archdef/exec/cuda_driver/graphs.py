"""Graphs and stream capture: the runtime's answers under the driver's names, and what the driver has in another way. Reference: cuda.h."""
from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from archdef.exec.calls import CALLS, Thread, UInt
from archdef.exec.cuda_driver import boxes
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.kernels import kernel_of
from archdef.exec.cuda_runtime import capture, graphs, nodes
from archdef.exec.cuda_runtime.launches import arguments_at
from archdef.host import Node
from archdef.host.graph import Work
from archdef.runtime.graphs import in_turn
from archdef.runtime.status import Refusal

_SAME: Final = {
    "cuGraphAddChildGraphNode": "cudaGraphAddChildGraphNode",
    "cuGraphAddDependencies_v2": "cudaGraphAddDependencies_v2",
    "cuGraphAddEmptyNode": "cudaGraphAddEmptyNode",
    "cuGraphAddEventRecordNode": "cudaGraphAddEventRecordNode",
    "cuGraphAddEventWaitNode": "cudaGraphAddEventWaitNode",
    "cuGraphAddHostNode": "cudaGraphAddHostNode",
    "cuGraphAddMemAllocNode": "cudaGraphAddMemAllocNode",
    "cuGraphAddMemFreeNode": "cudaGraphAddMemFreeNode",
    "cuGraphAddMemsetNode": "cudaGraphAddMemsetNode",
    "cuGraphChildGraphNodeGetGraph": "cudaGraphChildGraphNodeGetGraph",
    "cuGraphClone": "cudaGraphClone",
    "cuGraphConditionalHandleCreate": "cudaGraphConditionalHandleCreate_v2",
    "cuGraphCreate": "cudaGraphCreate",
    "cuGraphDebugDotPrint": "cudaGraphDebugDotPrint",
    "cuGraphDestroy": "cudaGraphDestroy",
    "cuGraphDestroyNode": "cudaGraphDestroyNode",
    "cuGraphEventRecordNodeGetEvent": "cudaGraphEventRecordNodeGetEvent",
    "cuGraphEventRecordNodeSetEvent": "cudaGraphEventRecordNodeSetEvent",
    "cuGraphEventWaitNodeGetEvent": "cudaGraphEventWaitNodeGetEvent",
    "cuGraphEventWaitNodeSetEvent": "cudaGraphEventWaitNodeSetEvent",
    "cuGraphExecChildGraphNodeSetParams": "cudaGraphExecChildGraphNodeSetParams",
    "cuGraphExecDestroy": "cudaGraphExecDestroy",
    "cuGraphExecEventRecordNodeSetEvent": "cudaGraphExecEventRecordNodeSetEvent",
    "cuGraphExecEventWaitNodeSetEvent": "cudaGraphExecEventWaitNodeSetEvent",
    "cuGraphExecGetFlags": "cudaGraphExecGetFlags",
    "cuGraphExecGetId": "cudaGraphExecGetId",
    "cuGraphExecHostNodeSetParams": "cudaGraphExecHostNodeSetParams",
    "cuGraphExecMemsetNodeSetParams": "cudaGraphExecMemsetNodeSetParams",
    "cuGraphGetEdges_v2": "cudaGraphGetEdges_v2",
    "cuGraphGetId": "cudaGraphGetId",
    "cuGraphGetNodes": "cudaGraphGetNodes",
    "cuGraphGetRootNodes": "cudaGraphGetRootNodes",
    "cuGraphHostNodeGetParams": "cudaGraphHostNodeGetParams",
    "cuGraphHostNodeSetParams": "cudaGraphHostNodeSetParams",
    "cuGraphInstantiateWithFlags": "cudaGraphInstantiateWithFlags",
    "cuGraphInstantiateWithParams": "cudaGraphInstantiateWithParams",
    "cuGraphKernelNodeCopyAttributes": "cudaGraphKernelNodeCopyAttributes",
    "cuGraphKernelNodeGetAttribute": "cudaGraphKernelNodeGetAttribute",
    "cuGraphKernelNodeSetAttribute": "cudaGraphKernelNodeSetAttribute",
    "cuGraphLaunch": "cudaGraphLaunch",
    "cuGraphMemAllocNodeGetParams": "cudaGraphMemAllocNodeGetParams",
    "cuGraphMemFreeNodeGetParams": "cudaGraphMemFreeNodeGetParams",
    "cuGraphMemsetNodeGetParams": "cudaGraphMemsetNodeGetParams",
    "cuGraphMemsetNodeSetParams": "cudaGraphMemsetNodeSetParams",
    "cuGraphNodeFindInClone": "cudaGraphNodeFindInClone",
    "cuGraphNodeGetContainingGraph": "cudaGraphNodeGetContainingGraph",
    "cuGraphNodeGetDependencies_v2": "cudaGraphNodeGetDependencies_v2",
    "cuGraphNodeGetDependentNodes_v2": "cudaGraphNodeGetDependentNodes_v2",
    "cuGraphNodeGetEnabled": "cudaGraphNodeGetEnabled",
    "cuGraphNodeGetLocalId": "cudaGraphNodeGetLocalId",
    "cuGraphNodeGetToolsId": "cudaGraphNodeGetToolsId",
    "cuGraphNodeGetType": "cudaGraphNodeGetType",
    "cuGraphNodeSetEnabled": "cudaGraphNodeSetEnabled",
    "cuGraphRemoveDependencies_v2": "cudaGraphRemoveDependencies_v2",
    "cuGraphUpload": "cudaGraphUpload",
    "cuStreamBeginCaptureToGraph": "cudaStreamBeginCaptureToGraph",
    "cuStreamBeginCapture_v2": "cudaStreamBeginCapture",
    "cuStreamEndCapture": "cudaStreamEndCapture",
    "cuStreamGetCaptureInfo_v2": "cudaStreamGetCaptureInfo_v2",
    "cuStreamGetCaptureInfo_v3": "cudaStreamGetCaptureInfo_v3",
    "cuStreamUpdateCaptureDependencies_v2": "cudaStreamUpdateCaptureDependencies_v2",
    "cuThreadExchangeStreamCaptureMode": "cudaThreadExchangeStreamCaptureMode",
}
"""Functions with the same parameters and structures; one that takes a context behind them uses the current one."""
_GLOBAL_MODE: Final = 0
_KERNEL: Final = struct.Struct("<Q7I4xQQ")
"""CUDA_KERNEL_NODE_PARAMS: function, grid, block, dynamic shared bytes, addresses of the arguments, the same packed."""
_KERNEL_2: Final = struct.Struct("<2Q")
"""What its second version has behind that: kernel of a library, context."""

for _name, _runtimes in _SAME.items():
    answers(_name)(CALLS[_runtimes].answer)


# ---------------------------------------------------------------------------------------------------- older versions of some
@answers("cuStreamBeginCapture")
def begin(thread: Thread, stream: int) -> None:
    """Begin a capture as CUDA 10.0 did, which knew one mode."""
    capture.begin(thread, stream, _GLOBAL_MODE)


@answers("cuStreamGetCaptureInfo")
def info(thread: Thread, stream: int, status: int, number: int) -> None:
    """Say whether a stream is captured, and the number of the capture."""
    capture.info_2(thread, stream, status, number, 0, 0, 0)


@answers("cuStreamUpdateCaptureDependencies")
def update_dependencies(thread: Thread, stream: int, nodes: int, count: int, flags: UInt) -> None:
    """Change what the next node waits for."""
    capture.update_dependencies_2(thread, stream, nodes, 0, count, flags)


@answers("cuGraphGetEdges")
def get_edges(thread: Thread, graph: int, from_out: int, to_out: int, count_out: int) -> None:
    """List the dependencies."""
    graphs.get_edges_2(thread, graph, from_out, to_out, 0, count_out)


@answers("cuGraphNodeGetDependencies")
def get_dependencies(thread: Thread, node: int, nodes_out: int, count_out: int) -> None:
    """List what a node waits for."""
    graphs.get_dependencies_2(thread, node, nodes_out, 0, count_out)


@answers("cuGraphNodeGetDependentNodes")
def get_dependents(thread: Thread, node: int, nodes_out: int, count_out: int) -> None:
    """List what waits for a node."""
    graphs.get_dependents_2(thread, node, nodes_out, 0, count_out)


@answers("cuGraphAddDependencies")
def add_dependencies(thread: Thread, graph: int, from_: int, to: int, count: int) -> None:
    """Let nodes wait for others."""
    graphs.add_dependencies_2(thread, graph, from_, to, 0, count)


@answers("cuGraphRemoveDependencies")
def remove_dependencies(thread: Thread, graph: int, from_: int, to: int, count: int) -> None:
    """Take dependencies away."""
    graphs.remove_dependencies_2(thread, graph, from_, to, 0, count)


@answers("cuGraphInstantiate", "cuGraphInstantiate_v2")
def instantiate(thread: Thread, out: int, graph: int, wrong_out: int, log: int, log_bytes: int) -> None:
    """Make one that can be launched; a text says what is wrong."""
    graphs.instantiate_with_log(thread, out, graph, wrong_out, log, log_bytes)


@answers("cuGraphExecUpdate")
def update(thread: Thread, executable: int, graph: int, node_out: int, result_out: int) -> int:
    """Do what another graph says; the node that does not fit and the result go to two addresses."""
    return graphs.updated(thread, executable, graph, (node_out, result_out))


@answers("cuGraphExecUpdate_v2")
def update_2(thread: Thread, executable: int, graph: int, out: int) -> int:
    """Do what another graph says."""
    return graphs.updated(thread, executable, graph, out)


# ---------------------------------------------------------------------------------------------------------- nodes of kernels
def _kernel_work(thread: Thread, parameters: int, function: int = 0) -> Work:
    handle, *shapes, shared_bytes, arguments, extra = _KERNEL.unpack(thread.memory.get(parameters, _KERNEL.size))
    if extra:
        raise Refusal("NotSupported", "a kernel whose arguments are packed (`extra`): give kernelParams")
    handle = handle or function
    kernel = kernel_of(thread, handle)
    values = arguments_at(thread, kernel, arguments)
    return thread.runtime.kernel_work(kernel, tuple(shapes[:3]), tuple(shapes[3:]), values, shared_bytes,
                                      given=(handle, *shapes, shared_bytes, values))


def _kernel_work_2(thread: Thread, parameters: int) -> Work:
    """The same by the second version of the structure, which may name the kernel of a library."""
    return _kernel_work(thread, parameters, _KERNEL_2.unpack(thread.memory.get(parameters + _KERNEL.size, _KERNEL_2.size))[0])


def _answer_kernels(suffix: str, work: Callable[[Thread, int], Work], more: bytes) -> None:
    """Answer the functions about nodes of kernels, by one version of their structure."""
    @answers(f"cuGraphAddKernelNode{suffix}")
    def add(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
        graphs.add_work(thread, out, graph, dependencies, count, work(thread, parameters))

    @answers(f"cuGraphKernelNodeSetParams{suffix}")
    def put(thread: Thread, node: int, parameters: int) -> None:
        thread.runtime.change_launch(graphs.thing(thread.session, node, Node), work(thread, parameters))

    @answers(f"cuGraphExecKernelNodeSetParams{suffix}")
    def put_in_executable(thread: Thread, executable: int, node: int, parameters: int) -> None:
        thread.runtime.change_launch(graphs.exec_node(thread, executable, node), work(thread, parameters))

    @answers(f"cuGraphKernelNodeGetParams{suffix}")
    def get(thread: Thread, node: int, out: int) -> None:
        graphs.get_kernel(thread, node, out)
        thread.memory.put(out + _KERNEL.size, more)


_answer_kernels("", _kernel_work, b"")
_answer_kernels("_v2", _kernel_work_2, bytes(_KERNEL_2.size))


# ----------------------------------------------------------------------------------------------------------- nodes of copies
def _copy_work(thread: Thread, parameters: int) -> Work:
    data = thread.memory.get(parameters, boxes.BOX.size)
    return in_turn([graphs.plain_copy(thread, to, source, nbytes, kind) for to, source, nbytes, kind in boxes.rows_of(data)], data)


@answers("cuGraphAddMemcpyNode")
def add_copy(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int, context: int) -> None:
    """Add a copy of rows and planes."""
    graphs.add_work(thread, out, graph, dependencies, count, _copy_work(thread, parameters))


@answers("cuGraphMemcpyNodeSetParams")
def set_copy(thread: Thread, node: int, parameters: int) -> None:
    """Let a node copy something else."""
    graphs.thing(thread.session, node, Node).change(_copy_work(thread, parameters))


@answers("cuGraphExecMemcpyNodeSetParams")
def set_exec_copy(thread: Thread, executable: int, node: int, parameters: int, context: int) -> None:
    """Let what stands for it in an executable graph copy something else."""
    graphs.exec_node(thread, executable, node).change(_copy_work(thread, parameters))


@answers("cuGraphMemcpyNodeGetParams")
def get_copy(thread: Thread, node: int, out: int) -> None:
    """Give what a node copies."""
    thread.memory.put(out, boxes.BOX.pack(*graphs.given(thread, graphs.thing(thread.session, node, Node), boxes.BOX)))


# ---------------------------------------------------------------------------------------------------- nodes of any kind
_KINDS: Final = nodes.Kinds(_kernel_work_2, _copy_work)


@answers("cuGraphAddNode")
def add_node(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add a node."""
    nodes.add(thread, out, graph, dependencies, count, parameters, _KINDS)


@answers("cuGraphAddNode_v2", "cuGraphAddNode_v3")
def add_node_2(thread: Thread, out: int, graph: int, dependencies: int, edges: int, count: int, parameters: int) -> None:
    """Add a node, with data of the edges."""
    graphs.plain_edges(thread, edges, count)
    nodes.add(thread, out, graph, dependencies, count, parameters, _KINDS)


@answers("cuGraphNodeSetParams", "cuGraphNodeSetParams_v2")
def set_node(thread: Thread, node: int, parameters: int) -> None:
    """Let a node do something else of its kind."""
    thread.runtime.change_launch(graphs.thing(thread.session, node, Node), nodes.work(thread, parameters, _KINDS))


@answers("cuGraphExecNodeSetParams")
def set_exec_node(thread: Thread, executable: int, node: int, parameters: int) -> None:
    """Let what stands for it in an executable graph do something else of its kind."""
    thread.runtime.change_launch(graphs.exec_node(thread, executable, node), nodes.work(thread, parameters, _KINDS))
