"""Ceilings of machines as tables, and their roofs as a plot."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
from rich.console import Group

from archdef.bounds import ceilings, needed
from archdef.formatting import three
from archdef.report.picture import check_suffix, picture
from archdef.spec import Architecture
from archdef.tables import Column, Kind, Table

_ROOFS = ("fp32_fma", "fp64_fma")
_INTENSITIES = (1 / 64, 256.0)


def render(machines: Sequence[Architecture]) -> Group:
    """Lay out two tables for each machine."""
    return Group(*(part for machine in machines for part in (_ceilings(machine), _needed(machine))))


def to_dict(machine: Architecture) -> dict[str, Any]:
    """Give plain data, ready for JSON."""
    return {"architecture": machine.label, "ceilings": [attrs.asdict(each) for each in ceilings(machine)],
            "needed": [attrs.asdict(each) for each in needed(machine)]}


def _ceilings(machine: Architecture) -> Table:
    table = Table(Column(""), Column("rate", Kind.NUMBER), Column(""), Column("how", Kind.PROSE, priority=1), title=f"{machine.label}: at most")
    for ceiling in ceilings(machine):
        table.add(ceiling.name, three(ceiling.rate), ceiling.unit, ceiling.about)
    return table


def _needed(machine: Architecture) -> Table:
    words = machine.words
    table = Table(Column(""), *(Column(heading, Kind.NUMBER) for heading in ("latency,\ncycles", "per\ncycle", "in\nflight", f"{words.warp}s")),
                  title=f"what that takes on one {words.multiprocessor}, by Little's law")
    for each in needed(machine):
        table.add(each.name, three(each.latency_cycles), three(each.per_cycle), three(each.in_flight), str(each.warps))
    return table


def draw(machines: Sequence[Architecture], path: Path) -> None:
    """Draw GFLOP/s over FLOP per byte of DRAM traffic into a ``.svg``, ``.png`` or ``.pdf`` file.

    Raises MissingExtra without matplotlib; ArchdefError for another kind of file.
    """
    with picture(check_suffix(path), (7, 4.5)) as figure:
        axes = figure.subplots()
        for number, machine in enumerate(machines):
            tops = {ceiling.name: ceiling.rate for ceiling in ceilings(machine)}
            for name, style in zip(_ROOFS, ("-", ":"), strict=True):
                if name in tops:
                    places = sorted((*_INTENSITIES, tops[name] / tops["DRAM"]))       # the ridge is one of them
                    axes.loglog(places, [min(tops[name], x * tops["DRAM"]) for x in places], style, color=f"C{number}",
                                label=f"{machine.name}, {name.removesuffix('_fma')}")
        axes.set_xlabel("operations per byte from DRAM")
        axes.set_ylabel("GFLOP/s")
        axes.grid(True, which="both", linewidth=0.3)
        axes.legend(fontsize="small")
