"""Shapley values: what each of several changes contributes to a difference, over the orders in which they can be made.

Players are changes, and a coalition is the set of those that have been made. A player's contribution in one order is the difference of the values
after and before its turn; its Shapley value is the mean over all orders. In every single order the contributions add up to the whole, so
the means do as well.

References: Shapley, A Value for n-Person Games, 1953. Castro, Gómez and Tejada, Polynomial Calculation of the Shapley Value Based on Sampling,
Computers & Operations Research 36(5), 2009. Mitchell et al., Sampling Permutations for Shapley Value Estimation, JMLR 23, 2022 (an order and its
reverse as a pair).
"""
from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import attrs

Coalition: TypeAlias = frozenset[int]
Value: TypeAlias = Callable[[Coalition], float]


@attrs.frozen
class Contribution:
    """What one player contributes."""

    mean: float
    """Over all orders, or those that were drawn."""
    standard_error: float | None
    """Of the mean; 0 where all orders count, None where a single pair of them was drawn."""
    alone: float
    """Where it comes first."""
    last: float
    """Where it comes last."""
    least: float
    """The least of any order that was looked at …"""
    most: float
    """… and the most."""


@attrs.frozen
class Plan:
    """Which orders are looked at."""

    players: int
    orders: tuple[tuple[int, ...], ...] | None
    """Pairs of an order and its reverse; None: all orders there are."""

    def coalitions(self) -> tuple[Coalition, ...]:
        """List the coalitions whose value is needed: none and all, one player, all but one, then the others."""
        whole = range(self.players)
        first = [frozenset[int](), frozenset(whole), *(frozenset([player]) for player in whole),
                 *(frozenset(whole) - {player} for player in whole)]
        others: Iterable[Coalition] = _subsets(whole) if self.orders is None else (frozenset(order[:k]) for order in self.orders for k in range(len(order)))
        return tuple(dict.fromkeys([*first, *others]))

    def contributions(self, value: Value) -> list[Contribution]:
        """Compute what each player contributes."""
        return [self._of(player, value) for player in range(self.players)]

    def _of(self, player: int, value: Value) -> Contribution:
        whole = frozenset(range(self.players))
        alone, last = (value(before | {player}) - value(before) for before in (frozenset[int](), whole - {player}))
        if self.orders is None:
            found = [(value(before | {player}) - value(before), _weight(len(before), self.players)) for before in _subsets(whole - {player})]
            steps = [step for step, _ in found]
            mean = math.fsum(step * weight for step, weight in found)
            error: float | None = 0.0
        else:
            steps = [_step(order, player, value) for order in self.orders]
            pairs = [(one + other) / 2 for one, other in zip(steps[::2], steps[1::2], strict=True)]
            mean, error = statistics.fmean(pairs), statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else None
        return Contribution(mean, error, alone, last, min(*steps, alone, last), max(*steps, alone, last))


def plan(players: int, orders: int, at_most: int, seed: int) -> Plan | None:
    """Plan how to find Shapley values: exactly where that needs no more coalitions than so many `orders` do, else by orders drawn with a seed.

    Fewer orders are drawn where the values of `at_most` coalitions are to be computed. None: those do not suffice for one pair.
    """
    if 2 ** min(players, 62) <= min(at_most, max(_needed(players, orders), 4)):
        return Plan(players, None)
    pairs = max(1, orders // 2)
    while pairs > 1 and _needed(players, 2 * pairs) > at_most:
        pairs -= 1
    if _needed(players, 2 * pairs) > at_most:
        return None
    drawn = random.Random(seed)
    found: list[tuple[int, ...]] = []
    for _ in range(pairs):
        order = drawn.sample(range(players), players)
        found += [tuple(order), tuple(reversed(order))]
    return Plan(players, tuple(found))


def _needed(players: int, orders: int) -> int:
    """Count the coalitions of so many orders at most: none, all, one, all but one, and those of 2 … n - 2 players of each order."""
    return 2 + 2 * players + orders * max(0, players - 3)


def least_needed(players: int) -> int:
    """Count the coalitions without which there is no answer."""
    return min(1 << min(players, 62), _needed(players, 2))


def _step(order: Sequence[int], player: int, value: Value) -> float:
    before = frozenset(order[:order.index(player)])
    return value(before | {player}) - value(before)


def _subsets(players: Iterable[int]) -> Iterator[Coalition]:
    listed = sorted(players)
    return (frozenset(chosen) for size in range(len(listed) + 1) for chosen in combinations(listed, size))


def _weight(before: int, players: int) -> float:
    """Give the share of all orders in which exactly some given players stand before another."""
    return math.factorial(before) * math.factorial(players - before - 1) / math.factorial(players)
