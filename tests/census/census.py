"""The census of PTX in public CUDA suites, and which of its rows lower.

``python tests/census`` prints the coverage. Source of ``tests/data/census.csv.gz``: a count over NVIDIA/cuda-samples, yuhc/gpu-rodinia,
sgrauerg/polybenchGpu, cavazos-lab/PolyBench-ACC, abduld/Parboil, accel-sim/gpu-app-collection and UoB-HPC/BabelStream, compiled by
nvcc 13.0 for compute_75 (`kernels`, 1118 distinct ones), cuda-samples for compute_90 (`kernels_sm90`, 636), and by clang 14 for
sm_35 (`kernels_clang`, 580). It holds facts only: opcodes, types, modifiers and how many kernels use them.
"""
from __future__ import annotations

import csv
import gzip
import sys
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))  # the stand-in machine of the lowering tests

from lowering import machine
from statements import module

from archdef.errors import ArchdefError
from archdef.lower import lower
from archdef.ptx import parse

DATA = Path(__file__).parents[1] / "data" / "census.csv.gz"
UNCOVERED = Path(__file__).with_name("uncovered.txt")
FAMILIES = {"__cudaCDP2": 6}
"""Beginning of the names of calls that go together → kernels of the corpus with any of them, by the census's own account."""
PASSES = {"kernels": 1118, "kernels_sm90": 636, "kernels_clang": 580}
"""Column → distinct kernels of that pass."""


@attrs.frozen
class Row:
    """One fact of the census."""

    kind: str
    opcode: str
    types: str
    modifiers: str
    kernels: int
    kernels_sm90: int
    kernels_clang: int

    @property
    def name(self) -> str:
        """What is counted, as PTX has it."""
        return ".".join(filter(None, (self.opcode, self.modifiers, self.types)))


def census() -> list[Row]:
    """Read all rows."""
    with gzip.open(DATA, "rt") as file:
        return [Row(*list(line.values())[:4], *map(int, list(line.values())[4:])) for line in csv.DictReader(file)]


def refusal(row: Row) -> str | None:
    """Say why a row does not lower on a machine with every feature; None if it does."""
    try:
        lower(parse(module(row), "census.ptx"), "k", machine())
    except ArchdefError as error:
        return getattr(error, "reason", None) or str(error)
    return None


def uncovered() -> dict[str, tuple[Row, str]]:
    """Give the rows that do not lower, by name, with the reason."""
    found = ((row, refusal(row)) for row in census() if row.kind != "opcode")
    return {row.name: (row, why) for row, why in found if why is not None}


def bounds(missing: list[Row], column: str) -> tuple[int, int]:
    """Bound how many kernels of one pass need a row that is missing.

    The census counts kernels per row, not which: at least as many as need the most common missing row, at most the sum over opcodes, each
    no more than all kernels that use the opcode (or the `FAMILIES` of calls that it belongs to).
    """
    users = {row.opcode: getattr(row, column) for row in census() if row.kind == "opcode"} | FAMILIES
    per_opcode: dict[str, int] = {}
    for row in missing:
        name = next((family for family in FAMILIES if row.opcode.startswith(family)), row.opcode)
        per_opcode[name] = per_opcode.get(name, 0) + getattr(row, column)
    most = sum(min(count, users.get(opcode, count)) for opcode, count in per_opcode.items())
    return max((getattr(row, column) for row in missing), default=0), most


def cost(missing: list[Row], column: str) -> str:
    """Say how many kernels of one pass rows that are missing cost at most, in words."""
    kernels = PASSES[column]
    least, most = bounds(missing, column)
    return f"{least} to {most} of {kernels} kernels ({100 * least / kernels:.1f} to {100 * most / kernels:.1f} %)"


def listing() -> str:
    """Write the list of what is not covered, with what it costs; lines of rows begin with the row's name."""
    missing = [row for row, _ in uncovered().values()]
    lines = ["# Rows of the census that do not lower, and how many kernels of each pass use them; python tests/census --write renews this.", "#"]
    lines += [f"# {column.removeprefix('kernels_') if column != 'kernels' else 'nvcc'}: {cost(missing, column)}" for column in PASSES]
    lines += ["#", f"# {'row':72s}" + "".join(f"{c.removeprefix('kernels_') if c != 'kernels' else 'nvcc':>7s}" for c in PASSES)]
    lines += [f"{row.name:74s}" + "".join(f"{getattr(row, column):7d}" for column in PASSES) for row in sorted(missing, key=lambda r: r.name)]
    return "\n".join(lines) + "\n"


def report() -> str:
    """Write the coverage as text."""
    rows, found = [row for row in census() if row.kind != "opcode"], uncovered()
    missing = [row for row, _ in found.values()]
    lines = []
    for kind in dict.fromkeys(row.kind for row in rows):
        total, lost = (sum(row.kind == kind for row in listed) for listed in (rows, missing))
        lines.append(f"{kind:24s}{total - lost:5d} of {total:4d} rows lower")
    lines.append("")
    for column, kernels in PASSES.items():
        least, most = bounds(missing, column)
        lines.append(f"{column:16s}{kernels:5d} kernels, of which {100 * (1 - most / kernels):.1f} to "
                     f"{100 * (1 - least / kernels):.1f} % need nothing else")
    lines += ["", f"{'not covered':64s}" + "".join(f"{column.removeprefix('kernels_'):>9s}" for column in PASSES)]
    for row in sorted(missing, key=lambda row: (-row.kernels, -row.kernels_sm90, row.name)):
        lines.append(f"{row.name:64s}" + "".join(f"{getattr(row, column):9d}" for column in PASSES) + f"  {found[row.name][1][:60]}")
    return "\n".join(lines)
