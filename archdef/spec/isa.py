"""Instruction set: what each class of operation costs, and which features programs may use."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from textwrap import shorten
from typing import Any, ClassVar, TypeAlias

import attrs

from archdef.errors import SpecError, SpecErrors
from archdef.spec.fields import FrozenMap, choice, extensible, flag, integer, part, real, table, text, words
from archdef.spec.matrix import (MATRIX_CLASSES, MATRIX_FEATURE_NEEDS, MATRIX_FEATURE_OF_CLASS, MATRIX_FEATURES,
                                 MatrixArithmetic, WarpgroupProducts)
from archdef.spec.policy import Named, named

OPERATION_CLASSES: dict[str, str] = {
    "move": "copy of a register or constant into a register (what lowering could not drop)",
    "select": "choice between two registers by a predicate",
    "predicate": "logic among predicates",
    "int_add": "32-bit integer add, subtract, negate; with carry",
    "int_minmax": "32-bit integer minimum, maximum, absolute value",
    "int_logic": "32-bit and, or, xor, not",
    "int_shift": "32-bit shifts",
    "int_compare": "32-bit integer comparison into a predicate or register",
    "int_mul16": "16 x 16 bit multiply, with or without add",
    "int_mul24": "24 x 24 bit multiply, with or without add",
    "int_mul32": "32 x 32 bit multiply, low half, with or without add",
    "int_mul_wide": "32 x 32 bit multiply, 64-bit result, with or without add",
    "int_mul_high": "32 x 32 bit multiply, high half, with or without add",
    "int_div32": "32-bit integer division and remainder",
    "int_sad": "sum of absolute differences",
    "int_dot": "dot product of packed bytes or halves, with add",
    "bit_field": "extract or insert a bit field, reverse bits",
    "bit_count": "count ones, leading zeros, highest bit",
    "byte_permute": "pick bytes out of two registers",
    "funnel_shift": "32 bits out of a shifted register pair",
    "int64_add": "64-bit integer add, subtract, negate",
    "int64_minmax": "64-bit integer minimum, maximum, absolute value",
    "int64_logic": "64-bit and, or, xor, not",
    "int64_shift": "64-bit shifts",
    "int64_compare": "64-bit integer comparison",
    "int64_mul": "64 x 64 bit multiply, low half, with or without add",
    "int64_div": "64-bit integer division and remainder",
    "fp32_add": "single-precision add, subtract, negate, absolute value",
    "fp32_mul": "single-precision multiply",
    "fp32_fma": "single-precision multiply-add, fused or not as `Isa.float_mad` says",
    "fp32_minmax": "single-precision minimum, maximum",
    "fp32_compare": "single-precision comparison",
    "fp32_rcp": "approximate reciprocal",
    "fp32_rsqrt": "approximate reciprocal square root",
    "fp32_sqrt": "approximate square root",
    "fp32_div": "approximate division",
    "fp32_transcendental": "approximate sine, cosine, exponential, logarithm, hyperbolic tangent",
    "fp32_div_exact": "single-precision division and reciprocal, correctly rounded",
    "fp32_sqrt_exact": "single-precision square root, correctly rounded",
    "fp64_add": "double-precision add, subtract, negate, absolute value",
    "fp64_mul": "double-precision multiply",
    "fp64_fma": "double-precision fused multiply-add",
    "fp64_minmax": "double-precision minimum, maximum",
    "fp64_compare": "double-precision comparison",
    "fp64_div": "double-precision division and reciprocal",
    "fp64_sqrt": "double-precision square root and reciprocal square root",
    "fp16_add": "16-bit floating-point add, subtract, negate, absolute value; also of a pair",
    "fp16_mul": "16-bit floating-point multiply; also of a pair",
    "fp16_fma": "16-bit floating-point fused multiply-add; also of a pair",
    "fp16_minmax": "16-bit floating-point minimum, maximum; also of a pair",
    "fp16_compare": "16-bit floating-point comparison",
    "fp16_transcendental": "approximate 16-bit exponential, hyperbolic tangent; also of a pair",
    "convert": "conversion among types of at most 32 bits",
    "convert64": "conversion from or to a 64-bit type",
    "branch": "branch, direct or indexed",
    "call": "call of a device function",
    "system_call": "printing, allocating and freeing from a kernel",
    "exit": "end of a thread, return from a function",
    "barrier": "block barrier",
    "vote": "vote among the lanes of a warp, active mask",
    "match": "comparison of a value among the lanes of a warp",
    "redux": "reduction of an integer over the lanes of a warp",
    "shuffle": "exchange of registers among the lanes of a warp",
    "fence": "memory fence",
    "special_register": "read of a special register",
    "clock": "read of a cycle counter or timer",
    "load_global": "load from global memory",
    "store_global": "store to global memory",
    "load_local": "load from thread-local memory",
    "store_local": "store to thread-local memory",
    "load_shared": "load from shared memory",
    "store_shared": "store to shared memory",
    "load_constant": "load from constant memory by a computed address",
    "atomic_global": "atomic operation or reduction on global memory",
    "atomic_shared": "atomic operation on shared memory",
    "bulk_copy": "start of a bulk copy or reduction; its latency is that until the first byte moves, its interval that of two starts",
    "load_texture": "texture fetch, filtered or not, gather of four texels, query",
    "load_surface": "load from a surface, query",
    "store_surface": "store to a surface",
    **MATRIX_CLASSES,
}
"""Every class of operation, and what it holds. The unit is one instruction of a warp."""

FEATURES: dict[str, str] = {
    "fp64": "double-precision arithmetic (compute capability 1.3)",
    "fp32_fma": "single-precision fused multiply-add with one rounding (2.0)",
    "fp32_tanh": "approximate single-precision hyperbolic tangent (7.5)",
    "fp16": "half-precision arithmetic, single and in pairs (5.3)",
    "fp16_minmax": "half-precision minimum and maximum, .relu, conversion of two single-precision numbers to a pair (8.0)",
    "fp16_transcendental": "approximate half-precision exponential and hyperbolic tangent (7.5)",
    "minmax_nan": "single-precision minimum and maximum that pass NaN on (8.0)",
    "minmax_xorsign": "floating-point minimum and maximum with .xorsign.abs (8.6)",
    "bf16": "bfloat16 arithmetic and conversions, single and in pairs (8.0)",
    "tf32": "conversion to tf32 (8.0)",
    "fp8": "conversion from and to pairs of 8-bit floats, e4m3x2 and e5m2x2 (8.9)",
    "fp4_fp6": "conversion from and to pairs of 6- and 4-bit floats and of powers of two: e2m3x2, e3m2x2, e2m1x2, ue8m0x2 (10.0)",
    "int16x2": "pairs of 16-bit integers: add, minimum, maximum; minimum and maximum with .relu (9.0)",
    "atomics_global": "32-bit integer atomics on global memory (1.1)",
    "atomics_global_64": "64-bit integer atomics on global memory: add, exchange, compare and swap (1.2)",
    "atomics_shared": "32-bit integer atomics on shared memory (1.2)",
    "atomics_shared_64": "64-bit integer atomics on shared memory: add, exchange, compare and swap (2.0)",
    "atomics_minmax_64": "64-bit atomic minimum, maximum, and, or, xor (3.2)",
    "atomics_float_add": "single-precision atomic add (2.0)",
    "atomics_double_add": "double-precision atomic add (6.0)",
    "atomics_half_add": "atomic add on pairs of halves; single ones with `atomics_16` (6.0)",
    "atomics_bfloat_add": "atomic add on bfloat16 and pairs of them (9.0)",
    "atomics_16": "atomic operations on 16-bit elements (7.0)",
    "atomics_vector": "atomic operations on vectors in global memory (9.0)",
    "vote": "vote.all, vote.any, vote.uni (1.2)",
    "vote_ballot": "vote.ballot, active mask and lane-mask registers (2.0)",
    "match": "match.any, match.all (7.0)",
    "redux": "redux.sync (8.0)",
    "elect": "elect.sync (9.0)",
    "shuffle": "shfl (3.0)",
    "lane_masks_64": "64-bit lane masks on machines whose warps are wider than 32 lanes; up to 32 lanes they cost nothing more than 32-bit ones",
    "barrier_count": "barriers of other numbers than 0 and of part of a block (2.0)",
    "barrier_reduce": "barriers that reduce a predicate (2.0)",
    "bit_operations": "count, find, reverse, extract, insert bits (2.0)",
    "bit_masks": "bmsk, szext (7.0)",
    "byte_permute": "prmt (2.0)",
    "carry_chain": "multiply-add with carry (2.0)",
    "funnel_shift": "shf (3.2)",
    "int_dot": "dp2a, dp4a (6.1)",
    "convert_pack": "cvt.pack: two integers saturated and packed (7.2)",
    "read_only_loads": "ld.global.nc; a hint, loads work without it (3.2)",
    "unified_addressing": "generic addresses decided at run time (2.0)",
    "cp_async": "cp.async: copies from global to shared memory that nobody waits for (8.0)",
    "mbarrier": "mbarrier: barriers that lie in shared memory (8.0)",
    "mbarrier_tx": "mbarrier forms that count bytes, and try_wait (9.0)",
    "bulk_copies": "cp.async.bulk: copies and reductions of whole pieces of memory that one thread starts (9.0)",
    "register_reallocation": "setmaxnreg: warps give registers back, and take them (9.0)",
    "multimem": "multimem: loads, stores and reductions at multicast addresses; their only member is the device itself (9.0)",
    "multimem_fp8": "multimem.ld_reduce and multimem.st of 8-bit floats (10.0)",
    "clusters": "clusters of blocks: mapa, getctarank, barrier.cluster (9.0); of more than one block where `block_clusters` is declared",
    "device_print": "printf and assert (2.0)",
    "device_heap": "malloc and free in kernels (2.0)",
    "device_calls": "calls that are not inlined, recursion, a stack (2.0)",
    "indirect_calls": "calls through a register (2.0)",
    "clock": "per-multiprocessor cycle counters (1.0)",
    "clock64": "64-bit cycle counter (2.0)",
    "globaltimer": "nanosecond timer (3.0)",
    "dynamic_parallelism": "launches from the device (3.5)",
    "cooperative_launch": "launches whose blocks are all resident and may wait for each other (6.0)",
    "texture": "texture fetches through texture references, in one to three dimensions (1.0)",
    "texture_objects": "textures and surfaces named by a 64-bit handle in a register (3.0). An older machine may declare it: its "
                       "texture units fetch by a descriptor too, and only the way the descriptor is found differs, which costs "
                       "nothing here; so code compiled with texture objects runs on texture units that knew references only",
    "texture_layered": "layered textures: arrays of one- or two-dimensional layers (2.0)",
    "texture_cubemap": "cubemaps, fetched by direction (2.0)",
    "texture_gather": "one channel of four texels at a time (2.0)",
    "surface": "loads and stores at a texture's texels (2.0)",
    **MATRIX_FEATURES,
}
"""Every feature, what it allows, and the compute capability that brought it as an instruction of its own.

An older machine may declare a feature that its compiler can spell out in other instructions (bit fields, byte permutes, funnel
shifts): the cost of the class then says how many. What cannot be spelled out (atomics, votes, double precision) it must not.
"""

FEATURE_OF_CLASS: dict[str, str] = {
    **{name: "fp64" for name in OPERATION_CLASSES if name.startswith("fp64_")},
    **{name: "fp16" for name in OPERATION_CLASSES if name.startswith("fp16_")},
    "fp16_minmax": "fp16_minmax", "fp16_transcendental": "fp16_transcendental",
    "system_call": "device_print", "vote": "vote", "match": "match", "redux": "redux", "shuffle": "shuffle", "clock": "clock",
    "atomic_global": "atomics_global", "atomic_shared": "atomics_shared",
    "bulk_copy": "bulk_copies", "load_texture": "texture", "load_surface": "surface", "store_surface": "surface",
    **MATRIX_FEATURE_OF_CLASS,
}
"""Classes that a description may leave out, namely when it does not declare all the features beside them."""

FEATURE_NEEDS: dict[str, str] = {
    "atomics_global_64": "atomics_global", "atomics_shared": "atomics_global", "atomics_shared_64": "atomics_shared",
    "atomics_minmax_64": "atomics_global_64", "fp16_minmax": "fp16", "fp16_transcendental": "fp16",
    "atomics_float_add": "atomics_global", "atomics_double_add": "fp64", "vote_ballot": "vote",
    "bf16": "fp16_minmax", "atomics_half_add": "fp16", "atomics_bfloat_add": "bf16", "atomics_16": "atomics_global",
    "atomics_vector": "atomics_float_add", "elect": "vote_ballot", "mbarrier": "atomics_shared", "mbarrier_tx": "mbarrier",
    "multimem": "atomics_vector", "multimem_fp8": "multimem",
    "texture_objects": "texture", "texture_layered": "texture", "texture_cubemap": "texture", "texture_gather": "texture",
    "surface": "texture",
    "device_heap": "device_print", "barrier_reduce": "barrier_count", "indirect_calls": "device_calls", "clock64": "clock",
    **MATRIX_FEATURE_NEEDS,
}
"""Features that make no sense without another."""

MEMORY_CLASSES: frozenset[str] = frozenset(
    name for name in OPERATION_CLASSES if name.startswith(("load_", "store_", "atomic_")))
"""Classes whose latency is added to that of the memory which they access."""


@attrs.frozen(kw_only=True)
class SlowPath:
    """What an operation does for special operands (zeros, denormals, infinities, NaNs, numbers near the ends of the range), as CUDA's quotients and
    roots look for them."""

    guarded_issues: int | None = integer(at_most=100, optional=True, default=None)
    """Of the operation's `issues`, those under a predicate that holds for special operands alone: no lane executes them here."""
    paths: int | None = integer(at_most=4, optional=True, default=None)
    """Conditional branches that the operation contains besides, to code for special operands."""
    issues: int | None = integer(optional=True, default=None)
    """Warp instructions of that code, where lanes need it; None: none ever does."""
    branches: int | None = integer(optional=True, default=None)
    """Branches among them."""
    cycles: int | None = integer(optional=True, default=None)
    """SM cycles by which that code delays the result."""
    instructions: int | None = integer(optional=True, default=None)
    """Instructions of that code, which a kernel has once, behind its own."""


NO_SLOW_PATH = SlowPath()
"""That of an operation whose operands are all alike."""


@attrs.frozen
class Operation:
    """Cost of one class of operation."""

    unit: str = text()
    """Name of the unit that executes it."""
    latency_cycles: int = integer(at_least=0)
    """SM cycles from issue until a dependent instruction can issue; classes that access memory: added to the memory's own
    latency, and may be 0."""
    interval_cycles: float | None = real(optional=True, default=None)
    """SM cycles for which one warp instruction occupies the unit, of several `issues` in the mean; None: the warp's lanes over the unit's, rounded
    up. Parts of a cycle add up over instructions of arithmetic; elsewhere the sum is rounded to whole cycles."""
    issues: int = integer(at_least=0, default=1)
    """Warp instructions that the machine issues for it; 0: it is free, the compiler or an operand absorbs it."""
    slow_path: SlowPath | None = part(SlowPath, optional=True, default=None)
    """What it does for special operands; None: the same as for others."""

    @property
    def slow(self) -> SlowPath:
        """What it does for special operands, be it nothing."""
        return self.slow_path or NO_SLOW_PATH


@attrs.frozen(kw_only=True)
class SharedAtomic:
    """An atomic operation on shared memory that the banks do not carry out in one pass for each that lanes need."""

    bank_passes: int = integer(at_most=15, default=1)
    """Passes over the banks for each that lanes need."""
    lanes_merged: bool = flag(default=False)
    """Lanes that operate on one word are served together."""
    retry_cycles: int | None = integer(at_most=4000, optional=True, default=None)
    """Of a loop of a load and a compare-and-swap, in which one lane of each bank succeeds at a time: SM cycles of each further try; the latency is
    that of the first, and the warp goes on after the last. None: the memory operates by itself."""


@attrs.frozen(kw_only=True)
class GlobalAtomic:
    """An atomic operation on global memory that holds its partition for another time than most."""

    address_cycles: float | None = real(optional=True, default=None)
    """Core cycles for which an operation holds its partition if others are on the same address; None: `LoadStore.atomic_cycles`."""
    operands: int = integer(at_most=3, default=1)
    """Values that each lane sends; each holds its partition."""


@attrs.frozen(kw_only=True)
class Form(Operation):
    """Cost of some forms of instruction that differ from the rest of their class.

    An atomic operation with an immediate operand is looked up with it behind a colon, ``red.shared.add.u32:1``, a load of constants that a warp does
    as a whole as ``:uniform``, a move that loads a constant of the launch into a register of each lane as ``:brought``; then all without.
    """

    operation: str = text()
    """Class of operation that they belong to."""
    pattern: str = text()
    """Which: opcode and modifiers as written, such as ``ex2.approx.ftz.f32``; ``*`` and ``?`` stand for any characters and any one,
    ``[su]`` for one of several. Of the patterns of a class that fit, the longest counts."""
    shared_atomic: SharedAtomic | None = part(SharedAtomic, optional=True, default=None)
    """Of atomics on shared memory: how the banks serve them; None: in one pass for each that lanes need."""
    global_atomic: GlobalAtomic | None = part(GlobalAtomic, optional=True, default=None)
    """Of atomics on global memory: how long they hold their partition; None: one value of a lane, as long as usual."""


@attrs.frozen(kw_only=True)
class PartOfUnit:
    """Some copies of another unit, or all of them: an instruction for either holds one. So a unit of two copies, each of which is a unit by itself,
    stands for whichever is free; two units that are the same copy of another never work at a time."""

    unit: str = text()
    """Name of that unit."""
    first_copy: int = integer(at_least=0, at_most=7, default=0)
    """Which of its copies is the first of these, counted from 0."""


@attrs.frozen
class Unit:
    """A kind of execution unit."""

    name: str = text()
    """Name by which operations and pairs for dual issue refer to it."""
    lanes: int = integer(at_most=64)
    """Lanes that start per cycle: one warp instruction occupies the unit for ``ceil(warp.size / lanes)`` cycles."""
    scope: str = choice("scheduler", "multiprocessor", "exclusive", default="multiprocessor")
    """Whether each scheduler has one of its own, or all share one; ``exclusive``: all share it, and an instruction for it costs every other scheduler
    an issue slot as well."""
    copies: int = integer(at_most=8, default=1)
    """Units of this kind that the multiprocessor's schedulers share; each takes one warp instruction at a time."""
    part_of: PartOfUnit | None = part(PartOfUnit, optional=True, default=None)
    """Of which unit these are copies; None: they are units of their own."""


@named("plain")
class Assembler(Named):
    """What the assembler of the machine does to PTX beyond choosing instructions. Nothing of it, unless declared.

    Here is what assemblers of several families do. One that does more is a target of its own, which a plugin brings: a subclass made with `named`, with
    further fields, that says in `target` how it makes programs.
    """

    _choices: ClassVar[dict[str, type]] = {}

    joins_by_branch: bool = flag(default=False)
    """An instruction that counts as a branch joins lanes, and a conditional branch straight to where they meet is a guarded one, whose parting does not
    count as divergent."""
    debug_signs_by_branch: bool = flag(default=False)
    """Code for debugging: signed 32-bit quotients and remainders are negated in a block that lanes whose result is not negative leave by a guarded join,
    the others by one behind it."""
    loads_pass_shared_stores: bool = flag(default=False)
    """Loads from global memory start before stores to shared memory that stand before them."""
    predication_global_load_instructions: int = integer(default=1)
    """Instructions as which a load from global memory counts towards `Isa.predication_max_instructions`; an atomic operation as well."""
    convergence_instructions: int = integer(at_least=0, default=0)
    """Instructions, besides the branch, by which lanes that may diverge there reconverge."""
    prologue_instructions: int = integer(at_least=0, default=0)
    """Instructions with which every kernel begins."""

    def target(self, architecture: Any) -> Any:
        """Give the `archdef.lower.target.Target` that makes the programs of a machine; None: that of archdef."""
        return None

    def idle(self, architecture: Any) -> Mapping[str, str]:
        """Give the fields that say nothing on this machine, each with what would have to be so: they are refused."""
        return {}


@attrs.frozen(kw_only=True)
class BranchCosts:
    """What branches, guards and reconvergence cost beside the latency of a branch that is taken."""

    guard_latency_cycles: int = integer(at_least=0, default=0)
    """SM cycles by which a predicate is later as the guard of an instruction or branch than as an operand."""
    untaken_cycles: int | None = integer(at_least=1, optional=True, default=None)
    """SM cycles from a branch, or a guarded end, that no lane of a warp takes to the next instruction; None: as many as one that is taken."""
    convergence_cycles: int = integer(at_least=0, default=0)
    """SM cycles for which a warp waits at a place where lanes that may have diverged reconverge, the issue of what brings them together included."""


NO_BRANCH_COSTS = BranchCosts()
"""Those of a machine that has none."""


@attrs.frozen(kw_only=True)
class SerialMatch:
    """A ``match.any`` that takes the values among the lanes one by one, each of which holds the unit for the operation's interval."""

    value_cycles: int = integer()
    """SM cycles by which each further value delays the result."""


@attrs.frozen(kw_only=True)
class Isa:
    """What the instruction set offers and costs.

    `operations` must hold every class of `OPERATION_CLASSES`; a class listed in `FEATURE_OF_CLASS` may be left out when its
    feature is not declared, because then no program that uses it is accepted.
    """

    features: frozenset[str] = words(FEATURES, "feature")
    """What programs may use, out of `FEATURES`."""
    operations: Mapping[str, Operation] = table(Operation)
    """Class of operation → cost."""
    forms: Mapping[str, Form] = table(Form, default=FrozenMap())
    """Name → forms of instruction that cost something else than the rest of their class (`forms` makes this table)."""
    pointer_bits: int = choice(32, 64)
    """Width at which the machine computes addresses; 64-bit address arithmetic of a program is charged at this width."""
    instruction_bytes: int = integer(at_most=64, default=8)
    """Bytes of one issued instruction in memory, its share of control words included."""
    fuse_multiply_add: bool = flag()
    """Whether the compiler fuses a multiply and a dependent add into one instruction."""
    float_mad: str = choice("fused", "truncated", "separate")
    """Single-precision multiply-add: one rounding; product truncated to 24 bits; or two rounded operations."""
    serial_match: SerialMatch | None = part(SerialMatch, optional=True, default=None)
    """How ``match.any`` takes the values among the lanes one by one; None: it takes no longer for several."""
    branch_costs: BranchCosts | None = part(BranchCosts, optional=True, default=None)
    """What branches and guards cost beside the operation ``branch``; None: nothing."""
    exits_count_as_branches: bool = flag(default=False)
    """Whether the machine's counter of branches counts the ends of a kernel's threads too, guarded ones whether or not a lane takes them."""
    predication_max_instructions: int = integer(at_least=0)
    """Longest body of a branch that the compiler turns into predicated instructions; 0: never."""
    assembler: Assembler = extensible(Assembler, default=Assembler())
    """What the machine's assembler makes of PTX: that of archdef, or a target that a plugin brings."""
    matrix: MatrixArithmetic | None = part(MatrixArithmetic, optional=True, default=None)
    """How matrix instructions add up their products; None where there are none."""
    warpgroup: WarpgroupProducts | None = part(WarpgroupProducts, optional=True, default=None)
    """How four warps compute products together; None where they do not."""

    @property
    def branching(self) -> BranchCosts:
        """What branches and guards cost beside the operation ``branch``, be it nothing."""
        return self.branch_costs or NO_BRANCH_COSTS

    def cost(self, operation: str, form: str = "") -> Operation:
        """Give the cost of a class of operation, for a form of instruction such as ``ex2.approx.ftz.f32``. KeyError: there is none."""
        short = form.partition(":")[0]
        found = [one for one in self.forms.values()
                 if one.operation == operation and (fnmatchcase(form, one.pattern) or fnmatchcase(short, one.pattern))]
        return max(found, key=lambda one: (len(one.pattern), one.pattern)) if found and form else self.operations[operation]


CostTable: TypeAlias = Iterable[tuple[Operation, str]]
"""Rows *cost, names of what has it*. A dict would drop the first of two rows of equal cost without a word, so it is refused."""


def forms(*tables: CostTable) -> FrozenMap[str, Form]:
    """Turn tables of rows *cost, forms that have it, each* ``class:pattern``, into the mapping that `Isa.forms` wants; names are the patterns' words.

    >>> forms([(Operation("xu", 17), "fp32_transcendental:ex2.approx.ftz.f32")])["ex2_approx_ftz_f32"].latency_cycles
    17

    Raises SpecErrors if two forms have one name, or two rows of a table one cost.
    """
    made: dict[str, Form] = {}
    for name, (cost, entry) in _by_name("isa.forms", tables, lambda entry: re.sub(r"\W+", "_", entry.partition(":")[2]).strip("_")).items():
        operation, _, pattern = entry.partition(":")
        made[name] = Form(operation=operation, pattern=pattern, **attrs.asdict(cost, recurse=False))
    return FrozenMap(made)


def operations(*tables: CostTable) -> FrozenMap[str, Operation]:
    """Turn tables of rows *cost, names of the classes that have it* into the mapping that `Isa.operations` wants.

    >>> operations([(Operation("sp", 24), "move int_add"), (Operation("sp", 24, issues=2), "int64_add")])["int64_add"].issues
    2

    Raises SpecErrors if a class is listed twice, or if two rows of a table have one cost; names that are no class are refused by the `Architecture`.
    """
    return FrozenMap({name: cost for name, (cost, _) in _by_name("isa.operations", tables, str).items()})


def _by_name(path: str, tables: tuple[CostTable, ...], name_of: Callable[[str], str]) -> dict[str, tuple[Operation, str]]:
    """Give name → cost and entry of everything that cost tables list, each once; raise SpecErrors for all that is listed or charged twice."""
    made: dict[str, tuple[Operation, str]] = {}
    faults = []
    for table_rows in tables:
        rows: dict[Operation, str] = {}
        for cost, names in _rows(path, table_rows):
            if cost in rows:
                faults.append(SpecError(path, [shorten(rows[cost], 60), shorten(names, 60)], f"must have one row for {_brief(cost)} in a table"))
            rows[cost] = names
            for entry in names.split():
                name = name_of(entry)
                if name in made:
                    faults.append(SpecError(f"{path}.{name}", entry, f"must be declared once, not for {_brief(made[name][0])} and for {_brief(cost)}"))
                made[name] = cost, entry
    if faults:
        raise SpecErrors(f"the table of {path.removeprefix('isa.')} is not usable", faults)
    return made


def _brief(cost: Operation) -> str:
    """A cost for a message, without what is at its default."""
    values = ((field, getattr(cost, field.name)) for field in attrs.fields(Operation))
    return f"Operation({', '.join(f'{field.name}={value!r}' for field, value in values if value != field.default)})"


def _rows(path: str, given: CostTable) -> CostTable:
    """Give the rows of a cost table; refuse what is none."""
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise SpecErrors("a cost table is not usable", [SpecError(path, type(given), "must be made of rows (cost, names)")])
    rows = list(given)
    faults = [SpecError(path, row, "must be made of rows (cost, names)") for row in rows
              if not (isinstance(row, tuple) and len(row) == 2 and type(row[0]) is Operation and isinstance(row[1], str))]
    if faults:
        raise SpecErrors("a cost table is not usable", faults)
    return rows
