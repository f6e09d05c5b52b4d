"""The passes of this assembler: those of archdef, with its own between them."""
from __future__ import annotations

from typing import Any

from archdef.lower.allocate import coalesce
from archdef.lower.options import Options
from archdef.lower.passes.branches import predicate_loops
from archdef.lower.passes.dead import drop_dead, drop_labels
from archdef.lower.passes.predicates import combine_predicates
from archdef.lower.pipeline import Pass, after, before, changed
from archdef.lower.select import Accesses
from archdef.lower.target import PASSES, Target
from archdef_sass.passes.peephole import peephole, peephole_terms, clear_pairs
from archdef_sass.passes.compare_hoisting import hoist_compares
from archdef_sass.passes.blocks import begin_within, copy_first, else_first, join_tests
from archdef_sass.passes.fold import fold_constants
from archdef_sass.passes.list_scheduler import list_schedule
from archdef_sass.passes.narrow import narrow_shared_addresses
from archdef_sass.passes.overheads import (materialise_constants, materialise_immediates, reconverge_for_shuffles, charge_accesses, copy_counters,
                                           copy_pointers, load_before_copies,
                                           merge_atomics, move_constants, named_here, set_up_divisions, shared_bases)
from archdef_sass.passes.sums import keep_sums_apart, split_sums, three_inputs, widen_indices
from archdef_sass.passes.unroll import unroll
from archdef_sass.passes.vector import mark_uniform, merge_loads
from archdef_sass.passes.wide_operations import guard_selections, join_halves, share_reciprocals, wide_products

_PREDICATION = {
    "global_load": "predication_global_load_instructions", "overlap": "predication_overlap_instructions",
    "overlap_within": "predication_overlap_within_instructions",
    "beside_loads": "predication_near_loads_instructions", "with_copies": "predication_with_copies_instructions",
    "joined_tests_instructions": "joined_tests_instructions", "free_products": "share_products",
    "merged_atomics": "merged_atomics", "around_atomics": "branches_around_atomics"}
"""Field of `archdef.lower.passes.branches.Predication` → this assembler's."""
_COMBINED = {"branches_take_two": "branches_take_two", "repeats": "repeats_comparisons"}
_LAID_OUT = dict(options="straighten predicate", declared="falls_through_to_else")
_CHARGED = dict(options="charge_overheads", requires="branches, labels, fused, checked, coalesced")


def _as_selected(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Add what is done before operands are settled, and to narrow addresses."""
    passes = after(
        passes, "check_features",
        Pass(name="else_first", function=else_first, **_LAID_OUT, requires="reachable, labels", invalidates="flow"),
        Pass(name="keep_sums_apart", function=keep_sums_apart, takes="code source", declared="splits_wide_mads", requires="selected, unfused"),
        Pass(name="shared_bases", function=shared_bases, takes="code source layout", result="shared_bases", requires="selected"))
    passes = after(passes, "propagate", Pass(name="join_halves", function=join_halves, declared="reads_halves", requires="operands"))
    passes = before(
        passes, "fold_addresses",
        Pass(name="narrow_shared_addresses", function=narrow_shared_addresses, takes="code unit architecture options", declared="narrow_shared_addresses",
             requires="spaces, operands, unfused"))
    return after(
        passes, "fold_addresses",
        Pass(name="widen_indices", function=widen_indices, takes="code unit", options="fuse", declared="three_input_operations", pointer_bits=64,
             requires="operands, unfused"))


def _unrolled(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Add what is done to loops."""
    passes = changed(passes, "drop_dead", fields={"exchanges": "drops_dead_shuffles"})
    return after(
        passes, "drop_dead",
        Pass(name="predicate_loops", function=predicate_loops, takes="code unit architecture", fields=_PREDICATION | {"longest": "unroll_most_instructions"},
             options="unroll predicate", declared="unroll_factor", requires="labels, operands, checked", invalidates="flow"),
        Pass(name="unroll", function=unroll, takes="code unit architecture rolled", options="unroll", declared="unroll_factor",
             requires="labels, operands, unfused", gives="sass.trips", invalidates="flow"),
        Pass(name="fold_constants", function=fold_constants, options="unroll", declared="unroll_full_instructions", requires="sass.trips"),
        Pass(name="drop_dead_of_trips", function=drop_dead, options="unroll drop_dead", requires="reachable, sass.trips"))


def _joined(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Add what makes one operation of several, or nothing of one."""
    passes = before(
        passes, "scaled_indices",
        Pass(name="wide_products", function=wide_products, takes="code unit", options="fuse", declared="wide_products", requires="sass.trips, unfused"),
        Pass(name="share_reciprocals", function=share_reciprocals, takes="code unit", options="fuse", declared="shares_reciprocals",
             requires="sass.trips, unfused"))
    passes = changed(passes, "fuse", fields={"all_uses": "fuses_all_uses"}, requires="operands, unfused, sass.trips")
    passes = after(passes, "fuse", Pass(name="three_inputs", function=three_inputs, options="fuse", declared="three_input_operations", requires="fused"))
    return after(
        passes, "drop_dead_products",
        Pass(name="split_sums", function=split_sums, takes="code unit", fields={"shifts": "three_input_operations"}, options="fuse",
             declared="splits_wide_mads", pointer_bits=64, requires="fused"),
        Pass(name="peephole", function=peephole, takes="code assembler", options="fuse",
             declared="three_input_operations reads_halves adds_before_minmax source_modifiers", pointer_bits=64, requires="fused", gives="sass.peephole"),
        Pass(name="merge_loads", function=merge_loads, takes="code unit assembler", options="merge_loads", declared="shared_load_bytes constant_load_bytes",
             requires="spaces, operands, sass.peephole"),
        Pass(name="mark_uniform", function=mark_uniform, takes="code unit assembler", options="merge_loads", declared="constant_load_bytes",
             requires="spaces, operands"))


def _branched(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Add what is done to branches, and once they are settled."""
    passes = changed(passes, "combine_predicates", fields=_COMBINED)
    passes = before(
        passes, "combine_predicates",
        Pass(name="join_tests", function=join_tests, takes="code unit architecture", fields={"longest": "joined_tests_instructions"},
             options="straighten predicate",
             declared="joined_tests_instructions", requires="labels", invalidates="flow"))
    passes = changed(passes, "predicate_branches", fields=_PREDICATION)
    return after(
        passes, "drop_labels_of_guards",
        Pass(name="combine_predicates_of_guards", function=combine_predicates,      # what branches kept apart
             fields=_COMBINED, options="predicate combine_predicates", declared="repeats_comparisons", requires="branches"),
        Pass(name="copy_first", function=copy_first, **_LAID_OUT, requires="branches, labels", invalidates="flow, labels"),
        Pass(name="begin_within", function=begin_within, **_LAID_OUT, requires="branches", invalidates="flow, labels"),
        Pass(name="drop_labels_of_copies", function=drop_labels, **_LAID_OUT, requires="reachable", gives="labels", invalidates="flow"),
        Pass(name="guard_selections", function=guard_selections, takes="code architecture", options="predicate", declared="guards_selections",
             requires="branches"),
        Pass(name="peephole_terms", function=peephole_terms, takes="code assembler", options="fuse", declared="three_input_operations adds_before_minmax",
             pointer_bits=64, requires="branches, fused"))      # ptxas counts what is absorbed where it asks whether a branch is short


def _charged(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Add what is issued besides the operations of the source."""
    passes = changed(passes, "read_constants", fields={"widest_load": "constant_load_bytes"})
    passes = after(
        passes, "coalesce",
        Pass(name="clear_pairs", function=clear_pairs, options="coalesce", declared="clears_pairs", requires="coalesced"),
        Pass(name="hoist_compares", function=hoist_compares, options="start_loads_early", declared="list_scheduling", requires="branches, labels"))
    passes = before(
        passes, "charge_prologue",
        Pass(name="named_here", function=named_here, takes="code source", result="named_here", declared="loads_constants", requires="branches"),
        Pass(name="set_up_divisions", function=set_up_divisions, takes="code unit architecture", fields={"times": "division_setup_instructions"},
             declared="division_setup_instructions", **_CHARGED, invalidates="flow"))
    passes = after(
        passes, "charge_prologue",
        Pass(name="charge_accesses", function=charge_accesses, takes="code unit shared_bases",
             fields={"global_access": "global_access_instructions", "shared_access": "shared_access_instructions"},
             declared="global_access_instructions shared_access_instructions", **_CHARGED, invalidates="flow"),
        Pass(name="materialise_constants", function=materialise_constants, takes="code unit architecture room", declared="loads_constants", **_CHARGED,
             invalidates="flow"),
        Pass(name="materialise_immediates", function=materialise_immediates, takes="code unit named_here", declared="loads_constants", **_CHARGED,
             invalidates="flow"),
        Pass(name="move_constants", function=move_constants, takes="code unit", declared="moves_constants", **_CHARGED, invalidates="flow"),
        Pass(name="copy_pointers", function=copy_pointers, takes="code unit", fields={"longest": "copies_pointers"}, declared="copies_pointers", **_CHARGED),
        Pass(name="copy_counters", function=copy_counters, takes="code unit", declared="guards_selections", **_CHARGED),
        Pass(name="merge_atomics", function=merge_atomics, takes="code unit", fields={"times": "merged_atomics"}, declared="merged_atomics", **_CHARGED),
        Pass(name="load_before_copies", function=load_before_copies, fields={"times": "loads_before_copies"}, declared="loads_before_copies", **_CHARGED))
    return after(
        passes, "branch_to_slow_paths",
        Pass(name="reconverge_for_shuffles", function=reconverge_for_shuffles, takes="code unit", declared="shuffle_branches", **_CHARGED, invalidates="flow"))


def _ordered(passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
    """Add another order of straight code, in place of the usual one where the machine declares it."""
    passes = changed(passes, "start_loads_early", fields={"across": "loads_pass_shared_stores", "late": "late_operations"}, unless="list_scheduling")
    return after(
        passes, "start_loads_early",
        Pass(name="list_schedule", function=list_schedule, takes="code unit addresses room architecture", options="start_loads_early",
             declared="list_scheduling",
             requires="load order, charged, coalesced"),
        Pass(name="coalesce_ordered", function=coalesce, takes="code unit",     # what was read behind a copy may stand before it now
             options="start_loads_early coalesce", declared="list_scheduling", requires="charged"))


SASS_PASSES = _ordered(_charged(_branched(_joined(_unrolled(_as_selected(PASSES))))))
"""All passes of this assembler; each is switched by fields of `Sass`, too."""


class SassTarget(Target):
    """This assembler, for one machine."""

    def passes(self, options: Options) -> tuple[Pass, ...]:
        """Give the passes in their order."""
        return super().passes(options) if options.debug else SASS_PASSES

    @property
    def accesses(self) -> Accesses:
        """What selection puts around accesses to memory."""
        return Accesses(ordered_by_fences=self.assembler.orders_by_fences, atomics_branched_around=self.assembler.branches_around_atomics)

    @property
    def result_scoreboards(self) -> int:
        """Scoreboards of a warp for results that come after a time nobody knows beforehand."""
        count: Any = self.assembler.result_scoreboards
        return count
