"""``archdef compare``: one workload on several architectures, in one table."""
from __future__ import annotations

import attrs
import click
from click.core import ParameterSource

import archdef
from archdef import report
from archdef._views import CHANGES
from archdef.cli.common import common_options, document, emit, show, task
from archdef.cli.compiler import debug_option
from archdef.cli.completing import WORKLOAD_KERNEL, Workload
from archdef.cli.data import data_option
from archdef.cli.measured import Laid, ncu_option, refuse_views
from archdef.cli.output import will_write, write
from archdef.errors import Interrupted
from archdef.options import architectures, machine_options


@click.command("compare")
@click.argument("workload", required=False, type=Workload())
@machine_options
@click.option("--size", "-n", type=int, help="Problem size; each workload has its own default.")
@click.option("--kernel", "-k", "kernels", multiple=True, type=WORKLOAD_KERNEL, help="Only this kernel; may be repeated.")
@click.option("--why", is_flag=True, help="Explain every kernel, not only the slowest of each architecture.")
@click.option("--list", "listed", is_flag=True, help="List the shipped workloads, and run nothing.")
@click.option("--baseline", type=click.Path(), metavar="FILE",
              help="Print what has changed since: a file that --save or --json wrote, or 'archdef run --json'.")
@click.option("--fail-above", type=click.FloatRange(min=0), metavar="PERCENT",
              help="With --baseline: exit code 1 if a kernel takes more time than then, by more than so many per cent.")
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE", help="Write the JSON document to a file, for a later --baseline.")
@debug_option
@ncu_option
@data_option("archdef.examples.comparison.Comparison", "archdef.baseline.difference.Differences", "archdef.ncu.beside.Beside", "archdef.ncu.launch.Launch")
@common_options
@click.pass_context
def command(context, workload, names, size, kernels, why, listed, baseline, fail_above, save, debug, measured, data, settings, as_json):
    """Run WORKLOAD on several architectures and print one table.

    WORKLOAD is a shipped example (divergence, matmul, reduction, transpose, vector_add), or a recipe file of your own:
    a .py file that defines WORKLOAD (or the .cu file beside it). Exit code 1 if a launch failed or an output is wrong.

    With --baseline it may also be a .json file of runs, such as of another version of a kernel: then nothing runs.
    """
    if listed:
        data.refuse()
        _list(as_json)
        context.exit(0)
    if workload is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    if fail_above is not None and baseline is None:
        raise click.UsageError("--fail-above needs a --baseline")
    if baseline is None and data.among(CHANGES):
        raise click.UsageError(f"{', '.join(CHANGES)} need a --baseline")
    refuse_views(measured, data)
    earlier = None if baseline is None else archdef.baseline.load(baseline)
    if earlier is not None and workload.endswith(".json"):
        _refuse_what_runs(context, data)
        found = archdef.baseline.differences(earlier, archdef.baseline.load(workload).runs)
        data.of(found)
        _finish(context, found, found.to_dict() if as_json else None, fail_above)
    will_write(save)
    recipe = archdef.examples.load(workload)
    if debug:
        recipe = attrs.evolve(recipe, options={**recipe.options, "debug": True})
    chosen = architectures(names, settings)
    with task(f"compare {recipe.name}") as bar:
        comparison = archdef.examples.comparison.compare(recipe, chosen, size, kernels, bar.counted)
    data.of(comparison)
    laid = Laid(measured, [row.run for row in comparison.rows if row.run], data)
    plain = comparison.to_dict() | laid.all()
    if save is not None:
        write(save, document(plain) + "\n")
    if comparison.interrupted:
        emit(plain) if as_json else _show(comparison, why)
        raise Interrupted(comparison.interrupted)
    if earlier is not None and any(row.run for row in comparison.rows):     # else the table says why nothing ran
        found = archdef.baseline.differences(earlier, archdef.baseline.saved.runs_of(plain, workload))
        data.of(found)
        _finish(context, found, plain | {"baseline": found.to_dict()} if as_json else None, fail_above, comparison, laid)
    if as_json:
        emit(plain)
    else:
        _show(comparison, why)
        laid.show()
    laid.finish()
    context.exit(0 if comparison.correct else 1)


def _show(comparison, why) -> None:
    """Print the table, and the profile of a launch that was stopped on its way."""
    show(report.compared.render(comparison, why))
    if comparison.unfinished is not None:
        show(archdef.run.table.render(comparison.unfinished))


def _list(as_json) -> None:
    """Print the shipped workloads."""
    shipped = archdef.examples.workloads()
    if as_json:
        emit([{"name": one.name, "about": one.about, "size": one.size, "source": str(one.source)} for one in shipped])
    else:
        click.echo("\n".join(f"{one.name:12}  {one.about} (size {one.size:,})" for one in shipped))


def _refuse_what_runs(context, data) -> None:
    """Refuse options that say how to run, and views of launches, where two files are compared."""
    if launches := data.beside(CHANGES):
        raise click.UsageError(f"{', '.join(launches)}: nothing runs where two files are compared; there are {', '.join(CHANGES)}")
    others = ("workload", "baseline", "fail_above", "data", "as_json", "verbose", "quiet")
    given = [parameter.opts[0] for parameter in context.command.params if parameter.name not in others
             and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE]
    if given:
        raise click.UsageError(f"{', '.join(given)}: nothing runs where two files are compared")


def _finish(context, found, plain, fail_above, comparison=None, laid=None):
    """Print what has changed, and failures of today; exit with 1 for those, or if something has become slower than allowed."""
    failed = [] if comparison is None else [row for row in comparison.rows if not row.correct]
    slower = () if fail_above is None else found.slower(fail_above)
    if plain is not None:
        emit(plain)
    else:
        show(archdef.baseline.table.render(found.kernels, found.baseline, found.new, found.missing))
        for row in failed:
            click.echo(f"{row.architecture.label} {row.case.kernel} {'failed: ' + row.failure if row.run is None else 'computes something else than numpy'}")
        if laid is not None:
            laid.show()
        for one in slower:
            click.echo(f"{one.name} is {100 * one.change:.1f} % slower than the baseline, more than {fail_above:g} %", err=True)
    if laid is not None:
        laid.finish()
    context.exit(1 if failed or slower else 0)
