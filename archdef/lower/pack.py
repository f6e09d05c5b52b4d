"""The last step: virtual code of all functions becomes one array of micro-ops."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from archdef.engine import lanes
from archdef.errors import LaunchError
from archdef.lower.allocate import Assignment, row_operand
from archdef.lower.cost import BROUGHT, AtomicTechnique, Cost, Costs
from archdef.lower.encoding import (
    CONSTANT_ROW,
    COORDINATES,
    MICRO_OP,
    NO_PREDICATE,
    NO_ROW,
    PRED_TRUE,
    SPECIAL_ROW,
    EndOp,
    Flag,
    Geometry,
    Kind,
    PhaseOp,
    TextureOp,
    ConstantKind,
    VoteOp,
)
from archdef.lower.graph import Block
from archdef.lower.reconvergence import behind_join, reconvergence_points, waits_within
from archdef.lower.scoreboards import shared_waits
from archdef.lower.select.selection import place
from archdef.lower.select.warpgroup import FIXED_SOURCES, late_accumulators, timed
from archdef.lower.virtual import Code, Const, Op, Unit
from archdef.ptx import ir

SOURCES = 5
"""That a micro-op has room for; system calls with more list theirs."""
PREDICATE_SOURCES = {Kind.SETP: (2,), Kind.SELP: (2,), Kind.PRED: (0, 1, 2), Kind.P2R: (0,), Kind.BARRIER: (2,), Kind.VOTE: (0,),
                     Kind.GROUP_PRODUCT: (2,)}
"""Sources that are predicates, by kind."""
_PREDICATE_DESTINATIONS = {Kind.SETP: (0, 1), Kind.PRED: (0,), Kind.BARRIER: (1,), Kind.SHUFFLE: (1,), Kind.MATCH: (1,)}
_FUNCTION_NUMBERS: dict[str, dict[str, int]] = {}


_EXACT = frozenset((Kind.ALU, Kind.SETP, Kind.SELP, Kind.PRED, Kind.P2R, Kind.CARRY))
"""Kinds whose units are held for parts of cycles; others hold them for whole ones."""
_NO_TECHNIQUE = AtomicTechnique(bank_passes=0, weight=0, value_count=0)
"""What ops have that are no atomic operations."""


def lane_functions() -> dict[int, dict[str, int]]:
    """Give, per kind, name → number of the compiled lane functions."""
    if not _FUNCTION_NUMBERS:
        for kind, names in (("alu", lanes.alu_names()), ("compare", lanes.compare_names()), ("carry", lanes.carry_names()),
                            ("atomic", lanes.atomic_names())):
            _FUNCTION_NUMBERS[kind] = {name: k for k, name in enumerate(names)}
    return {Kind.ALU: _FUNCTION_NUMBERS["alu"], Kind.SETP: _FUNCTION_NUMBERS["compare"],
            Kind.CARRY: _FUNCTION_NUMBERS["carry"], Kind.ATOM: _FUNCTION_NUMBERS["atomic"],
            Kind.BULK: _FUNCTION_NUMBERS["atomic"]}


class Constants:
    """Constant rows, each distinct value once; 64-bit ones take an even-numbered pair."""

    def __init__(self, codes: list[Code]):
        found = {v for code in codes for op in code.ops for v in op.s if isinstance(v, Const)}
        wide = sorted(v for v in found if v.width == 8)
        narrow = sorted(v for v in found if v.width == 4)
        self.numbers = {v: 2 * k for k, v in enumerate(wide)}
        self.numbers.update((v, 2 * len(wide) + k) for k, v in enumerate(narrow))
        self.rows = np.zeros(2 * len(wide) + len(narrow), CONSTANT_ROW)
        for v, k in self.numbers.items():
            self.rows[k] = v.kind, v.width, v.value

    def __call__(self, constant: Const) -> int:
        """Give the row of a constant."""
        return self.numbers[constant]


def pack(codes: list[Code], unit: Unit, places: Assignment, architecture, module: ir.Module, source: list[ir.Instruction], scoreboards: int = 0):
    """Give micro-ops, branch targets, operands of matrix products, constant rows, special rows, and the number of instructions.

    scoreboards : those of a warp for results that come after a time nobody knows beforehand, see `scoreboards.shared_waits`; 0: each has its own.
    """
    packer = _Packer(codes, places, architecture, module, source, scoreboards)
    for code in codes:
        packer.pack(code)
    ops = np.array(packer.records, MICRO_OP)
    count = int(ops["issues"].sum())
    if count > architecture.limits.kernel_instructions:
        raise LaunchError(f"{codes[0].function.name} has {count} instructions; {architecture.name} takes at most "
                          f"{architecture.limits.kernel_instructions} (limits.kernel_instructions)")
    specials = np.array([(number, places.rows[v]) for v, number in unit.specials.items() if v in places.rows], SPECIAL_ROW)
    return ops, np.array(packer.targets, np.int32), np.array(packer.operands, np.int32), packer.constants.rows, specials, count


class _Packer:
    """What is packed so far of the functions of one kernel, and what that takes."""

    def __init__(self, codes: list[Code], places: Assignment, architecture, module: ir.Module, source: list[ir.Instruction], scoreboards: int):
        self.places, self.architecture, self.module, self.source, self.scoreboards = places, architecture, module, source, scoreboards
        self.constants = Constants(codes)
        self.functions, self.costs, self.waits = lane_functions(), Costs(architecture), waits_within(codes)
        self.records: list[tuple] = []
        self.targets: list[int] = []
        self.operands: list[int] = []
        self.starts: dict[str, int] = {}
        self.lists: dict[tuple[str, ...], int] = {}
        total = 0
        for code in codes:
            self.starts[code.function.name] = total
            total += sum(len(block.ops) for block in code.blocks)

    def pack(self, code: Code) -> None:
        """Pack one function, behind those before it."""
        blocks, places, first = code.blocks, self.places, self.starts[code.function.name]
        positions = {block: first + start for block, start in zip(blocks, code.starts(), strict=True)}
        meetings = reconvergence_points(code.graph, self.waits)
        meeting_of = {id(block.last): blocks[n] for block, n in zip(blocks, meetings, strict=True) if n >= 0 and block.targets}
        shared = shared_waits(code.graph, self.scoreboards) | late_accumulators(code.ops)
        together = {k: [v for v in waited if v in places.rows] for k, waited in shared.items()}      # what nobody reads has no place
        for k, op in enumerate(code.ops):
            cost, reconverge, held = self._cost(op), -1, 0
            if op.kind == Kind.GROUP_PRODUCT:
                cost, held = timed(op, cost, self.architecture)
            target, count = self._target(op, positions)
            if id(op) in meeting_of:
                reconverge = positions[behind_join(meeting_of[id(op)])]
            also = 0
            if k in together:
                self.operands += [len(together[k]), *(places.rows[v] for v in together[k])]
                also = len(self.operands) - len(together[k])
            self._record(op, cost, (target, reconverge, count, held), also)

    def _cost(self, op: Op) -> Cost:
        instruction = self.source[op.statement]
        added = op.s[1] if op.kind == Kind.ATOM and op.vec == 1 else None
        immediate = added.value if isinstance(added, Const) and added.kind == ConstantKind.IMMEDIATE else None
        if op.kind == Kind.LOAD and op.flags & Flag.UNIFORM:
            immediate = "uniform"
        elif op.brought:
            immediate = BROUGHT
        return self.costs.slow(op.operation) if op.slow else self.costs.of(op.operation, op.times, instruction, place(self.module, instruction), immediate)

    def _target(self, op: Op, positions: Mapping[Block, int]) -> tuple[int, int]:
        """Give what a micro-op refers to, where it goes or its operands lie, and how much of that there is."""
        targets, kind = self.targets, op.kind
        if kind == Kind.BRANCH:
            return positions[op.target], op.count
        if kind == Kind.BRANCH_INDEXED:
            targets.extend(positions[block] for block in op.target)
            return len(targets) - len(op.target), len(op.target)
        if kind == Kind.CALL:
            return self.starts[op.target], op.count
        if kind == Kind.CALL_INDIRECT:
            target = self.lists.setdefault(op.target, len(targets))
            if target == len(targets):  # calls with the same candidates share one list
                callable_ = frozenset(op.target)
                targets.extend(self.starts[name] if name in callable_ else -1 for name in self.module.functions)
            return target, len(self.module.functions)
        if kind == Kind.MATRIX:
            return self._listed([*op.d, *op.s])
        if kind == Kind.GROUP_PRODUCT:
            return self._listed([*op.d, *op.s[FIXED_SOURCES:]])
        if kind == Kind.SYSTEM and len(op.s) > SOURCES:
            return self._listed(op.s)
        if kind in (Kind.TEXTURE, Kind.SURFACE):
            return 0, 0 if kind == Kind.TEXTURE and op.combine == TextureOp.QUERY else COORDINATES[Geometry(op.fn)]
        return 0, op.count

    def _listed(self, values: list) -> tuple[int, int]:
        """Put values among the row operands; give where they begin, and how many they are."""
        first = len(self.operands)
        self.operands += [row_operand(v, self.places, self.constants) for v in values]
        return first, len(values)

    def _record(self, op: Op, cost: Cost, ways: tuple[int, int, int, int], also: int) -> None:
        isa, places, guard = self.architecture.isa, self.places, op.guard
        number = op.fn if not isinstance(op.fn, str) else self.functions[op.kind][op.fn]
        if op.kind == Kind.EXIT and isa.exits_count_as_branches:
            number = int(EndOp.BRANCH)
        interval, fraction = divmod(cost.parts, 256) if op.kind in _EXACT else (cost.interval, 0)
        latency = cost.latency + (isa.branching.convergence_cycles if op.kind == Kind.BRANCH and op.meets else 0)
        technique = cost.technique._replace(lanes_merged=cost.technique.lanes_merged or op.merged) if op.kind == Kind.ATOM else _NO_TECHNIQUE
        reduction = self.functions[Kind.ATOM][op.target] if op.kind == Kind.SURFACE and op.target else 0
        self.records.append((
            op.kind, cost.unit, guard is not None, op.flags, number, op.fpenv, op.width, op.space, op.element, op.vec,
            op.combine, cost.issues, interval, fraction, cost.rare, latency, 0 if guard is None else predicate_operand(guard, places),
            _destinations(op, places, self.constants), _sources(op, places, self.constants), op.offset,
            *ways, technique.retry_cycles, reduction, *technique[1:], op.statement, also))


def predicate_operand(v: int, places: Assignment) -> int:
    """Encode a predicate source."""
    return 2 * places.predicates[v] if v >= 0 else 2 * places.predicates[~v] + 1


def predicate_destinations(kind: int, fn: int | str) -> tuple[int, ...]:
    """Give which destinations of a micro-op are predicates."""
    if kind == Kind.VOTE:
        return (0,) if fn < VoteOp.BALLOT else (1,) if fn == VoteOp.ELECT else ()
    if kind == Kind.PHASE:
        return (0,) if fn >= PhaseOp.TEST else ()
    return _PREDICATE_DESTINATIONS.get(kind, ())


def _destinations(op: Op, places: Assignment, constants: Constants) -> list[int]:
    predicates = predicate_destinations(op.kind, op.fn)
    found = [NO_PREDICATE if k in predicates else NO_ROW for k in range(4)]
    if op.kind in (Kind.SURFACE, Kind.BULK):  # sources that have no place among the sources
        return [row_operand(v, places, constants) for v in op.s[5:]] + [NO_ROW] * (4 - len(op.s[5:])) if op.s[5:] else [
            *(NO_ROW if v is None else places.rows[v] for v in op.d), *[NO_ROW] * (4 - len(op.d))]
    for k, v in enumerate(() if op.kind in (Kind.MATRIX, Kind.GROUP_PRODUCT) else op.d):
        if v is not None:
            found[k] = places.predicates[v] if k in predicates else places.rows[v]
    return found


def _sources(op: Op, places: Assignment, constants: Constants) -> list[int]:
    predicates = PREDICATE_SOURCES.get(op.kind, ())
    found = [2 * PRED_TRUE if k in predicates else NO_ROW for k in range(SOURCES)]
    if op.kind == Kind.GROUP_PRODUCT:
        op_s = op.s[:FIXED_SOURCES]
    else:
        op_s = () if op.kind == Kind.MATRIX or op.kind == Kind.SYSTEM and len(op.s) > SOURCES else op.s[:SOURCES]
    for k, v in enumerate(op_s):
        if v is not None:
            found[k] = predicate_operand(v, places) if k in predicates else row_operand(v, places, constants)
    return found
