"""How many registers a thread needs: what is alive at once, in the order of the text and in the order of the flow of data.

An assembler moves loads and what leads to them up, so that their latencies overlap, and holds more values for it. It does so as long
as registers are to be had for nothing: up to the number at which the multiprocessor is still full. Beyond that it keeps closer to the
text. So the answer is what data flow asks for, at most what costs no warp, and at least what the text asks for.
"""
from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence, Set

import attrs

from archdef.lower.encoding import Kind, Space
from archdef.lower.virtual import Code, Op, Unit, lives
from archdef.ptx.liveness import Lives

_READS = frozenset((Kind.LOAD, Kind.TEXTURE, Kind.ATOM))
_WRITES = frozenset((Kind.STORE, Kind.ATOM))
_STAY = frozenset((Kind.CALL, Kind.CALL_INDIRECT, Kind.BARRIER, Kind.FENCE, Kind.SYSTEM, Kind.PHASE, Kind.COPY, Kind.COPY_GROUP, Kind.BULK,
                   Kind.GROUP, Kind.GROUP_PRODUCT, Kind.REGISTERS, Kind.SURFACE,
                   Kind.VOTE, Kind.SHUFFLE, Kind.MATCH, Kind.REDUX, Kind.SPECIAL, Kind.EXIT, Kind.RETURN, Kind.TRAP))
"""Kinds that nothing with an effect, and no access to memory, is moved across."""
_LAST = frozenset((Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.EXIT, Kind.RETURN, Kind.TRAP))
_CALLS = (Kind.CALL, Kind.CALL_INDIRECT)
_LONG = 1 << 20
"""Latency of what comes from memory: longer than anything that could be done meanwhile."""
_EVERYWHERE = (Space.GLOBAL, Space.SHARED, Space.LOCAL)


@attrs.frozen
class Demand:
    """32-bit registers that a function needs, those of its callees included."""

    in_order: int
    """In the order of the text."""
    by_flow: int
    """In the order of the flow of data."""

    def within(self, room: int) -> int:
        """Give the registers that an assembler would take if `room` of them limit nothing."""
        return max(self.in_order, min(self.by_flow, room))


def free_registers(architecture) -> int:
    """Give the most registers per thread with which a multiprocessor still holds all its warps."""
    limits = architecture.limits
    each = limits.registers_per_multiprocessor // limits.warps_per_multiprocessor
    if limits.register_allocation_scope == "warp":
        each -= each % limits.register_allocation_unit
    return each // architecture.warp.size


def next_registers(need: int, room: int, architecture) -> int:
    """Give the registers that code which needs so many may take: `room`, or, where it needs all of that or more, the number that is handed out next
    after it: whoever has given up having all warps orders for latency."""
    limits = architecture.limits
    unit = max(1, limits.register_allocation_unit // architecture.warp.size) if limits.register_allocation_scope == "warp" else 1
    return room if need < room else (-(-(need + limits.registers_reserved_per_thread) // unit) + 1) * unit - limits.registers_reserved_per_thread


def demand(code: Code, unit: Unit, addresses: set[int], of_callee: dict[str, Demand], architecture) -> Demand:
    """Count the registers that a thread needs in a function; `addresses` count one each, as pointers have 32 bits there.

    Special registers that have not been read yet take none; the stack pointer takes none where the calling convention reserves one.
    """
    sizes = words(unit, addresses, architecture)
    found = lives(code)
    latencies = {name: cost.latency_cycles for name, cost in architecture.isa.operations.items()}
    ops = code.ops
    beside = {k: [of_callee[name] for name in _callees(op) if name in of_callee] for k, op in enumerate(ops) if op.kind in _CALLS}
    in_order = [count + max((d.in_order for d in beside.get(k, ())), default=0)
                for k, count in enumerate(found.sums(sizes, [tuple(op.writes()) for op in ops], beside))]
    by_flow = 0
    for number, block in enumerate(found.blocks):
        order = flow(ops, block, latencies)
        for index, count in zip(order, _counted(ops, order, found, number, sizes), strict=True):
            by_flow = max(by_flow, count + max((d.by_flow for d in beside.get(index, ())), default=0))
    return Demand(max(in_order, default=0), by_flow)


def _callees(op: Op) -> tuple[str, ...]:
    return (op.target,) if op.kind == Kind.CALL else op.target


def alive_words(code: Code, unit: Unit, addresses: set[int], architecture) -> list[int]:
    """Count, per op, the registers that hold something behind it, in the order of the text; what callees need is left out."""
    return lives(code).sums(words(unit, addresses, architecture), [tuple(op.writes()) for op in code.ops])


class Words(dict[int, int]):
    """Virtual register → the 32-bit registers that it takes, found out when it is asked for: a function uses few of its program's."""

    def __init__(self, unit: Unit, addresses: Set[int], reserved: int | None):
        super().__init__()
        self.unit, self.addresses, self.reserved = unit, addresses, reserved

    def __missing__(self, v: int) -> int:
        width = self.unit.widths[v]
        if not width or v in self.unit.specials or v in self.unit.uniform or v == self.reserved:
            size = 0
        else:
            size = 2 if width == 8 and v not in self.addresses else 1
        self[v] = size
        return size


def words(unit: Unit, addresses: Set[int], architecture) -> Words:
    """Give, per virtual register, the 32-bit registers that it takes."""
    return Words(unit, addresses, unit.stack if architecture.limits.registers_reserved_per_thread else None)


def _counted(ops: Sequence[Op], order: Sequence[int], found: Lives, number: int, sizes: Mapping[int, int]) -> list[int]:
    """Count, per place of a block's order, the registers that hold something behind it, addresses of accesses on their way among them."""
    begun, ended = _held(ops, order)
    alive = dict.fromkeys(found.leaving(number), 1)     # register → reasons for which it is taken: a value that is wanted, accesses on their way
    total = sum(sizes[v] for v in alive)
    wanted = set(alive)
    counts = []

    def take(v: int, reasons: int) -> None:
        nonlocal total
        before = alive.get(v, 0)
        alive[v] = before + reasons
        total += sizes[v] * (bool(alive[v]) - bool(before))

    for place in range(len(order) - 1, -1, -1):
        index = order[place]
        for v in ended[place + 1]:
            take(v, 1)
        counts.append(total + sum(sizes[v] for v in set(ops[index].writes()) if not alive.get(v)))
        made = ops[index].gives     # in registers of the function that is called, which counts them
        if begun[place] is not None:
            take(begun[place], -1)
        for v in found.defs[index]:
            if v in wanted:
                wanted.remove(v)
                take(v, -1)
        if made:
            counts[-1] = total
        for v in found.uses[index]:
            if v not in wanted:
                wanted.add(v)
                take(v, 1)
    return counts[::-1]


def _held(ops: Sequence[Op], order: Sequence[int]) -> tuple[list[int | None], list[list[int]]]:
    """Give the address registers of accesses on their way: nobody overwrites one before the access's result is used. Per place, that of the access
    there, and those of accesses whose results are used there first."""
    used: dict[int, list[int]] = {}
    for place, index in enumerate(order):
        for v in ops[index].reads():
            used.setdefault(v, []).append(place)
    begun: list[int | None] = [None] * len(order)
    ended: list[list[int]] = [[] for _ in range(len(order) + 1)]
    at = dict.fromkeys(used, 0)
    for place, index in enumerate(order):
        op = ops[index]
        if op.kind in (Kind.LOAD, Kind.ATOM) and type(op.s[0]) is int:
            first = len(order)
            for v in op.d:
                if v in used:
                    while at[v] < len(used[v]) and used[v][at[v]] <= place:
                        at[v] += 1
                    if at[v] < len(used[v]):
                        first = min(first, used[v][at[v]])
            if any(v is not None for v in op.d):
                begun[place] = op.s[0]
                ended[first].append(op.s[0])
    return begun, ended


# ------------------------------------------------------------------------------------------------------------ data flow
def flow(ops: Sequence[Op], block: range, latencies: dict[str, int]) -> list[int]:
    """Order a basic block as its data come: always the op whose operands are there first, of equals the first in the text."""
    count = len(block)
    before = _before(ops, block)
    left = [len(b) for b in before]
    after: list[list[int]] = [[] for _ in range(count)]
    for k, origins in enumerate(before):
        for origin in origins:
            after[origin].append(k)
    ready = [0] * count
    now, order = 0, []
    waiting: list[tuple[int, int]] = []
    can_go = [k for k in range(count) if not left[k]]  # a heap: ascending
    while can_go or waiting:
        if not can_go:
            now = max(now, waiting[0][0])
        while waiting and waiting[0][0] <= now:
            heapq.heappush(can_go, heapq.heappop(waiting)[1])
        k = heapq.heappop(can_go)
        order.append(block[k])
        done = now + _latency(ops[block[k]], latencies)
        now += 1
        for following in after[k]:
            ready[following] = max(ready[following], done if before[following][k] else now)
            left[following] -= 1
            if not left[following]:
                if ready[following] <= now:
                    heapq.heappush(can_go, following)
                else:
                    heapq.heappush(waiting, (ready[following], following))
    return order


def _latency(op: Op, latencies: dict[str, int]) -> int:
    if op.kind in _READS:
        return _LONG
    return max(1, latencies.get(op.operation, 1))


def _before(ops: Sequence[Op], block: range) -> list[dict[int, bool]]:
    """Give, per op of a block, those that must come before it, and whether it waits for their result."""
    before: list[dict[int, bool]] = [{} for _ in block]
    written: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    stores: dict[int, int] = {}
    loads: dict[int, list[int]] = {}
    stayed, since = -1, []
    for k, index in enumerate(block):
        op, mine = ops[index], before[k]

        def follow(origins: Iterable[int], waits: bool = False, mine=mine, k=k) -> None:
            for origin in origins:
                if origin >= 0 and origin != k:
                    mine[origin] = mine.get(origin, False) or waits

        for v in op.reads():
            follow([written.get(v, -1)], True)
            readers.setdefault(v, []).append(k)
        for v in op.d:
            if v is not None:
                follow([written.get(v, -1)], op.guard is not None)
                follow(readers.get(v, ()))
                readers[v], written[v] = [], k
        if k == len(block) - 1 and op.kind in _LAST:
            follow(range(k))
        elif op.kind in _STAY:
            follow([stayed, *since])
            stayed, since, stores, loads = k, [], {}, {}
        elif op.kind in _READS or op.kind in _WRITES:
            follow([stayed])
            spaces = _EVERYWHERE if op.space == Space.GENERIC else (op.space,)
            for space in spaces:
                follow([stores.get(space, -1)])
                if op.kind in _WRITES:
                    follow(loads.pop(space, ()))
                    stores[space] = k
                else:
                    loads.setdefault(space, []).append(k)
            since.append(k)
    return before
