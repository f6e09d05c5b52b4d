"""Options of what the driver compiles while a program runs; those about registers and messages are the ones that mean something here."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Thread
from archdef.runtime.status import Refusal

_MOST_OPTIONS: Final = 64
_MAX_REGISTERS: Final = 0
_INFO, _INFO_BYTES, _ERROR, _ERROR_BYTES = 3, 4, 5, 6
_MOST_LOG_BYTES: Final = 1 << 24


class Options:
    """The options of one call: numbers, and a word for each that is a value or an address."""

    def __init__(self, thread: Thread, count: int, numbers: int, values: int):
        """Read them. Raises Refusal."""
        count &= 0xFFFFFFFF
        if count > _MOST_OPTIONS:
            raise Refusal("InvalidValue", f"{count} options")
        self._memory, self._values = thread.memory, values
        self._given: dict[int, tuple[int, int]] = {}
        if not count:
            return
        which = struct.unpack(f"<{count}I", thread.memory.get(numbers, 4 * count))
        given = struct.unpack(f"<{count}Q", thread.memory.get(values, 8 * count)) if values else (0,) * count
        self._given = {number: (place, value) for place, (number, value) in enumerate(zip(which, given, strict=True))}

    @property
    def most_registers(self) -> int:
        """Registers that a thread may use at most; 0: nobody limits them."""
        return self._given.get(_MAX_REGISTERS, (0, 0))[1] & 0xFFFFFFFF

    def say(self, error: str = "", info: str = "") -> None:
        """Write messages to where the program wants them, as much as there is room for, and how long they are."""
        self._say(_ERROR, _ERROR_BYTES, error)
        self._say(_INFO, _INFO_BYTES, info)

    def _say(self, buffer: int, size: int, text: str) -> None:
        if buffer not in self._given or size not in self._given:
            return
        place, room = self._given[size]
        room = min(room & 0xFFFFFFFF, _MOST_LOG_BYTES)
        data = text.encode()[:room - 1] + b"\0" if room else b""
        if data:
            self._memory.put(self._given[buffer][1], data)
        self._memory.put_word(self._values + 8 * place, max(0, len(data) - 1))
