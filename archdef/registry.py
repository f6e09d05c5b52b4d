"""Architectures by name. Nothing is imported before somebody asks for it, and a broken plugin harms nobody else.

A name belongs to the distribution whose entry point declares it, whatever is loaded first. One that several distributions declare is
ambiguous: it is refused when it is used, and ``DISTRIBUTION:NAME`` chooses. An architecture that a plugin gives without an entry point of its
name is taken if no other plugin declares that name; else a warning names both, and it stays out.
"""
from __future__ import annotations

import importlib.metadata
import threading
import warnings
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any, TypeAlias

import pluggy

from archdef import _evidence, hookspecs, values
from archdef._logs import logger
from archdef._plugins import check_keepable, installed, refusal, source_of
from archdef._versions import misfit
from archdef.errors import PluginError, PluginWarning, UnknownArchitecture, nearest
from archdef.spec import Architecture

__all__ = ["REGISTRY", "Registry", "all", "described", "get", "names", "problems", "register", "unregister"]


_LOG = logger(__name__)
_Points: TypeAlias = dict[str, list[importlib.metadata.EntryPoint]]
"""Entry points by the name of their architecture."""


class Registry:
    """The architectures of all installed plugins, and of those registered in this process."""

    def __init__(self, entry_points: Iterable[importlib.metadata.EntryPoint] | None = None):
        """Look at `entry_points`; None: at those installed, anew for each question, so that a fresh install is seen."""
        self._given = None if entry_points is None else tuple(entry_points)
        self._plugins = pluggy.PluginManager(hookspecs.PROJECT)
        self._plugins.add_hookspecs(hookspecs)
        self._architectures: dict[str, Architecture] = {}
        self._loaded: set[str] = set()
        self._owners: dict[str, Any] = {}
        self._problems: dict[str, PluginError] = {}
        self._lock = threading.RLock()

    # ------------------------------------------------------------------------------------------------------ questions
    def names(self) -> tuple[str, ...]:
        """List the names of all architectures, without importing a plugin."""
        return tuple(sorted(name for name in {*self._entry_points(), *self._architectures} if ":" not in name))

    def get(self, name: str) -> Architecture:
        """Find an architecture by name or alias; upper and lower case are the same.

        Raises UnknownArchitecture, naming the nearest name and all others; PluginError if its plugin is broken.
        """
        key = values.text(name, "the name of an architecture", UnknownArchitecture).lower()
        points = self._entry_points()
        if key in points:
            self._load(key, points)
        if key in self._architectures:
            return self._architectures[key]
        architectures = self.all()
        found = [a for a in architectures.values() if key in (alias.lower() for alias in a.aliases)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownArchitecture(f"{values.shown(name)} is an alias of several: {', '.join(a.name for a in found)}; use the name of one")
        known = [*architectures, *(alias for a in architectures.values() for alias in a.aliases)]
        raise UnknownArchitecture(f"no architecture is called {values.shown(name)}{nearest(key, known)}; "
                                  f"installed: {', '.join(architectures) or 'none'}")

    def all(self) -> dict[str, Architecture]:
        """Load every plugin and give all architectures by name; one that cannot be loaded gives a `PluginWarning`."""
        points = self._entry_points()       # once: each look reads what every installed distribution declares
        for name in points:
            if ":" in name:
                continue
            known = name in self._problems
            try:
                self._load(name, points)
            except PluginError as error:
                if not known:
                    warnings.warn(str(error), PluginWarning, stacklevel=2)
        return {name: self._architectures[name] for name in sorted(self._architectures) if ":" not in name}

    def problems(self) -> MappingProxyType[str, PluginError]:
        """Give, by entry-point name, why plugins asked for so far could not be used."""
        return MappingProxyType(self._problems)

    def package(self, name: str) -> str | None:
        """Give the package that declares an architecture, whose data files are shipped with it; None if no package does.

        Raises UnknownArchitecture, PluginError.
        """
        plugin = self._owner(name)
        spec = getattr(plugin, "__spec__", None)
        return (spec.parent or None) if spec is not None else None

    def experiments(self, name: str) -> tuple[Callable[..., Any], ...]:
        """Give the experiments that the plugin of an architecture brings, and its evidence. Raises UnknownArchitecture, PluginError."""
        plugin = self._owner(name)
        own = self._architectures.get(name.lower()) or self.get(name)
        evidence = _evidence.package(own.name)
        found = _experiments_of(plugin, self._plugins)
        if evidence is not None and evidence is not plugin:
            manager = pluggy.PluginManager(hookspecs.PROJECT)       # of its own: it declares no architecture
            manager.add_hookspecs(hookspecs)
            try:
                manager.register(evidence)
                manager.check_pending()
            except BaseException as error:
                raise refusal(f"the evidence {_called(evidence)}", error) from error
            found += _experiments_of(evidence, manager)
        return found
    def _owner(self, name: str) -> Any:
        key = values.text(name, "the name of an architecture", UnknownArchitecture).lower()
        return self._owners[key if key in self._owners else self.get(name).name.lower()]

    def benchmarks(self) -> list[tuple[str, Any]]:
        """Load every plugin and give the microbenchmarks that they bring, each with its plugin's name; a broken hook gives a `PluginWarning`."""
        self.all()
        found = []
        for plugin in self._plugins.get_plugins():
            others = [p for p in self._plugins.get_plugins() if p is not plugin]
            try:
                answers = self._plugins.subset_hook_caller("archdef_benchmarks", remove_plugins=others)()
                found += [(_called(plugin), function) for answer in answers for function in answer]
            except BaseException as error:  # noqa: BLE001  whatever it does wrong, the others stay usable
                warnings.warn(str(refusal(f"plugin {_called(plugin)}: archdef_benchmarks", error)), PluginWarning, stacklevel=2)
        return sorted(found, key=lambda one: (one[0], getattr(one[1], "__name__", "")))

    # ------------------------------------------------------------------------------------------------------- plugins
    def register(self, plugin: Any) -> tuple[Architecture, ...]:
        """Add a plugin of this process: a module or object with an `archdef_architectures` hook implementation.

        Raises PluginError if it breaks its contract, or if a name is taken.
        """
        try:
            architectures = self._declared(plugin)
        except PluginError:
            raise
        except BaseException as error:
            raise refusal(f"plugin {_called(plugin)}", error) from error
        points = self._entry_points()
        for architecture in architectures:
            others = [p for p in points.get(architecture.name.lower(), ()) if p.module != getattr(plugin, "__name__", None)]
            if others or self._architectures.get(architecture.name.lower(), architecture) is not architecture:
                self._plugins.unregister(plugin)
                raise PluginError(f"plugin {_called(plugin)}: the name {architecture.name!r} is taken")
        self._architectures.update((a.name.lower(), a) for a in architectures)
        self._owners.update((a.name.lower(), plugin) for a in architectures)
        return architectures

    def unregister(self, plugin: Any) -> None:
        """Take a plugin of this process away again. Raises PluginError if it is none of them."""
        if not any(plugin is known for known in self._plugins.get_plugins()):
            raise PluginError(f"no plugin of this process: {values.shown(plugin)}")
        for architecture in self._declared(plugin):
            self._architectures.pop(architecture.name.lower(), None)
        self._plugins.unregister(plugin)

    def _declared(self, plugin: Any) -> tuple[Architecture, ...]:
        """Ask one plugin for its architectures, registering it first if need be; one that fails does not stay registered."""
        check_keepable(plugin, _called(plugin))
        new = not self._plugins.is_registered(plugin)
        if new:
            self._plugins.register(plugin)
        try:
            if new:
                self._plugins.check_pending()
            return self._asked(plugin)
        except BaseException:
            if new:
                self._plugins.unregister(plugin)
            raise

    def _asked(self, plugin: Any) -> tuple[Architecture, ...]:
        others = [p for p in self._plugins.get_plugins() if p is not plugin]
        answers = self._plugins.subset_hook_caller("archdef_architectures", remove_plugins=others)()
        if not answers:
            raise PluginError(f"plugin {_called(plugin)} implements no archdef_architectures hook (is it marked @hookimpl?)")
        architectures = tuple(a for answer in answers for a in answer)
        if wrong := [a for a in architectures if not isinstance(a, Architecture)]:
            raise PluginError(f"plugin {_called(plugin)}: archdef_architectures gave {values.shown(wrong[0])}, not an Architecture")
        return architectures

    def _entry_points(self) -> _Points:
        found = installed(hookspecs.PROJECT) if self._given is None else self._given
        by_name: dict[str, list[importlib.metadata.EntryPoint]] = {}
        for point in found:
            points = by_name.setdefault(point.name.lower(), [])
            if not any(point.value == other.value for other in points):
                points.append(point)
        chosen = {f"{source_of(point).lower()}:{name}": [point] for name, points in by_name.items() if len(points) > 1 for point in points}
        return dict(sorted((by_name | chosen).items()))

    def _load(self, name: str, points: _Points) -> None:
        """Import the plugin behind one entry point and take over its architectures; raise the same PluginError each time."""
        with self._lock:
            if name in self._problems:
                raise self._problems[name]
            if name not in self._loaded:
                self._import(name, points)

    def _import(self, name: str, known: _Points) -> None:
        points = known[name]
        distribution = ", ".join(sorted(map(source_of, points)))
        try:
            if len(points) > 1:
                raise PluginError(f"architecture {name!r} is declared by several distributions: {distribution}; choose one as "
                                  + " or ".join(f"'{source_of(point)}:{name}'" for point in sorted(points, key=source_of))
                                  + ", or uninstall the others")
            if (why := misfit(points)) is not None:
                raise PluginError(f"architecture {name!r} cannot be used: {why}")
            plugin = points[0].load()
            architectures = self._declared(plugin)
            own = name.rpartition(":")[2]
            if own not in (a.name.lower() for a in architectures):
                offered = ", ".join(a.name for a in architectures) or "none"
                raise PluginError(f"plugin {distribution} promises the architecture {own!r} but declares: {offered}")
        except PluginError as error:
            self._problems[name] = error
            _LOG.info("%s is broken: %s", distribution, error)
            raise
        except BaseException as error:  # whatever a plugin does wrong must not reach further than its own name
            self._problems[name] = refusal(f"plugin {distribution} (architecture {name!r})", error)
            _LOG.info("%s is broken: %s", distribution, self._problems[name])
            raise self._problems[name] from error
        self._loaded.add(name)
        _LOG.info("%s loaded for %s", distribution, name)
        for architecture in architectures:
            self._take(architecture, plugin, name, points[0], known)

    def _take(self, architecture: Architecture, plugin: Any, asked: str, point: importlib.metadata.EntryPoint, points: _Points) -> None:
        """Take over an architecture that a plugin gave when it was asked for one, unless another plugin declares its name."""
        key = architecture.name.lower()
        declared = points.get(key, ())
        if key == asked.rpartition(":")[2]:
            self._architectures.setdefault(asked, architecture)
            self._owners.setdefault(asked, plugin)
        elif not any(p.value != point.value for p in declared):
            self._architectures.setdefault(key, architecture)
            self._owners.setdefault(key, plugin)
        elif not any(p.value == point.value for p in declared):
            warnings.warn(f"plugin {source_of(point)} also gives the architecture {key!r}, which {', '.join(map(source_of, declared))} declares: "
                          f"it stays that of {', '.join(map(source_of, declared))}", PluginWarning, stacklevel=5)


def _experiments_of(plugin: Any, manager: pluggy.PluginManager) -> tuple[Callable[..., Any], ...]:
    others = [p for p in manager.get_plugins() if p is not plugin]
    try:
        found = tuple(e for answer in manager.subset_hook_caller("archdef_experiments", remove_plugins=others)() for e in answer)
    except BaseException as error:
        raise refusal(f"plugin {_called(plugin)}: archdef_experiments", error) from error
    if wrong := [e for e in found if not callable(e) or not hasattr(e, "__name__")]:
        raise PluginError(f"plugin {_called(plugin)}: archdef_experiments gave {values.shown(wrong[0])}, not a function")
    return found


def _called(plugin: Any) -> str:
    return values.printable(str(getattr(plugin, "__name__", type(plugin).__name__)))


def described(given: Any) -> Architecture:
    """Give the description that `given` is, or that is installed under this name. Raises UnknownArchitecture, PluginError."""
    if isinstance(given, Architecture):
        return given
    if not isinstance(given, str):
        raise UnknownArchitecture(f"an architecture is the name of an installed one, or an archdef.Architecture, got {values.shown(given)}")
    return REGISTRY.get(given)


REGISTRY = Registry()
"""The registry that everything in archdef uses."""

names, get, all, problems = REGISTRY.names, REGISTRY.get, REGISTRY.all, REGISTRY.problems
register, unregister = REGISTRY.register, REGISTRY.unregister
