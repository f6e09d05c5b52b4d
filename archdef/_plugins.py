"""Which plugins there are, and what one does wrong, as the one error or warning that it may cause."""
from __future__ import annotations

import importlib.metadata
import warnings

from archdef import values
from archdef.errors import PluginError, PluginWarning

_TOLD: set[str] = set()
"""Distributions whose entry points cannot be read, and that a warning has named."""


def installed(group: str) -> tuple[importlib.metadata.EntryPoint, ...]:
    """List the entry points of a group. A distribution whose metadata cannot be read, of whatever project, gives a `PluginWarning`."""
    try:
        return tuple(importlib.metadata.entry_points(group=group))
    except Exception:  # noqa: BLE001  one file is enough: ask each distribution by itself
        found: dict[str, list[importlib.metadata.EntryPoint]] = {}
        for distribution in importlib.metadata.distributions():
            where = str(getattr(distribution, "_path", "?"))
            try:
                points = [point for point in distribution.entry_points if point.group == group]
                found.setdefault(str(distribution.name).lower(), points)        # the first on the path counts
            except Exception as error:  # noqa: BLE001  a plugin's own code may raise anything
                if where not in _TOLD:
                    _TOLD.add(where)
                    said = f"the entry points of {where} cannot be read: {type(error).__name__}: {error}"
                    warnings.warn(values.printable(said), PluginWarning, stacklevel=3)
        return tuple(point for points in found.values() for point in points)


def source_of(point: importlib.metadata.EntryPoint) -> str:
    """Name the distribution of an entry point, or the module where there is none, or none that says its name."""
    try:
        name = point.dist.name if point.dist else None
    except Exception:  # noqa: BLE001  its metadata cannot be read
        name = None
    return values.printable(str(name or point.value))


def refusal(what: str, error: BaseException, does: str = "cannot be loaded") -> PluginError:
    """Give the PluginError for what a plugin raised, whatever that is; the user's own Ctrl-C goes on."""
    if type(error) is KeyboardInterrupt:
        raise error
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  a plugin's own code may raise anything
        said = "an error that cannot be printed"
    return PluginError(values.printable(f"{what} {does}: {type(error).__name__}: {said}"))


def check_keepable(plugin: object, called: str) -> None:
    """Refuse what pluggy could keep but never find again, which would break every later question to the others.

    It keeps plugins in sets, and finds them by comparing them. Raises PluginError.
    """
    try:
        same = hash(plugin) == hash(plugin) and bool(plugin == plugin)  # noqa: PLR0124  a plugin's own comparison may do anything
    except Exception:  # noqa: BLE001  a plugin's own code may raise anything
        same = False
    if plugin is None or not same:
        raise PluginError(f"plugin {called}: it must be hashable and equal to itself, as modules and plain objects are, got {values.shown(plugin)}")
