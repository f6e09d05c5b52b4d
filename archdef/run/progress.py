"""A progress bar for launches that take over a second, if a person is watching."""
from __future__ import annotations

import sys
import time

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from archdef.console import console
from typing import Self

PATIENCE_S = 1.0


class Progress:
    """Call `update` as often as you like; a bar appears on a terminal's stderr once a second has passed."""

    def __init__(self, label: str, total: int, shown: bool | None = None):
        self.label, self.total = label, total
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._start = time.monotonic()
        self._bar: Bar | None = None

    def update(self, done: int) -> None:
        """Say how many of the blocks have ended."""
        if not self._shown or time.monotonic() - self._start < PATIENCE_S:
            return
        if self._bar is None:
            self._bar = Bar(TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("blocks"),
                            TimeRemainingColumn(), console=console(stderr=True), transient=True)
            self._task = self._bar.add_task(self.label, total=self.total)
            self._bar.start()
        self._bar.update(self._task, completed=done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
