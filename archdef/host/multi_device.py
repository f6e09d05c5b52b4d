"""Grids of several devices that are launched together and wait for each other (``multi_grid.sync()``)."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from archdef.errors import HostError
from archdef.host import managed
from archdef.host.link import fs, peers
from archdef.host.operation import DROPPED, Operation
from archdef.host.stream import Launched, Stream

if TYPE_CHECKING:
    from archdef.run.launch import Grid


class Together:
    """Grids of one launch, in the order of their ranks."""

    def __init__(self, operations: list[Operation]):
        self.operations = operations

    @property
    def over(self) -> bool:
        """Whether all of them are."""
        return all(operation.over for operation in self.operations)

    def settle(self) -> None:
        """If all wait for each other, let each go on when it has heard of the last."""
        since = [operation.context.grids.gathered(operation) for operation in self.operations]
        if None in since:
            return
        for operation in self.operations:
            heard = max(at + _signal(other.context, operation.context) for other, at in zip(self.operations, since, strict=True))
            operation.context.grids.let_go(operation, heard)

    def story(self) -> str:
        """Say of each grid, in a line, why it waits, or why nobody should wait for it."""
        return "".join(f"\n  grid {rank} on {operation.context.label} {_does(operation)}" for rank, operation in enumerate(self.operations))


def _signal(one, other) -> int:
    """Time in which a device hears of another's arrival: over the fabric between them, or by way of the host.

    It is never shorter than the step by which devices may be apart in simulated time.
    """
    if one is other:
        return 0
    direct = peers(one.architecture, other.architecture) is not None
    us = max(one.link.peer_latency_us, other.link.peer_latency_us) if direct else one.link.latency_us + other.link.latency_us
    return max(fs(us), one.grids.quantum, other.grids.quantum)


def _does(operation: Operation) -> str:
    if operation.over:
        return "was dropped" if operation.state == DROPPED else "has ended with an error" if operation.error is not None else "has ended"
    if operation.grid.running is None:
        return "has not started"
    return "waits for the others" if operation.context.grids.gathered(operation) is not None else "never comes to their barrier"


def launch_together(launches: Sequence[tuple[Stream, Grid]], before: bool = True, after: bool = True) -> list[Launched]:
    """Put prepared grids into streams of different devices of one host; all start as one launch, and may wait for each other.

    before : none starts before what all the streams hold has ended.
    after  : what comes later in any of the streams waits for all of them.
    """
    contexts = [stream.context for stream, _ in launches]
    host = contexts[0].host
    if any(context.host is not host for context in contexts):
        raise HostError(f"{', '.join(context.label for context in contexts)} do not belong to one host")
    with host.lock:
        for context, (stream, grid) in zip(contexts, launches, strict=True):
            grid.moved = managed.before_launch(context, grid, stream)
        operations, held = [], [o for context, (stream, _) in zip(contexts, launches, strict=True) for o in context.before(stream)]
        for rank, (context, (stream, grid)) in enumerate(zip(contexts, launches, strict=True)):
            grid.among = rank, len(launches)
            host.charge(f"launch {grid.name}", context.launch_fs)
            operations.append(Operation("kernel", grid.name, context, stream, grid=grid))
        for context, operation in zip(contexts, operations, strict=True):
            managed.note_launch(context, operation)
            context.issue(operation, context.compute, held if before else None)
        host.together.append(Together(operations))
        if after:
            for context, operation in zip(contexts, operations, strict=True):
                name = "wait for grids of other devices"
                context.issue(Operation("wait", name, context, operation.stream), after=[*operations, *context.before(operation.stream)])
    return [Launched(operation) for operation in operations]
