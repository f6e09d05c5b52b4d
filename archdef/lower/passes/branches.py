"""Passes over branches: leave early without a branch, and turn short branches into predicated code."""
from __future__ import annotations


import attrs

from archdef.lower.encoding import Flag, Kind, Space
from archdef.lower.passes.dead import drop_labels
from archdef.lower.uniform import merged_atomics
from archdef.lower.virtual import ABSORBED, PARTS, PURE, Code, Op, Unit, holding_loops, leads_to, lives, loops, slow_paths, \
    within_loops
from archdef.ptx.liveness import Lives

_BLOCK_ENDS = PARTS | {Kind.EXIT, Kind.RETURN, Kind.TRAP}
BEHIND = " behind"
"""What the labels of what comes behind an unrolled loop end with."""
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
    joined_tests: int = 0
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
    ends, behind = {}, None
    for op in reversed(code.ops):
        if op.kind != Kind.LABEL:
            behind = op
        elif behind is not None and behind.kind in (Kind.EXIT, Kind.RETURN) and behind.guard is None:
            ends[op.fn] = behind.kind
    for op in code.ops:
        if op.kind == Kind.BRANCH and op.target in ends:
            op.kind, op.operation, op.target, op.flags = ends[op.target], "exit", None, 0


def invert_branches(code: Code) -> None:
    """Turn ``@p bra A; bra B; A:`` into ``@!p bra B; A:``, the layout that a compiler chooses."""
    ops = code.ops
    gone = set()
    for k in range(len(ops) - 2):
        op, jump = ops[k], ops[k + 1]
        if (op.kind == jump.kind == Kind.BRANCH and op.guard is not None and jump.guard is None
                and ops[k + 2].kind == Kind.LABEL and leads_to(ops, k + 2, op.target)):
            op.guard, op.target = ~op.guard, jump.target
            gone.add(k + 1)
    code.ops = [op for k, op in enumerate(ops) if k not in gone]


def predicate_loops(code: Code, unit: Unit, architecture, longest: int, **rules) -> None:
    """Turn branches within loops of up to `longest` operations that hold no other loop into guards, so that the loops can be unrolled."""
    found = loops(code.ops)
    holding = holding_loops(found)
    inside = {id(op) for start, end in found if end - start <= longest and (start, end) not in holding for op in code.ops[start:end]}
    if inside:
        predicate_branches(code, unit, architecture, inside, **rules)
        drop_labels(code)


def predicate_branches(code: Code, unit: Unit, architecture, only: set[int] | None = None, **rules) -> None:
    """Turn a forward branch over a short straight piece of code (and an else part) into guards on that code.

    only  : identities of the branches that may be turned; None: all.
    rules : fields of `Predication`; its limit is `Isa.predication_max_instructions`.

    Only code that a guard can switch off lane by lane: no branch, call or barrier, no exchange among lanes, nothing guarded by
    another predicate, and no change of the predicate itself.
    """
    worth = Predication(limit=architecture.isa.predication_max_instructions, **rules)
    if worth.limit <= 0:
        return
    while _predicated(code, unit, architecture, only, worth) and worth.overlap:
        drop_labels(code)           # what stands behind a branch may reach further now


def _predicated(code: Code, unit: Unit, architecture, only: set[int] | None, worth: Predication) -> bool:
    """Turn the branches that are worth it as the code stands; tell whether there were any."""
    ops = code.ops
    references: dict[str, int] = {}
    for op in ops:
        for label in (op.target,) if op.kind == Kind.BRANCH else op.target if op.kind == Kind.BRANCH_INDEXED else ():
            references[label] = references.get(label, 0) + 1
    around, merged = within_loops(ops, loops(ops)), merged_atomics(code, unit, worth.merged_atomics)
    reach = _reach(ops)
    found: Lives | None = None
    kept: list[Op] = []
    k = 0
    while k < len(ops):
        op = ops[k]
        turned = op.kind == Kind.BRANCH and op.guard is not None and (only is None or id(op) in only)
        region = _region(ops, k, references, architecture, worth, around[k], merged, reach) if turned else None
        if region is None:
            kept.append(op)
            k += 1
            continue
        if found is None:
            found = lives(code)
        first, second, label_at, after = region
        skipped = op.guard
        # lanes for which the branch is taken skip the first part
        for inner in first:
            _guard(inner, ~skipped, found, label_at)
        for inner in second:
            _guard(inner, skipped, found, after)
        kept += first + second
        references[op.target] -= 1
        if second or after != label_at:
            references[ops[after].fn] -= 1
        k = after
    changed = len(kept) < len(ops)
    code.ops = kept
    return changed


def _region(ops: list[Op], k: int, references: dict[str, int], architecture, worth: Predication, turns: bool, merged: dict[int, int],
            reach: list[int]):
    """Give the two parts of a conditional, the index where the second begins (or both meet), and where both meet."""
    target, guard, limit = ops[k].target, ops[k].guard, worth.limit
    first, at = _straight(ops, k + 1, guard, references, architecture.isa.operations)
    if at >= len(ops):
        return None
    if any(op.kind == Kind.COPY for op in first):
        limit = max(limit, worth.with_copies)
    if _is_label(ops, at, target):
        if (not turns and worth.beside_loads > limit and not any(op.kind in (Kind.STORE, Kind.ATOM) for op in first)
                and not target.endswith(BEHIND) and _loads_near(ops, k, at)):
            limit = worth.beside_loads
        if (worth.joined_tests and _stores_what_it_loads(first) and _work_behind(ops, at, architecture) >= 2
                and _cost(first, architecture, worth, False, merged) <= worth.beside_loads):
            return first, [], at, at
        behind = None if worth.overlap == 0 else _behind(ops, k, at, reach)
        return None if _cost(first, architecture, worth, turns, merged, behind) > limit else (first, [], at, at)
    if _cost(first, architecture, worth, turns, merged) > limit:
        return None
    other = ops[at]
    if (other.kind == Kind.BRANCH and other.guard is None and other.target == target and worth.joined_tests
            and not any(op.kind == Kind.ATOM for op in first)):
        return first, [], at, at        # what follows goes there, too
    if other.kind != Kind.BRANCH or other.guard is not None or not _is_label(ops, at + 1, target) or references[target] != 1:
        return None
    label_at = at + 1
    second, after = _straight(ops, label_at + 1, guard, references, architecture.isa.operations)
    if after >= len(ops) or not _is_label(ops, after, other.target) or _cost(second, architecture, worth, turns, merged) > limit:
        return None
    return first, second, label_at, after


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
    while at < len(ops) and (ops[at].kind not in _BLOCK_ENDS or ops[at].kind == Kind.LABEL):
        op = ops[at]
        at += 1
        if op.kind in (Kind.LOAD, Kind.ATOM) or not late.isdisjoint(op.reads()):
            late.update(op.writes())
        elif op.kind in PURE:
            work += issues(op, architecture)
    return work


def _loads_near(ops: list[Op], branch: int, at: int) -> bool:
    """Tell whether a load from global memory is under way at a branch, within it, or comes in the basic block behind it."""
    late: set[int] = set()
    start = branch
    while start and ops[start - 1].kind not in _BLOCK_ENDS:
        start -= 1
    for op in ops[start:branch + 1]:
        late.difference_update(op.reads())
        if op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC):
            late.update(op.writes())
    end = at
    while end < len(ops) and (ops[end].kind not in _BLOCK_ENDS or ops[end].kind == Kind.LABEL):
        end += 1
    return bool(late) or any(op.kind == Kind.LOAD and op.space in (Space.GLOBAL, Space.GENERIC) for op in ops[branch:end])


def _behind(ops: list[Op], branch: int, at: int, reach: list[int]) -> tuple[list[Op], bool]:
    """Give what follows where both ways meet, in its basic block, and whether that is itself within a branch."""
    start = at
    while at < len(ops) and ops[at].kind == Kind.LABEL:
        at += 1
    end = at
    while end < len(ops) and ops[end].kind not in _BLOCK_ENDS:
        end += 1
    return ops[at:end], reach[branch] > start


def _reach(ops: list[Op]) -> list[int]:
    """Give, per op, the furthest place to which a branch before it may go."""
    labels = {op.fn: k for k, op in enumerate(ops) if op.kind == Kind.LABEL}
    reach, furthest = [], -1
    for op in ops:
        reach.append(furthest)
        if op.kind == Kind.BRANCH and op.guard is not None:
            furthest = max(furthest, labels[op.target])
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


def _is_label(ops: list[Op], at: int, name: str) -> bool:
    return at < len(ops) and ops[at].kind == Kind.LABEL and ops[at].fn == name


def _straight(ops: list[Op], at: int, guard: int, references: dict[str, int], operations) -> tuple[list[Op], int]:
    predicate = guard if guard >= 0 else ~guard
    found = []
    while at < len(ops):
        op = ops[at]
        if op.kind == Kind.LABEL and not references.get(op.fn):
            at += 1
            continue
        if op.kind not in _GUARDABLE or op.guard is not None or predicate in op.d or slow_paths(op, operations):
            break
        found.append(op)
        at += 1
    return found, at


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


def _guard(op: Op, guard: int, found: Lives, label: int) -> None:
    op.guard = guard
    op.flags |= Flag.PREDICATED
    op.kills = not any(v is not None and found.is_alive(v, label) for v in op.d)
