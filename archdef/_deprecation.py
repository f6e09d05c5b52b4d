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
from collections.abc import Callable, Collection, Mapping
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
    "load_store": {
        "replay_refused": "replay.on_reservation_fail", "replay_on_reservation_fail": "replay.on_reservation_fail", "replay_cycles": "replay.cycles",
        "store_bytes_in_flight_per_multiprocessor": "store_buffer.size_bytes", "instruction_queue": "memory_instruction_queue",
        "textures_in_flight_per_multiprocessor": "texture_pipeline.fetches_in_flight"},
    "caches": {"l1_gives_carveout": "unified_l1_shared"},
    **{f"caches.{cache}": {"partial_ways": "partial_dirty_ways", "lines_ahead": "prefetch_degree"} for cache in (
        "l1", "constant", "constant_l2", "constant_l3", "constant_uniform", "instruction", "instruction_l2", "instruction_l3", "texture_l1", "texture_l2",
        "l2")},
    "chip.block_launch.dispatch": {"first_after": "first_gpc_interval_turns", "beside": "multiprocessors_per_tpc"},
    "limits": {
        "shared_headroom": "carveout_headroom.ratio", "shared_headroom_ratio": "carveout_headroom.ratio",
        "shared_headroom_bytes": "carveout_headroom.most_bytes", "shared_launch_bytes_per_block": "shared_parameters.launch_bytes",
        "register_allocation_unit_exceptions": "register_allocation_rules.unit_exceptions",
        "register_allocation_minimum": "register_allocation_rules.minimum_per_thread", "register_partitions": "register_file_partitions.count",
        "warps_per_register_partition": "register_file_partitions.warps_per_partition"},
    "clocks": {"core_parts": "core_domain.parts", "core_cycle_ratio": "core_domain.cycle_ratio"},
    "shared": {"row_words": "bank_rows.words", "group_latency_cycles": "wide_access.group_latency_cycles"},
    "interconnect": {name: f"byte_masks.{name}" for name in ("mask_bytes", "sector_mask_bytes", "partial_write_cycles")},
    "dram": {"page_policy": "scheduling.page_policy"},
    "isa": {
        "ends_count_as_branches": "exits_count_as_branches", "match_value_cycles": "serial_match.value_cycles",
        "guard_latency_cycles": "branch_costs.guard_latency_cycles", "untaken_branch_cycles": "branch_costs.untaken_cycles",
        "convergence_cycles": "branch_costs.convergence_cycles"},
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
    "chip.block_dispatch": "chip.block_launch.dispatch",
    "chip.block_dispatch.first_after": "chip.block_launch.dispatch.first_gpc_interval_turns",
    "chip.block_dispatch.beside": "chip.block_launch.dispatch.multiprocessors_per_tpc",
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
    "chip.block_setup_cycles": 0, "chip.warp_launch_cycles": 0, "chip.block_end_cycles": 0, "chip.first_block_cycles": 0,
    "chip.block_dispatch": "round_robin", "load_store.replay_refused": False, "load_store.replay_on_reservation_fail": False,
    "load_store.replay_cycles": 0, "limits.shared_headroom": 1, "limits.shared_headroom_ratio": 1, "limits.shared_headroom_bytes": 0,
    "limits.register_allocation_unit_exceptions": [], "limits.register_allocation_minimum": 1, "limits.register_partitions": 1,
    "clocks.core_parts": [], "shared.row_words": 1, "shared.group_latency_cycles": 0, "interconnect.mask_bytes": 0, "interconnect.sector_mask_bytes": 0,
    "interconnect.partial_write_cycles": 0, "dram.page_policy": "open", "isa.match_value_cycles": 0, "isa.guard_latency_cycles": 0,
    "isa.convergence_cycles": 0}
"""Old path of a field that is one of a component now → what it held where a machine had nothing of the kind."""
_OFF: dict[str, tuple[object, ...]] = {
    "interconnect.sides": (1, "1"), "interconnect.gathered_requests": (1, "1"), "interconnect.slice_map": (None, "none"),
    "caches.instruction_fill_bytes": (None, "none"), "limits.shared_headroom": (1, "1"), "limits.shared_headroom_ratio": (1, "1"),
    "limits.register_partitions": (1, "1"), "limits.shared_launch_bytes_per_block": (None, "none"), "clocks.core_parts": ((), [], "", "()"),
    "shared.row_words": (1, "1"), "load_store.store_bytes_in_flight_per_multiprocessor": (None, "none"),
    "load_store.textures_in_flight_per_multiprocessor": (None, "none"), "interconnect.mask_bytes": (0, "0"), "isa.match_value_cycles": (0, "0"),
    "limits.shared_headroom_bytes": (0, "0")}
"""Old path of such a field → values by which it said that there is none of the kind."""
_OF_TARGETS = {"isa.assembler": {"shared_operands": False}}
"""Extensible part → fields that only a plugin's choice has now, and the value that said that the machine has nothing of the kind."""
_POLICIES = {"dram.scheduling": "first_ready", "shared.wide_access": "split_lanes"}
"""Policy that an old field is of now → its choice where a file says none."""
_SLOW_PATHS = {"rare_issues": "slow_path.guarded_issues", "slow_paths": "slow_path.paths", "slow_issues": "slow_path.issues",
               "slow_branches": "slow_path.branches", "slow_cycles": "slow_path.cycles", "slow_path_instructions": "slow_path.instructions"}
ENTRIES: dict[str, dict[str, str]] = {
    "isa.operations": _SLOW_PATHS,
    "isa.forms": {**_SLOW_PATHS, **{name: f"shared_atomic.{name}" for name in ("bank_passes", "lanes_merged", "retry_cycles")},
                  "address_cycles": "global_atomic.address_cycles", "operands": "global_atomic.operands"},
    "units": {"within": "part_of.unit", "first_copy": "part_of.first_copy", "exclusive": "scope"}}
"""Table of a description → field of its entries → where it is below an entry now."""
_ENTRIES_ABSENT: dict[str, object] = {"bank_passes": 1, "lanes_merged": False, "operands": 1, "exclusive": False}
"""Such a field → what it held where an entry had nothing of the kind, if that is not None."""
_ENTRIES_OFF = {"within": (None, "none")}
_SCOPE: dict[object, str] = dict.fromkeys((True, "true", "yes", "on", "1"), "exclusive") | dict.fromkeys((False, "false", "no", "off", "0"), "multiprocessor")
"""`Unit.exclusive` as it was given → `Unit.scope`."""
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
    for old, notice in sorted(RENAMED.items(), key=lambda item: -len(item[0])):
        if path == old or path.startswith(old + ".") or ending == [old]:
            notice.warn()
            return notice.instead + path[len(old):]
    return _renamed_in_entry(path)


def _renamed_in_entry(path: str) -> str:
    """Give the path that a field of an entry of a table has now, or the end of one: that of the entry and the field."""
    above, _, field = path.rpartition(".")
    table, _, entry = above.rpartition(".")
    found = {names[field] for place, names in ENTRIES.items() if entry and field in names and table in (place, "")}
    if len(found) != 1:
        return path
    now = f"{above}.{found.pop()}"
    Deprecation(path, "0.1", "0.2", now).warn()
    return now


def redirected(path: str, value: object) -> tuple[str, object]:
    """Give where a change of a field goes now, and with which value; what takes a component away names the component. An old path warns."""
    field = path.rpartition(".")[2]
    now = renamed(path)
    if now != path and _says_off(path, value):
        return now.rpartition(".")[0], None
    if now != path and now.endswith(".scope"):
        return now, _scope(value)
    return now, 0 if now != path and field == "first_copy" and value in (None, "none") else value


def _scope(exclusive: object) -> object:
    """Give the scope of a unit that was `exclusive` or not; what is neither is given back, to be refused."""
    return _SCOPE.get(exclusive.lower() if isinstance(exclusive, str) else exclusive, exclusive) if isinstance(exclusive, (bool, str)) else exclusive


def _says_off(path: str, value: object) -> bool:
    """Tell whether an old field with such a value takes its component away."""
    off = _OFF[path] if path in _OFF else _ENTRIES_OFF.get(path.rpartition(".")[2], ())
    return any(value == one and type(value) is type(one) for one in off)


def says_absent(path: str, value: object) -> bool:
    """Tell whether an old field with such a value says that there is no such component."""
    absent = ABSENT.get(path, _ENTRIES_ABSENT.get(path.rpartition(".")[2]) if path not in RENAMED else None)
    plain = list(value) if isinstance(value, tuple) else value
    return value in (None, "none") or plain == absent or str(value).lower() == str(absent).lower() or _says_off(path, value)


@functools.cache
def old_fields_of_components() -> frozenset[str]:
    """Give the paths of fields of components that were fields of every machine: those who had none of the kind may have evidence for that."""
    return frozenset(notice.instead for old, notice in RENAMED.items() if old.rpartition(".")[0] != notice.instead.rpartition(".")[0])


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
    return _renamed_in_entry(path) if above.rpartition(".")[0] in ENTRIES else path


def keep_old_names(cls: type[Any], part: str) -> None:
    """Let the class of a part, of several below it (``"caches."``), or of a table's entries, take the old names of its fields as keywords and have them as
    attributes, also of those that are of a component of it, or of a policy, now."""
    names = dict(ENTRIES.get(part, {}))
    for old, notice in RENAMED.items():
        above, _, name = old.rpartition(".")
        if (above == part or part.endswith(".") and above.startswith(part)) and notice.instead.startswith(f"{above}."):
            names[name] = notice.instead.removeprefix(f"{above}.")
    now = {old: Deprecation(f"{cls.__name__}.{old}", "0.1", "0.2", f"{cls.__name__}.{new}") for old, new in names.items()}
    made = cls.__init__

    @functools.wraps(made)
    def __init__(self: object, *args: Any, **kwargs: Any) -> None:
        within: dict[str, dict[str, Any]] = {}
        for old in [name for name in now if name in kwargs]:
            now[old].warn()
            value = kwargs.pop(old)
            value = WORDS[value].instead if isinstance(value, str) and value in WORDS else value
            component, _, field = names[old].rpartition(".")
            if component and not says_absent(f"{part}.{old}", value):
                within.setdefault(component, {})[field] = value
            elif not component and (field != "scope" or value):
                kwargs[field] = _scope(value) if field == "scope" else kwargs.get(field, value)
        for component, fields in within.items():
            kwargs[component] = _with_fields(cls, component, kwargs, fields)
        made(self, *args, **kwargs)

    def __getattr__(self: object, name: str) -> Any:
        component, _, field = names.get(name, name).rpartition(".")
        if name not in now or not hasattr(type(self), component or field):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        now[name].warn()
        if field == "scope":
            return getattr(self, field) == _SCOPE[True]
        whole = getattr(self, component) if component else self
        return ABSENT.get(f"{part}.{name}", _ENTRIES_ABSENT.get(name)) if whole is None else getattr(whole, field)

    setattr(cls, "__init__", __init__)  # noqa: B010  type checkers take no method that is assigned
    setattr(cls, "__getattr__", __getattr__)  # noqa: B010


def _with_fields(cls: type[Any], component: str, given: dict[str, Any], fields: dict[str, Any]) -> Any:
    """Give a component, or a policy, with some more fields than the one that is given, or that is there by itself."""
    attribute = attrs.fields_dict(cls)[component]
    there = given.get(component, attribute.default)
    return attribute.metadata["archdef.rule"].of(**fields) if there is None or there is attrs.NOTHING else attrs.evolve(there, **fields)


def move_renamed(data: dict[str, Any], base: object = None) -> None:
    """Put the fields of a description as plain data where they are now; old ones warn.

    What says that there is no component is left out where there is none without it: in a whole description, and where `base`, the machine that
    the description derives another one from, has none.
    """
    for source in data["evidence"] if isinstance(data.get("evidence"), list) else ():
        if isinstance(source, dict) and isinstance(source.get("covers"), list):
            found = [(path, renamed_path(path)) for path in source["covers"]]
            source["covers"] = [new for k, (path, new) in enumerate(found) if path == new or new not in [other for _, other in found[:k]] + source["covers"]]
    if isinstance(data.get("changes"), dict):
        data["changes"] = {renamed_path(path): value for path, value in data["changes"].items()}
    for old, notice in RENAMED.items():
        _move(data, base, old, notice)
    for part, fields in _OF_TARGETS.items():
        place = _at(data, part)
        for old, absent in fields.items() if isinstance(place, dict) and "base" not in data else ():
            if place.get(old) is absent:
                del place[old]
    for table, names in ENTRIES.items():
        place = _at(data, table)
        for entry in list(place) if isinstance(place, dict) else ():
            for old, new in names.items():
                path = f"{table}.{entry}.{old}"
                _move(data, base, path, Deprecation(path, "0.1", "0.2", f"{table}.{entry}.{new}"))


def _at(data: Any, path: str) -> Any:
    """Give what stands at a path; None if there is nothing."""
    for segment in path.split("."):
        data = data.get(segment) if isinstance(data, dict) else None
    return data


def _has(base: object, path: str) -> bool:
    """Tell whether a machine has something at a path, be it an entry of a table."""
    for segment in path.split("."):
        if isinstance(base, tuple):
            base = next((entry for entry in base if entry.name == segment), None)
        else:
            base = base.get(segment) if isinstance(base, Mapping) else getattr(base, segment, None)
    return base is not None


def _move(data: dict[str, Any], base: object, old: str, notice: Deprecation) -> None:
    """Put one field where it is now, if it is there."""
    above, _, last = old.rpartition(".")
    way, place = above.split("."), _at(data, above)
    if not isinstance(place, dict) or last not in place:
        return
    *way_now, last_now = notice.instead.split(".")
    policy = ".".join(way_now)
    if policy in _POLICIES:
        _say_type(data, way_now, _POLICIES[policy])
    if not _tables(data, way_now):
        return            # refused by its old name, as what it is a field of is no table
    value = place.pop(last)
    if not place and way:
        _drop(data, way)
    if says_absent(old, value.get("type", value) if isinstance(value, dict) else value) and not _has(base, notice.instead):
        return
    notice.warn()
    target = data
    for segment in way_now:
        target = target.setdefault(segment, {})
    if last_now == "scope":
        target[last_now] = _scope(value)
    else:
        target.setdefault(last_now, value)


def _say_type(data: dict[str, Any], way: list[str], usual: str) -> None:
    """Make a table of a policy that is named by a text, or in a whole description not at all, so that it can have fields."""
    place = _at(data, ".".join(way[:-1]))
    if not isinstance(place, dict):
        return
    if isinstance(place.get(way[-1]), str):
        place[way[-1]] = {"type": place[way[-1]]}
    elif way[-1] not in place and "base" not in data:
        place[way[-1]] = {"type": usual}


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
