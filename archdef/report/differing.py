"""What two descriptions differ in."""
from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from rich.console import Group
from rich.text import Text

from archdef.report.described import COSTS, STYLES, fields, shown, unit_cell
from archdef.console import text
from archdef.formatting import NOTHING
from archdef.spec import Architecture
from archdef.tables import Column, Footnotes, Kind, Table, to_html


class DescriptionDifferences(list[dict[str, Any]]):
    """Fields in which two descriptions differ. Prints as a table, in notebooks too."""

    def __init__(self, one: Architecture, other: Architecture, rows: Iterable[dict[str, Any]]):
        super().__init__(rows)
        self.one, self.other = one, other

    def __str__(self) -> str:
        return text(render(self.one, self.other, self))

    def _repr_html_(self) -> str:
        return to_html(render(self.one, self.other, self))


def differences(one: Architecture, other: Architecture, only: str = "") -> DescriptionDifferences:
    """List the fields in which two descriptions differ, in the order of the description.

    Each has `path`, `unit` and, as `a` and `b`, the value with its evidence; None where the machine has no such field.
    `ratio` is b's number over a's, where both are numbers.

    Raises UnknownField if neither has anything under `only`.
    """
    sides = [{row["path"]: row for row in fields(one, only, absent=other)}, {row["path"]: row for row in fields(other, only, absent=one)}]
    rows = []
    for path in _merged(*map(list, sides)):
        a, b = (side.get(path) for side in sides)
        if a is not None and b is not None and a["value"] == b["value"]:
            continue
        rows.append({"path": path, "unit": (a or b or {})["unit"], "a": _side(a), "b": _side(b), "ratio": _ratio(a, b)})
    return DescriptionDifferences(one, other, rows)


def render(one: Architecture, other: Architecture, rows: list[dict[str, Any]]) -> Group:
    """Lay differences out, section by section; sources are numbered and listed below."""
    sources: dict[str, int] = {}
    parts: list[Any] = [Text.assemble((one.label, "bold"), f" {one.vendor} {one.title}  |  ",
                                      (other.label, "bold"), f" {other.vendor} {other.title}")]
    table = Table(Column("field", Kind.PROSE, least=20), Column("unit", priority=3), *(column for side in (one, other) for column in (
        Column(side.name, Kind.PROSE, to_right=True), Column("evidence", Kind.PROSE, priority=1, called=f"evidence of {side.name}"))),
        Column("ratio", Kind.NUMBER, priority=2))
    for section, grouped in groupby(rows, lambda row: row["path"].partition(".")[0]):
        group = list(grouped)
        if any("." in row["path"] for row in group):
            table.heading(Text(section, style="bold"))
        for row in (row for row in group if not row["path"].startswith(COSTS)):
            cells = [cell for side in _own_words(*_told_apart(row["a"], row["b"])) for cell in _cells(side, row["unit"], sources)]
            inner = row["path"].removeprefix(section + ".")
            table.add(f"  {inner}" if inner != row["path"] else inner, unit_cell(row), *cells, "" if row["ratio"] is None else f"{row['ratio']:.3g}x")
        for name, fields_of_cost in groupby((row for row in group if row["path"].startswith(COSTS)), lambda row: row["path"].split(".")[2]):
            costs = list(fields_of_cost)
            cells = [cell for side in ("a", "b") for cell in _cost_cells([(row["path"], row[side]) for row in costs], sources)]
            table.add(f"  operations.{name}", "", *cells)
    if not rows:
        return Group(*parts, Text("no differences"))
    return Group(*parts, table, Footnotes([table], "evidence", [f"[{number}] {source}" for source, number in sources.items()]),
                 Text(f"\n{len(rows)} field{'s' * (len(rows) != 1)} differ{'s' * (len(rows) == 1)}"))


def _cells(side: dict[str, Any] | None, unit: str, sources: dict[str, int]) -> tuple[Text, Text]:
    if side is None:
        return Text(NOTHING), Text("")
    evidence = f"{side['kind']} [{sources.setdefault(side['source'], len(sources) + 1)}]" if side["source"] else ""
    return Text(shown(side["value"], unit, with_unit=False)), Text(evidence, style=STYLES.get(side["kind"], ""))


def _told_apart(a: dict[str, Any] | None, b: dict[str, Any] | None) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Give numbers that tables would show alike with all their digits."""
    if a is None or b is None or not all(isinstance(side["value"], float) for side in (a, b)) or shown(a["value"], "") != shown(b["value"], ""):
        return a, b
    return a | {"value": repr(a["value"])}, b | {"value": repr(b["value"])}


def _own_words(a: dict[str, Any] | None, b: dict[str, Any] | None) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Of two sets of words, such as features, leave only those that the other does not have."""
    if a is None or b is None or not all(isinstance(word, str) for side in (a, b) for word in _listed(side["value"])):
        return a, b
    return _beyond(a, b), _beyond(b, a)


def _beyond(side: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return side | {"value": [f"+{word}" for word in side["value"] if word not in other["value"]]}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [None]


def _cost_cells(fields: list[tuple[str, dict[str, Any] | None]], sources: dict[str, int]) -> tuple[Text, Text]:
    """Lay out those fields of an operation's cost that differ: ``latency 18, issues 2``."""
    there = [(path.rpartition(".")[2].removesuffix("_cycles"), side) for path, side in fields if side is not None]
    if not there:
        return Text(NOTHING), Text("")
    evidence = {str(cell): cell for _, cell in (_cells(side, "", sources) for _, side in there) if cell}
    words = (f"{name} {shown(side['value'], '')}" for name, side in there if side["value"] is not None)
    return Text(", ".join(words) or "none"), Text(", ").join(evidence.values())


def _side(row: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else {key: row[key] for key in ("value", "kind", "source")}


def _ratio(a: dict[str, Any] | None, b: dict[str, Any] | None) -> float | None:
    numbers = [row["value"] for row in (a, b) if row is not None and type(row["value"]) in (int, float)]
    return numbers[1] / numbers[0] if len(numbers) == 2 and numbers[0] else None


def _merged(first: list[str], second: list[str]) -> list[str]:
    """Put two lists of paths together; what only the second has comes behind its neighbour there."""
    merged, known, place = list(first), set(first), 0
    for path in second:
        if path in known:
            place = merged.index(path) + 1
        else:
            merged.insert(place, path)
            place += 1
    return merged
