"""Nodes of graphs that decide which graphs run. Reference: cudaConditionalNodeParams of driver_types.h."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Thread, UInt, answers
from archdef.exec.cuda_runtime.graphs import nodes_at, thing
from archdef.host import Graph
from archdef.runtime.conditions import ConditionHandle
from archdef.runtime.status import Refusal

_PARAMETERS: Final = struct.Struct("<QiIQ")
"""Condition, kind, how many graphs, and the address of their handles, which is given."""
_MOST: Final = 1 << 12
"""More graphs than a program decides between."""


def _create(thread: Thread, out: int, graph: int, default: int, flags: int) -> None:
    made = thread.runtime.GraphConditionalHandleCreate(thing(thread.session, graph, Graph), default, flags)
    thread.session.conditions[int(made)] = made.condition
    thread.memory.put_word(out, int(made))


@answers("cudaGraphConditionalHandleCreate")
def create(thread: Thread, out: int, graph: int, default: UInt, flags: UInt) -> None:
    """Make a condition."""
    _create(thread, out, graph, default, flags)


@answers("cudaGraphConditionalHandleCreate_v2")
def create_in(thread: Thread, out: int, graph: int, context: int, default: UInt, flags: UInt) -> None:
    """Make a condition on the device of a context, which is the current one."""
    _create(thread, out, graph, default, flags)


def add(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add a node that decides, and write where the handles of its graphs lie. Raises Refusal."""
    number, kind, size, _ = _PARAMETERS.unpack(thread.memory.get(parameters, _PARAMETERS.size))
    condition = thread.session.conditions.get(number)
    found = thing(thread.session, graph, Graph)
    if condition is None or size > _MOST or condition.graph is not found and not found.within(condition.graph):
        raise Refusal("InvalidValue", f"{number:#x} is no condition of the graph, or {size} graphs are too many")
    node, bodies = thread.runtime.GraphAddConditionalNode(found, nodes_at(thread, dependencies, count), ConditionHandle(condition), kind, size)
    handles = [thread.session.handle_of(each) for each in bodies]
    place = thread.session.lasting(thread.connection, 8 * size)
    thread.memory.put(place, struct.pack(f"<{size}Q", *handles))
    thread.memory.put(parameters, _PARAMETERS.pack(number, kind, size, place))
    thread.memory.put_word(out, thread.session.handle_of(node))
