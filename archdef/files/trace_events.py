"""Traces in the Trace Event Format (Chrome's JSON), which Perfetto's and Chrome's viewers open: processes with tracks of spans, and counters."""
from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from archdef.files import perfetto
from archdef.files.atomic import write_bytes

Event = dict[str, Any]


class TraceEvents:
    """Events of a trace, as they are added. Numbers of processes and of threads are given out in order of their first use.

    Spans of one thread must follow each other, or lie within each other: a viewer draws them as a stack.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._processes: dict[str, int] = {}
        self._threads: dict[tuple[str, str], int] = {}
        self._shown: dict[tuple[str, str], Mapping[str, float]] = {}

    def process(self, name: str) -> int:
        """Give the number of a process, named and placed behind those before it when it is new."""
        if name not in self._processes:
            self._processes[name] = number = len(self._processes) + 1
            self.events += [{"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": name}},
                            {"ph": "M", "name": "process_sort_index", "pid": number, "tid": 0, "args": {"sort_index": number}}]
        return self._processes[name]

    def thread(self, process: str, name: str) -> dict[str, int]:
        """Give ``pid`` and ``tid`` of a track of a process; no two threads of a trace have the same ``tid``."""
        pid = self.process(process)
        if (process, name) not in self._threads:
            self._threads[process, name] = number = len(self._threads) + 1
            self.events += [{"ph": "M", "name": "thread_name", "pid": pid, "tid": number, "args": {"name": name}},
                            {"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": number, "args": {"sort_index": number}}]
        return {"pid": pid, "tid": self._threads[process, name]}

    def span(self, process: str, thread: str, name: str, start: float, duration: float, category: str, **about: object) -> None:
        """Add something that took time."""
        self.events.append({"ph": "X", "name": name, "cat": category, "ts": start, "dur": duration, **self.thread(process, thread)}
                           | ({"args": about} if about else {}))

    def instant(self, process: str, thread: str, name: str, at: float, category: str, **about: object) -> None:
        """Add something that took none."""
        self.events.append({"ph": "i", "s": "t", "name": name, "cat": category, "ts": at, **self.thread(process, thread)}
                           | ({"args": about} if about else {}))

    def counter(self, process: str, name: str, times: Iterable[float], values: Iterable[Mapping[str, float]]) -> None:
        """Add a counter: what it has from each time on. Values that stay as they are are written once."""
        pid = self.process(process)
        for at, value in zip(times, values, strict=True):
            if self._shown.get((process, name)) != value:
                self._shown[process, name] = value
                self.events.append({"ph": "C", "name": name, "pid": pid, "ts": at, "args": dict(value)})

    def to_dict(self, **about: object) -> dict[str, Any]:
        """Give the whole trace as plain data."""
        return {"displayTimeUnit": "ns", "traceEvents": self.events} | ({"otherData": about} if about else {})


def save(path: str | os.PathLike[str], trace: Mapping[str, Any]) -> None:
    """Write a trace, as a whole or not at all. The same trace gives the same bytes.

    Spans begin and end at whole nanoseconds, since Perfetto rounds begin and duration for itself and drops a span that then begins before the one in front
    of it ends. It is compressed if the name ends in ``.gz``, and in Perfetto's own format if that ends in ``.perfetto-trace``: raises MissingExtra where
    that is not to be had.
    """
    if os.fspath(path).endswith(perfetto.ENDING):
        perfetto.save(path, trace)
        return
    whole = {**trace, "traceEvents": [_in_ns(event) for event in trace["traceEvents"]]}
    data = json.dumps(whole, separators=(",", ":")).encode()
    write_bytes(path, gzip.compress(data, 6, mtime=0) if os.fspath(path).endswith(".gz") else data)


def _in_ns(event: Event) -> Event:
    if event["ph"] != "X":
        return event
    begin, end = perfetto.whole_ns(event["ts"]), perfetto.whole_ns(event["ts"] + event["dur"])
    return event | {"ts": begin / 1000, "dur": (end - begin) / 1000}
