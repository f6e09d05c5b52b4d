"""Stream capture: what is put into streams meanwhile becomes a graph instead of being done."""
from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Final

from archdef.errors import CaptureError
from archdef.host.graph import Graph, Node, Work

if TYPE_CHECKING:
    from collections.abc import Iterable
    from archdef.host.context import Context
    from archdef.host.stream import Event, Stream

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
MODES: Final = ("global", "thread", "relaxed")
"""Whose unsafe calls end a capture: everybody's, those of its own thread, nobody's."""
_numbers = itertools.count(1)


class Capture:
    """One capture, from the stream that began it over all that joined it by events."""

    def __init__(self, origin: Stream, mode: int, graph: Graph | None = None, after: Iterable[Node] = ()):
        self.origin, self.mode, self.graph = origin, mode, Graph() if graph is None else graph
        self.number = next(_numbers)
        self.thread = threading.get_ident()
        self.broken = False
        """Whether a call that is not allowed has ended it; the stream says so until its end is asked for."""
        self.before: dict[Stream, list[Node]] = {origin: list(after)}
        """Of each stream that takes part: what the next node in it waits for."""
        self._first = set(self.graph.nodes)

    def add(self, stream: Stream, work: Work) -> Node:
        """Make work that was put into a stream a node. Raises CaptureError if the capture is broken."""
        self.check()
        node = self.graph.add(work, self.before[stream])
        self.before[stream] = [node]
        return node

    def join(self, stream: Stream, nodes: Iterable[Node]) -> None:
        """Let a stream, which may not take part yet, wait for nodes."""
        self.check()
        self.before[stream] = list(dict.fromkeys([*self.before.get(stream, ()), *nodes]))
        stream.capture = self

    def check(self) -> None:
        """Raise CaptureError if the capture is broken."""
        if self.broken:
            raise CaptureError(f"the capture of {self.origin.label} was ended by a call that is not allowed in one", "Invalidated")

    def spoil(self, message: str, kind: str = "Unsupported") -> CaptureError:
        """End it because of a call that is not allowed; gives the error to be raised."""
        self.broken = True
        return CaptureError(message, kind)

    def leave(self) -> None:
        """Let its streams be ordinary ones."""
        for stream in self.before:
            stream.capture = None
        self.origin.context.captures.remove(self)
        self.origin.context.host.captures.remove(self)

    @property
    def unjoined(self) -> list[Node]:
        """Nodes that the stream it began in does not wait for."""
        seen: set[Node] = set()
        todo = list(self.before[self.origin])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += node.after
        return [node for node in self.graph if node not in seen and node not in self._first]


def begin(stream: Stream, mode: int = GLOBAL, graph: Graph | None = None, after: Iterable[Node] = ()) -> Capture:
    """Capture a stream from here on. Raises CaptureError for the legacy default stream, or one that is captured already."""
    host = stream.context.host
    with host.lock:
        if mode not in range(len(MODES)):
            raise CaptureError(f"there is no capture mode {mode}", "Mode")
        if stream.number == 0:
            raise CaptureError("the legacy default stream cannot be captured", "Unsupported")
        if stream.capture is not None:
            raise CaptureError(f"{stream.label} is being captured already", "IllegalState")
        stream.capture = capture = Capture(stream, mode, graph, after)
        stream.context.captures.append(capture)
        host.captures.append(capture)
        return capture


def end(stream: Stream) -> Graph:
    """End the capture that began in a stream, and give its graph. Raises CaptureError."""
    with stream.context.host.lock:
        capture = stream.capture
        if capture is None:
            raise CaptureError(f"{stream.label} is not being captured", "IllegalState")
        if capture.origin is not stream:
            raise capture.spoil(f"the capture began in {capture.origin.label}, not in {stream.label}", "Unmatched")
        if capture.mode != RELAXED and capture.thread != threading.get_ident():
            raise CaptureError("the capture was begun by another thread", "WrongThread")
        unjoined = capture.unjoined
        capture.leave()
        capture.check()
        if unjoined:
            raise CaptureError(f"{stream.label} does not wait for {unjoined[0]!r}, which another stream does for the capture", "Unjoined")
        return capture.graph


def captured(context: Context, stream: Stream, work: Work) -> Node | None:
    """Make work that is put into a stream a node if the stream is being captured; None: it is not. Raises CaptureError."""
    if stream.capture is not None:
        return stream.capture.add(stream, work)
    if stream.number == 0:
        refuse_legacy(context, work.name)
    return None


def join_capture(stream: Stream, event: Event) -> None:
    """Let a stream wait for an event, where one of the two is of a capture. Raises CaptureError unless both can be of the same one."""
    if event.captured is None:
        assert stream.capture is not None, "one of them is"
        if event.operation is not None:
            raise stream.capture.spoil(f"{event.label} was recorded outside of the capture that {stream.label} takes part in", "Isolation")
        return
    capture, nodes = event.captured
    if capture not in stream.context.host.captures:
        raise CaptureError(f"the capture that {event.label} was recorded in has ended", "Invalidated" if capture.broken else "CapturedEvent")
    if stream.capture not in (None, capture):
        stream.capture.broken = True
        raise capture.spoil(f"{stream.label} is of another capture than {event.label}", "Merge")
    if stream.number == 0:
        raise capture.spoil("the legacy default stream cannot join a capture", "Implicit")
    capture.join(stream, nodes)


def refuse_legacy(context: Context, name: str) -> None:
    """Refuse what the legacy default stream shall do while a stream that it would wait for is captured. Raises CaptureError."""
    for capture in context.host.captures:
        if any(stream.blocking and stream.context is context for stream in capture.before):
            raise capture.spoil(f"{name}: the legacy default stream would wait for {capture.origin.label}, which is being captured", "Implicit")


def refuse_waiting(streams: Iterable[Stream], name: str) -> None:
    """Refuse to wait for streams that are captured, or to ask whether they are done. Raises CaptureError."""
    for stream in streams:
        if stream.capture is not None:
            raise stream.capture.spoil(f"{name}: {stream.label} is being captured, and does nothing that could be waited for")


def refuse_event(event: Event, name: str) -> None:
    """Refuse what needs the time of an event that was recorded in a captured stream. Raises CaptureError."""
    if event.captured is not None:
        capture, _ = event.captured
        raise capture.spoil(f"{name}: {event.label} was last recorded in a stream that is captured", "CapturedEvent")


def refuse_unsafe(captures: Iterable[Capture], name: str, mode: int) -> None:
    """Refuse a call that may wait for the device by itself while somebody captures, if the calling thread's `mode` or the capture's forbids it.

    Raises CaptureError. Reference: cudaThreadExchangeStreamCaptureMode.
    """
    mine = threading.get_ident()
    for capture in captures:
        if RELAXED not in (mode, capture.mode) and (capture.thread == mine or capture.mode == GLOBAL and mode == GLOBAL):
            raise capture.spoil(f"{name} is not allowed while {capture.origin.label} is being captured")
