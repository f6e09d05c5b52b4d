"""Between the host's events and the engine: grids start here at a time, and their ends come back. The only file that knows both.

`Serial` runs one grid after the other. An executor that runs several at once has the same four members.
"""
from __future__ import annotations

from typing import Protocol


class Executor(Protocol):
    """Carries out grids on one device. Times are femtoseconds of the host's clock."""

    @property
    def room(self) -> bool:
        """Whether another grid can start now."""

    def start(self, operation, at: int) -> None:
        """Start the grid of an operation."""

    def advance(self, until: int | None) -> list[tuple[int, object]]:
        """Bring the device to `until` (None: to the end of the next grid), or only to the end of the next grid if that is sooner.

        Gives ``(end, operation)`` of the grids that have ended; an operation that failed carries its error.
        """


class Serial:
    """One grid at a time. A grid runs through when it starts, so it sees device memory as it was then."""

    def __init__(self, architecture):
        self._period_fs = round(1e9 / architecture.clocks.shader_mhz)
        self._ended: tuple[int, object] | None = None

    @property
    def room(self) -> bool:
        return self._ended is None

    def start(self, operation, at: int) -> None:
        try:
            operation.grid.run()
        except Exception as error:          # whatever it is, whoever waits gets it
            operation.error = error
        self._ended = at + max(1, operation.grid.cycles) * self._period_fs, operation

    def advance(self, until: int | None) -> list[tuple[int, object]]:
        if self._ended is None or until is not None and self._ended[0] > until:
            return []
        ended, self._ended = self._ended, None
        return [ended]
