"""Runs a program and answers what its threads ask, each on a thread of its own."""
from __future__ import annotations

import gc
import logging
import os
import re
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from archdef import registry, values
from archdef.device import Device
from archdef.errors import ArchdefError, LaunchError
from archdef.exec import compiled, cuda_driver, cuda_runtime, libraries, nvtx, starting, toolkit
from archdef.exec.account import Account, account
from archdef.exec.calls import CALLS, NAMES, SUCCESS, Thread, is_drivers, refusal
from archdef.exec.contexts import QUERIES, WITHOUT_DRIVER
from archdef.exec.failures import UNAFFECTED, AfterFailure
from archdef.exec.first_launches import FirstLaunches
from archdef.exec.listings import with_sources
from archdef.exec.session import Session
from archdef.exec.wire import Connection, Gone, Hello, Request, accepted
from archdef.runtime.status import STATUS

if TYPE_CHECKING:
    from archdef.spec import Architecture

_LOG = logging.getLogger(__name__)
LIBRARIES: Final = tuple((Path(__file__).parent / "sonames.txt").read_text(encoding="ascii").split())
"""Names that programs load it by."""
MOST_COMPLAINTS: Final = 200
"""Reasons for failed calls that an account has: there may be one for each address of a program."""
_NVTX_VARIABLE: Final = "NVTX_INJECTION64_PATH"
"""Names the library that NVTX 3, which is headers alone, tells of marks and ranges."""
_LAUNCHES: Final = re.compile(r"cu(?:da)?Launch(?!HostFunc)")
"""Names of functions that launch kernels."""
SOCKET_VARIABLE: Final = "ARCHDEF_EXEC_SOCKET"
KEEPS_PTX: Final = {"CUPY_COMPILE_WITH_PTX": "1"}
"""What tells programs that compile while they run to hand PTX to the driver instead of machine code."""
_COLLECTED_OBJECTS: Final = 20_000
"""How many more objects than before make the collector look for those that hold each other."""
_TUNABLES_VARIABLE: Final = "GLIBC_TUNABLES"
_LARGE_PAGES: Final = "glibc.malloc.hugetlb=1"
"""Lets glibc ask for large pages (2 MiB) for what is allocated in as large pieces. The system's calls that read and write another process's memory look up
and hold it page by page: of pages of 4 KiB that takes twice as long as to move the bytes."""
_ = cuda_runtime, cuda_driver, libraries, nvtx, compiled


class NotHere(ArchdefError):
    """Programs cannot be run on this computer, or this one cannot."""


def stand_in() -> Path:
    """Give the library that programs load in place of CUDA's. Raises NotHere where there is none."""
    found = Path(__file__).with_name("libstandin.so.1")
    if not found.is_file():
        raise NotHere("programs can be run on Linux on x86-64 only: the stand-in for CUDA's libraries was not built here")
    return found


def run(command: Sequence[str], architecture: str | Architecture, devices: int = 1, output: IO[str] | int | None = None, *,
        max_launches: int | None = None, functional: bool = False, **options: Any) -> Account:
    """Run a program that was compiled for CUDA, against simulated devices.

    command      : the program and its arguments, as for `subprocess.run`. It may have CUDA's runtime linked into it, or load it.
    architecture : what its devices are.
    devices      : how many it sees.
    output       : a file, or the number of one, that gets its standard output; None: this process's own does.
    max_launches : so many launches are timed, the first that begin of the whole program; all others are executed only. None: all are timed.
    functional   : none is timed, but for what `max_launches` says.
    options      : of each `Device`, such as ``max_cycles``.

    Raises NotHere if it cannot be started or this is no Linux on x86-64, UnknownArchitecture, LaunchError for options that cannot be. Errors of
    the program's own calls are the program's to handle; `Account.failures` says why they were.
    """
    described = registry.described(architecture)
    count = values.whole(devices, "devices", LaunchError, at_least=1, at_most=64)
    timed = None if max_launches is None else values.whole(max_launches, "max_launches", LaunchError, at_least=0)
    if values.flag(functional, "functional", LaunchError) or timed is not None:
        options["functional"] = FirstLaunches(timed or 0)
    Device(described, **options)
    server = Server([described] * count, **options)
    code = server.run(command, output)
    if not server.sessions and (reason := starting.out_of_reach(command[0])) is not None:
        server.complaints[reason] = None
    found = account(command, code, server.sessions, described.label, server.missing, server.complaints)
    program = Path(command[0])
    return with_sources(found, program, (program.parent, Path()))


def _end_with_its_process(session: Session) -> None:
    """End a session when its process does, which may be long before the program that was run."""
    if starting.wait_for(session.process):
        session.end()


class Server:
    """Answers one program and the processes that it starts."""

    def __init__(self, architectures: Sequence[str | Architecture], **options: Any):
        """options : of each `Device`."""
        self.architectures, self.options = architectures, options
        self._sessions: dict[tuple[int, int], Session] = {}
        """Number of a process and what tells the program that it runs from others → its session."""
        self.missing: dict[str, int] = {}
        """Functions that were called and are not supported → how often."""
        self.complaints: dict[str, None] = {}
        """Why calls failed."""
        self._lock = threading.Lock()

    def run(self, command: Sequence[str], output: IO[str] | int | None = None) -> int:
        """Run a program to its end; gives its exit code, negative after a signal. Raises NotHere."""
        library = stand_in()
        with tempfile.TemporaryDirectory(prefix="archdef-") as folder, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as end:
            for name in LIBRARIES:
                (Path(folder) / name).symlink_to(library)
            path = str(Path(folder) / "socket")
            try:
                end.bind(path)
            except OSError as error:
                raise NotHere(f"programs cannot be reached by a socket in {folder}: {error} (TMPDIR says where it is)") from None
            end.listen(128)
            threading.Thread(target=self._accept, args=(end,), daemon=True).start()
            searched, loaded, tuned = (os.environ.get(each) for each in ("LD_LIBRARY_PATH", "LD_PRELOAD", _TUNABLES_VARIABLE))
            environment = KEEPS_PTX | {_NVTX_VARIABLE: str(library)} | os.environ | toolkit.placed(Path(folder), os.environ) | {
                SOCKET_VARIABLE: path, "LD_PRELOAD": f"{library}:{loaded}" if loaded else str(library),
                "LD_LIBRARY_PATH": f"{folder}:{searched}" if searched else folder,
                _TUNABLES_VARIABLE: f"{_LARGE_PAGES}:{tuned}" if tuned else _LARGE_PAGES}       # the last one said holds
            gc.freeze()     # what is there now, all of archdef, the collector need not look through again and again while launches come in,
            collected = gc.get_threshold()
            gc.set_threshold(_COLLECTED_OBJECTS, *collected[1:])        # nor what they leave for their kernels' totals every few of them
            try:
                with starting.passed_on() as told:
                    interrupts = starting.InterruptsKept()
                    try:
                        code = starting.ended(told(subprocess.Popen(command, env=environment, stdout=output)), interrupts.given)
                    finally:
                        interrupts.given()
            except OSError as error:
                raise NotHere(f"{command[0]} cannot be started: {starting.refusal(command[0], error)}") from None
            finally:
                gc.set_threshold(*collected)
                gc.unfreeze()
                end.shutdown(socket.SHUT_RDWR)      # closing it alone does not wake up who waits there
        for session in self.sessions:
            session.end()
        return code

    @property
    def sessions(self) -> list[Session]:
        """One for each program that a process has run."""
        with self._lock:
            return list(self._sessions.values())

    def _accept(self, end: socket.socket) -> None:
        for connection in accepted(end, self._refuse_thread):
            try:
                threading.Thread(target=self._serve, args=(Connection(connection),), daemon=True).start()
            except RuntimeError:
                connection.close()
                self._refuse_thread()

    def _refuse_thread(self) -> None:
        self.complaints["threads of the program were refused: this process can open no more files (ulimit -n), or start no more threads (ulimit -u)"] = None

    def _session(self, hello: Hello) -> Session:
        key = hello.process, hello.image
        with self._lock:
            before = [each for each in self._sessions.values() if each.process == hello.process] if key not in self._sessions else []
            if key not in self._sessions:
                made = Session(hello.process, self.architectures, **self.options)
                if (parent := self._forked_from(hello)) is not None:
                    made.inherit(parent)
                made.cuda = hello.cuda or made.cuda
                self._sessions[key] = made
                threading.Thread(target=_end_with_its_process, args=(made,), daemon=True).start()
            found = self._sessions[key]
        for each in before:     # the process now runs another program: what the one before has not waited for is given up
            each.end()
        return found

    def _forked_from(self, hello: Hello) -> Session | None:
        """Give the session of the process that one was made from by `fork`: that of its nearest ancestor which runs the same image; None if none does."""
        same = {process: session for (process, image), session in self._sessions.items() if image == hello.image}
        nearest = next((same[each] for each in starting.ancestors(hello.process) if each in same), None)
        return nearest or next(iter(same.values()), None)      # where the parent has ended, the first, which has what was registered before `main`

    def _serve(self, connection: Connection) -> None:
        try:
            hello = connection.hello()
            session = self._session(hello)
            thread = Thread(session, connection, hello)
            connection.answer(0 if hello.functions == len(NAMES) else 1)
            if hello.serves:
                if session.helper is not None:
                    session.helper.drive(connection)
                return
            session.output.current.thread = thread
            while True:
                request = connection.request()
                result = self._answered(thread, request)
                connection.answer(result, thread.last_error)
        except Gone:
            pass
        except ArchdefError as error:       # there are no devices for this process, which hears that it has none
            self.complaints[f"no devices for process {hello.process}: {error}"] = None
        finally:
            connection.end.close()

    def _answered(self, thread: Thread, request: Request) -> int:
        told = [each for each in (thread.session.helper, thread.session.idle) if each is not None]
        for each in told:
            each.asks(1)
        try:
            thread.session.output.catch_up(thread)
            return self._answer(thread, request)
        finally:
            for each in told:
                each.asks(-1)

    def _answer(self, thread: Thread, request: Request) -> int:
        if request.function >= len(NAMES):
            raise Gone(f"there is no function {request.function}")
        name = NAMES[request.function]
        call = CALLS.get(name)
        if call is None:
            self._miss(name)
            if (status := refusal(name)) is not None:
                return status
            if not is_drivers(name):
                thread.last_error = STATUS["NotSupported"][0]
            return STATUS["NotSupported"][0]
        if call.refused:
            self._miss(name)
        thread.launching = None
        thread.per_thread = name.endswith(("_ptsz", "_ptds"))
        thread.uses_runtime = thread.uses_runtime or call.status and name not in QUERIES
        if call.status and name not in WITHOUT_DRIVER:
            thread.session.contexts.initialised = True
        thread.floats, thread.stack = request.floats, request.integers[6:]
        arguments = call.arguments(request.integers)
        try:
            if call.status and name not in UNAFFECTED:
                thread.session.failures.check(thread)
            result = call.answer(thread, *arguments) or SUCCESS
            if _LOG.isEnabledFor(logging.DEBUG):
                _LOG.debug("%s%s = %s", name, tuple(map(hex, arguments)), result)
        except Gone:
            raise
        except AfterFailure as error:
            result = call.number(error.failure)
            if thread.launching is not None or _LAUNCHES.match(name):
                with self._lock:
                    thread.session.tally.refused += 1
        except ArchdefError as error:
            result = call.number(error)
            thread.session.failures.note(thread, error)
            if not thread.session.host.abandoned:       # else nobody is left who would hear of it
                self._complain(name, error, thread)
        except Exception as error:  # noqa: BLE001  # an error of archdef's own must not leave the program waiting
            _LOG.exception("%s", name)
            result = call.number(error)
            self._complain(name, error, thread)
        if call.status and result and result != STATUS["NotReady"][0]:      # which is an answer, no error
            thread.last_error = result
        return result

    def _miss(self, name: str) -> None:
        with self._lock:
            self.missing[name] = self.missing.get(name, 0) + 1
        if self.missing[name] == 1:
            _LOG.info("%s is not supported", name)

    def _complain(self, name: str, error: Exception, thread: Thread) -> None:
        text = f"{name}: {error}"
        if (launched := thread.launching) is not None:
            with self._lock:
                thread.session.tally.refused += 1
            kernel = thread.session.kernel_name(launched) if isinstance(launched, int) else launched.name
            if kernel and kernel not in text:
                text = f"{name} of {kernel}: {error}"
        if text not in self.complaints:
            _LOG.info("%s", text)
            self.complaints[text if len(self.complaints) < MOST_COMPLAINTS else "more calls failed, for further reasons"] = None
