"""``archdef diff``: what two architectures differ in."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option
from archdef.options import architecture, machine_options


@click.command("diff")
@machine_options
@click.option("--only", metavar="PATH", default="", help="Only fields under this path, e.g. dram.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there are differences.")
@data_option("archdef.data.subjects.Compared")
@common_options
@click.pass_context
def command(context, names, settings, only, exit_code, data, as_json):
    """Print the fields in which A and B differ, with both values and where each is from.

    A and B are architectures or files of them. What only one of them has is shown with a dash on the other side. --set changes B; A alone
    is compared with what it is once changed so.
    """
    if len(names) != 2 and not (len(names) == 1 and settings):
        raise click.UsageError(f"this takes two architectures, or one and --set, got {' and '.join(names) or 'none'}")
    one, other = architecture(names[0], {}), architecture(names[-1], settings)
    rows = report.differing.differences(one, other, only)
    data.of(archdef.data.subjects.Compared(one, other, only))
    if as_json:
        emit({"a": one.label, "b": other.label, "differences": rows})
    else:
        show(report.differing.render(one, other, rows))
    context.exit(1 if exit_code and rows else 0)
