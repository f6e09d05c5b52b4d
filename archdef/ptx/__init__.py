"""PTX: parse it, check it, and ask about its control flow and its registers."""

from .graph import basic_blocks, post_dominators, reachable, successors
from .liveness import Lives, register_demand
from .parse import parse
from .verify import call_graph, recursive, verify

__all__ = [
    "Lives",
    "basic_blocks",
    "call_graph",
    "parse",
    "post_dominators",
    "reachable",
    "recursive",
    "register_demand",
    "successors",
    "verify",
]
