"""Lets kernels go on while a program asks for nothing, such as one that waits for what they write to memory of the host."""
from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from archdef.exec.helper import IDLE_SECONDS

if TYPE_CHECKING:
    from archdef.exec.session import Session


class Idle:
    """A thread that waits for the devices of a session whenever the program, which can see what kernels write, has asked for nothing for a while.

    The simulated host waits with it: what the program does next comes behind all that the devices had to do.
    """

    def __init__(self, session: Session):
        self.session = session
        self._asked = time.monotonic()
        self._busy = 0
        self._changed = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def asks(self, busy: int) -> None:
        """Note that the program begins (1) or ends (-1) a call."""
        with self._changed:
            self._busy += busy
            self._asked = time.monotonic()
            self._changed.notify_all()

    def end(self) -> None:
        """Let the thread end."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._over and (self._busy or time.monotonic() - self._asked < IDLE_SECONDS or not self._left_to_do()):
                    idle = self._busy == 0 and not self._left_to_do()
                    self._changed.wait(None if idle or self._busy else IDLE_SECONDS)    # a call of the program wakes it up
                if self._over:
                    return
            for device in self.session.runtime.devices.all():
                if device.streams_in_use:       # errors are left for the program, which hears of them when it next asks
                    device.context.host.wait("idle", list(device.context.tails.values()), [])

    def _left_to_do(self) -> bool:
        return any(device.memory.shared_with_host and device.streams_in_use and device.context.pending for device in self.session.runtime.devices.all())
