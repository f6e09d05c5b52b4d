"""What goes away: it warns for at least one release before it does.

A function or class is marked where it is defined, ``@deprecated(since="0.2", removed="0.3", instead="archdef.load")``. Names of modules
that have moved stand in `MOVED`, fields of a description that have another path in `RENAMED`; both are read wherever such a name is used.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import attrs
from packaging.version import Version

from archdef.errors import ArchdefDeprecationWarning


T = TypeVar("T", bound=Callable[..., Any])


def _later(instance: Deprecation, attribute: attrs.Attribute[str], value: str) -> None:
    if Version(value).release[:2] <= Version(instance.since).release[:2]:
        raise ValueError(f"{instance.what}: deprecated in {instance.since}, so it can go away in a later minor release, not in {value}")


@attrs.frozen
class Deprecation:
    """One thing that goes away."""

    what: str
    since: str
    """First release that warns."""
    removed: str = attrs.field(validator=_later)
    """Release without it."""
    instead: str
    """What to use."""

    def warn(self) -> None:
        """Warn, in the name of the innermost line that is not archdef's."""
        level = 1
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "archdef":
            level, frame = level + 1, frame.f_back
        warnings.warn(f"{self.what} is deprecated since archdef {self.since} and goes away in {self.removed}; use {self.instead}",
                      ArchdefDeprecationWarning, stacklevel=level)


MARKED: list[Deprecation] = []
"""Functions and classes that `deprecated` has marked in the modules imported so far."""
MOVED: dict[str, Deprecation] = {
    f"archdef.report.numbers.{name}": Deprecation(f"archdef.report.numbers.{name}", "0.1", "0.2", f"archdef.formatting.{name}")
    for name in ("NOTHING", "count", "limiter", "metric", "percent", "seconds", "size", "three")}
"""``module.name`` → where it is now, as a dotted name in `Deprecation.instead`."""
RENAMED: dict[str, Deprecation] = {old: Deprecation(old, "0.1", "0.2", new) for old, new in {
    "load_store.queued_stores": "load_store.pipeline.stores_in_a_row",
    "load_store.after_load": "load_store.pipeline.arbitration",
    "load_store.bank_queue_entries": "load_store.pipeline.data_stage_entries",
    "load_store.access_distance_cycles": "load_store.pipeline.issue_interval_cycles",
    "load_store.bulk_read_bytes_per_cycle": "load_store.bulk_copies.read_bytes_per_cycle",
    "load_store.bulk_write_bytes_per_cycle": "load_store.bulk_copies.write_bytes_per_cycle",
    "caches.instruction_fill_bytes": "caches.code_fetch.fill_bytes",
    "caches.launch_bytes": "caches.code_fetch.launch_bytes",
    "isa.code_tail_instructions": "caches.code_fetch.tail_instructions",
    "isa.code_alignment_bytes": "caches.code_fetch.alignment_bytes",
    "interconnect.atomic_packet_cycles": "interconnect.slices.atomic_packet_cycles",
    "interconnect.slice_queue_cycles": "interconnect.slices.queue_cycles",
    "interconnect.slice_map": "interconnect.slices.map",
    "interconnect.cluster_request_bytes_per_cycle": "interconnect.cluster_ports.request_bytes_per_cycle",
    "interconnect.cluster_response_bytes_per_cycle": "interconnect.cluster_ports.response_bytes_per_cycle",
    "interconnect.sides": "interconnect.l2_partitions.count",
    "interconnect.far_latency_ns": "interconnect.l2_partitions.far_latency_ns",
    "interconnect.side_bytes_per_cycle": "interconnect.l2_partitions.link_bytes_per_cycle",
    "interconnect.side_links": "interconnect.l2_partitions.links",
    "interconnect.place_cycles": "interconnect.distances.hop_cycles",
    "interconnect.spread_ns": "interconnect.distances.partition_ns",
    "interconnect.gathered_requests": "interconnect.request_coalescer.requests",
    "caches.constant_pass_bytes": "caches.constant_port.pass_bytes",
    "caches.constant_pass_latency_cycles": "caches.constant_port.pass_latency_cycles",
    "caches.constant_fill_cycles": "caches.uniform_fill.latency_cycles",
    "caches.constant_line_cycles": "caches.uniform_fill.interval_cycles",
    "chip.block_setup_cycles": "chip.block_launch.setup_cycles",
    "chip.warp_launch_cycles": "chip.block_launch.warp_cycles",
    "chip.block_end_cycles": "chip.block_launch.end_cycles",
    "chip.first_block_cycles": "chip.block_launch.first_cycles",
    "interconnect.gathering_lines": "interconnect.request_coalescer.lines"}.items()}
"""Path of a field → its path now, in `Deprecation.instead`."""


def deprecated(*, since: str, removed: str, instead: str) -> Callable[[T], T]:
    """Mark a function or class: each use warns."""
    def mark(thing: Any) -> Any:
        notice = Deprecation(f"{thing.__module__}.{thing.__qualname__}", since, removed, instead)
        MARKED.append(notice)
        if inspect.isclass(thing):
            made = thing.__init__

            @functools.wraps(made)
            def __init__(self: object, *args: Any, **kwargs: Any) -> None:
                notice.warn()
                made(self, *args, **kwargs)

            setattr(thing, "__init__", __init__)  # noqa: B010  type checkers take no method that is assigned
            return thing

        @functools.wraps(thing)
        def called(*args: Any, **kwargs: Any) -> Any:
            notice.warn()
            return thing(*args, **kwargs)

        return called

    return mark


def moved(module: str, name: str) -> Any:
    """Find what has moved out of a module, for its ``__getattr__``. Raises AttributeError."""
    notice = MOVED.get(f"{module}.{name}")
    if notice is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    notice.warn()
    place, _, new = notice.instead.rpartition(".")
    return getattr(importlib.import_module(place), new)


def renamed(path: str) -> str:
    """Give the path that a field has now; an old one warns."""
    for old, notice in RENAMED.items():
        if path == old or path.startswith(old + "."):
            notice.warn()
            return notice.instead + path[len(old):]
    return path


def move_renamed(data: dict[str, Any]) -> None:
    """Put the fields of a description as plain data where they are now; old ones warn."""
    for old, notice in RENAMED.items():
        *way, last = old.split(".")
        place: Any = data
        for segment in way:
            place = place.get(segment) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            continue
        notice.warn()
        value = place.pop(last)
        if not place and way:
            _drop(data, way)
        *way, last = notice.instead.split(".")
        target = data
        for segment in way:
            target = target.setdefault(segment, {})
        target.setdefault(last, value)


def _drop(data: dict[str, Any], way: list[str]) -> None:
    """Take an empty table away, so that one that is gone altogether is not refused."""
    for segment in way[:-1]:
        data = data[segment]
    del data[way[-1]]
