"""``archdef show``: one architecture, field by field, with where each value is from."""
from __future__ import annotations

import click

from archdef import report
from archdef.cli.common import emit, json_option, show
from archdef.options import architecture, set_option


@click.command("show")
@click.argument("arch")
@click.option("--only", metavar="PATH", default="", help="Only fields under this path, e.g. dram.")
@click.option("--assumed", is_flag=True, help="Only fields whose value is assumed.")
@set_option
@json_option
def command(arch, only, assumed, settings, as_json):
    """Print every field of ARCH with its value and its evidence."""
    described = architecture(arch, settings)
    rows = report.described.fields(described, only, assumed)
    if as_json:
        emit({"name": described.name, "fields": rows})
    else:
        show(report.described.render_fields(described, rows))
