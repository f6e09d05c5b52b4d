"""Pages about an architecture, in HTML and in Markdown, made of its declaration and of what the classes say about each field."""
from __future__ import annotations

import importlib.resources
import os
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import attrs

from archdef.errors import DescriptionFileError, MissingExtra
from archdef.files.atomic import write_text
from archdef.page.curves import Curves
from archdef.page.diagram import diagram
from archdef.report.described import COSTS, cost_fields, counts_by_kind, facts, fields, shown, unit_cell
from archdef.formatting import count, size, three
from archdef.spec import FEATURES, OPERATION_CLASSES, Architecture, Operation, unit_of
from archdef.spec.documented import field_docs, summary
from archdef.spec.evidence import UNSTATED


def html(architecture: Architecture, curves: Sequence[Curves] = ()) -> str:
    """Give one HTML page that needs no other file, with pictures of curves if there are any. Raises MissingExtra without jinja2."""
    return rendered("page.html", **_content(architecture), svg=diagram(architecture), curves=curves)


def markdown(architecture: Architecture, picture: str | None = None, curves: Sequence[tuple[str, Curves]] = ()) -> str:
    """Give a Markdown page; `picture` is the address of the diagram, `curves` has those of further pictures. Raises MissingExtra without jinja2."""
    return rendered("page.md", **_content(architecture), picture=picture, curves=curves)


def save_page(architecture: Architecture, path: str | os.PathLike[str], curves: Sequence[Curves] = ()) -> tuple[Path, ...]:
    """Write a page to a ``.html`` or ``.md`` file, the latter with its pictures beside it, or the diagram alone to ``.svg``.

    curves : pictures of model and hardware, as `archdef.page.curves` draws them.

    Gives the files that were written.
    """
    path = Path(path)
    if path.suffix == ".svg":
        write_text(path, diagram(architecture))
        return (path,)
    if path.suffix in (".html", ".htm"):
        write_text(path, html(architecture, curves))
        return (path,)
    if path.suffix == ".md":
        picture = path.with_suffix(".svg")
        beside = [(path.with_name(f"{path.stem}-curves-{number}.svg"), one) for number, one in enumerate(curves, start=1)]
        text = markdown(architecture, picture.name, [(file.name, one) for file, one in beside])
        write_text(picture, diagram(architecture))
        for file, one in beside:
            write_text(file, one.svg)
        write_text(path, text)
        return path, picture, *(file for file, _ in beside)
    raise DescriptionFileError(f"{path}: pages are .html or .md files, diagrams .svg files")


def rendered(template: str, **content: Any) -> str:
    """Fill one of archdef's templates. Raises MissingExtra without jinja2."""
    try:
        import jinja2
    except ImportError:
        raise MissingExtra("a page", "jinja2", "kit") from None

    folder = importlib.resources.files("archdef.page") / "templates"
    environment = jinja2.Environment(loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
                                     autoescape=template.endswith(".html"), trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    environment.filters |= {"cell": _cell, "prose": _prose}
    page: str = environment.get_template(template).render(**content)
    return page


def _cell(value: Any) -> str:
    """Keep a text inside its cell of a Markdown table."""
    return str(value).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _prose(text: str) -> str:
    """Turn a docstring's text into HTML: names between back quotes become code."""
    from markupsafe import Markup, escape

    made: str = Markup("".join(f"<code>{part}</code>" if k % 2 else str(part) for k, part in enumerate(re.split(r"`+", str(escape(text))))))  # noqa: S704  escaped
    return made


def _content(architecture: Architecture) -> dict[str, Any]:
    """Gather what both templates show."""
    sources: dict[str, int] = {}
    owners = {path: value for path, value, _ in architecture.walk()}
    rows = fields(architecture)
    for row in rows:
        cost_left = row["path"].startswith(COSTS) and row["source"] == str(UNSTATED)       # what is not charged claims nothing
        row["number"] = sources.setdefault(row["source"], len(sources) + 1) if row["source"] and not cost_left else None
        owner, _, name = row["path"].rpartition(".")
        described: type = type(owners[owner] if owner else architecture)
        row["doc"] = " ".join(field_docs(described).get(name, "").split())
        row["shown"], row["unit"] = shown(row["value"], row["unit"], with_unit=False), unit_cell(row)
    sections: list[dict[str, Any]] = []
    costs: dict[str, dict[str, Any]] = {}
    for section, grouped in groupby(rows, lambda row: row["path"].partition(".")[0]):
        group = list(grouped)
        if group[0]["path"] == section and section not in ("texture", "host_link", "device_launches"):
            continue  # the words at the top of the page
        for row in group:
            row["short"] = row["path"].removeprefix(f"{section}.")
            if row["path"].startswith(COSTS):
                name, _, field = row["path"].removeprefix(COSTS).partition(".")
                costs.setdefault(name, {"name": name, "doc": OPERATION_CLASSES[name], "cells": {}, "evidence": {}})
                costs[name]["cells"][field] = row["shown"]
                if row["number"]:
                    costs[name]["evidence"][row["number"]] = row["kind"]
        plain = [row for row in group if not row["path"].startswith(COSTS) and row["path"] != "isa.features"]
        value = owners[section]
        doc = summary(type(value)) if attrs.has(type(value)) else field_docs(Architecture).get(section, "")
        sections.append({"name": section, "doc": doc, "rows": plain})
    kinds = counts_by_kind(rows)
    return {
        "architecture": architecture, "facts": _figures(architecture), "sections": sections, "costs": list(costs.values()),
        "cost_columns": [(name, name.removesuffix(f"_{unit_of(name)}").replace(".", " "), unit_of(name)) for name in cost_fields(Operation)],
        "cost_doc": summary(Operation), "features": [(name, FEATURES[name]) for name in sorted(architecture.isa.features)],
        "sources": list(sources), "kinds": kinds, "total": sum(kinds.values())}


def _figures(architecture: Architecture) -> list[tuple[str, str]]:
    """Give the figures by which an expert knows a machine."""
    f, words = facts(architecture), architecture.words
    rate = _peak(architecture, "fp32_fma") or _peak(architecture, "fp32_mul")
    return [
        (f"{words.multiprocessor}s", count(f["multiprocessors"])), (f"lanes of a {words.warp}", count(f["warp_size"])),
        (f"{words.warp}s per {words.multiprocessor}", count(f["warps_per_multiprocessor"])),
        ("registers per " + words.multiprocessor, size(4 * architecture.limits.registers_per_multiprocessor)),
        (words.shared, size(architecture.limits.shared_bytes_per_multiprocessor)), ("L2", size(f["l2_bytes"]) if f["l2_bytes"] else "none"),
        ("clock", f"{f['shader_mhz']:,.0f} MHz"), ("single precision", f"{three(rate)} GFLOP/s" if rate else "none"),
        ("DRAM", f"{three(f['bandwidth_gb_s'])} GB/s"), ("assumed values", count(f["assumed_values"]))]


def _peak(architecture: Architecture, operation: str) -> float | None:
    """Give 10⁹ operations per second of a class, a multiply-add counted as two, if nothing but its unit limits it."""
    cost = architecture.isa.operations.get(operation)
    if cost is None or not cost.issues or (operation == "fp32_fma" and "fp32_fma" not in architecture.isa.features
                                           and architecture.isa.float_mad == "separate"):
        return None
    unit = architecture.unit(cost.unit)
    copies = unit.copies * (architecture.schedulers.count if unit.scope == "scheduler" else 1)
    rate = architecture.warp.size * copies / architecture.interval_cycles(cost) / cost.issues
    return (2 if operation == "fp32_fma" else 1) * rate * architecture.chip.multiprocessors * architecture.clocks.shader_mhz / 1000
