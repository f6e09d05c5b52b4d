"""The host side of simulated time: streams, events, asynchronous copies, several devices, and the timeline of all of it."""
from archdef.host.graph import Graph, Node
from archdef.host.graph_launch import Executable
from archdef.host.host import Host, current
from archdef.host.stream import Event, Launched, Stream
from archdef.host.timeline import Span, Timeline

__all__ = ["Event", "Executable", "Graph", "Host", "Launched", "Node", "Span", "Stream", "Timeline", "current"]
