"""Double precision on machines that have few units for it."""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run
    from archdef.spec import Architecture

NAME: Final = "double-precision"
FEW: Final = 0.5
"""Units for double precision, relative to those for single, up to which they are few."""
LITERAL: Final = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
"""A literal that C++ reads as a double: with a point and without an f behind it."""
OPERATION: Final = re.compile(r"^(?:add|sub|mul|fma|mad|div|sqrt|rcp|min|max|setp|cvt)\b[\w.]*\.f64")

GUARD: Final = re.compile(r"^@!?%\w+\s+")


def find(run: Run) -> Iterator[Finding]:
    """Find the lines that work in double precision where its units are fewer than half of the others."""
    machine = run.architecture
    single, double = (machine.isa.operations.get(name) for name in ("fp32_fma", "fp64_fma"))
    lanes = {unit.name: unit.lanes for unit in machine.units}
    if single is None or double is None or not lanes.get(double.unit, 0) <= FEW * lanes.get(single.unit, 0):
        return
    working = [line for line in run.statements if OPERATION.match(GUARD.sub("", line.text)) and line.counters.instructions]
    if not working:
        return
    instructions = sum(line.counters.instructions for line in working)
    line = _line_of(run, working)
    promoted = line is not None and LITERAL.search(line.text)
    remedy = (f"write the literal {promoted[0]} as {promoted[0]}f: it makes the whole expression double" if promoted else
              "compute in single precision where its 24 bits do, or in sums of two singles")
    yield Finding(NAME, Supposed("double precision cost what single does", architecture=_as_single(machine)),
                  {"double_precision_instructions": instructions, "double_precision_lanes": lanes[double.unit], "single_precision_lanes": lanes[single.unit]},
                  f"{count(instructions)} instructions in double precision, for which a {machine.words.multiprocessor} has {lanes[double.unit]} lanes "
                  f"and not {lanes[single.unit]}", remedy, line)


def _line_of(run: Run, working: list[Cost]) -> Cost | None:
    """Give the source line with most of these statements' instructions."""
    chosen = {(cost.line, cost.text) for cost in working}
    by_place: Counter[tuple[str, int]] = Counter()
    for statement, cost in zip(run.program.statements, run.statements, strict=True):
        if (cost.line, cost.text) in chosen:
            by_place[run.place(statement)] += cost.counters.instructions
    most = max(by_place, key=by_place.__getitem__, default=None)
    return next((line for line in run.lines if (line.file, line.line) == most), None)


def _as_single(machine: Architecture) -> Architecture:
    """Give the machine whose operations in double precision, and conversions from and to it, cost what those in single precision do."""
    operations = machine.isa.operations
    same = {name: operations[single] for name in operations if (single := name.replace("fp64_", "fp32_")) != name and single in operations}
    if "convert64" in operations:
        same["convert64"] = operations["fp32_add"]
    return attrs.evolve(machine, isa=attrs.evolve(machine.isa, operations={**operations, **same}))


RULE: Final = Rule(NAME, "Double precision where its units are few.", find)
