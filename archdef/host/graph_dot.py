"""A graph as text for Graphviz."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from archdef.host.graph import Graph, Node


def dot(graph: Graph, described: Callable[[Node], str] = lambda node: "") -> str:
    """Draw a graph, and the graphs in it.

    described : what stands in a node's box beside its kind and its name.
    """
    return "\n".join(["digraph dot {", *_lines(graph, described, ""), "}"]) + "\n"


def _lines(graph: Graph, described: Callable[[Node], str], within: str) -> Iterator[str]:
    name = f"graph_{graph.number}"
    yield f"subgraph cluster_{within}{name} {{"
    yield f'label="{name}";'
    for node in graph:
        text = "\n".join(each for each in (f"{node.number} {node.kind}", node.work.name if node.work.name != node.kind else "", described(node)) if each)
        yield f'"{within}{name}_node_{node.number}" [shape="record" label="{_quoted(text)}"];'
        for inner in node.inner:
            yield from _lines(inner, described, f"{within}{name}_{node.number}_")
    for one, other in graph.edges:
        yield f'"{within}{name}_node_{one.number}" -> "{within}{name}_node_{other.number}";'
    yield "}"


def _quoted(text: str) -> str:
    for each in '\\"{}<>|':         # the latter mean something in labels of records
        text = text.replace(each, "\\" + each)
    return text.replace("\n", "\\n")
