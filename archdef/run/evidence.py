"""Where the time of a launch went: parts of it that add up to the whole, by what the engine counted and the bounds say."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from archdef.bounds import Bound
from archdef.bounds.ceilings import unloaded_latency_ns
from archdef.metrics.counters import FEMTOSECONDS, STALLS

if TYPE_CHECKING:
    from archdef.run.result import Run

MEMORY = ("DRAM", "partitions", "ports", "clusters")
"""Bounds of what carries requests and data."""
_LATENCIES = ("latency", "memory trip")
"""Bounds that say how long something takes on its own: nothing is held for that long, and stalls say what is waited for."""
_QUEUED = 0.2
"""Part of a request's time in queues from which on a partition has more to do than it can; a few that come at a time always wait a little."""


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class Evidence:
    """Parts of the time of a launch, each 0 to 1.

    What is held by the resource that binds (`held`) is the first part. The rest is shared among multiprocessors without work, and, on those with
    work, among issuing and the stalls by which nothing is issued.
    """

    def __init__(self, run: Run):
        self.run = run
        self.counters = run.counters
        rows = run.counters.multiprocessor
        self.blocks = int(rows["blocks"].sum())
        self.multiprocessors = len(rows)
        self.used = int((rows["blocks"] > 0).sum())
        self.active = rows["active_cycles"].astype(float)
        self.cycles = max(float(run.cycles), float(self.active.max(initial=0.0)))       # the last store may have landed before a warp ends

    @functools.cached_property
    def binding(self) -> Bound | None:
        """The resource that is held for the longest part of the time."""
        bounds = self.run.bounds
        return None if bounds is None else next((bound for bound in bounds.lower if bound.name not in _LATENCIES), None)

    def held(self, *names: str) -> float:
        """The time for which the binding resource is held, if it is one of these; without names: whichever it is."""
        if self.binding is None or (names and self.binding.name not in names):
            return 0.0
        return min(_ratio(self.binding.cycles, self.cycles), 1.0)

    @functools.cached_property
    def crowded(self) -> float:
        """By how much longer the ports or DRAM of the partitions that have work at a time are held than if all partitions had some."""
        held = self.held(*MEMORY)
        return min(held / (1 - self.idle_partitions), 1.0) - held if self.idle_partitions < 1 else 1 - held

    @property
    def rest(self) -> float:
        """The time that what is held does not account for."""
        return 1 - self.held() - self.crowded

    # ------------------------------------------------------------------------------------------- multiprocessors without work
    @property
    def idle(self) -> float:
        """The part of the multiprocessors that no block came to, 0 to 1."""
        return 1 - _ratio(self.used, self.multiprocessors)

    @functools.cached_property
    def lopsided(self) -> float:
        """The part of the busiest multiprocessor's issue slots that it would not need if all issued as many, where these bind, 0 to 1."""
        if not self.held("issue") or self.run.architecture.schedulers.issue_width > 1:       # of several in a slot, the bound takes the mean
            return 0.0
        issued = self.counters.multiprocessor["issue_cycles"].astype(float)
        return 1 - _ratio(float(issued.mean()), float(issued.max())) if issued.any() else 0.0

    @property
    def without_block(self) -> float:
        """… of multiprocessors that no block came to."""
        return self.rest * self.idle + self.held("issue") * min(self.idle, self.lopsided)

    @property
    def _behind(self) -> float:
        """Cycles behind the last warp of the multiprocessor that had work for the longest, and before its first."""
        return self.cycles - float(self.active.max(initial=0.0))

    @property
    def draining(self) -> float:
        """… after the last warp had ended, as its stores and atomic operations, which it does not wait for, had to wait for others."""
        arch = self.run.architecture
        alone = 2 * unloaded_latency_ns(arch) * arch.clocks.shader_mhz / 1e3        # there and back, for what the launch itself begins with, too
        return self.rest * (1 - self.idle) * _ratio(max(0.0, self._behind - alone), self.cycles)

    @property
    def edges(self) -> float:
        """… before the first block and behind the last warp, on multiprocessors that had some."""
        return self.rest * (1 - self.idle) * _ratio(self._behind, self.cycles) - self.draining

    @property
    def uneven(self) -> float:
        """… on multiprocessors that had work, while they had none and the one that had work for the longest did."""
        least = self.used * self.active.max(initial=0.0) - self.active.sum()
        lopsided = self.held("issue") * (self.lopsided - min(self.idle, self.lopsided))
        return self.rest * _ratio(float(least), self.multiprocessors * self.cycles) + lopsided

    # ---------------------------------------------------------------------------------------------- multiprocessors with work
    @property
    def busy(self) -> float:
        """… on multiprocessors that had a warp."""
        return self.rest * _ratio(float(self.active.sum()), self.multiprocessors * self.cycles)

    @property
    def lanes(self) -> float:
        """The part of a warp's lanes that the average instruction finds active, 0 to 1."""
        c = self.counters
        return _ratio(c.thread_instructions + c.predicated_off, c.instructions * self.run.architecture.warp.size) or 1.0

    @functools.cached_property
    def issue_slots(self) -> float:
        """The part of the schedulers' cycles in which they issued, 0 to 1; 1 where no warp ever waited."""
        if not self._stalls:
            return 1.0
        issued = float(self.counters.multiprocessor["issue_cycles"].sum())
        return min(_ratio(issued, float(self.active.sum()) * self.run.architecture.schedulers.count), 1.0)

    @property
    def issuing(self) -> float:
        """… in which instructions of active lanes were issued."""
        return self.busy * self.issue_slots * self.lanes

    @functools.cached_property
    def _stalls(self) -> dict[str, float]:
        stalls = {cause: float(n) for cause, n in self.counters.stalls.items() if cause not in ("selected", "not_selected")}
        whole = sum(stalls.values())
        return {cause: n / whole for cause, n in stalls.items()} if whole else {}

    def stalled(self, *causes: str) -> float:
        """… in which nothing was issued for these causes of stalls, by the warp cycles of each; the part of active lanes."""
        return self.busy * (1 - self.issue_slots) * self.lanes * sum(self._stalls.get(cause, 0.0) for cause in causes)

    def stalled_at(self, cause: str, *accesses: str) -> float:
        """… for a cause, of warps that were to issue statements which count such accesses (``shared_loads``)."""
        rows = self.counters.statements
        wanted = np.zeros(len(rows), bool)
        for name in accesses:
            wanted |= rows[name] > 0
        cycles = rows["stall_cycles"][:, STALLS.index(cause)].astype(float)
        return self.stalled(cause) * _ratio(float(cycles[wanted].sum()), float(cycles.sum()))

    # ------------------------------------------------------------------------------------------------------------- accesses
    @functools.cached_property
    def conflicts(self) -> float:
        """The part of the passes over the banks that conflicts add, 0 to 1."""
        c = self.counters
        return 1 - _ratio(c.shared_load_groups + c.shared_store_groups, c.shared_load_passes + c.shared_store_passes) if (
            c.shared_load_passes + c.shared_store_passes) else 0.0

    @functools.cached_property
    def unused(self) -> float:
        """The part of the bytes moved for global loads and stores that nobody asked for, 0 to 1."""
        c = self.counters
        moved = c.global_load_bytes_moved + c.global_store_bytes_moved
        return max(0.0, 1 - _ratio(c.global_load_bytes_asked + c.global_store_bytes_asked, moved)) if moved else 0.0

    @functools.cached_property
    def unused_behind(self) -> float:
        """The same of the bytes that the binding level of memory moved: less where a cache serves what was moved in vain at first."""
        c, partition = self.counters, self.counters.partition
        if c.local_loads or c.local_stores or c.texture_loads or c.surface_loads or c.surface_stores or c.atomics:
            return 0.0      # their lanes' bytes are not counted
        level = ("bytes_read", "bytes_written") if self.held("DRAM") else ("bytes_asked", "bytes_given")
        moved = float(sum(partition[name].sum() for name in level))
        return max(0.0, 1 - _ratio(c.global_load_bytes_asked + c.global_store_bytes_asked, moved)) if moved else 0.0

    @functools.cached_property
    def spilled(self) -> float:
        """The part of the transactions that access local memory, 0 to 1."""
        c = self.counters
        local = c.local_load_transactions + c.local_store_transactions
        return _ratio(local, local + c.global_load_transactions + c.global_store_transactions + c.atomic_transactions
                      + c.texture_transactions + c.surface_store_transactions)

    # --------------------------------------------------------------------------------------------------------------- memory
    @property
    def utilization(self) -> float:
        """The part of the time for which the average partition's data bus moved something, 0 to 1."""
        partition = self.counters.partition
        return _ratio(float(partition["busy_fs"].sum()) / FEMTOSECONDS, len(partition) * self.counters.elapsed_s)

    @functools.cached_property
    def queueing(self) -> float:
        """The part of a request's time that it waits for others, at its partition's ports and in the queue of its DRAM, 0 to 1."""
        partition, dram = self.counters.partition, self.run.architecture.dram
        sums = {name: float(partition[name].sum()) for name in ("requests", "request_wait_fs", "response_wait_fs", "awaited", "awaited_fs")}
        alone_fs = (dram.t_rp_ns + dram.t_rcd_ns + dram.t_cl_ns) * 1e6
        in_dram_fs = max(0.0, sums["awaited_fs"] - sums["awaited"] * alone_fs)
        waited_ns = _ratio(in_dram_fs + sums["request_wait_fs"] + sums["response_wait_fs"], sums["requests"]) / 1e6
        return _ratio(waited_ns, waited_ns + unloaded_latency_ns(self.run.architecture))

    @property
    def congested(self) -> float:
        """… in which warps waited for memory, not local, because of what was ahead of them."""
        loads = (self.stalled("memory_dependency") - self.of_atomics["memory_dependency"]) * self.queueing
        stores = self.stalled("memory_throttle") + self.draining - self.of_atomics["memory_throttle"] - self.of_atomics["draining"]
        return (loads + stores) * (1 - self.spilled)

    @functools.cached_property
    def of_atomics(self) -> dict[str, float]:
        """… in which warps waited for atomic operations on global memory: for old values, by how many of the loads they are, for room to send
        them, or at the end, by how many of the stores they are."""
        c = self.counters
        loads = c.global_loads + c.local_loads + c.texture_loads + c.surface_loads + c.atomics
        return {"memory_dependency": self.stalled("memory_dependency") * _ratio(c.atomics, loads),
                "memory_throttle": self.stalled_at("memory_throttle", "atomics"),
                "draining": self.draining * _ratio(c.atomics, c.atomics + c.global_stores + c.local_stores + c.surface_stores)}

    @functools.cached_property
    def idle_partitions(self) -> float:
        """The part of the partitions that had no work at a time while others had so much that requests waited for them, 0 to 1.

        DRAM's work is looked at: it says as much of partitions as the part of their requests that goes there.
        """
        partition = self.counters.partition
        if self.queueing < _QUEUED:
            return 0.0
        to_dram = min(_ratio(float(partition["awaited"].sum()), float(partition["requests"].sum())), 1.0)
        return to_dram * max(0.0, 1 - _ratio(self.counters.partitions_in_use, len(partition)))

    @property
    def uneven_traffic(self) -> float:
        """The part of the busiest partition's work that it would not have if all had the same, 0 to 1."""
        name = "busy_fs" if self.held("DRAM") else "response_fs" if self._answers_bind else "request_fs"
        work = self.counters.partition[name].astype(float)
        return 1 - _ratio(float(work.mean()), float(work.max())) if work.any() and self.held("DRAM", "partitions") else 0.0

    @property
    def _answers_bind(self) -> bool:
        partition = self.counters.partition
        return bool(partition["response_fs"].max(initial=0) >= partition["request_fs"].max(initial=0))

    # ------------------------------------------------------------------------------------------------------------ occupancy
    @property
    def latencies(self) -> dict[str, float]:
        """… in which warps waited for what nothing else held up, and what more warps would hide, by what they waited for."""
        return {"memory": (self.stalled("memory_dependency") - self.of_atomics["memory_dependency"]) * (1 - self.queueing) * (1 - self.spilled),
                "shared": self.stalled("shared_dependency") * (1 - self.conflicts),
                "arithmetic": self.stalled("alu_dependency"), "branch": self.stalled("branch")}

    @functools.cached_property
    def resident(self) -> float:
        """Warps that a multiprocessor with work holds, over the most that it could, 0 to 1."""
        rows, most = self.counters.multiprocessor, self.run.architecture.limits.warps_per_multiprocessor
        return min(_ratio(float(rows["warp_cycles"].sum()), float(self.active.sum()) * most), 1.0)

    @property
    def idle_schedulers(self) -> float:
        """The part of the schedulers for which there is no warp on average, 0 to 1."""
        limits, schedulers = self.run.architecture.limits, self.run.architecture.schedulers
        return max(0.0, 1 - self.resident * limits.warps_per_multiprocessor / schedulers.count)

    @property
    def filled(self) -> bool:
        """Whether some multiprocessor held as many blocks as the occupancy rule allows."""
        return self.counters.max_resident_blocks >= self.run.occupancy.active_blocks

    @property
    def refused(self) -> float:
        """The part of the warps that the occupancy rule does not let in, though blocks were there for them, 0 to 1."""
        return 1 - self.run.occupancy.occupancy if self.filled else 0.0

    @property
    def missing(self) -> float:
        """The part of the warps that would be let in, but that no block brought, 0 to 1."""
        return max(0.0, 1 - self.refused - self.resident)
