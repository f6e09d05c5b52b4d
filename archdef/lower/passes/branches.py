"""Passes over branches: leave early without a branch, and turn short branches into predicated code."""
from __future__ import annotations

from collections.abc import Container

import attrs

from archdef.lower.encoding import Flag, Kind, Space
from archdef.lower.graph import PARTS, Block, Graph, leads_around
from archdef.lower.passes.dead import drop_labels
from archdef.lower.places import holding_loops, within
from archdef.lower.uniform import merged_atomics
from archdef.lower.virtual import ABSORBED, PURE, Code, Op, Unit, lives, slow_paths
from archdef.ptx.liveness import Lives

_BLOCK_ENDS = PARTS | {Kind.EXIT, Kind.RETURN, Kind.TRAP}
_NEVER = 1 << 20
_GUARDABLE = PURE | {Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.SPECIAL, Kind.TEXTURE, Kind.SURFACE, Kind.COPY}


@attrs.frozen(kw_only=True)
class Predication:
    """When the code of a branch becomes guarded."""

    limit: int
    """Instructions up to which it does; 0: never."""
    global_load: int = 1
    """Instructions as which a load from global memory counts; an atomic operation as well."""
    overlap: int = 0
    """Instructions, before the load and in the basic block behind the branch, that do not need it, from which on it counts as one; 0: never."""
    overlap_within: int = 0
    """The same for a branch within another one: instructions behind it."""
    beside_loads: int = 0
    """`limit` where a load from global memory is near that others could wait for meanwhile, outside of loops, if that is more."""
    with_copies: int = 0
    """`limit` of a branch that starts asynchronous copies, if that is more."""
    joined_tests_instructions: int = 0
    """Not 0: of two branches to one place, what stands between them is guarded."""
    free_products: bool = False
    """A 64-bit product counts for nothing, as the addition takes it in."""
    merged_atomics: tuple[int, int] = (0, 0)
    """Instructions by which one lane comes to do the atomic operation of its warp: without and with a result."""
    around_atomics: bool = False
    """Atomic operations are never guarded."""


def exit_early(code: Code) -> None:
    """Turn a branch to the end of the thread, or of a function, into that end: who goes there waits for nobody.

    Notes
    -----
    ptxas 11.8 does so from sm_35 to sm_90: both sides of an if that ends a kernel get an EXIT of their own, and no meeting point is set up.
    """
    ends: dict[Block, Kind] = {}
    behind = None
    for block in reversed(code.blocks):
        behind = block.ops[0] if block.ops else behind
        if behind is not None and behind.kind in (Kind.EXIT, Kind.RETURN) and behind.guard is None:
            ends[block] = behind.kind
    for block in code.blocks:
        branch = block.branch
        if branch is not None and branch.target in ends:
            branch.kind, branch.operation, branch.target, branch.flags = ends[branch.target], "exit", None, 0
    code.graph.join()


def invert_branches(code: Code) -> None:
    """Turn ``@p bra A; bra B; A:`` into ``@!p bra B; A:``, the layout that a compiler chooses."""
    graph = code.graph
    for n in range(len(graph.blocks) - 2):
        jump = leads_around(graph.blocks, n)
        if jump is not None:
            branch = graph.blocks[n].ops[-1]
            branch.guard, branch.target = ~branch.guard, jump.target
            graph.blocks[n + 1].ops = []
    graph.join()


def predicate_loops(code: Code, unit: Unit, architecture, longest: int, **rules) -> None:
    """Turn branches within loops of up to `longest` operations that hold no other loop into guards, so that the loops can be unrolled."""
    graph = code.graph
    holding = holding_loops(graph.loops)
    small = [loop for loop in graph.loops
             if loop not in holding and sum(len(block.ops) for block in graph.blocks[loop.first:loop.last + 1]) <= longest]
    inside = {block.ops[-1] for loop in small for block in graph.blocks[loop.first:loop.last] if block.branch}
    if inside:
        predicate_branches(code, unit, architecture, inside, **rules)
    if small:
        drop_labels(code)


def predicate_branches(code: Code, unit: Unit, architecture, only: Container[Op] | None = None, **rules) -> None:
    """Turn a forward branch over a short straight piece of code (and an else part) into guards on that code.

    only  : the branches that may be turned; None: all.
    rules : fields of `Predication`; its limit is `Isa.predication_max_instructions`.

    Only code that a guard can switch off lane by lane: no branch, call or barrier, no exchange among lanes, nothing guarded by
    another predicate, and no change of the predicate itself.
    """
    worth = Predication(limit=architecture.isa.predication_max_instructions, **rules)
    if worth.limit <= 0:
        return
    while _predicated(code, unit, architecture, only, worth) and worth.overlap:
        drop_labels(code)           # what stands behind a branch may reach further now


def _predicated(code: Code, unit: Unit, architecture, only: Container[Op] | None, worth: Predication) -> bool:
    """Turn the branches that are worth it as the code stands; tell whether there were any."""
    text = _Text(code, architecture, worth, merged_atomics(code, unit, worth.merged_atomics))
    graph = code.graph
    around = within(len(graph.blocks), graph.loops)     # a branch back does not stand within its own loop
    found: Lives | None = None
    kept: list[Block] = []
    n, changed = 0, False
    while n < len(graph.blocks):
        block = graph.blocks[n]
        branch = block.branch
        n += 1
        kept.append(block)
        if branch is None or branch.guard is None or only is not None and branch not in only:
            continue
        region = text.region(n - 1, branch, around[n - 1])
        if region is None:
            continue
        if found is None:
            found = lives(code)
        # lanes for which the branch is taken skip the first part
        for part, guard, end in ((region.first, ~branch.guard, region.middle), (region.second, branch.guard, region.after)):
            for inner in part:
                _guard(inner, guard, [v for v in inner.writes() if text.is_alive(v, end, found)])
        text.references[branch.target] -= 1
        if region.other is not None:
            text.references[region.other] -= 1
        rest = graph.blocks[region.after[0]].ops[region.after[1]:] if region.within else []     # a branch
        block.ops = [*block.ops[:-1], *region.first, *region.second, *rest]
        n, changed = region.after[0] + region.within, True
    if changed:
        graph.blocks = kept
        graph.join()
    return changed


@attrs.frozen
class _Region:
    """The two parts of a conditional."""

    first: list[Op]
    second: list[Op]
    middle: tuple[int, int]
    """Where the second part begins, or both ways meet: number of the block, and place in it."""
    after: tuple[int, int]
    """Where both ways meet."""
    other: Block | None = None
    """Where the branch behind the first part leads, which goes."""
    within: bool = False
    """They meet before an operation of a block, not where one begins."""


class _Text:
    """The text of a function while branches become guards, from the first to the last."""

    def __init__(self, code: Code, architecture, worth: Predication, merged: dict[int, int]):
        self.graph, self.architecture, self.worth, self.merged = code.graph, architecture, worth, merged
        self.ops, self.starts = code.ops, code.starts()
        self.references = dict(code.graph.references)
        self.reach = _reach(code.graph)

    def place(self, at: tuple[int, int]) -> int:
        """Give the place among all operations."""
        return self.starts[at[0]] + at[1]

    def is_alive(self, v: int, at: tuple[int, int], found: Lives) -> bool:
        """Tell whether a register is alive at the start of a block, or behind an operation of it."""
        return found.is_alive(v, self.place(at)) if at[1] else found.enters(v, self.place(at))

    def begins(self, n: int) -> bool:
        """Tell whether control comes to the start of a block from elsewhere, too."""
        return n < len(self.graph.blocks) and self.references.get(self.graph.blocks[n], 0) > 0

    def straight(self, n: int, guard: int) -> tuple[list[Op], tuple[int, int]]:
        """Give what can be guarded, from the start of a block on, past blocks to which no branch goes, and where it ends."""
        predicate, operations = guard if guard >= 0 else ~guard, self.architecture.isa.operations
        found: list[Op] = []
        while n < len(self.graph.blocks):
            for k, op in enumerate(self.graph.blocks[n].ops):
                if op.kind not in _GUARDABLE or op.guard is not None or predicate in op.d or slow_paths(op, operations):
                    return found, (n, k)
                found.append(op)
            n += 1
            if self.begins(n):
                break
        return found, (n, 0)

    def region(self, n: int, branch: Op, turns: bool) -> _Region | None:
        """Give what a branch at the end of a block leads around, if that is worth guards."""
        graph, worth, merged, architecture = self.graph, self.worth, self.merged, self.architecture
        limit, blocks = worth.limit, graph.blocks
        first, at = ([], (n + 1, 0)) if self.begins(n + 1) else self.straight(n + 1, branch.guard)
        if at[0] >= len(blocks):
            return None
        ends = not at[1] and self.begins(at[0])     # else there is an operation that no guard switches off
        if any(op.kind == Kind.COPY for op in first):
            limit = max(limit, worth.with_copies)
        if ends and blocks[at[0]] is branch.target:
            if (not turns and worth.beside_loads > limit and not any(op.kind in (Kind.STORE, Kind.ATOM) for op in first)
                    and not branch.target.behind_rounds and _loads_near(self.ops, self.starts[n], self.place((n, len(blocks[n].ops) - 1)), self.place(at))):
                limit = worth.beside_loads
            if (worth.joined_tests_instructions and _stores_what_it_loads(first) and _work_behind(self.ops, self.place(at), architecture) >= 2
                    and _cost(first, architecture, worth, False, merged) <= worth.beside_loads):
                return _Region(first, [], at, at)
            behind = None if worth.overlap == 0 else self.behind(n, at[0])
            return None if _cost(first, architecture, worth, turns, merged, behind) > limit else _Region(first, [], at, at)
        if _cost(first, architecture, worth, turns, merged) > limit:
            return None
        other = branch if ends else blocks[at[0]].ops[at[1]]
        if other.kind != Kind.BRANCH or other.guard is not None:
            return None
        if other.target is branch.target and worth.joined_tests_instructions and not any(op.kind == Kind.ATOM for op in first):
            return _Region(first, [], at, at, within=True)        # what follows goes there, too
        middle = at[0] + 1
        if middle >= len(blocks) or blocks[middle] is not branch.target or self.references[branch.target] != 1:
            return None
        second, after = self.straight(middle, branch.guard)
        if not middle < after[0] < len(blocks) or after[1] or blocks[after[0]] is not other.target or _cost(second, architecture, worth, turns, merged) > limit:
            return None
        return _Region(first, second, (middle, 0), after, other.target)

    def behind(self, n: int, at: int) -> tuple[list[Op], bool]:
        """Give what follows where both ways meet, in its basic block, and whether that is itself within a branch."""
        block = self.graph.behind(at)
        ops = self.graph.blocks[block].ops if block < len(self.graph.blocks) else []
        end = next((k for k, op in enumerate(ops) if op.kind in _BLOCK_ENDS), len(ops))
        return ops[:end], self.reach[n] > at


def _stores_what_it_loads(ops: list[Op]) -> bool:
    """Tell whether what some operations load from global memory is stored among them, at other places, and read by nobody else."""
    loads = [op for op in ops if op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC)]
    stores = [op for op in ops if op.kind == Kind.STORE]
    if not loads or not stores or any(op.kind == Kind.ATOM for op in ops) or {(op.s[0], op.offset) for op in loads} & {(op.s[0], op.offset) for op in stores}:
        return False
    stays = {v for op in ops for v in op.reads()}
    return all(stays.issuperset(op.writes()) for op in loads)


def _work_behind(ops: list[Op], at: int, architecture) -> int:
    """Give the instructions behind a place, past barriers, that wait for nothing loaded there: what can be done while a load is under way."""
    late: set[int] = set()
    work = 0
    while at < len(ops) and ops[at].kind not in _BLOCK_ENDS:
        op = ops[at]
        at += 1
        if op.kind in (Kind.LOAD, Kind.ATOM) or not late.isdisjoint(op.reads()):
            late.update(op.writes())
        elif op.kind in PURE:
            work += issues(op, architecture)
    return work


def _loads_near(ops: list[Op], start: int, branch: int, at: int) -> bool:
    """Tell whether a load from global memory is under way at a branch, within it, or comes in the basic block behind it; its own begins at `start`."""
    late: set[int] = set()
    first = branch
    while first > start and ops[first - 1].kind not in _BLOCK_ENDS:
        first -= 1
    for op in ops[first:branch + 1]:
        late.difference_update(op.reads())
        if op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC):
            late.update(op.writes())
    end = at
    while end < len(ops) and ops[end].kind not in _BLOCK_ENDS:
        end += 1
    return bool(late) or any(op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC) for op in ops[branch:end])


def _reach(graph: Graph) -> list[int]:
    """Give, per block, the number of the last one to which a branch at the end of a block before it may go."""
    reach, furthest = [], -1
    for block in graph.blocks:
        reach.append(furthest)
        if block.branch is not None and block.branch.guard is not None:
            furthest = max(furthest, graph.numbers[block.branch.target])
    return reach


def _overlaps(ops: list[Op], behind: tuple[list[Op], bool], architecture, worth: Predication) -> bool:
    """Tell whether there is something to do until what some operations load is wanted: what leads to the loads, or stands behind the branch."""
    late = {v for op in ops if op.kind == Kind.LOAD for v in op.writes()}
    following, within = behind
    least, least_within = worth.overlap, worth.overlap_within
    work = 0 if within else sum(issues(op, architecture) for op in ops)
    for op in following:
        if late.isdisjoint(op.reads()):
            work += issues(op, architecture)
        else:
            late.update(op.writes())
    return work >= (least_within if within else least)


def issues(op: Op, architecture) -> int:
    """Give the instructions of an operation that are its own; a product that is added has none, nor has a copy, whose place is free."""
    operations = architecture.isa.operations
    if op.operation in (ABSORBED, "move") or op.fn in ("mul_wide_s32", "mul_wide_u32"):
        return 0
    return 1 if op.fn == "add_b64" else op.times * max(1, operations[op.operation].issues) if op.operation in operations else op.times


def _cost(ops: list[Op], architecture, worth: Predication, turns: bool, merged: dict[int, int], behind: tuple[list[Op], bool] | None = None) -> int:
    """Give what predicating some operations costs; `turns`: they are part of a loop, `merged`: what atomic operations take besides.

    A load from global memory costs more where its result leaves the branch, or a test of it does, where a loop stores what comes of it, and
    where it is one of several of which one is written back; but not where there is something to do until it is wanted (`behind`).
    """
    operations, load = architecture.isa.operations, worth.global_load
    cost = 0
    loaded = [(op.s[0], op.offset) for op in ops if op.kind == Kind.LOAD]
    stored = [(op.s[0], op.offset) for op in ops if op.kind == Kind.STORE]
    late = stored and (turns or len(loaded) > 1 and not set(loaded).isdisjoint(stored))
    stays = set() if late else {v for op in ops if op.kind != Kind.SETP for v in op.reads()}
    products = {op.d[0] for op in ops if op.operation == "int_mul_wide" and op.d} if worth.free_products else set()
    if behind is not None and not late:
        leaving = {v for op in ops if op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC) for v in op.writes()} - stays
        if _overlaps(ops, behind, architecture, worth):
            stays |= leaving
        elif leaving:
            return _NEVER
    if worth.around_atomics and any(op.kind == Kind.ATOM for op in ops):
        return _NEVER
    for op in ops:
        if op.operation == ABSORBED or op.fn == "add_b64" and not products.isdisjoint(op.s):     # one multiply-add with the product
            continue
        issues = op.times * max(1, operations[op.operation].issues) if op.operation in operations else op.times
        if op.kind == Kind.ATOM or op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC) and not stays.issuperset(op.writes()):
            issues *= load
        elif load > 1 and op.operation == "int_mul_wide":
            issues *= 2         # writes two registers
        cost += issues + merged.get(id(op), 0)
    return cost


def _guard(op: Op, guard: int, needed: list[int]) -> None:
    op.guard = guard
    op.flags |= Flag.PREDICATED
    op.kills = not needed
