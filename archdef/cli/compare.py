"""``archdef compare``: one workload on several architectures, in one table."""
from __future__ import annotations

import attrs
import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show, task
from archdef.cli.compiler import debug_option
from archdef.cli.completing import WORKLOAD_KERNEL, Workload
from archdef.errors import Interrupted
from archdef.options import architectures, machine_options


@click.command("compare")
@click.argument("workload", required=False, type=Workload())
@machine_options
@click.option("--size", "-n", type=int, help="Problem size; each workload has its own default.")
@click.option("--kernel", "-k", "kernels", multiple=True, type=WORKLOAD_KERNEL, help="Only this kernel; may be repeated.")
@click.option("--why", is_flag=True, help="Explain every kernel, not only the slowest of each architecture.")
@click.option("--list", "listed", is_flag=True, help="List the shipped workloads, and run nothing.")
@debug_option
@common_options
@click.pass_context
def command(context, workload, names, size, kernels, why, listed, debug, settings, as_json):
    """Run WORKLOAD on several architectures and print one table.

    WORKLOAD is a shipped example (divergence, matmul, reduction, transpose, vector_add), or a recipe file of your own:
    a .py file that defines WORKLOAD (or the .cu file beside it). Exit code 1 if a launch failed or an output is wrong.
    """
    if listed:
        shipped = archdef.examples.workloads()
        if as_json:
            emit([{"name": one.name, "about": one.about, "size": one.size, "source": str(one.source)} for one in shipped])
        else:
            click.echo("\n".join(f"{one.name:12}  {one.about} (size {one.size:,})" for one in shipped))
        return
    if workload is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    recipe = archdef.examples.load(workload)
    if debug:
        recipe = attrs.evolve(recipe, options={**recipe.options, "debug": True})
    chosen = architectures(names, settings)
    with task(f"compare {recipe.name}") as bar:
        comparison = archdef.examples.comparison.compare(recipe, chosen, size, kernels, bar.counted)
    if as_json:
        emit(comparison.to_dict())
    else:
        show(report.compared.render(comparison, why))
        if comparison.unfinished is not None:
            show(archdef.run.table.render(comparison.unfinished))
    if comparison.interrupted:
        raise Interrupted(comparison.interrupted)
    context.exit(0 if comparison.correct else 1)
