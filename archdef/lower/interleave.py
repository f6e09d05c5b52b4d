"""Pass: order straight code by the latencies of its chains, within the registers allowed, as an assembler does: PTX is no schedule."""
from __future__ import annotations

from collections.abc import Callable

import attrs

from archdef.lower.absorb import zero_halves
from archdef.lower.cost import BROUGHT
from archdef.lower.encoding import WHOLE_WARP, BarrierOp, Flag, Kind, Space
from archdef.lower.facts import definitions
from archdef.lower.pressure import alive_words, next_registers
from archdef.lower.virtual import ABSORBED, CARRY, PURE, TRUE, Code, Op, Unit, masks, successors
from archdef.ptx.liveness import live_sets

TRIES = 6
"""Bounds on the registers alive at a time that are tried, each a few below the one before, until a piece needs no more than allowed."""
PATIENCE = 12
"""Cycles for which a load with a longer way to go is waited for, once half of the registers are taken."""
AHEAD = (128, 96, 64)
"""Operations that are looked ahead at, tried in turn where registers are short."""
ACCESSES = 32
"""Stores of a piece that are told apart; the next one comes behind them all, and all others behind it."""
BARRIERS = 2
"""Barriers past which an operation comes early at most; so in code by ptxas 13.0 of loops that were unrolled with barriers within."""
WINDOW = 1024
"""Operations that are ordered together at most."""
_STAY = Flag.BYPASS_L1 | Flag.YIELD
_TOGETHER = frozenset((Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUX))
"""Kinds that lanes execute together: they keep their order among themselves."""
_MEMORY = frozenset((Kind.LOAD, Kind.STORE, Kind.ATOM))
_EVERYWHERE = (Space.GLOBAL, Space.SHARED, Space.LOCAL)


_Holding = Callable[[Op], tuple[str, float]]
"""Operation → its unit, and the cycles for which one warp's operation holds its scheduler's share of that."""


def interleave(code: Code, unit: Unit, addresses: set[int], room: int, architecture) -> None:
    """Order each straight piece of code: always what has the longest way to go, of what could start by now.

    addresses : registers that are charged as 32-bit pointers.
    room      : registers of a thread that cost nothing. Where the order of the text needs all of them, up to the number that is handed out next
                after that: whoever has given up having all warps orders for latency.

    Notes
    -----
    Read off machine code by ptxas 13.0 for compute capability 9.0: arithmetic passes barriers, accesses to memory do not; a comparison stands before
    one where there is nothing else to do, as behind a load, and behind it elsewhere, although the branch then waits for it.
    """
    pieces = _pieces(code)
    kept = code.inputs | code.results | code.foreign | {TRUE, CARRY, unit.stack}
    for piece in pieces:
        _rename(piece, unit, addresses, kept)
    addresses = addresses | zero_halves(code, definitions(code)).keys()       # a half that is 0 needs no register
    best = [piece.ops for piece in pieces]

    def needed(orders: list[list[Op]]) -> list[int]:
        """Give the registers that each piece needs in some order."""
        code.ops = [op for order in orders for op in order]
        counts = iter(alive_words(code, unit, addresses, architecture))
        return [max((next(counts) for _ in order), default=0) for order in orders]

    least = needed(best)
    text = max(least)
    allowed = next_registers(text + code.kept_words if text > room else text, room, architecture)
    words = {v: -1 if width == 0 else 0 if v in unit.uniform else 2 if width == 8 and v not in addresses else 1 for v, width in enumerate(unit.widths)}
    latency, holding = _latencies(architecture), _holding(architecture)
    left = range(len(pieces))
    for attempt in range(TRIES):
        most, tried = allowed - attempt * (attempt + 1), list(best)
        for k in left:
            tried[k] = _fastest(pieces[k], words, latency, holding, most, architecture)
        for k, need in enumerate(needed(tried)):
            if k in left and (need <= allowed or need < least[k]):
                best[k], least[k] = tried[k], 0 if need <= allowed else need
        left = [k for k in left if least[k]]
        if not left:
            break
    code.ops = [op for order in best for op in order]


def _latencies(architecture) -> Callable[[Op], int]:
    isa, caches = architecture.isa, architecture.caches
    shared = architecture.shared.latency_cycles
    memory = 10 * (caches.l1.latency_cycles if caches.l1 is not None else shared)      # far more than anything else takes

    def latency(op: Op) -> int:
        cost = isa.operations.get(op.operation)
        own = cost.latency_cycles if cost is not None else 1
        if op.kind == Kind.LOAD and op.flags & Flag.UNIFORM:
            own = caches.constant_uniform.latency_cycles
        elif op.kind == Kind.LOAD:
            own += shared if op.space == Space.SHARED else memory
        return max(1, own)
    return latency


def _holding(architecture) -> _Holding:
    """Give the unit of an operation, and the cycles for which one warp's operation holds its scheduler's share of it."""
    isa, warp = architecture.isa, architecture.warp.size
    brought = isa.cost("move", f":{BROUGHT}")
    shares = {unit.name: (unit.lanes, 1 if unit.scope == "scheduler" else max(1, architecture.schedulers.count / unit.copies)) for unit in architecture.units}

    def holding(op: Op) -> tuple[str, float]:
        cost = brought if op.brought else isa.operations.get(op.operation)
        if cost is None or op.operation == ABSORBED:
            return "", 0
        lanes, share = shares[cost.unit]
        interval = cost.interval_cycles
        if interval is None:
            interval = -(-warp // lanes)
        return cost.unit, max(interval * max(1, cost.issues * op.times), 1) * share
    return holding


@attrs.define
class _Piece:
    """Operations that may change places, and the registers alive behind them."""

    ops: list[Op]
    alive: int = 0


def _pieces(code: Code) -> list[_Piece]:
    """Cut before and behind what stays."""
    alive = live_sets(successors(code.ops), *masks(code)) if code.ops else []
    pieces = [_Piece([])]
    for op, behind in zip(code.ops, alive, strict=True):
        if not _movable(op):
            pieces += [_Piece([op], behind), _Piece([])]
            continue
        if len(pieces[-1].ops) >= WINDOW:
            pieces.append(_Piece([]))
        pieces[-1].ops.append(op)
        pieces[-1].alive = behind
    return pieces


def _rename(piece: _Piece, unit: Unit, addresses: set[int], kept: set[int | None]) -> None:
    """Give each value a register of its own, but the one that is read behind the piece: the text names few registers again and again, which would
    be an order among values that have nothing to do with each other. `kept` registers stay as they are."""
    if len(piece.ops) < 3:
        return
    last: dict[int, int] = {}                  # register → operation that makes its last value
    for k, op in enumerate(piece.ops):
        for v in op.writes():
            if op.guard is None or op.kills:
                last[v] = k
    now: dict[int, int] = {}                   # register → that which holds its value here
    first = {v for op in piece.ops for v in op.reads()}

    def named(v):
        return v if type(v) is not int else now.get(v, v) if v >= 0 else ~now.get(~v, ~v)

    for k, op in enumerate(piece.ops):
        op.s = [named(v) for v in op.s]
        op.guard = named(op.guard)
        for n, v in enumerate(op.d):
            if v is None:
                continue
            if (op.guard is None or op.kills) and v not in kept and v not in unit.specials:
                now[v] = v
                if last[v] != k or not piece.alive >> v & 1 and v in first:
                    now[v] = unit.new(unit.widths[v])
                    for alike in (unit.uniform, addresses):
                        if v in alike:
                            alike.add(now[v])
            op.d[n] = now.get(v, v)


def _movable(op: Op) -> bool:
    if op.kind in _MEMORY:
        return not op.flags & _STAY and op.combine != WHOLE_WARP
    if _holds_block(op):
        return True
    return op.kind in PURE and op.kind != Kind.CARRY or op.kind in _TOGETHER


def _holds_block(op: Op) -> bool:
    """Tell whether an operation is a barrier of the block's threads: accesses stay on their side of it, arithmetic does not."""
    return op.kind == Kind.BARRIER and op.fn <= BarrierOp.RED_OR


_Place = tuple[object, int, int]
"""Where an access is: the value of its base register, and the offsets of its first byte and of that behind its last one."""


def _place(op: Op, writers: dict[int, int]) -> _Place | None:
    """Give the place of a load or store in global memory; None: anywhere."""
    if op.kind not in (Kind.LOAD, Kind.STORE) or not op.s or op.space != Space.GLOBAL:
        return None
    base = op.s[0]
    return (base, writers.get(base, -1)) if isinstance(base, int) else base, op.offset, op.offset + op.element * max(1, op.vec)


def _may_meet(a: _Place | None, b: _Place | None) -> bool:
    """Whether two accesses of a thread may touch a byte in common: not at two offsets from one value of a register."""
    return a is None or b is None or a[0] != b[0] or a[1] < b[2] and b[1] < a[2]


def _dependences(ops: list[Op], apart: bool) -> tuple[list[dict[int, bool]], list[int]]:
    """Give, per op, those that must come behind it and whether they wait for its result, and how many must come before it."""
    before: list[dict[int, bool]] = []
    writers: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    stored: dict[int, list[tuple[int, _Place | None]]] = {}
    loaded: dict[int, list[tuple[int, _Place | None]]] = {}
    together, held = -1, []
    for k, op in enumerate(ops):
        mine: dict[int, bool] = {}
        for v in op.reads():
            if v in writers:
                mine[writers[v]] = True
        for v in op.writes():
            if v in writers:
                mine.setdefault(writers[v], op.guard is not None)
            for reader in readers.get(v, ()):
                mine.setdefault(reader, False)
        holds = _holds_block(op)
        if holds or op.kind in _MEMORY and op.space != Space.CONST and not (op.flags & Flag.READ_ONLY and op.space == Space.GLOBAL):
            place = _place(op, writers)
            for space in (op.space,) if apart and op.space in _EVERYWHERE and not holds else _EVERYWHERE:
                stores, loads = stored.setdefault(space, []), loaded.setdefault(space, [])
                fence = op.kind != Kind.LOAD and len(stores) >= ACCESSES
                for n, other in stores if op.kind == Kind.LOAD else (*stores, *loads):
                    if fence or _may_meet(place, other):
                        mine.setdefault(n, False)
                if fence:
                    stores.clear()
                    loads.clear()
                (loads if op.kind == Kind.LOAD else stores).append((k, None if fence else place))
        if holds or op.kind in _TOGETHER:
            if together >= 0:
                mine.setdefault(together, False)
            together = k
        if len(held) > BARRIERS:
            mine.setdefault(held[-1 - BARRIERS], False)
        if holds:
            held.append(k)
        mine.pop(k, None)
        for v in op.reads():
            readers.setdefault(v, []).append(k)
        for v in op.writes():
            writers[v], readers[v] = k, []
        before.append(mine)
    behind: list[dict[int, bool]] = [{} for _ in ops]
    for k, mine in enumerate(before):
        for n, waits in mine.items():
            behind[n][k] = waits
    return behind, [len(mine) for mine in before]


@attrs.define
class _Live:
    """What is alive at a place of a piece that is being ordered: registers, in words, and predicates."""

    words: dict[int, int]
    """Register → its words; -1: it is a predicate."""
    now: int
    predicates: int
    left: dict[tuple[int, int], int]
    """(register, which of its values) → operations that have not read it yet; what is read behind the piece counts one more."""
    read: list[list[tuple[int, int]]]
    written: list[list[tuple[int, int]]]

    def growth(self, k: int) -> tuple[int, int]:
        """By how much operation `k` adds to the words and to the predicates that are alive."""
        words = predicates = 0
        for values, sign in ((self.read[k], -1), (self.written[k], 1)):
            for value in values:
                left = self.left.get(value, 0)
                if left == 1 if sign < 0 else left:
                    size = self.words[value[0]]
                    words += sign * max(0, size)
                    predicates += sign * (size < 0)
        return words, predicates

    def take(self, k: int) -> None:
        """Issue operation `k`."""
        words, predicates = self.growth(k)
        self.now += words
        self.predicates += predicates
        for value in self.read[k]:
            self.left[value] -= 1


def _values(piece: _Piece, words: dict[int, int]) -> _Live:
    """Tell the values of registers apart, and who reads them."""
    version: dict[int, int] = {}
    left: dict[tuple[int, int], int] = {}
    read, written = [], []
    for op in piece.ops:
        needs = {(v, version.get(v, 0)) for v in op.reads() if v > 1}
        if op.guard is not None and not op.kills:       # the lanes that it leaves alone keep the old value
            needs |= {(v, version.get(v, 0)) for v in op.writes() if v > 1}
        for value in needs:
            left[value] = left.get(value, 0) + 1
        read.append(list(needs))
        made = []
        for v in op.writes():
            if v > 1:
                version[v] = version.get(v, 0) + 1
                made.append((v, version[v]))
        written.append(made)
    behind = [v for v in range(piece.alive.bit_length()) if piece.alive >> v & 1]
    for v in behind:
        value = v, version.get(v, 0)
        left[value] = left.get(value, 0) + 1
    first = [words[v] for v, which in left if which == 0]       # what is not written here is its first value, too
    return _Live(words, sum(size for size in first if size > 0), first.count(-1), left, read, written)


def _fastest(piece: _Piece, words: dict[int, int], latency: Callable[[Op], int], holding: _Holding, most: int, architecture) -> list[Op]:
    """Order one piece; where registers are short, by looking as far ahead as makes it shortest."""
    best, cycles, short = _ordered(piece, words, latency, holding, most, architecture.isa, len(piece.ops))
    if short:
        for ahead in AHEAD:
            if ahead < len(piece.ops):
                order, took, _ = _ordered(piece, words, latency, holding, most, architecture.isa, ahead)
                if took < cycles:
                    best, cycles = order, took
    return best


def _ordered(piece: _Piece, words: dict[int, int], latency: Callable[[Op], int], holding: _Holding, most: int, isa,
             ahead: int) -> tuple[list[Op], int, bool]:
    """Order one piece, with about `most` words alive at a time. Looks at the `ahead` operations
    from the first on that has not had its turn. Gives the cycles it takes, too, and whether registers were short."""
    ops, assembler = piece.ops, isa.assembler
    if len(ops) < 3:
        return ops, 0, False
    behind, missing = _dependences(ops, assembler.loads_pass_shared_stores)
    times = [latency(op) for op in ops]

    def lag(k: int, waits: bool) -> int:
        """Cycles from operation `k` to one behind it. That a predicate guards later than it is read is none of the order's business: see the notes of
        `interleave`."""
        return times[k] if waits else 1

    way = [0] * len(ops)                       # cycles from the start of an operation to the end of the piece
    for k in range(len(ops) - 1, -1, -1):
        way[k] = max((way[n] + lag(k, waits) for n, waits in behind[k].items()), default=times[k])
    leads = [op.kind == Kind.LOAD for op in ops]        # loads, and what goes into an address
    for k in range(len(ops) - 1, -1, -1):
        leads[k] = leads[k] or any(waits and leads[n] for n, waits in behind[k].items())
    live = _values(piece, words)
    start = [0] * len(ops)                     # cycle in which its operands are there
    held = [holding(op) for op in ops]
    unit_free: dict[str, float] = {}           # unit → cycle from which on it takes the next operation
    free = [k for k, count in enumerate(missing) if not count]
    now, result, ran_short = 0, [], False
    late: list[tuple[float, int]] = []         # cycle in which an access has read its operands, and the words that are free then
    done, oldest = [False] * len(ops), 0
    while free:
        while done[oldest]:
            oldest += 1
        while late and late[0][0] <= now:      # what reads memory has read its operands
            live.now -= late.pop(0)[1]
        seen = [k for k in free if k < oldest + ahead]
        growth = {k: live.growth(k) for k in seen}
        room = most - live.now
        short = {k for k, (more, _) in growth.items() if more > 0 and more > room}
        ran_short = ran_short or bool(short)
        fitting = [k for k in seen if k not in short and (growth[k][1] <= 0 or live.predicates + growth[k][1] <= assembler.interleaved_predicates)]
        if short:
            # loads with a longer way to go get the next registers: nothing that leads to others takes them away one by one
            kept = max((way[k] for k in short if leads[k] and start[k] <= now), default=0)
            fitting = [k for k in fitting if growth[k][0] <= 0 or not leads[k] or way[k] >= kept] or fitting
        # short of registers: rather wait for those than do what comes later still
        if late and short and (not fitting or min(max(start[k], unit_free.get(held[k][0], 0)) for k in fitting) > max(now, late[0][0])):
            now = max(now, late[0][0])
            continue
        if fitting:
            k = min(fitting, key=lambda k: (max(start[k] - now, unit_free.get(held[k][0], 0) - now, 0), -way[k], k))
            if ops[k].kind == Kind.LOAD and 2 * live.now > most:        # registers are for the loads that are wanted first
                k = min((n for n in fitting if n == k or ops[n].kind == Kind.LOAD and start[n] - now <= PATIENCE), key=lambda k: (-way[k], k))
        else:
            k = min(seen)
        free.remove(k)
        done[k] = True
        before = live.now
        live.take(k)
        result.append(ops[k])
        now = max(now, start[k], unit_free.get(held[k][0], 0))
        if assembler.operand_read_cycles and ops[k].kind in _MEMORY:
            freed = sum(max(0, words[v]) for v in ops[k].writes()) - (live.now - before)
            if freed > 0:
                live.now += freed
                late.append((now + assembler.operand_read_cycles, freed))
        unit_free[held[k][0]] = now + held[k][1]
        for n, waits in behind[k].items():
            start[n] = max(start[n], now + lag(k, waits))
            missing[n] -= 1
            if not missing[n]:
                free.append(n)
        now += max(1, ops[k].times)
    return result, now, ran_short
