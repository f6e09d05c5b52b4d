"""What a program may set of a stream. It changes when work is done, not what comes of it; here nothing but what the program is told."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread, answers, signed
from archdef.host import Stream
from archdef.runtime.api import STREAM_PER_THREAD
from archdef.runtime.status import Refusal

_WINDOW, _POLICY, _PRIORITY = 1, 3, 8
_VALUE_BYTES: Final = {_WINDOW: 32, _POLICY: 4}
"""cudaLaunchAttributeID → bytes of the value: a cudaAccessPolicyWindow, a cudaSynchronizationPolicy."""
_POLICIES: Final = range(1, 5)


def _attributes(thread: Thread, stream: int) -> tuple[Stream, dict[int, bytes]]:
    found = thread.session.stream(stream)
    if not isinstance(found, Stream):
        context = thread.runtime.devices.current.context
        found = context.per_thread() if found == STREAM_PER_THREAD else context.default
    with thread.session.lock:
        return found, thread.session.stream_attributes.setdefault(found, {_WINDOW: bytes(_VALUE_BYTES[_WINDOW]), _POLICY: struct.pack("<i", _POLICIES[0])})


def _refused(number: int) -> Refusal:
    return Refusal("NotSupported", f"attribute {number} of streams: known are access policy windows (1), synchronization policies (3) and priorities (8)")


@answers("cudaStreamGetAttribute", "cudaStreamGetAttribute_ptsz")
def get(thread: Thread, stream: int, number: Int, out: int) -> None:
    """Give one."""
    found, values = _attributes(thread, stream)
    if signed(number) == _PRIORITY:
        thread.memory.put_word(out, found.priority & 0xFFFFFFFF, 4)
        return
    if signed(number) not in values:
        raise _refused(signed(number))
    thread.memory.put(out, values[signed(number)])


@answers("cudaStreamSetAttribute", "cudaStreamSetAttribute_ptsz")
def set_value(thread: Thread, stream: int, number: Int, value: int) -> None:
    """Set one."""
    _, values = _attributes(thread, stream)
    if signed(number) not in values:
        raise _refused(signed(number))
    given = thread.memory.get(value, _VALUE_BYTES[signed(number)])
    if signed(number) == _POLICY and int.from_bytes(given, "little") not in _POLICIES:
        raise Refusal("InvalidValue", f"there is no synchronization policy {int.from_bytes(given, 'little')}")
    values[signed(number)] = given


@answers("cudaStreamCopyAttributes", "cudaStreamCopyAttributes_ptsz")
def copy(thread: Thread, to: int, source: int) -> None:
    """Set all that another stream has."""
    _attributes(thread, to)[1].update(_attributes(thread, source)[1])
