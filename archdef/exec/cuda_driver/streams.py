"""Streams and events: what the driver's functions have in another way than the runtime's."""
from __future__ import annotations

from archdef.exec.calls import Thread
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime import events
from archdef.host import Stream
from archdef.runtime.api import NON_BLOCKING
from archdef.runtime.status import Refusal

_EXTERNAL = 1


def _number(thread: Thread, handle: int) -> int:
    """Give the number of a stream's device."""
    stream = thread.session.stream(handle)
    if not isinstance(stream, Stream):
        return thread.runtime.GetDevice()
    return next(n for n, each in enumerate(thread.runtime.devices.all()) if each.context is stream.context)


@answers("cuStreamGetCtx")
def context_of(thread: Thread, handle: int, out: int) -> None:
    """Give a context of a stream's device: the current one, where it is that device's."""
    number, contexts = _number(thread, handle), thread.session.contexts
    current = contexts.needed(thread)
    thread.memory.put_word(out, (current if current.device == number else contexts.primary(number)).handle)


@answers("cuStreamGetDevice")
def device_of(thread: Thread, handle: int, out: int) -> None:
    """Give a stream's device."""
    thread.memory.put_word(out, _number(thread, handle), 4)


@answers("cuStreamGetFlags")
def flags_of(thread: Thread, handle: int, out: int) -> None:
    """Give a stream's flags."""
    stream = thread.session.stream(handle)
    thread.memory.put_word(out, NON_BLOCKING if isinstance(stream, Stream) and not stream.blocking else 0, 4)


@answers("cuStreamGetPriority")
def priority_of(thread: Thread, handle: int, out: int) -> None:
    """Give a stream's priority: there is one."""
    thread.session.stream(handle)
    thread.memory.put_word(out, 0, 4)


@answers("cuStreamGetId")
def identity_of(thread: Thread, handle: int, out: int) -> None:
    """Give a number that no other stream of the process has."""
    thread.session.stream(handle)
    thread.memory.put_word(out, handle)


@answers("cuEventRecordWithFlags")
def record(thread: Thread, event: int, stream: int, flags: int) -> None:
    """Record an event."""
    if flags & 0xFFFFFFFF & ~_EXTERNAL:
        raise Refusal("InvalidValue", f"there are no flags {flags & 0xFFFFFFFF:#x}")
    events.record(thread, event, stream)
