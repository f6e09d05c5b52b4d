"""Views of launches: what each was, its metrics, counters, lines, stalls, reasons and bounds."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from archdef.data.counted import MULTIPROCESSOR, PARTITION, STATEMENT
from archdef.data.view import Row, flag, real, text, view, whole

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

LAUNCH = (whole("launch", "Number of the launch among those that the table is of, from 0."), text("kernel", "Kernel."),
          text("architecture", "Machine, as its label says."))


def runs_of(results: Sequence[Any]) -> Iterator[tuple[Row, Run]]:
    """Give each launch behind the values of the columns `LAUNCH`; of a comparison those that were made."""
    number = 0
    for result in results:
        for run in (row.run for row in result.rows) if hasattr(result, "rows") else (result,):
            if run is not None:
                yield (number, run.kernel, run.architecture.label), run
                number += 1


@view("runs", "A launch: its shape, what it took, and what a multiprocessor held of it.", *LAUNCH,
      *(whole(f"{what}_{axis}", f"{meaning} in {axis}.") for what, meaning in (("grid", "Blocks"), ("block", "Threads of a block")) for axis in "xyz"),
      whole("shared_bytes", "Shared memory of a block, static and dynamic.", "bytes"), whole("registers", "Registers of a thread."),
      whole("spilled_registers", "Registers that live in local memory for lack of room."), whole("warps", "Warps launched."),
      whole("threads", "Threads launched."),
      whole("active_blocks", "Blocks that a multiprocessor may hold at a time."), whole("active_warps", "Warps that a multiprocessor may hold at a time."),
      real("occupancy", "Those warps over the most that a multiprocessor can hold, 0 to 1."),
      whole("duration_cycles", "From launch to the last store landed, in cycles of a multiprocessor.", "cycles"),
      real("duration_s", "The same in seconds.", "s"), flag("finished", "Whether it ran to its end; else all figures are those until it was stopped."))
def runs(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each launch."""
    for launch, run in runs_of(results):
        yield (*launch, *run.grid, *run.block, run.shared_bytes, run.registers, run.spilled_registers, run.counters.warps, run.counters.threads,
               run.occupancy.active_blocks, run.occupancy.active_warps, run.occupancy.occupancy, run.cycles, run.elapsed_s, not run.interrupted)


@view("metrics", "A metric of a launch that has a value. `archdef metrics` says what each means.", *LAUNCH, text("metric", "Name of the metric."),
      real("value", "In the unit beside it."), text("unit", "``%``, ``GB/s``, ``count`` or ``ratio``."))
def metrics(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each metric that has a value."""
    for launch, run in runs_of(results):
        for name, value in run.metrics.items():
            if value is not None:
                yield (*launch, name, value, run.metrics.definitions[name].unit)


@view("counters", "A counter of a launch, summed over its statements.", *LAUNCH, text("counter", "Name of the counter, one of the columns of `lines`."),
      whole("value", "What was counted, in the unit beside it."), text("unit", "``count`` or ``bytes``."))
def counters(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each counter."""
    for launch, run in runs_of(results):
        for column in STATEMENT:
            yield (*launch, column.name, getattr(run.counters, column.name), column.unit or "count")


COST = (text("file", "File of the source."), whole("line", "Line of the file, from 1; 0 for instructions that belong to no line."),
        text("text", "The line itself, if the source is at hand."))


@view("lines", "What a source line cost; a line of PTX where the compiler left no line table.", *LAUNCH, *COST,
      whole("warp_cycles", "Cycles that warps spent on it, issuing or waiting.", "cycles"), real("share", "Part of the warp cycles of the launch, 0 to 1."),
      text("cause", "What most of them went to; ``selected`` is issuing."), *STATEMENT)
def lines(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each line."""
    for launch, run in runs_of(results):
        yield from (_cost(launch, cost) for cost in run.lines)


@view("statements", "What a PTX statement cost, in the order of the text.", *LAUNCH, whole("statement", "Number of the statement, from 0."), *COST,
      whole("warp_cycles", "Cycles that warps spent on it, issuing or waiting.", "cycles"), real("share", "Part of the warp cycles of the launch, 0 to 1."),
      text("cause", "What most of them went to; ``selected`` is issuing."), *STATEMENT)
def statements(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each statement."""
    for launch, run in runs_of(results):
        yield from (_cost((*launch, number), cost) for number, cost in enumerate(run.statements))


def _cost(before: Row, cost: Cost) -> Row:
    return (*before, cost.file, cost.line, cost.text, cost.warp_cycles, cost.share, cost.cause, *(getattr(cost.counters, column.name) for column in STATEMENT))


@view("line_stalls", "What warps waited for at a source line; causes of which there was nothing are left out.", *LAUNCH, *COST[:2],
      text("cause", "What they waited for; ``selected`` is issuing."), whole("warp_cycles", "Cycles that warps spent so.", "cycles"))
def line_stalls(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each cause at each line."""
    for launch, run in runs_of(results):
        for cost in run.lines:
            yield from ((*launch, cost.file, cost.line, cause, cycles) for cause, cycles in cost.counters.stalls.items() if cycles)


@view("stalls", "What the warps of a launch spent their cycles on; all together they are all cycles of all warps.", *LAUNCH,
      text("cause", "What they waited for; ``selected`` is issuing."), whole("warp_cycles", "Cycles that warps spent so.", "cycles"),
      real("cycles_per_instruction", "The same over the instructions issued: a part of the CPI stack.", "cycles"))
def stalls(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each cause."""
    for launch, run in runs_of(results):
        stack = run.cpi_stack
        yield from ((*launch, cause, cycles, stack[cause]) for cause, cycles in run.counters.stalls.items())


@view("lane_states", "What the lanes of a launch did while they lived.", *LAUNCH,
      text("state", "``coherent``, ``first_path``, ``second_path`` or ``stalled``."),
      whole("lane_cycles", "Cycles in that state, summed over lanes.", "cycles"),
      whole("lane_slots", "Instructions that found a lane in it, summed over lanes."))
def lane_states(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each state."""
    for launch, run in runs_of(results):
        slots = run.counters.lane_slots
        yield from ((*launch, state, cycles, slots[state]) for state, cycles in run.counters.lane_cycles.items())


@view("reasons", "What the time of a launch went to, the most first; what accounts for less than a twentieth is left out.", *LAUNCH,
      text("cause", "Name of the cause."), real("share", "Part of the time that it accounts for, 0 to 1."), text("evidence", "What was measured of it."))
def reasons(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each cause."""
    for launch, run in runs_of(results):
        yield from ((*launch, reason.cause, reason.share, reason.text) for reason in run.reasons)


@view("bounds", "Cycles that a launch could not undercut, the greatest first, or could not exceed.", *LAUNCH, text("side", "``lower`` or ``upper``."),
      text("bound", "What holds the launch up."), real("bound_cycles", "The bound, in cycles of a multiprocessor.", "cycles"),
      text("how", "How the number comes about."))
def bounds(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each bound."""
    for launch, run in runs_of(results):
        if (found := run.bounds) is not None:
            yield from ((*launch, "lower", bound.name, bound.cycles, bound.about) for bound in found.lower)
            if found.upper is not None:
                yield (*launch, "upper", found.upper.name, found.upper.cycles, found.upper.about)


@view("roofline", "Where a launch stands under the roof of a level of memory.", *LAUNCH, text("level", "Level of memory, as `ceilings` names it."),
      real("moved_bytes", "What the launch moved there, headers of packets among it.", "bytes"),
      real("intensity_flop_per_byte", "Floating-point operations for each byte.", "FLOP/B"),
      real("achieved_gflop_s", "10⁹ floating-point operations per second of the launch.", "GFLOP/s"),
      real("attainable_gflop_s", "What this level and the units allow.", "GFLOP/s"), real("peak_gflop_s", "What the units allow.", "GFLOP/s"))
def roofline(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each level."""
    for launch, run in runs_of(results):
        if (found := run.roofline) is not None:
            yield from ((*launch, point.level, point.bytes, point.intensity, found.gflop_s, point.attainable, found.peak) for point in found.points)


@view("partitions", "What a memory partition counted, of all launches that the machine worked on.", *LAUNCH,
      whole("partition", "Number of the partition, from 0."), *PARTITION)
def partitions(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each partition."""
    for launch, run in runs_of(results):
        for number, row in enumerate(run.partition):
            yield (*launch, number, *(row[column.name] for column in PARTITION))


@view("multiprocessors", "What a multiprocessor counted of a launch.", *LAUNCH, whole("multiprocessor", "Number of the multiprocessor, from 0."),
      *MULTIPROCESSOR)
def multiprocessors(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each multiprocessor."""
    for launch, run in runs_of(results):
        for number, row in enumerate(run.counters.multiprocessor):
            yield (*launch, number, *(row[column.name] for column in MULTIPROCESSOR))
