"""What goes away: it warns for at least one release before it does.

A function or class is marked where it is defined, ``@deprecated(since="0.2", removed="0.3", instead="archdef.load")``. Names of modules
that have moved stand in `MOVED`, fields of a description that have another path in `RENAMED`, words that choose something in `WORDS`; all are read wherever
such a name is used.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Collection
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
    for name in ("NOTHING", "count", "limiter", "metric", "percent", "seconds", "size", "three")} | {
    f"archdef.spec.{old}": Deprecation(f"archdef.spec.{old}", "0.1", "0.2", f"archdef.spec.{new}")
    for old, new in (("AmongOldest", "RandomOfKLru"), ("GroupByGroup", "GpcRoundRobin"), ("InstructionQueue", "MemoryInstructionQueue"))}
"""``module.name`` → where it is now, as a dotted name in `Deprecation.instead`."""
_FIELDS: dict[str, dict[str, str]] = {
    "load_store": {"replay_refused": "replay_on_reservation_fail", "instruction_queue": "memory_instruction_queue"},
    "caches": {"l1_gives_carveout": "unified_l1_shared"},
    **{f"caches.{cache}": {"partial_ways": "partial_dirty_ways", "lines_ahead": "prefetch_degree"} for cache in (
        "l1", "constant", "constant_l2", "constant_l3", "constant_uniform", "instruction", "instruction_l2", "instruction_l3", "texture_l1", "texture_l2",
        "l2")},
    "chip.block_dispatch": {"first_after": "first_gpc_interval_turns", "beside": "multiprocessors_per_tpc"},
    "limits": {"shared_headroom": "shared_headroom_ratio"},
    "isa": {"ends_count_as_branches": "exits_count_as_branches"},
    "isa.assembler": {
        "predication_global_load": "predication_global_load_instructions", "unroll_whole_instructions": "unroll_full_instructions",
        "unroll_whole_trips": "unroll_full_trips", "unroll_whole_trip_instructions": "unroll_full_trip_instructions",
        "unroll_global_load": "unroll_global_load_instructions", "unroll_shared_load": "unroll_shared_load_instructions",
        "interleaves": "list_scheduling", "interleaved_predicates": "list_scheduling_predicates",
        "interleaved_patience_cycles": "list_scheduling_wait_cycles", "interleaved_ahead": "list_scheduling_windows",
        "interleaved_barriers": "list_scheduling_barriers", "whole_products": "wide_products", "drops_exchanges": "drops_dead_shuffles",
        "warp_exchange_branches": "shuffle_branches", "predication_overlap": "predication_overlap_instructions",
        "predication_overlap_within": "predication_overlap_within_instructions", "predication_beside_loads": "predication_near_loads_instructions",
        "predication_with_copies": "predication_with_copies_instructions", "joined_tests": "joined_tests_instructions"},
}
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
    "interconnect.gathering_lines": "interconnect.request_coalescer.lines"}.items()} | {
    f"{part}.{old}": Deprecation(f"{part}.{old}", "0.1", "0.2", f"{part}.{new}") for part, names in _FIELDS.items() for old, new in names.items()}
"""Path of a field → its path now, in `Deprecation.instead`."""
ABSENT: dict[str, object] = {
    "load_store.queued_stores": False, "load_store.after_load": "turns", "load_store.bank_queue_entries": 0, "load_store.access_distance_cycles": 0,
    "caches.launch_bytes": 0, "isa.code_tail_instructions": 0, "isa.code_alignment_bytes": 16, "interconnect.atomic_packet_cycles": 0,
    "interconnect.slice_queue_cycles": 1000, "interconnect.sides": 1, "interconnect.far_latency_ns": 0, "interconnect.side_links": 1,
    "interconnect.place_cycles": [], "interconnect.spread_ns": 0, "interconnect.gathered_requests": 1, "interconnect.gathering_lines": 256,
    "caches.constant_pass_bytes": 16, "caches.constant_pass_latency_cycles": 0, "caches.constant_fill_cycles": 0, "caches.constant_line_cycles": 0,
    "chip.block_setup_cycles": 0, "chip.warp_launch_cycles": 0, "chip.block_end_cycles": 0, "chip.first_block_cycles": 0}
"""Old path of a field that is one of a component now → what it held where a machine had nothing of the kind."""
_OFF: dict[str, tuple[object, ...]] = {
    "interconnect.sides": (1, "1"), "interconnect.gathered_requests": (1, "1"), "interconnect.slice_map": (None, "none"),
    "caches.instruction_fill_bytes": (None, "none")}
"""Old path of such a field → values by which it said that there is none of the kind."""
WORDS: dict[str, Deprecation] = {old: Deprecation(old, "0.1", "0.2", new) for old, new in (
    ("chance", "random"), ("turns", "round_robin"), ("among_oldest", "random_of_k_lru"), ("group_by_group", "gpc_round_robin"),
    ("meet_again", "charge_reconvergence"), ("join_ways", "charge_joins"), ("leave_by_joining", "reconverge_by_branch"),
    ("absorb", "peephole"), ("absorb_terms", "peephole_terms"), ("bring_constants", "materialise_constants"), ("bring_immediates", "materialise_immediates"),
    ("bring_together", "reconverge_for_shuffles"), ("compare_ahead", "hoist_compares"), ("interleave", "list_schedule"), ("whole_products", "wide_products"))}
"""Policies, values of fields and passes of lowering by their old names → their names now, in `Deprecation.instead`."""


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
    """Give the path that a field has now, or the whole path now of the only old one that ends so; an old one warns."""
    ending = [old for old in RENAMED if old.endswith("." + path)]
    for old, notice in RENAMED.items():
        if path == old or path.startswith(old + ".") or ending == [old]:
            notice.warn()
            return notice.instead + path[len(old):]
    return path


def switched_off(path: str, value: object) -> str | None:
    """Give the component that an old field with such a value takes away, None: it does not; it warns."""
    if path not in _OFF or value not in _OFF[path]:
        return None
    RENAMED[path].warn()
    return RENAMED[path].instead.rpartition(".")[0]


def renamed_word(word: Any, known: Collection[Any]) -> Any:
    """Give the word that is one of `known` now; an old one warns, any other is given back."""
    notice = WORDS.get(word) if isinstance(word, str) and word not in known else None
    if notice is None or notice.instead not in known:
        return word
    notice.warn()
    return notice.instead


def renamed_path(path: Any) -> Any:
    """Give the complete path that a complete path, such as evidence has, is now; an old one warns."""
    if not isinstance(path, str):
        return path
    above, _, below = path.rpartition(".")
    if (notice := RENAMED.get(path)) is not None:
        notice.warn()
        return notice.instead
    if (notice := RENAMED.get(above)) is not None:
        notice.warn()
        return f"{notice.instead}.{below}"
    return path


def keep_old_names(cls: type[Any], part: str) -> None:
    """Let the class of a part, or of several below it (``"caches."``), take the old names of its fields as keywords and have them as attributes."""
    names = {old.rpartition(".")[2]: notice.instead.rpartition(".")[2] for old, notice in RENAMED.items()
             if (above := old.rpartition(".")[0]) == notice.instead.rpartition(".")[0] and (above == part or part.endswith(".") and old.startswith(part))}
    now = {old: Deprecation(f"{cls.__name__}.{old}", "0.1", "0.2", f"{cls.__name__}.{new}") for old, new in names.items()}
    made = cls.__init__

    @functools.wraps(made)
    def __init__(self: object, *args: Any, **kwargs: Any) -> None:
        for old in now.keys() & kwargs.keys():
            now[old].warn()
            value = kwargs.pop(old)
            kwargs.setdefault(names[old], WORDS[value].instead if isinstance(value, str) and value in WORDS else value)
        made(self, *args, **kwargs)

    def __getattr__(self: object, name: str) -> Any:
        if name not in now or not hasattr(type(self), field := names[name]):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        now[name].warn()
        return getattr(self, field)

    setattr(cls, "__init__", __init__)  # noqa: B010  type checkers take no method that is assigned
    setattr(cls, "__getattr__", __getattr__)  # noqa: B010


def move_renamed(data: dict[str, Any]) -> None:
    """Put the fields of a description as plain data where they are now; old ones warn."""
    for source in data["evidence"] if isinstance(data.get("evidence"), list) else ():
        if isinstance(source, dict) and isinstance(source.get("covers"), list):
            source["covers"] = [renamed_path(path) for path in source["covers"]]
    if isinstance(data.get("changes"), dict):
        data["changes"] = {renamed_path(path): value for path, value in data["changes"].items()}
    for old, notice in RENAMED.items():
        *way, last = old.split(".")
        place: Any = data
        for segment in way:
            place = place.get(segment) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            continue
        *way_now, last_now = notice.instead.split(".")
        if not _tables(data, way_now):
            continue            # refused by its old name, as what it is a field of is no table
        value = place.pop(last)
        if not place and way:
            _drop(data, way)
        if old in ABSENT and value == ABSENT[old] and "base" not in data:
            continue
        notice.warn()
        target = data
        for segment in way_now:
            target = target.setdefault(segment, {})
        target.setdefault(last_now, value)


def _tables(data: Any, way: list[str]) -> bool:
    """Whether there is a table, or nothing yet, all along a way."""
    for segment in way:
        if not isinstance(data, dict):
            return False
        if segment not in data:
            return True
        data = data[segment]
    return isinstance(data, dict)


def _drop(data: dict[str, Any], way: list[str]) -> None:
    """Take an empty table away, so that one that is gone altogether is not refused."""
    for segment in way[:-1]:
        data = data[segment]
    del data[way[-1]]
