"""A comparison as a table, with the reasons underneath."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.console import Group
from rich.text import Text

from archdef.examples.comparison import Comparison, Row
from archdef.run.result import Run
from archdef.run.explain import costliest, why
from archdef.formatting import NOTHING, count, limiter, percent, seconds, three
from archdef.spec import Architecture
from archdef.spec.evidence import UNSTATED
from archdef.tables import Column, Kind, Table

_COLUMNS = (
    Column("", Kind.PROSE, least=16), Column("cycles", Kind.NUMBER), Column("time", Kind.NUMBER), Column("GB/s", Kind.NUMBER, 2),
    Column("occupancy\nand its limit", priority=3), Column("branch\neff.", Kind.NUMBER, 6), Column("trans. per\nld | st", Kind.NUMBER, 4),
    Column("bank\nconflicts", Kind.NUMBER, 5), Column("parts.\nin use", Kind.NUMBER, 7), Column("least time\nand by what", priority=1), Column("output"))


def render(comparison: Comparison, explain_all: bool = False) -> Group:
    """Lay out a comparison; reasons for every kernel, or for the slowest of each machine."""
    table = Table(*_COLUMNS, title=Text(f"{comparison.workload.about}; {comparison.workload.size_means}: {comparison.size:,}", style="bold"))
    for number, (name, rows) in enumerate(_by_architecture(comparison)):
        if number:
            table.heading("")
        table.heading(Text(name, style="bold"))
        for row in rows:
            table.add(*_cells(row))
    return Group(table, *_changes(comparison), *_reasons(comparison, explain_all),
                 *_failures(comparison), *_assumptions(comparison), _legend(comparison))


def _by_architecture(comparison: Comparison) -> Iterator[tuple[str, list[Row]]]:
    for _, grouped in groupby(comparison.rows, key=lambda row: row.architecture.label):
        rows = list(grouped)
        yield _short(rows[0].architecture), rows


def _short(architecture: Architecture) -> str:
    return f"{architecture.name}*" if architecture.changes else architecture.name


def _cells(row: Row) -> list[Text | str]:
    if row.run is None:
        return [f"  {row.case.kernel}", *[NOTHING] * (len(_COLUMNS) - 2), Text("failed", style="red")]
    run, metrics = row.run, row.run.metrics
    output = Text("correct", style="green") if row.correct else Text(f"WRONG {row.error:.0e}", style="bold red")
    return [f"  {run.kernel}", count(run.cycles), seconds(run.elapsed_s), three(row.bandwidth),
            f"{100 * run.occupancy.occupancy:.0f} % {limiter(run.occupancy).replace('registers', 'regs')}",
            percent(metrics["branch_efficiency"]),
            f"{three(metrics['gld_transactions_per_request'])} | {three(metrics['gst_transactions_per_request'])}",
            count(metrics["shared_bank_conflicts"]), _of(metrics["partitions_in_use"], len(run.partition)), _least(run), output]


def _of(used: float | None, there: int) -> str:
    return NOTHING if used is None else f"{used:.1f}/{there}"


def _least(run: Run) -> str:
    return NOTHING if run.bounds is None else f"{100 * run.bounds.share:.0f} % {run.bounds.binding.name}"


def _changes(comparison: Comparison) -> Iterator[Text]:
    for _, rows in _by_architecture(comparison):
        if rows[0].architecture.changes:
            yield Text(f"* {rows[0].architecture.label}")


def _reasons(comparison: Comparison, explain_all: bool) -> Iterator[Table]:
    """Say which line kernels spend their time on, and why."""
    which = "every kernel" if explain_all else "the slowest kernel of each machine"
    table = _notes(f"Where {which} spends its time")
    for name, rows in _by_architecture(comparison):
        runs = sorted((row.run for row in rows if row.run), key=lambda run: -run.elapsed_s)
        for run in runs if explain_all else runs[:1]:
            if line := costliest(run):
                place = f"{line.file.rpartition('/')[2]}:{line.line}"
                table.add(f"{name} {run.kernel}", Text(f"{place}  {line.text}", "italic", no_wrap=True))
                table.add("", why(run))
    if table:
        yield table


def _failures(comparison: Comparison) -> Iterator[Table]:
    table = _notes("What failed")
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in comparison.rows:
        if row.failure:
            reasons.setdefault((_short(row.architecture), row.failure), []).append(row.case.kernel)
    for (name, failure), kernels in reasons.items():
        table.add(Text(f"{name} {kernels[0]}{' …' if len(kernels) > 1 else ''}", style="red"), failure)
    if table:
        yield table


def _assumptions(comparison: Comparison) -> Iterator[Table]:
    table = _notes("Values that were not read in a source; cycles and time depend on them ('archdef show NAME --assumed')")
    for name, rows in _by_architecture(comparison):
        architecture = rows[0].architecture
        counts = architecture.evidence_counts()
        assumed = [path for path, source in architecture.sources().items() if source.kind == "assumed" and source is not UNSTATED]
        parts = ", ".join(f"{number} in {part}" for part, number in Counter(path.partition(".")[0] for path in assumed).most_common(5))
        others = [f"{counts[kind]} {kind}" for kind in ("recalled", "fitted", UNSTATED.document) if kind in counts]
        told = [f"{len(assumed)} assumed, among them {parts}"] * bool(assumed) + others
        if told:
            table.add(name, f"{architecture.vendor} {architecture.title}: {'; '.join(told)}")
    if table:
        yield table


def _notes(title: str) -> Table:
    return Table(Column("", Kind.PROSE), Column("", Kind.PROSE, least=30), header=False, title=Text(title, style="bold"))


def _legend(comparison: Comparison) -> Text:
    compilers = ", ".join(sorted({compiler.removesuffix(", cached") for compiler in comparison.compilers.values()}))
    return Text("\nGB/s: bytes that the algorithm must move, over time. "
                "Bank conflicts: extra passes over the shared-memory banks.\n"
                "Parts. in use: how many memory partitions have work at a time.\n"
                "Least time: what the machine needs at least, as a share of what it took, and what sets it.\n"
                f"PTX: {compilers or NOTHING}.",
                style="dim")
