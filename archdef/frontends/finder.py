"""Front ends by name, and the one that takes a source: archdef's own first, then those of plugins.

A plugin names its front ends by entry points of group ``archdef.frontends``; it is imported only when none of archdef's own
takes a source, or when `Options.compiler` asks for it. A dialect of C++ is told by its headers: an entry point of group
``archdef.frontends.headers`` is the name of one, and says whose sources include it; those are asked first.
A broken one gives a warning and harms nobody else.
"""
from __future__ import annotations

import importlib.metadata
import os
import threading
import warnings
from collections.abc import Iterable
from typing import Any

import pluggy

from archdef import hookspecs, values
from archdef._plugins import check_keepable, installed, refusal, source_of
from archdef._versions import misfit
from archdef.errors import ArchdefError, CompileError, PluginError, PluginWarning, nearest
from archdef.frontends.includes import included_names
from archdef.frontends.options import Options
from archdef.frontends.protocol import FrontEnd

GROUP = "archdef.frontends"
"""Entry-point group; the entry point's name is the front end's."""
HEADERS = "archdef.frontends.headers"
"""Entry-point group; the entry point's name is a header, its value the name of the front end for sources that include it."""


class Finder:
    """The front ends of archdef, of all installed plugins, and of those registered in this process."""

    def __init__(self, own: Any, entry_points: Iterable[importlib.metadata.EntryPoint] | None = None):
        """Begin with the plugin `own`; look at `entry_points`, None for those installed when a question is asked."""
        self._given = None if entry_points is None else tuple(entry_points)
        self._claims: dict[str, str] | None = None
        self._plugins = pluggy.PluginManager(hookspecs.PROJECT)
        self._plugins.add_hookspecs(hookspecs)
        self._front_ends: dict[str, FrontEnd] = {}
        self._tried: set[str] = set()
        self._lock = threading.RLock()
        self.register(own)

    def names(self) -> tuple[str, ...]:
        """List the names of all front ends, without importing a plugin."""
        return tuple(dict.fromkeys([*self._front_ends, *self._entry_points()]))

    def find(self, source: Any, options: Options) -> FrontEnd:
        """Give the front end for a source: the one asked for, or the first that takes it and is ready.

        Raises CompileError if none takes it.
        """
        if options.compiler is not None:
            return self._asked(options.compiler, source, options)
        if (claimed := self._claimed(source)) is not None and claimed.accepts(source, options):
            return claimed
        willing = [f for f in self._front_ends.values() if self._accepts(f, source, options)]
        if not willing:
            for name in self._entry_points():
                self._load(name)
            willing = [f for f in self._front_ends.values() if self._accepts(f, source, options)]
        if not willing:
            raise CompileError(f"cannot tell what {_shown(source)} is: give "
                               + ", or ".join(dict.fromkeys(f.takes for f in self._front_ends.values())))
        return next((f for f in willing if f.missing() is None), willing[0])

    @staticmethod
    def _accepts(front_end: FrontEnd, source: Any, options: Options) -> bool:
        """Ask a front end; one that raises instead of answering takes nothing, and harms nobody else."""
        try:
            return bool(front_end.accepts(source, options))
        except ArchdefError:
            raise
        except BaseException as error:  # noqa: BLE001  a plugin's own code may raise anything
            warnings.warn(str(refusal(f"front end {front_end.name!r}, asked for a source,", error)), PluginWarning, stacklevel=5)
            return False

    def _claimed(self, source: Any) -> FrontEnd | None:
        """Give the front end of the first header that a source includes and a plugin has claimed."""
        headers = included_names(source)
        if not headers:
            return None
        if self._claims is None:
            found = installed(HEADERS) if self._given is None else [
                point for point in self._given if point.group == HEADERS]
            self._claims = {point.name: point.value for point in found}
        for header in headers:
            if (name := self._claims.get(header)) is not None:
                if name not in self._front_ends and name in self._entry_points():
                    self._load(name)
                if name in self._front_ends:
                    return self._front_ends[name]
        return None

    def _asked(self, name: str, source: Any, options: Options) -> FrontEnd:
        if name not in self._front_ends and name in self._entry_points():
            self._load(name)
        front_end = self._front_ends.get(name)
        if front_end is None:
            raise CompileError(f"no front end is called {name!r}{nearest(name, self.names())}; "
                               f"there are {', '.join(self.names())}")
        if not self._accepts(front_end, source, options):
            raise CompileError(f"{name} does not take {_shown(source)}: give {front_end.takes}")
        return front_end

    # ------------------------------------------------------------------------------------------------------- plugins
    def register(self, plugin: Any) -> tuple[FrontEnd, ...]:
        """Add a plugin of this process: a module or object with an `archdef_frontends` hook implementation.

        Raises PluginError if it breaks its contract, or if a name is taken.
        """
        called = values.printable(str(getattr(plugin, "__name__", type(plugin).__name__)))
        check_keepable(plugin, called)
        with self._lock:
            try:
                self._plugins.register(plugin)
            except ValueError as error:         # it is there already
                raise refusal(f"plugin {called}", error) from error
            try:
                self._plugins.check_pending()
                others = [p for p in self._plugins.get_plugins() if p is not plugin]
                answers = self._plugins.subset_hook_caller("archdef_frontends", remove_plugins=others)()
                if not answers:
                    raise PluginError(f"plugin {called} implements no archdef_frontends hook (is it marked @hookimpl?)")
                found = tuple(f for answer in answers for f in answer)
                for front_end in found:
                    if not isinstance(front_end, FrontEnd):
                        raise PluginError(f"plugin {called}: archdef_frontends gave {front_end!r}, which is no front end: it "
                                          "needs name, takes, accepts, missing and compile")
                    if front_end.name in self._front_ends:
                        raise PluginError(f"plugin {called}: the name {front_end.name!r} is taken")
            except BaseException as error:
                self._plugins.unregister(plugin)
                if isinstance(error, PluginError):
                    raise
                raise refusal(f"plugin {called}", error) from error
            self._front_ends.update((f.name, f) for f in found)
            return found

    def unregister(self, plugin: Any) -> None:
        """Take a plugin of this process away again. Raises PluginError if it is none of them."""
        with self._lock:
            if not any(plugin is known for known in self._plugins.get_plugins()):
                raise PluginError(f"no plugin of this process: {values.shown(plugin)}")
            for front_end in plugin.archdef_frontends():
                self._front_ends.pop(front_end.name, None)
            self._plugins.unregister(plugin)

    def _entry_points(self) -> dict[str, importlib.metadata.EntryPoint]:
        found = installed(GROUP) if self._given is None else [
            point for point in self._given if point.group == GROUP]
        return {point.name: point for point in sorted(found, key=lambda point: (point.name, point.value))}

    def _points(self, name: str) -> list[importlib.metadata.EntryPoint]:
        """List the different entry points of one name: more than one make it ambiguous."""
        found = installed(GROUP) if self._given is None else [p for p in self._given if p.group == GROUP]
        return list({point.value: point for point in sorted(found, key=lambda point: point.value) if point.name == name}.values())

    def _load(self, name: str) -> None:
        with self._lock:
            if name in self._tried:
                return
            self._tried.add(name)
            try:
                point, *others = self._points(name)
                if others:
                    raise PluginError(f"several distributions declare it: {', '.join(map(source_of, (point, *others)))}; "
                                      "uninstall all but one")
                if (why := misfit([point])) is not None:
                    raise PluginError(why)
                plugin = point.load()
                if not self._plugins.is_registered(plugin):
                    self.register(plugin)
            except BaseException as error:  # noqa: BLE001  whatever a plugin does wrong must not reach further than its own name
                warnings.warn(str(refusal(f"front end {name!r}", error)), PluginWarning, stacklevel=4)


def _shown(source: Any) -> str:
    if isinstance(source, (str, os.PathLike)):
        text = str(source)
        return values.shown(text if len(text) <= 60 else f"{text[:59]}…")
    return f"{getattr(source, '__name__', None) or values.shown(source)!s} (a {type(source).__name__})"
