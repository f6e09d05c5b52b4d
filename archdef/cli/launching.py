"""How a launch of a kernel from a file is written on the command line."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import attrs
import click
import numpy as np

import archdef
from archdef.cli.compiler import compiler_options
from archdef.errors import GuestWarning
from archdef.run.written import Value, parse_argument, parse_shape

if TYPE_CHECKING:
    from archdef.run.launch import Launcher
    from archdef.run.result import Run
    from archdef.spec import Architecture


def _shape(context, parameter, text):
    if text is None:
        return None
    try:
        return parse_shape(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _arguments(context, parameter, texts) -> tuple[Value, ...]:
    try:
        arguments = tuple(parse_argument(text) for text in texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    names = [a.name for a in arguments if a.name]
    if twice := {name for name in names if names.count(name) > 1}:
        raise click.BadParameter(f"the name {min(twice)!r} is used twice")
    return arguments


def _symbols(context, parameter, texts) -> dict[str, Value]:
    symbols: dict[str, Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE, such as taps=f4[5]=ones")
        try:
            made = parse_argument(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        if made.name:
            raise click.BadParameter(f"{value!r} has a name of its own; {name} is the variable's")
        if name in symbols:
            raise click.BadParameter(f"the variable {name!r} is set twice")
        symbols[name] = made
    return symbols


_LAUNCH = (
    click.option("--grid", "-g", callback=_shape, metavar="X[,Y[,Z]]", help="Blocks."),
    click.option("--block", "-b", callback=_shape, metavar="X[,Y[,Z]]", help="Threads per block."),
    click.option("--cluster", callback=_shape, metavar="X[,Y[,Z]]", help="Blocks of a cluster, which start together."),
    click.option("--shared", type=click.IntRange(min=0), default=0, help="Dynamic shared memory, bytes."),
    click.option("--arg", "arguments", multiple=True, callback=_arguments, metavar="VALUE",
                  help="Kernel argument, in order: a number, or an array [NAME:]TYPE[SHAPE][=FILL], where FILL is zeros, "
                       "ones, range, random, a number, or all numbers with commas between; or [NAME:]@FILE.npy."),
    click.option("--symbol", "symbols", multiple=True, callback=_symbols, metavar="NAME=VALUE",
                  help="What a __constant__ or __device__ variable holds at the launch; values are those of --arg."),
    click.option("--cooperative", is_flag=True, help="All blocks are resident at once and may wait for each other."), compiler_options)


def launch_options(command):
    """Give a command what a launch takes besides its kernel: the parameters of `prepare`, and ``cluster`` and ``cooperative``."""
    for option in reversed(_LAUNCH):
        command = option(command)
    return command


def require(context: click.Context, **given: Any) -> None:
    """Refuse a command line without a parameter that not every use of the command needs."""
    for parameter in context.command.params:
        if not given.get(str(parameter.name), True):
            raise click.MissingParameter(ctx=context, param=parameter)


@attrs.frozen
class Prepared:
    """A kernel on a machine, with its arguments."""

    architecture: Architecture
    launcher: Launcher
    given: list[Any]
    values: dict[Any, Any]
    """Arguments by their name or place, and variables by their name."""

    def launch(self, **options: Any) -> Run:
        """Launch it; warnings about what the kernel does are for the report."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuestWarning)
            return self.launcher.launch(*self.given, **options)


def prepare(architecture, file, kernel, grid, block, shared, arguments, symbols, options) -> Prepared:
    """Compile a file for a machine, and make the arguments of a kernel."""
    device = archdef.Device(architecture)
    module = device.compile(file, options)
    launcher = module[kernel][grid, block, shared]
    random = np.random.default_rng(2009)
    values: dict[Any, Any] = {}
    for position, argument in enumerate(arguments, start=1):
        made = argument.make(random)
        values[argument.name or position] = device.to_device(made) if isinstance(made, np.ndarray) else made
    values |= {name: _set(module.symbols[name], value.make(random)) for name, value in symbols.items()}
    return Prepared(architecture, launcher, list(values.values())[:len(arguments)], values)


def _set(symbol, value):
    """Fill a variable; give it as what the value was, to be shown."""
    symbol.copy_from_host(value)
    return symbol.view(value.dtype, value.shape) if hasattr(value, "dtype") else symbol
