"""A launch as a table: what it took, the metrics that say why, and the lines that cost most."""
from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from archdef.formatting import count, limiter, metric, percent, seconds, size, three
from archdef.tables import Column, Kind, Pairs, Table

if TYPE_CHECKING:
    from archdef.run.result import Run

SHOWN = ("ipc", "achieved_occupancy", "branch_efficiency", "warp_execution_efficiency", "gld_efficiency",
         "gst_efficiency", "gld_transactions_per_request", "gst_transactions_per_request", "shared_bank_conflicts",
         "l1_hit_rate", "l2_hit_rate", "tex_cache_hit_rate",
         "dram_read_throughput", "dram_write_throughput", "dram_utilization", "partition_busiest", "partition_idlest",
         "partitions_in_use")
LINES = 8
REASONS = 3


def render(run: Run, lines: int = LINES) -> Group:
    """Lay out one launch; `lines` bounds the list of costliest lines."""
    if run.functional:
        return Group(*_interrupted(run), _head(run), *(Text(f"warning: {w}", style="bold") for w in run.warnings))
    return Group(*_interrupted(run), _head(run), *(Text(f"warning: {w}", style="bold") for w in run.warnings), *_bounds(run), *_why(run), _metrics(run),
                 _stack(run), *_lanes(run), _lines(run, lines))


def _interrupted(run: Run) -> list[Text]:
    """Say first of all that this is not the whole launch."""
    return [Text(f"{run.interrupted[0].upper()}{run.interrupted[1:]}: what follows was counted until then", style="bold red")] if run.interrupted else []


def _head(run: Run) -> Text:
    shape = " x ".join("(" + ", ".join(map(str, s)) + ")" for s in (run.grid, run.block))
    occupancy, words, c = run.occupancy, run.architecture.words, run.counters
    took = f"{count(c.instructions)} instructions, not timed" if run.functional else f"{count(run.cycles)} cycles, {seconds(run.elapsed_s)}"
    return Text(
        f"{run.kernel} {shape} on {run.architecture.label}: {took}\n"
        f"{run.registers} registers per thread (from {run.registers_from}{_spilled(run)}), {size(run.shared_bytes)} {words.shared} per {words.block}; "
        f"{occupancy.active_blocks} {words.block}s = {occupancy.active_warps} {words.warp}s per "
        f"{words.multiprocessor}, occupancy {percent(100 * occupancy.occupancy)} (limit: {limiter(occupancy)})\n"
        f"{count(c.warps)} {words.warp}s launched, {count(c.threads)} threads on "
        f"{count(c.lanes_launched)} {words.lane}s")


def _bounds(run: Run) -> list[Text]:
    """Say what the machine allows at best, and at worst."""
    if (bounds := run.bounds) is None:
        return []
    best = bounds.binding
    parts = [f"at least {count(round(best.cycles))} cycles by {best.name} ({best.about}): {percent(100 * bounds.share)} of the time"]
    for other in bounds.lower[1:3]:
        parts.append(f"{other.name} {count(round(other.cycles))}")
    if bounds.upper:
        parts.append(f"at most {count(round(bounds.upper.cycles))}, all in a row")
    lines = ["bounds: " + ", ".join(parts)]
    if (roof := run.roofline) is not None:
        lines.append(f"roofline: {three(roof.gflop_s)} of {three(roof.attainable)} GFLOP/s attainable (" + ", ".join(
            f"{point.level} {three(point.intensity)} FLOP/B" for point in roof.points) + f"; peak {three(roof.peak)})")
    return [Text("\n".join(lines))]


def _why(run: Run) -> list[Text]:
    """Say what accounts for the most of the time."""
    return [Text("\n".join(f"{'     ' if number else 'why: '}{reason}" for number, reason in enumerate(run.reasons[:REASONS])))] if run.reasons else []


def _spilled(run: Run) -> str:
    if not run.spilled_registers:
        return ""
    program = run.program
    traffic = f"{program.spill_store_bytes} B of stores and {program.spill_load_bytes} B of loads in its code"
    left = f", {program.unspilled_registers} cannot" if program.unspilled_registers else ""
    return f", {run.spilled_registers} more spilled to local memory: {traffic}{left}"


def _metrics(run: Run) -> Pairs:
    return Pairs((name, metric(value, run.metrics.definitions[name].unit)) for name in SHOWN if (value := run.metrics[name]) is not None)


def _stack(run: Run) -> Text:
    stack = run.cpi_stack
    whole = sum(stack.values()) or 1.0
    parts = sorted(((cycles, cause) for cause, cycles in stack.items() if cycles), reverse=True)
    return Text("warp cycles: " + ", ".join(f"{cause.replace('_', ' ')} {percent(100 * cycles / whole)}"
                                            for cycles, cause in parts) + _choice(run))


def _choice(run: Run) -> str:
    """Say what nobody has published of how the scheduler chooses, if any warp waited for its turn."""
    path, policy = "schedulers.policy", type(run.architecture.schedulers.policy).__name__
    guessed = [known for known in run.architecture.assumed() if known == path or known.startswith(f"{path}.")]
    if not run.cpi_stack["not_selected"] or not guessed:
        return ""
    chosen = f"\nnot selected: {policy} chooses among ready {run.architecture.words.warp}s"
    return f"{chosen}, which is assumed" if path in guessed else f"{chosen} by assumed numbers ({', '.join(guessed)})"


def _lanes(run: Run) -> list[Text]:
    """Say what the lanes did, if some ever waited for others of their warp."""
    cycles = run.counters.lane_cycles
    whole = sum(cycles.values())
    if whole in (0, cycles["coherent"]):
        return []
    return [Text("lane cycles: " + ", ".join(f"{state.replace('_', ' ')} {percent(100 * n / whole)}" for state, n in cycles.items()))]


def _lines(run: Run, lines: int) -> Table:
    table = Table(Column("line", Kind.PLACE), Column("share", Kind.NUMBER), Column("issued", Kind.NUMBER, priority=3), Column("mostly", priority=1),
                  Column("source", Kind.SOURCE, priority=2, least=16))
    costly = sorted((line for line in run.lines if line.warp_cycles), key=lambda line: -line.warp_cycles)[:lines]
    for line in sorted(costly, key=lambda line: (line.file, line.line)):
        place = f"{line.file.rpartition('/')[2]}:{line.line}" if line.line else "(no line)"
        table.add(place, percent(100 * line.share), count(line.counters.instructions), line.cause.replace("_", " "), line.text)
    return table
