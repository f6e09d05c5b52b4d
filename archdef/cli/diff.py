"""``archdef diff``: what two architectures differ in."""
from __future__ import annotations

import click

from archdef import report
from archdef.cli.common import emit, json_option, show
from archdef.options import architecture


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--only", metavar="PATH", default="", help="Only fields under this path, e.g. dram.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there are differences.")
@json_option
@click.pass_context
def command(context, first, second, only, exit_code, as_json):
    """Print the fields in which A and B differ, with both values and where each is from.

    A and B are architectures or files of them. What only one of them has is shown with a dash on the other side.
    """
    one, other = architecture(first, {}), architecture(second, {})
    rows = report.differing.differences(one, other, only)
    if as_json:
        emit({"a": one.label, "b": other.label, "differences": rows})
    else:
        show(report.differing.render(one, other, rows))
    context.exit(1 if exit_code and rows else 0)
