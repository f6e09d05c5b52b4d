"""Streams: what the driver has and the runtime has not."""
from __future__ import annotations

from archdef.exec.calls import Thread
from archdef.exec.cuda_driver.calls import answers


@answers("cuStreamGetCtx")
def context_of(thread: Thread, handle: int, out: int) -> None:
    """Give a context of a stream's device: the current one, where it is that device's."""
    number, contexts = thread.runtime.StreamGetDevice(thread.session.stream(handle)), thread.session.contexts
    current = contexts.needed(thread)
    thread.memory.put_word(out, (current if current.device == number else contexts.primary(number)).handle)


@answers("cuStreamGetCtx_v2")
def contexts_of(thread: Thread, handle: int, out: int, green_out: int) -> None:
    """The same, and that no stream has a green context."""
    context_of(thread, handle, out)
    thread.memory.put_word(green_out, 0)
