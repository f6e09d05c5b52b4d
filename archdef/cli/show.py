"""``archdef show``: one architecture, field by field, with where each value is from."""
from __future__ import annotations

import click

from archdef.cli.common import architecture, emit, json_option, set_option, show


@click.command("show")
@click.argument("arch")
@click.option("--only", metavar="PATH", default="", help="Only fields under this path, e.g. dram.")
@click.option("--assumed", is_flag=True, help="Only fields whose value is assumed.")
@set_option
@json_option
def command(arch, only, assumed, settings, as_json):
    """Print every field of ARCH with its value and its evidence."""
    from archdef.report.described import fields, render_fields

    described = architecture(arch, settings)
    rows = fields(described, only, assumed)
    if as_json:
        emit({"name": described.name, "fields": rows})
    else:
        show(render_fields(described, rows))
