"""Mangled names of C++, by the demangler of the C++ library that numpy needs, too.

Its texts can be exponentially longer than the names, since a name may refer to parts of itself that refer to parts of themselves, and it has no limit. A name
that refers often enough is therefore demangled in a process of its own, whose memory and time are limited.
"""
from __future__ import annotations

import atexit
import ctypes
import functools
import os
import re
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Final

MOST_CHARACTERS: Final = 1 << 16
"""A text that is longer is of no use to a reader."""
_MOST_REFERENCES: Final = 10
"""With so many each text is short: a reference at most doubles what stands before it."""
_REFERENCE: Final = re.compile(r"[ST][0-9A-Z]*_")
_LONGEST_NAME: Final = 4096
"""The library takes none of more than 1,024 characters apart."""
_START_SECONDS: Final = 20.0
_PATIENCE_SECONDS: Final = 2.0
"""How long it may take to start, on a busy computer, and for an answer."""
_MOST_FAILURES: Final = 3
"""After so many names that took too long no others are asked for that refer often: they were made to."""
_WORK: Final = f"""
import ctypes, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
demangle, free = ctypes.CDLL("libstdc++.so.6").__cxa_demangle, ctypes.CDLL(None).free
demangle.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
sys.stdout.buffer.write(b"\\n")
sys.stdout.buffer.flush()
for line in sys.stdin.buffer:
    text = demangle(line.strip(), None, None, ctypes.byref(ctypes.c_int()))
    found = ctypes.string_at(text) if text else b""
    free(text)
    sys.stdout.buffer.write((found if len(found) <= {MOST_CHARACTERS} else b"") + b"\\n")
    sys.stdout.buffer.flush()
"""
"""What the process does: an empty line says that it is ready, and is its answer to a name where there is no text, or one too long."""


@functools.lru_cache(maxsize=4096)
def demangled(symbol: str) -> str | None:
    """Give what a mangled name of C++ stands for; None for other names, and for those whose text would be longer than `MOST_CHARACTERS`."""
    if not symbol.startswith("_Z") or len(symbol) > _LONGEST_NAME or "\n" in symbol or (demangle := _demangler()) is None:
        return None
    if len(_REFERENCE.findall(symbol)) <= _MOST_REFERENCES:
        text = demangle(symbol)
        return text if text is None or len(text) <= MOST_CHARACTERS else None
    return _apart.ask(symbol)


@functools.cache
def _demangler() -> Callable[[str], str | None] | None:
    """Give the library's function; None if there is no library by its usual name."""
    try:
        library = ctypes.CDLL("libstdc++.so.6")
        demangle, free = library.__cxa_demangle, ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return None
    demangle.restype, demangle.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    free.argtypes = [ctypes.c_void_p]

    def found(symbol: str) -> str | None:
        status = ctypes.c_int()
        text = demangle(symbol.encode(), None, None, ctypes.byref(status))
        if not text:
            return None
        try:
            return ctypes.string_at(text).decode(errors="replace")
        finally:
            free(text)
    return found


class _Apart:
    """A process that demangles names, started when the first one comes, and anew after one that took too much."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._failures = 0
        self._owner = 0
        """The process that has started it: one that was made by `fork` must not read its answers."""

    def ask(self, symbol: str) -> str | None:
        """Give the text of a name; None where there is none, or it takes too long."""
        with self._lock:
            if self._failures >= _MOST_FAILURES:
                return None
            try:
                return self._answer(symbol.encode())
            except OSError:
                self._fail()
                return None

    def _answer(self, symbol: bytes) -> str | None:
        if self._process is None or self._owner != os.getpid():
            command, pipe = [sys.executable, "-I", "-S", "-c", _WORK], subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0)
            self._owner = os.getpid()
            self._line(self._process, _START_SECONDS)
        assert self._process.stdin is not None, "a pipe"
        self._process.stdin.write(symbol + b"\n")
        return self._line(self._process, _PATIENCE_SECONDS).decode(errors="replace") or None

    @staticmethod
    def _line(process: subprocess.Popen[bytes], patience_seconds: float) -> bytes:
        """Read a line. Raises OSError where none comes: a name takes too long, or too much memory."""
        assert process.stdout is not None, "a pipe"
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], patience_seconds)
            piece = os.read(process.stdout.fileno(), MOST_CHARACTERS) if ready else b""
            if not piece:
                raise OSError("no answer")
            line += piece
        return line[:-1]

    def _fail(self) -> None:
        self._failures += 1
        self._end()

    def _end(self) -> None:
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
        self._process = None

    def end(self) -> None:
        """Let the process end."""
        with self._lock:
            self._end()


_apart = _Apart()
atexit.register(_apart.end)
