"""Sweeps of microbenchmarks as curves: the points, and their picture by matplotlib."""
from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import attrs

from archdef.microbench.results import Results, ResultsError, Row, described
from archdef.microbench.suite import load
from archdef.plot import microbench
from archdef.report.picture import check_suffix, picture


@attrs.frozen
class Panel:
    """One benchmark."""

    benchmark: str
    parameter: str
    """Along the horizontal axis."""
    unit: str
    lines: dict[str, tuple[tuple[float, float], ...]]
    """Machine, other parameters and quantity → parameter and value, by rising parameter."""


def panels(machines: Sequence[Results]) -> list[Panel]:
    """Gather the sweeps over a number: along the one with the most different values."""
    made = []
    rows = [(one.label, row) for one in machines for row in one.rows if row.values]
    for name in load():
        own = [(label, row) for label, row in rows if row.benchmark == name]
        found = _panel(name, own)
        if found and any(len(line) > 1 for line in found.lines.values()):
            made.append(found)
    return made


def _panel(name: str, rows: Sequence[tuple[str, Row]]) -> Panel | None:
    known = load()[name]
    whole = [(label, {**known.parameters, **row.parameters}, row.values) for label, row in rows]
    numbers = [p for p, default in known.parameters.items() if isinstance(default, int) and not isinstance(default, bool)]
    different = {p: len({parameters[p] for _, parameters, _ in whole}) for p in numbers}
    if not different or max(different.values()) < 2:
        return None
    along = max(different, key=different.__getitem__)
    varied = [p for p in known.parameters if p != along and len({str(parameters[p]) for _, parameters, _ in whole}) > 1]
    points = sorted((" ".join([label, described({p: parameters[p] for p in varied}), quantity if len(values) > 1 else ""]).strip(),
                     float(parameters[along]), value) for label, parameters, values in whole for quantity, value in values.items())
    lines = {line: tuple((x, y) for _, x, y in group) for line, group in groupby(points, key=lambda point: point[0])}
    return Panel(name, along, ", ".join(dict.fromkeys(known.units.values())), lines)


def save_curves(machines: Sequence[Results], path: str | os.PathLike[str]) -> Path:
    """Draw a panel for each sweep into a ``.svg``, ``.png`` or ``.pdf`` file.

    Raises MissingExtra without matplotlib; ResultsError if there is nothing to draw, or for another kind of file.
    """
    path = check_suffix(path, ResultsError)
    found = panels(machines)
    if not found:
        raise ResultsError("there is nothing to plot: no sweep over a number was measured")
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    with picture(path, (5.6 * columns, 4.4 * rows)) as figure:
        for place, panel in enumerate(found, start=1):
            microbench(panel, figure.add_subplot(rows, columns, place))
    return path
