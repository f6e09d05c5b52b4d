"""What goes away: it warns for at least one release before it does.

A function or class is marked where it is defined, ``@deprecated(since="0.2", removed="0.3", instead="archdef.load")``. Names of modules
that have moved stand in `MOVED`, fields of a description that have another path in `RENAMED`; both are read wherever such a name is used.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import attrs
from packaging.version import Version

from archdef.errors import ArchdefDeprecationWarning


T = TypeVar("T", bound=Callable[..., Any])


def _later(instance: Deprecation, attribute: attrs.Attribute[str], value: str) -> None:
    if Version(value).release[:2] <= Version(instance.since).release[:2]:
        raise ValueError(f"{instance.what}: deprecated in {instance.since}, so it can go away in a later minor release, not in {value}")


@attrs.frozen
class Deprecation:
    """One thing that goes away."""

    what: str
    since: str
    """First release that warns."""
    removed: str = attrs.field(validator=_later)
    """Release without it."""
    instead: str
    """What to use."""

    def warn(self) -> None:
        """Warn, in the name of the innermost line that is not archdef's."""
        level = 1
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "archdef":
            level, frame = level + 1, frame.f_back
        warnings.warn(f"{self.what} is deprecated since archdef {self.since} and goes away in {self.removed}; use {self.instead}",
                      ArchdefDeprecationWarning, stacklevel=level)


MARKED: list[Deprecation] = []
"""Functions and classes that `deprecated` has marked in the modules imported so far."""
MOVED: dict[str, Deprecation] = {
    f"archdef.report.numbers.{name}": Deprecation(f"archdef.report.numbers.{name}", "0.1", "0.2", f"archdef.formatting.{name}")
    for name in ("NOTHING", "count", "limiter", "metric", "percent", "seconds", "size", "three")}
"""``module.name`` → where it is now, as a dotted name in `Deprecation.instead`."""
RENAMED: dict[str, Deprecation] = {}
"""Path of a field → its path now, in `Deprecation.instead`."""


def deprecated(*, since: str, removed: str, instead: str) -> Callable[[T], T]:
    """Mark a function or class: each use warns."""
    def mark(thing: Any) -> Any:
        notice = Deprecation(f"{thing.__module__}.{thing.__qualname__}", since, removed, instead)
        MARKED.append(notice)
        if inspect.isclass(thing):
            made = thing.__init__

            @functools.wraps(made)
            def __init__(self: object, *args: Any, **kwargs: Any) -> None:
                notice.warn()
                made(self, *args, **kwargs)

            setattr(thing, "__init__", __init__)  # noqa: B010  type checkers take no method that is assigned
            return thing

        @functools.wraps(thing)
        def called(*args: Any, **kwargs: Any) -> Any:
            notice.warn()
            return thing(*args, **kwargs)

        return called

    return mark


def moved(module: str, name: str) -> Any:
    """Find what has moved out of a module, for its ``__getattr__``. Raises AttributeError."""
    notice = MOVED.get(f"{module}.{name}")
    if notice is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    notice.warn()
    place, _, new = notice.instead.rpartition(".")
    return getattr(importlib.import_module(place), new)


def renamed(path: str) -> str:
    """Give the path that a field has now; an old one warns."""
    for old, notice in RENAMED.items():
        if path == old or path.startswith(old + "."):
            notice.warn()
            return notice.instead + path[len(old):]
    return path


def move_renamed(data: dict[str, Any]) -> None:
    """Put the fields of a description as plain data where they are now; old ones warn."""
    for old, notice in RENAMED.items():
        *way, last = old.split(".")
        place: Any = data
        for segment in way:
            place = place.get(segment) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            continue
        notice.warn()
        value = place.pop(last)
        if not place and way:
            _drop(data, way)
        *way, last = notice.instead.split(".")
        target = data
        for segment in way:
            target = target.setdefault(segment, {})
        target.setdefault(last, value)


def _drop(data: dict[str, Any], way: list[str]) -> None:
    """Take an empty table away, so that one that is gone altogether is not refused."""
    for segment in way[:-1]:
        data = data[segment]
    del data[way[-1]]
