"""Programs that start and end: why one could not be started, or was out of reach of the library that stands in for CUDA's; waiting for its end."""
from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Final

_ELF: Final = b"\x7fELF"
_HEADER_BYTES: Final = 64
_OF_32_BITS: Final = 1
_X86_64: Final = 62
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
_INTERPRETER: Final = 3
"""Type of the segment that names the loader (PT_INTERP)."""


def ended(program: subprocess.Popen[bytes], ready: Callable[[], None] = lambda: None) -> int:
    """Wait for a program; gives its exit code, negative after a signal.

    An interrupt from the terminal has gone to the program, too, which ends by it or does what it sees fit: its account is given all the same. A second
    one kills it, which counts as the interrupt's doing.

    ready : called first; it raises the interrupt that came while the program was started.
    """
    try:
        try:
            ready()
            return _ended(program)
        except KeyboardInterrupt:
            return _ended(program)
    except KeyboardInterrupt:
        program.kill()
        code = program.wait()
        return -signal.SIGINT if code == -signal.SIGKILL else code
    except BaseException:
        program.kill()
        program.wait()
        raise


class InterruptsKept:
    """Keeps an interrupt while a program is started, which it would cut off: nobody would then wait for that."""

    def __init__(self) -> None:
        self._came = False
        in_main = threading.current_thread() is threading.main_thread()       # no other may handle signals
        self._kept = in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._kept:
            signal.signal(signal.SIGINT, self._keep)

    def _keep(self, number: int, frame: FrameType | None) -> None:
        self._came = True

    def given(self) -> None:
        """Let them come as before. Raises KeyboardInterrupt if one came."""
        if self._kept:
            self._kept = False
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._came:
            self._came = False
            raise KeyboardInterrupt


@contextlib.contextmanager
def passed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]]:
    """Pass signals that would end this process, and leave its program behind, on to that; the second one kills it. Whoever handles them already goes on to.

    Gives what is to be told of the program when it has been started, which gives it back.
    """
    seen: list[int] = []
    started: list[subprocess.Popen[bytes]] = []

    def send(number: int) -> None:
        for program in started:
            if program.returncode is None:      # else its number may be another's
                os.kill(program.pid, number)

    def pass_on(number: int, frame: FrameType | None) -> None:
        send(signal.SIGKILL if number in seen else number)
        seen.append(number)

    def start(program: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        started.append(program)
        for number in seen:         # which have come since
            send(number)
        return program
    in_main = threading.current_thread() is threading.main_thread()       # no other may handle signals
    before = {number: signal.signal(number, pass_on) for number in _ENDING if in_main and signal.getsignal(number) is signal.SIG_DFL}
    try:
        yield start
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if seen and not started:
            os.kill(os.getpid(), seen[0])


def wait_for(process: int) -> bool:
    """Wait for the end of any process; False if the system has no way to."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:      # it was faster
        return True
    except OSError:
        return False
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll()
    finally:
        os.close(descriptor)
    return True


def ancestors(process: int) -> Iterator[int]:
    """Give the process that has started another one, the one that has started that, and so on, as far as they still run."""
    while process > 1:
        try:
            process = int(Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            return
        yield process


def _ended(program: subprocess.Popen[bytes]) -> int:
    """Wait for the end before the exit code is taken: the interrupt that ends the program ends this wait, too, and the code would be lost with it."""
    os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    return program.wait()


def refusal(program: str, error: OSError) -> str:
    """Say why the system does not start a program."""
    path = Path(program)
    if isinstance(error, FileNotFoundError):
        if "/" not in program and path.is_file():
            return f"there is no {program} on the PATH; for the file here write ./{program}"
        if path.is_file():
            return f"the {_interpreter(path)} that it names is missing"
    if isinstance(error, PermissionError):
        if path.is_dir():
            return "it is a folder"
        if path.is_file():
            return "it is not executable: chmod +x makes it so"
    if error.errno == errno.ENOEXEC:
        head = _head(shutil.which(program) or program)
        if head.startswith(_ELF):
            return "it is a program for another processor than x86-64"
        return "it is neither a program nor a script whose first line names its interpreter, such as #!/bin/sh"
    return error.strerror or str(error)


def out_of_reach(program: str) -> str | None:
    """Say why a program that was run can not have found the stand-in; None if it can."""
    found = shutil.which(program)
    head = b"" if found is None else _head(found)
    if found is None or not head.startswith(_ELF) or len(head) < _HEADER_BYTES:
        return None
    if head[4] == _OF_32_BITS or struct.unpack_from("<H", head, 18)[0] != _X86_64:
        return f"{program} is no program for x86-64 with 64 bits, so that nothing can stand in for CUDA's libraries"
    start, size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
    with open(found, "rb") as file:
        file.seek(start)
        table = file.read(size * count)
    if size and any(struct.unpack_from("<I", table, at)[0] == _INTERPRETER for at in range(0, len(table) - 3, size)):
        return None
    return f"{program} is linked statically, so that nothing can stand in for CUDA's libraries: link it without -static"


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEADER_BYTES)
    except OSError:
        return b""


def _interpreter(path: Path) -> str:
    head = _head(str(path))
    return f"interpreter {head[2:].split()[0].decode(errors='replace')}" if head.startswith(b"#!") and head[2:].split() else "loader"
