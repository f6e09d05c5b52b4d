"""From results to their views."""
from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

import archdef
from archdef._views import OF
from archdef.data.formats import DataError
from archdef.data.frame import Frame
from archdef.data.view import View
from archdef.errors import nearest
from archdef.occupancy import Occupancy
from archdef.spec import Architecture
from archdef.values import shown


@attrs.frozen
class Occupied:
    """A machine, and what the occupancy rule says of a block on it."""

    architecture: Architecture
    occupancy: Occupancy


@attrs.frozen
class Described:
    """A machine, and which of its fields are of interest."""

    architecture: Architecture
    only: str = ""
    """Path to which the fields are restricted."""
    assumed: bool = False
    """Only fields that are assumed."""


@attrs.frozen
class Compared:
    """Two descriptions."""

    first: Architecture
    second: Architecture
    only: str = ""
    """Path to which the fields are restricted."""


class Views(Mapping[str, Frame]):
    """The views of results, made as they are asked for: ``views(run)["lines"].to_pandas()``."""

    def __init__(self, of: Sequence[Any], names: Mapping[str, str]):
        self._of, self._names = of, names

    def __getitem__(self, name: str) -> Frame:
        if name not in self._names:
            raise DataError(f"no view is called {shown(name)}{nearest(str(name), self._names)}; there are {', '.join(self._names)}")
        found = find(self._names[name], name)
        return Frame.of(found, found.rows(self._of), _about(self._of))

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<Views: {', '.join(self._names)}>"


def find(module: str, name: str) -> View:
    """Give a view by its name, and the module of this package that has it."""
    found: View = getattr(importlib.import_module(f"archdef.data.{module}"), name)
    return found


def views(*results: Any) -> Mapping[str, Frame]:
    """Give the views of a result, or of several of one kind, by name.

    results : launches (`Run`), comparisons, differences to a baseline, attributions, architectures, what archdef.microbench,
              archdef.validate and archdef.ncu give, timelines of streams, resources of kernels, metrics; `Occupied` for occupancies.

    Raises DataError for what has no views, or for results of different kinds. Some views raise LaunchError if the launch was made without the option
    that records what they show.

    Examples
    --------
    >>> from archdef import views
    >>> views(run)["lines"].to_pandas()                     # doctest: +SKIP
    >>> views(run, other)["metrics"].save("m.parquet")      # doctest: +SKIP
    """
    kinds = {_names(type(result)): type(result).__name__ for result in results}
    if len(kinds) != 1 or None in kinds:
        odd = sorted({type(result).__name__ for result in results}) or ["nothing"]
        raise DataError(f"views are of results of one kind, such as launches; got {' and '.join(odd)}")
    (key,) = kinds
    assert key is not None
    return Views(results, OF[key])


def _names(kind: type) -> str | None:
    return next((path for base in kind.__mro__ if (path := f"{base.__module__}.{base.__qualname__}") in OF), None)


def _about(of: Sequence[Any]) -> dict[str, str]:
    """Say what results are of: architectures, kernels and launches, each a list in JSON."""
    launches = [launch for one in of for launch in _launches(one)]
    machines = [launch.architecture.label for launch in launches] or list(dict.fromkeys(label for one in of for label in _labels(one)))
    found = {"archdef.version": archdef.__version__}
    if machines:
        found["archdef.architecture"] = json.dumps(machines)
    if launches:
        found["archdef.kernel"] = json.dumps([launch.kernel for launch in launches])
        found["archdef.launch"] = json.dumps([{"grid": launch.grid, "block": launch.block, "shared_bytes": launch.shared_bytes} for launch in launches])
    return found


def _launches(one: Any) -> list[Any]:
    if hasattr(one, "counters") and hasattr(one, "program"):
        return [one]
    return [row.run for row in getattr(one, "rows", ()) if getattr(row, "run", None) is not None]


def _labels(one: Any) -> Iterator[str]:
    """Name the machines that something is of."""
    if isinstance(one, Architecture):
        yield one.label
    for field in ("architecture", "first", "second"):
        machine = getattr(one, field, None)
        if isinstance(machine, (str, Architecture)):
            yield machine if isinstance(machine, str) else machine.label
