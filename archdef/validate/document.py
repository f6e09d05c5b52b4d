"""A report as plain data, ready for JSON, and the schema of it."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

import archdef
from archdef.validate.case import CONFIDENCES
from archdef.validate.run import STATUSES, Outcome, Report
from archdef.validate.statistics import Summary, accuracy, ladders, overall, slopes, summary

FORMAT = 3
"""Raised when a field goes away or changes what it means."""


def document(reports: Iterable[Report]) -> dict[str, Any]:
    """Give all reports as one document; it depends on nothing but the model and the cases, so equal documents are equal models."""
    reports = tuple(reports)
    return {"format": FORMAT, "archdef": archdef.__version__, "good": all(report.good for report in reports),
            "architectures": [_architecture(report) for report in reports]}


def _architecture(report: Report) -> dict[str, Any]:
    sources = list(dict.fromkeys(outcome.case.source for outcome in report.outcomes))
    return {"name": report.architecture.label, "good": report.good, "faults": list(report.faults),
            "not_installed": list(report.references.not_installed),
            "summary": _figures(overall(report.groups()), report.outcomes),
            "fitted": attrs.asdict(accuracy(report.outcomes, fitted=True)), "unfitted": attrs.asdict(accuracy(report.outcomes, fitted=False)),
            "groups": [{"name": group.name, "about": group.about, "tolerance": group.tolerance, "mean": group.mean,
                        "ordered": group.ordered, "summary": _figures(summary(outcomes), outcomes)}
                       for group, outcomes in report.groups().items()],
            "slopes": [attrs.asdict(slope) for slope in slopes(report.outcomes)],
            "ladders": [{**attrs.asdict(ladder, recurse=False), "source": sources.index(ladder.source), "points": [list(point) for point in ladder.points]}
                        for ladder in ladders(report.outcomes)],
            "sources": [attrs.asdict(source) for source in sources],
            "cases": [_case(outcome, report, sources.index(outcome.case.source)) for outcome in report.outcomes]}


def _figures(found: Summary, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    statuses = {status: sum(outcome.status == status for outcome in outcomes) for status in STATUSES}
    return {**attrs.asdict(found, filter=lambda attribute, _: attribute.name != "worst"), "worst": found.worst.case.id if found.worst else None,
            "worst_error": found.worst.error if found.worst else None, "statuses": statuses}


def _case(outcome: Outcome, report: Report, source: int) -> dict[str, Any]:
    case, gap = outcome.case, outcome.gap
    return {"id": case.id, "experiment": case.experiment, "parameters": dict(case.parameters), "evolve": dict(case.evolve), "quantity": case.quantity,
            "unit": case.unit, "model": outcome.model, "hardware": case.value, "error": outcome.error, "tolerance": case.tolerance, "spread": case.spread,
            "status": outcome.status, "fault": outcome.fault, "message": outcome.message, "confidence": case.confidence, "usable": case.usable,
            "source": source, "series": case.series, "size": case.size, "ladder": case.ladder, "at": case.at, "fitted": case.fitted,
            "fitted_to": None if case.fitted_to is None else list(case.fitted_to), "long": case.long, "note": case.note,
            "gap": None if gap is None else {"deviation": gap.deviation, "machine": report.references.deviations.get(gap.deviation, ""),
                                             "low": gap.low, "high": gap.high}}


def schema() -> dict[str, Any]:
    """Give the JSON Schema of `document`."""
    text, flag, number, maybe, whole = ({"type": t} for t in ("string", "boolean", "number", ["number", "null"], "integer"))
    tolerance = {"anyOf": [{"const": "exact"}, {"type": "number", "exclusiveMinimum": 0}], "description": "largest relative error, or equality"}
    texts = {"type": "array", "items": text}
    figures = _object({
        "cases": whole, "ran": whole, "equal": whole, "exact": whole, "spearman": maybe,
        "mape": {**maybe, "description": "without cases in doubt, a ladder counted once"}, "mape_in_doubt": maybe,
        "pairs": {**whole, "description": "of cases that are not exact and that hardware tells apart"},
        "ordered": {**whole, "description": "of these, the ones that the model puts in the same order"},
        "worst": {"type": ["string", "null"]}, "worst_error": maybe, "statuses": _object(dict.fromkeys(STATUSES, whole))})
    case = _object({
        "id": text, "experiment": text, "parameters": {"type": "object"}, "evolve": {"type": "object"}, "quantity": text, "unit": text,
        "model": {**maybe, "description": "null: it did not run"}, "hardware": number,
        "error": {**maybe, "description": "model / hardware - 1; the model's value where hardware's is 0"}, "tolerance": tolerance,
        "spread": {**number, "description": "share of hardware's value by which it may be off"},
        "status": {"enum": list(STATUSES)}, "fault": flag, "message": text, "confidence": {"enum": list(CONFIDENCES)}, "usable": flag,
        "source": {**whole, "minimum": 0, "description": "index into sources"},
        "series": text, "size": maybe, "ladder": {**text, "description": "group/name of the ladder of which it is a point, or nothing"},
        "at": maybe, "fitted": {**flag, "description": "something of the description was, or may have been, fitted to it"},
        "fitted_to": {"anyOf": [{"type": "null"}, texts], "description": "paths of the description; null: not known"}, "long": flag, "note": text,
        "gap": {"anyOf": [{"type": "null"}, _object({"deviation": text, "machine": text, "low": number, "high": number})]}})
    group = _object({"name": text, "about": text, "tolerance": tolerance, "mean": maybe, "ordered": flag, "summary": figures})
    slope = _object({"series": text, "model": number, "hardware": number, "against": number})
    near = _object({"cases": whole, "mean": maybe, "median": maybe, "worst": {"type": ["string", "null"]}, "worst_error": maybe, "equal": whole,
                    "exact": whole})
    ladder = _object({"name": text, "along": text, "quantity": text, "unit": text, "fitted": flag, "usable": flag, "source": whole, "error": number, "points": {
        "type": "array", "items": {"type": "array", "items": number, "description": "place, hardware, model"}}})
    architecture = _object({
        "name": text, "good": flag, "faults": texts,
        "not_installed": {**texts, "description": "distributions that hold the reference cases, and are not installed"}, "summary": figures,
        "fitted": {**near, "description": "cases to which something of the description was fitted, or may have been; without those in doubt"},
        "unfitted": {**near, "description": "the others: what to expect"}, "ladders": {"type": "array", "items": ladder},
        "groups": {"type": "array", "items": group},
        "slopes": {"type": "array", "items": slope},
        "sources": {"type": "array", "items": _object({"title": text, "authors": text, "year": {"type": ["integer", "null"]}, "where": text})},
        "cases": {"type": "array", "items": case}})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "archdef validate --json",
            **_object({"format": {"const": FORMAT}, "archdef": text, "good": flag, "architectures": {"type": "array", "items": architecture}})}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
