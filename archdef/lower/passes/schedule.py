"""Pass: start loads before the results of earlier ones are used, as an assembler does: PTX has an order, but is no schedule."""
from __future__ import annotations

from heapq import heappop, heappush

from archdef.lower.encoding import WHOLE_WARP, Flag, Kind, Space
from archdef.lower.pressure import demand
from archdef.lower.virtual import PURE, Code, Op, Unit

PENDING_WORDS = (64, 32, 16, 8, 4, 2)
"""Registers that may wait for loads at a time, tried in turn: the most that costs no warp is taken."""
_STAY = Flag.BYPASS_L1 | Flag.YIELD
_WORD = 4


def start_loads_early(code: Code, unit: Unit, addresses: set[int], room: int, architecture, across: bool = False, late: bool = False) -> None:
    """Within straight pieces of loads and pure operations, let what waits for a load come after what does not.

    addresses : registers that are charged as 32-bit pointers.
    room      : registers of a thread that cost nothing; no more are taken, unless the order of the text needs them.
    across    : loads from global memory start before stores to shared memory that stand before them.
    late      : operations that need no load wait while loads that are under way fill the registers allowed.

    Everything else (stores, atomics, ordered loads, barriers, branches, carries) stays where it is, and nothing passes it.
    """
    pieces = [_pieces(block.ops, across) for block in code.blocks]
    if not any(sum(map(_is_load, piece)) > 1 for mine in pieces for piece in mine):
        return
    given = [block.ops for block in code.blocks]
    allowed = max(room, demand(code, unit, addresses, {}, architecture).in_order)
    for words in PENDING_WORDS:
        for block, mine in zip(code.blocks, pieces, strict=True):
            block.ops = [op for piece in mine for op in _ordered(piece, unit, words, late)]
        if demand(code, unit, addresses, {}, architecture).in_order <= allowed:
            return
    for block, ops in zip(code.blocks, given, strict=True):
        block.ops = ops


def _pieces(ops: list[Op], across: bool) -> list[list[Op]]:
    """Cut before and behind what stays."""
    pieces: list[list[Op]] = [[]]
    for op in ops:
        if _movable(op) or across and op.kind == Kind.STORE and op.space == Space.SHARED and op.combine != WHOLE_WARP:
            pieces[-1].append(op)
        else:
            pieces += [op], []
    return pieces


def _movable(op: Op) -> bool:
    return op.kind in PURE and op.kind != Kind.CARRY or _is_load(op)


def _is_load(op: Op) -> bool:
    return op.kind == Kind.LOAD and not op.flags & _STAY and op.combine != WHOLE_WARP and op.space != Space.CONST


def _ordered(ops: list[Op], unit: Unit, most: int, late: bool) -> list[Op]:
    """Order one piece: loads as soon as their addresses are there, what needs a load under way when nothing else is left, the rest as given.

    At most about `most` registers wait for loads at a time; while they do, what needs them goes first if `late` says so.
    """
    if sum(map(_is_load, ops)) < 2:
        return ops
    behind, missing, feeds = _dependences(ops)
    addresses: set[int] = set()               # what loads need and no load gives
    for k in range(len(ops) - 1, -1, -1) if late else ():
        if not _is_load(ops[k]) and any(n in addresses or _is_load(ops[n]) for n in behind[k]):
            addresses.add(k)
    loads: list[int] = []                     # ready, as heaps of indices: loads …
    others: list[int] = []                    # … operations that wait for nothing …
    waiting: list[int] = []                   # … and those that need loads under way, in any order
    under_way: set[int] = set()
    unread: dict[int, int] = {}               # load issued, not used yet → its registers
    pending = 0                               # their sum
    result: list[Op] = []

    def ready(k: int) -> None:
        if not under_way.isdisjoint(feeds[k]):
            waiting.append(k)
        else:
            heappush(loads if _is_load(ops[k]) or k in addresses else others, k)

    for k, count in enumerate(missing):
        if not count:
            ready(k)
    while loads or others or waiting:
        if loads and (pending < most or not others and not waiting):
            k = heappop(loads)
            if k not in addresses:
                under_way.add(k)
                unread[k] = sum(unit.widths[v] for v in ops[k].writes()) // _WORD
                pending += unread[k]
        elif others and not (late and waiting and pending >= most):
            k = heappop(others)
        else:
            # all that is under way counts as there: what needs it goes on in the order given, for that is how its author, or the
            # compiler, interleaved it
            under_way.clear()
            free, waiting = waiting, []
            for k in free:
                ready(k)
            continue
        result.append(ops[k])
        for load in feeds[k]:
            pending -= unread.pop(load, 0)
        for n in behind[k]:
            missing[n] -= 1
            if not missing[n]:
                ready(n)
    return result


def _dependences(ops: list[Op]) -> tuple[list[list[int]], list[int], list[list[int]]]:
    """Give, per op, those that must come behind it, the number of those that must come before it, and the loads whose results it reads."""
    behind: list[list[int]] = [[] for _ in ops]
    missing, feeds = [0] * len(ops), [[] for _ in ops]
    writers: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    store, loads = -1, []                   # of what stores to shared memory may change
    for k, op in enumerate(ops):
        before: set[int] = set()
        if op.kind == Kind.STORE or op.kind == Kind.LOAD and op.space not in (Space.GLOBAL, Space.LOCAL, Space.CONST):
            if store >= 0:
                before.add(store)
            if op.kind == Kind.STORE:
                before.update(loads)
                store, loads = k, []
            else:
                loads.append(k)
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
