"""Architectures as tables: all of them in a line each, or one field by field with where each value is from."""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import attrs
from rich.console import Group
from rich.text import Text

from archdef.errors import UnknownField, nearest
from archdef.formatting import count, shortest, size, three
from archdef.spec import KINDS, Architecture, Operation, PolicyValue, unit_of
from archdef.spec.evidence import UNSTATED
from archdef.spec.fields import Part, rule_of
from archdef.tables import Column, Footnotes, Kind, Table

STYLES = {"documented": "", "measured": "", "inferred": "cyan", "fitted": "cyan", "recalled": "magenta", "assumed": "yellow"}


def facts(architecture: Architecture) -> dict[str, Any]:
    """Give the figures by which machines are told apart."""
    limits, counts = architecture.limits, architecture.evidence_counts()
    return {
        "name": architecture.name, "title": architecture.title, "vendor": architecture.vendor,
        "family": architecture.family,
        "compute_capability": architecture.compute_capability, "aliases": list(architecture.aliases),
        "multiprocessors": architecture.chip.multiprocessors, "warp_size": architecture.warp.size,
        "warps_per_multiprocessor": limits.warps_per_multiprocessor,
        "shared_bytes_per_block": limits.shared_bytes_per_block,
        "l2_bytes": architecture.l2_bytes, "partitions": architecture.dram.partitions,
        "bandwidth_gb_s": architecture.dram_bandwidth_gb_s, "shader_mhz": architecture.clocks.shader_mhz,
        "assumed_values": counts.get("assumed", 0), "evidence": counts}


def render_list(architectures: Sequence[Architecture], problems: Mapping[str, Exception]) -> Group:
    """Lay out all architectures, and the plugins that could not be loaded."""
    table = Table(Column("name"), Column("product", Kind.PROSE, priority=6), Column("CC"), Column("SMs", Kind.NUMBER), *(
        Column(heading, Kind.NUMBER, priority) for heading, priority in (
            ("warp", 1), ("warps\nper SM", 4), ("shared\nper block", 2), ("L2", 3), ("DRAM\nparts", 7), ("GB/s", 1), ("MHz", 1), ("assumed\nvalues", 8))))
    for architecture in architectures:
        f = facts(architecture)
        table.add(f["name"], f"{f['vendor']} {f['title']}", f["compute_capability"], count(f["multiprocessors"]),
                  count(f["warp_size"]), count(f["warps_per_multiprocessor"]), size(f["shared_bytes_per_block"]),
                  size(f["l2_bytes"]) if f["l2_bytes"] else "-", count(f["partitions"]), three(f["bandwidth_gb_s"]),
                  count(f["shader_mhz"]), count(f["assumed_values"]))
    return Group(table, *(Text.assemble(("broken plugin: ", "bold red"), str(error)) for error in problems.values()))


def fields(architecture: Architecture, only: str = "", assumed: bool = False,
           absent: Architecture | None = None) -> list[dict[str, Any]]:
    """List every value with its unit and evidence, restricted to a path and to assumed ones if so asked.

    absent : a machine that may have what is under `only` where this one has nothing.

    Raises UnknownField if there is nothing under `only`.
    """
    leaves = list(architecture.leaves())
    if only:
        inside = [leaf for leaf in leaves if leaf[0] == only or leaf[0].startswith(f"{only}.")]
        if not inside:
            if absent is not None and any(path == only or path.startswith(f"{only}.") for path, _, _ in absent.leaves()):
                return []
            known = {".".join(path.split(".")[:depth]) for path, _, _ in leaves
                     for depth in range(1, path.count(".") + 2)}
            raise UnknownField(f"{architecture.name} has no field {only!r}{nearest(only, sorted(known))}")
        leaves = inside
    uncertain, rows, sources = set(architecture.assumed()), [], architecture.sources()
    for path, value, unit in leaves:
        evidence = sources.get(path) or architecture.evidence.get(path)     # names need none
        if not assumed or path in uncertain:
            rows.append({"path": path, "value": _plain(value), "unit": unit,
                         "kind": evidence.kind if evidence else None,
                         "source": str(evidence) if evidence else None})
            if evidence is not None and evidence.kind != "assumed" and numbers_assumed(path, value, uncertain):
                rows[-1]["numbers"] = "assumed"
    return rows


def numbers_assumed(path: str, value: Any, uncertain: set[str]) -> bool:
    """Tell whether nobody has published the numbers of a policy, whatever is known of the policy itself."""
    return isinstance(value, PolicyValue) and any(known.startswith(f"{path}.") for known in uncertain)


def render_fields(architecture: Architecture, rows: list[dict[str, Any]]) -> Group:
    """Lay out the fields of one architecture section by section; sources are numbered and listed below.

    What an operation costs takes one line, however many fields that is.
    """
    sources: dict[str, int] = {}
    table = Table(Column("field", Kind.PROSE, least=28), Column("value", Kind.PROSE), Column("unit", priority=2), Column("evidence", Kind.PROSE, priority=1))
    costs: dict[str, dict[str, dict[str, Any]]] = {}
    for section, grouped in groupby(rows, lambda row: row["path"].partition(".")[0]):
        group = list(grouped)
        if group[0]["path"] != section:
            table.heading(Text(section, style="bold"))
        for row in group:
            if row["path"].startswith(COSTS):
                name, _, field = row["path"].removeprefix(COSTS).partition(".")
                costs.setdefault(name, {})[field] = row
                continue
            inner = row["path"].removeprefix(section + ".")
            table.add(f"  {inner}" if inner != row["path"] else inner, shown(row["value"], row["unit"], with_unit=False), unit_cell(row),
                      _evidence_cell(row, sources))
    kinds = counts_by_kind(rows)
    tables = [*([table] if table else []), *_cost_table(costs, sources)]
    return Group(Text(str(architecture), style="bold"), *tables, Footnotes(tables, "evidence", [f"[{number}] {source}" for source, number in sources.items()]),
                 Text("\n" + (", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "nothing to list")))


def counts_by_kind(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count fields by where they come from, the surest kind first; those left at their defaults apart, as `Architecture.evidence_counts` does."""
    counted = Counter(UNSTATED.document if row["source"] == str(UNSTATED) else row["kind"] for row in rows if row["kind"])
    return {kind: counted[kind] for kind in (*KINDS, UNSTATED.document) if counted[kind]}


COSTS = "isa.operations."
"""Where the costs of operations lie."""


def cost_fields(cls: Any, within: str = "") -> Iterator[str]:
    """Name the fields of what an operation costs, and those of the components in it."""
    for attribute in attrs.fields(cls):
        rule = rule_of(attribute)
        if isinstance(rule, Part):
            yield from cost_fields(rule.of, f"{within}{attribute.name}.")
        else:
            yield within + attribute.name


def _cost_table(costs: Mapping[str, Mapping[str, dict[str, Any]]], sources: dict[str, int]) -> list[Table]:
    if not costs:
        return []
    columns = [column for column in cost_fields(Operation) if any(row[column]["value"] is not None for row in costs.values() if column in row)]
    table = Table(Column("isa.operations"), *(Column(_cost_heading(column), Kind.NAME if column == "unit" else Kind.NUMBER, _COST_PRIORITIES.get(column, 5))
                                              for column in columns), Column("evidence", Kind.PROSE, priority=3))
    for name, row in costs.items():
        cells = [shown(row[column]["value"], "") if column in row else "" for column in columns]
        stated = [field for field in row.values() if field["source"] != str(UNSTATED)]      # what is not charged claims nothing
        evidence = {str(cell): cell for cell in (_evidence_cell(field, sources) for field in stated) if cell}
        table.add(name, *("" if cell == "none" else cell for cell in cells), Text(", ").join(evidence.values()))
    return [table]


_COST_PRIORITIES = {"latency_cycles": 0, "issues": 1, "unit": 2}
"""Field of a cost → how soon its column is left out; the others first."""


def _cost_heading(field: str) -> str:
    unit = unit_of(field)
    words = re.split(r"[._]", field.removesuffix(f"_{unit}"))
    return "\n".join([*words, unit] if unit else words)


def _evidence_cell(row: dict[str, Any], sources: dict[str, int]) -> Text:
    if not row["source"]:
        return Text("")
    cell = Text(f"{row['kind']} [{sources.setdefault(row['source'], len(sources) + 1)}]", style=STYLES.get(row["kind"], ""))
    return cell.append(", its numbers assumed", style=STYLES.get("assumed", "")) if row.get("numbers") else cell


def unit_cell(row: Mapping[str, Any]) -> str:
    """Give the unit of a field where its value does not say it."""
    return "" if row["unit"] == "B" or row.get("value", 0) is None else row["unit"]


def shown(value: Any, unit: str, with_unit: bool = True) -> str:
    """Write a value as tables show it; numbers of bytes always with their unit."""
    if isinstance(value, list):
        return ", ".join(shortest(each) if isinstance(each, float) else str(each) for each in value)
    if value is None:
        return "none"
    if unit == "B":
        return size(value)
    number = shortest(value) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return f"{number} {unit}" if unit and with_unit else number


def _plain(value: Any) -> Any:
    if isinstance(value, PolicyValue):
        return repr(value)
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return value
