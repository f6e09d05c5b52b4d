"""Views of checks, of reference cases, and of microbenchmarks."""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from archdef.data.view import Row, flag, real, text, view, whole
from archdef.microbench.results import unit
from archdef.validate.statistics import ladders as ladders_of

MACHINE = text("architecture", "Machine, as its label says.")


@view("checks", "A check of the conformance suite.", text("architecture", "Name of the machine."), text("check", "Name of the check."),
      text("status", "``passed``, ``failed``, ``excused`` or ``unexpected pass``."), real("duration_s", "Time that it took here.", "s"),
      text("proves", "What it proves."), text("message", "Why it failed, or the excuse."))
def checks(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each check."""
    for report in results:
        yield from ((report.architecture, o.name, o.status, o.seconds, o.proves, o.message) for o in report.outcomes)


@view("cases", "A figure of hardware beside the model's.", MACHINE, text("case", "``group/name``."), text("group", "Group of cases."),
      text("experiment", "What was run."), text("parameters", "Parameters of the experiment, in JSON."),
      text("evolved", "Fields in which the machine of the source differs, in JSON."), text("quantity", "Which quantity of the experiment."),
      text("unit", "Unit of both figures."), real("model", "The model's figure; missing: it did not run."), real("hardware", "Hardware's."),
      real("error", "Model / hardware - 1; the model's figure where hardware's is 0."),
      real("tolerance", "Largest accepted error; missing: both must be equal."),
      real("spread", "Share of hardware's figure by which it may be off."), text("status", "What became of it."),
      flag("fault", "Whether something has to be done."),
      text("message", "Why it is at fault, or did not run."), text("confidence", "How well hardware's figure is known."),
      flag("fitted", "Whether something of the description was, or may have been, fitted to it."),
      text("ladder", "Curve of which it is a point, as `ladders` has it."),
      real("place", "Where on that curve it is."), text("source", "Where hardware's figure is from."), text("deviation", "Known gap that it belongs to."))
def cases(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each case."""
    for report in results:
        for o in report.outcomes:
            c = o.case
            yield (report.architecture.label, c.id, c.group, c.experiment, json.dumps(dict(c.parameters), default=str), json.dumps(dict(c.evolve), default=str),
                   c.quantity, c.unit, o.model, c.value, o.error, None if c.exact else c.tolerance, c.spread, o.status, o.fault, o.message, c.confidence,
                   c.fitted, c.ladder, c.at, str(c.source), o.gap and o.gap.deviation)


@view("ladders", "A point of a curve that was published, beside the model's.", MACHINE, text("ladder", "``group/name`` of the curve."),
      text("along", "Parameter of the experiment in which its points differ."), text("quantity", "Which quantity of the experiment."),
      text("unit", "Unit of both figures."), real("place", "Value of that parameter."), real("hardware", "Hardware's figure."), real("model", "The model's."))
def ladders(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each point."""
    for report in results:
        for one in ladders_of(report.outcomes):
            yield from ((report.architecture.label, one.name, one.along, one.quantity, one.unit, *point) for point in one.points)


POINT = (text("machine", "Machine that was measured: its label, or the name of a GPU."),
         whole("point", "Number of the point among those of the machine, from 0."),
         text("benchmark", "Name of the benchmark."))


@view("points", "A quantity of a point of a microbenchmark; where there is none, why.", *POINT, text("quantity", "What was measured."),
      real("value", "In the unit beside it."), text("unit", "Its unit."), text("reason", "Why there is no value."),
      text("source", "Where it is from, if not from that machine here."))
def points(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each quantity of each point."""
    for machine in results:
        for number, row in enumerate(machine.rows):
            for quantity, value in row.values.items() or [(None, None)]:
                yield (machine.label, number, row.benchmark, quantity, value, quantity and unit(row, quantity), row.reason, row.source)


@view("point_parameters", "A parameter of a point of a microbenchmark that was given; the others have their defaults.", *POINT, text("parameter", "Its name."),
      text("value", "Its value in JSON."), real("number", "The same, where it is a number."))
def point_parameters(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each parameter of each point."""
    for machine in results:
        for number, row in enumerate(machine.rows):
            for name, value in row.parameters.items():
                yield (machine.label, number, row.benchmark, name, json.dumps(value, default=str), value if type(value) in (int, float) else None)
