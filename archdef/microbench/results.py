"""Results of a run of the suite: as rows, as files, and one beside the other."""
from __future__ import annotations

import importlib.resources
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef import _evidence, registry
from archdef.errors import ArchdefError
from archdef.formatting import size
from archdef.microbench.suite import Benchmark, UnfitParameter, Unsupported, find, load, measure
from archdef.microbench.machine import Machine
from archdef.values import cut

FORMAT = 1


class ResultsError(ArchdefError):
    """A file of results that cannot be read."""


@attrs.frozen
class Row:
    """One point of a benchmark on one machine."""

    benchmark: str
    parameters: dict[str, Any]
    """Those that were given; the others have the benchmark's defaults."""
    values: dict[str, float] = attrs.Factory(dict)
    """Quantity → number; empty if there is none."""
    reason: str = ""
    """Why there is none."""
    source: str = ""
    """Where the numbers are from, if not from the whole file's machine."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What is equal for the same point of two machines."""
        known = load().get(self.benchmark)
        merged = {**known.parameters, **self.parameters} if known else self.parameters
        return self.benchmark, tuple(sorted(merged.items()))

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, without what is empty."""
        return {name: value for name, value in attrs.asdict(self).items() if value or name == "parameters"}


@attrs.frozen(repr=False)
class Results:
    """What a machine gave."""

    label: str
    about: dict[str, str]
    """Device, driver, date, whatever else is known."""
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return f"<Results of {cut(self.label)}: {len(self.rows)} points>"

    def by_key(self) -> dict[tuple[Any, ...], Row]:
        """Give the rows by point."""
        return {row.key: row for row in self.rows}

    def to_dict(self) -> dict[str, Any]:
        """Give plain data; `read` takes it back."""
        return {"format": FORMAT, "label": self.label, "about": self.about, "rows": [row.to_dict() for row in self.rows]}

    def to_json(self) -> str:
        """Give a file's text, a row on each line."""
        rows = ",\n".join("  " + json.dumps(row.to_dict()) for row in self.rows)
        return f'{{"format": {FORMAT}, "label": {json.dumps(self.label)}, "about": {json.dumps(self.about, indent=1)},\n "rows": [\n{rows}\n ]}}\n'


def run(machine: Machine, benchmarks: Sequence[Benchmark], parameters: Mapping[str, Any] | None = None,
        progress: Callable[[int, int, str], None] = lambda done, all, point: None) -> Results:
    """Measure the default sweeps of benchmarks, or the one point that `parameters` names.

    progress : called before each point with how many are done, how many there are, and what is next.

    Raises UnfitParameter for a value that no machine takes; what only this machine cannot do is a row that says so.
    """
    rows = []
    points = [(chosen.name, dict(given)) for chosen in benchmarks for given in ([parameters] if parameters else chosen.points(machine))]
    for done, (name, given) in enumerate(points):
        progress(done, len(points), f"{name} {described(given)}")
        try:
            rows.append(Row(name, given, measure(name, machine, **given)))
        except UnfitParameter:
            raise
        except Unsupported as reason:
            rows.append(Row(name, given, reason=str(reason).splitlines()[0]))
    return Results(machine.label, dict(machine.describe()), tuple(rows))


def read(path: str | Path) -> Results:
    """Read a file of results. Raises ResultsError."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:        # no file, or no text
        raise ResultsError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    return parsed(text, str(path))


def parsed(text: str, where: str) -> Results:
    """Take the text of such a file. Raises ResultsError."""
    try:
        data = json.loads(text)
        if isinstance(data, list) and len(data) == 1:
            data = data[0]
        if data["format"] != FORMAT:
            raise ResultsError(f"{where} has the format {data['format']}; this version reads {FORMAT}")
        return Results(data["label"], data["about"], tuple(Row(**row) for row in data["rows"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ResultsError(f"{where} is no file of microbenchmark results: {type(error).__name__}: {error}") from None


def shipped(name: str) -> Results | None:
    """Give what an architecture was measured to give: ``data/microbench_NAME.json`` in the package of its evidence, or in its plugin's; None without."""
    package = _evidence.package(name) or (registry.REGISTRY.package(name) if name in registry.names() else None)
    if package is None:
        return None
    file = importlib.resources.files(package) / "data" / f"microbench_{name}.json"
    return parsed(file.read_text(), str(file)) if file.is_file() else None


def described(parameters: Mapping[str, Any]) -> str:
    """Say a point's parameters in a few words."""
    words = []
    for name, value in parameters.items():
        if isinstance(value, bool):
            words.append(name if value else f"not {name}")
        elif name.endswith("_bytes"):
            words.append(f"{name.removesuffix('_bytes').replace('_', ' ')} {size(value)}")
        else:
            words.append(str(value) if isinstance(value, str) else f"{name.replace('_', ' ')} {value}")
    return ", ".join(words)


def points(results: Iterable[Results]) -> list[Row]:
    """Give one row for every point that any of the machines has, in the order in which they come."""
    every: dict[tuple[Any, ...], Row] = {}
    for one in results:
        for row in one.rows:
            every.setdefault(row.key, row)
    order = {name: k for k, name in enumerate(load())}
    return sorted(every.values(), key=lambda row: order.get(row.benchmark, len(order)))


def unit(row: Row, quantity: str) -> str:
    """Give the unit of a quantity of a row."""
    return find(row.benchmark).units.get(quantity, "") if row.benchmark in load() else ""
