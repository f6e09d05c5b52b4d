"""What a report says of launches, as plain data: every figure is the run's own, with the place that it leads to."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from archdef.html.advised import Advised, advised
from archdef.html.chip import chip, memory
from archdef.html.code import code
from archdef.html.led import leads_to, reasons
from archdef.html.occupied import curves
from archdef.html.roof import roof
from archdef.html.timed import timed
from archdef.html.traced import traced
from archdef.metrics import BUILT_IN
from archdef.metrics.stalls import WAITS_FOR

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run


_ABOUT = {"warps": "few warps", "issues": "instruction issue", "partitions": "partition camping", "queues": "memory queues", "banks": "bank conflicts"}
"""Heat map → the cause of which the line has most that it leads to."""


@attrs.frozen(eq=False)
class Shown:
    """A launch, and what is said of it beside its own figures."""

    run: Run
    reason: str
    """Why it took so long, in a sentence."""
    costliest: Cost | None
    """The line that the sentence is about."""
    checked: str = ""
    """``correct``, or how wrong its output was; empty: nobody looked."""
    advice: Sequence[Advised] | None = None
    """What to change; None: nobody was asked."""


def model(shown: Sequence[Shown], title: str, failures: Sequence[str] = ()) -> dict[str, Any]:
    """Give the whole report as plain data; `failures` are launches that did not come to their end."""
    runs = [_launch(number, one) for number, one in enumerate(shown)]
    return {"title": title, "runs": runs, "failures": list(failures), "metrics": _metrics([one.run for one in shown]), "beside": _beside(runs)}


def _beside(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """List source lines that several launches spend time on, the costliest first: of each launch the share, the place, and warp cycles, or None."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for number, run in enumerate(runs):
        for line in run["lines"]:
            if line["warp_cycles"] and line["line"]:
                fresh = {"file": line["file"], "line": line["line"], "text": line["text"], "values": [None] * len(runs)}
                row = rows.setdefault((line["file"], line["line"]), fresh)
                row["values"][number] = {"share": line["share"], "warp_cycles": line["warp_cycles"], "place": line["place"]}
    found = [row for row in rows.values() if sum(value is not None for value in row["values"]) > 1]
    return sorted(found, key=lambda row: -max(value["share"] for value in row["values"] if value))


def _launch(number: int, shown: Shown) -> dict[str, Any]:
    run = shown.run
    words, bounds = run.architecture.words, run.bounds
    found = code(run)
    about = {heat: leads_to(run, cause, found.lines) for heat, cause in _ABOUT.items()} if found.lines else {}
    place = shown.costliest and found.place(shown.costliest.file, shown.costliest.line)
    return {
        "id": f"r{number}", "kernel": run.kernel, "machine": run.architecture.label, "about": f"{run.architecture.vendor} {run.architecture.title}",
        "grid": list(run.grid), "block": list(run.block), "cycles": run.cycles, "elapsed_s": run.elapsed_s, "checked": shown.checked,
        "registers": run.registers, "registers_from": run.registers_from, "shared_bytes": run.shared_bytes,
        "words": attrs.asdict(words), "warp_size": run.architecture.warp.size, "reason": shown.reason, "reasons": reasons(run, found.lines),
        "costliest": shown.costliest and {"file": shown.costliest.file, "line": shown.costliest.line, "text": shown.costliest.text, "place": place},
        "files": found.files, "ops": found.ops, "lines": found.lines, "statements": found.statements,
        "stack": _stack(run, found.lines), "stalls": run.counters.stalls, "lane_cycles": run.counters.lane_cycles,
        "bounds": bounds and bounds.to_dict(), "roof": roof(run), "memory": memory(run, found.lines), "chip": chip(run),
        "occupancy": curves(run), "lanes": traced(run, found), "time": timed(run, about),
        "advice": None if shown.advice is None else advised(shown.advice, found),
        "launched": len(run.launches), "warnings": list(run.warnings), "printed": run.printed,
        "metrics": dict(run.metrics)}


def _stack(run: Run, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """List what a warp's cycles per instruction go to, most first, each with the line on which most of it is spent."""
    whole, found = sum(run.counters.stalls.values()), []
    for cause, cycles in sorted(run.counters.stalls.items(), key=lambda item: -item[1]):
        if cycles:
            most = max(lines, key=lambda line: line["stalls"].get(cause, 0))
            found.append({"cause": cause, "waits_for": WAITS_FOR.get(cause, "nothing: it issues"), "warp_cycles": cycles, "share": cycles / whole,
                          "per_instruction": run.cpi_stack[cause], "place": most["to"], "text": most["text"],
                          "of_line": most["stalls"].get(cause, 0) / cycles})
    return found


def _metrics(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """List every metric that has a value in some launch."""
    rows = [{"name": each.name, "unit": each.unit, "about": each.about, "formula": each.formula, "values": [run.metrics[each.name] for run in runs]}
            for each in BUILT_IN]
    return [row for row in rows if any(value is not None for value in row["values"])]
