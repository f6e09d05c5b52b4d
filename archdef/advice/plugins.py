"""Rules of plugins beside archdef's own, each asked so that one that is broken harms no other.

A plugin names the module that implements the hook `archdef_advice_rules` by an entry point of group ``archdef.advice``. It is imported when advice is asked
for that may be its.
"""
from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Final, TypeVar

import attrs
import pluggy

from archdef import hookspecs, values
from archdef._plugins import check_keepable, installed, refusal, source_of
from archdef._versions import misfit
from archdef.advice import rules as own_rules
from archdef.advice.finding import Finding, Rule
from archdef.errors import Interrupted, PluginError, PluginWarning

GROUP: Final = "archdef.advice"
"""Entry-point group; the entry point's name is the plugin's own."""
_Result = TypeVar("_Result")


@attrs.frozen
class Known:
    """A rule, and who brings it."""

    rule: Rule
    plugin: str = ""
    """Name of a plugin; empty: archdef itself, or who asks."""

    def guarded(self, function: Callable[[], _Result], otherwise: _Result) -> _Result:
        """Call something of the rule. What a plugin's raises is a `PluginWarning` that names rule and plugin, and gives `otherwise`."""
        if not self.plugin:
            return function()
        try:
            return function()
        except Interrupted:
            raise
        except BaseException as error:  # noqa: BLE001  a plugin's own code may raise anything
            warnings.warn(str(refusal(f"rule {self.rule.name} of plugin {self.plugin}", error, "fails")), PluginWarning, stacklevel=3)
            return otherwise

    def findings(self, run: Any) -> list[Finding]:
        """Give what the rule finds."""
        def found() -> list[Finding]:
            all_found = [*self.rule.find(run)]
            if wrong := [each for each in all_found if not isinstance(each, Finding)]:
                raise PluginError(f"it gave {values.shown(wrong[0])}, not a Finding")
            return all_found
        return self.guarded(found, [])


def known_rules(entry_points: Iterable[importlib.metadata.EntryPoint] | None = None) -> dict[str, Known]:
    """Give every rule by its name: archdef's own, then those of plugins.

    entry_points : those to look at; None: those installed. What one does wrong, or a name that is taken, is a `PluginWarning`.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    known = {rule.name: Known(rule) for rule in _asked(manager, own_rules)}
    points = installed(GROUP) if entry_points is None else [*entry_points]
    for point in sorted({(point.name, point.value): point for point in points}.values(), key=lambda one: (one.name, one.value)):
        name = source_of(point)
        try:
            if (why := misfit([point])) is not None:
                raise PluginError(why)
            brought = _asked(manager, point.load())
        except BaseException as error:  # noqa: BLE001  whatever a plugin does wrong must not reach further than its own rules
            warnings.warn(str(refusal(f"rules of plugin {name}", error)), PluginWarning, stacklevel=2)
            continue
        for rule in brought:
            if known.setdefault(rule.name, Known(rule, name)).rule is not rule:
                warnings.warn(f"rules of plugin {name}: the name {rule.name!r} is taken", PluginWarning, stacklevel=2)
    return known


def _asked(manager: pluggy.PluginManager, plugin: ModuleType) -> tuple[Rule, ...]:
    """Ask a plugin for its rules. Raises PluginError, and what it raises."""
    called = values.printable(str(getattr(plugin, "__name__", type(plugin).__name__)))
    check_keepable(plugin, called)
    if not manager.is_registered(plugin):
        manager.register(plugin)
    try:
        manager.check_pending()
        answers = manager.subset_hook_caller("archdef_advice_rules", remove_plugins=[p for p in manager.get_plugins() if p is not plugin])()
        if not answers:
            raise PluginError(f"{called} implements no archdef_advice_rules hook (is it marked @hookimpl?)")
        found = tuple(rule for answer in answers for rule in answer)
        if wrong := [rule for rule in found if not isinstance(rule, Rule)]:
            raise PluginError(f"archdef_advice_rules gave {values.shown(wrong[0])}, not an archdef.advice.Rule")
    except BaseException:
        manager.unregister(plugin)
        raise
    return found
