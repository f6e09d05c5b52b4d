"""``archdef exec``: a program that was compiled for CUDA, on simulated devices."""
from __future__ import annotations

from typing import Final

import click

import archdef
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option
from archdef.cli.output import will_report, will_write
from archdef.options import arch_option, architectures, set_option

STANDARD_ERROR: Final = 2
"""What the program gets for its standard output."""


@click.command("exec", context_settings={"ignore_unknown_options": True})
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
@arch_option
@set_option
@click.option("--devices", type=click.IntRange(1, 64), default=1, show_default=True, help="How many devices the program sees.")
@click.option("--max-launches", type=click.IntRange(0), metavar="N",
              help="Time the first N launches of the program, in the order in which they begin, whatever their kernels; execute all others without timing, "
                   "which is faster.")
@click.option("--functional", is_flag=True, help="Time no launch, or with --max-launches none but those.")
@click.option("--report", "page", type=click.Path(dir_okay=False), help="Write an .html report about the longest launch of each kernel.")
@click.option("--timeline", "trace", type=click.Path(dir_okay=False), help="Write a .json or .json.gz trace of copies, kernels and streams, for Perfetto.")
@data_option("archdef.exec.account.Account")
@common_options(about="Print one JSON document; what the program prints goes to the error stream.")
@click.pass_context
def command(context, program, names, settings, devices, max_launches, functional, page, trace, data, as_json):
    """Run PROGRAM, compiled for CUDA and not changed, against simulated devices, and say where its time goes.

    Write -- before it. Its kernels run from the PTX that it holds, so compile it with -gencode arch=compute_XX,code=compute_XX for an XX that the
    machine has. CUDA's runtime may be linked into it or be a shared library, which need not be installed. Several --arch: it runs once on each.
    Exit code: that of the program, 128 and the signal if one ended it.

    \b
    archdef exec -a NAME -a OTHER -- ./program --size 1024
    archdef exec -a NAME --max-launches 20 -- ./program
    """
    if not names:
        raise click.UsageError("Missing option '--arch' / '-a'.")
    will_report(page)
    will_write(trace)
    codes, found = [], []
    for architecture in architectures(names, settings):
        done = archdef.exec.run(program, architecture, devices, STANDARD_ERROR if as_json else None, max_launches=max_launches, functional=functional)
        codes.append(done.exit_code if done.exit_code >= 0 else 128 - done.exit_code)
        found.append(done)
        if not as_json:
            show(done)
    data.of(*found)
    if page:
        runs = [each.longest for done in found for each in done.kernels if each.longest is not None]
        archdef.run.html_report.save(runs, page)
    if trace:
        for timeline in found[0].timelines[:1]:
            timeline.save(trace)
    if as_json:
        emit([done.to_dict() for done in found])
    context.exit(next((code for code in codes if code), 0))
