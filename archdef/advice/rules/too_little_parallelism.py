"""Too few bytes in flight for the latency of memory, in threads that each do one thing after another though they need not.

Little's law: a multiprocessor gets its part of DRAM's bandwidth if as many bytes are under way as it has in the time of an access. With n times the warps, or n
times the loads of each under way, waiting takes an n-th of the time, until something else is busy. So the launch runs again on a machine whose latencies are
shorter by as much as what is in flight could grow. Multiprocessors without a block stay so: spread over all, the launch may gain more.
"""
from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.bounds import needed
from archdef.formatting import count, three
from archdef.run.evidence import Evidence

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run
    from archdef.spec import Architecture

NAME: Final = "too-little-parallelism"
CAUSES: Final = ("few warps", "few blocks", "memory latency")
NOTABLE: Final = 0.2
"""Part of the time that `CAUSES` have together, from which on parallelism is worth a look; less is the beginning and end of any launch."""
BUSY: Final = 0.5
"""DRAM that is busy for more than this part of the time has work enough: queues, not latency, then decide."""
FROM_DRAM: Final = 0.5
"""Part of the loaded bytes that come from DRAM, from which on its latency and bandwidth say what is needed. Below, the latency does that the loads had."""
REPEATED: Final = 4
"""Times that a warp executes the same load, from which on its work could be given to more warps. Threads that load once or twice have nothing to share."""
LATENCIES: Final = ("shared.latency_cycles", "caches.l1.latency_cycles", "caches.l2.latency_cycles", "interconnect.request_latency_ns",
                    "interconnect.response_latency_ns", "dram.extra_latency_ns")
"""What a warp waits for with nothing in its way, besides results of arithmetic. The timings of DRAM's rows stay: they also say how busy its banks are."""
_REGISTER: Final = re.compile(r"%\w+")
_GUARD: Final = re.compile(r"^@!?%\w+\s+")


def find(run: Run) -> Iterator[Finding]:
    """Find the load that is waited for most, of those that warps repeat and whose addresses do not depend on what they load."""
    shares = {reason.cause: reason.share for reason in run.reasons}
    evidence = Evidence(run)
    if sum(shares.get(cause, 0.0) for cause in CAUSES) < NOTABLE or evidence.utilization > BUSY or run.launches:
        return
    line = _repeated(run)
    if line is None:
        return
    flight = _of_dram(run, evidence) if run.counters.partition["bytes_read"].sum() >= FROM_DRAM * run.counters.global_load_bytes_moved else _of_waits(
        run, evidence)
    if flight is None:
        return
    machine, words = run.architecture, run.architecture.words
    room = machine.limits.warps_per_multiprocessor
    resident = evidence.resident * room
    times = min(flight.needed / flight.bytes if flight.bytes else math.inf, room / resident)
    if times <= 1:
        return
    said = (f"{three(resident)} {words.warp}s are resident on a {words.multiprocessor} with work, {count(evidence.used)} of "
            f"{count(evidence.multiprocessors)} have some; {flight.said}")
    supposed = (f"{three(times)} times as much were in flight, so that latencies took {three(times)} times less (more {words.warp}s may gain more)")
    yield Finding(NAME, Supposed(supposed, architecture=_shorter(machine, times)),
                  {"resident_warps": resident, "most_warps": room, "bytes_in_flight": flight.bytes, "bytes_needed": flight.needed,
                   "load_latency_cycles": flight.latency_cycles, "multiprocessors_with_work": evidence.used}, said,
                  f"give the repeated loads to {three(times)} times as many threads, in more {words.block}s than there are {words.multiprocessor}s, "
                  "or load several values into registers before the first is used", line)


@attrs.frozen
class _Flight:
    """Bytes under way on a multiprocessor, by Little's law: rate times latency."""

    bytes: float
    needed: float
    latency_cycles: float
    said: str


def _of_dram(run: Run, evidence: Evidence) -> _Flight:
    """By what the machine declares: DRAM's rate and latency."""
    memory = next(each for each in needed(run.architecture) if each.name == "DRAM reads")
    flying = evidence.utilization * memory.in_flight
    return _Flight(flying, memory.in_flight, memory.latency_cycles,
                   f"by Little's law DRAM needs {count(memory.in_flight)} bytes in flight on each, {count(flying)} are")


def _of_waits(run: Run, evidence: Evidence) -> _Flight | None:
    """By the latency that loads had, where caches serve them; more are in flight until the resource that is held longest is held all the time."""
    c, held = run.counters, evidence.held()
    active = float(c.multiprocessor["active_cycles"].sum())
    waits = c.stalls["memory_dependency"] / c.global_loads
    if evidence.binding is None or not held or held > BUSY or not waits or not active:
        return None
    flying = c.global_load_bytes_moved * waits / active
    return _Flight(flying, flying / held, waits,
                   f"caches serve most loads, a load is waited for {count(waits)} cycles, so by Little's law {count(flying)} bytes are in flight on each; "
                   f"{evidence.binding.name}, the most used resource, would bear {count(flying / held)}")


def _repeated(run: Run) -> Cost | None:
    """Give the line with the repeated, independent loads that are waited for most."""
    warps = run.counters.warps
    made = _made_of(run)
    wanted = set()
    for statement, cost in zip(run.program.statements, run.statements, strict=True):
        if cost.counters.global_loads < REPEATED * warps:
            continue
        text = _GUARD.sub("", statement.text)
        target, _, address = text.partition("[")
        results = set(_REGISTER.findall(target))
        if not results & _closure(made, _REGISTER.findall(address)):
            wanted.add(run.place(statement))
    lines = [line for line in run.lines if (line.file, line.line) in wanted]
    return max(lines, key=lambda line: sum(line.counters.stalls.values()), default=None)


def _made_of(run: Run) -> dict[str, set[str]]:
    """Which registers each is made of, wherever in the kernel; what is loaded is made of its address."""
    made: dict[str, set[str]] = {}
    for statement in run.program.statements:
        text = _GUARD.sub("", statement.text)
        guard = _REGISTER.findall(statement.text[:len(statement.text) - len(text)])
        _, _, operands = text.partition(" ")
        first, _, rest = operands.partition("}" if operands.lstrip().startswith("{") else ",")
        for register in _REGISTER.findall(first):
            made.setdefault(register, set()).update(_REGISTER.findall(rest), guard)
    return made


def _closure(made: dict[str, set[str]], registers: list[str]) -> set[str]:
    found: set[str] = set()
    left = [*registers]
    while left:
        register = left.pop()
        if register not in found:
            found.add(register)
            left.extend(made.get(register, ()))
    return found


def _shorter(machine: Architecture, times: float) -> Architecture:
    """Give the machine with shorter latencies, cycles rounded up."""
    declared = {path: value for path, value, _ in machine.walk() if path in LATENCIES and isinstance(value, (int, float))}
    changed = machine.evolve({path: value / times if path.endswith("_ns") else math.ceil(value / times) for path, value in declared.items()})
    isa = changed.isa
    return attrs.evolve(changed, isa=attrs.evolve(isa, operations={name: _sooner(each, times) for name, each in isa.operations.items()},
                                                  forms={name: _sooner(each, times) for name, each in isa.forms.items()}))


def _sooner(operation: Any, times: float) -> Any:
    return attrs.evolve(operation, latency_cycles=math.ceil(operation.latency_cycles / times)) if operation.latency_cycles else operation


RULE: Final = Rule(NAME, "Too few bytes in flight for memory's latency.", find)
