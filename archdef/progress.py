"""Progress bars, on a terminal or in a notebook. All that are shown at a time share one display, so that none is drawn over another."""
from __future__ import annotations

import functools
import importlib.util
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from archdef.console import console
from archdef.formatting import count, three

if TYPE_CHECKING:
    from archdef.engine import core

PATIENCE_S = 0.5
"""What takes less gets no bar."""
_BAR_COLUMNS = 14


class Display:
    """The lines of all work that is under way, one below the other, on the error stream."""

    def __init__(self) -> None:
        self.quiet = False
        """Show nothing, whoever asks."""
        self._lock = threading.Lock()
        self._bars: Progress | None = None
        self._lines = 0

    def can_show(self) -> bool:
        """Whether a person is watching: a terminal, or a notebook that has what rich draws bars with; not from a process of a pool."""
        if self.quiet or multiprocessing.parent_process() is not None:
            return False
        found = self.console()
        return importlib.util.find_spec("ipywidgets") is not None if found.is_jupyter else found.is_terminal and not found.is_dumb_terminal

    @property
    def busy(self) -> bool:
        """Whether any line is shown."""
        return self._bars is not None

    def console(self) -> Console:
        """Give the console that the lines are drawn on; what else is printed on it comes above them."""
        bars = self._bars
        return bars.console if bars is not None else console(stderr=True)

    def add(self, label: str) -> TaskID:
        """Begin a line."""
        with self._lock:
            if self._bars is None:
                self._bars = Progress(
                    TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", max_width=36)),
                    BarColumn(_BAR_COLUMNS), TextColumn("{task.fields[detail]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
                    console=console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty())
                self._bars.start()
            self._lines += 1
            return self._bars.add_task(label, total=None, detail="")

    def update(self, line: TaskID, fraction: float | None, detail: str) -> None:
        """Say how far a line's work is; None: nobody knows."""
        with self._lock:
            if self._bars is not None:
                self._bars.update(line, total=None if fraction is None else 1.0, completed=fraction or 0.0, detail=detail)

    def remove(self, line: TaskID) -> None:
        """End a line; with the last one goes the display."""
        with self._lock:
            if self._bars is None:
                return
            self._bars.remove_task(line)
            self._lines -= 1
            if self._lines == 0:
                self._bars.stop()
                self._bars = None


DISPLAY = Display()
"""The one of this process."""


class Task:
    """A piece of work with a line of its own, once it has taken `PATIENCE_S` and if somebody is watching. Use it in a ``with`` statement.

    label : what is done, or a function that says so once there is a line.
    shown : False: no line; True and None: one if there is a terminal or a notebook to show it on.
    """

    def __init__(self, label: str | Callable[[], str], shown: bool | None = None):
        self._label, self._wanted = label, shown is not False
        self.began = time.monotonic()
        self._line: TaskID | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def due(self) -> bool:
        """Whether anybody wants to know how far it is."""
        return self._wanted and (self._line is not None or self.elapsed_s >= PATIENCE_S and self.shown)

    @functools.cached_property
    def shown(self) -> bool:
        """Whether there is anything to show it on, which takes longer to find than a short piece of work takes."""
        return self._wanted and DISPLAY.can_show()

    def update(self, fraction: float | None, detail: str) -> None:
        """Say how far it is, as a part of the whole or None, and in words; call it as often as you like."""
        if not self.due:
            return
        if self._line is None:
            self._line = DISPLAY.add(self._label if isinstance(self._label, str) else self._label())
        DISPLAY.update(self._line, fraction, ", ".join([detail, *self._left(fraction)]))

    def counted(self, done: int, total: int, what: str) -> None:
        """Say how many of several equal pieces are done, and what the last one was."""
        self.update(done / total if total else None, f"{count(done)} of {count(total)}, {what}")

    def _left(self, fraction: float | None) -> list[str]:
        if not fraction or fraction >= 1:
            return [clock(self.elapsed_s)]
        return [f"{clock(self.elapsed_s * (1 - fraction) / fraction)} left"]

    def end(self) -> None:
        """Take the line away."""
        if self._line is not None:
            DISPLAY.remove(self._line)
            self._line = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()


class Work:
    """How far launches are, by their blocks and, until these tell, by the instructions that they have issued.

    How many instructions a block takes is not known before the first one has ended; until then there is a rate and no end. From then on a
    block counts as what those before it took: all that run are taken to be about as far as each other, half-way through on the average
    once the first ones have made room for others.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._each = 0.0
        self._furthest = 0.0

    def fraction(self, blocks: int, started: int, ended: int, issued: int) -> float | None:
        """Give the part of the work that is done, None before anybody can know."""
        if ended != self._ended:
            running = started - ended
            self._ended, self._each = ended, issued / (ended + running * max(0.5, 1 - ended / (2 * running)) if running else ended)
        if not self._each:
            return None
        self._furthest = max(self._furthest, min(issued / (self._each * blocks), 0.999))
        return self._furthest


class Launches:
    """The line of launches that run in one session of the engine."""

    def __init__(self, label: str | Callable[[], str], session: core.Session, grids: Sequence[core.Grid], shown: bool | None = None):
        self.session, self.grids, self.task, self._work, self._before = session, grids, Task(label, shown), Work(), session.issued

    def update(self) -> None:
        """Look at the engine."""
        if not self.task.due:
            return
        blocks, started, ended = (sum(each) for each in zip(*((g.blocks, g.blocks_started, g.blocks_done) for g in self.grids), strict=True))
        issued = self.session.issued - self._before
        rate = issued / max(self.task.elapsed_s, 1e-9)
        self.task.update(self._work.fraction(blocks, started, ended, issued),
                         f"{count(ended)} of {count(blocks)} blocks, {short(issued)} instructions, {short(rate)}/s")

    def end(self) -> None:
        """Take the line away."""
        self.task.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()


def clock(seconds: float) -> str:
    """``12 s``, ``1:20``, ``2:03:00``."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}" if minutes else f"{whole} s"


def short(number: float) -> str:
    """``12.3 M``."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{three(number / scale)} {unit}"
    return f"{number:.0f}"
