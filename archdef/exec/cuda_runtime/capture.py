"""Stream capture."""
from __future__ import annotations

from typing import Final

from archdef.exec.calls import Int, Thread, UInt, answers
from archdef.exec.cuda_runtime.graphs import nodes_at, plain_edges, thing
from archdef.host import Graph

_INFO_BY_DEFAULT: Final = 13
"""The version of CUDA from which on cudaStreamGetCaptureInfo gives all there is."""


@answers("cudaStreamBeginCapture", "cudaStreamBeginCapture_ptsz")
def begin(thread: Thread, stream: int, mode: Int) -> None:
    """Begin one. In CUDA 10.0 there was no mode, and what it was is that of the thread's register: it is not told apart."""
    thread.runtime.StreamBeginCapture(thread.session.stream(stream), mode)


@answers("cudaStreamBeginCaptureToGraph", "cudaStreamBeginCaptureToGraph_ptsz")
def begin_to_graph(thread: Thread, stream: int, graph: int, dependencies: int, edges: int, count: int, mode: Int) -> None:
    """Begin one that adds to a graph."""
    plain_edges(thread, edges, count)
    thread.runtime.StreamBeginCaptureToGraph(thread.session.stream(stream), thing(thread.session, graph, Graph),
                                             nodes_at(thread, dependencies, count), mode)


@answers("cudaStreamEndCapture", "cudaStreamEndCapture_ptsz")
def end(thread: Thread, stream: int, graph_out: int) -> None:
    """End one; where it was ended by an error, the graph is 0."""
    if graph_out:
        thread.memory.put_word(graph_out, 0)
    captured = thread.session.stream(stream)
    _, capture, _, _ = thread.runtime.StreamGetCaptureInfo(captured)
    try:
        graph = thread.runtime.StreamEndCapture(captured)
    finally:
        if not thread.runtime.StreamGetCaptureInfo(captured)[0]:
            thread.session.node_lists.ended(capture)
    if graph_out:
        thread.memory.put_word(graph_out, thread.session.handle_of(graph))


@answers("cudaStreamIsCapturing", "cudaStreamIsCapturing_ptsz")
def is_capturing(thread: Thread, stream: int, out: int) -> None:
    """Say whether."""
    thread.memory.put_word(out, thread.runtime.StreamIsCapturing(thread.session.stream(stream)), 4)


@answers("cudaStreamGetCaptureInfo", "cudaStreamGetCaptureInfo_ptsz")
def info(thread: Thread, stream: int, status: int, number: int, graph: int, dependencies: int, edges: int, count: int) -> None:
    """Give what is asked of a capture; before CUDA 13, whether there is one, and its number."""
    if thread.session.cuda < _INFO_BY_DEFAULT:
        graph = dependencies = edges = count = 0
    _info(thread, stream, status, number, graph, dependencies, edges, count)


@answers("cudaStreamGetCaptureInfo_v2", "cudaStreamGetCaptureInfo_v2_ptsz")
def info_2(thread: Thread, stream: int, status: int, number: int, graph: int, dependencies: int, count: int) -> None:
    """Give what is asked."""
    _info(thread, stream, status, number, graph, dependencies, 0, count)


@answers("cudaStreamGetCaptureInfo_v3", "cudaStreamGetCaptureInfo_v3_ptsz")
def info_3(thread: Thread, stream: int, status: int, number: int, graph: int, dependencies: int, edges: int, count: int) -> None:
    """Give what is asked."""
    _info(thread, stream, status, number, graph, dependencies, edges, count)


def _info(thread: Thread, stream: int, status: int, number: int, graph: int, dependencies: int, edges: int, count: int) -> None:
    session = thread.session
    state, capture, found, nodes = thread.runtime.StreamGetCaptureInfo(session.stream(stream))
    thread.memory.put_word(status, state, 4)
    if number:
        thread.memory.put_word(number, capture)
    if graph:
        thread.memory.put_word(graph, 0 if found is None else session.handle_of(found))
    if dependencies:
        thread.memory.put_word(dependencies, session.node_lists.put(thread, capture, [*map(session.handle_of, nodes)]) if nodes else 0)
    if edges:
        thread.memory.put_word(edges, 0)
    if count:
        thread.memory.put_word(count, len(nodes))


@answers("cudaStreamUpdateCaptureDependencies", "cudaStreamUpdateCaptureDependencies_ptsz")
def update_dependencies(thread: Thread, stream: int, nodes: int, edges: int, count: int, flags: UInt) -> None:
    """Change what the next node waits for."""
    if thread.session.cuda < _INFO_BY_DEFAULT:
        edges, count, flags = 0, edges, count
    update_dependencies_2(thread, stream, nodes, edges, count, flags)


@answers("cudaStreamUpdateCaptureDependencies_v2", "cudaStreamUpdateCaptureDependencies_v2_ptsz")
def update_dependencies_2(thread: Thread, stream: int, nodes: int, edges: int, count: int, flags: UInt) -> None:
    """Change what the next node waits for."""
    plain_edges(thread, edges, count)
    thread.runtime.StreamUpdateCaptureDependencies(thread.session.stream(stream), nodes_at(thread, nodes, count), flags)


@answers("cudaThreadExchangeStreamCaptureMode")
def exchange_mode(thread: Thread, mode: int) -> None:
    """Exchange the thread's mode with the one that lies there."""
    wanted = int.from_bytes(thread.memory.get(mode, 4), "little")
    thread.memory.put_word(mode, thread.runtime.ThreadExchangeStreamCaptureMode(wanted), 4)
