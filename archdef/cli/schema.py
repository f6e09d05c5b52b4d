"""``archdef schema``: what a description file may hold."""
from __future__ import annotations

import json

import click

import archdef
from archdef.cli.common import common_options
from archdef.cli.output import will_write, write


@click.command("schema")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File to write; else it is printed.")
@common_options(about="A JSON Schema is JSON; this is for the sake of all the other commands.")
def command(as_json, output):
    """Print the JSON Schema (draft 2020-12) of description files, for editors and other programs."""
    will_write(output)
    write(output, json.dumps(archdef.files.schema(), indent=1, ensure_ascii=False) + "\n")
