"""What the libraries have in common: their statuses, and arguments as they come."""
from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
import numpy as np

from archdef.errors import LaunchError, MissingFeature
from archdef.exec.calls import REFUSALS, Answer, Int, Thread, answers
from archdef.host.capture import RELAXED
from archdef.run.pointer import Pointer
from archdef.runtime import ends
from archdef.runtime.status import Refusal, status_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


class HasStream(Protocol):
    """What a handle of a library stands for, if its kernels go into a stream."""

    stream: int


HOST, DEVICE = 0, 1
"""Where factors and results are."""


@attrs.frozen
class Library:
    """One library: how it says that a call failed."""

    prefix: str
    not_supported: int
    lacking: int
    """The status for a machine that lacks what the call needs."""
    other: int
    """For errors that are not listed."""
    statuses: Mapping[str, int]
    """Name of an error of the runtime → the library's status."""

    def __attrs_post_init__(self) -> None:
        REFUSALS[self.prefix] = self.not_supported

    def failed(self, error: BaseException) -> int:
        """Give the status for an error."""
        if isinstance(error, MissingFeature) or (isinstance(error, LaunchError) and error.kind == "feature"):
            return self.lacking
        return self.statuses.get(status_of(error), self.not_supported if status_of(error) == "NotSupported" else self.other)

    def answers(self, *names: str) -> Callable[[Answer], Answer]:
        """Let a function answer to these names. One with ``{}`` (``S``) or ``{l}`` (``s``) is for each type of real numbers, which it takes first."""
        def add(answer: Answer) -> Answer:
            for name in names:
                for letter, real in REALS.items() if "{" in name else [("", None)]:
                    wanted = answer if real is None else functools.partial(answer, real)
                    answers(name.format(letter, l=letter.lower()), status=False, number=self.failed)(wanted)
            return answer
        return add

    def says_statuses(self, name: str, text: str, names: Mapping[int, str]) -> None:
        """Answer the two functions that give a status its name, and say what it means.

        names : number of a status → its name, without what begins all of them.
        """
        before = f"{self.prefix.upper()}_STATUS_"

        @self.answers(name)
        def status_name(thread: Thread, number: Int) -> int:
            return thread.string(before + names.get(number, "UNKNOWN"))

        @self.answers(text)
        def status_text(thread: Thread, number: Int) -> int:
            return thread.string(names.get(number, "unknown").lower().replace("_", " "))

    def gives_handles(self, create: str, destroy: str, kind: type[Handle]) -> None:
        """Answer the functions that make a handle on the current device, and give it up."""
        @self.answers(create)
        def create_handle(thread: Thread, out: int) -> None:
            thread.runtime.device()
            if (failure := thread.session.failures.of(thread)) is not None:
                raise Refusal("InvalidResourceHandle", f"nothing can be made on a device that has failed: {failure}")
            give(thread, out, kind(BoundContext.current(thread)))

        @self.answers(destroy)
        def destroy_handle(thread: Thread, handle: int) -> None:
            thread.session.thing(handle, kind).free(thread)
            thread.session.forget(handle)

    def says_property(self, name: str, version: Callable[[Thread], tuple[int, int, int]]) -> None:
        """Answer the function that gives a part of the library's version."""
        @self.answers(name)
        def get_property(thread: Thread, kind: Int, out: int) -> None:
            if kind not in range(3):
                raise Refusal("InvalidValue", f"no property {kind}")
            present(value=out)
            thread.memory.put_word(out, version(thread)[kind], 4)

    def sets_stream(self, name: str, find: Callable[[Thread, int], HasStream]) -> None:
        """Answer the function that says into which stream the kernels of a handle go."""
        @self.answers(name)
        def set_stream(thread: Thread, handle: int, stream: int) -> None:
            found = find(thread, handle)
            thread.session.stream(stream)
            found.stream = stream

    def gets_stream(self, name: str, find: Callable[[Thread, int], HasStream]) -> None:
        """Answer the function that asks for it."""
        @self.answers(name)
        def get_stream(thread: Thread, handle: int, out: int) -> None:
            present(stream=out)
            thread.memory.put_word(out, find(thread, handle).stream)


@attrs.frozen
class BoundContext:
    """The context of a device that an object of a library belongs to: a reset of the device destroys it, with all that the library has there."""

    device: int
    resets: int

    @classmethod
    def current(cls, thread: Thread) -> BoundContext:
        """Give that of the current device."""
        device = thread.runtime.GetDevice()
        return cls(device, thread.session.resets(device))

    def destroyed(self, thread: Thread) -> bool:
        """Say whether its device has been reset."""
        return thread.session.resets(self.device) != self.resets


class HasContext(Protocol):
    """What a handle of a library stands for, if it belongs to a context."""

    context: BoundContext


@attrs.define(eq=False)
class Handle:
    """What a handle of a library stands for."""

    context: BoundContext
    stream: int = 0

    def free(self, thread: Thread) -> None:
        """Give back what it has on its device: nothing, unless a library says otherwise."""


_Bound = TypeVar("_Bound", bound=HasContext)


def usable(thread: Thread, handle: int, kind: type[_Bound]) -> _Bound:
    """Give what a handle stands for. Raises Refusal, also if its device has been reset since."""
    found = thread.session.thing(handle, kind)
    if found.context.destroyed(thread):
        raise Refusal("InvalidResourceHandle", f"{handle:#x} was made before device {found.context.device} was reset")
    return found


@attrs.frozen
class Real:
    """A type of real numbers."""

    letter: str
    """In names of functions, and before those of kernels."""
    dtype: np.dtype
    code: str
    """For `struct`."""

    @property
    def nbytes(self) -> int:
        """Bytes of a number."""
        return self.dtype.itemsize

    def passed(self, number: float) -> float:
        """Read a number that came by value, in a register for floating point."""
        return number if self.nbytes == 8 else float(struct.unpack("<f", struct.pack("<d", number)[:4])[0])

    def returned(self, number: float) -> int:
        """Give the bits of a number that a function returns."""
        return int.from_bytes(struct.pack(f"<{self.code}", number), "little")


REALS: Final = {"S": Real("s", np.dtype("f4"), "f"), "D": Real("d", np.dtype("f8"), "d")}


def present(**addresses: int) -> None:
    """Refuse null pointers."""
    for name, address in addresses.items():
        if not address:
            raise Refusal("InvalidValue", f"{name} is a null pointer")


def at_least(least: int, **numbers: int) -> None:
    """Refuse numbers that are too small."""
    for name, number in numbers.items():
        if number < least:
            raise Refusal("InvalidValue", f"{name} must be at least {least}, got {number}")


def scalar(thread: Thread, real: Real, address: int, on_device: bool) -> bytes:
    """Lay out a factor as kernels take it: by value, or where the device has it."""
    present(alpha_or_beta=address)
    if on_device:
        return struct.pack("<QQ", address, 0)
    return struct.pack("<Q", 0) + thread.memory.get(address, real.nbytes).ljust(8, b"\0")


def give(thread: Thread, out: int, thing: object) -> None:
    """Give the program a handle for something."""
    present(handle=out)
    thread.memory.put_word(out, thread.session.handle(thing))


def say_bytes(thread: Thread, out: int, nbytes: int, integer_bytes: int = 8) -> None:
    """Say how much memory the program is to give. Raises Refusal for more than an int of C (4 bytes) or a size_t says."""
    present(size=out)
    if nbytes >> (31 if integer_bytes == 4 else 64):
        raise Refusal("NotSupported", f"a call that needs {nbytes} bytes of memory")
    thread.memory.put_word(out, nbytes, integer_bytes)


def long(value: int) -> int:
    """Read 64 bits as a signed number."""
    return value - (1 << 64) if value >> 63 else value


def host_array(thread: Thread, address: int, count: int, dtype: DTypeLike) -> np.ndarray:
    """Read an array of the program."""
    found = np.empty(count, dtype)
    if count:
        thread.memory.into(address, found.view("u1"))
    return found


def device_memory(thread: Thread, nbytes: int) -> Pointer:
    """Allocate device memory of the library's own, also while streams are captured, which that does nothing in."""
    thread.session.failures.check(thread)
    mode = thread.runtime.ThreadExchangeStreamCaptureMode(RELAXED)
    try:
        return thread.runtime.Malloc(max(1, nbytes))
    finally:
        thread.runtime.ThreadExchangeStreamCaptureMode(mode)


def device_memory_at(thread: Thread, address: int, nbytes: int) -> Pointer:
    """Give device memory that the program has named. Raises Refusal unless there are so many bytes."""
    pointer = thread.session.pointer(address)
    if pointer is None or nbytes > pointer.left:
        raise Refusal("InvalidValue", f"{nbytes} bytes at {address:#x} are no memory of the device")
    return pointer


def from_device(thread: Thread, pointer: Pointer, nbytes: int, stream: int) -> bytes:
    """Wait for a stream, and read device memory."""
    thread.session.failures.check(thread)
    room = np.empty(nbytes, "u1")
    thread.runtime.MemcpyAsync(room, pointer, nbytes, ends.DEFAULT, thread.session.stream(stream))
    thread.runtime.StreamSynchronize(thread.session.stream(stream))
    return room.tobytes()


def to_device(thread: Thread, pointer: Pointer, data: np.ndarray, stream: int) -> None:
    """Write device memory."""
    thread.session.failures.check(thread)
    if data.nbytes:
        thread.runtime.MemcpyAsync(pointer, np.ascontiguousarray(data).view("u1").reshape(-1), data.nbytes, ends.DEFAULT, thread.session.stream(stream))


def blocks(thread: Thread, *wanted: int) -> tuple[int, ...]:
    """Give a grid, within what the machine takes: kernels of the libraries go on in steps of the grid where `wanted` is more."""
    most = thread.runtime.device().architecture.limits.grid_dimensions
    return tuple(max(1, min(each, limit)) for each, limit in zip(wanted, most, strict=False))
