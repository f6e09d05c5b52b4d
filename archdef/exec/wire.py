"""What the stand-in inside a program sends, and what it is answered; ``ext/standin/standin.c`` has the same structures."""
from __future__ import annotations

import array
import contextlib
import errno
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

_HELLO: Final = struct.Struct("<IIQQQQQIII4x")
_REQUEST: Final = struct.Struct("<II6Q4d18Q")
_ANSWER: Final = struct.Struct("<II5Q")
_CREDENTIALS: Final = struct.Struct("@3i")
"""Who is at the other end, as the system says it (ucred): process, user, group."""
_RETURN, _CALL, _MAP, _UNMAP, _REPLACE, _ADDRESS = range(6)
_MASK: Final = (1 << 64) - 1
_RETRY_SECONDS: Final = 0.05
_AWAKE_SECONDS: Final = 50e-6
"""How long a thread looks for a message before it sleeps: about what it takes to wake it, so that looking in vain at most doubles the time.
``ext/standin/standin.c`` has the same for the other end."""


class Gone(Exception):
    """The program has ended, or ended this thread: nobody is left to answer."""


class Hello(NamedTuple):
    """What a thread says first."""

    functions: int
    """How many functions the stand-in has."""
    process: int
    scratch: int
    """Address of memory in the program that is archdef's to write."""
    scratch_bytes: int
    write_text: int
    """Address of a function ``(text, bytes, is_error)`` that writes to the program's own standard output, or to its stream of errors."""
    start_server: int
    """Address of a function that starts a thread which does nothing but call functions of the program."""
    link_lto: int
    """Address of a function ``(request)`` that lets the program's nvJitLink make PTX of LTO-IR."""
    serves: int
    """Whether this is that thread."""
    image: int
    """Tells the program from one that the process ran before it."""
    cuda: int
    """Major version of the runtime that the program was linked with, as far as that shows; 0: it does not."""


class Request(NamedTuple):
    """One call: the number of the function, and whatever its arguments may be in."""

    function: int
    integers: tuple[int, ...]
    floats: tuple[float, ...]


def accepted(end: socket.socket, refused: Callable[[], None]) -> Iterator[socket.socket]:
    """Give the connections that threads make, until the socket is shut down. One for which this process has no file left is closed, so that the thread
    hears of it instead of waiting for ever, and `refused` is called."""
    spare: int | None = None        # a file that is given up for that one
    try:
        while True:
            if spare is None:
                with contextlib.suppress(OSError):
                    spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            try:
                connection, _ = end.accept()
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    return
                if spare is None:
                    time.sleep(_RETRY_SECONDS)      # others have taken the last one: until one of them gives it back
                    continue
                os.close(spare)
                spare = None
                with contextlib.suppress(OSError):
                    end.accept()[0].close()
                    refused()
            else:
                yield connection
    finally:
        if spare is not None:
            os.close(spare)


class Connection:
    """One thread of a program."""

    def __init__(self, end: socket.socket):
        self.end = end

    def hello(self) -> Hello:
        """Read what the thread says first. Raises Gone.

        The process is numbered as this one sees it: a container's programs have other numbers for themselves.
        """
        told = Hello(*_HELLO.unpack(self._message(_HELLO.size)))
        if not (process := self.process()):
            raise Gone(f"process {told.process} runs where this one cannot see it")
        return told._replace(process=process)

    def process(self) -> int:
        """Give the number of the process that has made the connection; 0 if this one cannot see it."""
        found: int = _CREDENTIALS.unpack(self.end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
        return found

    def request(self) -> Request:
        """Wait for the next call. Raises Gone."""
        values = _REQUEST.unpack(self._message(_REQUEST.size))
        return Request(values[0], values[2:8] + values[12:], values[8:12])

    def ready(self) -> None:
        """Wait until a thread that serves can be called."""
        self._result()

    def answer(self, value: int, last_error: int = 0) -> None:
        """Let the call return, and tell the thread its last error: the stand-in asks for it only where there is one."""
        self._send(_RETURN, value, note=last_error)

    def call(self, function: int, *arguments: int) -> int:
        """Call a function of the program, in the thread that is waiting for an answer, and give what it returns."""
        self._send(_CALL, function, *arguments)
        return self._result()

    def map(self, address: int, nbytes: int, offset: int, descriptor: int) -> int:
        """Map part of a file into the program, at an address or anywhere (0); gives where, 0 if it can't be."""
        self._send(_MAP, address, nbytes, offset, descriptor=descriptor)
        return self._result()

    def unmap(self, address: int, nbytes: int) -> None:
        """Take a mapping away."""
        self._send(_UNMAP, address, nbytes)
        self._result()

    def replace(self, address: int, nbytes: int, descriptor: int | None) -> bool:
        """Put pages of a file, or of the program's own (None), behind its memory, which keeps its contents; says whether that could be."""
        self._send(_REPLACE, address, nbytes, descriptor=descriptor)
        return bool(self._result())

    def address(self, function: int) -> int:
        """Give the address of one of the stand-in's own functions, by its number."""
        self._send(_ADDRESS, function)
        return self._result()

    def _result(self) -> int:
        return int.from_bytes(self._message(8), "little")

    def _send(self, kind: int, value: int, *arguments: int, descriptor: int | None = None, note: int = 0) -> None:
        words = (*arguments, 0, 0, 0, 0)[:4]
        message = _ANSWER.pack(kind, note, value & _MASK, words[0] & _MASK, words[1] & _MASK, words[2] & _MASK, words[3] & _MASK)
        try:
            if descriptor is None:
                self.end.send(message)
            else:
                self.end.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))])
        except OSError as error:
            raise Gone(f"the program has ended: {error}") from None

    def _message(self, nbytes: int) -> bytes:
        try:
            data = self._received(nbytes + 1)
        except OSError as error:
            raise Gone(f"the program has ended: {error}") from None
        if len(data) != nbytes:
            raise Gone("the program has ended" if not data else f"a message of {len(data)} bytes, {nbytes} were expected")
        return data

    def _received(self, most_bytes: int) -> bytes:
        """Wait for a message: awake at first, since to be woken takes longer than most programs take between two calls."""
        until = time.perf_counter() + _AWAKE_SECONDS
        while time.perf_counter() < until:
            try:
                return self.end.recv(most_bytes, socket.MSG_DONTWAIT)
            except BlockingIOError:
                os.sched_yield()
        return self.end.recv(most_bytes)
