"""Calls functions of a program when its streams get there, and lets streams go on while the program asks for nothing."""
from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from archdef.errors import ArchdefError, HostError
from archdef.exec.wire import Gone

if TYPE_CHECKING:
    from archdef.exec.session import Session
    from archdef.exec.wire import Connection

IDLE_SECONDS: Final = 0.02
"""A program that has asked for nothing this long is taken to wait for its devices in a way of its own, such as a condition variable."""


PATIENCE_SECONDS: Final = 10.0
"""How long the program's thread that serves may take to come once it was started."""


class Helper:
    """The thread of a program that serves, and the one here that drives it."""

    def __init__(self, session: Session):
        self.session = session
        self.connection: Connection | None = None
        self._there = threading.Event()
        self._asked = time.monotonic()
        self._busy = 0
        self._over = False
        self._changed = threading.Condition()

    def expected(self, function: int, *arguments: int) -> tuple[Callable[[], None], Callable[[], None]]:
        """Give what a stream calls to call a function of the program, and what is to be called when a stream takes it."""
        def issued() -> None:
            with self._changed:
                self._changed.notify_all()

        def called() -> None:
            self.call(function, *arguments)
        return called, issued

    def call(self, function: int, *arguments: int) -> None:
        """Call a function of the program, on its thread that serves."""
        if not self._there.wait(PATIENCE_SECONDS):
            raise HostError(f"the program's thread that calls its functions has not come in {PATIENCE_SECONDS} seconds")
        connection = self.connection
        if connection is not None:
            with contextlib.suppress(Gone):     # then nobody is left who could be called
                connection.call(function, *arguments)

    def asks(self, busy: int) -> None:
        """Note that the program begins (1) or ends (-1) a call."""
        with self._changed:
            self._busy += busy
            self._asked = time.monotonic()

    def end(self) -> None:
        """Let `drive` end."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _is_wanted(self) -> bool:
        """Wait until the program is idle and a stream has a function to call; False if the program has ended."""
        with self._changed:
            while not self._over and (self._busy or time.monotonic() - self._asked < IDLE_SECONDS or not self._has_calls()):
                self._changed.wait(IDLE_SECONDS if self._busy or self._has_calls() else None)
            return not self._over

    def _has_calls(self) -> bool:
        devices = self.session.runtime.devices.all()
        return any(each.kind == "function" for device in devices if device.streams_in_use for each in list(device.context.pending))

    def drive(self, connection: Connection) -> None:
        """Serve until the program ends: while it is idle, let streams come to the functions that they are to call."""
        connection.ready()
        self.connection = connection
        self._there.set()
        while self._is_wanted():
            try:
                for device in self.session.runtime.devices.all():
                    if device.streams_in_use:       # errors are left for the program, which hears of them when it next asks
                        device.context.host.wait("idle", list(device.context.tails.values()), [])
            except ArchdefError as error:
                if (text := str(error)) not in self.session.tally.failed:
                    self.session.tally.failed.append(text)
            self.asks(0)        # what has not come to its function now may later
        self.connection = None
