"""The rules of advice, each in a module of its own."""
from archdef.advice.finding import Rule
from archdef.hookspecs import hookimpl
from archdef.advice.rules import bank_conflicts, contended_atomics, double_precision, lane_parity, lanes32, occupancy_limiter, partition_camping, \
    redundant_barriers, spills, tail, too_little_parallelism, uncoalesced

RULES: tuple[Rule, ...] = (uncoalesced.RULE, bank_conflicts.RULE, partition_camping.RULE, contended_atomics.RULE, occupancy_limiter.RULE, spills.RULE,
                           double_precision.RULE, tail.RULE, lane_parity.RULE, redundant_barriers.RULE, too_little_parallelism.RULE, lanes32.RULE)
"""Every rule of archdef's own."""

__all__ = ["RULES", "archdef_advice_rules"]


@hookimpl
def archdef_advice_rules() -> tuple[Rule, ...]:
    """Give archdef's own rules, as plugins give theirs."""
    return RULES
