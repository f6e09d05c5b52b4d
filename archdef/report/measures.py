"""What metrics mean: how each follows from counters, and what other tools call it."""
from __future__ import annotations

from collections.abc import Iterable

from archdef.metrics import Metric
from archdef.tables import Column, Kind, Table


def render(metrics: Iterable[Metric]) -> Table:
    """Lay metrics out, two or three lines each."""
    table = Table(Column("", Kind.PROSE), header=False)
    for metric in metrics:
        table.add(f"{metric.name} [{metric.unit}] = {metric.formula}")
        table.add(f"    {metric.about}")
        if metric.aliases:
            table.add(f"    also {', '.join(metric.aliases)}")
    return table
