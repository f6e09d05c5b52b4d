"""How well a model follows hardware over many cases: mean error, worst case, order, slope over sizes."""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

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
    """Mean absolute relative error of those that are not exact; None if there are none."""
    worst: Outcome | None
    """The largest absolute error among those that are not exact, or the first unequal of the exact ones."""
    spearman: float | None
    """Rank correlation of model and hardware over the cases that are not exact; None for fewer than three, or where all are alike."""


def summary(outcomes: Iterable[Outcome]) -> Summary:
    """Work out the figures of a group."""
    outcomes = tuple(outcomes)
    ran = [outcome for outcome in outcomes if outcome.model is not None]
    exact = [outcome for outcome in ran if outcome.case.exact]
    close = [outcome for outcome in ran if not outcome.case.exact]
    unequal = [outcome for outcome in exact if not outcome.case.meets(outcome.model)]
    worst = max(close, key=lambda outcome: abs(outcome.error), default=unequal[0] if unequal else None)
    return Summary(len(outcomes), len(ran), len(exact) - len(unequal), len(exact),
                   sum(abs(outcome.error) for outcome in close) / len(close) if close else None, worst,
                   spearman([outcome.model for outcome in close], [outcome.case.value for outcome in close]))


def overall(groups: Mapping[Any, Sequence[Outcome]]) -> Summary:
    """Work out the figures of an architecture; its rank correlation is the mean of its groups', whose units differ, weighted by cases."""
    whole = summary(outcome for outcomes in groups.values() for outcome in outcomes)
    ranked = [(found.spearman, found.ran - found.exact) for found in map(summary, groups.values()) if found.spearman is not None]
    weight = sum(cases for _, cases in ranked)
    return attrs.evolve(whole, spearman=sum(rho * cases for rho, cases in ranked) / weight if weight else None)


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
        sizes, models, hardware = (np.log([f(point) for point in points]) for f in (
            lambda o: o.case.size, lambda o: o.model, lambda o: o.case.value))
        if np.ptp(sizes) > 0 and np.ptp(hardware) > 0:
            found.append(Slope(name, _slope(sizes, models), _slope(sizes, hardware), _slope(hardware, models)))
    return tuple(found)


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    x = x - x.mean()
    return float((x * (y - y.mean())).sum() / (x * x).sum())


def spearman(model: Sequence[float], hardware: Sequence[float]) -> float | None:
    """Give Spearman's rank correlation, ties at their mean rank; None for fewer than three values, or if all of one side are equal."""
    if len(model) < 3:
        return None
    a, b = ranks(model), ranks(hardware)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / scale if scale else None


def ranks(values: Sequence[float]) -> np.ndarray:
    """Rank values from 1; equal ones share the mean of their ranks."""
    _, inverse, counts = np.unique(np.asarray(values, "f8"), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
