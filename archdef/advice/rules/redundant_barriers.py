"""Barriers that order nothing: what threads access before and behind them cannot meet.

A barrier orders what threads of the block access between the barriers before it and itself with what they access between itself and the next barriers. Where
one side reaches no memory that the other writes, and writes none that the other reaches, nothing changes without it. That is read off the kernel's code, by the
kind of memory alone: two accesses of global memory, one of which writes, might be of one word. What cannot be known is not advised.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, percent
from archdef.lower.encoding import BarrierOp, Kind, Space

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

NAME: Final = "redundant-barriers"
PLAIN: Final = re.compile(r"(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)?\s+0\s*;?")
"""A barrier of the whole block that gives nothing, and that all warps come to."""
KNOWN: Final = frozenset((Kind.NOP, Kind.ALU, Kind.SETP, Kind.SELP, Kind.PRED, Kind.CARRY, Kind.P2R, Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.BRANCH, Kind.EXIT,
                          Kind.BARRIER, Kind.VOTE, Kind.SHUFFLE, Kind.MATCH, Kind.REDUX, Kind.FENCE))
"""What a kernel may consist of to be looked at: calls, asynchronous copies, textures and the like are left alone."""
_SHARED: Final = frozenset(("shared",))
_GLOBAL: Final = frozenset(("global",))
_MEMORY: Final = {Space.SHARED: _SHARED, Space.GLOBAL: _GLOBAL, Space.GENERIC: _SHARED | _GLOBAL}


def find(run: Run) -> Iterator[Finding]:
    """Find lines all of whose barriers order nothing, and all barriers of blocks of one warp."""
    ops = run.program.ops
    lines = [line for line in run.lines if line.counters.barriers and line.line]
    if not lines or not set(ops["kind"].tolist()) <= KNOWN or run.launches or not _plain(run):
        return
    alone = run.occupancy.warps_per_block == 1 and not run.architecture.warp.reconvergence.independent
    if alone:
        yield from _of_one_warp(run, lines)
        return
    for line in lines:
        at = _barriers(run, line)
        if at and _order_nothing(ops, at):
            yield _finding(run, line, "none of the memory that threads reach before it is written behind it, or the other way round",
                           "leave the barrier out: the barriers around it order all that must be", [line])


def _of_one_warp(run: Run, lines: list[Cost]) -> Iterator[Finding]:
    """Its lanes go together: what one instruction stores, the next finds."""
    most = max(lines, key=lambda line: (line.counters.stalls["barrier"], line.counters.instructions))
    words = run.architecture.words
    yield _finding(run, most, f"a {words.block} has one {words.warp}, whose lanes go together",
                   "write __syncwarp() for the barriers: it keeps the compiler's order and costs nothing here", lines)


def _finding(run: Run, line: Cost, why: str, remedy: str, lines: list[Cost]) -> Finding:
    arrivals = sum(each.counters.barriers for each in lines)
    waits = sum(each.counters.stalls["barrier"] for each in lines)
    part = 100 * waits / max(1, sum(run.counters.stalls.values()))
    words = run.architecture.words
    return Finding(NAME, Supposed("this barrier were not there" if len(lines) == 1 else "these barriers were not there",
                                  without_barriers=frozenset((each.file, each.line) for each in lines), certain=len(lines) == 1),
                   {"arrivals": arrivals, "barrier_stall_percent": part},
                   f"{count(arrivals)} arrivals of {words.warp}s, {percent(part)} of {words.warp} cycles waiting; {why}", remedy, line)


def _of_block(ops: Any) -> list[int]:
    """Give the ops that are barriers of the block, or of more."""
    found: list[int] = np.flatnonzero((ops["kind"] == Kind.BARRIER) & (ops["fn"] != BarrierOp.WARP)).tolist()
    return found


def _plain(run: Run) -> bool:
    """Tell whether all barriers wait for the whole block and do nothing else: those that only some come to end no stretch of code for the others."""
    ops, statements = run.program.ops, run.program.statements
    return all(PLAIN.fullmatch(statements[ops["statement"][k]].text.strip()) and not ops["guard"][k] for k in _of_block(ops))


def _barriers(run: Run, line: Cost) -> list[int]:
    """Give the ops of a line's barriers."""
    ops, statements = run.program.ops, run.program.statements
    return [k for k in _of_block(ops) if run.place(statements[ops["statement"][k]]) == (line.file, line.line)]


def _order_nothing(ops: Any, removed: Sequence[int]) -> bool:
    """Tell whether what is accessed before and behind some barriers, up to those that stay, cannot be in conflict."""
    ahead = _successors(ops)
    behind: list[list[int]] = [[] for _ in ahead]
    for k, following in enumerate(ahead):
        for other in following:
            behind[other].append(k)
    stays = set(_of_block(ops)) - set(removed)
    for k in removed:
        read_before, written_before = _reached(ops, behind, k, stays)
        read_behind, written_behind = _reached(ops, ahead, k, stays)
        if written_before & (read_behind | written_behind) or written_behind & read_before:
            return False
    return True


def _successors(ops: Any) -> list[tuple[int, ...]]:
    """Where control may go behind each op."""
    found: list[tuple[int, ...]] = []
    for k, op in enumerate(ops):
        further = (k + 1,) if k + 1 < len(ops) else ()
        if op["kind"] == Kind.BRANCH:
            found.append((int(op["target"]), *(further if op["guard"] else ())) if op["target"] < len(ops) else further)
        elif op["kind"] == Kind.EXIT and not op["guard"]:
            found.append(())
        else:
            found.append(further)
    return found


def _reached(ops: Any, graph: Sequence[Iterable[int]], start: int, stays: set[int]) -> tuple[frozenset[str], frozenset[str]]:
    """Memory that is read, and that is written, from an op on, up to barriers."""
    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    seen: set[int] = set()
    left = [*graph[start]]
    while left:
        k = left.pop()
        if k in seen or k in stays:
            continue
        seen.add(k)
        left.extend(graph[k])
        kind, memory = ops["kind"][k], _MEMORY.get(ops["space"][k], frozenset())
        if kind == Kind.FENCE:
            memory = _SHARED | _GLOBAL      # it orders accesses for threads that look at them without a barrier
        if kind in (Kind.LOAD, Kind.ATOM, Kind.FENCE):
            read |= memory
        if kind in (Kind.STORE, Kind.ATOM, Kind.FENCE):
            written |= memory
    return read, written


RULE: Final = Rule(NAME, "Barriers that order nothing.", find)
