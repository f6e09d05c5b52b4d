"""``archdef resources``: registers, stack, spills, shared memory and constant banks of the kernels in a file."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.compiler import compiler_options
from archdef.cli.data import data_option
from archdef.errors import ArchdefError
from archdef.options import architectures, machine_options


@click.command("resources")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@machine_options
@compiler_options
@data_option("archdef.run.resources.Resources")
@common_options
@click.pass_context
def command(context, file, names, options, data, settings, as_json):
    """List what each kernel of FILE (.cu or .ptx) takes, as 'ptxas -v' does.

    Registers are counted by liveness, or by ptxas for the target nearest to the machine (--registers ptxas). A kernel that a
    machine refuses says why; exit code 2 if there is no other.
    """
    answers = []
    for architecture in architectures(names, settings):
        module = archdef.Device(architecture).compile(file, options)
        for symbol in module.kernels:
            kernel = module[symbol]
            try:
                answers.append(kernel.resources)
            except ArchdefError as error:
                answers.append((kernel.name, architecture.label, error))
    data.of(*(answer for answer in answers if not isinstance(answer, tuple)))
    if as_json:
        emit([{"kernel": a[0], "architecture": a[1], "refused": str(a[2])} if isinstance(a, tuple) else a.to_dict()
              for a in answers])
    else:
        show(report.resources.render(answers))
    context.exit(2 if answers and all(isinstance(a, tuple) for a in answers) else 0)
