"""``archdef occupancy``: how many blocks and warps an SM keeps resident, and what limits them."""
from __future__ import annotations

import click

import archdef.run
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option
from archdef.errors import LaunchError
from archdef.options import architectures, machine_options


@click.command("occupancy")
@machine_options
@click.option("--threads", "-t", type=click.IntRange(min=1), required=True, help="Threads per block.")
@click.option("--registers", "-r", type=click.IntRange(min=1), default=1, show_default=True,
              help="Registers per thread.")
@click.option("--shared", "-s", type=click.IntRange(min=0, max=1 << 40), default=0, show_default=True,
              help="Shared memory per block, bytes.")
@click.option("--private", "-p", type=click.IntRange(min=0, max=1 << 40), default=0, show_default=True,
              help="Private (local) memory per thread, bytes.")
@data_option("archdef.data.subjects.Occupied")
@common_options
@click.pass_context
def command(context, names, threads, registers, shared, private, data, settings, as_json):
    """Apply the occupancy rule: blocks that each resource allows, the limiter, and the smallest change that lifts it.

    Then what a warp holds, and how much of device memory the private memory of all resident threads takes.
    A machine on which the block cannot run says why; exit code 2 if none can run it.
    """
    def held(machine, answer):
        return archdef.run.footprint.warp_contents(machine, answer, private)

    def shares(machine, answer):
        return archdef.run.footprint.memory_map(machine, resident_warps=answer.active_warps, local_bytes=private)

    answers, refusals = [], 0
    chosen = architectures(names, settings)
    for machine in chosen:
        try:
            answers.append(archdef.occupancy(machine, threads=threads, registers=registers, shared_bytes=shared))
        except LaunchError as error:
            if len(chosen) == 1:
                raise
            answers.append(error)
            refusals += 1
    data.of(*(archdef.data.Occupied(machine, answer) for machine, answer in zip(chosen, answers, strict=True) if not isinstance(answer, LaunchError)))
    if as_json:
        emit([{"architecture": machine.label, "refused": str(answer)} if isinstance(answer, LaunchError)
              else answer.to_dict() | {"warp_contents": held(machine, answer).to_dict(), "memory_map": shares(machine, answer).to_dict()}
              for machine, answer in zip(chosen, answers, strict=True)])
    else:
        show(report.occupied.render([answer if isinstance(answer, LaunchError) else (
            answer, held(machine, answer), shares(machine, answer)) for machine, answer in zip(chosen, answers)]))
    context.exit(2 if refusals == len(chosen) else 0)
