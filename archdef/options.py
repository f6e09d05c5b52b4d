"""Options by which commands choose machines: archdef's own, and examples that are commands.

What looks machines up is imported when one is asked for, as the attributes of `archdef` are: help and refused arguments need none of it.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import archdef

if TYPE_CHECKING:
    from archdef.spec import Architecture

Command = Callable[..., Any]


class ArchitectureName(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """The name of an installed architecture, or a file that describes one; shells complete both."""

    name = "arch"

    def shell_complete(self, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the architectures whose name begins so, and files where none does."""
        found = [CompletionItem(name) for name in archdef.registry.names() if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


def parse_settings(context: click.Context, parameter: click.Parameter, values: Iterable[str]) -> dict[str, str]:
    """Split ``PATH=VALUE`` options."""
    settings = {}
    for value in values:
        path, equals, setting = value.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"{value!r} is not of the form PATH=VALUE, such as warp.size=64")
        settings[path] = setting
    return settings


arch_option = click.option("--arch", "-a", "names", multiple=True, type=ArchitectureName(), metavar="ARCH",
                           help="Architecture, or a .toml or .json file of one; may be repeated. All installed ones if left out.")
set_option = click.option("--set", "settings", multiple=True, callback=parse_settings, metavar="PATH=VALUE",
                          help="Change a field of the architecture, e.g. warp.size=64. May be repeated.")
needed_arch_option = click.option("--arch", "-a", "names", multiple=True, type=ArchitectureName(), metavar="ARCH",
                     help="Architecture, or a .toml or .json file of one; may be repeated.")
_words = click.argument("machines", nargs=-1, metavar="[ARCH]...", type=ArchitectureName())


def machine_options(command: Command, needed: bool = False) -> Command:
    """Give a command any number of machines, as words after its other arguments, by ``-a``, or both: ``names``; and ``settings``.

    needed : the help does not say that all are taken if none is named; the command refuses that itself.
    """
    @functools.wraps(command)
    def wrapped(*args: Any, machines: tuple[str, ...], names: tuple[str, ...], **rest: Any) -> Any:
        return command(*args, names=(*machines, *names), **rest)

    return _words((needed_arch_option if needed else arch_option)(set_option(wrapped)))


def machine_option(command: Command) -> Command:
    """Give a command one machine, as a word or by ``-a``: ``arch``; and ``settings``."""
    @functools.wraps(command)
    def wrapped(*args: Any, machines: tuple[str, ...], names: tuple[str, ...], **rest: Any) -> Any:
        given = (*machines, *names)
        if len(given) != 1:
            raise click.UsageError(f"this takes one architecture, got {' and '.join(given) or 'none'}")
        return command(*args, arch=given[0], **rest)

    named = click.option("--arch", "-a", "names", multiple=True, type=ArchitectureName(), metavar="ARCH",
                         help="The architecture, or a .toml or .json file of it; the same as ARCH.")
    return click.argument("machines", nargs=-1, metavar="ARCH", type=ArchitectureName())(named(set_option(wrapped)))


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
