"""The passes that archdef brings, in their order, and what each needs of the one before."""
from __future__ import annotations

from archdef.lower.allocate import coalesce
from archdef.lower.passes.addresses import fold_addresses
from archdef.lower.passes.branches import exit_early, invert_branches, predicate_branches
from archdef.lower.passes.overheads import branch_to_slow_paths, charge_prologue, charge_joins, charge_reconvergence
from archdef.lower.passes.check import check_features, settle_caches
from archdef.lower.passes.constants import read_constants
from archdef.lower.passes.copies import propagate
from archdef.lower.passes.dead import drop_dead, drop_labels, drop_unreachable
from archdef.lower.passes.fuse import fuse, share_products
from archdef.lower.passes.branch_joins import reconverge_by_branch
from archdef.lower.passes.pointers import charge_addresses, narrow_addresses, scaled_indices
from archdef.lower.passes.predicates import combine_predicates
from archdef.lower.passes.schedule import start_loads_early
from archdef.lower.passes.spaces import resolve_spaces
from archdef.lower.passes.debug_signs import negate_by_branch
from archdef.lower.pipeline import Pass

PASSES: tuple[Pass, ...] = (
    Pass(name="drop_unreachable", function=drop_unreachable, gives="reachable", invalidates="flow"),
    Pass(name="drop_labels", function=drop_labels, requires="reachable", gives="labels", invalidates="flow"),
    Pass(name="resolve_spaces", function=resolve_spaces, takes="code unit", gives="spaces"),
    Pass(name="check_features", function=check_features, takes="code architecture module source", requires="spaces", gives="checked"),
    Pass(name="propagate", function=propagate, takes="code unit architecture", options="propagate", requires="reachable", gives="operands",
         invalidates="selected"),
    Pass(name="narrow_addresses", function=narrow_addresses, takes="code unit", pointer_bits=32, requires="spaces, operands, unfused"),
    Pass(name="fold_addresses", function=fold_addresses, takes="code unit", options="fold_addresses", requires="operands"),
    Pass(name="drop_dead", function=drop_dead, options="drop_dead", requires="reachable"),
    Pass(name="scaled_indices", function=scaled_indices, takes="code unit", result="scaled", options="fuse", pointer_bits=32, requires="spaces, unfused"),
    Pass(name="fuse", function=fuse, takes="code unit architecture scaled", options="fuse", requires="operands, unfused", gives="fused",
         invalidates="unfused"),
    Pass(name="share_products", function=share_products, takes="code unit architecture", options="share_products", pointer_bits=64, requires="fused"),
    Pass(name="drop_dead_products", function=drop_dead, options="share_products drop_dead", pointer_bits=64, requires="reachable, fused"),
    Pass(name="combine_predicates", function=combine_predicates, options="combine_predicates", requires="operands"),
    Pass(name="invert_branches", function=invert_branches, options="straighten", requires="labels", invalidates="flow, labels"),
    Pass(name="exit_early", function=exit_early, options="straighten", invalidates="flow, labels, reachable"),
    Pass(name="drop_unreachable_ends", function=drop_unreachable, options="straighten", gives="reachable", invalidates="flow"),
    Pass(name="drop_labels_of_ends", function=drop_labels, requires="reachable", gives="labels", invalidates="flow"),
    Pass(name="predicate_branches", function=predicate_branches, takes="code unit architecture", fields={"global_load": "predication_global_load_instructions"},
         options="predicate", requires="labels, reachable, checked", gives="branches", invalidates="flow, labels"),
    Pass(name="drop_labels_of_guards", function=drop_labels, options="predicate", requires="reachable", gives="labels", invalidates="flow"),
    Pass(name="read_constants", function=read_constants, takes="code unit architecture", requires="branches, operands, spaces"),
    Pass(name="coalesce", function=coalesce, takes="code unit", options="coalesce", requires="branches", gives="coalesced"),
    Pass(name="charge_prologue", function=charge_prologue, takes="code unit", fields={"times": "prologue_instructions"}, options="charge_overheads",
         declared="prologue_instructions", requires="branches", invalidates="flow"),
    Pass(name="branch_to_slow_paths", function=branch_to_slow_paths, takes="code unit architecture", options="charge_overheads",
         requires="branches, fused", gives="charged", invalidates="flow"),
    Pass(name="charge_reconvergence", function=charge_reconvergence, takes="code unit", fields={"times": "convergence_instructions"},
         options="charge_overheads",
         declared="convergence_instructions", requires="branches, labels, charged"),
    Pass(name="charge_joins", function=charge_joins, takes="code unit", options="charge_overheads", declared="joins_by_branch",
         requires="branches, labels, charged", invalidates="flow"),
    Pass(name="charge_addresses", function=charge_addresses, takes="code unit", pointer_bits=32, result="addresses", requires="spaces, charged"),
    Pass(name="start_loads_early", function=start_loads_early, takes="code unit addresses room architecture", fields={"across": "loads_pass_shared_stores"},
         options="start_loads_early", requires="load order, charged, coalesced"),
    Pass(name="settle_caches", function=settle_caches, takes="code architecture source", requires="spaces", invalidates="load order"),
)
"""What is done to the code of a function, one after the other."""

AS_WRITTEN: tuple[Pass, ...] = (
    Pass(name="drop_unreachable", function=drop_unreachable, gives="reachable", invalidates="flow"),
    Pass(name="resolve_spaces", function=resolve_spaces, takes="code unit", gives="spaces"),
    Pass(name="check_features", function=check_features, takes="code architecture module source", requires="spaces", gives="checked"),
    Pass(name="settle_caches", function=settle_caches, takes="code architecture source", requires="spaces", invalidates="load order"),
    Pass(name="reconverge_by_branch", function=reconverge_by_branch, declared="joins_by_branch", requires="reachable"),
    Pass(name="negate_by_branch", function=negate_by_branch, takes="code unit", declared="debug_signs_by_branch", requires="selected", invalidates="flow"),
)
"""The same for debugging, as ``-G`` makes it: what has to be done, and nothing else. No branch goes, none becomes guards."""
