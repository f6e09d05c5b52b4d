"""Streams and events, as users hold them."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from archdef import values
from archdef.errors import HostError
from archdef.host import capture as captures
from archdef.host.graph import Graph
from archdef.host.link import FS_PER_S
from archdef.host.operation import Operation

if TYPE_CHECKING:
    from archdef.host.capture import Capture
    from archdef.host.graph import Node
    from archdef.run.result import Run


class Stream:
    """Work of one device in order: what is put into it starts when all before it has ended."""

    def __init__(self, context, number: int, blocking: bool, label: str):
        self.context, self.number, self.blocking, self.label = context, number, blocking, label
        self.capture: Capture | None = None
        """The capture that it takes part in."""
        self.priority = 0
        self.attributes: dict[int, Any] = {}
        """What the runtime's user has set, by the runtime's numbers; nothing here goes by it."""

    @property
    def done(self) -> bool:
        """Whether all its work has ended by now. Raises what went wrong on the device; CaptureError while it is captured."""
        host = self.context.host
        with host.lock:
            captures.refuse_waiting([self], "query")
            host.poll(f"query {self.label}", self.context)
            host.raise_errors([self.context])
            return self.number not in self.context.tails

    def synchronize(self) -> None:
        """Wait until all its work has ended. Raises what went wrong on the device; CaptureError while it is captured."""
        captures.refuse_waiting([self], "synchronize")
        tail = self.context.tails.get(self.number)
        self.context.host.wait(f"synchronize {self.label}", [tail] if tail else [], [self.context])

    def record(self, event: Event | None = None) -> Event:
        """Record an event behind the work so far; a new one if none is given."""
        event = Event() if event is None else _event(event)
        self.context.record(self, event)
        return event

    def wait_event(self, event: Event) -> None:
        """Let what comes later wait for the last record of an event, of any device of the host."""
        self.context.wait_event(self, _event(event))

    def begin_capture(self, mode: str = "global") -> None:
        """Make a graph of what is put into this stream from here on, and into streams that wait for its events.

        mode : whose calls that may wait for the device end the capture with an error: ``global``, everybody's; ``thread``, those of the
               calling thread; ``relaxed``, nobody's.

        Raises CaptureError.
        """
        captures.begin(self, captures.MODES.index(mode) if mode in captures.MODES else -1)

    def end_capture(self) -> Graph:
        """End the capture that began here, and give its graph. Raises CaptureError if a call in it was not allowed, or another stream's work is
        not waited for here."""
        return captures.end(self)

    def wait_value(self, holds: Callable[[], bool]) -> None:
        """Let what comes later wait until memory has what `holds` looks for; it must not call archdef."""
        self.context.wait_value(self, holds)

    def write_value(self, write: Callable[[], None]) -> None:
        """Write memory, as `write` does, when the work so far has ended; it must not call archdef."""
        self.context.write_value(self, write)

    def call(self, function: Callable, *arguments, seconds: float = 0.0, issued: Callable[[], None] | None = None) -> None:
        """Call a function of the host when the work so far has ended; it takes `seconds` and must not call archdef.

        issued : is called when a stream takes the function: now, or at each launch of a graph if this stream is captured.
        """
        if not callable(function):
            raise HostError(f"the host calls a function, got {values.shown(function)}")
        self.context.function(self, function, arguments, values.seconds(seconds, "the time that a function of the host takes", HostError), issued)

    def ended(self, operation: Operation) -> None:
        """Forget an operation that is over."""
        self.context.ended(operation)

    def __repr__(self) -> str:
        return f"<Stream {self.label} of {self.context.label}>"


class Event:
    """A mark in a stream, and the time when it was reached."""

    def __init__(self, label: str = "event", timing: bool = True):
        self.label, self.timing = label, timing
        self.operation: Operation | None = None
        self.captured: tuple[Capture, list[Node]] | None = None
        """The capture in whose streams it was last recorded, and what a stream that waits for it would wait for."""

    @property
    def done(self) -> bool:
        """Whether the last record was reached by now; True without one. Raises what went wrong on the device."""
        captures.refuse_event(self, "query")
        if self.operation is None:
            return True
        context = self.operation.context
        if context.host.in_function:    # which may ask this alone, as on an H100; nothing goes on before it has returned, and a lock may be held for it
            return self.operation.over
        with context.host.lock:
            context.host.poll(f"query {self.label}", context)
            context.host.raise_errors([context])
            return self.operation.over

    def synchronize(self) -> None:
        """Wait until the last record is reached. Raises what went wrong on the device."""
        captures.refuse_event(self, "synchronize")
        if self.operation is not None:
            self.operation.context.host.wait(f"synchronize {self.label}", [self.operation], [self.operation.context])

    @property
    def time_s(self) -> float:
        """When it was reached, on the host's clock, seconds."""
        if not self.timing:
            raise HostError(f"{self.label} was made without timing")
        if self.operation is None:
            raise HostError(f"{self.label} was never recorded")
        if not self.operation.over:
            raise HostError(f"{self.label} has not been reached yet; synchronize first")
        return self.operation.end / FS_PER_S

    def elapsed_since(self, earlier: Event) -> float:
        """Seconds from another event to this one; both must have been reached."""
        return self.time_s - _event(earlier).time_s

    def __repr__(self) -> str:
        state = "not recorded" if self.operation is None else "reached" if self.operation.over else "recorded"
        return f"<Event {self.label} {state}>"


class Launched:
    """A kernel that was put into a stream."""

    def __init__(self, operation: Operation):
        self._operation, self._grid = operation, operation.grid
        self.name: str = operation.name
        """The kernel's."""

    @property
    def done(self) -> bool:
        """Whether it has ended by now."""
        context = self._operation.context
        with context.host.lock:
            context.host.catch_up()
            return self._operation.over

    def result(self) -> Run:
        """Wait for its end and give what it counted. Raises what went wrong on the device."""
        context = self._operation.context
        context.host.wait(f"wait for {self._operation.name}", [self._operation], [context])
        return self.outcome()

    @property
    def over(self) -> bool:
        """Whether it has ended in what has been simulated so far."""
        return self._operation.over

    def outcome(self) -> Run:
        """Give what it counted, once it is over: the host does nothing for that. Raises what went wrong in it."""
        if self._grid.result is None:
            error = self._operation.error
            if error is not None:
                raise error
            raise HostError(f"{self._operation.name} did not run: an earlier error of {self._operation.context.label} stopped it")
        return self._grid.result

    def __repr__(self) -> str:
        return f"<Launched {self._operation.name} in {self._operation.stream.label}>"


def _event(given: Any) -> Event:
    """Give an event. Raises HostError for anything else."""
    if not isinstance(given, Event):
        raise HostError(f"an event is what Device.event makes, got {values.shown(given)}")
    return given
