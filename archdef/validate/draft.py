"""Drafts the list of known gaps: what misses today, under the ids that name it already."""
from __future__ import annotations

import json
import math
from collections.abc import Iterable

from archdef.validate.case import MEAN, ORDER
from archdef.validate.run import KNOWN, NEW, Outcome, Report, group_means, group_orders

SLACK = 0.02
"""How far a band reaches beyond today's errors."""
UNNAMED = "?"
"""Stands for the id of a new gap, which its author has to choose."""


def draft_gaps(reports: Iterable[Report]) -> str:
    """Write a gaps.toml of what misses in these reports.

    Globs that are there are kept for the cases that they name, with the band that these need; every other miss stands alone.
    """
    reports = [report for report in reports if report.outcomes]
    bands: dict[str, dict[str, list[float]]] = {}
    for report in reports:
        for outcome in report.outcomes:
            if outcome.status in (KNOWN, NEW):
                deviation, pattern = _place(outcome, report, several=len(reports) > 1)
                bands.setdefault(deviation, {}).setdefault(pattern, []).append(outcome.miss)
        for name, mean in group_means(report.references, report.outcomes).items():
            asked = report.references.groups[name].mean
            if asked is not None and mean > asked:
                bands.setdefault(_known(report, f"{name}/{MEAN}"), {})[f"{name}/{MEAN}"] = [mean]
        for name, wrong in group_orders(report.references, report.outcomes).items():
            if wrong:
                bands.setdefault(_known(report, f"{name}/{ORDER}"), {})[f"{name}/{ORDER}"] = [wrong]
    return "\n".join(_table(deviation, patterns) for deviation, patterns in sorted(bands.items(), key=_by_number))


def _known(report: Report, pattern: str) -> str:
    """Find the id under which something of a whole group is known."""
    return next((gap.deviation for gap in report.references.gaps if gap.pattern == pattern), UNNAMED)


def _place(outcome: Outcome, report: Report, several: bool) -> tuple[str, str]:
    gap = outcome.gap
    if gap is not None:
        return gap.deviation, f"{gap.arch} :: {gap.pattern}" if gap.arch else gap.pattern
    return UNNAMED, f"{report.architecture.name} :: {outcome.case.id}" if several else outcome.case.id


def _table(deviation: str, patterns: dict[str, list[float]]) -> str:
    head = f"[{deviation}]" if deviation != UNNAMED else f'["{UNNAMED}"]  # a line in DEVIATIONS.md has to say why'
    lines = [f"{json.dumps(pattern, ensure_ascii=False)} = [{_down(min(errors))}, {-_down(-max(errors))}]" for pattern, errors in patterns.items()]
    return "\n".join([head, *lines, ""])


def _down(error: float) -> float:
    return math.floor((error - SLACK) * 100) / 100


def _by_number(item: tuple[str, object]) -> tuple[str, int]:
    letters = item[0].rstrip("0123456789")
    return letters, int(item[0][len(letters):] or 0)
