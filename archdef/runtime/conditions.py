"""Nodes of graphs that decide which graphs run, in the runtime's way."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from archdef import values
from archdef.host import Graph, Node
from archdef.host.conditions import Condition, add
from archdef.runtime.base import Part
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.device import Device

ASSIGN_DEFAULT = 1


class ConditionHandle(int):
    """A condition as kernels take it: the argument of ``cudaGraphSetConditional``."""

    condition: Condition

    def __new__(cls, condition: Condition) -> Self:
        handle = super().__new__(cls, condition.address)
        handle.condition = condition
        return handle


class ConditionCalls(Part):
    """The part of a runtime that makes conditions, and nodes that go by them."""

    if TYPE_CHECKING:
        def device(self, number: int | None = None) -> Device: ...
        def _graph(self, graph: object) -> Graph: ...
        def _nodes(self, nodes: Sequence[Node]) -> list[Node]: ...

    def GraphConditionalHandleCreate(self, graph: Graph, default: int = 0, flags: int = 0) -> ConditionHandle:
        """Make a condition of a graph on the current device, for one node; with the flag 1, each launch begins with the default."""
        if flags & ~ASSIGN_DEFAULT or not 0 <= default < 1 << 32:
            raise Refusal("InvalidValue", f"a condition with the default {default} and the flags {flags:#x}")
        return ConditionHandle(Condition(self._graph(graph), self.device().context, default, bool(flags & ASSIGN_DEFAULT)))

    def GraphAddConditionalNode(self, graph: Graph, dependencies: Sequence[Node], handle: ConditionHandle, kind: int,
                                size: int = 1) -> tuple[Node, tuple[Graph, ...]]:
        """Add a node that decides which graph runs, as ``cudaGraphAddNode`` does; gives the graphs, too, which are empty. Kinds: 0, the first if the
        condition is not 0, else the second; 1, the graph while it is not 0; 2, the graph of that number."""
        if not isinstance(handle, ConditionHandle):
            raise Refusal("InvalidValue", f"{values.shown(handle)} is no condition of a graph")
        node = add(self._graph(graph), self._nodes(dependencies), handle.condition, kind, size)
        assert node.work.condition is not None, "it was added as one"
        return node, node.work.condition.bodies
