"""What the page's script reads: code, costs of lines and charts of each launch."""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from archdef.html.charts import CAUSES, charts, compared, named
from archdef.html.colours import coloured
from archdef.html.columns import Strings, column, columns, packed

COSTS = ("issued", "active_lanes", "load_transactions", "store_transactions", "moved_bytes", "wasted_sectors", "wasted_transactions", "bank_conflicts",
         "branches", "divergent_branches", "l1_hit_rate", "partitions")
"""Figures of a line that the page shows, beside what its warps waited for."""


def data(model: dict[str, Any]) -> str:
    """Give everything as JSON that can end no element of the page."""
    strings, files = Strings(), _Files()
    runs = [_launch(run, strings, files) for run in model["runs"]]
    whole = {"causes": CAUSES, "charts": {name: packed(spec) for name, spec in compared(model["runs"]).items()}, "runs": runs, "texts": files.packed(strings)}
    text = json.dumps(whole | {"strings": strings.all}, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _launch(run: dict[str, Any], strings: Strings, files: _Files) -> dict[str, Any]:
    """Give a launch. Where the PTX is all that there is, its lines are those of the source."""
    shown = [{"name": file["name"].rpartition("/")[2], "level": file["level"], "parts": file["parts"], "text": files.number(file)} for file in run["files"]]
    ops = run["ops"]
    return {
        "id": run["id"], "name": named(run), "machine": run["machine"], "size": run["warp_size"], "files": shown,
        "lines": _costs(run["lines"], "place") if len(run["files"]) > 1 else None, "statements": _costs(run["statements"], "source"),
        "to": {line["place"]: line["to"] for line in run["lines"] if line["to"] != line["place"]},
        "ops": {"rows": len(ops), "text": column(strings.number(op["text"]) for op in ops), "cost": column(strings.number(op["cost"]) for op in ops),
                "issued": column(op["issued"] for op in ops), "ptx": column(_place(op["ptx"])[1] for op in ops), **_places([op["source"] for op in ops])},
        "charts": {name: packed(spec) for name, spec in charts(run).items()}}


def _costs(costs: Sequence[dict[str, Any]], belongs: str) -> dict[str, Any]:
    """Give what lines cost; `belongs` names the field that says which source line each is of."""
    found = columns(costs, COSTS) | _places([cost[belongs] for cost in costs]) | {"number": column(cost["line"] for cost in costs)}
    waited = [cause for cause in CAUSES if any(cause in cost["stalls"] for cost in costs)]
    return found | {"stalls": {cause: column(cost["stalls"].get(cause, 0) for cost in costs) for cause in waited}}


def _places(places: Sequence[str]) -> dict[str, Any]:
    found = [_place(place) for place in places]
    return {"file": column(file for file, _ in found), "line": column(line for _, line in found)}


def _place(place: str) -> tuple[int, int]:
    file, _, line = place.partition(":")
    return int(file), int(line)


class _Files:
    """Texts of the files of all launches, each once, and of each the lines that some launch shows."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self._shown: list[set[int]] = []

    def number(self, file: dict[str, Any]) -> int:
        key = (file["name"], file["language"], tuple(file["text"]))
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self._shown):
            self._shown.append(set())
        self._shown[number].update(line for first, last in file["parts"] for line in range(first, last + 1))
        return number

    def packed(self, strings: Strings) -> list[dict[str, Any]]:
        found = []
        for (_, language, text), shown in zip(self._numbers, self._shown, strict=True):
            lines = [row if number in shown else ("", "") for number, row in enumerate(coloured(text, language), 1)]
            colours = column(strings.number(pieces) for _, pieces in lines)
            found.append({"lines": len(lines), "text": "\n".join(line for line, _ in lines), "colours": colours})
        return found
