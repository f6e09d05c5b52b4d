"""Graphs that can be launched: their nodes in branches, each of which is carried out like a stream of its own."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef.errors import GraphError
from archdef.host.capture import captured
from archdef.host.conditions import WHILE, check_bodies, conditions_of
from archdef.host.graph import GRAPH, Graph, Node, Work
from archdef.host.graph_memory import Uses, check_unused
from archdef.host.operation import Operation
from archdef.host.stream import Launched, Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from archdef.host.conditions import Condition, Conditional
    from archdef.host.context import Context


class Branch(Stream):
    """Nodes of a graph that come one after the other on one device. What each waits for is said before it is put here."""

    def __init__(self, context: Context, number: int, label: str):
        super().__init__(context, number, blocking=False, label=label)
        self.after: list[Operation] = []


class Plan:
    """The nodes of a graph in branches, and the same of the graphs that its nodes decide to run."""

    def __init__(self, graph: Graph, label: str):
        """Raises GraphError if nodes wait for each other in a circle."""
        self.label = label
        self.order = _flat(graph)
        self.branches: dict[Node, Branch] = {}
        self.bodies = {node: [Plan(body, label) for body in node.work.condition.bodies] for node, _ in self.order if node.work.condition is not None}
        self._branch_out()

    @property
    def contexts(self) -> set[Context]:
        """Of the devices that have work."""
        inner = (plan.contexts for plans in self.bodies.values() for plan in plans)
        return {branch.context for branch in self.branches.values()}.union(*inner, [self._condition_of(node).context for node in self.bodies])

    def _branch_out(self) -> None:
        """Give each node a branch: that of a node it waits for if nothing else goes on there, else a new one."""
        ends: dict[Branch, Node] = {}
        for node, after in self.order:
            context = node.work.context
            if context is None or node.work.put is None:
                continue
            free = (self.branches[other] for other in after if other in self.branches and ends[self.branches[other]] is other)
            branch = next((each for each in free if each.context is context), None)
            if branch is None:
                branch = Branch(context, context.next_number(), f"{self.label}, branch {len(ends) + 1}")
            self.branches[node] = branch
            ends[branch] = node

    def put(self, entry: list[Operation], note: Callable[[Launched], object]) -> list[Operation]:
        """Put all nodes into their branches, and note each kernel; gives the last operations of all nodes."""
        ends: dict[Node, list[Operation]] = {}
        for node, after in self.order:
            waits = list(dict.fromkeys(o for other in after for o in ends[other])) if after else entry
            branch = self.branches.get(node)
            ends[node] = waits
            if node in self.bodies:
                # what may set it without being waited for has done so
                self._condition_of(node).context.host.run_until([o for each in ends.values() for o in each])
                ends[node] = self._decide(node, waits, note)
            if branch is None or node.work.put is None or not node.enabled:
                continue
            branch.after = waits
            kernel = node.work.put(branch)
            if isinstance(kernel, Launched):
                note(kernel)
            last = branch.context.tails.get(branch.number)
            ends[node] = waits if last is None else [last]
        return list(dict.fromkeys(o for each in ends.values() for o in each))

    @staticmethod
    def _condition_of(node: Node) -> Condition:
        assert node.work.condition is not None, "it has graphs to choose from"
        return node.work.condition.condition

    def _decide(self, node: Node, waits: list[Operation], note: Callable[[Launched], object]) -> list[Operation]:
        """Let the devices come to a node that decides which graph runs, and put that; gives what the next nodes wait for."""
        conditional = node.work.condition
        assert conditional is not None, "it has graphs to choose from"
        context = conditional.condition.context
        while not context.host.abandoned:       # or a loop without end would outlive the program that launched it
            context.host.run_until(waits)
            chosen = None if context.error is not None else conditional.chosen()
            if chosen is None:
                break
            waits = self.bodies[node][chosen].put(waits, note) or waits
            if conditional.kind != WHILE:
                break
        return waits


class Executable:
    """A graph as it was when this was made, ready to be launched again and again. A launch waits for the one before."""

    def __init__(self, graph: Graph, flags: int = 0, auto_free: bool = False):
        """Raises GraphError if nodes wait for each other in a circle, or for memory that is freed before it is allocated."""
        self.graph, self.flags, self.auto_free = graph.clone(), flags, auto_free
        self.label = f"graph {graph.number}"
        self.destroyed = False
        """Whether the runtime's user has given it up."""
        check_bodies(self.graph)
        self._plan = Plan(self.graph, self.label)
        self._conditions = conditions_of(self.graph)
        self._uses = Uses([node for node, _ in self._plan.order])
        if self._uses:
            check_unused(graph, self)
        self._last: Operation | None = None

    def node(self, of: Node) -> Node:
        """Give what stands here for a node of the graph that this was made of. Raises GraphError."""
        return self.graph.copy_of(of)

    def update(self, graph: Graph) -> tuple[bool, Node | None]:
        """Do the work of another graph of the same shape from now on; gives whether it fits, and if not, the first node of it that does not, if
        there is one. One that does not fit changes nothing."""
        return _update(self.graph, graph)

    def update_child(self, node: Node, graph: Graph) -> bool:
        """Do the work of another graph from now on where a node of this one is a graph; gives whether it has the same shape. Raises GraphError."""
        if node.work.child is None:
            raise GraphError(f"{node!r} is no graph")
        return _update(node.work.child, graph)[0]

    def launch(self, stream: Stream, note: Callable[[Launched], object] | None = None) -> list[Launched]:
        """Put the whole graph into a stream; gives its kernels. A stream that is captured takes it as one node. Raises GraphError, CaptureError.

        note : is called with each kernel once it is put, in place of a list of all: loops of graphs may launch without end.
        """
        launched: list[Launched] = []
        context, host = stream.context, stream.context.host
        with host.lock:
            if self._uses and stream.capture is not None:
                raise stream.capture.spoil(f"{self.label} allocates or frees memory, and cannot be a node of the graph that {stream.label} makes")
            if self._conditions and stream.capture is not None:
                raise stream.capture.spoil(f"{self.label} decides what runs, and cannot be a node of the graph that {stream.label} makes")
            if captured(context, stream, Work(GRAPH, self.label, child=self.graph)) is not None:
                return []
            if any(each.host is not host for each in self._plan.contexts):
                raise GraphError(f"{self.label} has work of devices that belong to another host than {stream.label}")
            self._uses.begin(stream, self.auto_free)
            entry = context.before(stream) + ([self._last] if self._last is not None and not self._last.over else [])
            with host.one_call(f"launch {self.label}", context.launch_fs):
                if self._conditions:
                    host.run_until(entry)
                    for condition in self._conditions:
                        condition.begin()
                ends = self._plan.put(entry, note or launched.append)
                self._last = context.issue(Operation("record", f"end of {self.label}", context, stream), after=[*entry, *ends])
            self._uses.end(stream, self._last)
            return launched

    def __repr__(self) -> str:
        return f"<Executable of {self.label}, {len(self.graph)} nodes>"


def _flat(graph: Graph, after: Sequence[Node] = ()) -> list[tuple[Node, list[Node]]]:
    """List the nodes of a graph, and of the graphs in it, in an order in which they can be put, each with what it waits for.

    after : what the roots wait for. A node that is a graph stands behind all of its own.
    """
    found: list[tuple[Node, list[Node]]] = []
    for node in graph.ordered():
        waits = list(node.after) or list(after)
        if node.work.child is not None:
            inner = _flat(node.work.child, waits)
            found += inner
            waits = _leaves(inner) or waits
        found.append((node, waits))
    return found


def _update(graph: Graph, by: Graph) -> tuple[bool, Node | None]:
    """Let the nodes of a graph, and of the graphs in it, do the work of those of another; see `Executable.update`."""
    pairs: list[tuple[Node, Node]] = []
    fits, wrong = _counterparts(graph, by, pairs)
    for one, other in pairs if fits else ():
        one.origin, one.attributes = other, dict(other.attributes)
        if one.work.child is None and one.work.condition is None:
            one.work = other.work
    return fits, wrong


def _counterparts(graph: Graph, by: Graph, pairs: list[tuple[Node, Node]]) -> tuple[bool, Node | None]:
    """Pair the nodes of two graphs, and of the graphs in them; gives whether all have a counterpart, and else the first of the latter without one."""
    mine, new = graph.ordered(), by.ordered()
    number = {node: k for k, node in enumerate(mine)} | {node: k for k, node in enumerate(new)}
    for one, other in zip(mine, new, strict=False):
        same = one.kind == other.kind and one.work.context is other.work.context and one.work.memory is other.work.memory
        if not same or {number[node] for node in one.after} != {number[node] for node in other.after}:
            return False, other
        if one.work.child is not None and (other.work.child is None or not _counterparts(one.work.child, other.work.child, pairs)[0]):
            return False, other
        if one.work.condition is not None and not _decides_as(one.work.condition, other.work.condition, pairs):
            return False, other
        pairs.append((one, other))
    return len(mine) == len(new), next(iter(new[len(mine):]), None)


def _decides_as(one: Conditional, other: Conditional | None, pairs: list[tuple[Node, Node]]) -> bool:
    """Say whether two nodes decide by one condition, in one way, which of graphs of the same shapes runs; pairs the nodes of these."""
    if other is None or other.condition is not one.condition or other.kind != one.kind or len(other.bodies) != len(one.bodies):
        return False
    return all(_counterparts(mine, new, pairs)[0] for mine, new in zip(one.bodies, other.bodies, strict=True))


def _leaves(nodes: Iterable[tuple[Node, list[Node]]]) -> list[Node]:
    nodes = list(nodes)
    waited = {other for _, after in nodes for other in after}
    return [node for node, _ in nodes if node not in waited]
