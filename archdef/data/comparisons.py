"""Views of comparisons: machines beside each other, what has changed since a baseline, and where a speed-up comes from."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from archdef.baseline import Difference
from archdef.baseline.table import UNITS
from archdef.data.view import Row, flag, real, text, view, whole


@view("comparison", "A kernel of a workload on a machine.", text("workload", "Workload."), whole("size", "Its size."), text("size_means", "What that counts."),
      text("kernel", "Kernel."), text("architecture", "Machine, as its label says."), flag("correct", "Whether it gave numpy's answer."),
      real("error", "Its largest error, relative to that answer."), text("failure", "Why it did not run."),
      whole("duration_cycles", "From launch to the last store landed, in cycles of a multiprocessor.", "cycles"),
      real("duration_s", "The same in seconds.", "s"),
      real("bandwidth_gb_s", "The bytes that the algorithm has to move, over that time.", "GB/s"))
def comparison(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each launch, those that failed among them."""
    for found in results:
        for row in found.rows:
            took = (None, None) if row.run is None else (row.run.cycles, row.run.elapsed_s)
            yield (found.workload.name, found.size, found.workload.size_means, row.case.kernel, row.architecture.label, row.correct, row.error, row.failure,
                   *took, row.bandwidth)


SIDES = (text("kernel_before", "Kernel of the baseline."), text("kernel_after", "Kernel of today."), text("architecture_before", "Machine of the baseline."),
         text("architecture_after", "Machine of today."))


def _differences(results: Sequence[Any]) -> Iterator[tuple[Row, Difference]]:
    for result in results:
        for one in getattr(result, "kernels", (result,)):
            yield (*(side[key] for key in ("kernel", "architecture") for side in (one.before, one.after)),), one


@view("changes", "A kernel before and after.", *SIDES, *(column for side in ("before", "after") for column in (
    whole(f"duration_cycles_{side}", f"What it took {side}, in cycles of a multiprocessor.", "cycles"),
    real(f"duration_s_{side}", "The same in seconds.", "s"))),
      real("change", "Change of the time as a part of what it was: 0.05 is five per cent slower."))
def changes(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each kernel."""
    for sides, one in _differences(results):
        yield (*sides, *(side[key] for side in (one.before, one.after) for key in ("cycles", "elapsed_s")), one.change)


@view("metric_changes", "A metric of a kernel that has changed, that of the greatest effect first.", *SIDES, text("metric", "Name of the metric."),
      text("unit", "Its unit."), real("before", "What it was; missing: it had no meaning."), real("after", "What it is."),
      real("effect", "How much it changed, 0 to 1."))
def metric_changes(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each metric."""
    for sides, one in _differences(results):
        yield from ((*sides, change.name, UNITS.get(change.name), change.before, change.after, change.effect) for change in one.metrics)


@view("line_changes", "A source line of a kernel before and after, that of the greatest change first.", *SIDES,
      text("kind", "``same``, ``changed``, ``moved``, ``added`` or ``removed``."), *(column for side in ("before", "after") for column in (
          text(f"file_{side}", f"File {side}."), whole(f"line_{side}", f"Line {side}, from 1."), text(f"text_{side}", f"The line {side}."))),
      whole("warp_cycles_before", "Warp cycles spent on it before.", "cycles"), whole("warp_cycles_after", "Warp cycles spent on it after.", "cycles"))
def line_changes(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each line."""
    for sides, one in _differences(results):
        for line in one.lines:
            places = (side[key] if side is not None else None for side in (line.before, line.after) for key in ("file", "line", "text"))
            yield (*sides, line.kind, *places, *line.cycles)


PAIR = (text("program", "What ran."), text("architecture_before", "The first machine."), text("architecture_after", "The second machine."))


@view("factors", "How many times as fast a group of rules makes a program; the factors multiply to the whole.", *PAIR,
      text("groups", "Group of rules; several that cannot move apart with + between."), real("factor", "Geometric mean over orders."),
      real("relative_standard_error", "Of the factor, because orders were drawn."), real("factor_alone", "Where the group moves first."),
      real("factor_last", "Where it moves last."), real("factor_least", "The least of any order."), real("factor_most", "The greatest of any order."))
def factors(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each group."""
    for found in results:
        for f in found.factors:
            yield (found.program, found.first, found.second, f.name, f.factor, f.relative_error, f.alone, f.last, *f.bounds)


@view("factor_paths", "A field of the description that belongs to a factor, in which the two machines differ.", *PAIR, text("groups", "As in `factors`."),
      text("path", "Path of the field."))
def factor_paths(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each field."""
    for found in results:
        for f in found.factors:
            yield from ((found.program, found.first, found.second, f.name, path) for path in f.paths)


@view("joined_groups", "Groups of rules that cannot move apart.", *PAIR, text("groups", "As in `factors`."),
      text("moved", "Groups whose rules a machine between the two would have of the second."), text("why", "What is wrong with that machine."))
def joined_groups(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each set of groups."""
    for found in results:
        yield from ((found.program, found.first, found.second, " + ".join(j.groups), " + ".join(j.moved), j.why) for j in found.joined)
