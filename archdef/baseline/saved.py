"""Runs in files: JSON of one format, and what the commands' ``--json`` prints.

A file is an object with `FORMAT`, `VERSION`, the version of archdef that wrote it, and ``runs``, each as `Run.to_dict` gives it. Fields that a reader does not
know are no fault; a greater version is.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from archdef.errors import ArchdefError
from archdef.files.atomic import write_text
from archdef.values import printable, shown

FORMAT = "archdef.runs"
COMPARISON = "archdef.comparison"
"""Format of what ``archdef compare --json`` prints; its rows are runs."""
VERSION = 1
PlainRun: TypeAlias = Mapping[str, Any]
"""A run as `Run.to_dict` gives it, or as it comes back from JSON."""
_NEEDED: dict[str, type | tuple[type, ...]] = {"kernel": str, "architecture": str, "cycles": int, "elapsed_s": (int, float), "metrics": dict, "lines": list}


class BaselineError(ArchdefError):
    """A file that holds no runs, or runs that cannot be compared."""


@attrs.frozen
class Saved:
    """Runs as plain data, and where they are from."""

    source: str
    """Path of the file; empty: of this process."""
    runs: tuple[PlainRun, ...]


def saved(runs: Iterable[Any], version: str) -> dict[str, Any]:
    """Give the document of some runs, ready for JSON; `version` is archdef's."""
    return {"format": FORMAT, "version": VERSION, "archdef": version, "runs": [plain(run) for run in runs]}


def save(path: str | Path, runs: Iterable[Any], version: str) -> None:
    """Write runs to a file, as a whole or not at all."""
    write_text(path, json.dumps(saved(runs, version), indent=1, default=_number) + "\n")


def _number(value: Any) -> Any:
    """Give a numpy scalar as the number that it is."""
    return value.item()


def load(path: str | Path) -> Saved:
    """Read runs from a file. Raises BaselineError."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise BaselineError(f"cannot read the baseline {printable(str(path))}: {why}") from None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise BaselineError(f"{printable(str(path))} is no baseline: it holds no JSON; 'archdef run' and 'archdef compare' write one with --json") from None
    return Saved(str(path), runs_of(document, printable(str(path))))


def runs_of(document: Any, source: str) -> tuple[PlainRun, ...]:
    """Give the runs in a document: one of `FORMAT`, or what ``archdef run --json`` or ``archdef compare --json`` prints. Raises BaselineError."""
    version = document.get("version", VERSION) if isinstance(document, Mapping) else VERSION
    if not isinstance(version, int) or version > VERSION:
        raise BaselineError(f"{source} is of version {shown(version)}, this archdef reads up to {VERSION}")
    found = document if isinstance(document, list) else document.get("runs", document.get("rows")) if isinstance(document, Mapping) else None
    if not isinstance(found, list):
        raise BaselineError(f"{source} is no baseline: it holds no runs; 'archdef run' and 'archdef compare' write them with --json")
    runs = [run for run in found if not (isinstance(run, Mapping) and run.get("failure"))]      # a launch that failed has no figures
    for place, run in enumerate(runs, start=1):
        for field, kind in _NEEDED.items():
            if not isinstance(run, Mapping) or not isinstance(run.get(field), kind):
                raise BaselineError(f"{source} is no baseline: run {place} of it has no {field}")
    if not runs:
        raise BaselineError(f"{source} holds no run")
    return tuple(runs)


def plain(run: Any) -> PlainRun:
    """Give a run as plain data, be it one already."""
    found: PlainRun = run if isinstance(run, Mapping) else run.to_dict()
    return found
