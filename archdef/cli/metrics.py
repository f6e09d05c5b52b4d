"""``archdef metrics``: what the metrics mean."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.completing import METRIC
from archdef.cli.data import data_option
from archdef.errors import nearest


@click.command("metrics")
@click.argument("names", nargs=-1, type=METRIC)
@data_option("archdef.metrics.metric.Metric")
@common_options
def command(names, data, as_json):
    """Say what metrics mean and how they follow from counters: those of NAMES (or other tools' names of them), or all."""
    known = {name: metric for metric in archdef.metrics.BUILT_IN for name in (metric.name, *metric.aliases)}
    for name in names:
        if name not in known:
            raise archdef.metrics.UnknownMetric(f"unknown metric {name!r}{nearest(name, known)}")
    chosen = {known[name].name: known[name] for name in names} if names else {metric.name: metric for metric in archdef.metrics.BUILT_IN}
    data.of(*chosen.values())
    if as_json:
        emit([{"name": m.name, "unit": m.unit, "about": m.about, "formula": m.formula, "aliases": m.aliases} for m in chosen.values()])
    else:
        show(report.measures.render(chosen.values()))
