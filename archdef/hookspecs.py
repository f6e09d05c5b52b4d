"""What archdef asks of plugins (pluggy project ``archdef``).

A plugin is a module named by an entry point of group ``archdef``. The entry point's name is the name of one architecture;
a distribution that offers several declares one entry point for each, so that asking for one imports no other plugin::

    [project.entry-points.archdef]
    gizmo = "archdef_gizmo"
    gizmo_pro = "archdef_gizmo"

A name belongs to the distribution whose entry point declares it. One that several declare is refused when it is used;
``DISTRIBUTION:NAME`` chooses one of them, wherever an architecture is named.

The distribution requires the versions of archdef that it supports (``dependencies = ["archdef>=0.1,<0.2"]``): pip heeds that at the
installation, archdef when it loads the plugin. One that does not fit is refused, naming both versions; the others go on.

What an architecture was measured by may come with the plugin, in the folder ``data`` of its package, or with a distribution of its own, so that
users get it only if they want it. Its entry point bears the architecture's name and names a package with a folder ``data``, which may implement
`archdef_experiments`; one that several distributions declare is refused, and ``ARCHDEF_EVIDENCE=DISTRIBUTION:NAME`` chooses::

    [project.entry-points."archdef.evidence"]
    gizmo = "archdef_gizmo_evidence"

The plugin says by an extra of that name where it is, and `archdef validate` repeats it::

    [project.optional-dependencies]
    evidence = ["archdef-gizmo-evidence"]

Front ends are named the same way in a group of their own, by the name that ``Options(compiler=…)`` calls them::

    [project.entry-points."archdef.frontends"]
    gizmoc = "archdef_gizmo.compiler"

Headers that only sources of one front end include are named in a third group; such sources go to it first::

    [project.entry-points."archdef.frontends.headers"]
    "gizmo.h" = "gizmoc"

Rules of advice, which belong to no architecture, are named in a group of their own, too, by a module that implements `archdef_advice_rules`::

    [project.entry-points."archdef.advice"]
    gizmo = "archdef_gizmo.advice"
"""
from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from archdef.advice.finding import Rule
    from archdef.frontends.protocol import FrontEnd
    from archdef.spec import Architecture

__all__ = ["PROJECT", "archdef_advice_rules", "archdef_architectures", "archdef_benchmarks", "archdef_experiments", "archdef_frontends", "hookimpl"]

PROJECT = "archdef"
"""Name of the pluggy project, and of the entry-point group."""

_hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks what a plugin implements: ``@hookimpl`` above the function that bears a hook's name."""


@_hookspec
def archdef_architectures() -> list[Architecture]:
    """Give the architectures that the plugin declares."""


@_hookspec
def archdef_frontends() -> list[FrontEnd]:
    """Give the front ends that the plugin brings: objects that turn sources of some kind into PTX."""


@_hookspec
def archdef_experiments() -> list[Callable[..., Mapping[str, float]]]:
    """Give the experiments that the plugin's reference cases name beside archdef's own: functions ``(device, **parameters)``.

    Each gives its quantities by name; a case names it by the function's ``__name__``. The plugin implements it, or the package of its evidence.
    """


@_hookspec
def archdef_benchmarks() -> list[Callable[..., Mapping[str, float]]]:
    """Give the microbenchmarks that the plugin brings: functions declared by `archdef.microbench.benchmark`.

    They are found by name beside archdef's own, by `archdef microbench` and by the experiments ``microbench.NAME``; one whose name is taken costs a
    warning, and is left out.
    """


@_hookspec
def archdef_advice_rules() -> list[Rule]:
    """Give the rules of advice that the plugin brings.

    `archdef advise` and `archdef.advise` ask them beside archdef's own. One that raises, or whose name is taken, costs a warning, and is left out.
    """
