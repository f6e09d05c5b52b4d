"""Lists of nodes that the program was given by their addresses, which stay as long as CUDA says they do."""
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from archdef.exec.calls import Thread

_LEAST: Final = 16
"""Nodes that a list has room for, at least."""


class NodeLists:
    """Memory for the lists that queries of captures give. A list stays until the next query of its capture or the end of that, and is used again."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[int, int]] = {}
        """Number of a capture → address of its list, and the nodes that it has room for."""
        self._spare: list[tuple[int, int]] = []

    def put(self, thread: Thread, capture: int, handles: Sequence[int]) -> int:
        """Write a capture's list; gives its address."""
        with thread.session.lock:
            address, room = self._of.get(capture, (0, 0))
            if room < len(handles):
                self.ended(capture)
                address, room = self._of[capture] = self._taken(thread, len(handles))
        thread.memory.put(address, struct.pack(f"<{len(handles)}Q", *handles))
        return address

    def _taken(self, thread: Thread, count: int) -> tuple[int, int]:
        fitting = next((each for each in self._spare if each[1] >= count), None)
        if fitting is not None:
            self._spare.remove(fitting)
            return fitting
        room = max(_LEAST, 1 << (count - 1).bit_length())
        return thread.session.lasting(thread.connection, 8 * room), room

    def ended(self, capture: int) -> None:
        """Let the list of a capture that is over be used for another."""
        if (found := self._of.pop(capture, None)) is not None:
            self._spare.append(found)
