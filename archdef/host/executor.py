"""Between the host's events and the engine: grids start here at a time, and their ends come back. The only file that knows both."""
from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Protocol

from archdef.errors import GuestFault, HostError
from archdef.progress import Launches

if TYPE_CHECKING:
    from archdef.engine import core

SLICE_MS = 50
"""The engine comes up for air this often, to look for Ctrl-C."""
LEAST_QUANTUM_FS = 2 * 10**8
"""Steps of simulated time are no shorter, also where a description lets nothing take time: 0.2 us."""


class Executor(Protocol):
    """Carries out grids on one device. Times are femtoseconds of the host's clock."""

    quantum: int | None
    """Furthest that it may be ahead of the host model, since it can tell the end of a grid only when it is there; None: it knows ends
    from the start."""

    @property
    def room(self) -> bool:
        """Whether another grid can start now."""

    def start(self, operation, at: int) -> None:
        """Start the grid of an operation."""

    def advance(self, until: int | None, alone: bool = False) -> list[tuple[int, object]]:
        """Bring the device to a time (None: on to the end of a grid).

        alone : nothing but its own grids can do anything to the device meanwhile, so grids that wait for more than that never end.

        Gives ``(end, operation)`` of grids that have ended by then; an operation that failed carries its error.
        """

    # Only where grids of several devices are launched together:
    @property
    def waiting(self) -> bool:
        """Whether nothing can happen here before a grid of another device arrives."""

    def gathered(self, operation) -> int | None:
        """Since when the grid of an operation waits for those of other devices; None: it does not."""

    def let_go(self, operation, at: int) -> None:
        """Let it go on."""

    def stop(self, story: str) -> None:
        """Those that are waited for never come: end with errors that tell the story."""


class Shared:
    """Grids of one device, in one session of the engine for as long as there are any.

    A grid that is executed without being timed has a session of its own, in which it runs to its end at once, when no other grid runs; it takes the
    mean time of those of its kernel and shape that were timed before it, or none.

    What follows from the end of a grid reaches the device no sooner than a launch or a copy takes to begin, so the device may run ahead
    by that much and nothing comes too late.
    """

    def __init__(self, architecture, link, reaction: int):
        self._period = round(1e9 / architecture.clocks.shader_mhz)
        self._most = link.concurrent_grids
        self.quantum: int | None = max(reaction, LEAST_QUANTUM_FS)
        self._session: core.Session | None = None
        self._origin = 0
        """The host's time at which the session was at cycle 0."""
        self._active: list = []
        self._waiting: list[tuple[int, Any]] = []
        """Grids that are not timed, and since when they wait for those that are."""
        self._taken: dict[object, tuple[int, int]] = {}
        """Kernel and shape → femtoseconds that timed grids have taken, and how many there were."""
        self._ended: list[tuple[int, int, object]] = []
        self._line: Launches | None = None

    @property
    def room(self) -> bool:
        return not self._waiting

    def start(self, operation, at: int) -> None:
        try:
            if operation.grid.is_functional():
                if self._session is None:
                    self._execute(operation, at)
                else:
                    self._waiting.append((at, operation))
                return
            if self._session is None:
                self._session, self._origin = operation.grid.session(self._most), at
            operation.grid.start(self._session, -(-(at - self._origin) // self._period))
            self._active.append(operation)
        except Exception as error:  # noqa: BLE001  whatever it is, whoever waits gets it
            operation.error = error
            heapq.heappush(self._ended, (at, operation.number, operation))

    def _execute(self, operation, at: int) -> None:
        """Execute a grid that is not timed, to its end."""
        grid = operation.grid
        try:
            session = grid.session()
            running = grid.start(session)
            with Launches(f"{grid.architecture.label} {grid.name}", session, [running], grid.progress) as bar:
                while not operation.context.host.abandoned and session.advance(SLICE_MS):
                    bar.update()
            if operation.context.host.abandoned:
                session.cancel()
                raise HostError(f"{grid.name} had not ended when its program did")
            session.finished()
            grid.finish()
        except KeyboardInterrupt:
            operation.error = grid.interrupted()
            session.cancel()
        except GuestFault as fault:
            fault.printed = grid.printed().text
            operation.error = fault
        except Exception as error:  # noqa: BLE001  whatever it is, whoever waits gets it
            operation.error = error
        operation.start = at
        whole, count = self._taken.get(_shape(grid), (0, 1))
        heapq.heappush(self._ended, (at + whole // count, operation.number, operation))

    def advance(self, until: int | None, alone: bool = False) -> list[tuple[int, object]]:
        if self._active and (until is None or self._time() <= until):
            self._simulate(until, alone)
        ended = []
        while self._ended and (until is None or self._ended[0][0] <= until):
            end, _, operation = heapq.heappop(self._ended)
            ended.append((end, operation))
        return ended

    @property
    def waiting(self) -> bool:
        return self._session is not None and self._session.waiting and not self._ended

    def gathered(self, operation) -> int | None:
        running = operation.grid.running
        cycle = None if running is None else running.gathered
        return None if cycle is None else self._origin + cycle * self._period

    def let_go(self, operation, at: int) -> None:
        self._open.let_go(operation.grid.running, -(-(at - self._origin) // self._period))

    def stop(self, story: str) -> None:
        error = self._open.deadlock()
        self._fail(type(error)(f"{error}{story}", **error.data))

    @property
    def _open(self) -> core.Session:
        assert self._session is not None, "there are grids"
        return self._session

    def _time(self) -> int:
        return self._origin + self._open.cycle * self._period

    def _simulate(self, until: int | None, alone: bool) -> None:
        session = self._open
        last = None if until is None else (until - self._origin) // self._period + 1
        closed = alone and not any(operation.context.memory.shared_with_host for operation in self._active)
        try:
            while not self._active[0].context.host.abandoned and session.advance(SLICE_MS, last, closed):
                self._show()
            if self._active[0].context.host.abandoned:
                session.cancel()
                self._give_up([HostError(f"{operation.grid.name} had not ended when its program did") for operation in self._active])
                return
        except KeyboardInterrupt:
            errors = [operation.grid.interrupted() for operation in self._active]
            session.cancel()
            self._give_up(errors)
            return
        except Exception as error:  # noqa: BLE001  whatever it is, whoever waits gets it
            self._fail(error)
            return
        finished = session.finished()
        if finished:
            self._hide()
        else:
            self._show()
        for done in finished:
            (operation,) = (o for o in self._active if o.grid.running is done)
            self._active.remove(operation)
            operation.start = self._origin + done.started * self._period
            end = self._origin + max(done.ended, done.started + 1) * self._period
            operation.grid.finish()
            whole, count = self._taken.get(_shape(operation.grid), (0, 0))
            self._taken[_shape(operation.grid)] = whole + end - operation.start, count + 1
            heapq.heappush(self._ended, (end, operation.number, operation))
        if not self._active:
            self._session = None
            self._execute_waiting(max((self._origin + done.ended * self._period for done in finished), default=0))

    def _execute_waiting(self, now: int) -> None:
        """No timed grid runs any more: execute what has waited for that."""
        while self._waiting:
            at, operation = self._waiting.pop(0)
            self._execute(operation, max(at, now))

    def _show(self) -> None:
        """Say how far the grids are that run together."""
        running = [operation.grid.running for operation in self._active]
        if self._line is None or self._line.grids != running:
            self._hide()
            self._line = Launches(self._names, self._open, running, False if any(o.grid.progress is False for o in self._active) else None)
        self._line.update()

    def _names(self) -> str:
        return ", ".join(dict.fromkeys(f"{operation.grid.architecture.label} {operation.grid.name}" for operation in self._active))

    def _hide(self) -> None:
        if self._line is not None:
            self._line.end()
            self._line = None

    def _fail(self, error: Exception) -> None:
        if isinstance(error, GuestFault):
            error.printed = "".join(operation.grid.printed().text for operation in self._active)
        self._give_up([error] * len(self._active))

    def _give_up(self, errors: list[BaseException]) -> None:
        """The session is over: a fault of one grid ends all that run beside it."""
        self._hide()
        end = self._time()
        for operation, error in zip(self._active, errors, strict=True):
            operation.error = error
            heapq.heappush(self._ended, (end, operation.number, operation))
        for _, operation in self._waiting:
            operation.error = errors[0]
            heapq.heappush(self._ended, (end, operation.number, operation))
        self._active, self._session, self._waiting = [], None, []


def _shape(grid) -> tuple[object, ...]:
    """What grids have in common that take about the same time."""
    return grid.name, grid.launcher.grid, grid.launcher.block, grid.plan.shared_bytes
