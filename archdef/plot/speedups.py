"""Where a speed-up comes from, and sweeps of microbenchmarks."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archdef.plot.axes import SERIES, begin, finish, grid, ink

if TYPE_CHECKING:
    from archdef.attribution import Attribution
    from archdef.report.curves import Panel

MOST_LINES = 12
"""Of a panel that has a legend."""
_STYLES = ("-", "--", "-.", ":")


def attribution(result: Attribution, ax: Any = None) -> Any:
    """Draw the factor of each group of rules as a bar from 1, with the range over the orders as a line.

    result : what `archdef.attribute` gives.
    ax     : Axes to draw in; None: those of a new figure.

    Raises MissingExtra without matplotlib.
    """
    factors = result.factors
    ax = begin(ax, 1.2 + 0.3 * max(len(factors), 1))
    places = range(len(factors))
    for place, factor in zip(places, factors, strict=True):
        ax.barh(place, factor.factor - 1, 0.65, 1, color="#3b82c4" if factor.factor >= 1 else "#e0a526")
        ax.plot(factor.bounds, [place, place], "|-", color=ink(ax), linewidth=0.9)
    ax.axvline(1, color=ink(ax), linewidth=0.8)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.set_yticks(places, [factor.name for factor in factors])
    ax.invert_yaxis()
    grid(ax, "x")
    return finish(ax, f"factor of speed, {result.first} to {result.second}; all: {result.speedup:.3g}", "")


def microbench(panel: Panel, ax: Any = None) -> Any:
    """Draw the sweep of a microbenchmark, one of those that `archdef.report.curves.panels` gathers.

    panel : its lines, one for each machine, other parameters and quantity.
    ax    : Axes to draw in; None: those of a new figure.

    Raises MissingExtra without matplotlib.
    """
    ax = begin(ax, 4.0)
    labelled = len(panel.lines) <= MOST_LINES
    for number, (label, line) in enumerate(panel.lines.items()):
        ax.plot([x for x, _ in line], [y for _, y in line], marker=".", color=SERIES[number % len(SERIES)],
                linestyle=_STYLES[number // len(SERIES) % len(_STYLES)], label=label if labelled else None)
    ax.set_xscale("symlog" if any(x <= 0 for line in panel.lines.values() for x, _ in line) else "log", base=2)
    ax.set_ylim(bottom=0)
    grid(ax)
    return finish(ax, panel.parameter.replace("_", " "), f"{panel.benchmark.replace('_', ' ')}, {panel.unit}")
