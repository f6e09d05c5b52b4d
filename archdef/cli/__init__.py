"""The command ``archdef``: one module per sub-command, loaded when it is called."""
from __future__ import annotations

import errno
import importlib
import os

import click

from archdef.errors import ArchdefError, Interrupted, nearest
from archdef.values import printable

COMMANDS = {
    "advise": "Say what to change in the kernels of WORKLOAD, at which line, and what that would gain.",
    "archs": "List the installed architectures, and plugins that could not be loaded.",
    "attribute": "Say by which of their rules two architectures take different times for WORKLOAD: a factor for each group of rules.",
    "build": "Build a program from CUDA FILES (.cu, .maca, C++, C, objects) that 'archdef exec' runs.",
    "check": "Run the conformance suite on ARCH: is its description complete, and does it compute, time and count as declared?",
    "compare": "Run WORKLOAD on several architectures and print one table.",
    "completion": "Print a script by which SHELL (bash, zsh or fish) completes commands, options, architectures, kernels, metrics and benchmarks.",
    "diff": "Print the fields in which A and B differ, with both values and where each is from.",
    "exec": "Run PROGRAM, compiled for CUDA and not changed, against simulated devices, and say where its time goes.",
    "export": "Write the whole description of ARCH, evidence included, as TOML or JSON.",
    "lower": "Print what each kernel of FILE (.cu or .ptx) becomes on a machine: its micro-ops, one a line, with their PTX line and their cost.",
    "metrics": "Say what metrics mean and how they follow from counters: those of NAMES (or other tools' names of them), or all.",
    "microbench": "Measure machines by microbenchmarks: chains of instructions, pointer chases, conflicts, atomics, bandwidth.",
    "new-plugin": "Write a complete plugin that declares the architecture NAME, into the new folder archdef-NAME.",
    "occupancy": "Apply the occupancy rule: blocks that each resource allows, the limiter, and the smallest change that lifts it.",
    "page": "Write a page about ARCH: a block diagram drawn from the declaration, then every field, its meaning and its evidence.",
    "report": "Write an HTML file that shows what kernels cost and why: code, PTX and micro-ops line by line, charts, machines beside each other.",
    "resources": "List what each kernel of FILE (.cu or .ptx) takes, as 'ptxas -v' does.",
    "roofline": "Read a machine's ceilings off its description: arithmetic, shared memory, L2, DRAM; and Little's law.",
    "run": "Launch KERNEL of FILE (.cu or .ptx) and print what it cost. An instance of a template is a kernel too: 'reduce<512>'.",
    "schema": "Print the JSON Schema (draft 2020-12) of description files, for editors and other programs.",
    "show": "Print every field of ARCH with its value and its evidence.",
    "validate": "Run reference cases, and print the model's figures beside published and measured ones.",
    "why": "Say what holds a warp of a launch at a cycle, until when, and what it waits for, back to the line that made the cause."}
"""Name of a sub-command → the first paragraph of its help, so that a list of all imports none."""
_LISTED = click.Group(add_help_option=False, commands={name: click.Command(name, help=about) for name, about in COMMANDS.items()})
USAGE, INTERRUPTED = 2, 130
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a disk says that takes no more."""


def _verbosity(context, parameter, value):
    if value:
        given = context.find_root().meta
        given[parameter.name] = value
        importlib.import_module("archdef.cli.logs").begin(context, given.get("verbose", 0), given.get("quiet", False))


def verbosity_options(command):
    """Give a command, or the group of all, ``-v`` and ``-q``."""
    verbose = click.option("--verbose", "-v", count=True, expose_value=False, callback=_verbosity,
                           help="Say on the error stream what is loaded, compiled and launched, with times; -vv what is lowered, too.")
    quiet = click.option("--quiet", "-q", is_flag=True, expose_value=False, callback=_verbosity, help="No bars and no warnings: only errors.")
    return verbose(quiet(command))


class Refused(click.ClickException):
    """One clear message and an exit code, for every error that archdef raises on purpose."""

    def __init__(self, error: ArchdefError):
        super().__init__(printable(str(error)))
        self.exit_code = INTERRUPTED if isinstance(error, Interrupted) else USAGE  # type: ignore[misc]  # click reads the instance's


class Commands(click.Group):
    """Finds sub-commands by module name, and lists them by `COMMANDS`, so that only the one that is called is imported."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        return importlib.import_module(f"archdef.cli.{name.replace('-', '_')}").command if name in COMMANDS else None

    def format_commands(self, context, formatter):
        _LISTED.format_commands(context, formatter)

    def shell_complete(self, context, incomplete):
        return _LISTED.shell_complete(click.Context(_LISTED), incomplete) + click.Command.shell_complete(self, context, incomplete)

    def resolve_command(self, context, arguments):
        if not context.resilient_parsing and arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
            raise click.UsageError(f"no such command {arguments[0]!r}{nearest(arguments[0], COMMANDS)}", context)
        return super().resolve_command(context, arguments)

    def parse_args(self, context, arguments):
        for argument in arguments:
            try:
                whole = "\0" not in argument and os.fsencode(argument) is not None
            except UnicodeEncodeError:
                whole = False
            if not whole:
                raise click.UsageError(f"{printable(argument)!r} holds a NUL character or half a surrogate pair", context)
        return super().parse_args(context, arguments)

    def invoke(self, context):
        try:
            return super().invoke(context)
        except ArchdefError as error:
            raise Refused(error) from error
        except OSError as error:
            if error.errno not in FULL:     # of a closed pipe, click ends the command
                raise
            raise click.ClickException(f"cannot write {printable(str(error.filename or 'the output'))}: {error.strerror}") from None
        except KeyboardInterrupt:
            raise Refused(Interrupted("interrupted")) from None
        except click.ClickException as error:
            error.message = printable(error.message)
            raise


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="archdef")
@verbosity_options
def main():
    """Run CUDA kernels on declared GPU architectures, and see what they cost there and why."""
