"""Traces in Perfetto's own format, by the definitions that Google publishes for it (the package ``perfetto``)."""
from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from archdef.errors import MissingExtra
from archdef.files.atomic import write_bytes

ENDING = ".perfetto-trace"
"""Of names of files in this format."""
_FS, _FS_OF_NS = 10 ** 9, 10 ** 6
"""Femtoseconds of a microsecond and of a nanosecond."""
_SEQUENCE = 1
"""All packets are of one sequence: they come in order of time."""


def definitions() -> Any:
    """Give the module of Perfetto's messages. Raises MissingExtra."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError as error:
        raise MissingExtra(f"a trace in Perfetto's own format ({ENDING})", "perfetto", "perfetto") from error
    return perfetto_trace_pb2


class _Tracks:
    """Tracks of a trace: a process each, and in it tracks of spans and counters."""

    def __init__(self, trace: Any):
        self.trace = trace
        self.known: set[tuple[Any, ...]] = set()
        """Tracks that have a description."""
        self._numbers: dict[tuple[Any, ...], int] = {}

    def number(self, *key: Any) -> int:
        """Give the number of a track."""
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def describe(self, name: str, *key: Any, parent: tuple[Any, ...] | None = None, rank: int = 0) -> Any:
        """Add a track, and give its description to be completed."""
        self.known.add(key)
        packet = self.trace.packet.add(trusted_packet_sequence_id=_SEQUENCE)
        track = packet.track_descriptor
        track.uuid = self.number(*key)
        track.name = name
        if parent is not None:
            track.parent_uuid = self.number(*parent)
        track.sibling_order_rank = rank
        return track


def encoded(trace: Mapping[str, Any]) -> bytes:
    """Give a trace of the Trace Event Format, as `TraceEvents` makes it, in Perfetto's format. Raises MissingExtra."""
    messages = definitions()
    made = messages.Trace()
    tracks, event, spans, later = _Tracks(made), messages.TrackEvent, defaultdict(list), []
    for each in trace["traceEvents"]:
        if each["ph"] == "M" and each["name"] == "process_name":
            track = tracks.describe(each["args"]["name"], "process", each["pid"], rank=each["pid"])
            track.process.pid = each["pid"]
            track.process.process_name = each["args"]["name"]
            track.child_ordering = messages.TrackDescriptor.EXPLICIT
        elif each["ph"] == "M" and each["name"] == "thread_name":
            tracks.describe(each["args"]["name"], "thread", each["tid"], parent=("process", each["pid"]), rank=each["tid"])
        elif each["ph"] == "X":
            spans[each["tid"]].append(each)
        elif each["ph"] == "i":
            later.append((whole_ns(each["ts"]), _event(event.TYPE_INSTANT, tracks.number("thread", each["tid"]), each, messages)))
        elif each["ph"] == "C":
            later += _values(each, tracks, messages)
    for thread, of in spans.items():
        later += _slices(of, tracks.number("thread", thread), messages)
    later.sort(key=lambda each: each[0])
    for at, message in later:
        packet = made.packet.add(timestamp=at, trusted_packet_sequence_id=_SEQUENCE)
        packet.track_event.CopyFrom(message)
    if made.packet:     # the first of a sequence says that nothing before it counts
        made.packet[0].sequence_flags = messages.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    data: bytes = made.SerializeToString(deterministic=True)
    return data


def save(path: str | os.PathLike[str], trace: Mapping[str, Any]) -> None:
    """Write a trace of the Trace Event Format in Perfetto's, as a whole or not at all. Raises MissingExtra."""
    write_bytes(path, encoded(trace))


def whole_ns(us: float) -> int:
    """Round to the nanoseconds that Perfetto counts in. What ends where something else begins does so afterwards, too: times are whole femtoseconds."""
    return (round(us * _FS) + _FS_OF_NS // 2) // _FS_OF_NS


def _event(kind: int, track: int, each: Mapping[str, Any], messages: Any) -> Any:
    message = messages.TrackEvent(type=kind, track_uuid=track, name=each["name"], categories=[each["cat"]])
    for name, value in each.get("args", {}).items():
        note = message.debug_annotations.add(name=name)
        if isinstance(value, bool):
            note.bool_value = value
        elif isinstance(value, int):
            note.int_value = value
        elif isinstance(value, float):
            note.double_value = value
        else:
            note.string_value = str(value)
    return message


def _slices(of: list[Mapping[str, Any]], track: int, messages: Any) -> list[tuple[int, Any]]:
    """Begins and ends of the spans of a track; what ends comes before what begins at the same time."""
    found: list[tuple[int, Any]] = []
    open_: list[int] = []

    def close(until: int) -> None:
        while open_ and open_[-1] <= until:
            found.append((open_.pop(), messages.TrackEvent(type=messages.TrackEvent.TYPE_SLICE_END, track_uuid=track)))

    for each in sorted(of, key=lambda span: (span["ts"], -span["dur"])):
        begin, end = whole_ns(each["ts"]), whole_ns(each["ts"] + each["dur"])
        close(begin)
        found.append((begin, _event(messages.TrackEvent.TYPE_SLICE_BEGIN, track, each, messages)))
        open_.append(min(end, open_[-1]) if open_ else end)     # as far as rounding goes, it lies in the one around it
    close(max(open_, default=0))
    return found


def _values(each: Mapping[str, Any], tracks: _Tracks, messages: Any) -> list[tuple[int, Any]]:
    """Values of a counter: each of its series is a track."""
    found = []
    for series, value in each["args"].items():
        key = ("counter", each["pid"], each["name"], series)
        if key not in tracks.known:
            name = each["name"] if len(each["args"]) == 1 else f"{each['name']}: {series}"
            tracks.describe(name, *key, parent=("process", each["pid"])).counter.SetInParent()
        message = messages.TrackEvent(type=messages.TrackEvent.TYPE_COUNTER, track_uuid=tracks.number(*key), double_counter_value=float(value))
        found.append((whole_ns(each["ts"]), message))
    return found
