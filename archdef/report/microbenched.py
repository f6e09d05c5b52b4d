"""Results of microbenchmarks as tables: machines side by side, or model beside measurement."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from archdef.microbench.suite import Benchmark, load
from archdef.microbench.results import Results, Row, described, points
from archdef.formatting import NOTHING
from archdef.tables import Column, Kind, Table

WORST = 12
"""Largest errors that are listed apart."""


def render(machines: Sequence[Results], measured: Sequence[Results] = ()) -> Group:
    """Lay out one table for every benchmark, machines as columns.

    measured : empty, or for each machine what it is compared with: each then has three columns, model, measured, and the signed error.
    """
    by_machine = [one.by_key() for one in machines]
    by_measured = [one.by_key() for one in measured]
    columns = [Column(heading, Kind.NUMBER, part=k) for k, one in enumerate(machines)
               for heading in ([one.label, "measured", "error"] if measured else [one.label])]
    parts: list[RenderableType] = []
    for name, rows in groupby(points(machines), key=lambda row: row.benchmark):
        table = _table(name, columns)
        for row in rows:
            found = [rows.get(row.key) for rows in by_machine]
            beside = [rows.get(row.key) for rows in by_measured]
            if measured and not any(b and b.values for b in beside):
                continue
            quantities = list(dict.fromkeys(q for each in (*found, *beside) if each for q in each.values))
            for quantity in quantities or [""]:
                words = described(row.parameters) or name
                table.add(f"{words}: {_called(quantity)}" if len(quantities) > 1 else words, *_cells(found, beside, quantity))
        if table:
            parts.append(table)
    parts += [*_reasons(machines), *(_worst(machines, measured) if measured else ())]
    return Group(*parts)


def _table(name: str, columns: Sequence[Column]) -> Table:
    units = ", ".join(dict.fromkeys(load()[name].units.values()))
    return Table(Column("", Kind.PROSE, least=20), *columns, title=Text(f"{name} ({units})", style="bold"))


def _called(quantity: str) -> str:
    return quantity.replace("_", " ")


def number(value: float | None) -> str:
    """Four significant digits, without exponent; nothing for none."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}" if abs(value) >= 1e-4 or not value else f"{value:.1e}"


def error_of(model: Row | None, measured: Row | None, quantity: str) -> float | None:
    """Signed error of a model, as a part of the measured value; None where either is missing."""
    if not model or not measured or quantity not in model.values or not measured.values.get(quantity):
        return None
    return model.values[quantity] / measured.values[quantity] - 1


def _cells(found: Sequence[Row | None], beside: Sequence[Row | None], quantity: str) -> list[str]:
    cells = []
    for k, row in enumerate(found):
        cells.append(number(row.values.get(quantity)) if row else NOTHING)
        if beside:
            other = beside[k]
            error = error_of(row, other, quantity)
            cells += [number(other.values.get(quantity)) if other else NOTHING, NOTHING if error is None else f"{100 * error:+.1f} %"]
    return cells


def _reasons(machines: Sequence[Results]) -> list[Text]:
    lines = []
    for one in machines:
        without: dict[str, list[str]] = {}
        for row in one.rows:
            if row.reason:
                without.setdefault(_short(row.reason), []).append(f"{row.benchmark} {described(row.parameters)}")
        lines += [Text(f"{one.label}: no {what}: {reason}") for reason, rows in without.items()
                  for what in [rows[0] + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")]]
    return lines and [Text("Not measured", style="bold"), *lines, Text("")]


def _short(reason: str) -> str:
    """Cut the point's own name off a reason, so that equal ones meet."""
    return reason.partition(" needs the feature ")[2].join(("needs the feature ", "")) if " needs the feature " in reason else reason


def errors(model: Results, measured: Results) -> list[tuple[float, Row, str, float, float]]:
    """Give ``(signed error, row, quantity, model's value, measured value)`` of every number that both have, largest error first."""
    beside = measured.by_key()
    found = [(error, row, quantity, value, beside[row.key].values[quantity]) for row in model.rows for quantity, value in row.values.items()
             if (error := error_of(row, beside.get(row.key), quantity)) is not None]
    return sorted(found, key=lambda each: -abs(each[0]))


def _worst(machines: Sequence[Results], measured: Sequence[Results]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for model, real in zip(machines, measured):
        found = errors(model, real)
        if not found:
            continue
        mean = 100 * sum(abs(each[0]) for each in found) / len(found)
        where = ", ".join(v for v in (real.about.get("device"), real.about.get("date")) if v)
        parts.append(Text(f"{model.label} beside {where}: {len(found)} numbers, mean absolute error {mean:.1f} %", style="bold"))
        table = Table(Column("error", Kind.NUMBER), Column("model", Kind.NUMBER), Column("measured", Kind.NUMBER), Column("of", Kind.PROSE, least=24))
        for error, row, quantity, value, real_value in found[:WORST]:
            table.add(f"{100 * error:+.1f} %", number(value), number(real_value),
                      f"{row.benchmark} {described(row.parameters)}{': ' + _called(quantity) if len(row.values) > 1 else ''}")
        parts.append(table)
    return parts


def listing(benchmarks: Sequence[Benchmark]) -> Group:
    """Say what there is to measure."""
    table = Table(Column("benchmark"), Column("what it measures", Kind.PROSE, least=20), Column("parameters and their defaults", Kind.PROSE, priority=1))
    for one in benchmarks:
        units = ", ".join(f"{_called(q)} in {u}" if len(one.units) > 1 else u for q, u in one.units.items())
        table.add(one.name, f"{one.measures} ({units})", ", ".join(f"{k}={v}" for k, v in one.parameters.items()))
    return Group(table)
