"""``archdef show``: one architecture, field by field, with where each value is from."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option
from archdef.options import architecture, machine_option


@click.command("show")
@machine_option
@click.option("--only", metavar="PATH", default="", help="Only fields under this path, e.g. dram.")
@click.option("--assumed", is_flag=True, help="Only fields whose value is assumed.")
@data_option("archdef.data.subjects.Described")
@common_options
def command(arch, only, assumed, data, settings, as_json):
    """Print every field of ARCH with its value and its evidence."""
    described = architecture(arch, settings)
    rows = report.described.fields(described, only, assumed)
    data.of(archdef.data.subjects.Described(described, only, assumed))
    if as_json:
        emit({"name": described.name, "fields": rows})
    else:
        show(report.described.render_fields(described, rows))
