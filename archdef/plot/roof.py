"""The roofs of a machine and a launch under them."""
from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from archdef.errors import LaunchError
from archdef.html.charts import LEVELS
from archdef.html.roof import roof
from archdef.plot.axes import begin, finish, grid, ink, points

if TYPE_CHECKING:
    from archdef.run.result import Run

_MARKS = dict(zip(LEVELS, ("o", "s", "^", "s", "^", "D"), strict=True))
_DASHES = dict(zip(LEVELS, ("-", "--", "-.", "--", "-.", (0, (5, 1, 1, 1, 1, 1))), strict=True))


def roofline(run: Run, ax: Any) -> Any:
    """Draw the roof of each level of memory, the rates of units, and the launch as a point for each level."""
    found = roof(run)
    if found is None:
        raise LaunchError(f"there is no roofline of {run.kernel}: it did no floating-point arithmetic, or launched kernels of its own; "
                          "run.plot.bounds() shows what else holds it up")
    ax = begin(ax, 4.2)
    for level, line in found["levels"].items():
        ax.plot(*zip(*line, strict=True), color=LEVELS[level], linestyle=_DASHES[level], linewidth=1.4, label=level)
    for point in found["points"]:
        level = point["level"]
        ax.plot(point["intensity"], found["gflop_s"], _MARKS[level], color=LEVELS[level], markeredgecolor=ink(ax), markersize=points(ax) - 1, zorder=3)
        ax.plot([point["intensity"]] * 2, [found["gflop_s"], point["attainable"]], ":", color=LEVELS[level], linewidth=1.0)
    rates: dict[float, list[str]] = {}
    for top in found["tops"]:
        rates.setdefault(top["rate"], []).append(top["name"].replace("_", " "))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*found["span"])
    low = min([found["gflop_s"], *(y for line in found["levels"].values() for _, y in line)])
    _units(ax, rates, max(low, max(rates, default=low) / 1e5))
    grid(ax)
    return finish(ax, "intensity, FLOP per byte", "rate, GFLOP/s")


def _units(ax: Any, rates: dict[float, list[str]], low: float) -> None:
    """Draw what units allow, each line with its names above it or below it."""
    most = max(rates, default=1.0)
    ax.set_ylim(low / 2, most * 2.5)
    size = points(ax) - 1.5
    for rate in rates:
        ax.axhline(rate, color=ink(ax), linewidth=0.6, alpha=0.6)
    for rate, above, names in _named(rates, _label_decades(ax, size)):
        ax.annotate(", ".join(names), (0.995, rate), xycoords=("axes fraction", "data"), ha="right", va="bottom" if above else "top", fontsize=size)


def _label_decades(ax: Any, size: float) -> float:
    """Give the height of a name in decades of the vertical axis."""
    bottom, top = ax.get_ylim()
    height = ax.get_position().height * ax.figure.get_figheight() * 72
    return float(1.4 * size / height * math.log10(top / bottom))


def _named(rates: Mapping[float, list[str]], height: float) -> list[tuple[float, bool, list[str]]]:
    """Give the lines that are named, whether above the line, and the names: no two share a place.

    A name stands above its line, or below it where a higher line is too near; where there is room for neither, it joins the names of the line above.
    """
    found: list[tuple[float, bool, list[str]]] = []
    falling, free = sorted(rates, reverse=True), math.inf
    for rate, lower in itertools.zip_longest(falling, falling[1:]):
        place = math.log10(rate)
        if place + height <= free:
            found.append((rate, True, [*rates[rate]]))
            free = place
        elif lower is None or math.log10(lower) <= place - height:
            found.append((rate, False, [*rates[rate]]))
            free = place - height
        else:
            found[-1][2].extend(rates[rate])
            free = min(free, place)
    return found
