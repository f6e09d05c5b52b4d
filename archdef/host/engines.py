"""The hardware behind the queues: an engine starts operations in the order of their calls, for each work queue of the host.

The head of a queue that is not ready holds up what lies behind it, other streams' work too. With one work queue this is the false
dependency of machines before Hyper-Q; with as many as streams there is none.
"""
from __future__ import annotations

from collections import deque

from archdef.host.executor import Executor
from archdef.host.operation import RUNNING, WAITING, Operation


class Engine:
    """Carries out up to `capacity` operations at a time; copies over the host link (of a machine without copy
    engines) alone."""

    def __init__(self, name: str, capacity: int = 1, grids: Executor | None = None):
        self.name, self.capacity = name, capacity
        self.grids = grids
        """Executor of grids, for the engine that has one."""
        self.queues: dict[object, deque[Operation]] = {}
        self.running: list[Operation] = []

    def add(self, operation: Operation) -> None:
        """Put an operation at the end of its work queue."""
        operation.engine = self
        self.queues.setdefault(operation.queue, deque()).append(operation)

    def next(self) -> Operation | None:
        """Take the ready operation whose call was first, if there is room for it."""
        if not self.queues or len(self.running) >= self.capacity:
            return None
        heads = []
        for number in list(self.queues):
            queue = self.queues[number]
            while queue and queue[0].state != WAITING:      # dropped
                queue.popleft()
            if not queue:
                del self.queues[number]
            elif queue[0].ready is not None:
                heads.append(queue[0])
        if not heads:
            return None
        first = min(heads, key=lambda operation: operation.number)
        alone = first.direction or self.running and self.running[0].direction
        if self.running and alone or first.grid is not None and self.grids is not None and not self.grids.room:
            return None
        queue = self.queues[first.queue]
        queue.popleft()
        if not queue:
            del self.queues[first.queue]
        first.state = RUNNING
        self.running.append(first)
        return first
