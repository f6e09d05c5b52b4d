"""What architectures were measured by: packages that the entry-point group ``archdef.evidence`` names.

A name is an architecture's; it belongs to one distribution. Of several, ``ARCHDEF_EVIDENCE=DISTRIBUTION:NAME`` (or several such, with commas)
chooses. A package is imported when somebody asks for its architecture, and one that cannot be used harms no other.
"""
from __future__ import annotations

import importlib.metadata
import os
from types import ModuleType

from packaging.requirements import InvalidRequirement, Requirement

from archdef import values
from archdef._plugins import installed, refusal, source_of
from archdef._versions import misfit
from archdef.errors import PluginError
from archdef.hookspecs import PROJECT

GROUP, CHOICE, EXTRA = f"{PROJECT}.evidence", "ARCHDEF_EVIDENCE", "evidence"


def package(name: str) -> ModuleType | None:
    """Import the package with the evidence of the architecture `name`; None if no distribution declares one.

    Raises PluginError if it cannot be used, or if several declare one and none is chosen.
    """
    points = _chosen(name)
    if not points:
        return None
    where = ", ".join(sorted(map(source_of, points)))
    if len(points) > 1:
        raise PluginError(f"the evidence of {name} is declared by several distributions: {where}; choose one by "
                          + " or ".join(f"{CHOICE}={source_of(point)}:{name}" for point in sorted(points, key=source_of)) + ", or uninstall the others")
    if (why := misfit(points)) is not None:
        raise PluginError(f"the evidence of {name} cannot be used: {why}")
    try:
        found = points[0].load()
    except BaseException as error:      # whatever it does wrong must not reach further than its own name
        raise refusal(f"the evidence of {name} ({where})", error) from error
    if not isinstance(found, ModuleType) or not hasattr(found, "__path__"):
        raise PluginError(f"the evidence of {name} ({where}) must be a package, with a folder for its data, got {values.shown(found)}")
    return found


def _chosen(name: str) -> list[importlib.metadata.EntryPoint]:
    """Find the entry points of a name, one for each package; those of the distribution that the user has chosen, if any."""
    points: dict[str, importlib.metadata.EntryPoint] = {}
    for point in installed(GROUP):
        if point.name.lower() == name.lower():
            points.setdefault(point.value, point)
    words = [word.strip().rpartition(":") for word in os.environ.get(CHOICE, "").lower().split(",")]
    wanted = [source for source, _, of in words if of == name.lower()]
    found = [point for point in points.values() if not wanted or source_of(point).lower() in wanted]
    if wanted and not found:
        raise PluginError(f"{CHOICE} names {', '.join(wanted)} for {name}, which {'declares' if len(wanted) == 1 else 'declare'} no evidence of it"
                          + (f"; there is that of {', '.join(sorted(map(source_of, points.values())))}" if points else ""))
    return found


def not_installed(name: str) -> tuple[str, ...]:
    """Name the distributions that hold the evidence of an architecture, by its plugin's extra ``evidence``, and that are not there."""
    found: dict[str, None] = {}
    for point in installed(PROJECT):
        if point.name.lower() == name.lower() and point.dist is not None:
            found |= dict.fromkeys(_of_the_extra(point.dist))
    return tuple(one for one in found if not _is_there(one))


def _of_the_extra(distribution: importlib.metadata.Distribution) -> list[str]:
    found = []
    for line in distribution.requires or ():
        try:
            one = Requirement(line)
        except InvalidRequirement:
            continue  # pip's concern
        if one.marker is not None and one.marker.evaluate({"extra": EXTRA}) and not one.marker.evaluate({"extra": ""}):
            found.append(one.name)
    return found


def _is_there(distribution: str) -> bool:
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def hint(name: str, missing: tuple[str, ...] | None = None) -> str:
    """Say how to get the evidence of an architecture that is not installed; nothing where that is not what is missing."""
    missing = not_installed(name) if missing is None else missing
    return f"the evidence of {name} is not installed: pip install {' '.join(missing)}" if missing else ""
