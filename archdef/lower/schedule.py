"""Pass: start loads before the results of earlier ones are used, as an assembler does: PTX has an order, but is no schedule."""
from __future__ import annotations

from heapq import heappop, heappush

from archdef.lower.encoding import WHOLE_WARP, Flag, Kind, Space
from archdef.lower.pressure import demand
from archdef.lower.virtual import PURE, Code, Op, Unit

PENDING_WORDS = (64, 32, 16, 8, 4, 2)
"""Registers that may wait for loads at a time, tried in turn: the most that costs no warp is taken."""
_STAY = Flag.BYPASS_L1 | Flag.YIELD
_WORDS = 4


def start_loads_early(code: Code, unit: Unit, addresses: set[int], room: int, architecture) -> None:
    """Within straight pieces of loads and pure operations, let what waits for a load come after what does not.

    addresses : registers that are charged as 32-bit pointers.
    room      : registers of a thread that cost nothing; no more are taken, unless the order of the text needs them.

    Everything else (stores, atomics, ordered loads, barriers, branches, labels, carries) stays where it is, and nothing passes it.
    """
    pieces = _pieces(code.ops)
    if not any(sum(map(_is_load, piece)) > 1 for piece in pieces):
        return
    given = code.ops
    allowed = max(room, demand(code, unit, addresses, {}, architecture).in_order)
    for words in PENDING_WORDS:
        code.ops = [op for piece in pieces for op in _ordered(piece, unit, words)]
        if demand(code, unit, addresses, {}, architecture).in_order <= allowed:
            return
    code.ops = given


def _pieces(ops: list[Op]) -> list[list[Op]]:
    """Cut before and behind what stays."""
    pieces: list[list[Op]] = [[]]
    for op in ops:
        if _movable(op):
            pieces[-1].append(op)
        else:
            pieces += [op], []
    return pieces


def _movable(op: Op) -> bool:
    return op.kind in PURE and op.kind != Kind.CARRY or _is_load(op)


def _is_load(op: Op) -> bool:
    return op.kind == Kind.LOAD and not op.flags & _STAY and op.combine != WHOLE_WARP and op.space != Space.CONST


def _ordered(ops: list[Op], unit: Unit, most: int) -> list[Op]:
    """Order one piece: loads as soon as their addresses are there, what needs a load under way when nothing else is left, the rest as given.

    At most about `most` registers wait for loads at a time.
    """
    if sum(map(_is_load, ops)) < 2:
        return ops
    behind, missing, feeds = _dependences(ops)
    free = sorted((not _is_load(ops[k]), k) for k, count in enumerate(missing) if not count)     # a heap, loads first
    waiting: list[tuple[int, int]] = []       # (number of the latest load needed, index)
    number: dict[int, int] = {}               # load issued → its number
    words: list[int] = []                     # registers of each load issued
    arrived = -1                              # loads up to this number have been waited for
    pending = 0
    result: list[Op] = []
    while free or waiting:
        full = free and not free[0][0] and pending >= most and waiting
        if not free or full:
            latest = waiting[0][0]
            while arrived < latest:
                arrived += 1
                pending -= words[arrived]
            while waiting and waiting[0][0] <= arrived:
                heappush(free, (True, heappop(waiting)[1]))
        k = heappop(free)[1]
        op = ops[k]
        result.append(op)
        if _is_load(op):
            number[k] = len(words)
            words.append(sum(unit.widths[v] for v in op.writes()) // _WORDS)
            pending += words[-1]
        for n in behind[k]:
            missing[n] -= 1
            if not missing[n]:
                latest = max((number[load] for load in feeds[n]), default=-1)
                if latest > arrived:
                    heappush(waiting, (latest, n))
                else:
                    heappush(free, (not _is_load(ops[n]), n))
    return result


def _dependences(ops: list[Op]) -> tuple[list[list[int]], list[int], list[list[int]]]:
    """Give, per op, those that must come behind it, the number of those that must come before it, and the loads whose results it reads."""
    behind: list[list[int]] = [[] for _ in ops]
    missing, feeds = [0] * len(ops), [[] for _ in ops]
    writers: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for k, op in enumerate(ops):
        before: set[int] = set()
        for v in op.reads():
            if v in writers:
                before.add(writers[v])
                if _is_load(ops[writers[v]]):
                    feeds[k].append(writers[v])
        for v in op.writes():
            if v in writers:
                before.add(writers[v])
            before.update(readers.get(v, ()))
        before.discard(k)
        for v in op.reads():
            readers.setdefault(v, []).append(k)
        for v in op.writes():
            writers[v] = k
            readers[v] = []
        for n in before:
            behind[n].append(k)
        missing[k] = len(before)
    return behind, missing, feeds
