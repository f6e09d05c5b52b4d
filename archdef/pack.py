"""Description → integers of the engine's `MachineTable`: the only place that knows both. Pure arithmetic, no defaults.

Clock domains meet here: SM times stay cycles, everything beyond the multiprocessor becomes femtoseconds.
"""
from __future__ import annotations

from collections.abc import Container
from typing import Any

from archdef import spec
from archdef.engine.machine import (CoalescingRule as Rule, PartitionMap as Map, SchedulerPolicy as Scheduling,
                                    SumRule as Sum, WritePolicy as Write)
from archdef.engine.policy import PolicyKind as Kind
from archdef.errors import PluginError, UnsupportedPolicy
from archdef.spec import Architecture
from archdef.spec.clocking import in_sm_cycles

_POLICIES = {
    spec.LooseRoundRobin: lambda p: (Scheduling.SCH_ROUND_ROBIN, 0, 0),
    spec.GreedyThenOldest: lambda p: (Scheduling.SCH_GREEDY_OLDEST, 0, 0),
    spec.GreedyThenRoundRobin: lambda p: (Scheduling.SCH_GREEDY_ROUND_ROBIN, int(p.oldest_block_first), 0),
    spec.OldestFirst: lambda p: (Scheduling.SCH_OLDEST, 0, 0),
    spec.TwoLevel: lambda p: (Scheduling.SCH_TWO_LEVEL, p.active_warps, 0),
    spec.WeightedPriority: lambda p: (Scheduling.SCH_WEIGHTED, p.memory_weight, p.age_weight),
}
_ASKED = {"choose": Kind.PK_SCHEDULER, "partition": Kind.PK_PARTITION, "banks_of": Kind.PK_BANKS, "transactions": Kind.PK_COALESCING,
          "victim": Kind.PK_REPLACEMENT, "multiprocessor": Kind.PK_DISPATCH, "taken_first": Kind.PK_BRANCH,
          "allow": Kind.PK_THROTTLE}
"""The method in which a policy of each kind says what it does."""
_WRITES = {"evict": Write.WR_EVICT, "through": Write.WR_THROUGH, "back": Write.WR_BACK}
_RULES = (spec.StrictHalfWarp, spec.SegmentShrinking, spec.Lines)
_MOST_STATE_WORDS = 1 << 16
_SECTORS = 4
"""Sectors that the engine keeps under one tag."""
_NO_CACHE = dict(sets=0, ways=0, line_bytes=0, sector_bytes=0, latency_cycles=0, misses_in_flight=0, fetch_sectors=1, dirty_ways=0, partial_ways=0,
                 lines_ahead=0, among_oldest=1,
                 write=0, hook=0, set_mask=0, folds=0, fold_rights=[0] * 8, fold_masks=[0] * 8, tag_bank_bits=0, tag_bank_masks=[0] * 4)


def _period_fs(mhz: float) -> int:
    return round(1e9 / mhz)


def _fs(ns: float) -> int:
    return round(ns * 1e6)


def _known(path: str, policy, choices, method: str | None = None) -> Any:
    """Refuse a policy that the engine cannot carry out: neither one of its own, nor one that says what it does in `method`."""
    if type(policy) not in choices and not (method and (hasattr(policy, method) or policy.compiled() is not None)):
        raise UnsupportedPolicy(path, policy, [choice.__name__ for choice in choices])
    return policy


def _brought(arch: Architecture) -> list[tuple[str, str, spec.PolicyValue, str]]:
    """List the policies that plugins bring: place in the machine, path, value, method."""
    fields: list[tuple[str, str, spec.PolicyValue, Container[type], str]] = [
        ("scheduler", "schedulers.policy", arch.schedulers.policy, _POLICIES, "choose"),
        ("dispatch", "chip.block_dispatch", arch.chip.block_dispatch, (spec.RoundRobin, spec.GroupByGroup), "multiprocessor"),
        ("branch", "warp.reconvergence", arch.warp.reconvergence, (spec.IpdomStack, spec.ConvergenceBarriers), "taken_first"),
        ("partition", "dram.partition_map", arch.dram.partition_map, (spec.Interleaved, spec.XorHash), "partition"),
        ("banks", "shared.bank_map", arch.shared.bank_map, (spec.LowOrder,), "banks_of"),
        *((name, f"coalescing.{name}", getattr(arch.coalescing, name), _RULES, "transactions")
          for name in ("load", "store", "load_uncached")),
        *((name, f"caches.{name}.replacement", cache.replacement, (spec.LeastRecentlyUsed, spec.AmongOldest), "victim")
          for name, cache in arch.caches.declared.items())]
    if arch.schedulers.throttle is not None:
        fields.append(("throttle", "schedulers.throttle", arch.schedulers.throttle, (), "allow"))
    return [(place, path, _known(path, policy, own, method), method) for place, path, policy, own, method in fields if type(policy) not in own]


def prototypes(arch: Architecture) -> tuple[str, ...]:
    """List the paths of policies that are carried out in Python, a call for each decision."""
    return tuple(path for _, path, policy, _ in _brought(arch) if policy.compiled() is None)


def _hook(place: str, path: str, policy, method: str) -> dict:
    """Pack one of them. Raises PluginError if its compiled form is none."""
    compiled = policy.compiled()
    function, parameters = (0, ()) if compiled is None else (compiled.address(path), compiled.parameters)
    return dict(place=place, path=path, policy=policy, kind=int(_ASKED[method]), function=function, parameters=parameters, keep=compiled,
                state_words=_state_words(path, policy))


def _state_words(path: str, policy) -> int:
    """Give the words of state that a policy keeps for each multiprocessor."""
    words = getattr(policy, "state_words", 0)
    if not isinstance(words, int) or not 0 <= words <= _MOST_STATE_WORDS:
        raise PluginError(f"{path}: state_words of {type(policy).__name__} must be 0 to {_MOST_STATE_WORDS}, got {words!r}")
    return words


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


def shape_of(cache: spec.Cache, size_bytes: int, less: str = "sets") -> tuple[int, int]:
    """Give the sets, and the ways of each, that so many bytes of a cache make, at least one: what there is less of than in the whole cache is
    ``"sets"`` or ``"ways"``. A line of more sectors than the engine keeps is several."""
    line_bytes = min(cache.line_bytes, _SECTORS * cache.sector_bytes)
    if less == "ways":
        sets, _ = shape_of(cache, cache.size_bytes)
        return sets, max(size_bytes // (line_bytes * sets), 1)
    return max(size_bytes // (line_bytes * cache.ways), 1), cache.ways


def _cache_table(cache: spec.Cache | None, instances_per_scope: int = 1) -> dict:
    if cache is None or not cache.enabled:
        return dict(_NO_CACHE)
    line_bytes = min(cache.line_bytes, _SECTORS * cache.sector_bytes)   # a longer line is kept as several
    sets, ways = shape_of(cache, cache.size_bytes // instances_per_scope)
    folds: dict[int, int] = {}
    for place, bit in enumerate(cache.set_hash_bits):
        right = (max(bit - line_bytes.bit_length() + 1, 0) - place) % 64      # neighbouring bits move together
        folds[right] = folds.get(right, 0) | 1 << place
    return dict(sets=sets, set_mask=sets - 1 if sets & (sets - 1) == 0 else 0, ways=ways, line_bytes=line_bytes,
                sector_bytes=cache.sector_bytes, latency_cycles=cache.latency_cycles,
                misses_in_flight=cache.misses_in_flight, fetch_sectors=max(1, min((cache.fetch_bytes or 0) // cache.sector_bytes, _SECTORS)),
                dirty_ways=cache.dirty_ways or 0, partial_ways=cache.partial_ways or 0, lines_ahead=cache.lines_ahead,
                among_oldest=cache.replacement.lines if isinstance(cache.replacement, spec.AmongOldest) else 1,
                write=int(_WRITES[cache.write]), hook=0, folds=len(folds),
                fold_rights=[*folds, *[0] * 8][:8], fold_masks=[*folds.values(), *[0] * 8][:8],
                tag_bank_bits=len(cache.tag_bank_masks), tag_bank_masks=[*cache.tag_bank_masks, *[0] * 4][:4])


def bank_table(shared: spec.SharedMemory) -> dict:
    """Pack what decides bank conflicts. Raises UnsupportedPolicy."""
    _known("shared.broadcast", shared.broadcast, (spec.SingleWordBroadcast, spec.MulticastBroadcast))
    _known("shared.wide_access", shared.wide_access, (spec.SplitLanes, spec.MergedLanes, spec.WordAtATime))
    return dict(banks=shared.banks, bank_width_bytes=shared.bank_width_bytes, row_words=shared.row_words,
                conflict_lanes=shared.conflict_lanes,
                single_word_broadcast=int(isinstance(shared.broadcast, spec.SingleWordBroadcast)),
                word_at_a_time={spec.WordAtATime: 1, spec.MergedLanes: 2}.get(type(shared.wide_access), 0))


def _schedulers(arch: Architecture) -> dict:
    chosen = _known("schedulers.policy", arch.schedulers.policy, _POLICIES, "choose")
    policy, a, b = _POLICIES.get(type(chosen), lambda p: (Scheduling.SCH_ASKED, 0, 0))(chosen)
    index = {unit.name: i for i, unit in enumerate(arch.units)}
    pairs = [0] * 16
    for pair in arch.schedulers.dual_issue:
        first, second = sorted(pair) if len(pair) == 2 else [*pair, *pair]
        pairs[index[first]] |= 1 << index[second]
        pairs[index[second]] |= 1 << index[first]
    return dict(
        schedulers=arch.schedulers.count, policy=int(policy), policy_a=a, policy_b=b, scheduler_hook=0, throttle_hook=0, dispatch_hook=0, branch_hook=0,
        issue_interval_cycles=arch.schedulers.issue_interval_cycles, issue_width=arch.schedulers.issue_width,
        instruction_gap_cycles=arch.schedulers.instruction_gap_cycles, units=len(arch.units),
        unit_per_scheduler=[int(i < len(arch.units) and arch.units[i].scope == "scheduler") for i in range(16)],
        shared_units=sum(1 << i for i, unit in enumerate(arch.units) if unit.scope != "scheduler"),
        unit_copies=[arch.units[i].copies if i < len(arch.units) else 1 for i in range(16)],
        unit_within=[*(i if unit.within is None else index[unit.within] for i, unit in enumerate(arch.units)), *range(len(arch.units), 16)],
        unit_first=[(arch.units[i].first_copy or 0) if i < len(arch.units) else 0 for i in range(16)],
        unit_exclusive=[int(i < len(arch.units) and arch.units[i].exclusive) for i in range(16)],
        superscalar=int(arch.schedulers.superscalar), loads_by_chance=int(arch.load_store.after_load == "chance"),
        **_instruction_queue(arch),
        bank_queue=arch.load_store.bank_queue_entries, queued_stores=int(arch.load_store.queued_stores),
        match_value_cycles=arch.isa.match_value_cycles, guard_latency_cycles=arch.isa.guard_latency_cycles,
        untaken_branch_saving=_untaken_saving(arch.isa), dual_issue=pairs)


def _instruction_queue(arch: Architecture) -> dict:
    queue = arch.load_store.instruction_queue
    if queue is None:
        return dict(queued_units=0, queue_room=1)
    return dict(queued_units=sum(1 << i for i, unit in enumerate(arch.units) if unit.name in arch.shared_memory_units), queue_room=queue.entries)


def _write_combining(buffer: spec.WriteCombining | None) -> dict:
    if buffer is None:
        return dict(combined_lines=0, combining_cycles=1)
    return dict(combined_lines=buffer.lines, combining_cycles=buffer.idle_cycles)


def _untaken_saving(isa) -> int:
    taken = isa.operations["branch"].latency_cycles if "branch" in isa.operations else 0
    return 0 if isa.untaken_branch_cycles is None else max(0, taken - isa.untaken_branch_cycles)


def _slices(arch: Architecture) -> dict:
    if arch.interconnect.slice_map is None:
        return dict(slice_masks=[0] * 16, slice_parities=0, slice_parts=0, slice_high=0)
    rule = _known("interconnect.slice_map", arch.interconnect.slice_map, (spec.ParityHash,))
    masks = [mask & -arch.dram.interleave_bytes for mask in (*rule.low_masks, *rule.part_masks)]
    return dict(slice_masks=[*masks, *[0] * 16][:16], slice_parities=len(masks), slice_parts=rule.halvings(arch.dram.partitions), slice_high=rule.high_bit)


def _dram(arch: Architecture) -> dict:
    dram = arch.dram
    scheduling = _known("dram.scheduling", dram.scheduling, (spec.FirstReady,))
    shifts = [*dram.partition_map.shifts, *[0] * 8][:8] if isinstance(dram.partition_map, spec.XorHash) else [0] * 8
    bytes_per_second = arch.dram_bandwidth_gb_s * 1e9 / dram.partitions / dram.ecc_overhead_ratio
    return dict(
        partitions=dram.partitions, interleave_bytes=dram.interleave_bytes,
        partition_map=int(Map.PM_XOR if any(shifts) else Map.PM_INTERLEAVED), partition_hook=0, partition_shifts=shifts,
        dram_banks=dram.banks, row_bytes=dram.row_bytes, burst_bytes=dram.burst_bytes,
        burst_fs=round(dram.burst_bytes / bytes_per_second * 1e15),
        t_rcd_fs=_fs(dram.t_rcd_ns), t_rp_fs=_fs(dram.t_rp_ns), t_ras_fs=_fs(dram.t_ras_ns), t_rrd_fs=_fs(dram.t_rrd_ns),
        t_cl_fs=_fs(dram.t_cl_ns), t_wl_fs=_fs(dram.t_wl_ns), t_wtr_fs=_fs(dram.t_wtr_ns), t_rtw_fs=_fs(dram.t_rtw_ns),
        t_wr_fs=_fs(dram.t_wr_ns), t_refi_fs=_fs(dram.t_refi_ns or 0), t_rfc_fs=_fs(dram.t_rfc_ns),
        refresh_banks=(dram.refresh_banks or 0) if dram.t_refi_ns else 0, refreshes_postponed=dram.refreshes_postponed,
        closes_rows=int(dram.page_policy == "close_adaptive"),
        extra_latency_fs=_fs(dram.extra_latency_ns), queue_entries=dram.queue_entries,
        window=scheduling.window, drain_high=dram.write_drain_high, drain_low=dram.write_drain_low)


_SUMS_BY_NAME = (spec.AlignedSum, spec.ChainedSum, spec.PairedSum)
_SUMS = {spec.AlignedSum: Sum.SUM_ALIGNED, spec.ChainedSum: Sum.SUM_CHAINED, spec.PairedSum: Sum.SUM_PAIRED, type(None): Sum.SUM_NONE}


def _matrix(matrix: spec.MatrixArithmetic | None) -> dict:
    names = ("f16", "bf16", "tf32", "groups", "groups_f16", "fp8")
    rules = [rule if (rule := getattr(matrix, name, None)) is None else _known(f"isa.matrix.{name}", rule, _SUMS_BY_NAME) for name in names]
    return dict(matrix_sum=[int(_SUMS[type(rule)]) for rule in rules], matrix_products=[getattr(rule, "products", 1) for rule in rules],
                matrix_fraction_bits=[getattr(rule, "fraction_bits", 0) for rule in rules],
                matrix_result_bits=[getattr(rule, "result_bits", 23) for rule in rules])


def _texture(units: spec.TextureUnits | None) -> dict:
    if units is None:        # no fetch will be executed
        return dict(texture_weight_bits=1, texture_coordinate_bits=8, texture_coordinate_extents=[0] * 4, texture_guard_bits=0)
    return dict(texture_weight_bits=units.weight_bits, texture_coordinate_bits=units.coordinate_bits,
                texture_coordinate_extents=[*units.coordinate_extents, *[0] * 4][:4], texture_guard_bits=units.guard_bits)


def _groups(chip: spec.Chip) -> dict:
    """Sizes of clusters and of the groups among which a small grid is divided; 0: unused."""
    rule = chip.block_dispatch if isinstance(chip.block_dispatch, spec.GroupByGroup) else spec.GroupByGroup()
    return dict(cluster_sizes=[*chip.cluster_sizes, *[0] * 32][:32], dispatch_groups=[*rule.groups, *[0] * 32][:32],
                dispatch_first_after=rule.first_after, dispatch_beside=rule.beside)


def _block_clusters(arch: Architecture) -> dict:
    """Where a block is its own cluster nothing goes to other blocks, however long it would take."""
    given = arch.block_clusters
    if given is None:
        return dict(most_cluster_blocks=1, remote_latency_cycles=1, remote_bytes_per_cycle=1, cluster_barrier_cycles=1)
    return dict(most_cluster_blocks=given.most_blocks_nonportable, remote_latency_cycles=given.latency_cycles,
                remote_bytes_per_cycle=given.bytes_per_cycle, cluster_barrier_cycles=given.barrier_cycles)


def _launches(arch: Architecture) -> dict:
    """What kernels launch takes effect no earlier than a place can be filled again: epochs rely on it."""
    limits, launches = arch.limits, arch.device_launches
    least = max(arch.chip.block_turnover_cycles, 1)

    def cycles(us: float) -> int:
        return round(us * arch.clocks.shader_mhz)

    given = dict(launch_depth=0, join_depth=0, pending_launches=0, virtual_launches=0, launch_virtual_cycles=0, launch_call_cycles=1,
                 launch_lane_cycles=1, launch_start_cycles=least, launch_next_cycles=least, launch_tail_cycles=least)
    if launches is not None:
        given = dict(launch_depth=launches.depth, join_depth=launches.synchronization_depth, pending_launches=launches.pending,
                     virtual_launches=int(launches.pool == "virtualised"), launch_virtual_cycles=cycles(launches.virtual_us),
                     launch_call_cycles=max(cycles(launches.call_us), 1), launch_lane_cycles=cycles(launches.lane_us),
                     launch_start_cycles=max(cycles(launches.start_us), least),
                     launch_next_cycles=max(cycles(launches.next_us), least),
                     launch_tail_cycles=max(cycles(launches.tail_us), least))
    return dict(given, grid_limit=list(limits.grid_dimensions), block_limit=list(limits.block_dimensions),
                threads_limit=limits.threads_per_block, shared_limit=limits.shared_bytes_per_block)


def machine_tables(arch: Architecture) -> dict:
    """Pack a description into the dict that `archdef.engine.core.Simulation` takes.

    Raises
    ------
    UnsupportedPolicy
        The engine has no compiled form of one of its policies.
    """
    arch = in_sm_cycles(arch)
    caches, links = arch.caches, arch.interconnect
    l2_instances = arch.dram.partitions if caches.l2 is not None and caches.l2.scope == "chip" else 1
    return dict(
        warp_size=arch.warp.size, independent_lanes=int(arch.warp.reconvergence.independent), multiprocessors=arch.chip.multiprocessors,
        cluster_size=arch.chip.multiprocessors_per_cluster, **_groups(arch.chip), warps_per_multiprocessor=arch.limits.warps_per_multiprocessor,
        block_launch_64ths=round(64 * arch.chip.block_launch_cycles), block_end_64ths=round(64 * arch.chip.block_end_cycles),
        block_setup_64ths=round(64 * arch.chip.block_setup_cycles), warp_launch_64ths=round(64 * arch.chip.warp_launch_cycles),
        first_block_cycles=arch.chip.first_block_cycles, block_turnover_cycles=arch.chip.block_turnover_cycles, **_launches(arch),
        shader_period_fs=_period_fs(arch.clocks.shader_mhz),
        core_period_fs=_period_fs(arch.clocks.core_mhz), **_schedulers(arch),
        policies=tuple(_hook(*each) for each in _brought(arch)),
        **bank_table(arch.shared), bank_hook=0, shared_pass_cycles=arch.shared.pass_cycles,
        products_pass_cycles=arch.isa.warpgroup.shared_pass_ratio if arch.isa.warpgroup is not None else 1,
        shared_pass_latency_cycles=arch.shared.pass_latency_cycles or arch.shared.pass_cycles,
        shared_group_latency_cycles=arch.shared.group_latency_cycles, shared_latency_cycles=arch.shared.latency_cycles,
        shared_conflicts_hold_issue=int(arch.shared.conflicts_hold_issue),
        **{name: coalescing_table(getattr(arch.coalescing, name), f"coalescing.{name}") for name in ("load", "load_uncached")},
        store={**coalescing_table(arch.coalescing.store, "coalescing.store"), "coverage": int(links.mask_bytes > 0)},
        reads_in_flight=arch.load_store.reads_in_flight_per_multiprocessor,
        stores_in_flight=arch.load_store.stores_in_flight_per_multiprocessor,
        store_bytes_in_flight=arch.load_store.store_bytes_in_flight_per_multiprocessor or 0,
        **_write_combining(arch.load_store.write_combining),
        transaction_cycles=arch.load_store.transaction_cycles,
        access_distance_cycles=arch.load_store.access_distance_cycles, replay_cycles=arch.load_store.replay_cycles,
        replay_refused=int(arch.load_store.replay_refused),
        bulk_read_bytes_per_cycle=arch.load_store.bulk_read_bytes_per_cycle or 0,
        bulk_write_bytes_per_cycle=arch.load_store.bulk_write_bytes_per_cycle or 0,
        atomic_sector_16ths=round(16 * (arch.load_store.atomic_sector_cycles or arch.load_store.atomic_cycles) / arch.load_store.atomic_cycles),
        slice_queue_fs=round(links.slice_queue_cycles * _period_fs(arch.clocks.core_mhz)),
        atomic_packet_fs=round(links.atomic_packet_cycles * _period_fs(arch.clocks.core_mhz)),
        atomic_fs=round(arch.load_store.atomic_cycles * _period_fs(arch.clocks.core_mhz)),
        l1=_cache_table(caches.l1), constant=_cache_table(caches.constant),
        constant_l2=_cache_table(caches.constant_l2), constant_l3=_cache_table(caches.constant_l3),
        constant_uniform=_cache_table(caches.constant_uniform), constant_pass_bytes=caches.constant_pass_bytes,
        constant_pass_latency_cycles=caches.constant_pass_latency_cycles,
        constant_fill_cycles=caches.constant_fill_cycles, constant_line_cycles=caches.constant_line_cycles,
        **{name: _cache_table(getattr(caches, name)) for name in ("instruction", "instruction_l2", "instruction_l3")},
        instruction_per_scheduler=int(caches.instruction is not None and caches.instruction.scope == "scheduler"),
        instruction_memory_cycles=caches.instruction_memory_cycles, instruction_preload_bytes=caches.instruction_preload_bytes,
        instruction_bytes=arch.isa.instruction_bytes,
        texture=_cache_table(caches.texture_l1), texture_per_cluster=int(caches.texture_l1 is not None and caches.texture_l1.scope == "cluster"),
        textures_in_flight=arch.load_store.textures_in_flight_per_multiprocessor or 0, texture_l2=_cache_table(caches.texture_l2),
        texture_tile_rows=caches.texture_tile_rows, **_texture(arch.texture), read_only_loads=int("read_only_loads" in arch.isa.features),
        l2=_cache_table(caches.l2, l2_instances),
        request_latency_fs=_fs(links.request_latency_ns), response_latency_fs=_fs(links.response_latency_ns),
        far_latency_fs=_fs(links.far_latency_ns), sides=links.sides, side_bytes_per_cycle=links.side_bytes_per_cycle or 0,
        side_links=links.side_links,        gathered_requests=links.gathered_requests,
        places=len(links.place_cycles), place_cycles=[*links.place_cycles, *[0] * 32][:32], spread_fs=_fs(links.spread_ns),
        gathering_lines=links.gathering_lines, **_slices(arch),
        header_bytes=links.header_bytes, mask_bytes=links.mask_bytes,
        sector_mask_bytes=links.sector_mask_bytes if arch.caches.l2 is not None else 0,
        partial_write_fs=round(links.partial_write_cycles * _period_fs(arch.clocks.core_mhz)),
        injection_bytes_per_cycle=links.injection_bytes_per_cycle,
        injection_per_cluster=int(links.injection_scope == "cluster"), store_ports=int(links.store_ports),
        partition_request_bytes_per_cycle=links.partition_request_bytes_per_cycle,
        partition_response_bytes_per_cycle=links.partition_response_bytes_per_cycle,
        cluster_request_bytes_per_cycle=links.cluster_request_bytes_per_cycle or 0,
        cluster_response_bytes_per_cycle=links.cluster_response_bytes_per_cycle or 0, **_dram(arch), **_block_clusters(arch),
        **_matrix(arch.isa.matrix))
