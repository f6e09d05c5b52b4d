"""NVIDIA's assembler for compute capability 5.0 and newer, as a target of archdef's lowering: `Sass`.

A machine names it by ``isa.assembler=Sass(…)`` and says in its fields what its generation does. Rules and figures are read off machine code by ptxas 13.0
for compute capability 9.0, which alone sets most of them so far; what older generations set says its compiler in the machine's evidence.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from archdef.spec import Assembler, named
from archdef.spec.fields import choice, flag, integer, integers

__all__ = ["SM_70", "Sass"]


@named("sass")
class Sass(Assembler):
    """What the assembler does to PTX beyond choosing instructions. Nothing of it, unless declared."""

    result_scoreboards: int = integer(at_least=0, at_most=64, default=0)
    """Scoreboards of a warp for results that come after a time nobody knows beforehand. Where more loads are under way, some share one, and what waits
    for one of them waits for all of them. 0: each has its own."""
    unroll_factor: int = integer(at_most=16, default=1)
    """Trips that one round of a counted loop of one basic block makes; 1: loops stay as they are."""
    unroll_max_instructions: int = integer(at_least=0, default=0)
    """Instructions of the longest loop that is unrolled; accesses to memory count more (`unroll_access_instructions`), the step of the counter and its test
    not."""
    unroll_global_load_instructions: int = integer(at_least=0, default=0)
    """Instructions that it may have more where it loads from global memory."""
    unroll_shared_load_instructions: int = integer(at_least=0, default=0)
    """Instructions that it may have more for each load from shared memory, if that is more."""
    unroll_most_instructions: int = integer(at_least=0, default=128)
    """Instructions of the longest loop that is unrolled, whatever it loads."""
    unroll_full_instructions: int = integer(at_least=0, default=0)
    """Instructions, of all trips, up to which a loop becomes straight code whose number of trips is known, and more for each
    trip (`unroll_full_trip_instructions`); 0: none does."""
    unroll_known_instructions: int = integer(at_least=0, default=0)
    """Instructions of a round, and of the trips that are left over, of other loops whose number of trips is known; 0: they are treated as if it was not."""
    unroll_full_trips: int = integer(default=128)
    """Trips up to which a loop may become straight code."""
    unroll_full_trip_instructions: int = integer(at_least=0, default=10)
    """Instructions by which such a loop may be longer for each trip: about the step and the test that it saves."""
    unroll_known_max_instructions: int = integer(at_least=0, default=73)
    """Instructions of the longest loop of known trips of which a round makes several."""
    unroll_access_instructions: int = integer(at_least=0, default=2)
    """Instructions as which an access to memory counts; this and the next as seen in 50 loops that ptxas 13.0 unrolls, or does not."""
    unroll_atomic_instructions: int = integer(at_least=0, default=11)
    """Instructions as which an atomic operation counts."""
    share_products: bool = flag(default=False)
    """A 64-bit product counts for nothing towards `Isa.predication_max_instructions`, as the addition takes it in. (That it does, even where others read
    the product too, is so on every machine on which it is one instruction, and an addition of 64 bits several.)"""
    splits_wide_mads: bool = flag(default=False)
    """``mad.wide`` of 32 bits is a product and an addition of 64 bits; products and additions that the program has apart become one all the same."""
    three_input_operations: bool = flag(default=False)
    """A shift, sum or difference that only an addition reads, and logic that only logic reads, become one operation with it; so does the test
    for 0 of what logic gives, and the widening of what an addition of 64 bits reads. Halves of 64-bit numbers that are 0 or not read cost
    nothing."""
    shared_load_bytes: int = choice(4, 8, 16, default=4)
    """Widest load from shared memory into which loads of neighbouring words are merged."""
    constant_load_bytes: int = choice(0, 4, 8, 16, default=0)
    """Widest load from constant memory: wider ones are several, loads of neighbouring words are merged up to that; from 8 on, what those give that
    come from a place that the program names lies in registers of the whole warp. 0: they stay as they are."""
    predication_overlap_instructions: int = integer(at_least=0, default=0)
    """Instructions, before the load and in the basic block behind the branch, that do not need it, from which on it counts as one; 0: never."""
    predication_overlap_within_instructions: int = integer(at_least=0, default=0)
    """The same for a branch within another one: instructions behind it."""
    predication_near_loads_instructions: int = integer(at_least=0, default=0)
    """`Isa.predication_max_instructions` where a load from global memory is near that others could wait for meanwhile, outside of loops, if that
    is more."""
    joined_tests_instructions: int = integer(at_least=0, default=0)
    """Instructions between two branches to one place, up to which they are done whatever the first branch would do, and the second branches for both;
    0: never."""
    predication_with_copies_instructions: int = integer(at_least=0, default=0)
    """`Isa.predication_max_instructions` of a branch that starts asynchronous copies (`cp.async`), if that is more."""
    falls_through_to_else: bool = flag(default=False)
    """Of ``@p bra A; bra B`` the code at B comes next, that at A behind it."""
    shuffle_branches: bool = flag(default=False)
    """Exchanges among the lanes of a warp, where lanes may have diverged before, branch to code that brings them together, once a basic block."""
    loads_before_copies: int = integer(at_least=0, default=0)
    """Loads from shared memory, by no lane, that stand before an asynchronous copy (`cp.async`), unless an earlier one of its basic block has had
    them, with no barrier and no access to shared memory in between."""
    global_access_instructions: int = integer(at_least=0, default=0)
    """Instructions that prepare a kernel's accesses to global memory, once."""
    shared_access_instructions: int = integer(at_least=0, default=0)
    """Instructions that make the address of a variable in shared memory, once on every way through the kernel that names one."""
    merged_atomics: tuple[int, int] = integers(at_least=0, length=2, default=(0, 0))
    """Instructions by which one lane comes to do the 32-bit integer atomic of its warp, where the address is one for all lanes: without and
    with a result; 0: every lane does its own."""
    division_setup_instructions: int = integer(at_least=0, default=0)
    """Instructions that prepare 32-bit integer divisions by the same variable, beside those of `int_div32`; unsigned ones take one less."""
    loads_constants: bool = flag(default=False)
    """Parameters and sizes of the launch are brought into registers, one instruction each; likewise immediates beyond one operand."""
    moves_constants: bool = flag(default=False)
    """An instruction reads one constant of the launch, or one immediate; what it reads besides is moved into a register, once a basic block."""
    adds_before_minmax: bool = flag(default=False)
    """The smaller or greater of a 32-bit sum and another number is one operation with the sum, if nothing else reads that; so is that of three numbers."""
    fuses_all_uses: bool = flag(default=False)
    """A product that several additions of a basic block read, and nothing else, becomes part of each of them, not one instruction for all."""
    repeats_comparisons: bool = flag(default=False)
    """Logic of two comparisons is part of the first of them, or of one that nothing else reads; a comparison that others read too is made again."""
    reads_halves: bool = flag(default=False)
    """Operations on numbers of 16 bits read either half of a register, so that taking one out costs nothing where only those read it."""
    copies_pointers: int = integer(at_least=0, default=0)
    """Instructions of the longest loop that is not unrolled in which the halves of 64-bit pointers that step through it are no pair of registers:
    two instructions a trip make it one; where there is but one pointer, one."""
    source_modifiers: bool = flag(default=False)
    """Floating-point operations take an operand's sign, or magnitude, into account by themselves."""
    guards_selections: bool = flag(default=False)
    """Where what an operation gives, or else the operand that it changes, is selected, the operation is predicated instead."""
    drops_dead_shuffles: bool = flag(default=False)
    """Exchanges of lanes whose result nobody reads are left out."""
    branches_around_atomics: bool = flag(default=False)
    """Atomic operations are not predicated, whatever the program says."""
    orders_by_fences: bool = flag(default=False)
    """An access that releases has a fence before it, one that acquires an instruction behind it that empties L1, which waits for it."""
    clears_pairs: bool = flag(default=False)
    """Two neighbouring registers of a vector, or of the result of a matrix instruction, are set to 0 by one instruction."""
    shares_reciprocals: bool = flag(default=False)
    """``div.full`` is a reciprocal, one for all that have the same divisor in a row, and a product; by a constant a product alone."""
    wide_products: bool = flag(default=False)
    """Both halves of a product of 32 bits come from one multiplication."""
    late_operations: bool = flag(default=False)
    """Operations that need no load wait while loads that are under way fill the registers allowed."""
    narrow_shared_addresses: bool = flag(default=False)
    """Addresses of shared and local memory are made with 32-bit arithmetic, whatever `Isa.pointer_bits` is."""
    list_scheduling: bool = flag(default=False)
    """Straight code is ordered by the latencies of its chains, within the registers that cost nothing; otherwise loads alone move."""
    list_scheduling_predicates: int = integer(at_least=1, default=64)
    """Predicates that may hold something at a time in code that is ordered so, unless its text needs more."""
    list_scheduling_wait_cycles: int = integer(at_least=0, default=12)
    """Cycles for which a load with a longer way to go is waited for, once half of the registers are taken, in code that is ordered so."""
    list_scheduling_windows: tuple[int, ...] = integers(longest=8, default=(128, 96, 64))
    """Operations that are looked ahead at, tried in turn where registers are short."""
    list_scheduling_barriers: int = integer(at_least=0, default=2)
    """Barriers past which an operation comes early at most; so in code by ptxas 13.0 of loops that were unrolled with barriers within."""
    branches_take_two: bool = flag(default=False)
    """A branch back waits for two predicates itself, both of which must hold."""
    operand_read_cycles: int = integer(at_least=0, default=0)
    """Cycles from an access to memory until the registers that it reads may hold something else; code that is ordered so keeps to it."""

    def target(self, architecture: Any) -> Any:
        """Give what makes programs as this assembler does."""
        from archdef_sass.target import SassTarget  # lowering is not needed to describe a machine

        return SassTarget(architecture)

    def idle(self, architecture: Any) -> Mapping[str, str]:
        """Give the fields that say nothing on this machine, each with what would have to be so."""
        found = {} if self.list_scheduling else dict.fromkeys(
            ("operand_read_cycles", "list_scheduling_wait_cycles", "list_scheduling_windows", "list_scheduling_barriers"), "isa.assembler.list_scheduling")
        for feature, names in _OF_FEATURES.items():
            if feature not in architecture.isa.features:
                found |= dict.fromkeys(names, f"isa.features has {feature}")
        if self.unroll_factor == 1:
            found |= dict.fromkeys(_OF_UNROLLING, "isa.assembler.unroll_factor is more than 1")
        return found


SM_70 = Sass(
    result_scoreboards=4, unroll_factor=4, unroll_max_instructions=18, unroll_global_load_instructions=29, unroll_shared_load_instructions=5,
    unroll_full_instructions=400, unroll_known_instructions=350, share_products=True, splits_wide_mads=True, three_input_operations=True,
    shared_load_bytes=16, loads_pass_shared_stores=True, predication_global_load_instructions=6, predication_near_loads_instructions=18,
    predication_overlap_instructions=3, predication_overlap_within_instructions=5, falls_through_to_else=True, joined_tests_instructions=5,
    shuffle_branches=True, convergence_instructions=2, prologue_instructions=1, division_setup_instructions=9, late_operations=True, list_scheduling=True,
    list_scheduling_predicates=7, operand_read_cycles=20, narrow_shared_addresses=True, merged_atomics=(5, 10), reads_halves=True, copies_pointers=36,
    source_modifiers=True, drops_dead_shuffles=True, branches_around_atomics=True, orders_by_fences=True, clears_pairs=True, shares_reciprocals=True,
    wide_products=True, branches_take_two=True, guards_selections=True, adds_before_minmax=True, fuses_all_uses=True, repeats_comparisons=True,
    moves_constants=True)
"""What it does for compute capability 7.0: as for 9.0, but that arithmetic reads constants itself and that no register belongs to a whole warp.

Read off code of 256 kernels by ptxas 11.8 for sm_70, beside code by ptxas 13.0 for sm_90; that of sm_75 and sm_80 differs by fewer instructions yet.
"""

_OF_FEATURES = {"atomics_global": ("merged_atomics", "branches_around_atomics"), "cp_async": ("predication_with_copies_instructions", "loads_before_copies"),
                "shuffle": ("drops_dead_shuffles",)}
"""Feature → fields about what needs it."""
_OF_UNROLLING = tuple(f"unroll_{name}" for name in (
    "max_instructions", "global_load_instructions", "shared_load_instructions", "most_instructions", "full_instructions", "known_instructions", "full_trips",
    "full_trip_instructions", "known_max_instructions", "access_instructions", "atomic_instructions"))
