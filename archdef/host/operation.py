"""One piece of asynchronous work, from the host's call to its end."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archdef.host.engines import Engine

WAITING, RUNNING, DONE, DROPPED = range(4)
"""States. Dropped: an error on its device came first."""


class Operation:
    """Work that a stream asked for.

    It is ready once the device has seen the call (`arrives`) and everything it depends on has ended; then its engine takes it,
    in the order of the engine's queues. `act` moves its bytes, or calls the host's function, at its end.
    """

    __slots__ = (
        "act",
        "arrives",
        "blockers",
        "context",
        "direction",
        "duration",
        "end",
        "engine",
        "error",
        "followers",
        "grid",
        "holds",
        "issued",
        "kind",
        "left",
        "name",
        "nbytes",
        "number",
        "plan",
        "queue",
        "ready",
        "resumed",
        "sequel",
        "start",
        "state",
        "stream",
        "touches",
    )

    def __init__(self, kind: str, name: str, context, stream, *, duration: int = 0, act: Callable[[], Any] | None = None, grid=None,
                 nbytes: int = 0, direction: str = "", left: int = 0):
        self.kind, self.name, self.context, self.stream = kind, name, context, stream
        self.duration, self.act, self.grid, self.nbytes = duration, act, grid, nbytes
        self.direction, self.left = direction, left
        """Of a copy over the host link: its way, and the time that its bytes still need with the way to themselves."""
        self.state = WAITING
        self.blockers = 0
        """Operations that must end first."""
        self.followers: list[Operation] = []
        self.engine: Engine | None = None
        """What carries it out; None: nothing, it ends when it is ready."""
        self.queue: object = 0
        """Work queue of its stream."""
        self.number = self.issued = self.arrives = 0
        self.ready: int | None = None
        self.start = self.end = self.resumed = self.plan = 0
        self.sequel: Operation | None = None
        """The kernel that was issued right after this one, where that delays the news of its end."""
        self.touches: set = {context, stream.context}
        """Device contexts whose memory it may use."""
        self.error: BaseException | None = None
        self.holds: Callable[[], bool] | None = None
        """Says whether memory has what it waits for, once it is ready."""

    @property
    def over(self) -> bool:
        """Whether nothing waits for it any more."""
        return self.state >= DONE

    def __repr__(self) -> str:
        return f"<Operation {self.number} {self.kind} {self.name} {('waiting', 'running', 'done', 'dropped')[self.state]}>"
