"""Mean error, slope and rank correlation are what their definitions say."""
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_judging import case

from archdef.validate import Outcome, accuracy, ladders, slopes, spearman, summary
from archdef.validate.statistics import order, overall, ranks

VALUES = st.lists(st.integers(0, 6), min_size=3, max_size=12)


def outcome(model, value, **more):
    return Outcome(case(value=value, **more), model, "met")


@given(VALUES)
def test_a_rank_is_one_and_a_half_at_least_the_count_of_smaller_values_and_half_the_equal_ones(values):
    for value, rank in zip(values, ranks(values), strict=True):
        smaller, equal = sum(v < value for v in values), values.count(value)
        assert rank == smaller + (equal + 1) / 2


@given(VALUES.flatmap(lambda a: st.tuples(st.just(a), st.lists(st.integers(0, 6), min_size=len(a), max_size=len(a)))))
def test_rank_correlation_is_pearsons_of_the_ranks(pair):
    a, b = pair
    rho = spearman(a, b)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert rho is None
    else:
        assert rho == pytest.approx(np.corrcoef(ranks(a), ranks(b))[0, 1], abs=1e-9)
        assert spearman([math.exp(x) for x in a], b) == pytest.approx(rho), "only the order counts"


SPREADS = st.lists(st.tuples(st.floats(1, 100), st.floats(1, 100), st.floats(0, 0.3)), min_size=3, max_size=9).map(lambda rows: tuple(zip(*rows, strict=True)))


def tie(a, b, of_a, of_b):
    return abs(a - b) <= a * of_a + b * of_b


@given(SPREADS)
def test_values_whose_ranges_meet_share_places(columns):
    _, values, spreads = columns
    for value, spread, rank in zip(values, spreads, ranks(values, spreads), strict=True):
        ties = sum(tie(v, value, s, spread) for v, s in zip(values, spreads, strict=True))
        smaller = sum(v < value and not tie(v, value, s, spread) for v, s in zip(values, spreads, strict=True))
        assert rank == smaller + (ties + 1) / 2


@given(SPREADS)
def test_the_order_counts_pairs_that_hardware_tells_apart(columns):
    model, values, spreads = columns
    places = range(len(values))
    told = [(i, k) for i in places for k in places if values[i] > values[k] and not tie(values[i], values[k], spreads[i], spreads[k])]
    assert order(model, values, spreads) == (len(told), sum(model[i] > model[k] for i, k in told))


@given(SPREADS)
def test_hardware_is_in_its_own_order(columns):
    _, values, spreads = columns
    told, right = order(values, values, spreads)
    assert told == right and spearman(values, values, spreads) in (None, pytest.approx(1))


def test_values_of_different_kinds_are_not_compared():
    assert order([1, 2, 3, 4], [1, 2, 4, 3], None, ["ms", "ms", "GB/s", "GB/s"]) == (2, 1)


def test_a_difference_that_hardware_does_not_tell_counts_neither_way():
    """Three transposes that are the same to hardware, and one that is not."""
    hardware, model, spread = [16.5, 16.6, 16.7, 80.4], [16.46, 16.38, 16.31, 81], [0.01] * 4
    assert spearman(model, hardware) < 0.5 and spearman(model, hardware, spread) == pytest.approx(1)
    assert order(model, hardware, spread) == (3, 3) and order(model, hardware) == (6, 3)


def test_an_architecture_compares_within_groups():
    groups = {"a": [outcome(1, 1), outcome(2, 2)], "b": [outcome(9, 10), outcome(8, 20)]}
    found = overall(groups)
    assert (found.pairs, found.ordered, found.ran) == (2, 1, 4) and found.mape == pytest.approx((0.1 + 0.6) / 4)
    assert found.worst.model == 8


def test_the_mean_error_leaves_exact_cases_out():
    found = summary([outcome(110, 100), outcome(70, 100), outcome(5, 4, tolerance="exact")])
    assert found.mape == pytest.approx(0.2) and found.worst.model == 70 and (found.exact, found.equal, found.cases) == (1, 0, 3)


def test_the_mean_error_of_figures_in_doubt_stands_apart():
    found = summary([outcome(110, 100), outcome(500, 100, usable=False)])
    assert found.mape == pytest.approx(0.1) and found.mape_in_doubt == pytest.approx(4) and found.worst.model == 110
    assert summary([outcome(500, 100, usable=False)]).worst.model == 500


@given(st.floats(-2, 2), st.floats(0.2, 2), st.floats(0.1, 10))
def test_the_slope_of_a_power_law_is_its_exponent(exponent, other, factor):
    sizes = (1, 4, 64)
    points = [outcome(factor * size**exponent, size**other, series="s", size=size) for size in sizes]
    (slope,) = slopes(points)
    assert slope.model == pytest.approx(exponent, abs=1e-6) and slope.hardware == pytest.approx(other, abs=1e-6)
    assert slope.against == pytest.approx(exponent / other, abs=1e-5)


def test_fitted_cases_and_those_that_judge_are_told_apart():
    """Nothing said counts as fitted; figures in doubt count nowhere; exact ones are counted as equal or not."""
    outcomes = [outcome(110, 100), outcome(130, 100, fitted_to=["warp.size"]), outcome(80, 100, fitted_to=[]), outcome(94, 100, fitted_to=()),
                outcome(500, 100, fitted_to=[], usable=False), outcome(5, 4, tolerance="exact", fitted_to=[])]
    fitted, unfitted = accuracy(outcomes, fitted=True), accuracy(outcomes, fitted=False)
    assert (fitted.cases, fitted.exact) == (2, 0) and fitted.mean == pytest.approx(0.2) and fitted.worst_error == pytest.approx(0.3)
    assert (unfitted.cases, unfitted.equal, unfitted.exact) == (2, 0, 1)
    assert unfitted.mean == unfitted.median == pytest.approx(0.13) and unfitted.worst_error == pytest.approx(-0.2)
    assert accuracy([], fitted=True).mean is None and accuracy([], fitted=True).worst is None


def rungs(*pairs, **more):
    return [outcome(model, value, name=f"curve, {at}", ladder="g/curve", along="stride", at=at, **more) for at, (model, value) in enumerate(pairs)]


def test_a_ladder_counts_once_by_the_mean_over_its_points():
    single, ladder = outcome(150, 100, fitted_to=[]), rungs((110, 100), (80, 100), (100, 100), fitted_to=[])
    assert accuracy(ladder, fitted=False).cases == 1 and accuracy(ladder, fitted=False).mean == pytest.approx(0.1)
    assert accuracy([single, *ladder], fitted=False).mean == pytest.approx(0.3) == summary([single, *ladder]).mape
    (found,) = ladders([single, *reversed(ladder)])
    assert found.points == ((0, 100, 110), (1, 100, 80), (2, 100, 100)) and found.error == pytest.approx(0.1) and not found.fitted
