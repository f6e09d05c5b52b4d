"""What sub-commands share: options, JSON, the console."""
from __future__ import annotations

import functools
import json
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")


def parse_settings(context, parameter, values) -> dict[str, str]:
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


debug_option = click.option("--device-debug", "-G", "debug", is_flag=True,
                            help="Compile for debugging: no optimisation, by the compiler or the assembler.")

_COMPILER = (
    click.option("--define", "-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro for the compiler."),
    click.option("--include", "-I", multiple=True, type=click.Path(exists=True, file_okay=False),
                 help="Directory of headers."),
    click.option("--target", help="Virtual architecture to compile for, e.g. compute_70; else what suits the machine."),
    click.option("--compiler", metavar="NAME", help="Front end to use, e.g. nvcc; else the first that takes the file."),
    debug_option,
    click.option("--registers", type=click.Choice(("liveness", "ptxas")), default="liveness", show_default=True,
                 help="Who counts registers per thread."))


def compiler_options(command):
    """Give a command the compiler's options, as one `Options` in the parameter ``options``."""
    @functools.wraps(command)
    def wrapped(*args, defines, include, target, compiler, debug, registers, **rest):
        from archdef.frontends import Options

        options = Options(target=target, defines=defines, include=include, compiler=compiler, debug=debug, registers=registers)
        return command(*args, options=options, **rest)

    for option in reversed(_COMPILER):
        wrapped = option(wrapped)
    return wrapped


def architecture(name: str, settings: dict[str, str]):
    """Look an architecture up, or read it from a file, and change what the user asked for."""
    from archdef import registry
    from archdef.files import load, looks_like_a_file

    found = load(name) if looks_like_a_file(name) else registry.get(name)
    return found.evolve(settings) if settings else found


def architectures(names: tuple[str, ...], settings: dict[str, str]) -> list:
    """Look up every named architecture, or all installed ones that can be loaded."""
    from archdef import registry

    found = [architecture(name, settings) for name in names or registry.all()]
    if not found:
        raise click.UsageError("no architecture is installed; install a plugin, such as those in the folder plugins/ of the sources")
    return found


def show(renderable) -> None:
    """Print a rich object; text that goes to no terminal gets the full width."""
    from archdef.console import WIDTH, console

    console(width=None if sys.stdout.isatty() else WIDTH, soft_wrap=False).print(renderable)


def emit(data) -> None:
    """Print one JSON document; what JSON has no word for (infinite, not a number) becomes null."""
    click.echo(json.dumps(_plain(data), indent=2, default=str))


def write(path: str | None, text: str) -> None:
    """Write a file, as a whole or not at all; without a path, print."""
    if path is None or path == "-":
        click.echo(text, nl=False)
        return
    from archdef.files.atomic import write_text

    try:
        write_text(path, text)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None


def will_write(path: str | None) -> None:
    """Refuse a file that could not be written, before the work whose result it shall hold."""
    if path in (None, "-"):
        return
    place = Path(path)
    folder = place.parent
    try:
        why = (f"there is no folder {folder}" if not folder.is_dir() else "it is a folder" if place.is_dir()
               else f"the folder {folder} cannot be written" if not os.access(folder, os.W_OK)
               else "the file cannot be written" if place.exists() and not os.access(place, os.W_OK) else None)
    except OSError as error:        # a name that is too long
        why = error.strerror or str(error)
    if why:
        raise click.ClickException(f"cannot write {path}: {why}")


def will_plot(path: str | None) -> None:
    """Refuse a plot that could not be made, before the work that it shall show. Raises MissingExtra without matplotlib."""
    if path is not None:
        from archdef.report.picture import check_suffix, figure_type

        check_suffix(path)
        will_write(str(path))
        figure_type()


def _plain(value):
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
