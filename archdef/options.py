"""Options by which commands choose machines: archdef's own, and examples that are commands.

What looks machines up is imported when one is asked for, as the attributes of `archdef` are: help and refused arguments need none of it.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

import archdef

if TYPE_CHECKING:
    from archdef.spec import Architecture


def parse_settings(context: click.Context, parameter: click.Parameter, values: Iterable[str]) -> dict[str, str]:
    """Split ``PATH=VALUE`` options."""
    settings = {}
    for value in values:
        path, equals, setting = value.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"{value!r} is not of the form PATH=VALUE, such as warp.size=64")
        settings[path] = setting
    return settings


arch_option = click.option("--arch", "-a", "names", multiple=True,
                           help="Architecture, or a .toml or .json file of one; may be repeated. All installed ones if left out.")
set_option = click.option("--set", "settings", multiple=True, callback=parse_settings, metavar="PATH=VALUE",
                          help="Change a field of the architecture, e.g. warp.size=64. May be repeated.")


def architecture(name: str, settings: dict[str, str]) -> Architecture:
    """Look an architecture up, or read it from a file, and change what the user asked for."""
    found = archdef.load(name) if archdef.files.looks_like_a_file(name) else archdef.registry.get(name)
    return found.evolve(settings) if settings else found


def architectures(names: tuple[str, ...], settings: dict[str, str]) -> list[Architecture]:
    """Look up every named architecture, or all installed ones that can be loaded."""
    found = [architecture(name, settings) for name in names or archdef.registry.all()]
    if not found:
        raise click.UsageError("no architecture is installed; install a plugin, such as those in the folder plugins/ of the sources")
    return found
