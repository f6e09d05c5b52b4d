"""``archdef export``: a whole description as a file."""
from __future__ import annotations

import click

import archdef
from archdef.cli.common import common_options
from archdef.cli.output import will_write, write
from archdef.options import architecture, machine_option


@click.command("export")
@machine_option
@click.option("--format", "-f", "form", type=click.Choice(("toml", "json")), help="Default: what the file's name says, else toml.")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File to write, as a whole or not at all; else it is printed.")
@common_options(about="The same as --format json.")
def command(arch, form, as_json, output, settings):
    """Write the whole description of ARCH, evidence included, as TOML or JSON.

    The file can be given wherever an architecture is named (-a FILE), and to archdef.load. A file that begins with
    base = "NAME" needs to hold only a name and what differs.
    """
    will_write(output)
    form = "json" if as_json else form or ("json" if output and output.endswith(".json") else "toml")
    write(output, archdef.files.dumps(architecture(arch, settings), form))
