"""Graphs of work: nodes, and what each of them waits for. A graph is a plan; `Executable` is what runs."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef.errors import GraphError

if TYPE_CHECKING:
    from archdef.host.conditions import Condition, Conditional
    from archdef.host.context import Context
    from archdef.host.graph_launch import Executable
    from archdef.host.graph_memory import GraphAllocation
    from archdef.host.stream import Stream

KERNEL, COPY, MEMSET, FUNCTION, GRAPH, EMPTY, WAIT, RECORD = "kernel", "copy", "memset", "function", "graph", "empty", "wait", "record"
ALLOCATION, FREE, CONDITIONAL = "allocation", "free", "conditional"
NODE_TYPES: Final = {kind: number for number, kind in enumerate((KERNEL, COPY, MEMSET, FUNCTION, GRAPH, EMPTY, WAIT, RECORD))} | {
    ALLOCATION: 10, FREE: 11, CONDITIONAL: 13}
"""Kinds of nodes, with the numbers that CUDA gives them."""
MOST_NODES: Final = 1 << 20
"""That a graph takes by being given another one: with each, it may have twice as many as before."""


@attrs.frozen(eq=False)
class Work:
    """What a node does."""

    kind: str
    name: str
    context: Context | None = None
    """Of the device that does it; None: no device does."""
    put: Callable[[Stream], object] | None = None
    """Puts it into a stream; None: there is nothing to put."""
    child: Graph | None = None
    """The graph that it is."""
    given: Any = None
    """What it was made of, for those who ask a node for it."""
    memory: GraphAllocation | None = None
    """What it allocates or frees."""
    condition: Conditional | None = None
    """What decides which graphs it runs."""
    shape: str = ""
    """Grid, block and dynamic shared memory of a launch, for those who look at a drawing."""
    again: Callable[[dict[int, Any]], Work] | None = None
    """Makes the same launch with attributes, by the runtime's numbers; None: it stays as it is."""


class Node:
    """One piece of work of a graph."""

    def __init__(self, graph: Graph, work: Work, after: Iterable[Node]):
        self.graph, self.work = graph, work
        self.after: dict[Node, None] = dict.fromkeys(after)
        """What must have ended before it starts, in the order in which it was named."""
        self.enabled = True
        """Whether an executable graph does it; one that is not does nothing, and what follows waits for the same."""
        self.origin: Node | None = None
        """The node that it is a copy of."""
        self.number = next(graph.numbers)
        """What no other node of the graph has."""
        self.attributes: dict[int, Any] = {}
        """Those of a launch, by the runtime's numbers."""

    @property
    def kind(self) -> str:
        """One of `NODE_TYPES`."""
        return self.work.kind

    @property
    def inner(self) -> tuple[Graph, ...]:
        """The graphs that it runs."""
        child, condition = self.work.child, self.work.condition
        return (*(() if child is None else (child,)), *(() if condition is None else condition.bodies))

    def change(self, work: Work) -> None:
        """Do other work of the same kind on the same device. Raises GraphError."""
        if work.kind != self.work.kind or work.context is not self.work.context:
            raise GraphError(f"a node that is a {self.work.kind} of {_label(self.work)} cannot become a {work.kind} of {_label(work)}")
        self.work = work

    def __repr__(self) -> str:
        return f"<Node {self.work.kind} {self.work.name}>"


class Graph:
    """Nodes and the dependencies between them."""

    _numbers = itertools.count(1)

    def __init__(self) -> None:
        self.number, self.numbers = next(self._numbers), itertools.count()
        """What no other graph has, and the numbers of its nodes to come."""
        self.nodes: dict[Node, None] = {}
        """In the order in which they were added."""
        self.size = 0
        """How many nodes it has, with those of the graphs in it."""
        self.outer: Graph | None = None
        """The graph of whose nodes one runs it."""
        self.destroyed = False
        """Whether the runtime's user has given it up."""
        self.conditions: list[Condition] = []
        """What kernels set for its nodes that decide what runs."""
        self.executable: Executable | None = None
        """What was made of it, where only one at a time may be."""

    @property
    def inner(self) -> list[Graph]:
        """The graphs that its nodes run."""
        return [graph for node in self.nodes for graph in node.inner]

    @property
    def has_memory(self) -> bool:
        """Whether nodes of it allocate or free memory."""
        return any(node.work.memory is not None for node in self.nodes)

    @property
    def has_conditions(self) -> bool:
        """Whether nodes of it decide which graphs run."""
        return any(node.work.condition is not None for node in self.nodes)

    def within(self, other: Graph) -> bool:
        """Say whether it is one of the graphs that nodes of another run, or of theirs."""
        graph = self.outer
        while graph is not None and graph is not other:
            graph = graph.outer
        return graph is other

    def check_no_memory(self, what: str) -> None:
        """Refuse what cannot be done to a graph that allocates or frees memory, or decides what runs. Raises GraphError."""
        if self.has_memory or self.has_conditions:
            has = "allocate or free memory" if self.has_memory else "decide what runs"
            raise GraphError(f"{what}: {self!r} has nodes that {has}", supported=False)

    def add(self, work: Work, after: Sequence[Node] = ()) -> Node:
        """Add a node that waits for others. A graph that it is to run is copied.

        Raises GraphError if one is named twice, or is no node of this graph, or if there would be too many nodes.
        """
        self._check(after)
        if len(set(after)) != len(after):
            raise GraphError("a dependency was named twice")
        if work.child is not None:
            if (size := self._outermost.size + work.child.size) > MOST_NODES:
                raise GraphError(f"a graph of {size} nodes, those of the graphs in it included: the most are {MOST_NODES}")
            work = attrs.evolve(work, child=work.child.clone())
        node = Node(self, work, after)
        self.nodes[node] = None
        for inner in node.inner:
            inner.outer = self
        self._grow(1 + sum(inner.size for inner in node.inner))
        return node

    @property
    def _outermost(self) -> Graph:
        graph = self
        while graph.outer is not None:
            graph = graph.outer
        return graph

    def _grow(self, nodes: int) -> None:
        graph: Graph | None = self
        while graph is not None:
            graph.size += nodes
            graph = graph.outer

    def connect(self, earlier: Sequence[Node], later: Sequence[Node]) -> None:
        """Let nodes wait for others, pair by pair. Raises GraphError for one that waits already, or for itself."""
        self._check([*earlier, *later])
        pairs = list(zip(earlier, later, strict=True))
        if len(set(pairs)) != len(pairs) or any(one is other or one in other.after for one, other in pairs):
            raise GraphError("a dependency is there already, or is of a node on itself")
        for one, other in pairs:
            other.after[one] = None

    def disconnect(self, earlier: Sequence[Node], later: Sequence[Node]) -> None:
        """Take dependencies away, pair by pair. Raises GraphError for one that is not there."""
        self._check([*earlier, *later])
        self.check_no_memory("dependencies cannot be taken away")
        pairs = list(zip(earlier, later, strict=True))
        if any(one not in other.after for one, other in pairs):
            raise GraphError("a dependency that is to be taken away is not there")
        for one, other in pairs:
            other.after.pop(one, None)

    def remove(self, node: Node) -> None:
        """Take a node away, with its dependencies. Raises GraphError."""
        self._check([node])
        self.check_no_memory("nodes cannot be taken away")
        del self.nodes[node]
        self._grow(-1 - sum(inner.size for inner in node.inner))
        for other in self.nodes:
            other.after.pop(node, None)

    @property
    def edges(self) -> list[tuple[Node, Node]]:
        """Pairs: what is waited for, and what waits."""
        return [(earlier, node) for node in self.nodes for earlier in node.after]

    @property
    def roots(self) -> list[Node]:
        """Nodes that wait for nothing."""
        return [node for node in self.nodes if not node.after]

    def followers(self, node: Node) -> list[Node]:
        """List what waits for a node."""
        return [other for other in self.nodes if node in other.after]

    def ordered(self) -> list[Node]:
        """List the nodes so that each comes after all that it waits for; else in the order of the graph. Raises GraphError for a circle."""
        done: dict[Node, None] = {}
        left = list(self.nodes)
        followers: dict[Node, list[Node]] = {}
        for earlier, node in self.edges:
            followers.setdefault(earlier, []).append(node)
        waits = {node: len(node.after) for node in left}
        ready = [node for node in left if not waits[node]]
        while ready:
            following = []
            for node in ready:
                done[node] = None
                for other in followers.get(node, ()):
                    waits[other] -= 1
                    if not waits[other]:
                        following.append(other)
            ready = following
        if len(done) != len(left):
            stuck = next(node for node in left if node not in done)
            raise GraphError(f"nodes of the graph wait for each other in a circle, {stuck!r} among them")
        return list(done)

    def clone(self) -> Graph:
        """Copy it, and the graphs in it."""
        other = Graph()
        other.conditions, other.size = list(self.conditions), self.size
        copies: dict[Node, Node] = {}
        for node in self.nodes:
            work = node.work if node.work.child is None else attrs.evolve(node.work, child=node.work.child.clone())
            if work.condition is not None:
                work = attrs.evolve(work, condition=work.condition.clone())
            copies[node] = copy = Node(other, work, ())
            copy.origin, copy.enabled, copy.attributes = node, node.enabled, dict(node.attributes)
            other.nodes[copy] = None
            for inner in copy.inner:
                inner.outer = other
        for node, copy in copies.items():
            copy.after = {copies[earlier]: None for earlier in node.after}
        return other

    def copy_of(self, node: Node) -> Node:
        """Give the copy that a node of the graph this was cloned from has here. Raises GraphError."""
        found = next((each for each in self.nodes if each.origin is node), None)
        if found is None:
            raise GraphError(f"{node!r} has no copy in the graph: it is not of the graph that this was made of, or has gone")
        return found

    def _check(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node not in self.nodes:
                raise GraphError(f"{node!r} is no node of this graph")

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"<Graph {self.number} of {len(self)} nodes>"


def _label(work: Work) -> str:
    return "no device" if work.context is None else work.context.label
