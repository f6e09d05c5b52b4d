"""Functions that the stand-in has, and who answers them."""
from __future__ import annotations

import contextlib
import inspect
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from archdef.exec import arguments
from archdef.exec.wire import Gone
from archdef.runtime.status import STATUS, Refusal, status_of

if TYPE_CHECKING:
    from archdef.exec.contexts import Context
    from archdef.exec.session import Session
    from archdef.exec.wire import Connection, Hello
    from archdef.run.module import Kernel

SUCCESS: Final = 0
_STREAMS: Final = ("/dev/stdin", "/dev/stdout", "/dev/stderr")
NAMES: Final = tuple(sorted((Path(__file__).parent / "functions.txt").read_text(encoding="ascii").split()))
"""What the stand-in has, by number."""
Answer: TypeAlias = "Callable[..., int | None]"
"""``(thread, *arguments) → what the function returns``; None is success."""
Int: TypeAlias = int
"""A parameter of an answer that the header declares as an int, or as an enumeration: what else is in its register, or on the stack, means nothing."""
UInt: TypeAlias = int
"""The same of an unsigned int. Parameters with no more than `int` have 64 bits."""


def runtime_number(error: BaseException) -> int:
    """Give the runtime's number for an error."""
    return STATUS.get(status_of(error), STATUS["Unknown"])[0]


def is_drivers(name: str) -> bool:
    """Say whether a function is one of the driver's, whose names alone have a capital letter behind ``cu``."""
    return name.startswith("cu") and name[2:3].isupper()


class Call:
    """How one function is answered: with how many integers, and whether what it returns is a status, which GetLastError then repeats."""

    def __init__(self, answer: Answer, status: bool, number: Callable[[BaseException], int] = runtime_number, refused: str = ""):
        """number : what the function returns for an error; refused : why it never does anything."""
        self.answer, self.status, self.number, self.refused = answer, status, number, refused
        self.annotations = [each.annotation for each in list(inspect.signature(answer).parameters.values())[1:]]
        """Of each parameter, as written."""
        self._read = [_READ.get(each) for each in self.annotations]
        self.parameters = len(self.annotations)

    def arguments(self, words: Sequence[int]) -> list[int]:
        """Read the parameters out of what registers and stack have."""
        return [word if read is None else read(word) for word, read in zip(words, self._read, strict=False)]


CALLS: dict[str, Call] = {}
"""Name of a function → how it is answered; what is not here is refused."""
REFUSALS: dict[str, int] = {}
"""What names of a library's functions begin with → the status by which it says that something is not supported."""


def refusal(name: str) -> int | None:
    """Give the status by which a library refuses a function; None: it is the runtime's, or the driver's."""
    prefix = max((prefix for prefix in REFUSALS if name.startswith(prefix)), key=len, default=None)
    return None if prefix is None else REFUSALS[prefix]


def answers(*names: str, status: bool = True, number: Callable[[BaseException], int] = runtime_number) -> Callable[[Answer], Answer]:
    """Let a function answer to these names. It takes the `Thread`, and an integer for each parameter that the header declares, annotated `Int` or
    `UInt` where that has 32 bits: floats and structures by value it finds in `Thread.floats` and in two integers."""
    def add(answer: Answer) -> Answer:
        _check_new(names)
        for name in names:
            CALLS[name] = Call(arguments.checked(name, answer) if name.startswith("cuda") else answer, status, number)
        return answer
    return add


def refuses(why: str, *names: str, status: bool = True, number: Callable[[BaseException], int] = runtime_number) -> None:
    """Let functions be refused with a reason; the others as for `answers`."""
    def refuse(thread: Thread) -> None:
        raise Refusal("NotSupported", why)
    _check_new(names)
    CALLS.update(dict.fromkeys(names, Call(refuse, status, number, why)))


def _check_new(names: Sequence[str]) -> None:
    if twice := CALLS.keys() & set(names):
        raise ValueError(f"answered twice: {', '.join(sorted(twice))}")


class Thread:
    """One thread of a program while it waits for an answer."""

    def __init__(self, session: Session, connection: Connection, hello: Hello):
        self.session, self.connection, self.hello = session, connection, hello
        self.memory, self.runtime = session.memory, session.runtime
        self.last_error = SUCCESS
        self.floats: tuple[float, ...] = ()
        self.stack: tuple[int, ...] = ()
        """Words on the stack: arguments after the sixth, and structures by value of more than 16 bytes."""
        self.ranges: dict[Any, list[int]] = {}
        """Of each domain of NVTX, the ranges that this thread has begun and not ended."""
        self.per_thread = False
        """Whether the call that is answered was compiled for default streams of threads: then no stream means the thread's own."""
        self.launching: Kernel | int | None = None
        """What the call that is answered launches, or the handle by which the program names it; None: it launches nothing."""
        self.uses_runtime = False
        """Whether it has called the runtime for more than to ask about devices, which makes a primary context current."""
        self.contexts: list[Context] = []
        """The driver's stack of contexts."""

    def string(self, text: str) -> int:
        """Give the address of a text in the program's memory, where it stays. Raises Refusal if there is no room."""
        with self.session.lock:
            if text not in self.session.strings:
                data = text.encode() + b"\0"
                if self.session.scratch_used + len(data) <= self.hello.scratch_bytes // 2:      # the other half is for what is printed
                    address = self.hello.scratch + self.session.scratch_used
                    self.session.scratch_used += len(data)
                else:
                    address = self.session.lasting(self.connection, len(data))
                self.memory.put(address, data)
                self.session.strings[text] = address
            return self.session.strings[text]

    def file(self, name: str) -> Path:
        """Give the place of a file that the program names: it has a root, a current folder and standard streams of its own."""
        own = Path(f"/proc/{self.session.process}")
        if name in _STREAMS:
            return own / "fd" / str(_STREAMS.index(name))
        return own / "root" / name.lstrip("/") if name.startswith("/") else own / "cwd" / name

    def print(self, text: str, is_error: bool = False) -> None:
        """Write to the program's own standard output, or to its stream of errors, in order with what the program writes."""
        data = text.encode()
        half = self.hello.scratch_bytes // 2
        with self.session.output.writing:
            for start in range(0, len(data), half):
                piece = data[start:start + half]
                self.memory.put(self.hello.scratch + half, piece)
                self.connection.call(self.hello.write_text, self.hello.scratch + half, len(piece), is_error)


class Output:
    """The text stream of a session's devices: what kernels print goes to the program whose thread waits for them."""

    def __init__(self) -> None:
        self.current = threading.local()
        self.writing = threading.Lock()
        """Held while a text lies in the program's memory to be written: there is one place for it."""
        self._kept: list[str] = []
        self._lock = threading.Lock()

    def write(self, text: str) -> int:
        """Write. What is printed while no thread of the program waits is kept for the next that does."""
        thread: Thread | None = getattr(self.current, "thread", None)
        if thread is None:
            with self._lock:
                self._kept.append(text)
        else:
            with contextlib.suppress(Gone):
                thread.print(text)
        return len(text)

    def catch_up(self, thread: Thread) -> None:
        """Write what was kept."""
        if self._kept:
            with self._lock:
                text, self._kept = "".join(self._kept), []
            thread.print(text)

    def flush(self) -> None:
        """Do nothing: the program flushes its own output."""


def signed(value: int) -> int:
    """Read 32 bits as an int of C."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def unsigned(value: int) -> int:
    """Read 32 bits as an unsigned int of C."""
    return value & 0xFFFFFFFF


_READ: Final[dict[object, Callable[[int], int]]] = {"Int": signed, "UInt": unsigned}
"""Annotation of a parameter → how it is read."""


def shape(xy: int, z: int) -> tuple[int, int, int]:
    """Read a dim3 out of the two registers in which it is passed."""
    return xy & 0xFFFFFFFF, xy >> 32, z & 0xFFFFFFFF


def float_bits(value: float) -> bytes:
    """Give the bytes of a float of C."""
    return struct.pack("<f", value)


def status_name(number: int, prefix: str = "cuda") -> str:
    """Give the name of a status."""
    names = {n: prefix + ("" if name == "Success" else "Error") + name for name, (n, _) in STATUS.items()}
    return names.get(number, "unrecognized error code")


def status_text(number: int) -> str:
    """Say what a status means."""
    return next((text for n, text in STATUS.values() if n == number), "unrecognized error code")
