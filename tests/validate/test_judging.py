"""What becomes of a case: met, a known gap, a new one, a closed one, or a figure that ranks only."""
import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archdef import registry
from archdef.errors import ReferenceCaseError
from archdef.validate import Case, Gap, Group, References, Source, judge

SOURCE = Source("A measurement of something", year=2020, where="table 1")


def case(name="a", value=100.0, tolerance=0.1, **more):
    return Case(**{"id": f"g/{name}", "arch": "gt200", "experiment": "kernel", "quantity": "cycles", "value": value, "source": SOURCE,
                   "confidence": "seen", "tolerance": tolerance, **more})


def judged(models, *, cases=None, gaps=(), deviations=("D1",), mean=None, ordered=False):
    """Judge one group: model's values by name."""
    cases = cases or [case(name) for name in models]
    shipped = References("gt200", tuple(cases), {"g": Group("g", mean=mean, ordered=ordered)}, tuple(gaps), dict.fromkeys(deviations, "it differs"))
    return judge(registry.get("gt200"), shipped, {f"g/{name}": {"cycles": model} if not isinstance(model, str) else model
                                                  for name, model in models.items()})


pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs a plugin of this repository")


def only(report):
    (outcome,) = report.outcomes
    return outcome


@pytest.mark.parametrize("model, gap, status, good", [
    (105, None, "met", True),
    (120, None, "new gap", False),
    (120, (0.15, 0.25), "known gap", True),
    (140, (0.15, 0.25), "new gap", False),
    (80, (0.15, 0.25), "new gap", False),
    (105, (0.15, 0.25), "closed gap", False)])
def test_a_case_is_within_its_tolerance_or_named_by_a_gap_that_expects_its_error(model, gap, status, good):
    report = judged({"a": model}, gaps=[Gap("g/a", "D1", *gap)] if gap else [])
    assert only(report).status == status and report.good is good


@given(model=st.floats(1e-3, 1e6), value=st.floats(1e-3, 1e6))
def test_the_error_is_signed_and_relative(model, value):
    error = case(value=value).error(model)
    assert value * (1 + error) == pytest.approx(model) and (error > 0) == (model > value)


def test_a_small_difference_is_accepted_whatever_its_relative_size():
    assert only(judged({"a": 5}, cases=[case(value=4, slack=1)])).status == "met"
    assert only(judged({"a": 5.1}, cases=[case(value=4, slack=1)])).status == "new gap"
    assert only(judged({"a": 105}, cases=[case(slack=1)])).status == "met", "one of the two will do"


def test_counts_are_equal_or_not():
    assert only(judged({"a": 100}, cases=[case(tolerance="exact")])).status == "met"
    assert only(judged({"a": 101}, cases=[case(tolerance="exact")])).status == "new gap"
    assert only(judged({"a": 3}, cases=[case(tolerance="exact", value=0)])).error == 3


@pytest.mark.parametrize("doubt", [{"usable": False}, {"confidence": "recalled"}])
def test_what_is_in_doubt_or_from_memory_fails_nothing(doubt):
    assert judged({"a": 1e9}, cases=[case(**doubt)]).good
    assert judged({"a": "it did not run"}, cases=[case(**doubt)]).good


def test_a_case_that_does_not_run_is_at_fault():
    report = judged({"a": "MissingFeature: no warp shuffle"})
    assert not report.good and only(report).model is None and "shuffle" in only(report).message


def test_a_quantity_that_the_experiment_does_not_give_is_named_with_the_nearest():
    assert "did you mean cycles" in only(judged({"a": 1}, cases=[case(quantity="cyclez")])).message


def test_a_glob_has_closed_when_none_of_its_cases_misses_any_more():
    gap = Gap("g/*", "D1", 0.1, 0.3)
    assert judged({"a": 120, "b": 100}, gaps=[gap]).good
    report = judged({"a": 100, "b": 100}, gaps=[gap])
    assert not report.good and "misses any more" in report.faults[0]


def test_a_glob_is_not_judged_closed_where_only_some_of_its_cases_ran():
    cases = [case("a"), case("b", long=True)]
    assert judged({"a": 100}, cases=cases, gaps=[Gap("g/*", "D1", 0.1, 0.3)]).good


def test_a_gap_that_names_a_case_alone_goes_before_a_glob():
    gaps = [Gap("g/*", "D1", -0.5, -0.4), Gap("g/a", "D1", 0.1, 0.3)]
    assert judged({"a": 120, "b": 55}, gaps=gaps).good


def test_a_gap_must_name_a_case_and_a_deviation_that_exist():
    assert "no case is called g/z" in judged({"a": 100}, gaps=[Gap("g/z", "D1", 0, 1)]).faults[0]
    assert "has no D7" in judged({"a": 120}, gaps=[Gap("g/a", "D7", 0, 1)]).faults[0]


@pytest.mark.parametrize("mean, gap, good", [(0.1, None, True), (0.04, None, False), (0.04, (0.05, 0.08), True), (0.04, (0.07, 0.08), False),
                                             (0.1, (0.05, 0.08), False)])
def test_a_group_may_ask_for_a_mean_error(mean, gap, good):
    gaps = [Gap("g/mean", "D1", *gap)] if gap else []
    assert judged({"a": 108, "b": 96}, mean=mean, gaps=gaps).good is good      # the mean error is 6 %


@pytest.mark.parametrize("changed, message", [
    ({"confidence": "sure"}, "confidence must be one of"), ({"tolerance": -1}, "tolerance must be 'exact' or"),
    ({"value": "fast"}, "value must be a number"), ({"quantity": ""}, "quantity must be a text")])
def test_a_case_says_what_is_wrong_with_it(changed, message):
    with pytest.raises(ReferenceCaseError, match=message):
        attrs.evolve(case(), **changed)


@pytest.mark.parametrize("models, spread, gap, fault", [
    ((95, 106, 210), 0, None, ""),
    ((106, 95, 210), 0, None, "33.3% of the pairs are in another order"),
    ((106, 95, 210), 0.03, None, ""),
    ((106, 95, 210), 0, (0.3, 0.4), ""),
    ((106, 95, 210), 0, (0.5, 0.6), "D1 expects 50.0% to 60.0%"),
    ((95, 106, 210), 0, (0.3, 0.4), "D1 has closed")])
def test_a_group_may_ask_for_hardwares_order_as_far_as_hardware_tells(models, spread, gap, fault):
    cases = [case(name, value, spread=spread) for name, value in zip("abc", (100, 105, 200), strict=True)]
    report = judged(dict(zip("abc", models, strict=True)), cases=cases, ordered=True, gaps=[Gap("g/order", "D1", *gap)] if gap else [])
    assert report.good is not bool(fault) and fault in "".join(report.faults)


def test_the_order_of_a_group_is_judged_when_all_of_it_ran():
    cases = [case(name, value) for name, value in zip("abc", (100, 105, 200), strict=True)]
    assert judged({"a": 106, "b": 100}, cases=cases, ordered=True).good


@pytest.mark.parametrize("spread", [-0.1, 1, "0.1", True])
def test_a_spread_is_a_share(spread):
    with pytest.raises(ReferenceCaseError, match="share of the value"):
        case(spread=spread)
