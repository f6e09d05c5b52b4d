"""Host memory on loan to a launch: copied to the device before it, and back behind it.

Arguments whose memory overlaps share one copy, so that a kernel finds what it wrote through the other. Where the device's host model is in use the
copies take their time on it, and are ordered with the stream; the host waits for them, as it does for all memory that is not page-locked.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.errors import LaunchError
from archdef.run.array import DeviceArray
from archdef.run.dlpack import Strided
from archdef.run.foreign import Foreign, is_foreign, seen, whole
from archdef.run.memory import Memory

if TYPE_CHECKING:
    from archdef.host import Stream
    from archdef.host.context import Context

_ALIGNMENT = 16
"""Addresses on the device are what those of the host are modulo this many bytes: compilers are told so of the host's."""


class _Bytes:
    """Memory of this process for numpy, whose array keeps this object, and so what it keeps."""

    def __init__(self, address: int, nbytes: int, keep: Any):
        self.keep = keep
        self.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}


@attrs.define(eq=False)
class _Span:
    """Bytes of the host that go to the device as one."""

    low: int
    high: int
    read_only: bool
    written: bool
    """Whether a kernel may write to it."""
    array: DeviceArray | None = None

    keep: Any = None
    """What has to live as long as the bytes are used."""

    @property
    def host(self) -> np.ndarray:
        """The bytes, in place."""
        return np.asarray(_Bytes(self.low, self.high - self.low, self.keep))

    @property
    def address(self) -> int:
        """Where they begin on the device."""
        assert self.array is not None, "placed"
        return self.array.address + self.low % _ALIGNMENT

    def place(self, memory: Memory) -> None:
        """Reserve memory of the device."""
        self.array = DeviceArray(memory, self.high - self.low + self.low % _ALIGNMENT, "u1")


class Loan:
    """The arguments of one launch, with arrays of other libraries as arrays of the device."""

    def __init__(self, kernel: str, arguments: Sequence[Any], memory: Memory, only_read: Sequence[bool] = (),
                 stand_for_device_memory: bool = False):
        """Find out where everything lies, and reserve memory of the device for what is in the host's.

        only_read               : of each argument, whether the kernel promises not to write to it; what is missing makes no promise.
        stand_for_device_memory : the program takes these arrays for arrays of the device. All that an array is a view of is lent, so that a kernel
                                  may go from one view to another, and copies, of which the program knows nothing, take no time.

        Raises LaunchError, DeviceMemoryError.
        """
        self.memory, self.kernel, self.in_place = memory, kernel, stand_for_device_memory
        self.arguments = list(arguments)
        self.spans: list[_Span] = []
        self.keep = tuple(arguments)
        found: dict[int, Strided] = {}
        for k, argument in enumerate(arguments):
            if is_foreign(argument):
                self._look_at(k, argument, found, k < len(only_read) and only_read[k])
        self.spans = _merged(self.spans)
        for span in self.spans:
            span.place(memory)
            span.keep = self.keep
        for k, strided in found.items():
            span = max((s for s in self.spans if s.low <= strided.address), key=lambda s: s.low)
            self.arguments[k] = Foreign(memory, span.address + strided.address - span.low, strided.shape, strided.dtype,
                                        strided.strides, strided.keep)

    def _look_at(self, k: int, argument: Any, found: dict[int, Strided], only_read: bool) -> None:
        try:
            where = seen(argument, self.memory)
        except LaunchError as error:
            raise LaunchError(f"argument {k + 1} of {self.kernel}, a {type(argument).__name__}, {error}") from error
        if isinstance(where, Foreign):
            self.arguments[k] = where
            return
        on_device = self.memory.of_host(where.address)
        if on_device is not None:
            self.arguments[k] = Foreign(self.memory, on_device, where.shape, where.dtype, where.strides, where.keep)
            return
        found[k] = where
        low, high = whole(where, argument.keep if isinstance(argument, Strided) else argument) if self.in_place else where.bounds
        self.spans.append(_Span(low, high, where.read_only, not only_read))

    def give(self, stream: Stream | None) -> None:
        """Copy to the device. Raises CaptureError where the stream is captured: what is lent is there for one launch only."""
        if self.spans and stream is not None and stream.capture is not None:
            raise stream.capture.spoil(f"{self.kernel} is given arrays of the host, which graphs cannot keep; copy them with Device.to_device")
        context = self._context(stream)
        for span in self.spans:
            if span.high > span.low and context is not None:
                context.to_device(span.address, span.host, stream)
            elif span.high > span.low:
                self.memory.write(span.address, span.host)

    def take_back(self, stream: Stream | None) -> None:
        """Copy to the host what may have been written. Raises LaunchError where the kernel wrote what must only be read."""
        context = self._context(stream)
        for span in self.spans:
            if span.high == span.low or not span.written:
                continue
            into = np.empty(span.high - span.low, "u1") if span.read_only else span.host
            if context is not None:
                context.to_host(into, span.address, stream)
            else:
                self.memory.read(span.address, into)
            if span.read_only and not np.array_equal(into, span.host):
                raise LaunchError(f"{self.kernel} wrote to an array of the host that is read-only; the array is as it was")

    def _context(self, stream: Stream | None) -> Context | None:
        """Give who charges copies for their time; None: nobody."""
        context = self.memory.context if stream is None else stream.context
        if self.in_place and context is not None:
            context.synchronize()
            return None
        return context


def _merged(spans: list[_Span]) -> list[_Span]:
    """Join spans that overlap."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda s: (s.low, s.high)):
        if merged and (span.low < merged[-1].high or span.low == merged[-1].low):
            last = merged[-1]
            last.high, last.read_only, last.written = max(last.high, span.high), last.read_only and span.read_only, last.written or span.written
        else:
            merged.append(span)
    return merged
