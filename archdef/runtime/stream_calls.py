"""What is asked of streams, and the ways to use them that few programs need, in the runtime's way."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from archdef import values
from archdef.host import Event, Stream
from archdef.host.graph import RECORD, WAIT
from archdef.run.managed import ManagedArray
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.host import Node
    from archdef.host.context import Context
    from archdef.host.graph import Work
    from archdef.runtime.devices import Devices

GREATEST_PRIORITY = LEAST_PRIORITY = 0
EXTERNAL = 1
ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE = 1, 2, 4
STREAM_ATTRIBUTES = frozenset({1, 3, 8, 9, 10, 16})
"""Attributes of launches that streams may have, by the runtime's numbers."""


class StreamCalls:
    """The part of a runtime that says what streams are."""

    if TYPE_CHECKING:
        devices: Devices

        def StreamCreateWithFlags(self, flags: int) -> Stream: ...
        def LaunchHostFunc(self, stream: Stream | int | None, function: Callable[..., object], *arguments: Any,
                           issued: Callable[[], None] | None = None) -> None: ...
        def event_work(self, kind: str, event: Event) -> Work: ...
        def capture_work(self, stream: Stream | int | None, work: Work) -> Node: ...
        def _stream(self, stream: Stream | int | None, context: Context | None = None) -> Stream: ...
        def _event(self, event: object) -> Event: ...

    def DeviceGetStreamPriorityRange(self) -> tuple[int, int]:
        """Give the least and the greatest priority: one, since kernels of all streams share a device alike here."""
        return LEAST_PRIORITY, GREATEST_PRIORITY

    def StreamCreateWithPriority(self, flags: int, priority: int) -> Stream:
        """Make a stream; priorities beyond the range are taken to be its ends, as in CUDA."""
        stream = self.StreamCreateWithFlags(flags)
        stream.priority = max(GREATEST_PRIORITY, min(priority, LEAST_PRIORITY))
        return stream

    def StreamGetPriority(self, stream: Stream | int | None = None) -> int:
        """Give a stream's priority."""
        return self._stream(stream).priority

    def StreamSetAttribute(self, stream: Stream | int | None, attribute: int, value: Any) -> None:
        """Set an attribute of a stream, 1 an access policy window, 3 how the host waits, 8 a priority, 9 and 10 domains of ordered accesses, 16 a hint for
        links: none of them changes what is computed, nor when here."""
        self._stream_attribute(attribute)
        self._stream(stream).attributes[attribute] = value

    def StreamGetAttribute(self, stream: Stream | int | None, attribute: int) -> Any:
        """Give an attribute of a stream; None if it was not set."""
        self._stream_attribute(attribute)
        return self._stream(stream).attributes.get(attribute)

    def StreamCopyAttributes(self, dst: Stream | int | None, src: Stream | int | None) -> None:
        """Give a stream the attributes of another of its device."""
        to, source = self._stream(dst), self._stream(src)
        if to.context is not source.context:
            raise Refusal("InvalidValue", f"{to.label} and {source.label} are of two devices")
        to.attributes = dict(source.attributes)

    @staticmethod
    def _stream_attribute(attribute: int) -> None:
        if attribute not in STREAM_ATTRIBUTES:
            raise Refusal("InvalidValue", f"streams have no attribute {attribute}")

    def StreamGetFlags(self, stream: Stream | int | None = None) -> int:
        """Give the flags that a stream was made with: 1 if it and the legacy default stream do not wait for each other."""
        return int(not self._stream(stream).blocking)

    def StreamGetId(self, stream: Stream | int | None = None) -> int:
        """Give a number that no other stream has."""
        found = self._stream(stream)
        number: int = found.context.number << 32 | found.number + 1
        return number

    def StreamGetDevice(self, stream: Stream | int | None = None) -> int:
        """Give the number of a stream's device."""
        found = self._stream(stream).context
        return next(number for number, device in enumerate(self.devices.all()) if device.streams_in_use and device.context is found)

    def wait_value(self, stream: Stream | int | None, holds: Callable[[], bool]) -> None:
        """Let a stream wait until memory has what `holds` looks for, as the driver does; it must not call archdef."""
        self._stream(stream).wait_value(holds)

    def write_value(self, stream: Stream | int | None, write: Callable[[], None]) -> None:
        """Let a stream write memory, as `write` does; it must not call archdef."""
        self._stream(stream).write_value(write)

    def StreamAddCallback(self, stream: Stream | int | None, callback: Callable[..., object], data: Any = None, flags: int = 0) -> None:
        """Call ``callback(stream, status, data)`` when the stream has done what it has so far; the status is 0."""
        if flags:
            raise Refusal("InvalidValue", f"flags of a callback must be 0, got {flags}")
        self.LaunchHostFunc(stream, callback, stream, 0, data)

    def StreamAttachMemAsync(self, stream: Stream | int | None, array: ManagedArray, length: int = 0, flags: int = ATTACH_SINGLE) -> None:
        """Say which streams use managed memory: 1 any, 4 this one. A device with page faults needs not be told; others are taken to use all of it."""
        found = self._stream(stream)
        self._attachable(array)
        if flags not in (ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE) or length not in (0, array.nbytes):
            raise Refusal("InvalidValue", f"managed memory is attached as a whole, with the flag 1, 2 or 4; got {length} bytes, flag {flags}")
        managed = found.context.link.managed
        if flags == ATTACH_HOST or flags == ATTACH_SINGLE and (managed is None or managed.fault_us is None):
            raise Refusal("NotSupported", f"managed memory of one stream, or of the host, is not told apart from that of all streams of {found.context.label}")

    @staticmethod
    def _attachable(array: object) -> None:
        if not isinstance(array, ManagedArray) or array.freed:
            raise Refusal("InvalidValue", "what is attached to a stream is managed memory that was not freed")

    def EventRecordWithFlags(self, event: Event, stream: Stream | int | None = None, flags: int = 0) -> None:
        """Record an event; with the flag 1 in a stream that is captured, each launch of the graph does."""
        found = self._stream(stream)
        self._external(flags)
        if flags and found.capture is not None:
            self.capture_work(found, self.event_work(RECORD, event))
        else:
            found.record(self._event(event))

    def StreamWaitEvent(self, stream: Stream | int | None, event: Event, flags: int = 0) -> None:
        """Let a stream wait for the last record of an event, of any device; with the flag 1 in a stream that is captured, each launch of the graph does."""
        found = self._stream(stream)
        self._external(flags)
        if flags and found.capture is not None:
            self.capture_work(found, self.event_work(WAIT, event))
        else:
            found.wait_event(self._event(event))

    @staticmethod
    def _external(flags: int) -> None:
        if flags not in (0, EXTERNAL):
            raise Refusal("InvalidValue", f"flags of a record or wait: 0 or 1 (external), got {flags}")


class DeviceCalls:
    """The part of a runtime that tells devices apart and takes hints about them."""

    if TYPE_CHECKING:
        devices: Devices

        def device(self, number: int | None = None) -> Device: ...
        def GetDeviceProperties(self, device: int | None = None) -> Any: ...
        def DeviceCanAccessPeer(self, device: int, peer: int) -> bool: ...

    def DeviceGetPCIBusId(self, device: int) -> str:
        """Give a text that names a device, like those of real ones."""
        self.device(device)
        return f"0000:{device + 1:02x}:00.0"

    def DeviceGetByPCIBusId(self, name: str) -> int:
        """Give the number of the device that such a text names; domain and function may be left out."""
        if not isinstance(name, str):
            raise Refusal("InvalidValue", f"a device is named by a text such as 0000:01:00.0, got {values.shown(name)}")
        parts = name.strip().lower().removesuffix(".0").split(":")
        if len(parts) == 2:
            parts = ["0000", *parts]
        for number in range(len(self.devices.all())):
            if len(parts) == 3 and (parts[0].zfill(4)[-4:], parts[1].zfill(2), parts[2].zfill(2)) == ("0000", f"{number + 1:02x}", "00"):
                return number
        raise Refusal("InvalidDevice" if len(parts) == 3 else "InvalidValue", f"no device is called {values.shown(name)}; the first is 0000:01:00.0")

    def ChooseDevice(self, properties: Any) -> int:
        """Give the device whose properties agree most with those wanted: an object or a dictionary with some of their names."""
        wanted = dict(properties) if isinstance(properties, dict) else vars(properties) if hasattr(properties, "__dict__") else None
        if wanted is None:
            raise Refusal("InvalidValue", "properties are what GetDeviceProperties gives, or a dictionary of some")

        def agree(number: int) -> int:
            found = vars(self.GetDeviceProperties(number))
            return sum(bool(name in found and type(found[name]) is type(value) and found[name] == value) for name, value in wanted.items())
        return max(range(len(self.devices.all())), key=lambda number: (agree(number), -number))

    def DeviceGetP2PAttribute(self, attribute: int, src_device: int, dst_device: int) -> int:
        """Give what two devices can do together: 1 rank of the way, 2 whether copies go directly, 3 atomics, 4 arrays."""
        if attribute not in range(1, 5) or src_device == dst_device:
            raise Refusal("InvalidValue" if attribute not in range(1, 5) else "InvalidDevice", f"attribute {attribute} of {src_device} and {dst_device}")
        reached = self.DeviceCanAccessPeer(src_device, dst_device)
        return int(reached and attribute == 2)
