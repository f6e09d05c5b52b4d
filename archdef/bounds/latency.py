"""Lower bounds by latency: a warp issues in order, so each stretch of straight code takes it as long as its chain of results."""
from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from archdef.bounds.bound import Bound
from archdef.engine.program import LoadedProgram
from archdef.lower.encoding import Kind, Space
import itertools

if TYPE_CHECKING:
    from archdef.lower.program import Program
    from archdef.run.result import Run

_ENDS = (Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL, Kind.CALL_INDIRECT, Kind.RETURN, Kind.EXIT, Kind.BARRIER, Kind.TRAP, Kind.SYSTEM)
_MEMORY = (Kind.LOAD, Kind.ATOM)
_PLAIN = (Kind.ALU, Kind.SETP, Kind.SELP, Kind.PRED, Kind.CARRY, Kind.P2R)
"""Kinds whose results come after exactly their latency."""


def latency(run: Run, machine: dict[str, Any]) -> Iterator[Bound]:
    """Give the bounds of one launch on a machine (the engine's table)."""
    program, issued, counters = run.program, run.counters.issued, run.counters
    if not counters.warps:
        return
    chained = not (machine["warp"]["independent_lanes"] and counters.divergent_branches)
    whole = _warp_cycles(program, machine, issued, chained)
    at_once = min(counters.warps, machine["chip"]["multiprocessors"] * run.occupancy.active_warps)
    how = "their chains of results" if chained else "the distance of their issues"
    yield Bound("latency", whole / at_once,
                f"{counters.warps:,} warps take {whole / counters.warps:,.0f} cycles each by {how}, {at_once:,} of them at a time")


def _warp_cycles(program: Program, machine: dict[str, Any], issued: np.ndarray, chained: bool) -> float:
    """Least cycles of all warps together, each on its own."""
    ops = program.ops
    gap = np.maximum(ops["issues"].astype(np.int64) * machine["schedulers"]["issue_interval_cycles"], machine["schedulers"]["instruction_gap_cycles"])
    gap[ops["issues"] == 0] = 0     # absorbed: neither issued nor waited for
    if not chained:
        return float((issued * gap).sum()) / _together(machine)
    whole = 0.0
    for first, last in _stretches(program):
        times = int(issued[first:last].min())
        if times:
            whole += times * _chain(program, machine, gap, first, last)
    return whole


def _together(machine: dict[str, Any]) -> int:
    """Instructions of one warp that may go in one slot."""
    return machine["schedulers"]["issue_width"] if machine["schedulers"]["superscalar"] else 1


def _stretches(program: Program) -> Iterator[tuple[int, int]]:
    """Code that is entered at its first op and left behind its last."""
    ops = program.ops
    starts = {0, len(ops)}
    starts.update(int(t) for t in program.targets)
    for k in range(len(ops)):
        if ops["kind"][k] in _ENDS:
            starts.add(k + 1)
            if ops["kind"][k] in (Kind.BRANCH, Kind.CALL):
                starts.add(int(ops["target"][k]))
        if ops["reconverge"][k] > 0:
            starts.add(int(ops["reconverge"][k]))
    cuts = sorted(s for s in starts if 0 <= s <= len(ops))
    yield from itertools.pairwise(cuts)


@functools.lru_cache(maxsize=64)
def _scoreboard(program: Program) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return LoadedProgram(program, program.warp_size, 16).scoreboard()


def _chain(program: Program, machine: dict[str, Any], gap: Any, first: int, last: int) -> int:
    """Cycles from the issue of the first op to where the warp may issue what follows the last."""
    ready: dict[int, int] = {}
    board, now, end, along, width = _scoreboard(program), 0, 0, 1, _together(machine)
    for k in range(first, last):
        op = program.ops[k]
        waits, sets = board[k]
        start = max([now, *(ready.get(entry, 0) for entry in waits)])
        for entry in sets:
            ready[entry] = start + _least_latency(op, machine)
        if gap[k]:
            along = along + 1 if start == now and along < width and k > first else 1
            now = start if along < width else start + int(gap[k])
        end = now
        if op["kind"] in (Kind.BRANCH, Kind.CALL):
            end = max(now, start + int(op["latency"]))
    return end


def _least_latency(op: np.void, machine: dict[str, Any]) -> int:
    """Cycles to the op's result when all goes well; 0 where that is not certain."""
    if op["kind"] in _PLAIN:
        return int(op["latency"])
    if op["kind"] in _MEMORY and op["space"] == Space.SHARED:
        return int(op["latency"]) + int(machine["shared"]["latency_cycles"])
    return 0
