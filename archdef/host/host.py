"""The host: its clock, the calls it makes, and the events that follow from them, in order of simulated time.

Python's own time does not count: the clock moves by what calls cost, by what the host waits for, and by `Host.spend`. Work is
simulated when somebody waits or asks for it, never further than the host's clock; so what a later call adds can not come too late.
"""
from __future__ import annotations

import contextlib
import heapq
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from archdef.errors import HostError
from archdef.host.engines import Engine
from archdef.host.link import FS_PER_S
from archdef.host.operation import DONE, DROPPED, RUNNING, Operation
from archdef.host.timeline import Recorded, Span, Timeline
from archdef.spec import TYPICAL_LINK

if TYPE_CHECKING:
    from archdef.engine import core
    from archdef.host.capture import Capture

_LOOK_SECONDS = 0.001
"""How often memory is looked at that only the program can change."""


class Host:
    """One host process with its devices. Deterministic: the same calls give the same times."""

    def __init__(self, connections: int = 8):
        """Make a host whose clock stands at 0.

        connections : work queues that it uses of each device, as ``CUDA_DEVICE_MAX_CONNECTIONS`` says for CUDA; at most what the
                      device has. More streams than this share queues, and may wait for each other.
        """
        if connections < 1:
            raise HostError(f"connections must be at least 1, got {connections}")
        self.connections = connections
        self.now = 0
        """The host's clock, femtoseconds."""
        self._contexts: list[weakref.ref] = []
        self._functions = Engine("functions")
        self._heap: list[tuple[int, int, int, Operation, int]] = []
        self._numbers = itertools.count(1)
        self._tie = itertools.count()
        self._devices = itertools.count()
        self._reached = 0
        self._busy: list = []           # contexts whose executor has a grid, in order of their numbers
        self.together: list = []
        """Launches on several devices whose grids may wait for each other."""
        self._spans: list[Span] = []
        self._watched: list[Operation] = []
        """What is ready and waits for a value in memory."""
        self._in_function = False
        self._paid = False
        self._range_numbers = itertools.count(1)
        self._open_ranges: dict[int, tuple[str, int]] = {}
        self.addresses: core.AddressSpace | None = None
        """What its devices divide among themselves, so that an address says whose memory it is; None: each begins at the same address."""
        self.abandoned = False
        """Nobody waits for what the devices do any more: they stop."""
        self.captures: list[Capture] = []
        """The captures of streams that have not ended."""
        self.lock = threading.RLock()
        self._elsewhere = threading.Condition(self.lock)

    @property
    def contexts(self) -> list:
        """The device contexts that are in use."""
        return [context for known in self._contexts if (context := known()) is not None]

    def add(self, context) -> int:
        """Take a device context in; give its number."""
        with self.lock:
            self._contexts = [known for known in self._contexts if known() is not None] + [weakref.ref(context)]
            return next(self._devices)

    @property
    def in_function(self) -> bool:
        """Whether a host function of a stream runs now."""
        return self._in_function

    # ------------------------------------------------------------------------------------------------------------- clock
    @property
    def time_s(self) -> float:
        """The host's clock in seconds."""
        return self.now / FS_PER_S

    def spend(self, seconds: float, name: str = "work") -> None:
        """Let the host work for some time of its own while devices go on."""
        if not seconds >= 0:
            raise HostError(f"a time must not be negative, got {seconds}")
        with self.lock:
            self.charge(name, round(seconds * FS_PER_S))

    def charge(self, name: str, duration: int) -> None:
        """Move the clock by the cost of a call."""
        if self._in_function:
            raise HostError(f"{name}: a host function of a stream must not call the runtime")
        if duration and not self._paid:
            last = self._spans[-1] if self._spans else None
            start = self.now
            if last is not None and (last.place, last.name, last.end) == ("host", name, start):    # one span for a polling loop
                start = self._spans.pop().start
            self.now += duration
            self._spans.append(Span("host", "host", name, "", start, self.now, 0))

    @contextlib.contextmanager
    def one_call(self, name: str, duration: int) -> Iterator[None]:
        """Charge once for all that the block puts into streams."""
        self.charge(name, duration)
        self._paid = True
        try:
            yield
        finally:
            self._paid = False

    # ------------------------------------------------------------------------------------------------------------- ranges
    def mark(self, name: str) -> None:
        """Mark this moment in the timeline."""
        with self.lock:
            self._spans.append(Span("host", "marks", name, "", self.now, self.now, kind="record"))

    def begin_range(self, name: str) -> int:
        """Begin a range of the timeline; gives the number by which it is ended."""
        with self.lock:
            number = next(self._range_numbers)
            self._open_ranges[number] = name, self.now
            return number

    def end_range(self, number: int) -> None:
        """End a range; one that is not open stays so."""
        with self.lock:
            if number in self._open_ranges:
                name, start = self._open_ranges.pop(number)
                self._spans.append(Span("host", "ranges", name, "", start, self.now, kind="range"))

    def end_ranges(self) -> None:
        """End all ranges."""
        for number in list(self._open_ranges):
            self.end_range(number)

    @contextlib.contextmanager
    def range(self, name: str) -> Iterator[None]:
        """Give what the block puts in motion a range of the timeline, which ends with the block."""
        number = self.begin_range(name)
        try:
            yield
        finally:
            self.end_range(number)

    # ---------------------------------------------------------------------------------------------------------- timeline
    def timeline(self, since: int = 0) -> Timeline:
        """Everything that has ended so far, or what began since a reading of `now`."""
        assumed = [context.label for context in self.contexts if context.link is TYPICAL_LINK]
        return Timeline([s for s in self._spans if s.start >= since], assumed)

    @contextlib.contextmanager
    def recording(self) -> Iterator[Timeline]:
        """Give a timeline that is filled, when the block is left, with what began in it; waits for all devices first."""
        line, since = Timeline([]), self.now
        yield line
        self.synchronize()
        found = self.timeline(since)
        line.spans[:], line.assumed[:] = found.spans, found.assumed

    def clear(self) -> None:
        """Forget the timeline up to now."""
        self._spans.clear()

    def note(self, span: Span) -> None:
        """Add to the timeline."""
        self._spans.append(span)

    # ----------------------------------------------------------------------------------------------------------- issuing
    def issue(self, operation: Operation, after: list[Operation]) -> Operation:
        """Take an operation of a call that has just been charged for; it depends on all of `after`."""
        operation.number, operation.issued = next(self._numbers), self.now
        operation.arrives = self.now + operation.context.submit_fs
        for other in dict.fromkeys(after):
            if not other.over:
                other.followers.append(operation)
                operation.blockers += 1
        if operation.kind == "function":
            self._functions.add(operation)
        if not operation.blockers:
            self._plan_ready(operation, operation.arrives)
        return operation

    def _plan_ready(self, operation: Operation, at: int) -> None:
        delay = operation.context.dependency_fs if operation.grid is not None or operation.kind == "wait" else 0
        if operation.kind == "wait":
            delay = max(delay - operation.duration, 0)      # which recording the event has taken
        self._plan(max(at, operation.arrives) + delay, _READY, operation)

    def _plan(self, at: int, what: int, operation: Operation) -> None:
        heapq.heappush(self._heap, (at, what, next(self._tie), operation, operation.plan))

    # ----------------------------------------------------------------------------------------------------------- waiting
    def run_until(self, operations: list[Operation], limit: int | None = None) -> bool:
        """Simulate until all operations are over (True), or up to a time."""
        open_ones = [o for o in operations if not o.over]
        while open_ones:
            if not self._step(limit):
                if limit is None and self._watched:
                    self._let_others_write()
                elif limit is None:
                    raise HostError(f"{open_ones[0]!r} never ends; please report this")
                else:
                    return False
            open_ones = [o for o in open_ones if not o.over]
        return True

    def _let_others_write(self) -> None:
        """Wait for what only the program can change, by writing memory or by calls of its other threads, which go on meanwhile; maybe without end."""
        if self.abandoned:
            raise HostError(f"{self._watched[0].name} of {self._watched[0].stream.label} had not ended when its program did")
        self._elsewhere.wait(_LOOK_SECONDS)

    def catch_up(self) -> None:
        """Simulate what has happened by now on the host's clock."""
        while self._step(self.now):
            pass

    def poll(self, name: str, context) -> None:
        """Look at what a device has done by now. Where a call takes no time, the clock goes on to what happens next, so that loops of calls end."""
        self.charge(name, context.call_fs)
        self.catch_up()
        if not context.call_fs and context.tails and self._step(None):
            self.now = max(self.now, self._reached)
            self.catch_up()

    def wait(self, name: str, operations: list[Operation], contexts: list) -> None:
        """Block the host until operations are over; then raise what went wrong on the devices.

        contexts : of the devices whose errors surface here.
        """
        with self.lock:
            self.charge(name, 0)
            begun = self.now
            self.run_until(operations)
            self.catch_up()
            wakeup = max((s.wakeup_fs for s in contexts), default=0)
            ends = [o.end + wakeup for o in operations if o.end > begun]
            self.now = max([begun, *ends])
            if not ends:
                self.charge(name, max((s.call_fs for s in contexts), default=0))
            else:
                self._spans.append(Span("host", "host", name, "", begun, self.now, 0))
            for pool in (pool for context in contexts for pool in context.pools):
                pool.trim(pool.threshold)
            self.raise_errors(contexts)

    def synchronize(self) -> None:
        """Wait for everything on every device."""
        with self.lock:
            self.wait("synchronize", [o for context in self.contexts for o in context.tails.values()], self.contexts)

    def raise_errors(self, contexts: list) -> None:
        """Raise the first error of the devices, and forget it. What has ended on them by now the host knows of."""
        for context in contexts:
            context.unseen = [operation for operation in context.unseen if not operation.over]
            if context.error is not None:
                error, context.error = context.error, None
                raise error

    # ------------------------------------------------------------------------------------------------------------ events
    def _step(self, limit: int | None) -> bool:
        """Handle what comes next: an event of ours, or the end of a grid. False if nothing comes by `limit`."""
        if self._watched and self._look():
            return True
        while self._heap and self._stale(self._heap[0]):
            heapq.heappop(self._heap)
        horizon = self._horizon(limit)
        if self._busy:
            alone = not self._heap and limit is None and len(self._busy) == 1 and not self._watched
            ended = [found for context in self._busy for found in context.grids.advance(horizon, alone)]
            if len(ended) > 1:
                ended.sort(key=lambda pair: (pair[0], pair[1].number))
            for end, operation in ended:
                self._plan(max(end, self._reached), _END, operation)
        if self.together:
            self._settle_together()
        if self._busy and horizon is not None and (not self._heap or self._heap[0][0] > horizon):
            self._reached = max(self._reached, horizon)
            return limit is None or horizon < limit
        if not self._heap or limit is not None and self._heap[0][0] > limit:
            return False
        at, what, _, operation, _ = heapq.heappop(self._heap)
        self._reached = at
        self._HANDLERS[what](self, operation, at)
        return True

    def _horizon(self, limit: int | None) -> int | None:
        """Say how far devices may go on before something else is due; None: as far as they like."""
        horizon = limit
        if self._heap and (horizon is None or self._heap[0][0] < horizon):
            horizon = self._heap[0][0]
        for context in self._busy:
            quantum = context.grids.quantum
            if quantum is not None and (horizon is None or self._reached + quantum < horizon):
                horizon = self._reached + quantum
        return horizon

    def _settle_together(self) -> None:
        """Let grids go on that wait for grids of other devices, or say that they never will."""
        self.together = [group for group in self.together if not group.over]
        for group in self.together:
            group.settle()
        if self._busy and not self._heap and all(context.grids.waiting for context in self._busy):
            stories = "".join(group.story() for group in self.together)
            for context in self._busy:
                context.grids.stop(stories)

    @staticmethod
    def _stale(entry) -> bool:
        _, what, _, operation, plan = entry
        return operation.over or what == _END and plan != operation.plan

    def _look(self) -> bool:
        """End what has waited for a value that memory has now; whether there is anything. Others are looked at again at the next step."""
        self._watched = [operation for operation in self._watched if not operation.over]
        for operation in self._watched:
            assert operation.holds is not None, "it is one that waits"
            assert operation.ready is not None, "only what is ready is watched"
            try:
                there = operation.holds()
            except Exception as error:  # noqa: BLE001  whatever it is, it belongs to the next synchronise
                operation.error, there = error, True
            if there:
                self._watched.remove(operation)
                operation.start = operation.ready
                self._reached = max(self._reached, operation.ready)
                self._on_end(operation, self._reached)
                return True
        return False

    def _on_ready(self, operation: Operation, at: int) -> None:
        operation.ready = at
        if operation.holds is not None:
            self._watched.append(operation)
            return
        if operation.engine is None:
            operation.start = at
            operation.state = RUNNING
            if operation.kind == "record" and operation.duration:
                self._plan(at + operation.duration, _END, operation)
            else:
                self._on_end(operation, at)
        else:
            self._dispatch(operation.engine, at)

    def _dispatch(self, engine: Engine, at: int) -> None:
        while (operation := engine.next()) is not None:
            operation.start = at
            if operation.grid is not None:
                context = operation.context
                if context not in self._busy:
                    self._busy.append(context)
                    self._busy.sort(key=lambda s: s.number)
                # one that had to wait for room starts as late after it as one that waited for another's end
                operation.start = at if operation.ready == at else at + context.dependency_fs
                context.grids.start(operation, operation.start)
            elif operation.direction:
                self._plan(at + operation.duration, _FLOW, operation)
            else:
                self._plan(at + operation.duration, _END, operation)

    # A copy's bytes flow at the rate of the link, which is lower while bytes flow the other way; so ends are planned anew each time
    # one starts or stops. `plan` tells the plan that holds from those that do not.
    def _on_flow(self, operation: Operation, at: int) -> None:
        self._settle(operation.context, at)
        operation.context.flowing.append(operation)
        self._replan(operation.context, at)

    def _settle(self, context, at: int) -> None:
        for copy in context.flowing:
            copy.left = max(0, copy.left - int((at - copy.resumed) * context.rate_of(copy)))
            copy.resumed = at

    def _replan(self, context, at: int) -> None:
        for copy in context.flowing:
            copy.resumed, copy.plan = at, copy.plan + 1
            self._plan(at + -int(-copy.left // context.rate_of(copy)), _END, copy)

    def _on_end(self, operation: Operation, at: int) -> None:
        context, engine = operation.context, operation.engine
        operation.end, operation.state = at, DONE
        if operation in context.flowing:
            self._settle(context, at)
            context.flowing.remove(operation)
            self._replan(context, at)
        if engine is not None:
            engine.running.remove(operation)
            if operation.grid is not None and not any(o.grid is not None for o in engine.running):
                self._busy.remove(context)
        if operation.error is None and operation.act is not None:
            self._act(operation, operation.act)
        self._log(operation)
        if operation.error is not None:
            self._fail(operation)
        self._release(operation, at)
        if engine is not None:
            self._dispatch(engine, at)

    def _act(self, operation: Operation, act: Callable[[], Any]) -> None:
        self._in_function = operation.kind == "function"
        try:
            act()
        except Exception as error:  # noqa: BLE001  whatever it is, it belongs to the next synchronise
            operation.error = error
        finally:
            self._in_function = False

    def _fail(self, operation: Operation) -> None:
        """Keep the first error of a device, and drop what it has not begun."""
        context = operation.stream.context
        if context.error is None:
            context.error = operation.error
        engines: dict[Engine | None, None] = {}
        for other in sorted(context.pending, key=lambda o: o.number):
            if other.state < RUNNING:
                other.state, other.end = DROPPED, operation.end
                self._release(other, operation.end)
                engines[other.engine] = None
        context.mend()
        for engine in engines:          # what waited behind them may go on
            if engine is not None:
                self._dispatch(engine, operation.end)

    def _release(self, operation: Operation, at: int) -> None:
        operation.stream.ended(operation)
        last = operation
        while last.sequel is not None:
            last = last.sequel
        if last is not operation and not last.over:     # only kernels hear of it now
            late = [f for f in operation.followers if f.grid is None]
            operation.followers = [f for f in operation.followers if f.grid is not None]
            last.followers += late
        operation.sequel = None
        for follower in operation.followers:
            follower.blockers -= 1
            if not follower.blockers and not follower.over:
                self._plan_ready(follower, at)
        operation.followers = []
        operation.act = None

    def _log(self, operation: Operation) -> None:
        row = operation.engine.name if operation.engine is not None else "events"
        place = "host" if operation.kind == "function" else operation.context.label
        self._spans.append(Span(place, row, operation.name, operation.stream.label, operation.start, operation.end, operation.nbytes,
                                operation.kind, operation.error is not None, _recorded(operation)))

    _HANDLERS: ClassVar[tuple[Callable[[Host, Operation, int], None], ...]] = ()


def _recorded(operation: Operation) -> Recorded | None:
    """Give the timeline of a kernel that has run, if it had the option ``timeline``."""
    run = None if operation.grid is None else operation.grid.result
    return None if run is None or run.timeline_record is None else run.timeline()


_END, _FLOW, _READY = range(3)
"""At one moment ends come before starts."""
Host._HANDLERS = (Host._on_end, Host._on_flow, Host._on_ready)

_current = Host()


def current() -> Host:
    """Give the host that devices belong to unless they are told otherwise."""
    return _current

