"""``archdef report``: launches of a workload as one HTML file."""
from __future__ import annotations

import attrs
import click

import archdef
from archdef.cli.common import common_options, emit, task
from archdef.cli.compiler import debug_option
from archdef.cli.completing import KernelOrArchitecture, Workload, kernels_in
from archdef.cli.output import will_report
from archdef.cli.run import traced_warps, traced_window
from archdef.errors import Interrupted
from archdef.options import arch_option, architectures, set_option
from archdef.run.levels import reported


@click.command("report")
@click.argument("workload", type=Workload())
@click.argument("words", nargs=-1, metavar="[KERNEL | ARCH]...", type=KernelOrArchitecture())
@arch_option
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False), help="The .html file to write.")
@click.option("--size", "-n", type=int, help="Problem size; each workload has its own default.")
@click.option("--lanes", "traced", multiple=True, callback=traced_warps, metavar="[BLOCK:]WARP",
              help="Show what the lanes of this warp do, cycle by cycle, not those of the first one; may be repeated.")
@click.option("--lane-cycles", "window", default="0:4096", show_default=True, callback=traced_window, metavar="FIRST:LAST",
              help="Cycles of the launch to show of them.")
@click.option("--over-time/--not-over-time", "over_time", default=True, show_default=True,
              help="Record blocks, multiprocessors, partitions and banks over time; the launches take up to a fifth longer.")
@click.option("--advice", is_flag=True, help="Say what to change in each kernel, and what that gains: further launches for each piece of advice.")
@debug_option
@set_option
@common_options
@click.pass_context
def command(context, workload, words, names, output, size, traced, window, over_time, advice, debug, settings, as_json):
    """Write an HTML file that shows what kernels cost and why: code, PTX and micro-ops line by line, charts, machines beside each other.

    WORKLOAD is a shipped example (divergence, matmul, reduction, transpose, vector_add), or a recipe file of your own, as 'archdef compare' takes it. Words
    that name a kernel of it choose that (all, if none does); the others are architectures. The file needs no network. Exit code 1 if a launch failed or an
    output is wrong.

    \b
    archdef report transpose naive tiled -a NAME -a OTHER -o transpose.html
    """
    will_report(output)
    recipe = archdef.examples.load(workload)
    if debug:
        recipe = attrs.evolve(recipe, options={**recipe.options, "debug": True})
    known = kernels_in(str(recipe.source))
    kernels = [word for word in words if word in known]
    chosen = architectures((*(word for word in words if word not in known), *names), settings)
    lanes = archdef.LaneWindow(traced or (0,), window)
    timeline = archdef.TimelineWindow(**reported()) if over_time else None
    with task(f"report {recipe.name}") as bar:
        comparison = archdef.examples.comparison.compare(recipe, chosen, size, kernels, bar.counted, lanes, timeline)
        told = _advice(recipe, chosen, kernels, size, bar.counted) if advice and not comparison.interrupted else {}
    try:
        comparison.report(output, told)
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror or error}") from None
    if as_json:
        emit({"files": [output], "correct": comparison.correct})
    else:
        click.echo(f"wrote {output}")
    if comparison.interrupted:
        raise Interrupted(comparison.interrupted)
    context.exit(0 if comparison.correct else 1)


def _advice(recipe, chosen, kernels, size, said):
    """Give the advice on each kernel on each machine, by the machine's label and the kernel's name."""
    found = [archdef.advice.advise(recipe, architecture, kernels, size=size, said=said) for architecture in chosen]
    return {(each.architecture, kernel): each.of(kernel) for each in found for kernel in each.kernels}
