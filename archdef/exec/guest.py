"""The memory of a running program, read and written from outside by the kernel's own calls, so that no address can do harm here."""
from __future__ import annotations

import ctypes
import errno
import functools
import itertools
import os
import struct
import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from archdef.errors import ArchdefError
from archdef.host.box import reach
from archdef.host.pinned import HostBytes
from archdef.runtime.status import Refusal

MOST_TEXT_BYTES: Final = 1 << 16
_PAGE: Final = 4096
_MOST_PARTS: Final = 1024
"""Pieces that the system moves at a time (IOV_MAX)."""
_CLEARED_AT_ONCE_BYTES: Final = 1 << 16
_ROOM_BYTES: Final = 1 << 12
_ROOM_PARTS: Final = 128
_NEAR_BYTES: Final = 256
"""How far from an array of addresses what they point to mostly lies: compilers have the arguments of a launch in one frame of the stack with it."""


@functools.cache
def _parts(count: int) -> struct.Struct:
    """Give the form of pieces, as the system's calls take them (iovec)."""
    return struct.Struct("@" + "PN" * count)


class _Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class GuestBytes(HostBytes):
    """Ordinary memory of a program, which a copy reads or writes when it runs. Raises Refusal where the program has none."""

    def __init__(self, memory: GuestMemory, address: int, nbytes: int, registered: bool = False):
        """registered : whether the program has page-locked it."""
        self.memory, self.address, self._nbytes, self.registered = memory, address, nbytes, registered

    @property
    def nbytes(self) -> int:
        return self._nbytes

    @property
    def pinned(self) -> bool:
        return self.registered

    def first(self, nbytes: int) -> GuestBytes:
        return GuestBytes(self.memory, self.address, nbytes, self.registered)

    def read(self) -> np.ndarray:
        if self._nbytes:
            self.memory.check_last(self.address, self._nbytes)
        data = np.empty(self._nbytes, "u1")
        self.into(data)
        return data

    def into(self, out: np.ndarray) -> None:
        self.memory.into(self.address, out)

    def write(self, data: np.ndarray) -> None:
        self.memory.out_of(self.address, np.ascontiguousarray(data))


class GuestRows(HostBytes):
    """Rows of ordinary memory of a program, which a copy reads or writes when it runs. Raises Refusal where the program has none."""

    def __init__(self, memory: GuestMemory, address: int, pitch: int, plane: int, box: tuple[int, int, int], registered: bool = False):
        """registered : whether the program has page-locked it."""
        self.memory, self.address, self.pitch, self.plane, self.box, self.registered = memory, address, pitch, plane, box, registered

    @property
    def nbytes(self) -> int:
        width, height, depth = self.box
        return width * height * depth

    @property
    def pinned(self) -> bool:
        return self.registered

    def first(self, nbytes: int) -> GuestRows:
        assert nbytes == self.nbytes, "rows are copied as a whole"
        return self

    def read(self) -> np.ndarray:
        self.memory.check_last(self.address, reach(*self.box, self.pitch, self.plane))
        rows = np.empty(self.box[::-1], "u1")
        self.memory.rows_into(self.address, self.pitch, self.plane, rows)
        return rows.reshape(-1)

    def write(self, data: np.ndarray) -> None:
        self.memory.rows_out_of(self.address, self.pitch, self.plane, np.ascontiguousarray(data).reshape(self.box[::-1]))


class GuestCopy(GuestBytes):
    """One end of a copy that the program waits for: what goes wrong is an error of this call alone, and fails no other work of the device."""

    def __init__(self, memory: GuestMemory, address: int, nbytes: int):
        super().__init__(memory, address, nbytes)
        self._errors: list[ArchdefError] = []

    def first(self, nbytes: int) -> GuestCopy:
        part = GuestCopy(self.memory, self.address, nbytes)
        part._errors = self._errors
        return part

    def into(self, out: np.ndarray) -> None:
        try:
            super().into(out)
        except ArchdefError as error:
            self._errors.append(error)

    def write(self, data: np.ndarray) -> None:
        try:
            super().write(data)
        except ArchdefError as error:
            self._errors.append(error)

    def check(self) -> None:
        """Raise what went wrong. Raises Refusal."""
        if self._errors:
            raise self._errors[0]


def _system(name: str) -> Any:
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    function.restype = ctypes.c_ssize_t
    return function


class _Room:
    """Where a thread has the system put the few bytes that most calls give by address, and describes where they come from."""

    def __init__(self, process: int) -> None:
        self.data = bytearray(_ROOM_BYTES)
        self.mine, self.others = bytearray(_parts(1).size), bytearray(_parts(_ROOM_PARTS).size)
        address, mine, others = (ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in (self.data, self.mine, self.others))
        _parts(1).pack_into(self.mine, 0, address, _ROOM_BYTES)     # which ends where the others do
        self.count = ctypes.c_ulong(1)
        self.arguments = (ctypes.c_int(process), ctypes.c_void_p(mine), ctypes.c_ulong(1), ctypes.c_void_p(others), self.count, ctypes.c_ulong(0))
        """Of the system's call, converted once and not at each."""


class _Rooms(threading.local):
    """That of each thread."""

    def __init__(self, process: int) -> None:
        self.own = _Room(process)


class GuestMemory:
    """Reads and writes the memory of one process. Raises Refusal for addresses that are not its."""

    def __init__(self, process: int):
        self.process = process
        self._rooms = _Rooms(process)
        self._read_few: Any = ctypes.CDLL(None).process_vm_readv
        self._read_few.restype = ctypes.c_ssize_t
        self._read, self._write = _system("process_vm_readv"), _system("process_vm_writev")

    def into(self, address: int, out: np.ndarray) -> None:
        """Fill a contiguous array of bytes."""
        self._move(self._read, address, out.ctypes.data, out.nbytes)

    def out_of(self, address: int, data: np.ndarray) -> None:
        """Write a contiguous array of bytes."""
        self._move(self._write, address, data.ctypes.data, data.nbytes)

    def rows_into(self, address: int, pitch: int, plane: int, out: np.ndarray) -> None:
        """Fill a contiguous array of planes, rows and bytes from rows that lie apart."""
        self._move_rows(self._read, address, pitch, plane, out)

    def rows_out_of(self, address: int, pitch: int, plane: int, data: np.ndarray) -> None:
        """Write such an array to rows that lie apart."""
        self._move_rows(self._write, address, pitch, plane, data)

    def get(self, address: int, nbytes: int) -> bytes:
        """Read."""
        if (found := self._few((address,), (nbytes,))) is not None:
            return found
        if nbytes > _PAGE:      # as many as a program says
            self.check_last(address, nbytes)
        room = ctypes.create_string_buffer(nbytes)
        self._move(self._read, address, ctypes.addressof(room), nbytes)
        return room.raw

    def check_last(self, address: int, nbytes: int) -> None:
        """Refuse bytes of which the last is not there, before room is made for as many as a program says."""
        self._move(self._read, address + nbytes - 1, ctypes.addressof(ctypes.create_string_buffer(1)), 1)

    def get_each(self, addresses: Sequence[int], sizes: Sequence[int]) -> list[bytes]:
        """Read from several places, by one call of the system if all of them are there; else the first that is not says so."""
        if len(addresses) < 2 or (data := self._few(addresses, sizes)) is None:
            return [self.get(address, size) for address, size in zip(addresses, sizes, strict=True)]
        found, at = [], 0
        for size in sizes:
            found.append(data[at:at + size])
            at += size
        return found

    def get_listed(self, address: int, sizes: Sequence[int]) -> list[bytes]:
        """Read from the places whose addresses stand in an array: by one call of the system if they are near it, as arguments of a launch mostly are."""
        listed_bytes = 8 * len(sizes)
        start = address - _NEAR_BYTES
        around = self._few((start,), (listed_bytes + 2 * _NEAR_BYTES,))
        listed = self.get(address, listed_bytes) if around is None else around[_NEAR_BYTES:_NEAR_BYTES + listed_bytes]
        addresses = struct.unpack(f"<{len(sizes)}Q", listed)
        found = []
        for place, size in zip(addresses, sizes, strict=True):
            piece = b"" if around is None or place < start else around[place - start:place - start + size]
            if len(piece) != size:
                return self.get_each(addresses, sizes)
            found.append(piece)
        return found

    def _few(self, addresses: Sequence[int], sizes: Sequence[int]) -> bytes | None:
        """Read a few bytes of a few places by one call; None where they are more than that, or the call did not give them all."""
        count, nbytes = len(addresses), sum(sizes)
        if not 0 < nbytes <= _ROOM_BYTES or count > _ROOM_PARTS:
            return None
        room = self._rooms.own
        try:
            _parts(count).pack_into(room.others, 0, *itertools.chain.from_iterable(zip(addresses, sizes, strict=True)))
        except struct.error:        # no address at all
            return None
        room.count.value = count
        if self._read_few(*room.arguments) != nbytes:
            return None
        return bytes(room.data[:nbytes])

    def put(self, address: int, data: bytes) -> None:
        """Write."""
        room = ctypes.create_string_buffer(data, len(data) or 1)
        self._move(self._write, address, ctypes.addressof(room), len(data))

    def clear(self, address: int, nbytes: int) -> None:
        """Write zeros, as many as a program says."""
        if nbytes:
            self.check_last(address, nbytes)
        for done in range(0, nbytes, _CLEARED_AT_ONCE_BYTES):
            self.put(address + done, bytes(min(_CLEARED_AT_ONCE_BYTES, nbytes - done)))

    def word(self, address: int) -> int:
        """Read eight bytes."""
        return int(struct.unpack("<Q", self.get(address, 8))[0])

    def put_word(self, address: int, value: int, nbytes: int = 8) -> None:
        """Write an integer."""
        self.put(address, (value & (1 << 8 * nbytes) - 1).to_bytes(nbytes, "little"))

    def text(self, address: int, most_bytes: int = MOST_TEXT_BYTES) -> str:
        """Read a string of C."""
        found = bytearray()
        while len(found) < most_bytes:
            piece = self.get(address, _PAGE - address % _PAGE)     # not over the end of a page: the next one may not be there
            end = piece.find(b"\0")
            found += piece if end < 0 else piece[:end]
            if end >= 0:
                return found.decode(errors="replace")
            address += len(piece)
        raise Refusal("InvalidValue", f"a string of more than {most_bytes} bytes")

    def _move(self, function: Any, address: int, here: int, nbytes: int) -> None:
        if not 0 <= address <= (1 << 64) - nbytes:      # the system would be given what is left of it in 64 bits
            self._refuse(address, errno.EFAULT)
        done = 0
        while done < nbytes:
            mine, other = _Part(here + done, nbytes - done), _Part(address + done, nbytes - done)
            moved = function(self.process, ctypes.addressof(mine), 1, ctypes.addressof(other), 1, 0)
            if moved <= 0:
                self._refuse(address + done, ctypes.get_errno())
            done += moved

    def _move_rows(self, function: Any, address: int, pitch: int, plane: int, here: np.ndarray) -> None:
        """Move many rows by one call, and one after the other where not all of them can be: the first that cannot says so."""
        depth, height, width = here.shape
        for first in range(0, depth * height, _MOST_PARTS):
            planes, rows = np.divmod(np.arange(first, min(first + _MOST_PARTS, depth * height), dtype="u8"), np.uint64(height))
            some = np.uint64(address) + planes * np.uint64(plane) + rows * np.uint64(pitch)
            other = np.stack([some, np.full(len(some), width, "u8")], axis=1)
            place = here.ctypes.data + first * width
            mine = _Part(place, len(some) * width)
            if function(self.process, ctypes.addressof(mine), 1, other.ctypes.data, len(some), 0) != len(some) * width:
                for row, start in enumerate(some.tolist()):
                    self._move(function, start, place + row * width, width)

    def _refuse(self, address: int, number: int) -> None:
        if number == errno.EPERM:
            raise ArchdefError(f"the system does not let this process read the memory of process {self.process}, its own child; "
                               "archdef exec needs that (kernel.yama.ptrace_scope, or the container's rules)")
        raise Refusal("InvalidValue", f"{address:#x} is no memory of the program ({os.strerror(number)})")
