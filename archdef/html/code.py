"""The text of a kernel at its three levels, source, PTX and micro-ops, and what each line of each cost."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import attrs

from archdef.lower.listing import listed

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

CONTEXT = 12
"""Lines shown around those that have statements; gaps that are not longer are shown, too."""
WHOLE = 300
"""Lines of a source that is shown as a whole."""
SECTOR_BYTES = 32
"""The unit in which profilers count what memory moves."""
_LANGUAGES = {".cu": "cuda", ".cuh": "cuda", ".h": "cuda", ".hpp": "cuda", ".maca": "cuda", ".py": "python", ".ptx": "ptx"}


@attrs.frozen(eq=False)
class Code:
    """What is shown of the code of one launch."""

    files: list[dict[str, Any]]
    """Sources in order of what they cost, first those whose text is at hand, then the PTX: ``name``, ``language``, ``level``, lines ``text``, and
    ``parts``, the ranges to show."""
    lines: list[dict[str, Any]]
    """What each source line cost, in source order."""
    statements: list[dict[str, Any]]
    """What each line of PTX with a statement cost, in the order of the text."""
    ops: list[dict[str, Any]]
    """Micro-ops, in the order of the program."""
    numbers: dict[str, int]
    """File → its place in `files`."""
    sources: list[str]
    """Source line of each statement of the program."""
    leads: dict[str, str]
    """Source line → where it is shown. Code that the compiler ties to no line is shown as PTX, at its costliest statement."""

    def place(self, file: str, line: int) -> str:
        """Name a line within the report: ``0:23`` is line 23 of the first file."""
        return f"{self.numbers[file]}:{line}"


def code(run: Run) -> Code:
    """Gather the code of a launch."""
    program = run.program
    spent: dict[str, int] = {}
    for line in run.lines:
        spent[line.file] = spent.get(line.file, 0) + line.warp_cycles
    order = sorted((file for file in spent if file != program.file), key=lambda file: (not run.sources.get(file), -spent[file]))
    numbers = {file: number for number, file in enumerate([*order, program.file])}
    lines = [_cost(run, cost, numbers) for cost in run.lines]
    sources = [f"{numbers[s.file]}:{s.source_line}" if s.file in numbers and s.source_line is not None else f"{numbers[program.file]}:{s.line}"
               for s in program.statements]
    statements = _by_line(run, numbers, sources)
    ptx = [f"{numbers[program.file]}:{s.line}" for s in program.statements]
    ops = [{"text": text, "cost": cost, "issued": int(issued), "statement": row, "ptx": ptx[row], "source": sources[row]}
           for (row, text, cost), issued in zip(listed(program), run.counters.issued, strict=True)]
    files = [_file(run, file, (line["line"] for line in lines if line["file"] == file), "source") for file in order]
    files.append(_file(run, program.file, (line["line"] for line in statements), "ptx"))
    leads = {line["place"]: line["place"] if line["line"] else _costliest(statements, line["place"]) for line in lines}
    return Code(files, [line | {"to": leads[line["place"]]} for line in lines], statements, ops, numbers, sources, leads)


def _costliest(statements: list[dict[str, Any]], source: str) -> str:
    """Name the line of PTX, of those that belong to a source line, that costs most."""
    place: str = max((each for each in statements if each["source"] == source), key=lambda each: each["warp_cycles"])["place"]
    return place


def _by_line(run: Run, numbers: dict[str, int], sources: list[str]) -> list[dict[str, Any]]:
    """Give what each line of PTX cost: most hold one statement."""
    found = []
    for line, group in groupby(sorted(range(len(run.statements)), key=lambda row: run.statements[row].line), key=lambda row: run.statements[row].line):
        rows = list(group)
        costs = [run.statements[row] for row in rows]
        whole = costs[0] if len(rows) == 1 else attrs.evolve(
            costs[0], text=" ".join(cost.text for cost in costs), counters=run.counters.only(rows), share=sum(cost.share for cost in costs))
        found.append(_cost(run, whole, numbers) | {"source": sources[rows[0]], "line": line})
    return found


def _file(run: Run, name: str, used: Iterable[int], level: str) -> dict[str, Any]:
    text = list(run.sources.get(name, ()))
    suffix = name[name.rfind("."):] if "." in name else ""
    language = "ptx" if level == "ptx" else _LANGUAGES.get(suffix, "text")
    wanted = sorted({line for line in used if line > 0})
    whole = level == "source" and len(text) <= WHOLE
    wanted = [*range(1, len(text) + 1), *wanted] if whole else wanted
    return {"name": name, "language": language, "level": level, "text": text, "parts": _parts(len(text), wanted)}


def _parts(length: int, used: Sequence[int]) -> list[list[int]]:
    """Give ranges of lines, first and last, that hold what is used and what is around it; lines whose text is not at hand stand alone."""
    parts: list[list[int]] = []
    for line in sorted(set(used)):
        near = line <= length
        first, last = (max(1, line - CONTEXT), min(length, line + CONTEXT)) if near else (line, line)
        if parts and first <= parts[-1][1] + (CONTEXT if near else 1):
            parts[-1][1] = last
        else:
            parts.append([first, last])
    if parts and parts[0][0] <= CONTEXT and length:
        parts[0][0] = 1
    return parts


def _cost(run: Run, cost: Cost, numbers: dict[str, int]) -> dict[str, Any]:
    counters, metrics = cost.counters, run.metrics_of(cost.counters)
    wasted = sum(max(0, moved - asked) for moved, asked in (
        (counters.global_load_bytes_moved, counters.global_load_bytes_asked), (counters.global_store_bytes_moved, counters.global_store_bytes_asked)))
    moved = counters.global_load_bytes_moved + counters.global_store_bytes_moved
    return {
        "file": cost.file, "line": cost.line, "text": cost.text, "place": f"{numbers[cost.file]}:{cost.line}", "share": cost.share,
        "warp_cycles": cost.warp_cycles, "cause": cost.cause if cost.warp_cycles else "", "issued": counters.instructions,
        "active_lanes": counters.thread_instructions / counters.instructions if counters.instructions else None,
        "stalls": {cause: cycles for cause, cycles in counters.stalls.items() if cycles},
        "load_transactions": metrics["gld_transactions_per_request"], "store_transactions": metrics["gst_transactions_per_request"],
        "moved_bytes": moved, "wasted_bytes": wasted, "wasted_sectors": wasted / SECTOR_BYTES if moved else None,
        "wasted_transactions": (metrics["global_replay_overhead"] or 0.0) * counters.instructions if moved else None,
        "bank_conflicts": metrics["shared_bank_conflicts"] if counters.shared_loads or counters.shared_stores else None,
        "branches": counters.branches, "divergent_branches": counters.divergent_branches, "l1_hit_rate": metrics["l1_hit_rate"],
        "partitions": metrics["partitions_per_request"]}
