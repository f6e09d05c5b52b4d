"""``archdef compare``: one workload on several architectures, in one table."""
from __future__ import annotations

import sys

import attrs
import click

import archdef
from archdef import report
from archdef.cli.common import emit, json_option, show
from archdef.cli.compiler import debug_option
from archdef.errors import Interrupted
from archdef.options import arch_option, architectures, set_option


@click.command("compare")
@click.argument("workload")
@arch_option
@click.option("--size", "-n", type=int, help="Problem size; each workload has its own default.")
@click.option("--kernel", "-k", "kernels", multiple=True, help="Only this kernel; may be repeated.")
@click.option("--why", is_flag=True, help="Explain every kernel, not only the slowest of each architecture.")
@debug_option
@set_option
@json_option
@click.pass_context
def command(context, workload, names, size, kernels, why, debug, settings, as_json):
    """Run WORKLOAD on several architectures and print one table.

    WORKLOAD is a shipped example (divergence, matmul, reduction, transpose, vector_add), or a recipe file of your own:
    a .py file that defines WORKLOAD (or the .cu file beside it). Exit code 1 if a launch failed or an output is wrong.
    """
    recipe = archdef.examples.load(workload)
    if debug:
        recipe = attrs.evolve(recipe, options={**recipe.options, "debug": True})
    chosen = architectures(names, settings)
    comparison = archdef.examples.comparison.compare(recipe, chosen, size, kernels, said if sys.stderr.isatty() and not as_json else lambda message: None)
    if as_json:
        emit(comparison.to_dict())
    else:
        show(report.compared.render(comparison, why))
    if comparison.interrupted:
        raise Interrupted(comparison.interrupted)
    context.exit(0 if comparison.correct else 1)


def said(message: str) -> None:
    """Print a line of progress."""
    click.echo(f"{message} …", err=True)
