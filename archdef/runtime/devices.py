"""Which devices a runtime sees: those registered by ``use``, else those the environment or the installation names."""
from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from archdef import registry
from archdef.device import Device
from archdef.runtime.status import Refusal
from archdef.spec import Architecture

VARIABLE = "ARCHDEF_DEVICES"


class Devices:
    """The devices of one runtime, in order; each thread has its own current one."""

    def __init__(self) -> None:
        self._list: list[Device] | None = None
        self._thread = threading.local()

    def use(self, *devices: Device | str | Architecture) -> tuple[Device, ...]:
        """Register devices as 0, 1, …; without arguments forget all. Names make new devices, `Device` objects stay what they are."""
        self._list = [d if isinstance(d, Device) else Device(d) for d in devices] or None
        self._thread = threading.local()
        return tuple(self._list or ())

    def all(self) -> list[Device]:
        """List them. Raises Refusal if nobody has said which."""
        if self._list is None:
            named = [name.strip() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()] or registry.names()
            if len(named) > 1 and not os.environ.get(VARIABLE):
                raise Refusal("NoDevice", f"which device? Call use(\"{named[0]}\", …) or set {VARIABLE}; installed: {', '.join(named)}")
            if not named:
                raise Refusal("NoDevice", "no architecture is installed: pip install one of the plugins")
            self._list = [Device(name) for name in named]
        return self._list

    def __getitem__(self, number: int) -> Device:
        devices = self.all()
        if not isinstance(number, int) or not 0 <= number < len(devices):
            raise Refusal("InvalidDevice", f"device {number!r} of {len(devices)}")
        return devices[number]

    @property
    def number(self) -> int:
        """The calling thread's current device."""
        if self._list is None:
            self.all()
        return getattr(self._thread, "number", 0)

    @number.setter
    def number(self, value: int) -> None:
        self[value]
        self._thread.number = value

    @contextlib.contextmanager
    def using(self, number: int) -> Iterator[None]:
        """Let a device be the calling thread's current one within the block. Raises Refusal."""
        before, self.number = self.number, number
        try:
            yield
        finally:
            self.number = before

    @property
    def current(self) -> Device:
        return (self._list or self.all())[getattr(self._thread, "number", 0)]       # which is that of a device, see above
