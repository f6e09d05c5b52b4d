"""Private memory: values that the register budget has no room for live in the thread's local memory.

A spilled value is stored where it is computed and loaded where it is used, by ordinary accesses to local memory, which cost what such
accesses cost. Spilled are the values that are cheapest to keep there, counting the accesses by the depth of the loops around them, for
the places that they relieve. A value that has just been loaded or computed stays in its register for the next use of the same basic
block, and loads stand as far before their use, as long as there is room.

Kernels that fit are not touched. What is counted is the demand in the order of the text, as in `archdef.lower.pressure`: its answer for
the order of data flow gives way to the budget anyway.
"""
from __future__ import annotations

import heapq
from collections.abc import Iterable

import attrs
import numpy as np

from archdef.lower.calls import Calls
from archdef.lower.encoding import Kind, Space
from archdef.lower.pressure import Demand
from archdef.lower.virtual import CARRY, TRUE, Code, Op, Unit, immediate, masks, successors
from archdef.occupancy import blocks_allowed
from archdef.ptx.liveness import live_sets

_ROUNDS = 60
"""Values are chosen, code is rewritten and counted anew, at most so often."""
_DEEPEST = 6
_PER_LOOP = 8
"""A loop is taken to go round so often."""
_CALLS = (Kind.CALL, Kind.CALL_INDIRECT)
_FIXED = (Kind.LABEL, Kind.BRANCH, Kind.BRANCH_INDEXED, *_CALLS)
_AHEAD = 32
"""Ops by which a load is moved up, at most."""


@attrs.define
class Spills:
    """What was spilled so far, of the whole program."""

    start: int
    """First byte of local memory behind the kernel's variables."""
    bytes: int = 0
    """Local memory per thread that spilled values take."""
    registers: int = 0
    """Registers that the kernel needed beyond its budget before anything was spilled."""
    store_bytes: int = 0
    """Bytes that the stores write, each op counted once."""
    load_bytes: int = 0

    def room(self, width: int) -> int:
        """Take a slot, and give its local address."""
        self.bytes = -(-self.bytes // width) * width + width
        return self.start + self.bytes - width


def budget(directives: dict[str, tuple[int, ...]], architecture) -> int | None:
    """Give the registers per thread that the author asked for, by ``.maxnreg`` or by blocks that shall be resident at once; None if
    nobody did.
    """
    found = list(directives.get("maxnreg", ()))
    threads = directives.get("reqntid") or directives.get("maxntid")
    blocks = directives.get("minnctapersm", (0,))[0]
    if threads and blocks:
        limits, product = architecture.limits, 1
        for n in threads:
            product *= max(1, n)
        fitting = [r for r in range(1, limits.registers_per_thread + 1)
                   if blocks_allowed(limits, architecture.warp.size, threads=product, registers=r, shared_bytes=0)["registers"] >= blocks]
        if fitting:
            found.append(fitting[-1])
    return max(1, min(found)) if found else None


def spill(code: Code, unit: Unit, calls: Calls, addresses: set[int], of_callee: dict[str, Demand], reserved: int | None, most: int,
          spills: Spills) -> None:
    """Rewrite a function until no more than `most` registers are alive at once, as far as that can be had.

    addresses : registers that are charged as 32-bit pointers; those of reloaded pointers are added.
    reserved  : a register that takes none, or None.

    A function that can be active more than once keeps its registers: they have no one place in memory.
    """
    if code.function.name in calls.circles:
        return
    short: set[int] = set()  # made here: alive too briefly to be spilled again
    for _ in range(_ROUNDS):
        counted = _Counted(code, unit, addresses, of_callee, reserved)
        excess = max(counted.counts, default=0) - most
        if excess <= 0:
            break
        spills.registers = max(spills.registers, excess)
        chosen = _choose(code, unit, counted, most, short)
        if not chosen:
            break
        _rewrite(code, unit, counted, chosen, most, short, addresses, spills)
    _forget_unread(code, spills)
    _load_early(code, _Counted(code, unit, addresses, of_callee, reserved), most)


@attrs.define
class _Counted:
    """What is alive behind each op, and how many registers that takes."""

    code: Code
    unit: Unit
    addresses: set[int]
    of_callee: dict[str, Demand]
    reserved: int | None
    behind: list[int] = attrs.Factory(list)
    counts: list[int] = attrs.Factory(list)

    def __attrs_post_init__(self):
        uses, defs = masks(self.code)
        ones = twos = 0
        for v in range(len(self.unit.widths)):
            size = self.size(v)
            ones |= (size == 1) << v
            twos |= (size == 2) << v
        for op, alive in zip(self.code.ops, live_sets(successors(self.code.ops), uses, defs)):
            for v in op.d:
                if v is not None:
                    alive |= 1 << v
            callees = (op.target,) if op.kind == Kind.CALL else op.target if op.kind == Kind.CALL_INDIRECT else ()
            beside = max((self.of_callee[name].in_order for name in callees if name in self.of_callee), default=0)
            self.behind.append(alive)
            self.counts.append((alive & ones).bit_count() + 2 * (alive & twos).bit_count() + beside)

    def size(self, v: int) -> int:
        """Give the registers that a value takes."""
        width = self.unit.widths[v]
        if not width or v in self.unit.specials or v == self.reserved:
            return 0
        return 2 if width == 8 and v not in self.addresses else 1


def _depths(ops: list[Op]) -> list[int]:
    """Give, per op, how many loops are around it: a branch back closes one, of all that stands between."""
    change = [0] * (len(ops) + 1)
    for k, targets in enumerate(successors(ops)):
        for t in targets:
            if t <= k:
                change[t] += 1
                change[k + 1] -= 1
    depths, depth = [], 0
    for k in range(len(ops)):
        depth += change[k]
        depths.append(min(depth, _DEEPEST))
    return depths


def _choose(code: Code, unit: Unit, counted: _Counted, most: int, short: set[int]) -> dict[int, int]:
    """Choose values, each with the places at which it is alive, as a bit mask; none if nothing would help."""
    kept = code.inputs | code.results | code.foreign | short | {TRUE, CARRY}
    if unit.stack is not None:
        kept |= {unit.stack}
    weights = [_PER_LOOP ** depth for depth in _depths(code.ops)]
    cost: dict[int, int] = {}
    at_once: dict[int, int] = {}  # places at which a value is written: nothing is won there
    for place, op in enumerate(code.ops):
        for v in {*op.reads(), *op.writes()}:
            cost[v] = cost.get(v, 0) + weights[place] * ((v in op.d) + any(v == s for s in op.s))
        for v in op.writes():
            at_once[v] = at_once.get(v, 0) | 1 << place
            if op.guard is not None and unit.widths[v] == 0 and op.guard in (v, ~v):
                kept |= set(op.writes())  # its guard says something else behind it
    over = np.array(counted.counts, np.int64) - most
    places = _mask(over > 0)
    helps = {v: alive & places & ~at_once.get(v, 0) for v, alive in _alive_at(counted.behind, cost.keys() - kept).items() if counted.size(v)}
    chosen: dict[int, bool] = {}

    def price(v: int, relieved: int) -> float:
        return cost[v] * unit.widths[v] / (relieved.bit_count() * counted.size(v))

    offers = [(price(v, relieved), v) for v, relieved in helps.items() if relieved]
    heapq.heapify(offers)
    while places and offers:
        offered, v = heapq.heappop(offers)
        relieved = helps[v] & places
        if not relieved:
            continue
        if (now := price(v, relieved)) > offered:   # others have relieved some of its places; a price only ever rises
            heapq.heappush(offers, (now, v))
            continue
        chosen[v] = True
        at = _places(relieved, len(over))
        over[at] -= counted.size(v)
        places &= _mask(over > 0)
    return _alive_at(counted.behind, chosen)


def _alive_at(behind: list[int], values: Iterable[int]) -> dict[int, int]:
    """Turn masks of values, one for each place, into masks of places, one for each value."""
    length = max((mask.bit_length() for mask in behind), default=0) // 8 + 1
    table = np.frombuffer(b"".join(mask.to_bytes(length, "little") for mask in behind), np.uint8).reshape(len(behind), length)
    return {v: _mask(table[:, v >> 3] >> (v & 7) & 1) if v >> 3 < length else 0 for v in values}


def _mask(flags: np.ndarray) -> int:
    """Give the bit mask of flags."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _places(mask: int, count: int) -> np.ndarray:
    """Give the numbers of the bits that are set, of so many."""
    return np.flatnonzero(np.unpackbits(np.frombuffer(mask.to_bytes(count // 8 + 1, "little"), np.uint8), bitorder="little"))


def _slots(chosen: dict[int, int], unit: Unit, spills: Spills) -> dict[int, int]:
    """Give each value a local address; values that are never alive together share one."""
    taken: list[list[int]] = []  # width, address, places
    found = {}
    for v in sorted(chosen, key=lambda v: (-unit.widths[v], v)):
        width = unit.widths[v]
        slot = next((s for s in taken if s[0] == width and not s[2] & chosen[v]), None)
        if slot is None:
            slot = [width, spills.room(width), 0]
            taken.append(slot)
        slot[2] |= chosen[v]
        found[v] = slot[1]
    return found


def _rewrite(code: Code, unit: Unit, counted: _Counted, chosen: dict[int, int], most: int, short: set[int], addresses: set[int],
             spills: Spills) -> None:
    slots = _slots(chosen, unit, spills)
    room = most - np.array(counted.counts, np.int64)
    for v, places in chosen.items():
        room[_places(places, len(room))] += counted.size(v)
    made: list[Op] = []
    have: dict[int, tuple[int, int]] = {}  # value → register that holds it, place from which on

    def fresh(v: int) -> int:
        register = unit.new(unit.widths[v])
        short.add(register)
        if v in addresses:
            addresses.add(register)
        return register

    def access(kind: int, v: int, register: int, op: Op) -> Op:
        width = unit.widths[v]
        loads = kind == Kind.LOAD
        return Op(kind, 0, [register] if loads else [], [immediate(slots[v])] if loads else [immediate(slots[v]), register],
                  "load_local" if loads else "store_local", statement=op.statement, width=width, space=Space.LOCAL, element=width, vec=1,
                  spill=True)

    for place, op in enumerate(code.ops):
        if op.kind == Kind.LABEL or op.kind in _CALLS:
            have.clear()
        read = dict.fromkeys(s for s in op.s if type(s) is int and s in chosen)
        written = dict.fromkeys(v for v in op.d if v in chosen)
        if op.guard is not None and not op.kills and written:
            if all(v is None or v in chosen and v not in read for v in op.d):
                op.kills = True     # what the guard leaves out is in memory, and no register needs to have it
            else:
                read.update(written)
        now: dict[int, int] = {}
        for v in read:
            register, since = have.pop(v, (None, 0))
            if register is not None and (room[since:place] >= counted.size(v)).all():
                room[since:place] -= counted.size(v)
            else:
                register = fresh(v)
                made.append(access(Kind.LOAD, v, register, op))
                if place:
                    room[place - 1] -= counted.size(v)
            now[v] = register
            have[v] = register, place
        for v in written:
            if v not in now:
                now[v] = fresh(v)
                have.pop(v, None)
            room[place] -= counted.size(v)
            if op.guard is None or v in read:   # else lanes that the guard leaves out have their value in memory alone
                have[v] = now[v], place + 1
        if now:
            op.s = [now.get(s, s) if type(s) is int else s for s in op.s]
            op.d = [now.get(v, v) for v in op.d]
        made.append(op)
        for v in written:
            store = access(Kind.STORE, v, now[v], op)
            store.guard = op.guard
            made.append(store)
    code.ops = made


def _forget_unread(code: Code, spills: Spills) -> None:
    """Drop stores whose value stayed in a register for all its uses, and add up what is left."""
    loaded = {op.s[0].value for op in code.ops if op.spill and op.kind == Kind.LOAD}
    code.ops = [op for op in code.ops if not (op.spill and op.kind == Kind.STORE and op.s[0].value not in loaded)]
    spills.load_bytes += sum(op.width for op in code.ops if op.spill and op.kind == Kind.LOAD)
    spills.store_bytes += sum(op.width for op in code.ops if op.spill and op.kind == Kind.STORE)


def _load_early(code: Code, counted: _Counted, most: int) -> None:
    """Move loads up into room that is left, so that their latency passes while other ops go on."""
    ops, counts = code.ops, counted.counts
    for place, op in enumerate(ops):
        if not (op.spill and op.kind == Kind.LOAD):
            continue
        at, register, slot = place, op.d[0], op.s[0]
        size = counted.size(register)
        while at > max(1, place - _AHEAD):
            above = ops[at - 1]
            if (max(counts[at - 2:at]) + size > most or above.kind in _FIXED or above.spill and (above.kind == Kind.LOAD or above.s[0] == slot)
                    or register in above.d or register in above.reads()):
                break
            at -= 1
        if at < place:
            ops.insert(at, ops.pop(place))
            # behind the load is now what was behind the op above it, and the value; all that it passed has the value too
            counts.insert(at, counts[at - 1] + size)
            counts.pop(place + 1)
            for k in range(at + 1, place + 1):
                counts[k] += size
