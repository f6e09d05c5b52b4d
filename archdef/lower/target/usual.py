"""The passes that archdef brings, in their order, and what each needs of the one before."""
from __future__ import annotations

from archdef.lower.allocate import coalesce
from archdef.lower.passes.absorb import absorb, absorb_terms, clear_pairs
from archdef.lower.passes.addresses import fold_addresses
from archdef.lower.passes.ahead import compare_ahead
from archdef.lower.passes.branches import begin_within, copy_first, else_first, exit_early, invert_branches, join_tests, predicate_branches, predicate_loops
from archdef.lower.passes.charges import charge_overheads, shared_bases
from archdef.lower.passes.check import check_features, settle_caches
from archdef.lower.passes.constants import read_constants
from archdef.lower.passes.copies import propagate
from archdef.lower.passes.dead import drop_dead, drop_labels, drop_unreachable
from archdef.lower.passes.fold import fold_constants
from archdef.lower.passes.fuse import fuse, keep_sums_apart, share_products, split_sums, three_inputs, widen_indices
from archdef.lower.passes.interleave import interleave
from archdef.lower.passes.joins import leave_by_joining
from archdef.lower.passes.narrow import narrow_shared_addresses
from archdef.lower.passes.pointers import charge_addresses, narrow_addresses, scaled_indices
from archdef.lower.passes.predicates import combine_predicates
from archdef.lower.passes.schedule import start_loads_early
from archdef.lower.passes.shared_operands import read_shared_operands
from archdef.lower.passes.spaces import resolve_spaces
from archdef.lower.passes.unroll import unroll
from archdef.lower.passes.vector import merge_loads, mark_uniform
from archdef.lower.passes.whole import guard_selections, join_halves, share_reciprocals, whole_products
from archdef.lower.passes.written import negate_by_branch
from archdef.lower.pipeline import Pass

_ORDERED = "code unit addresses room architecture"

PASSES: tuple[Pass, ...] = (
    Pass(name="drop_unreachable", function=drop_unreachable, gives="reachable"),
    Pass(name="drop_labels", function=drop_labels, requires="reachable", gives="labels"),
    Pass(name="resolve_spaces", function=resolve_spaces, takes="code unit", gives="spaces"),
    Pass(name="check_features", function=check_features, takes="code architecture module source", requires="spaces", gives="checked"),
    Pass(name="else_first", function=else_first, options="straighten predicate", declared="falls_through_to_else", requires="reachable, labels"),
    Pass(name="keep_sums_apart", function=keep_sums_apart, takes="code source", declared="splits_wide_mads", requires="selected, unfused"),
    Pass(name="shared_bases", function=shared_bases, takes="code source layout", result="bases", requires="selected"),
    Pass(name="propagate", function=propagate, takes="code unit architecture", options="propagate", requires="reachable", gives="operands",
         invalidates="selected"),
    Pass(name="join_halves", function=join_halves, declared="reads_halves", requires="operands"),
    Pass(name="narrow_addresses", function=narrow_addresses, takes="code unit", pointer_bits=32, requires="spaces, operands, unfused"),
    Pass(name="narrow_shared_addresses", function=narrow_shared_addresses, takes="code unit architecture options", declared="narrow_shared_addresses",
         requires="spaces, operands, unfused"),
    Pass(name="fold_addresses", function=fold_addresses, takes="code unit", options="fold_addresses", requires="operands"),
    Pass(name="widen_indices", function=widen_indices, takes="code unit", options="fuse", declared="three_input_operations", pointer_bits=64,
         requires="operands, unfused"),
    Pass(name="drop_dead", function=drop_dead, fields={"exchanges": "drops_exchanges"}, options="drop_dead", requires="reachable"),
    Pass(name="predicate_loops", function=predicate_loops, takes="code unit architecture", fields={"longest": "unroll_most_instructions"},
         options="unroll predicate", declared="unroll_factor", requires="labels, operands"),
    Pass(name="unroll", function=unroll, takes="code unit architecture rolled", options="unroll", declared="unroll_factor",
         requires="labels, operands, unfused", gives="trips"),
    Pass(name="fold_constants", function=fold_constants, options="unroll", declared="unroll_whole_instructions", requires="trips"),
    Pass(name="drop_dead_of_trips", function=drop_dead, options="unroll drop_dead", requires="reachable, trips"),
    Pass(name="whole_products", function=whole_products, takes="code unit", options="fuse", declared="whole_products", requires="trips, unfused"),
    Pass(name="share_reciprocals", function=share_reciprocals, takes="code unit", options="fuse", declared="shares_reciprocals", requires="trips, unfused"),
    Pass(name="scaled_indices", function=scaled_indices, takes="code unit", result="scaled", options="fuse", pointer_bits=32, requires="spaces, unfused"),
    Pass(name="fuse", function=fuse, takes="code unit architecture scaled", options="fuse", requires="trips, operands, unfused", gives="fused",
         invalidates="unfused"),
    Pass(name="three_inputs", function=three_inputs, options="fuse", declared="three_input_operations", requires="fused"),
    Pass(name="share_products", function=share_products, takes="code unit architecture", options="share_products", pointer_bits=64, requires="fused"),
    Pass(name="drop_dead_products", function=drop_dead, options="share_products drop_dead", pointer_bits=64, requires="reachable, fused"),
    Pass(name="split_sums", function=split_sums, takes="code unit", fields={"shifts": "three_input_operations"}, options="fuse", declared="splits_wide_mads",
         pointer_bits=64, requires="fused"),
    Pass(name="absorb", function=absorb, takes="code architecture", options="fuse",
         declared="three_input_operations reads_halves adds_before_minmax source_modifiers", pointer_bits=64, requires="fused", gives="absorbed"),
    Pass(name="merge_loads", function=merge_loads, takes="code unit architecture", options="merge_loads", requires="spaces, operands, absorbed"),
    Pass(name="mark_uniform", function=mark_uniform, takes="code unit architecture", options="merge_loads", requires="spaces, operands"),
    Pass(name="join_tests", function=join_tests, takes="code unit architecture", options="straighten predicate", declared="joined_tests", requires="labels"),
    Pass(name="combine_predicates", function=combine_predicates, fields={"branches_take_two": "branches_take_two", "repeats": "repeats_comparisons"},
         options="combine_predicates", requires="operands"),
    Pass(name="invert_branches", function=invert_branches, options="straighten", requires="labels", invalidates="labels"),
    Pass(name="exit_early", function=exit_early, options="straighten", invalidates="labels, reachable"),
    Pass(name="drop_unreachable_ends", function=drop_unreachable, options="straighten", gives="reachable"),
    Pass(name="drop_labels_of_ends", function=drop_labels, requires="reachable", gives="labels"),
    Pass(name="predicate_branches", function=predicate_branches, takes="code unit architecture", options="predicate", requires="labels, reachable, checked",
         gives="branches", invalidates="labels"),
    Pass(name="drop_labels_of_guards", function=drop_labels, options="predicate", requires="reachable", gives="labels"),
    Pass(name="combine_predicates_of_guards", function=combine_predicates,      # what branches kept apart
         fields={"branches_take_two": "branches_take_two", "repeats": "repeats_comparisons"}, options="predicate combine_predicates",
         declared="repeats_comparisons", requires="branches"),
    Pass(name="copy_first", function=copy_first, options="straighten predicate", declared="falls_through_to_else", requires="branches, labels",
         invalidates="labels"),
    Pass(name="begin_within", function=begin_within, options="straighten predicate", declared="falls_through_to_else", requires="branches",
         invalidates="labels"),
    Pass(name="drop_labels_of_copies", function=drop_labels, options="straighten predicate", declared="falls_through_to_else", requires="reachable",
         gives="labels"),
    Pass(name="guard_selections", function=guard_selections, takes="code architecture", options="predicate", declared="guards_selections",
         requires="branches"),
    Pass(name="absorb_terms", function=absorb_terms, takes="code architecture", options="fuse", declared="three_input_operations adds_before_minmax",
         pointer_bits=64, requires="branches, fused"),
    Pass(name="read_constants", function=read_constants, takes="code unit architecture", requires="branches, operands, spaces"),
    Pass(name="coalesce", function=coalesce, takes="code unit", options="coalesce", requires="branches", gives="coalesced"),
    Pass(name="clear_pairs", function=clear_pairs, options="coalesce", declared="clears_pairs", requires="coalesced"),
    Pass(name="compare_ahead", function=compare_ahead, options="start_loads_early", declared="interleaves", requires="branches, labels"),
    Pass(name="read_shared_operands", function=read_shared_operands, takes="code architecture", options="fuse", declared="shared_operands",
         requires="fused, spaces, branches"),
    Pass(name="charge_overheads", function=charge_overheads, takes="code unit architecture bases source room", options="charge_overheads",
         requires="branches, labels, fused, checked, coalesced", gives="charged"),
    Pass(name="charge_addresses", function=charge_addresses, takes="code unit", pointer_bits=32, result="addresses", requires="spaces, charged"),
    Pass(name="start_loads_early", function=start_loads_early, takes=_ORDERED, options="start_loads_early", unless="interleaves",
         requires="load order, charged"),
    Pass(name="interleave", function=interleave, takes=_ORDERED, options="start_loads_early", declared="interleaves", requires="load order, charged"),
    Pass(name="coalesce_ordered", function=coalesce, takes="code unit",       # what was read behind a copy may stand before it now
         options="start_loads_early coalesce", declared="interleaves", requires="charged"),
    Pass(name="settle_caches", function=settle_caches, takes="code architecture source", requires="spaces", invalidates="load order"),
)
"""What is done to the code of a function, one after the other."""

AS_WRITTEN: tuple[Pass, ...] = (
    Pass(name="drop_unreachable", function=drop_unreachable, gives="reachable"),
    Pass(name="resolve_spaces", function=resolve_spaces, takes="code unit", gives="spaces"),
    Pass(name="check_features", function=check_features, takes="code architecture module source", requires="spaces", gives="checked"),
    Pass(name="settle_caches", function=settle_caches, takes="code architecture source", requires="spaces", invalidates="load order"),
    Pass(name="leave_by_joining", function=leave_by_joining, declared="joins_by_branch", requires="reachable"),
    Pass(name="negate_by_branch", function=negate_by_branch, takes="code unit", declared="debug_signs_by_branch", requires="selected"),
)
"""The same for debugging, as ``-G`` makes it: what has to be done, and nothing else. No branch goes, none becomes guards."""
