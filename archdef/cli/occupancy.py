"""``archdef occupancy``: how many blocks and warps an SM keeps resident, and what limits them."""
from __future__ import annotations

import click

from archdef.cli.common import arch_option, architectures, emit, json_option, set_option, show


@click.command("occupancy")
@arch_option
@click.option("--threads", "-t", type=click.IntRange(min=1), required=True, help="Threads per block.")
@click.option("--registers", "-r", type=click.IntRange(min=1), default=1, show_default=True,
              help="Registers per thread.")
@click.option("--shared", "-s", type=click.IntRange(min=0), default=0, show_default=True,
              help="Shared memory per block, bytes.")
@set_option
@json_option
@click.pass_context
def command(context, names, threads, registers, shared, settings, as_json):
    """Apply the occupancy rule: blocks that each resource allows, the limiter, and the smallest change that lifts it.

    A machine on which the block cannot run says why; exit code 2 if none can run it.
    """
    from archdef.errors import LaunchError
    from archdef.occupancy import occupancy
    from archdef.run.result import occupancy_dict

    answers, refusals = [], 0
    chosen = architectures(names, settings)
    for machine in chosen:
        try:
            answers.append(occupancy(machine, threads=threads, registers=registers, shared_bytes=shared))
        except LaunchError as error:
            if len(chosen) == 1:
                raise
            answers.append(error)
            refusals += 1
    if as_json:
        emit([{"architecture": machine.label, "refused": str(answer)} if isinstance(answer, LaunchError)
              else occupancy_dict(answer) for machine, answer in zip(chosen, answers, strict=True)])
    else:
        from archdef.report.occupied import render

        show(render(answers))
    context.exit(2 if refusals == len(chosen) else 0)
