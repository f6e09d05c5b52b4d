"""Private memory: values that the register budget has no room for live in the thread's local memory.

A spilled value is stored where it is computed and loaded where it is used, by ordinary accesses to local memory, which cost what such
accesses cost. Spilled are the values that are cheapest to keep there, counting the accesses by the depth of the loops around them, for
the places that they relieve. A value that has just been loaded or computed stays in its register for the next use of the same basic
block, and loads stand as far before their use, as long as there is room.

Kernels that fit are not touched. What is counted is the demand in the order of the text, as in `archdef.lower.pressure`: its answer for
the order of data flow gives way to the budget anyway.
"""
from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Set
from heapq import heappop, heappush

import attrs
import numpy as np

from archdef.lower.calls import Calls
from archdef.lower.encoding import Kind, Space
from archdef.lower.pressure import Demand
from archdef.lower.virtual import CARRY, TRUE, Code, Op, Unit, immediate, lives, successors
from archdef.ptx.liveness import Lives

_ROUNDS = 60
"""Values are chosen, code is rewritten and counted anew, at most so often."""
_DEEPEST = 6
_PER_LOOP = 8
"""A loop is taken to go round so often."""
_OFFERS = 1024
"""Values that one is chosen from at a time; of so many times more, so many are."""
_CALLS = (Kind.CALL, Kind.CALL_INDIRECT)
_FIXED = (Kind.BRANCH, Kind.BRANCH_INDEXED, *_CALLS)
_AHEAD = 32
"""Ops by which a load is moved up, at most."""
_ARRIVAL = Op(Kind.NOP)
"""Stands where control comes to a block from elsewhere."""


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


class _Sizes(dict[int, int]):
    """Register → the registers that it takes, found out when it is asked for."""

    def __init__(self, size: Callable[[int], int]):
        super().__init__()
        self.size = size

    def __missing__(self, v: int) -> int:
        found = self[v] = self.size(v)
        return found


@attrs.define
class _Counted:
    """What is alive behind each op, and how many registers that takes."""

    code: Code
    unit: Unit
    addresses: set[int]
    of_callee: dict[str, Demand]
    reserved: int | None
    places: list[Op] = None
    """The operations, and where control comes to a block from elsewhere, `_ARRIVAL`: values that are alive there take room, too."""
    lives: Lives = None
    counts: list[int] = None

    def __attrs_post_init__(self):
        self.places = ops = [one for block in self.code.blocks for one in ((_ARRIVAL, *block.ops) if block.name is not None else block.ops)]
        self.lives = lives(self.code, arrivals=True)
        self.counts = self.lives.sums(_Sizes(self.size), [tuple(op.writes()) for op in ops],
                                      {k for k, op in enumerate(ops) if op.kind in _CALLS})
        for k, op in enumerate(ops):
            callees = (op.target,) if op.kind == Kind.CALL else op.target if op.kind == Kind.CALL_INDIRECT else ()
            self.counts[k] += max((self.of_callee[name].in_order for name in callees if name in self.of_callee), default=0)

    def size(self, v: int) -> int:
        """Give the registers that a value takes."""
        width = self.unit.widths[v]
        if not width or v in self.unit.specials or v == self.reserved:
            return 0
        return 2 if width == 8 and v not in self.addresses else 1

    def spans(self, values: Set[int]) -> dict[int, list[range]]:
        """Give the places behind which each of some values is alive, or that write it, in order."""
        found: dict[int, list[range]] = {v: [] for v in values}
        until: dict[int, int] = {}      # value that is alive → first place behind its span
        starts = {block[0]: block[-1] + 1 for block in self.lives.blocks}
        ends = {end - 1 for end in starts.values()}
        for k, behind in self.lives.walk():
            if k in ends:
                until = dict.fromkeys(values & behind, k + 1)
            for v in self.places[k].writes():
                if v in values and v not in behind:
                    found[v].append(range(k, k + 1))
            for v in self.lives.defs[k]:
                if v in until:
                    found[v].append(range(k, until.pop(v)))
            for v in (until if k in starts else ()):
                found[v].append(range(k, until[v]))
            for v in self.lives.uses[k]:
                if v in values:
                    until.setdefault(v, k)
        return {v: sorted(spans, key=lambda span: span.start) for v, spans in found.items()}


def _depths(code: Code, count: int) -> list[int]:
    """Give, per place, how many loops are around it: a branch back closes one, of all that stands between."""
    change = [0] * (count + 1)
    for k, targets in enumerate(successors(code, arrivals=True)):
        for t in targets:
            if t <= k:
                change[t] += 1
                change[k + 1] -= 1
    depths, depth = [], 0
    for k in range(count):
        depth += change[k]
        depths.append(min(depth, _DEEPEST))
    return depths


def _choose(code: Code, unit: Unit, counted: _Counted, most: int, short: set[int]) -> dict[int, list[range]]:
    """Choose values, each with the places at which it is alive; none if nothing would help."""
    kept = code.inputs | code.results | code.foreign | short | {TRUE, CARRY}
    if unit.stack is not None:
        kept |= {unit.stack}
    weights = [_PER_LOOP ** depth for depth in _depths(code, len(counted.places))]
    cost: dict[int, int] = {}
    written: dict[int, list[int]] = {}  # places at which a value is written: nothing is won there
    for place, op in enumerate(counted.places):
        for v in {*op.reads(), *op.writes()}:
            cost[v] = cost.get(v, 0) + weights[place] * ((v in op.d) + any(v == s for s in op.s))
        for v in set(op.writes()):
            written.setdefault(v, []).append(place)
            if op.guard is not None and unit.widths[v] == 0 and op.guard in (v, ~v):
                kept |= set(op.writes())  # its guard says something else behind it
    alive = counted.spans({v for v in cost.keys() - kept if counted.size(v)})
    offers = _Offers(alive, written, np.array(counted.counts, np.int64) - most, {v: (cost[v] * unit.widths[v], counted.size(v)) for v in alive})
    chosen = []
    while taken := offers.cheapest():
        chosen += taken
        for v in taken:
            offers.take(v)
    return {v: alive[v] for v in chosen}


class _Offers:
    """What each place that a value relieves costs, for all values at once: every one that is taken changes the price of many.

    alive   : per value, the places at which it is alive.
    written : per value, the places at which it is written, where nothing is won.
    over    : array of int, per place, the registers that are too many there.
    costs   : per value, what all its accesses cost, and the registers that it takes.
    """

    def __init__(self, alive: dict[int, list[range]], written: dict[int, list[int]], over: np.ndarray, costs: dict[int, tuple[int, int]]):
        tight = np.flatnonzero(over > 0)        # the only places that count, as nothing is added to any
        self.over = over[tight]
        self.values = sorted(alive)
        spans = [(k, span.start, span.stop) for k, v in enumerate(self.values) for span in alive[v]]
        self.owners, starts, ends = np.array(spans, np.int64).reshape(-1, 3).T
        self.starts, self.ends = np.searchsorted(tight, starts), np.searchsorted(tight, ends)
        self.first_span = np.searchsorted(self.owners, np.arange(len(self.values) + 1))
        writes = np.array([(k, place) for k, v in enumerate(self.values) for place in written.get(v, ()) if over[place] > 0], np.int64)
        self.writers, places = writes.reshape(-1, 2).T
        self.writes = np.searchsorted(tight, places)
        self.first_write = np.searchsorted(self.writers, np.arange(len(self.values) + 1))
        self.costs, self.sizes = np.array([costs[v] for v in self.values], float).reshape(-1, 2).T
        self.left = np.ones(len(self.values), bool)

    def cheapest(self) -> list[int]:
        """Give the value that costs least for what it relieves, of equal ones the one with the lowest number; none if none relieves any place.

        Of very many values a few are taken at a time, as each look at the offers goes through all of them.
        """
        count, above = len(self.values), self.over > 0
        before = np.concatenate(([0], np.cumsum(above)))
        relieved = (np.bincount(self.owners, before[self.ends] - before[self.starts], count)
                    - np.bincount(self.writers, above[self.writes], count))
        offered = np.flatnonzero(self.left & (relieved > 0))
        if not len(offered):
            return []
        prices, at_a_time = self.costs[offered] / (relieved[offered] * self.sizes[offered]), 1 + len(offered) // _OFFERS
        best = [np.argmin(prices)] if at_a_time == 1 else np.argsort(prices, kind="stable")[:at_a_time]
        return [self.values[k] for k in offered[best]]

    def take(self, v: int) -> None:
        """Let a value relieve its places."""
        k = bisect_left(self.values, v)
        self.left[k] = False
        writes = self.writes[self.first_write[k]:self.first_write[k + 1]]
        spared = self.over[writes]
        for at in range(self.first_span[k], self.first_span[k + 1]):
            part = self.over[self.starts[at]:self.ends[at]]
            part[part > 0] -= int(self.sizes[k])
        self.over[writes] = spared


def _slots(chosen: dict[int, list[range]], unit: Unit, spills: Spills) -> dict[int, int]:
    """Give each value a local address; values that are never alive together share one.

    In the order in which they come alive each takes the first slot of its width that is free for as long as it needs it. Only slots that are
    free where it comes alive are asked, so that thousands of values that are all alive together cost no more than a look each.
    """
    starts = sorted({span.start for spans in chosen.values() for span in spans})
    found = {}
    for width in sorted({unit.widths[v] for v in chosen}, reverse=True):
        slots = _Slots(starts)
        for v in sorted((v for v in chosen if unit.widths[v] == width), key=lambda v: (chosen[v][0].start if chosen[v] else 0, v)):
            at = slots.take(chosen[v])
            if at == len(slots.addresses):
                slots.addresses.append(spills.room(width))
            found[v] = slots.addresses[at]
    return found


class _Slots:
    """Slots of one width, which are taken at places that never go back."""

    def __init__(self, starts: list[int]):
        self.starts = starts
        self.addresses: list[int] = []
        self.taken: list[int] = []          # as bits the starts within what is taken: of two spans that meet, one has the other's start
        self.free: list[int] = []           # heap of the slots that may be free here
        self.ends: list[tuple[int, int]] = []       # heap of what ends, and of which slot

    def take(self, spans: list[range]) -> int:
        """Give the slot for a value that is alive in some spans; it may be a new one."""
        wanted, passed, chosen = 0, [], len(self.taken)
        for span in spans:
            wanted |= (1 << bisect_left(self.starts, span.stop)) - (1 << bisect_left(self.starts, span.start))
        here = wanted & -wanted
        while self.ends and spans and self.ends[0][0] <= spans[0].start:
            heappush(self.free, heappop(self.ends)[1])
        while self.free:
            slot = heappop(self.free)
            if not self.taken[slot] & wanted:
                chosen = slot
                break
            if not self.taken[slot] & here:     # else another span is under way, at whose end it comes back
                passed.append(slot)
        for slot in passed:
            heappush(self.free, slot)
        if chosen == len(self.taken):
            self.taken.append(0)
        self.taken[chosen] |= wanted
        for span in spans:
            heappush(self.ends, (span.stop, chosen))
        return chosen


def _rewrite(code: Code, unit: Unit, counted: _Counted, chosen: dict[int, list[range]], most: int, short: set[int], addresses: set[int],
             spills: Spills) -> None:
    slots = _slots(chosen, unit, spills)
    room = most - np.array(counted.counts, np.int64)
    for v, spans in chosen.items():
        for span in spans:
            room[span.start:span.stop] += counted.size(v)
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

    instead: dict[int, list[Op]] = {}
    for place, op in enumerate(counted.places):
        made: list[Op] = []
        if op is _ARRIVAL or op.kind in _CALLS:
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
        instead[id(op)] = made
    code.replace(lambda op: instead[id(op)])


def _forget_unread(code: Code, spills: Spills) -> None:
    """Drop stores whose value stayed in a register for all its uses, and add up what is left."""
    loaded = {op.s[0].value for op in code.ops if op.spill and op.kind == Kind.LOAD}
    code.replace(lambda op: () if op.spill and op.kind == Kind.STORE and op.s[0].value not in loaded else (op,))
    ops = code.ops
    spills.load_bytes += sum(op.width for op in ops if op.spill and op.kind == Kind.LOAD)
    spills.store_bytes += sum(op.width for op in ops if op.spill and op.kind == Kind.STORE)


def _load_early(code: Code, counted: _Counted, most: int) -> None:
    """Move loads up into room that is left, so that their latency passes while other ops go on."""
    ops, counts = counted.places, counted.counts
    for place, op in enumerate(ops):
        if not (op.spill and op.kind == Kind.LOAD):
            continue
        at, register, slot = place, op.d[0], op.s[0]
        size = counted.size(register)
        while at > max(1, place - _AHEAD):
            above = ops[at - 1]
            if (max(counts[at - 2:at]) + size > most or above is _ARRIVAL or above.kind in _FIXED or register in above.d or register in above.reads()
                    or above.spill and (above.kind == Kind.LOAD or above.s[0] == slot)):
                break
            at -= 1
        if at < place:
            ops[at:place + 1] = [op, *ops[at:place]]
            # behind the load is now what was behind the op above it, and the value; all that it passed has the value too
            counts[at:place + 1] = [counts[at - 1] + size, *(count + size for count in counts[at:place])]
    at = 0
    for block in code.blocks:
        at += block.name is not None
        block.ops = ops[at:at + len(block.ops)]
        at += len(block.ops)
