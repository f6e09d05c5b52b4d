"""Why a launch took the time that it took: a table of causes, what part of the time each accounts for, and by which number.

`Evidence` splits the time; docs/explanation/reasons.md says how, and when a cause is none.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from archdef.bounds import needed
from archdef.formatting import count, limiter, percent, three
from archdef.metrics.stalls import WAITS_FOR
from archdef.run.evidence import MEMORY, Evidence

if TYPE_CHECKING:
    from archdef.run.result import Run

NOTABLE = 0.05
"""Causes that account for a smaller part of the time explain nothing."""


@attrs.frozen
class Reason:
    """A cause of a launch's time."""

    cause: str
    """Its name in the table of docs/explanation/reasons.md."""
    share: float
    """The part of the time that it accounts for, 0 to 1; those of all causes add up to 1."""
    text: str
    """What was measured of it, in a line."""
    short: str
    """Cause, share and one number, as a part of a sentence: ``partition camping (46 %: 3.28 of 8 busy)``."""

    def __str__(self) -> str:
        return f"{self.cause} ({percent(100 * self.share)} of the time): {self.text}"


@attrs.frozen
class Cause:
    """A row of the table."""

    name: str
    share: Callable[[Evidence], float]
    """The part of the time that it accounts for; 0 where there is nothing of it."""
    text: Callable[[Evidence], str]
    brief: Callable[[Evidence], str] = lambda e: ""
    """The one number of it that a sentence names, if there is one."""
    noun: Callable[[Evidence], str] | None = None
    """What a sentence calls it, if not by its name."""

    def short(self, evidence: Evidence, share: float) -> str:
        """Give what `Reason.short` is."""
        number = self.brief(evidence)
        return f"{self.noun(evidence) if self.noun else self.name} ({percent(round(100 * share))}{': ' if number else ''}{number})"


def reasons(run: Run, least: float = NOTABLE) -> tuple[Reason, ...]:
    """List what accounts for a launch's time, the most first; none for less than `least` of it."""
    if not run.counters.warps or not run.counters.instructions:
        return ()
    evidence = Evidence(run)
    shares = [(cause.share(evidence), cause) for cause in CAUSES]
    return tuple(Reason(cause.name, share, cause.text(evidence), cause.short(evidence, share))
                 for share, cause in sorted(shares, key=lambda row: -row[0]) if share > 0 and share >= least)


# ------------------------------------------------------------------------------------------------------------------- the bound
_OTHER = (*MEMORY, "shared", "dispatch")


def _computing(e: Evidence) -> float:
    """The time for which issue slots or a kind of units bind."""
    return 0.0 if e.binding is None or e.binding.name in _OTHER else e.held() * (1 - e.lopsided)


def _bound(e: Evidence) -> float:
    memory = e.held(*MEMORY) * (1 - e.spilled) * (1 - e.unused_behind) * (1 - e.uneven_traffic)
    return memory + e.held("shared") * (1 - e.conflicts) + e.held("dispatch") + _computing(e) * e.lanes


def _of_bound(e: Evidence) -> str:
    return f"{percent(100 * e.held())} of what it took is the least by {e.binding.name}: {e.binding.about}" if e.binding else ""


# ---------------------------------------------------------------------------------------------------------------------- memory
def _spills(e: Evidence) -> float:
    return e.spilled * (e.held(*MEMORY) + e.stalled("memory_dependency", "memory_throttle") + e.draining - sum(e.of_atomics.values()))


def _scattered(e: Evidence) -> float:
    held = e.held(*MEMORY) * (1 - e.spilled) * e.unused_behind
    return held + (e.congested + e.stalled_at("pipe_busy", "global_loads", "global_stores")) * e.unused


def _camping(e: Evidence) -> float:
    held = e.held(*MEMORY) * (1 - e.spilled) * (1 - e.unused_behind) * e.uneven_traffic
    return held + e.crowded + e.congested * (1 - e.unused) * e.idle_partitions


def _queues(e: Evidence) -> float:
    return e.congested * (1 - e.unused) * (1 - e.idle_partitions)


def _of_scattered(e: Evidence) -> str:
    c = e.counters
    parts = [f"{three(transactions / requests)} transactions per {name}" for name, transactions, requests in (
        ("load", c.global_load_transactions, c.global_loads), ("store", c.global_store_transactions, c.global_stores)) if requests]
    return f"{', '.join(parts)}; {percent(100 * max(e.unused, e.unused_behind))} of the bytes moved were asked for by nobody"


def _brief_scattered(e: Evidence) -> str:
    c = e.counters
    most, name = max((_over(c.global_load_transactions, c.global_loads), "load"), (_over(c.global_store_transactions, c.global_stores), "store"))
    return f"{three(most)} transactions per {name}"


def _over(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _brief_camping(e: Evidence) -> str:
    return f"{three(e.counters.partitions_in_use)} of {len(e.counters.partition)} busy"


def _of_camping(e: Evidence) -> str:
    more = f", the busiest has {three(1 / (1 - e.uneven_traffic))} times as much as the average" if e.uneven_traffic >= NOTABLE else ""
    return (f"{three(e.counters.partitions_in_use)} of {len(e.counters.partition)} {e.run.architecture.words.partition}s have work at a time{more}; "
            f"DRAM is busy for {percent(100 * e.utilization)}")


def _of_queues(e: Evidence) -> str:
    return (f"{percent(100 * e.queueing)} of a request's time is spent in queues, {_waits(e, 'memory_throttle')} waiting for room in them; "
            f"DRAM is busy for {percent(100 * e.utilization)}")


def _of_atomics(e: Evidence) -> str:
    c = e.counters
    return (f"{count(c.atomic_operations)} operations of {count(c.atomics)} instructions; {_waits(e, 'memory_dependency')} waiting for values, "
            f"{_waits(e, 'memory_throttle')} for room to send them")


def _of_latency(e: Evidence) -> str:
    dram = next(each for each in needed(e.run.architecture) if each.name == "DRAM reads")
    return (f"{_waits(e, 'memory_dependency')} waiting for loads; by Little's law DRAM needs {count(dram.in_flight)} bytes in flight on each "
            f"{e.run.architecture.words.multiprocessor}, it has {count(dram.in_flight * e.utilization)}")


# ---------------------------------------------------------------------------------------------------------------------- stalls
def _waits(e: Evidence, *causes: str) -> str:
    stalls = e.counters.stalls
    whole = sum(stalls.values())
    return f"{percent(100 * sum(stalls[cause] for cause in causes) / whole if whole else 0.0)} of {e.run.architecture.words.warp} cycles"


def _waiting(cause: str) -> Callable[[Evidence], str]:
    return lambda e: f"{_waits(e, cause)} waiting for {WAITS_FOR[cause]}"


def _stalled(name: str, cause: str) -> Cause:
    return Cause(name, lambda e: e.stalled(cause), _waiting(cause))


def _latency(name: str, part: str, text: Callable[[Evidence], str]) -> Cause:
    return Cause(name, lambda e: e.latencies[part] * (1 - e.refused - e.missing), text)


def _conflicts(e: Evidence) -> float:
    return (e.held("shared") + e.stalled("shared_dependency") + _pipe_of_shared(e)) * e.conflicts


def _pipe_of_shared(e: Evidence) -> float:
    return e.stalled_at("pipe_busy", "shared_loads", "shared_stores", "shared_atomics")


def _units(e: Evidence) -> float:
    return e.stalled("pipe_busy") - _pipe_of_shared(e) * e.conflicts - e.stalled_at("pipe_busy", "global_loads", "global_stores") * e.unused


def _few_warps(e: Evidence) -> float:
    return sum(e.latencies.values()) * e.missing + _units(e) * e.idle_schedulers


def _brief_conflicts(e: Evidence) -> str:
    c = e.counters
    return f"{three(_over(c.shared_load_passes + c.shared_store_passes, c.shared_load_groups + c.shared_store_groups))} passes for one"


def _of_conflicts(e: Evidence) -> str:
    c = e.counters
    passes = _over(c.shared_load_passes + c.shared_store_passes, c.shared_load_groups + c.shared_store_groups)
    return f"{three(passes)} passes over the banks where one would do"


def _lanes(e: Evidence) -> float:
    return (e.busy + _computing(e)) * (1 - e.lanes)


# ------------------------------------------------------------------------------------------------------- blocks and occupancy
def _of_few_blocks(e: Evidence) -> str:
    return f"{count(e.blocks)} {e.run.architecture.words.block}s for {e.multiprocessors} {_sms(e)}s: {e.multiprocessors - e.used} have no work"


def _of_uneven(e: Evidence) -> str:
    return f"{_sms(e)}s that have work have it for {percent(100 * float(e.active.sum()) / (e.used * float(e.active.max())))} of the time of the longest"


def _of_edges(e: Evidence) -> str:
    return f"{count(e.cycles - float(e.active.max()))} of {count(e.run.cycles)} cycles before the first {e.run.architecture.words.block} and behind the last"


def _of_occupancy(e: Evidence) -> str:
    held, warp = e.run.occupancy, e.run.architecture.words.warp
    return f"{held.active_warps} of {held.max_warps} {warp}s may be resident, limited by {limiter(held)}; {_hidden(e)}"


def _of_few_warps(e: Evidence) -> str:
    words, most = e.run.architecture.words, e.run.architecture.limits.warps_per_multiprocessor
    return (f"{three(e.resident * most)} {words.warp}s are resident on average, {e.run.occupancy.active_warps} may be, of {count(e.blocks)} "
            f"{words.block}s on {e.used} {words.multiprocessor}s; {_hidden(e)}")


def _hidden(e: Evidence) -> str:
    return f"{_waits(e, 'memory_dependency', 'shared_dependency', 'alu_dependency', 'branch')} waiting for latencies"


def _sms(e: Evidence) -> str:
    return e.run.architecture.words.multiprocessor


CAUSES: tuple[Cause, ...] = (
    Cause("bound", _bound, _of_bound, noun=lambda e: f"the bound of {e.binding.name}" if e.binding else "a bound"),
    Cause("scattered accesses", _scattered, _of_scattered, _brief_scattered),
    Cause("partition camping", _camping, _of_camping, _brief_camping),
    Cause("memory queues", _queues, _of_queues),
    Cause("atomic operations", lambda e: sum(e.of_atomics.values()), _of_atomics, lambda e: f"{count(e.counters.atomic_operations)} operations"),
    Cause("local memory", _spills, lambda e: f"{percent(100 * e.spilled)} of the transactions are to local memory",
          lambda e: f"{percent(100 * e.spilled)} of the transactions"),
    Cause("bank conflicts", _conflicts, _of_conflicts, _brief_conflicts),
    Cause("inactive lanes", _lanes, lambda e: f"{percent(100 * e.lanes)} of a {e.run.architecture.words.warp}'s lanes are active in the average instruction",
          lambda e: f"{percent(100 * e.lanes)} active"),
    Cause("few blocks", lambda e: e.without_block, _of_few_blocks, lambda e: f"{count(e.blocks)} for {e.multiprocessors} {_sms(e)}s"),
    Cause("uneven work", lambda e: e.uneven, _of_uneven),
    Cause("start and end", lambda e: e.edges, _of_edges),
    Cause("occupancy", lambda e: sum(e.latencies.values()) * e.refused, _of_occupancy, lambda e: f"limited by {limiter(e.run.occupancy)}"),
    Cause("few warps", _few_warps, _of_few_warps,
          lambda e: f"{three(e.resident * e.run.architecture.limits.warps_per_multiprocessor)} resident"),
    _latency("memory latency", "memory", _of_latency),
    _latency("shared memory latency", "shared", _waiting("shared_dependency")),
    _latency("arithmetic latency", "arithmetic", _waiting("alu_dependency")),
    _latency("branches", "branch", _waiting("branch")),
    _stalled("barriers", "barrier"),
    _stalled("instruction fetch", "fetch"),
    _stalled("constants", "constant_dependency"),
    _stalled("launches", "launch"),
    _stalled("register pool", "registers"),
    Cause("busy units", lambda e: _units(e) * (1 - e.idle_schedulers), _waiting("pipe_busy")),
    Cause("instruction issue", lambda e: e.issuing, lambda e: f"{percent(100 * e.issue_slots)} of the issue slots of {_sms(e)}s with work are used"),
)
"""Every cause. Their shares add up to 1."""
