"""A stage for the event model alone: grids of given durations on a machine whose link is given, and the programs that run there."""
import heapq
import types

import attrs
import numpy as np

from archdef import registry
from archdef.host import Host
from archdef.host.context import Context
from archdef.run.array import DeviceArray
from archdef.run.memory import Memory

FS_PER_US = 10**9


class Grid:
    """A grid that takes some microseconds and does something to memory when it starts."""

    result = types.SimpleNamespace(timeline_record=None)

    def __init__(self, us, effect=None, name="grid"):
        self.us, self.name, self.effect = us, name, effect

    def again(self):
        return Grid(self.us, self.effect, self.name)


class Together:
    """An executor of several grids at once, none of which slows another."""

    quantum = None

    def __init__(self, most=1000):
        self._most, self._active = most, []

    @property
    def room(self):
        return len(self._active) < self._most

    def start(self, operation, at):
        if operation.grid.effect is not None:
            operation.grid.effect()
        heapq.heappush(self._active, (at + round(operation.grid.us * FS_PER_US), operation.number, operation))

    def advance(self, until, alone=False):
        if not self._active or until is not None and self._active[0][0] > until:
            return []
        ended = []
        while self._active and (self._active[0][0] <= until if until is not None else not ended):
            end, _, operation = heapq.heappop(self._active)
            ended.append((end, operation))
        return ended


class Stage:
    """A device of the event model with streams, and pinned and device memory to copy between."""

    def __init__(self, name="h100", host=None, most=1000, **link):
        from archdef.spec import TYPICAL_LINK

        architecture = registry.get(name)
        link = attrs.evolve(architecture.host_link or TYPICAL_LINK, **link)
        architecture = attrs.evolve(architecture, host_link=link, changes={"stage": (0, 1)})
        self.host = host or Host()
        self.memory = Memory(1 << 34)
        self.memory.context = self.context = Context(architecture, self.memory, self.host, Together(most))

    def streams(self, count, blocking=True):
        return [self.context.stream(blocking) for _ in range(count)]

    def array(self, nbytes):
        return DeviceArray(self.memory, nbytes, "u1")

    def pinned(self, nbytes):
        from archdef.host.pinned import pin

        return pin(np.zeros(nbytes, "u1"))

    def run(self, us, stream=None, effect=None, name="grid"):
        return self.context.launch(Grid(us, effect, name), stream)

    def spans(self, kind=None):
        return self.host.timeline().of(self.context.label, kind=kind)


def ends(stage, name):
    """Give the end of the one span of a name, microseconds."""
    (span,) = [s for s in stage.spans() if s.name == name]
    return span.end_us


def starts(stage, name):
    """Give the start of the one span of a name, microseconds."""
    (span,) = [s for s in stage.spans() if s.name == name]
    return span.start_us
