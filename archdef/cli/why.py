"""``archdef why``: what holds a warp at a cycle of a launch."""
from __future__ import annotations

import functools
import importlib

import click

from archdef.cli.common import common_options, emit
from archdef.cli.completing import KERNEL
from archdef.cli.launching import launch_options, prepare, require
from archdef.cli.run import traced_warps
from archdef.options import architectures, machine_options
from archdef.run.levels import FOREVER
from archdef.values import printable


def _warp(context, parameter, text) -> tuple[int, int]:
    return traced_warps(context, parameter, (text,))[0]


@click.command("why")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("kernel", type=KERNEL)
@functools.partial(machine_options, needed=True)
@launch_options
@click.option("--warp", "-w", required=True, callback=_warp, metavar="[BLOCK:]WARP", help="The warp, of block 0 if no block is named.")
@click.option("--cycle", "-c", required=True, type=click.IntRange(min=0, max=FOREVER - 1), help="The cycle, counted from the launch.")
@common_options
@click.pass_context
def command(context, file, kernel, names, grid, block, cluster, shared, arguments, symbols, cooperative, options, warp, cycle, settings, as_json):
    """Say what holds a warp of a launch at a cycle, until when, and what it waits for, back to the line that made the cause.

    The launch is written as for 'archdef run'. It is made twice: first to see on which multiprocessor the warp's block is, then with its warps and all
    requests to memory recorded around the cycle.

    \b
    archdef why saxpy.cu saxpy --arch NAME --grid 64 --block 256 --arg f4[16384]=random \\
        --arg f4[16384]=random --arg 2.5 --arg 16384 --warp 3:0 --cycle 2000
    """
    require(context, names=names, grid=grid, block=block)
    answers = []
    chosen = architectures(names, settings)
    for architecture in chosen:
        def launch(timeline, architecture=architecture):
            prepared = prepare(architecture, file, kernel, grid, block, shared, arguments, symbols, options)
            return prepared.launch(timeline=timeline, cluster=cluster, cooperative=cooperative)

        run, reason = importlib.import_module("archdef.run.probe").ask(launch, warp[1], cycle, warp[0])
        answers.append({"kernel": run.kernel, "architecture": architecture.name, "cycles": run.cycles, "reason": reason.to_dict()})
        if not as_json:
            head = f"{run.kernel} on {architecture.label}, {run.cycles:,} cycles" if len(chosen) > 1 else ""
            click.echo(printable("\n".join(filter(None, (head, str(reason))))))
    if as_json:
        emit(answers)
