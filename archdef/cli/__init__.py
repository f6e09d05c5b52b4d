"""The command ``archdef``: one module per sub-command, loaded when it is called."""
from __future__ import annotations

import importlib
import os

import click

from archdef.errors import ArchdefError, Interrupted
from archdef.values import printable

COMMANDS = ("archs", "check", "compare", "diff", "export", "lower", "metrics", "microbench", "new-plugin", "occupancy", "page", "resources",
            "roofline", "run", "schema", "show", "validate")
USAGE, INTERRUPTED = 2, 130


class Refused(click.ClickException):
    """One clear message and an exit code, for every error that archdef raises on purpose."""

    def __init__(self, error: ArchdefError):
        super().__init__(printable(str(error)))
        self.exit_code = INTERRUPTED if isinstance(error, Interrupted) else USAGE  # type: ignore[misc]  # click reads the instance's


class Commands(click.Group):
    """Finds sub-commands by module name, so that ``--help`` of one does not import the others."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        return importlib.import_module(f"archdef.cli.{name.replace('-', '_')}").command if name in COMMANDS else None

    def resolve_command(self, context, arguments):
        from archdef.errors import nearest

        if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
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
        except click.ClickException as error:
            error.message = printable(error.message)
            raise


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="archdef")
def main():
    """Run CUDA kernels on declared GPU architectures, and see what they cost there and why."""
