"""What changed, in 80 columns: the times, the metrics that changed most, the lines that did."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from archdef.formatting import count, metric, percent, seconds
from archdef.metrics import BUILT_IN

if TYPE_CHECKING:
    from archdef.baseline.difference import Difference, MetricChange
    from archdef.baseline.lines import LineChange

_WIDTH = 80
_ROWS = 8
"""Metrics, and lines, that are shown of a kernel."""
_LEAST = 0.001
"""Metrics that changed by a smaller part are not shown."""
UNITS = {one.name: one.unit for one in BUILT_IN}
"""Metric → its unit."""
_ALIKE = 0.05
"""Changes, as logarithms, that differ by a smaller part are taken to be one."""
_MARKS = {"same": " ", "changed": "~", "moved": ">", "added": "+", "removed": "-"}


def render(kernels: Sequence[Difference], baseline: str = "", new: Iterable[str] = (), missing: Iterable[str] = ()) -> Group:
    """Lay out what changed of some kernels, those that changed most first."""
    parts: list[Text | Table] = [Text(f"against the baseline {baseline}", style="bold")] if baseline else []
    for one in sorted(kernels, key=lambda one: -abs(one.change)):
        parts += _kernel(one)
    for what, names in (("not in the baseline", list(new)), ("in the baseline, but not run", list(missing))):
        if names:
            parts.append(Text(_folded(f"{what}: {', '.join(names)}")))
    if any(one.metrics for one in kernels):
        parts.append(Text(_folded("metrics: those that changed most, but for those that changed as the time did, or its inverse"), style="dim"))
    if any(line.change for one in kernels for line in one.lines):
        parts.append(Text(_folded("warp cycles: of all warps, issuing or waiting; mostly: the cause whose cycles changed most. "
                                  "~ changed, > moved, + added, - removed"), style="dim"))
    return Group(*parts)


def _kernel(one: Difference) -> list[Text | Table]:
    before, after = one.before, one.after
    how = f"{percent(100 * abs(one.change))} {'more' if one.change > 0 else 'less'} time" if one.change else "no change of the time"
    head = Text(_folded(f"\n{one.name}: {count(before['cycles'])} → {count(after['cycles'])} cycles, {seconds(before['elapsed_s'])} → "
                        f"{seconds(after['elapsed_s'])}, {how}".strip()), style="bold")
    return [Text(""), head, *_metrics(one), *_lines(one)]


def _metrics(one: Difference) -> list[Table]:
    shown = [change for change in one.metrics if change.effect >= _LEAST and not _follows_time(change, one.change)][:_ROWS]
    if not shown:
        return []
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("metric", overflow="fold")
    for heading in ("before", "after", "change"):
        table.add_column(heading, justify="right", no_wrap=True)
    for change in shown:
        unit = UNITS.get(change.name, "ratio")
        table.add_row(Text(change.name), metric(change.before, unit), metric(change.after, unit), _relative(change.before, change.after, unit))
    return [table]


def _lines(one: Difference) -> list[Table]:
    notable = [line for line in one.lines if line.change or line.kind != "same"][:_ROWS]
    if not notable:
        return []
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=_WIDTH)
    for heading in ("", "line"):
        table.add_column(heading, no_wrap=True)
    for heading in ("before", "after", "change"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("mostly", no_wrap=True)
    table.add_column("source", no_wrap=True, overflow="ellipsis", ratio=1)
    for line in notable:
        before, after = line.cycles
        cause = next(iter(line.causes), "")
        shown = line.after or line.before or {}
        table.add_row(_MARKS[line.kind], _place(line), count(before) if line.before else "", count(after) if line.after else "",
                      f"{line.change:+,}" if line.change else "", cause.replace("_dependency", "").replace("_", " "), Text(str(shown["text"])))
    return [table]


def _follows_time(change: MetricChange, of_time: float) -> bool:
    """Tell whether a number changed as the time did, or as what is done in a unit of time: that says nothing more than the time."""
    if not change.before or not change.after or not of_time:
        return False
    ratio = change.after / change.before
    return ratio > 0 and math.isclose(abs(math.log(ratio)), abs(math.log1p(of_time)), rel_tol=_ALIKE)


def _place(line: LineChange) -> str:
    numbers = [str(side["line"] or "none") for side in (line.before, line.after) if side is not None]
    return " → ".join(dict.fromkeys(numbers))


def _relative(before: float | None, after: float | None, unit: str) -> str:
    if unit == "%" and before is not None and after is not None:
        return f"{after - before:+.1f} pts"
    if before is None or after is None or not before:
        return ""
    return f"{100 * (after / before - 1):+.1f} %"


def _folded(words: str) -> str:
    return fill(words, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
