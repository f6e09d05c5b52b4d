"""Reports as a page that needs no other file."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

import archdef
from archdef.page.curves import curves
from archdef.page.page import rendered
from archdef.report.validated import (ACCURACY, SUMMARY, accuracy_row, error_text, figure, group_title, listed, status_text,
                                      summary_row)
from archdef.validate.run import MET, RANKED, Outcome, Report
from archdef.report.scatter import Points, points
from archdef.validate.statistics import accuracy, ladders, overall, slopes, summary

_SIDE, _MARGIN, _ROOM = 560, 46, 150


def html(reports: Sequence[Report]) -> str:
    """Give the page. Raises MissingExtra without jinja2."""
    machines = [_machine(report) for report in reports if report.outcomes]
    return rendered("validation.html", version=archdef.__version__, good=all(report.good for report in reports), columns=SUMMARY, near_columns=ACCURACY,
                    machines=machines)


def _machine(report: Report) -> dict[str, Any]:
    architecture = report.architecture
    sources: dict[str, int] = {}
    groups = [{"title": group_title(group), "summary": summary_row(group.name, summary(outcomes), outcomes),
               "cases": [_case(outcome, sources) for outcome in listed(outcomes)], "hidden": len(outcomes) - len(listed(outcomes))}
              for group, outcomes in report.groups().items()]
    for outcome in report.outcomes:
        sources.setdefault(_source(outcome), len(sources) + 1)
    used = dict.fromkeys(outcome.gap.deviation for outcome in report.outcomes if outcome.gap is not None)
    return {"name": architecture.label, "title": f"{architecture.label}: {architecture.vendor} {architecture.title}", "faults": report.faults,
            "summary": summary_row(architecture.label, overall(report.groups()), report.outcomes), "groups": groups, "sources": list(sources),
            "near": [(name, accuracy_row(accuracy(report.outcomes, fitted))) for name, fitted in (("unfitted", False), ("fitted", True))],
            "curves": curves(ladders(report.outcomes)), "slopes": slopes(report.outcomes), "svg": _svg(points(report)), "deviations": [
                (id, report.references.deviations.get(id, "")) for id in used]}


def _case(outcome: Outcome, sources: dict[str, int]) -> dict[str, Any]:
    case = outcome.case
    style = "fault" if outcome.fault else {MET: "met", RANKED: "ranked"}.get(outcome.status, "known")
    return {"name": case.id.partition("/")[2], "model": figure(outcome.model), "hardware": figure(case.value), "unit": case.unit,
            "error": error_text(outcome), "status": status_text(outcome), "style": style, "confidence": case.confidence, "why": outcome.message or case.note,
            "source": sources.setdefault(_source(outcome), len(sources) + 1)}


def _source(outcome: Outcome) -> str:
    source = outcome.case.source
    return f"{source}; {source.where}" if source.where else str(source)


def _svg(points: Points) -> str:
    """Draw model against hardware, both logarithmic: the line of equality, the band of 20 %, a colour for each group."""
    if not points.groups:
        return ""
    low, high = points.decades
    scale = (_SIDE - 2 * _MARGIN) / (high - low)

    def at(hardware: float, model: float) -> tuple[float, float]:
        return _MARGIN + (hardware - low) * scale, _SIDE - _MARGIN - (model - low) * scale

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE + _ROOM} {_SIDE}" font-family="Helvetica, Arial, sans-serif" font-size="11">',
             f'<clipPath id="frame"><rect x="{_MARGIN}" y="{_MARGIN}" width="{_SIDE - 2 * _MARGIN}" height="{_SIDE - 2 * _MARGIN}"/></clipPath>']
    (x0, y0), (x1, y1) = at(low, low), at(high, high)
    up, down = points.band[1] * scale, -points.band[0] * scale
    parts.append(f'<g clip-path="url(#frame)"><path d="M{x0:.1f} {y0 - up:.1f}L{x1:.1f} {y1 - up:.1f}L{x1:.1f} {y1 + down:.1f}L{x0:.1f} {y0 + down:.1f}Z" '
                 f'fill="#e2e8f0"/><path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="#64748b"/></g>')
    for decade in range(low, high + 1):
        x, y = at(decade, decade)
        parts.append(f'<path d="M{x:.1f} {y0:.1f}v4M{x0:.1f} {y:.1f}h-4" stroke="#64748b"/><text x="{x:.1f}" y="{y0 + 16:.1f}" text-anchor="middle">'
                     f'1e{decade}</text><text x="{x0 - 7:.1f}" y="{y + 4:.1f}" text-anchor="end">1e{decade}</text>')
    parts.append(f'<path d="M{x0:.1f} {y1:.1f}V{y0:.1f}H{x1:.1f}" fill="none" stroke="#64748b"/><text x="{(x0 + x1) / 2:.1f}" y="{y0 + 34:.1f}" '
                 f'text-anchor="middle">hardware</text><text x="12" y="{(y0 + y1) / 2:.1f}" text-anchor="middle" transform="rotate(-90 12 '
                 f'{(y0 + y1) / 2:.1f})">model</text>')
    for k, (group, colour, pairs) in enumerate(points.groups):
        parts.append(f'<g fill="{colour}" fill-opacity="0.7">')
        parts += [f'<circle cx="{at(*pair)[0]:.1f}" cy="{at(*pair)[1]:.1f}" r="3"/>' for pair in pairs]
        parts.append(f'<circle cx="{_SIDE - 20}" cy="{_MARGIN + 16 * k}" r="4"/></g><text x="{_SIDE - 10}" y="{_MARGIN + 4 + 16 * k}">{escape(group)}</text>')
    return "".join([*parts, "</svg>"])
