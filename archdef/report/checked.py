"""The conformance suite's report: a table, and a badge."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from rich.console import Group
from rich.text import Text

from archdef.tables import Column, Kind, Table
from archdef.testing.conformance import EXCUSED, FAILED, PASSED, UNEXPECTED, Outcome, Report

_STYLES = {PASSED: "green", EXCUSED: "yellow", FAILED: "bold red", UNEXPECTED: "bold red"}
_COLOURS = {"brightgreen": "#4c1", "yellow": "#dfb317", "red": "#e05d44"}


def counts(report: Report) -> dict[str, int]:
    """Count the outcomes of each status."""
    return {status: sum(outcome.status == status for outcome in report.outcomes) for status in _STYLES}


def render(report: Report, verbose: bool = False) -> Group:
    """Make the table: each check with the number of its cases, and below it whatever is not as it should be."""
    table = Table(Column("check", Kind.PROSE, least=24), Column("passed", Kind.NUMBER), Column("seconds", Kind.NUMBER, priority=2),
                  Column("what it proves", Kind.PROSE, priority=1, least=30), rule=False)
    groups: dict[str, list[Outcome]] = {}
    for outcome in report.outcomes:
        groups.setdefault(outcome.name.partition("[")[0], []).append(outcome)
    for name, outcomes in groups.items():
        passed = sum(outcome.status == PASSED for outcome in outcomes)
        good = all(outcome.good for outcome in outcomes)
        style = _STYLES[PASSED if passed == len(outcomes) else EXCUSED if good else FAILED]
        table.add(Text(name.removeprefix("test_").replace("_", " "), style=style), f"{passed}/{len(outcomes)}",
                  f"{sum(outcome.seconds for outcome in outcomes):.1f}", outcomes[0].proves)
    shown = [outcome for outcome in report.outcomes if verbose or outcome.status != PASSED]
    details = [Text.assemble((f"{outcome.status}: ", _STYLES[outcome.status]), (outcome.name, "bold"),
                             f"\n    {outcome.message}" if outcome.message else "") for outcome in shown]
    details += [Text.assemble(("no such check: ", _STYLES[FAILED]), name) for name in report.unknown]
    return Group(f"{report.architecture}: {report.title}\n", table, "", *details, *([""] if details else []), summary(report))


def summary(report: Report) -> str:
    """Say in one line how it went."""
    number = counts(report)
    others = [f"{n} {status}" for status, n in number.items() if n and status != PASSED]
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    return f"{number[PASSED]} of {len(report.outcomes)} checks passed" + "".join(f", {text}" for text in others) + f" in {seconds:.0f} s"


# ---------------------------------------------------------------------------------------------------------------- badge
def badge(report: Report) -> dict[str, Any]:
    """Give the badge as shields.io's endpoint wants it."""
    number, total = counts(report), len(report.outcomes)
    colour = "red" if not report.good else "yellow" if number[EXCUSED] else "brightgreen"
    message = f"{number[PASSED]} of {total} checks" + (f", {number[EXCUSED]} excused" if number[EXCUSED] else "")
    return {"schemaVersion": 1, "label": f"archdef {report.architecture}", "message": message, "color": colour}


def write_badge(report: Report, path: str) -> None:
    """Write a badge: a picture if the path ends in ``.svg``, else JSON."""
    data = badge(report)
    Path(path).write_text(_picture(data) if path.lower().endswith(".svg") else json.dumps(data, indent=2) + "\n")


def _picture(data: dict[str, Any]) -> str:
    label, message = escape(data["label"]), escape(data["message"])
    left, right = (round(6.6 * len(text)) + 12 for text in (data["label"], data["message"]))    # 11 px sans serif, roughly
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{label}: {message}">
  <title>{label}: {message}</title>
  <clipPath id="round"><rect width="{left + right}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="{left}" height="20" fill="#555"/>
    <rect x="{left}" width="{right}" height="20" fill="{_COLOURS[data['color']]}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="{left / 2:g}" y="14" textLength="{left - 10}">{label}</text>
    <text x="{left + right / 2:g}" y="14" textLength="{right - 10}">{message}</text>
  </g>
</svg>
"""
