"""Pass: order straight code by the latencies of its chains, within the registers allowed, as an assembler does: PTX is no schedule."""
from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from archdef.lower.cost import BROUGHT
from archdef.lower.encoding import WHOLE_WARP, BarrierOp, Flag, Kind, Space
from archdef.lower.def_use import definitions
from archdef.lower.order import Plan
from archdef.lower.pressure import Words, alive_words, next_registers, words
from archdef.lower.virtual import ABSORBED, CARRY, PURE, TRUE, Code, Op, Unit, lives
from archdef_sass.passes.peephole import zero_halves

TRIES = 6
"""Bounds on the registers alive at a time that are tried, each a few below the one before, until a piece needs no more than allowed."""
ACCESSES = 32
"""Stores of a piece that are told apart; the next one comes behind them all, and all others behind it."""
WINDOW = 1024
"""Operations that are ordered together at most."""
_STAY = Flag.BYPASS_L1 | Flag.YIELD
_TOGETHER = frozenset((Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUX))
"""Kinds that lanes execute together: they keep their order among themselves."""
_MEMORY = frozenset((Kind.LOAD, Kind.STORE, Kind.ATOM))
_EVERYWHERE = (Space.GLOBAL, Space.SHARED, Space.LOCAL)


_Latency = Callable[[Op], int]
_Holding = Callable[[Op], tuple[str, float]]
"""Operation → its unit, and the cycles for which one warp's operation holds its scheduler's share of that."""


def list_schedule(code: Code, unit: Unit, addresses: set[int], room: int, architecture) -> None:
    """Order each straight piece of code: always what has the longest way to go, of what could start by now.

    addresses : registers that are charged as 32-bit pointers.
    room      : registers of a thread that cost nothing. Where the order of the text needs all of them, up to the number that is handed out next
                after that: whoever has given up having all warps orders for latency.

    Notes
    -----
    Read off machine code by ptxas 13.0 for compute capability 9.0: arithmetic passes barriers, accesses to memory do not; a comparison stands before
    one where there is nothing else to do, as behind a load, and behind it elsewhere, although the branch then waits for it.
    """
    blocks = _pieces(code)
    kept = code.inputs | code.results | code.foreign | {TRUE, CARRY, unit.stack}
    for piece in (piece for pieces in blocks for piece in pieces):
        _rename(piece, unit, addresses, kept)
    addresses = addresses | zero_halves(code, definitions(code)).keys()       # a half that is 0 needs no register
    text = max(alive_words(code, unit, addresses, architecture), default=0)
    allowed = next_registers(text + code.kept_words if text > room else text, room, architecture)
    sizes = words(unit, addresses, architecture)
    held = _Held(unit, addresses, None)
    latency, holding = _latencies(architecture), _holding(architecture)
    for block, pieces in zip(code.blocks, blocks, strict=True):
        block.ops = [op for piece in pieces
                     for op in (_best(piece, sizes, held, latency, holding, allowed, architecture) if len(piece.ops) > 2 else piece.ops)]


class _Held(Words):
    """The same for the order, to which special registers are values; -1: a predicate."""

    def __missing__(self, v: int) -> int:
        width = self.unit.widths[v]
        size = self[v] = -1 if width == 0 else 0 if v in self.unit.uniform else 2 if width == 8 and v not in self.addresses else 1
        return size


def _best(piece: _Piece, sizes: Mapping[int, int], words: Mapping[int, int], latency: _Latency, holding: _Holding, allowed: int, architecture) -> list[Op]:
    """Order one piece so that it needs no more registers than allowed, or else as few as can be had."""
    best, least = piece.ops, _needed(piece, piece.ops, sizes)
    plan = _planned(piece, words, latency, holding, architecture.isa)
    for attempt in range(TRIES):
        tried = [piece.ops[k] for k in _fastest(plan, len(piece.ops), allowed - attempt * (attempt + 1), architecture.isa.assembler.list_scheduling_windows)]
        need = _needed(piece, tried, sizes)
        if need <= allowed:
            return tried
        if need < least:
            best, least = tried, need
    return best


def _needed(piece: _Piece, order: list[Op], sizes: Mapping[int, int]) -> int:
    """Give the registers that a piece needs in some order."""
    alive = set(piece.alive)
    total = most = sum(sizes[v] for v in alive)
    for op in reversed(order):
        written = set(op.writes())
        most = max(most, total + sum(sizes[v] for v in written - alive))
        if op.guard is None or op.kills:
            total -= sum(sizes[v] for v in written & alive)
            alive -= written
        for v in op.reads():
            if v not in alive:
                alive.add(v)
                total += sizes[v]
    return most


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
    alive: tuple[int, ...] = ()


def _pieces(code: Code) -> list[list[_Piece]]:
    """Cut each block before and behind what stays."""
    blocks: list[list[_Piece]] = []
    ends: dict[int, _Piece] = {}
    for start, block in zip(code.starts(), code.blocks, strict=True):
        pieces = [_Piece([])]
        blocks.append(pieces)
        for k, op in enumerate(block.ops, start):
            if not _movable(op):
                pieces += [_Piece([op]), _Piece([])]
                continue
            if len(pieces[-1].ops) >= WINDOW:
                pieces.append(_Piece([]))
            pieces[-1].ops.append(op)
            if len(pieces[-1].ops) > 2:         # no less can be ordered
                ends.pop(k - 1, None)
                ends[k] = pieces[-1]
    for k, behind in lives(code).walk() if ends else ():
        if k in ends:
            ends[k].alive = tuple(behind)
    return blocks


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
    alive = set(piece.alive)

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
                if last[v] != k or v not in alive and v in first:
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


def _dependences(ops: list[Op], apart: bool, barriers: int) -> tuple[list[dict[int, bool]], list[int]]:
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
        if len(held) > barriers:
            mine.setdefault(held[-1 - barriers], False)
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


def _values(piece: _Piece, words: dict[int, int]) -> dict:
    """Tell the values of registers apart: what each operation reads and makes, by their numbers; the words of each, -1 for a predicate; how many
    operations have not read it yet, what is read behind the piece counting one more; the words and predicates alive before the piece."""
    version: dict[int, int] = {}
    numbers: dict[tuple[int, int], int] = {}            # (register, which of its values) → number
    left: list[int] = []

    def number(v: int) -> int:
        found = numbers.setdefault((v, version.get(v, 0)), len(numbers))
        if found == len(left):
            left.append(0)
        return found

    read, written = [], []
    for op in piece.ops:
        needs = {number(v) for v in op.reads() if v > 1}
        if op.guard is not None and not op.kills:       # the lanes that it leaves alone keep the old value
            needs |= {number(v) for v in op.writes() if v > 1}
        for value in needs:
            left[value] += 1
        read.append(list(needs))
        made = []
        for v in op.writes():
            if v > 1:
                version[v] = version.get(v, 0) + 1
                made.append(number(v))
        written.append(made)
    for v in piece.alive:
        left[number(v)] += 1
    size = [words[v] for v, _ in numbers]
    first = [words[v] for (v, which), value in numbers.items() if which == 0 and left[value]]   # what is not written here is its first value, too
    return {"read": read, "written": written, "size": size, "left": left, "words": sum(size for size in first if size > 0),
            "predicates": first.count(-1)}


def _planned(piece: _Piece, words: dict[int, int], latency: _Latency, holding: _Holding, isa) -> Plan:
    """Make ready to order one piece. That a predicate guards later than it is read is none of the order's business: see the notes of `list_schedule`."""
    ops, assembler = piece.ops, isa.assembler
    behind, missing = _dependences(ops, assembler.loads_pass_shared_stores, assembler.list_scheduling_barriers)
    held = [holding(op) for op in ops]
    units = {name: k for k, name in enumerate(dict.fromkeys(name for name, _ in held))}
    return Plan(
        behind=behind, missing=missing, latency=[latency(op) for op in ops], slots=[max(1, op.times) for op in ops],
        unit=[units[name] for name, _ in held], held=[cycles for _, cycles in held],
        is_load=[op.kind == Kind.LOAD for op in ops], is_memory=[op.kind in _MEMORY for op in ops],
        written_words=[sum(max(0, words[v]) for v in op.writes()) for op in ops], **_values(piece, words),
        patience=assembler.list_scheduling_wait_cycles, operand_read_cycles=assembler.operand_read_cycles, most_predicates=assembler.list_scheduling_predicates)


def _fastest(plan: Plan, count: int, most: int, tried: tuple[int, ...]) -> list[int]:
    """Order one piece with about `most` words alive at a time; where registers are short, by looking as far ahead as makes it shortest."""
    best, cycles, short = plan.order(most, count)
    if short:
        for ahead in tried:
            if ahead < count:
                order, took, _ = plan.order(most, ahead)
                if took < cycles:
                    best, cycles = order, took
    return best
