"""Mean error, slope and rank correlation are what their definitions say."""
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_judging import case

from archdef.validate import Outcome, slopes, spearman, summary
from archdef.validate.statistics import ranks

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


def test_the_mean_error_leaves_exact_cases_out():
    found = summary([outcome(110, 100), outcome(70, 100), outcome(5, 4, tolerance="exact")])
    assert found.mape == pytest.approx(0.2) and found.worst.model == 70 and (found.exact, found.equal, found.cases) == (1, 0, 3)


@given(st.floats(-2, 2), st.floats(0.2, 2), st.floats(0.1, 10))
def test_the_slope_of_a_power_law_is_its_exponent(exponent, other, factor):
    sizes = (1, 4, 64)
    points = [outcome(factor * size**exponent, size**other, series="s", size=size) for size in sizes]
    (slope,) = slopes(points)
    assert slope.model == pytest.approx(exponent, abs=1e-6) and slope.hardware == pytest.approx(other, abs=1e-6)
    assert slope.against == pytest.approx(exponent / other, abs=1e-5)
