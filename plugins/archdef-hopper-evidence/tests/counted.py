"""What Nsight Compute counted of launches that a script announced: the tables of the scripts here that measure."""
from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_ANNOUNCED = "PLAN"


def announce(*launch) -> None:
    """Say which launch has just been made."""
    print(_ANNOUNCED, *launch, flush=True)


def rows(counted: Path) -> Iterator[dict[str, str]]:
    """Give the launches of a log of ``ncu --csv --page raw``, without the line of units."""
    lines = [line for line in counted.read_text().splitlines() if line.startswith('"')]
    return iter(list(csv.DictReader(lines))[1:])


def write_table(log: str, counted: str, table: str, names: Sequence[str], counters: Mapping[str, str]) -> None:
    """Write one row a launch: what was said of it, by `names`, then its counters, column → name of Nsight Compute."""
    plan = [line.split()[1:] for line in Path(log).read_text().splitlines() if line.startswith(_ANNOUNCED)]
    with open(table, "w", newline="") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerow([*names, *counters])
        for given, row in zip(plan, rows(Path(counted)), strict=True):
            written.writerow([*given, *(row[name].replace(",", "") for name in counters.values())])
