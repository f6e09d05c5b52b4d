"""What is asked and told of nodes of graphs beyond their work; copies of variables as nodes."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread, UInt, answers
from archdef.exec.cuda_runtime.graphs import add_work, exec_node, plain_copy, thing
from archdef.exec.cuda_runtime.symbols import place
from archdef.host import Event, Executable, Graph, Node
from archdef.runtime.status import Refusal


@answers("cudaGraphDebugDotPrint")
def draw(thread: Thread, graph: int, path: int, flags: UInt) -> None:
    """Write a graph as text for Graphviz, where the program would."""
    text, name = thread.runtime.graph_dot(thing(thread.session, graph, Graph), flags), thread.memory.text(path)
    try:
        thread.file(name).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refusal("InvalidValue", f"{name!r} cannot be written: {error}") from None


# --------------------------------------------------------------------------------------------------------------------- numbers
@answers("cudaGraphGetId")
def number_of_graph(thread: Thread, graph: int, out: int) -> None:
    """Give the number of a graph."""
    thread.memory.put_word(out, thread.runtime.GraphGetId(thing(thread.session, graph, Graph)), 4)


@answers("cudaGraphExecGetId")
def number_of_executable(thread: Thread, executable: int, out: int) -> None:
    """Give the number of an executable graph."""
    thread.memory.put_word(out, thread.runtime.GraphExecGetId(thing(thread.session, executable, Executable)), 4)


@answers("cudaGraphNodeGetLocalId")
def number_of_node(thread: Thread, node: int, out: int) -> None:
    """Give the number of a node in its graph."""
    thread.memory.put_word(out, thread.runtime.GraphNodeGetLocalId(thing(thread.session, node, Node)), 4)


@answers("cudaGraphNodeGetToolsId")
def number_for_tools(thread: Thread, node: int, out: int) -> None:
    """Give a number that no other node has."""
    thread.memory.put_word(out, thread.runtime.GraphNodeGetToolsId(thing(thread.session, node, Node)))


# ---------------------------------------------------------------------------------------------------------------------- events
@answers("cudaGraphEventRecordNodeGetEvent")
def recorded_event(thread: Thread, node: int, out: int) -> None:
    """Give the event that a node records."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.GraphEventRecordNodeGetEvent(thing(thread.session, node, Node))))


@answers("cudaGraphEventWaitNodeGetEvent")
def awaited_event(thread: Thread, node: int, out: int) -> None:
    """Give the event that a node waits for."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.GraphEventWaitNodeGetEvent(thing(thread.session, node, Node))))


@answers("cudaGraphEventRecordNodeSetEvent")
def record_another(thread: Thread, node: int, event: int) -> None:
    """Let a node record another event."""
    thread.runtime.GraphEventRecordNodeSetEvent(thing(thread.session, node, Node), thread.session.thing(event, Event))


@answers("cudaGraphEventWaitNodeSetEvent")
def wait_for_another(thread: Thread, node: int, event: int) -> None:
    """Let a node wait for another event."""
    thread.runtime.GraphEventWaitNodeSetEvent(thing(thread.session, node, Node), thread.session.thing(event, Event))


@answers("cudaGraphExecEventRecordNodeSetEvent")
def record_another_in_executable(thread: Thread, executable: int, node: int, event: int) -> None:
    """Let what stands for it in an executable graph record another event."""
    thread.runtime.GraphExecEventRecordNodeSetEvent(thing(thread.session, executable, Executable), thing(thread.session, node, Node),
                                                    thread.session.thing(event, Event))


@answers("cudaGraphExecEventWaitNodeSetEvent")
def wait_for_another_in_executable(thread: Thread, executable: int, node: int, event: int) -> None:
    """Let what stands for it in an executable graph wait for another event."""
    thread.runtime.GraphExecEventWaitNodeSetEvent(thing(thread.session, executable, Executable), thing(thread.session, node, Node),
                                                  thread.session.thing(event, Event))


# ---------------------------------------------------------------------------------------------------------------------- graphs
@answers("cudaGraphExecChildGraphNodeSetParams")
def set_exec_child(thread: Thread, executable: int, node: int, child: int) -> None:
    """Let what stands for it in an executable graph do the work of another graph of the same shape."""
    thread.runtime.GraphExecChildGraphNodeSetParams(thing(thread.session, executable, Executable), thing(thread.session, node, Node),
                                                    thing(thread.session, child, Graph))


# ------------------------------------------------------------------------------------------------------ copies of variables
@answers("cudaGraphAddMemcpyNodeToSymbol")
def add_copy_to_symbol(thread: Thread, out: int, graph: int, dependencies: int, count: int, shadow: int, source: int, nbytes: int, offset: int,
                       kind: Int) -> None:
    """Add a copy into a variable."""
    add_work(thread, out, graph, dependencies, count, plain_copy(thread, place(thread, shadow, nbytes, offset), source, nbytes, kind))


@answers("cudaGraphAddMemcpyNodeFromSymbol")
def add_copy_from_symbol(thread: Thread, out: int, graph: int, dependencies: int, count: int, to: int, shadow: int, nbytes: int, offset: int,
                         kind: Int) -> None:
    """Add a copy out of a variable."""
    add_work(thread, out, graph, dependencies, count, plain_copy(thread, to, place(thread, shadow, nbytes, offset), nbytes, kind))


@answers("cudaGraphMemcpyNodeSetParamsToSymbol")
def set_copy_to_symbol(thread: Thread, node: int, shadow: int, source: int, nbytes: int, offset: int, kind: Int) -> None:
    """Let a node copy into a variable."""
    thing(thread.session, node, Node).change(plain_copy(thread, place(thread, shadow, nbytes, offset), source, nbytes, kind))


@answers("cudaGraphMemcpyNodeSetParamsFromSymbol")
def set_copy_from_symbol(thread: Thread, node: int, to: int, shadow: int, nbytes: int, offset: int, kind: Int) -> None:
    """Let a node copy out of a variable."""
    thing(thread.session, node, Node).change(plain_copy(thread, to, place(thread, shadow, nbytes, offset), nbytes, kind))


@answers("cudaGraphExecMemcpyNodeSetParamsToSymbol")
def set_exec_copy_to_symbol(thread: Thread, executable: int, node: int, shadow: int, source: int, nbytes: int, offset: int, kind: Int) -> None:
    """Let what stands for it in an executable graph copy into a variable."""
    exec_node(thread, executable, node).change(plain_copy(thread, place(thread, shadow, nbytes, offset), source, nbytes, kind))


@answers("cudaGraphExecMemcpyNodeSetParamsFromSymbol")
def set_exec_copy_from_symbol(thread: Thread, executable: int, node: int, to: int, shadow: int, nbytes: int, offset: int, kind: Int) -> None:
    """Let what stands for it in an executable graph copy out of a variable."""
    exec_node(thread, executable, node).change(plain_copy(thread, to, place(thread, shadow, nbytes, offset), nbytes, kind))
