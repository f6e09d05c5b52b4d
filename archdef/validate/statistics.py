"""How well a model follows hardware over many cases: mean error, worst case, order, slope over sizes."""
from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.validate.case import Source

if TYPE_CHECKING:
    from archdef.validate.run import Outcome


@attrs.frozen
class Summary:
    """Figures of a group of outcomes."""

    cases: int
    ran: int
    equal: int
    """Of the exact ones, those that are equal."""
    exact: int
    mape: float | None
    """Mean absolute relative error of those that are neither exact nor in doubt (`Case.usable`), a ladder counted once; None if there are none."""
    mape_in_doubt: float | None
    """The same of those in doubt."""
    worst: Outcome | None
    """The largest absolute error among those that are not exact, of usable ones if there are any; or the first unequal of the exact ones."""
    spearman: float | None
    """Rank correlation of model and hardware over the cases that are not exact; None for fewer than three, or where all are alike."""
    pairs: int = 0
    """Pairs of cases that are not exact whose values hardware tells apart: they differ by more than their spreads …"""
    ordered: int = 0
    """… and of those, the ones that the model puts in the same order."""


def summary(outcomes: Iterable[Outcome]) -> Summary:
    """Work out the figures of a group."""
    outcomes = tuple(outcomes)
    ran = [outcome for outcome in outcomes if outcome.model is not None]
    exact = [outcome for outcome in ran if outcome.case.exact]
    close = [outcome for outcome in ran if not outcome.case.exact]
    unequal = [outcome for outcome in exact if not outcome.case.meets(outcome.figure)]
    worst = max(close, key=_badness, default=unequal[0] if unequal else None)
    models, values, spreads = columns(close)
    pairs, ordered = order(models, values, spreads, [(o.case.quantity, o.case.unit) for o in close])
    return Summary(cases=len(outcomes), ran=len(ran), equal=len(exact) - len(unequal), exact=len(exact),
                   mape=_mape(outcome for outcome in close if outcome.case.usable),
                   mape_in_doubt=_mape(outcome for outcome in close if not outcome.case.usable),
                   worst=worst, spearman=spearman(models, values, spreads), pairs=pairs, ordered=ordered)


def _badness(outcome: Outcome) -> tuple[bool, bool, float]:
    return outcome.case.usable, not outcome.case.exact, abs(outcome.miss)


def _mape(outcomes: Iterable[Outcome]) -> float | None:
    found = [abs(error) for _, error in errors(outcomes)]
    return sum(found) / len(found) if found else None


def errors(outcomes: Iterable[Outcome]) -> list[tuple[str, float]]:
    """Give id and signed relative error of each case, and of each ladder one: the mean over its points, without their signs.

    So a curve that was published with forty points weighs no more than one with four.
    """
    found: list[tuple[str, float]] = []
    points: dict[str, list[float]] = {}
    for outcome in outcomes:
        if outcome.case.ladder:
            points.setdefault(outcome.case.ladder, []).append(abs(outcome.miss))
        else:
            found.append((outcome.case.id, outcome.miss))
    return found + [(ladder, statistics.fmean(of_points)) for ladder, of_points in points.items()]


@attrs.frozen
class Accuracy:
    """How near the cases come to which something of the description was fitted, or those that only judge it."""

    cases: int
    """That ran and are neither exact nor in doubt, a ladder as one."""
    mean: float | None
    """Of the absolute relative errors; None without cases."""
    median: float | None
    worst: str | None
    """Id of the case or ladder with the largest error …"""
    worst_error: float | None
    """… and that error: with its sign, but for a ladder's mean."""
    equal: int
    """Of the exact cases that ran, those that are equal."""
    exact: int


def accuracy(outcomes: Iterable[Outcome], fitted: bool) -> Accuracy:
    """Work out how near the cases come that are fitted (`Case.fitted`), or those that are not."""
    ran = [outcome for outcome in outcomes if outcome.model is not None and outcome.case.fitted is fitted and outcome.case.usable]
    exact = [outcome for outcome in ran if outcome.case.exact]
    found = errors(outcome for outcome in ran if not outcome.case.exact)
    sizes = [abs(error) for _, error in found]
    worst, error = max(found, key=lambda of: abs(of[1]), default=(None, None))
    return Accuracy(len(found), statistics.fmean(sizes) if sizes else None, statistics.median(sizes) if sizes else None, worst, error,
                    sum(outcome.case.meets(outcome.figure) for outcome in exact), len(exact))


@attrs.frozen
class Ladder:
    """A published curve and the model's: the points of one ladder that ran."""

    name: str
    along: str
    """The parameter that differs."""
    quantity: str
    unit: str
    fitted: bool
    usable: bool
    """False: its figures are in doubt."""
    source: Source
    points: tuple[tuple[float, float, float], ...]
    """Value of the parameter, hardware's figure, the model's; in the order of the first."""
    error: float
    """The mean of the absolute relative errors of all points."""


def ladders(outcomes: Iterable[Outcome]) -> tuple[Ladder, ...]:
    """Gather the ladders among some outcomes."""
    points: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.case.ladder and outcome.model is not None:
            points.setdefault(outcome.case.ladder, []).append(outcome)
    return tuple(Ladder(name, own[0].case.along, own[0].case.quantity, own[0].case.unit, own[0].case.fitted, own[0].case.usable, own[0].case.source,
                        tuple(sorted((outcome.case.place, outcome.case.value, outcome.figure) for outcome in own)),
                        statistics.fmean(abs(outcome.miss) for outcome in own)) for name, own in points.items())


def columns(outcomes: Sequence[Outcome]) -> tuple[list[float], list[float], list[float]]:
    """Give the model's values, hardware's, and the spreads of these."""
    return [o.figure for o in outcomes], [o.case.value for o in outcomes], [o.case.spread for o in outcomes]


def overall(groups: Mapping[Any, Sequence[Outcome]]) -> Summary:
    """Work out the figures of an architecture; its rank correlation is the mean of its groups', whose units differ, weighted by cases.
    Pairs are those within groups."""
    each = [summary(outcomes) for outcomes in groups.values()]
    ranked = [(found.spearman, found.ran - found.exact) for found in each if found.spearman is not None]
    weight = sum(cases for _, cases in ranked)
    close = [outcome for outcomes in groups.values() for outcome in outcomes if outcome.model is not None and not outcome.case.exact]
    worst = [found.worst for found in each if found.worst is not None]
    return Summary(cases=sum(found.cases for found in each), ran=sum(found.ran for found in each), equal=sum(found.equal for found in each),
                   exact=sum(found.exact for found in each), mape=_mape(outcome for outcome in close if outcome.case.usable),
                   mape_in_doubt=_mape(outcome for outcome in close if not outcome.case.usable), worst=max(worst, key=_badness, default=None),
                   spearman=sum(rho * cases for rho, cases in ranked) / weight if weight else None,
                   pairs=sum(found.pairs for found in each), ordered=sum(found.ordered for found in each))


@attrs.frozen
class Slope:
    """How a series grows with its size, here and there: the exponents of power laws, fitted by least squares of logarithms."""

    series: str
    model: float
    hardware: float
    against: float
    """Slope of the model's logarithms against the hardware's: 1 if they grow alike."""


def slopes(outcomes: Iterable[Outcome]) -> tuple[Slope, ...]:
    """Work out the slope of each series of at least two sizes."""
    series: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.case.series and outcome.case.size and outcome.model is not None and min(outcome.model, outcome.case.value) > 0:
            series.setdefault(f"{outcome.case.series}, {outcome.case.quantity}", []).append(outcome)
    found = []
    for name, points in series.items():
        sizes = np.log([point.case.size or 0.0 for point in points])
        models, hardware = np.log([point.figure for point in points]), np.log([point.case.value for point in points])
        if np.ptp(sizes) > 0 and np.ptp(hardware) > 0:
            found.append(Slope(name, _slope(sizes, models), _slope(sizes, hardware), _slope(hardware, models)))
    return tuple(found)


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    x = x - x.mean()
    return float((x * (y - y.mean())).sum() / (x * x).sum())


def spearman(model: Sequence[float], hardware: Sequence[float], spreads: Sequence[float] | None = None) -> float | None:
    """Give Spearman's rank correlation, ties at their mean rank; None for fewer than three values, or if all of one side are equal.

    spreads : share of each value by which it may be off. A model is asked for no finer an order than hardware gives: its values tie by the
              same shares.
    """
    if len(model) < 3:
        return None
    a, b = ranks(model, spreads), ranks(hardware, spreads)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / scale if scale else None


def ranks(values: Sequence[float], spreads: Sequence[float] | None = None) -> np.ndarray:
    """Rank values from 1: one more than the smaller ones, and half a place for each other that ties with it.

    Without spreads, ties are equal values, and share the mean of their places. With them, values tie whose ranges meet, which need not
    hold of two values because it holds of both with a third one.
    """
    if spreads is None or not any(spreads):
        _, inverse, counts = np.unique(np.asarray(values, "f8"), return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        return (last - (counts - 1) / 2)[inverse]
    return np.array([0.5 + (signs > 0).sum() + (signs == 0).sum() / 2 for signs in _signs(values, spreads)])


def order(model: Sequence[float], hardware: Sequence[float], spreads: Sequence[float] | None = None,
          kinds: Sequence[Any] | None = None) -> tuple[int, int]:
    """Count the pairs that hardware tells apart, and those of them that the model puts in the same order.

    The model's values have no spread: any difference has a sign, and none at all is in no order. `kinds`, if given, says which values can
    be compared: those of one kind.
    """
    told = right = 0
    alike = np.unique([str(kind) for kind in kinds], return_inverse=True)[1] if kinds else np.zeros(len(model), int)
    for kind, there, here in zip(alike, _signs(hardware, spreads), _signs(model, None), strict=True):
        above = (there > 0) & (alike == kind)       # each pair once: by its larger value
        told += int(above.sum())
        right += int((above & (here > 0)).sum())
    return told, right


def _signs(values: Sequence[float], spreads: Sequence[float] | None) -> Iterator[np.ndarray]:
    """Give for each value the signs of its differences to all: 0 where the two ranges meet."""
    numbers = np.asarray(values, "f8")
    around = np.abs(numbers) * (0.0 if spreads is None else np.asarray(spreads, "f8"))
    for value, own in zip(numbers, around, strict=True):
        differ = value - numbers
        yield np.where(np.abs(differ) > own + around, np.sign(differ), 0)
