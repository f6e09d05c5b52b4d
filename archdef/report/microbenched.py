"""Results of microbenchmarks as tables: machines side by side, or model beside measurement."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from archdef.microbench.suite import Benchmark, load
from archdef.microbench.results import Results, Row, described, points
from archdef.formatting import NOTHING

WORST = 12
"""Largest errors that are listed apart."""


def render(machines: Sequence[Results], measured: Sequence[Results] = ()) -> Group:
    """Lay out one table for every benchmark, machines as columns.

    measured : empty, or for each machine what it is compared with: each then has three columns, model, measured, and the signed error.
    """
    by_machine = [one.by_key() for one in machines]
    by_measured = [one.by_key() for one in measured]
    headings = [column for k, one in enumerate(machines) for column in ([one.label, "measured", "error"] if measured else [one.label])]
    parts: list[RenderableType] = []
    for name, rows in groupby(points(machines), key=lambda row: row.benchmark):
        table, lines = _table(name, headings), 0
        for row in rows:
            found = [rows.get(row.key) for rows in by_machine]
            beside = [rows.get(row.key) for rows in by_measured]
            if measured and not any(b and b.values for b in beside):
                continue
            quantities = list(dict.fromkeys(q for each in (*found, *beside) if each for q in each.values))
            for quantity in quantities or [""]:
                words = described(row.parameters) or name
                table.add_row(f"{words}: {_called(quantity)}" if len(quantities) > 1 else words, *_cells(found, beside, quantity))
                lines += 1
        if lines:
            parts += [table, Text("")]
    parts += [*_reasons(machines), *(_worst(machines, measured) if measured else ())]
    return Group(*parts)


def _table(name: str, headings: Sequence[str]) -> Table:
    about = load()[name]
    units = ", ".join(dict.fromkeys(about.units.values()))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title_justify="left",
                  title=Text(f"{name} ({units})", style="bold"))
    table.add_column("", justify="left", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", min_width=8)
    return table


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
        parts += [Text(f"  {100 * error:+8.1f} %  {row.benchmark} {described(row.parameters)}"
                       f"{': ' + _called(quantity) if len(row.values) > 1 else ''}: {number(value)} for {number(real_value)}")
                  for error, row, quantity, value, real_value in found[:WORST]]
    return parts


def listing(benchmarks: Sequence[Benchmark]) -> Group:
    """Say what there is to measure."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("benchmark", "what it measures", "parameters and their defaults"):
        table.add_column(heading, no_wrap=heading == "benchmark")
    for one in benchmarks:
        units = ", ".join(f"{_called(q)} in {u}" if len(one.units) > 1 else u for q, u in one.units.items())
        table.add_row(one.name, f"{one.measures} ({units})", ", ".join(f"{k}={v}" for k, v in one.parameters.items()))
    return Group(table)
