"""Shapley values: exact for games whose answer is known, unbiased where orders are drawn, and always adding up to the whole."""
import math

import pytest
from hypothesis import given, strategies as st

from archdef.attribution.shapley import least_needed, plan

GLOVES = {frozenset(): 0, frozenset({0}): 0, frozenset({1}): 0, frozenset({2}): 0, frozenset({0, 1}): 0, frozenset({0, 2}): 1, frozenset({1, 2}): 1,
          frozenset({0, 1, 2}): 1}
"""Players 0 and 1 have a left glove each, 2 a right one; a pair is worth 1. The Shapley values are 1/6, 1/6, 2/3 (textbooks)."""


def value_of(numbers):
    """A game in which each player brings a number, and three neighbours together thrice that of the first."""
    def value(chosen):
        return sum(numbers[one] for one in chosen) + sum(3 * numbers[one] for one in chosen if {(one + 1) % len(numbers), (one + 2) % len(numbers)} <= chosen)
    return value


def shapley_of(numbers):
    """Its Shapley values: what three bring together is shared evenly."""
    return [number + number + numbers[player - 1] + numbers[player - 2] for player, number in enumerate(numbers)]


def test_players_of_the_glove_game_get_what_textbooks_give_them():
    found = plan(3, 8, 100, 1)
    assert found.orders is None and [one.mean for one in found.contributions(GLOVES.__getitem__)] == pytest.approx([1 / 6, 1 / 6, 2 / 3])
    assert [(one.alone, one.last, one.least, one.most) for one in found.contributions(GLOVES.__getitem__)] == [(0, 0, 0, 1), (0, 0, 0, 1), (0, 1, 0, 1)]
    assert all(one.standard_error == 0 for one in found.contributions(GLOVES.__getitem__))


@given(st.lists(st.floats(-3, 3), min_size=4, max_size=10), st.integers(2, 12), st.integers(0, 99))
def test_contributions_add_up_to_the_whole_whichever_orders_are_drawn(numbers, orders, seed):
    value, whole = value_of(numbers), frozenset(range(len(numbers)))
    found = plan(len(numbers), orders, 10_000, seed).contributions(value)
    assert math.fsum(one.mean for one in found) == pytest.approx(value(whole), abs=1e-9)
    assert all(one.least - 1e-9 <= one.mean <= one.most + 1e-9 for one in found)


def test_drawn_orders_are_as_far_off_as_their_standard_error_says():
    numbers = [1.0, -2.0, 0.5, 3.0, 0.0, 1.5, -1.0, 2.5, 0.25]
    errors = []
    for seed in range(40):
        drawn = plan(9, 12, 10_000, seed)
        assert len(drawn.orders) == 12
        errors += [(one.mean - exact) / one.standard_error for one, exact in zip(drawn.contributions(value_of(numbers)), shapley_of(numbers))
                   if one.standard_error > 1e-12]
    assert len(errors) > 200
    assert math.fsum(error ** 2 for error in errors) / len(errors) == pytest.approx(5 / 3, rel=0.5)     # variance of Student's t of six pairs
    assert abs(math.fsum(errors)) / len(errors) < 0.15          # no bias


def test_all_orders_give_the_values_that_are_known():
    numbers = [1.0, -2.0, 0.5, 3.0, 0.0]
    assert [one.mean for one in plan(5, 100, 1000, 0).contributions(value_of(numbers))] == pytest.approx(shapley_of(numbers))


def test_orders_come_in_pairs_with_their_reverse():
    drawn = plan(8, 6, 1000, 3)
    assert all(one == tuple(reversed(other)) for one, other in zip(drawn.orders[::2], drawn.orders[1::2]))
    assert drawn == plan(8, 6, 1000, 3) and drawn != plan(8, 6, 1000, 4)


def test_a_game_where_players_do_not_matter_to_each_other_has_no_error():
    found = plan(9, 4, 1000, 0).contributions(lambda chosen: sum(chosen))
    assert [(one.mean, one.standard_error, one.least, one.most) for one in found] == [(k, 0, k, k) for k in range(9)]


def test_a_single_pair_of_orders_tells_no_error():
    assert [one.standard_error for one in plan(9, 2, 1000, 0).contributions(len)] == [None] * 9


@pytest.mark.parametrize("players, orders, at_most, exact", [(0, 2, 10, True), (1, 2, 10, True), (2, 2, 10, True), (4, 8, 256, True), (6, 8, 256, False),
                                                             (6, 20, 256, True), (4, 8, 15, False), (14, 8, 256, False)])
def test_all_orders_count_where_that_takes_no_more_runs(players, orders, at_most, exact):
    found = plan(players, orders, at_most, 0)
    assert (found.orders is None) == exact
    assert len(found.coalitions()) == len(set(found.coalitions())) <= at_most
    assert len(found.coalitions()) == 2 ** players or not exact


def test_fewer_orders_are_drawn_where_runs_are_few():
    assert [len(plan(14, 8, runs, 0).orders) for runs in (118, 117, 74, 52)] == [8, 6, 4, 2]
    assert plan(14, 8, 51, 0) is None and least_needed(14) == 52


def test_no_coalition_beyond_those_planned_is_asked_for():
    for found in (plan(9, 6, 1000, 0), plan(4, 8, 1000, 0)):
        known = {coalition: float(len(coalition)) for coalition in found.coalitions()}
        assert found.contributions(known.__getitem__)
