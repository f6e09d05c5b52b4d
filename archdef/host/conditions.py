"""Nodes of graphs that decide which graphs run: by a number that a kernel has written before. Reference: CUDA programming guide, conditional graph nodes."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Final

import attrs
import numpy as np

from archdef.errors import GraphError
from archdef.host.graph import CONDITIONAL, COPY, EMPTY, GRAPH, KERNEL, MEMSET, Graph, Node, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from archdef.host.context import Context

IF, WHILE, SWITCH = range(3)
_MOST_BODIES: Final = {IF: 2, WHILE: 1}
_ALLOWED: Final = frozenset({KERNEL, COPY, MEMSET, GRAPH, EMPTY, CONDITIONAL})
"""What graphs may have that are run so."""
NUMBER_BYTES: Final = 4


class Condition:
    """A number in the memory of a device, which kernels set and a node reads."""

    def __init__(self, graph: Graph, context: Context, default: int, assigned: bool):
        """assigned : whether each launch begins with the default."""
        self.graph, self.context, self.default, self.assigned = graph, context, default, assigned
        self.address = context.memory.allocate(NUMBER_BYTES)
        """What kernels know it by."""
        weakref.finalize(self, context.memory.free, self.address).atexit = False
        graph.conditions.append(self)
        self.node: Node | None = None
        """The node that reads it."""

    @property
    def value(self) -> int:
        """What it is now."""
        data = np.zeros(1, "<u4")
        self.context.memory.read(self.address, data.view("u1"))
        return int(data[0])

    def begin(self) -> None:
        """Begin a launch."""
        if self.assigned:
            self.context.memory.write(self.address, np.array([self.default], "<u4").view("u1"))


@attrs.frozen(eq=False)
class Conditional:
    """What a node decides."""

    condition: Condition
    kind: int
    """0: the first graph runs if the number is not 0, and else the second, if there is one; 1: the graph runs while it is not 0; 2: the graph of that
    number runs."""
    bodies: tuple[Graph, ...]

    def clone(self) -> Conditional:
        """Copy it, and the graphs."""
        return attrs.evolve(self, bodies=tuple(body.clone() for body in self.bodies))

    def chosen(self) -> int | None:
        """Give the number of the graph that runs now; None: none does."""
        value = self.condition.value
        if self.kind == SWITCH:
            return value if value < len(self.bodies) else None
        if value:
            return 0
        return 1 if self.kind == IF and len(self.bodies) > 1 else None


def add(graph: Graph, after: Sequence[Node], condition: Condition, kind: int, size: int) -> Node:
    """Add a node that decides which of so many graphs runs, which are made here and empty. Raises GraphError."""
    if kind not in (IF, WHILE, SWITCH) or not 0 < size <= _MOST_BODIES.get(kind, size):
        raise GraphError(f"a conditional node of the kind {kind} with {size} graphs")
    if condition.node is not None:
        raise GraphError("the condition has its node already")
    node = graph.add(Work(CONDITIONAL, ("if", "while", "switch")[kind], condition.context,
                          condition=Conditional(condition, kind, tuple(Graph() for _ in range(size)))), after)
    condition.node = node
    return node


def check_bodies(graph: Graph, decided: bool = False) -> None:
    """Raise GraphError unless the graphs that conditional nodes run, and the graphs in these, have only what they may have. decided: this is one of them."""
    for node in graph:
        if decided and node.kind not in _ALLOWED:
            raise GraphError(f"{node!r} in a graph that a conditional node runs, which may have kernels, copies, sets, graphs and conditional nodes")
        for inner in node.inner:
            check_bodies(inner, decided or node.work.condition is not None)


def conditions_of(graph: Graph) -> list[Condition]:
    """List the conditions of a graph, and of the graphs that its nodes run."""
    own = [node.work.condition.condition for node in graph if node.work.condition is not None]
    return own + [condition for inner in graph.inner for condition in conditions_of(inner)]
