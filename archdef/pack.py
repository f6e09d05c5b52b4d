"""Description → integers of the engine's `MachineTable`: the only place that knows both. Pure arithmetic, no defaults.

Clock domains meet here: SM times stay cycles, everything beyond the multiprocessor becomes femtoseconds.
"""
from __future__ import annotations

from collections.abc import Container
from typing import Any

from archdef import parameters, spec
from archdef.engine.machine import CoalescingRule as Rule
from archdef.engine.policy import PolicyKind as Kind
from archdef.errors import PluginError, UnsupportedPolicy
from archdef.spec import Architecture
from archdef.spec.clocking import in_sm_cycles

_ASKED = {"choose": Kind.PK_SCHEDULER, "partition": Kind.PK_PARTITION, "banks_of": Kind.PK_BANKS, "transactions": Kind.PK_COALESCING,
          "victim": Kind.PK_REPLACEMENT, "multiprocessor": Kind.PK_DISPATCH, "taken_first": Kind.PK_BRANCH,
          "allow": Kind.PK_THROTTLE, "admit": Kind.PK_ADMISSION, "fetch": Kind.PK_PREFETCHER, "supply": Kind.PK_VICTIM_CACHE,
          "next_request": Kind.PK_DRAM, "place": Kind.PK_PLACEMENT, "hops": Kind.PK_TOPOLOGY}
"""The method in which a policy of each kind says what it does."""
_RULES = (spec.StrictHalfWarp, spec.SegmentShrinking, spec.Lines)
_MOST_WORDS = {"state_words": 1 << 16, "line_words": 16}
"""Properties in which a policy says how much it keeps for each multiprocessor or cache, and for each line there → the most of it."""
_MOST_WINDOW = 1024


def _known(path: str, policy, choices, method: str | None = None) -> Any:
    """Refuse a policy that the engine cannot carry out: neither one of its own, nor one that says what it does in `method`."""
    if type(policy) not in choices and not (method and (hasattr(policy, method) or policy.compiled() is not None)):
        raise UnsupportedPolicy(path, policy, [choice.__name__ for choice in choices])
    return policy


def _brought(arch: Architecture) -> list[tuple[str, str, spec.PolicyValue, str]]:
    """List the policies that plugins bring: place in the machine, path, value, method."""
    fields: list[tuple[str, str, spec.PolicyValue, Container[type], str]] = [
        ("scheduler", "schedulers.policy", arch.schedulers.policy, parameters.SCHEDULER_POLICIES, "choose"),
        ("dispatch", "chip.block_launch.dispatch", arch.chip.dispatch, (spec.RoundRobin, spec.GpcRoundRobin), "multiprocessor"),
        ("branch", "warp.reconvergence", arch.warp.reconvergence, (spec.IpdomStack, spec.ConvergenceBarriers), "taken_first"),
        ("partition", "dram.partition_map", arch.dram.partition_map, (spec.Interleaved, spec.XorHash),
         "place" if isinstance(arch.dram.partition_map, spec.PagePlacement) else "partition"),
        ("dram", "dram.scheduling", arch.dram.scheduling, (spec.FirstReady,), "next_request"),
        ("banks", "shared.bank_map", arch.shared.bank_map, (spec.LowOrder,), "banks_of"),
        *((name, f"coalescing.{name}", getattr(arch.coalescing, name), _RULES, "transactions")
          for name in ("load", "store", "load_uncached")),
        *((name, f"caches.{name}.replacement", cache.replacement, (spec.LeastRecentlyUsed, spec.RandomOfKLru), "victim")
          for name, cache in arch.caches.declared.items())]
    fields += [(place, path, policy, (), method) for place, path, policy, method in (
        ("throttle", "schedulers.throttle", arch.schedulers.throttle, "allow"),
        ("l1_admission", "caches.l1_admission", arch.caches.l1_admission, "admit"),
        ("l1_prefetch", "caches.l1_prefetch", arch.caches.l1_prefetch, "fetch"),
        ("l1_victim_cache", "caches.l1_victim_cache", arch.caches.l1_victim_cache, "supply")) if policy is not None]
    if (distances := arch.interconnect.distances) is not None and distances.topology is not None:
        fields.append(("topology", "interconnect.distances.topology", distances.topology, (), "hops"))
    return [(place, path, _known(path, policy, own, method), method) for place, path, policy, own, method in fields if type(policy) not in own]


def prototypes(arch: Architecture) -> tuple[str, ...]:
    """List the paths of policies that are carried out in Python, a call for each decision."""
    return tuple(path for _, path, policy, _ in _brought(arch) if policy.compiled() is None)


def _hook(place: str, path: str, policy, method: str) -> dict:
    """Pack one of them. Raises PluginError if its compiled form is none."""
    compiled = policy.compiled()
    function, parameters = (0, ()) if compiled is None else (compiled.address(path), compiled.parameters)
    return dict(place=place, path=path, policy=policy, kind=int(_ASKED[method]), function=function, parameters=parameters, keep=compiled,
                told=int(hasattr(policy, "told")), **{name: _words(path, policy, name) for name in _MOST_WORDS})


def _words(path: str, policy, name: str) -> int:
    """Give how many words a policy keeps, as its property of this name says."""
    words = getattr(policy, name, 0)
    if not isinstance(words, int) or not 0 <= words <= _MOST_WORDS[name]:
        raise PluginError(f"{path}: {name} of {type(policy).__name__} must be 0 to {_MOST_WORDS[name]}, got {words!r}")
    return words


def _check_dram(arch: Architecture) -> None:
    """Refuse sizes of a plugin's policies that the engine has no room for. Raises PluginError, or UnsupportedPolicy."""
    order, placed = _known("dram.scheduling", arch.dram.scheduling, (spec.FirstReady,), "next_request"), arch.dram.partition_map
    if not isinstance(order, spec.FirstReady) and not (isinstance(order.window, int) and 1 <= order.window <= _MOST_WINDOW):
        raise PluginError(f"dram.scheduling: window of {type(order).__name__} must be 1 to {_MOST_WINDOW}, got {order.window!r}")
    if not isinstance(placed, spec.PagePlacement):
        return
    if arch.interconnect.l2_partitions is None:
        raise PluginError(f"dram.partition_map: {type(placed).__name__} places pages in L2 partitions, and {arch.name} has none (interconnect.l2_partitions)")
    least, size = arch.dram.interleave_bytes, placed.page_bytes
    if not isinstance(size, int) or not least <= size <= 1 << 30 or size & size - 1:
        raise PluginError(f"dram.partition_map: page_bytes of {type(placed).__name__} must be a power of two from dram.interleave_bytes = {least} to 2^30, "
                          f"got {size!r}")


def coalescing_table(rule: spec.CoalescingRule, path: str = "coalescing") -> dict:
    """Pack a coalescing rule that stands at `path` of a description. Raises UnsupportedPolicy."""
    match rule:
        case spec.StrictHalfWarp():
            kind, line, sector, segments = Rule.CO_STRICT, rule.alignment_bytes, rule.uncoalesced_bytes, [0] * 5
        case spec.SegmentShrinking():
            largest = rule.largest_segment_bytes
            kind, line, sector = Rule.CO_SHRINKING, largest, rule.smallest_bytes
            segments = [largest // 4, largest // 2, largest, largest, largest]
        case spec.Lines():
            kind, line, sector, segments = Rule.CO_LINES, rule.line_bytes, rule.sector_bytes, [0] * 5
        case _:
            _known(path, rule, _RULES, "transactions")
            kind, line, segments = Rule.CO_LINES, getattr(rule, "line_bytes", rule.largest_bytes), [0] * 5
            sector = getattr(rule, "sector_bytes", line)
    return dict(rule=int(kind), group_lanes=getattr(rule, "group_lanes", 64), hook=0, line_bytes=line, sector_bytes=sector, segment_bytes=segments, coverage=0)


def bank_table(shared: spec.SharedMemory) -> dict:
    """Pack shared memory. Raises UnsupportedPolicy."""
    _known("shared.broadcast", shared.broadcast, (spec.SingleWordBroadcast, spec.MulticastBroadcast))
    _known("shared.wide_access", shared.wide_access, (spec.SplitLanes, spec.MergedLanes, spec.ExtraPass, spec.WordAtATime))
    return parameters.values(spec.SharedMemory, shared, None)


def _coverage(arch: Architecture) -> int:
    """Whether it matters how much of its sectors an access covers: 1: of stores and atomics, to packets with masks; 2: of atomics, to their unit."""
    return 1 if arch.interconnect.byte_masks is not None else 2 if arch.load_store.atomic_sector_cycles is not None else 0


def machine_tables(arch: Architecture) -> dict:
    """Pack a description into the dict that `archdef.engine.core.Simulation` takes.

    Raises
    ------
    UnsupportedPolicy
        The engine has no compiled form of one of its policies.
    """
    arch = in_sm_cycles(arch)
    bank_table(arch.shared)
    _check_dram(arch)
    for name in parameters.MATRIX_TYPES:
        if (rule := getattr(arch.isa.matrix, name, None)) is not None:
            _known(f"isa.matrix.{name}", rule, (spec.AlignedSum, spec.ChainedSum, spec.PairedSum))
    _known("schedulers.policy", arch.schedulers.policy, parameters.SCHEDULER_POLICIES, "choose")
    return dict(
        parameters.component_tables(arch), policies=tuple(_hook(*each) for each in _brought(arch)),
        **{name: coalescing_table(getattr(arch.coalescing, name), f"coalescing.{name}") for name in ("load", "load_uncached")},
        store={**coalescing_table(arch.coalescing.store, "coalescing.store"), "coverage": _coverage(arch)})
