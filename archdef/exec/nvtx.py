"""Marks and ranges that a program makes by NVTX, which go into the timeline. Reference: nvToolsExt.h of NVTX 2 and 3."""
from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from archdef.exec.calls import Thread, answers
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.session import Session

_EVENT: Final = struct.Struct("<HHIiIiiQi4xQ")
"""nvtxEventAttributes_t: version, bytes, category, color's kind and value, payload's kind, 0, payload, kind of the message, message."""
_ASCII, _WIDE, _REGISTERED = 1, 2, 3
_NO_RANGE: Final = -1
_MOST_WIDE_BYTES: Final = 4096


class Domain:
    """A domain, whose ranges are apart from those of others."""

    def __init__(self, name: str):
        self.name = name

    def shown(self, text: str) -> str:
        """Give a text with the domain's name, if it has one."""
        return f"{self.name}: {text}" if self.name else text


_DEFAULT: Final = Domain("")


def _domain(session: Session, handle: int) -> Domain:
    return session.thing(handle, Domain) if handle else _DEFAULT


def _wide(thread: Thread, address: int) -> str:
    found = b""
    while not found.endswith(b"\0\0\0\0") and len(found) < _MOST_WIDE_BYTES:
        found += thread.memory.get(address + len(found), 4)
    return found.decode("utf-32-le", "replace").rstrip("\0")


def _message(thread: Thread, attributes: int) -> str:
    *_, kind, message = _EVENT.unpack(thread.memory.get(attributes, _EVENT.size))
    if kind == _REGISTERED:
        return thread.session.thing(message, Registered).text if message else ""
    return "" if not message else thread.memory.text(message) if kind == _ASCII else _wide(thread, message) if kind == _WIDE else ""


class Registered:
    """A text that was registered."""

    def __init__(self, text: str):
        self.text = text


def _push(thread: Thread, domain: Domain, text: str) -> int:
    ranges = thread.ranges.setdefault(domain, [])
    ranges.append(thread.session.host.begin_range(domain.shown(text)))
    return len(ranges) - 1


def _pop(thread: Thread, domain: Domain) -> int:
    ranges = thread.ranges.get(domain)
    if not ranges:
        return _NO_RANGE
    thread.session.host.end_range(ranges.pop())
    return len(ranges)


@answers("nvtxInitialize", status=False)
def initialise(thread: Thread, unused: int) -> None:
    """Nothing has to be."""


@answers("nvtxMarkA", status=False)
def mark(thread: Thread, text: int) -> None:
    """Mark a moment."""
    thread.session.host.mark(thread.memory.text(text))


@answers("nvtxMarkW", status=False)
def mark_wide(thread: Thread, text: int) -> None:
    """Mark a moment."""
    thread.session.host.mark(_wide(thread, text))


@answers("nvtxMarkEx", status=False)
def mark_event(thread: Thread, attributes: int) -> None:
    """Mark a moment."""
    thread.session.host.mark(_message(thread, attributes))


@answers("nvtxDomainMarkEx", status=False)
def domain_mark(thread: Thread, domain: int, attributes: int) -> None:
    """Mark a moment."""
    thread.session.host.mark(_domain(thread.session, domain).shown(_message(thread, attributes)))


@answers("nvtxRangePushA", status=False)
def push(thread: Thread, text: int) -> int:
    """Begin a range within those of this thread that are open; gives how many those are."""
    return _push(thread, _DEFAULT, thread.memory.text(text))


@answers("nvtxRangePushW", status=False)
def push_wide(thread: Thread, text: int) -> int:
    """Begin a range."""
    return _push(thread, _DEFAULT, _wide(thread, text))


@answers("nvtxRangePushEx", status=False)
def push_event(thread: Thread, attributes: int) -> int:
    """Begin a range."""
    return _push(thread, _DEFAULT, _message(thread, attributes))


@answers("nvtxDomainRangePushEx", status=False)
def domain_push(thread: Thread, domain: int, attributes: int) -> int:
    """Begin a range of a domain."""
    return _push(thread, _domain(thread.session, domain), _message(thread, attributes))


@answers("nvtxRangePop", status=False)
def pop(thread: Thread) -> int:
    """End the range of this thread that began last; gives how many are around it, -1 if there is none."""
    return _pop(thread, _DEFAULT)


@answers("nvtxDomainRangePop", status=False)
def domain_pop(thread: Thread, domain: int) -> int:
    """End a range of a domain."""
    return _pop(thread, _domain(thread.session, domain))


@answers("nvtxRangeStartA", status=False)
def start(thread: Thread, text: int) -> int:
    """Begin a range that any thread may end."""
    return thread.session.host.begin_range(thread.memory.text(text))


@answers("nvtxRangeStartW", status=False)
def start_wide(thread: Thread, text: int) -> int:
    """Begin a range that any thread may end."""
    return thread.session.host.begin_range(_wide(thread, text))


@answers("nvtxRangeStartEx", status=False)
def start_event(thread: Thread, attributes: int) -> int:
    """Begin a range that any thread may end."""
    return thread.session.host.begin_range(_message(thread, attributes))


@answers("nvtxDomainRangeStartEx", status=False)
def domain_start(thread: Thread, domain: int, attributes: int) -> int:
    """Begin a range that any thread may end."""
    return thread.session.host.begin_range(_domain(thread.session, domain).shown(_message(thread, attributes)))


@answers("nvtxRangeEnd", status=False)
def end(thread: Thread, number: int) -> None:
    """End a range."""
    thread.session.host.end_range(number)


@answers("nvtxDomainRangeEnd", status=False)
def domain_end(thread: Thread, domain: int, number: int) -> None:
    """End a range."""
    thread.session.host.end_range(number)


@answers("nvtxDomainCreateA", status=False)
def create_domain(thread: Thread, name: int) -> int:
    """Make a domain."""
    return thread.session.handle(Domain(thread.memory.text(name)))


@answers("nvtxDomainCreateW", status=False)
def create_domain_wide(thread: Thread, name: int) -> int:
    """Make a domain."""
    return thread.session.handle(Domain(_wide(thread, name)))


@answers("nvtxDomainDestroy", status=False)
def destroy_domain(thread: Thread, domain: int) -> None:
    """Give one up."""
    thread.session.forget(domain)


@answers("nvtxDomainRegisterStringA", status=False)
def register(thread: Thread, domain: int, text: int) -> int:
    """Register a text."""
    return thread.session.handle(Registered(thread.memory.text(text)))


@answers("nvtxDomainRegisterStringW", status=False)
def register_wide(thread: Thread, domain: int, text: int) -> int:
    """Register a text."""
    return thread.session.handle(Registered(_wide(thread, text)))


@answers("nvtxNameCategoryA", "nvtxNameCategoryW", "nvtxNameOsThreadA", "nvtxNameOsThreadW", "nvtxDomainNameCategoryA", "nvtxDomainNameCategoryW",
         "nvtxNameCudaDeviceA", "nvtxNameCudaDeviceW", "nvtxNameCudaEventA", "nvtxNameCudaEventW", "nvtxNameCuDeviceA", "nvtxNameCuDeviceW",
         "nvtxNameCuContextA", "nvtxNameCuContextW", "nvtxNameCuEventA", "nvtxNameCuEventW", "nvtxDomainResourceDestroy", status=False)
def name(thread: Thread) -> None:
    """Take it: the timeline has no rows for these."""


@answers("nvtxNameCudaStreamA", "nvtxNameCuStreamA", status=False)
def name_stream(thread: Thread, stream: int, text: int) -> None:
    """Name a stream's row of the timeline."""
    from_here = thread.session.stream(stream)
    if from_here is None or isinstance(from_here, int):
        raise Refusal("NotSupported", "the default streams keep their names")
    from_here.label = thread.memory.text(text)
