"""The tables of ``archdef validate``: case by case, then a summary by group."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group as Lines
from rich.console import RenderableType
from rich.text import Text

from archdef import _evidence
from archdef.formatting import NOTHING, three
from archdef.tables import Column, Footnotes, Kind, Table
from archdef.validate.case import Group, References
from archdef.validate.run import CLOSED, KNOWN, MET, NEW, RANKED, REFUSED, Outcome, Report
from archdef.validate.statistics import Accuracy, Summary, accuracy, ladders, overall, slopes, summary

_STYLES = {MET: "green", KNOWN: "yellow", NEW: "bold red", CLOSED: "bold red", RANKED: "dim", REFUSED: "dim"}
FEW = 16
"""Exact cases of a group up to which each is listed, even if all are equal."""


def render(reports: Sequence[Report], everything: bool = False) -> Lines:
    """Make the tables; `everything` lists exact cases that are equal, too, where a group has many."""
    parts = []
    for report in reports:
        parts += _cases(report, everything)
    return Lines(*parts, *_summary(reports), "", *_legend(reports))


_CASE_COLUMNS = (
    Column("", Kind.PROSE, least=20), Column("model", Kind.NUMBER), Column("hardware", Kind.NUMBER), Column("unit", priority=2), Column("error", Kind.NUMBER),
    Column("status", priority=1), Column("confidence", priority=4), Column("source", Kind.NUMBER, 3))


def _cases(report: Report, everything: bool) -> list[RenderableType]:
    architecture = report.architecture
    head = Text(f"{architecture.label}: {architecture.vendor} {architecture.title}", style="bold")
    if not report.outcomes:
        shipped = report.references
        if shipped.not_installed or report.faults:
            why = [_evidence.hint(shipped.arch, shipped.not_installed)] if shipped.not_installed else []
            return [head, *(Text(f"  {line}", style="bold red") for line in (*why, *report.faults)), ""]
        return [head, "  no reference cases\n"]
    sources: dict[str, int] = {}
    table = Table(*_CASE_COLUMNS, rule=False)
    for group, outcomes in report.groups().items():
        table.heading(Text(f"{group.name} ({group.about})" if group.about else group.name, style="italic"))
        shown = outcomes if everything else listed(outcomes)
        for outcome in shown:
            number = sources.setdefault(str(outcome.case.source), len(sources) + 1)
            table.add(f"  {outcome.case.id.partition('/')[2]}", figure(outcome.model), figure(outcome.case.value), outcome.case.unit,
                      error_text(outcome), Text(status_text(outcome), style=_STYLES[outcome.status]), outcome.case.confidence, f"[{number}]")
        if hidden := len(outcomes) - len(shown):
            for outcome in outcomes:
                sources.setdefault(str(outcome.case.source), len(sources) + 1)
            table.heading(f"  {hidden} more cases are equal")
    parts = [Text(f"{outcome.case.id}: {outcome.message}", style="bold red" if outcome.fault else "dim")
              for outcome in report.outcomes if outcome.message]
    parts += [Text(fault, style="bold red") for fault in report.faults]
    return [head, table, *parts, Footnotes([table], "source", [f"[{number}] {source}" for source, number in sources.items()]), ""]


def listed(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Leave out exact cases that are equal, where there are many of them."""
    many = sum(map(_plain, outcomes)) > FEW
    return tuple(outcome for outcome in outcomes if not (many and _plain(outcome)))


def _plain(outcome: Outcome) -> bool:
    return outcome.case.exact and outcome.status == MET


def _summary(reports: Iterable[Report]) -> list[RenderableType]:
    table = Table(*(Column(name, _TEXTS.get(name, Kind.NUMBER), _PRIORITIES.get(name, 0), least=20) for name in SUMMARY), rule=False)
    for report in reports:
        if not report.outcomes:
            continue
        for group, outcomes in report.groups().items():
            table.add(*summary_row(f"  {group.name}", summary(outcomes), outcomes))
        table.add(*(Text(cell, style="bold") for cell in summary_row(
            report.architecture.label, overall(report.groups()), report.outcomes)))
    return [Text("summary", style="bold"), table, *_accuracies(reports), *_ladders(reports), *_slopes(reports)] if table else []


ACCURACY = ("cases", "mean", "median", "worst", "worst case", "equal")
"""Columns of how near the cases come that are fitted, or those that are not."""


def accuracy_row(found: Accuracy) -> tuple[str, ...]:
    """Give how near some cases come as cells, in the order of `ACCURACY`."""
    if not found.cases:
        return ("0", NOTHING, NOTHING, NOTHING, "", f"{found.equal}/{found.exact}" if found.exact else NOTHING)
    return (f"{found.cases}", f"{found.mean:.1%}", f"{found.median:.1%}", f"{found.worst_error:+.1%}", found.worst or "",
            f"{found.equal}/{found.exact}" if found.exact else NOTHING)


def _accuracies(reports: Iterable[Report]) -> list[RenderableType]:
    """Show for each machine how near its unfitted cases come, and its fitted ones."""
    table = Table(*(Column(name, _TEXTS.get(name, Kind.NUMBER), _PRIORITIES.get(name, 0), least=20) for name in ("", *ACCURACY)), rule=False)
    for report in reports:
        for fitted in (False, True):
            found = accuracy(report.outcomes, fitted)
            if found.cases or found.exact:
                table.add(f"  {report.architecture.label}, {'fitted' if fitted else 'unfitted'}", *accuracy_row(found))
    return [Text("\nfitted cases, and those that only judge the model", style="bold"), table]


def _ladders(reports: Iterable[Report]) -> list[RenderableType]:
    table = Table(Column("ladder", Kind.PROSE, least=20), Column("points", Kind.NUMBER), Column("error over all", Kind.NUMBER), Column("", priority=1,
                  called="whether it is fitted"), rule=False)
    for report in reports:
        for ladder in ladders(report.outcomes):
            table.add(f"  {report.architecture.label} {ladder.name}", str(len(ladder.points)), f"{ladder.error:.1%}",
                      "fitted" if ladder.fitted else "unfitted")
    return [Text("\nladders", style="bold"), table] if table else []


def _slopes(reports: Iterable[Report]) -> list[RenderableType]:
    table = Table(Column("series", Kind.PROSE, least=20), *(Column(name, Kind.NUMBER) for name in ("model", "hardware", "model against\nhardware")), rule=False)
    for report in reports:
        for slope in slopes(report.outcomes):
            table.add(f"  {report.architecture.label} {slope.series}", f"{slope.model:.2f}", f"{slope.hardware:.2f}", f"{slope.against:.2f}")
    return [Text("\nslopes over sizes, of logarithms", style="bold"), table] if table else []


SUMMARY = ("group", "cases", "equal", "MAPE", "in doubt", "worst", "worst case", "rank", "order", "known", "faults")
"""Columns of the summary."""
_TEXTS = {"": Kind.PROSE, "group": Kind.PROSE, "worst case": Kind.PROSE}
_PRIORITIES = {"equal": 1, "worst": 1, "median": 2, "faults": 2, "known": 3, "rank": 4, "order": 4, "worst case": 5, "in doubt": 6}
"""Column of these tables → how soon it is left out; the others never."""


def summary_row(name: str, found: Summary, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Give the summary of some outcomes as cells, in the order of `SUMMARY`."""
    worst = found.worst
    return (name, f"{found.ran}" if found.ran == found.cases else f"{found.ran}/{found.cases}",
            f"{found.equal}/{found.exact}" if found.exact else NOTHING,
            *(f"{mape:.1%}" if mape is not None else NOTHING for mape in (found.mape, found.mape_in_doubt)),
            error_text(worst) if worst else NOTHING, worst.case.id if worst else "",
            f"{found.spearman:.3f}" if found.spearman is not None else NOTHING,
            f"{found.ordered}/{found.pairs}" if found.pairs else NOTHING,
            str(sum(outcome.status == KNOWN for outcome in outcomes)), str(sum(outcome.fault for outcome in outcomes)))


def _legend(reports: Sequence[Report]) -> list[str]:
    opened, closed, refused = (sum(o.status == status and o.fault for r in reports for o in r.outcomes) for status in (NEW, CLOSED, REFUSED))
    unusable = [report for report in reports if report.references.not_installed or report.references.problem]
    faults = sum(len(report.faults) for report in reports if report not in unusable)
    words = [f"{n} {what}" for n, what in ((opened, "new gaps"), (closed, "closed gaps"), (refused, "cases that did not run"),
                                           (faults, "faults in lists of gaps"), (len(unusable), "without evidence that can be used")) if n]
    return ["MAPE: mean absolute relative error of the cases that are not exact; in doubt: the same of those whose figure is.",
            "A ladder, points of one published curve, counts once in all means: by the mean over its points.",
            "fitted: something of the description is the figure, or was chosen so that it comes out, or that is not known.",
            "rank: Spearman's correlation of both.",
            "order: pairs in hardware's order, of those that it tells apart by more than their spread.",
            "Values that are recalled or in doubt rank only; they fail nothing.",
            ", ".join(words) if words else "no gap has opened or closed"]


def figure(value: float | None) -> str:
    """Show a value: whole numbers as they are, others with three or four digits."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.4g}" if 0.001 <= abs(value) < 10_000 else three(value)


def error_text(outcome: Outcome) -> str:
    """Show the signed error; exact cases say whether they are equal and by how much not."""
    if outcome.model is None:
        return NOTHING
    if outcome.case.exact and outcome.case.meets(outcome.model):
        return "equal"
    if not outcome.case.value:
        return f"{outcome.error:+,.6g}"
    return f"{outcome.error:+.1%}"


def status_text(outcome: Outcome) -> str:
    """Name the status, with the gap's id."""
    return f"{outcome.gap.deviation} {outcome.status}" if outcome.gap is not None and outcome.status in (KNOWN, NEW, CLOSED) else outcome.status


def listing(all_references: Iterable[References]) -> Table:
    """List cases, one in a line: architecture, id, what is run."""
    table = Table(Column("", called="architecture"), Column("", called="id"), Column("", priority=2, called="which are long"),
                  Column("", Kind.PROSE, priority=1, least=24, called="what is run"), header=False)
    for found in all_references:
        for case in found.cases:
            parameters = ", ".join(f"{key}={value}" for key, value in case.parameters.items())
            table.add(case.arch, case.id, "long" if case.long else "", f"{case.quantity} of {case.experiment}({parameters})")
    return table


def group_title(group: Group) -> str:
    """Give a group's name with what it is about."""
    return f"{group.name}: {group.about}" if group.about else group.name
