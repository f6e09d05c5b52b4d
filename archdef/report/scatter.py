"""Model against hardware on logarithmic axes: the points, and their picture by matplotlib."""
from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef.errors import ReferenceCaseError
from archdef.report.picture import check_suffix, picture
from archdef.validate.run import Report

BAND = 0.2
"""Half the width of the band around equality, as a relative error."""
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#db2777", "#65a30d", "#475569", "#92400e")


@attrs.frozen
class Points:
    """What is drawn of one report: the cases that are not exact and whose values are positive, as decimal logarithms."""

    groups: tuple[tuple[str, str, tuple[tuple[float, float], ...]], ...]
    """Name, colour, and pairs of hardware and model."""
    decades: tuple[int, int]
    """Powers of ten between which all lie."""
    band: tuple[float, float] = (math.log10(1 - BAND), math.log10(1 + BAND))


def points(report: Report) -> Points:
    """Gather the points of a report."""
    groups: list[tuple[str, str, tuple[tuple[float, float], ...]]] = []
    for group, outcomes in report.groups().items():
        pairs = tuple((math.log10(o.case.value), math.log10(o.model)) for o in outcomes
                      if not o.case.exact and o.model is not None and min(o.model, o.case.value) > 0)
        if pairs:
            groups.append((group.name, COLOURS[len(groups) % len(COLOURS)], pairs))
    values = [value for _, _, pairs in groups for pair in pairs for value in pair]
    return Points(tuple(groups), (math.floor(min(values)), max(math.ceil(max(values)), math.floor(min(values)) + 1)) if values else (0, 1))


def save_plot(reports: Sequence[Report], path: str | os.PathLike[str]) -> Path:
    """Draw a panel for each architecture into a ``.svg``, ``.png`` or ``.pdf`` file.

    Raises MissingExtra without matplotlib; ReferenceCaseError if there is nothing to draw, or for another kind of file.
    """
    path = check_suffix(path, ReferenceCaseError)
    panels = [(report, found) for report in reports if (found := points(report)).groups]
    if not panels:
        raise ReferenceCaseError("there is nothing to plot: no case with a value that is not exact has run")
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    with picture(path, (5.2 * columns, 5 * rows)) as figure:
        for place, (report, found) in enumerate(panels, start=1):
            _panel(figure.add_subplot(rows, columns, place), report, found)
    return path


def _panel(axes: Any, report: Report, found: Points) -> None:
    ends = [10.0 ** decade for decade in found.decades]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.fill_between(ends, [end * (1 - BAND) for end in ends], [end * (1 + BAND) for end in ends], color="#e2e8f0", label=f"\u00b1{BAND:.0%}")
    axes.plot(ends, ends, color="#64748b", linewidth=1)
    for name, colour, pairs in found.groups:
        axes.scatter([10 ** x for x, _ in pairs], [10 ** y for _, y in pairs], s=14, color=colour, alpha=0.7, linewidths=0, label=name)
    axes.set(xlim=ends, ylim=ends, xlabel="hardware", ylabel="model", title=f"{report.architecture.vendor} {report.architecture.title}")
    axes.set_aspect("equal")
    axes.legend(fontsize=7, loc="upper left")
