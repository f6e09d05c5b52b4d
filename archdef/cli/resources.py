"""``archdef resources``: registers, stack, spills, shared memory and constant banks of the kernels in a file."""
from __future__ import annotations

import click

from archdef.cli.common import arch_option, architectures, compiler_options, emit, json_option, set_option, show


@click.command("resources")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@arch_option
@compiler_options
@set_option
@json_option
@click.pass_context
def command(context, file, names, options, settings, as_json):
    """List what each kernel of FILE (.cu or .ptx) takes, as 'ptxas -v' does.

    Registers are counted by liveness, or by ptxas for the target nearest to the machine (--registers ptxas). A kernel that a
    machine refuses says why; exit code 2 if there is no other.
    """
    from archdef.device import Device
    from archdef.errors import ArchdefError

    answers = []
    for architecture in architectures(names, settings):
        module = Device(architecture).compile(file, options)
        for symbol in module.kernels:
            kernel = module[symbol]
            try:
                answers.append(kernel.resources)
            except ArchdefError as error:
                answers.append((kernel.name, architecture.label, error))
    if as_json:
        emit([{"kernel": a[0], "architecture": a[1], "refused": str(a[2])} if isinstance(a, tuple) else a.to_dict()
              for a in answers])
    else:
        from archdef.report.resources import render

        show(render(answers))
    context.exit(2 if answers and all(isinstance(a, tuple) for a in answers) else 0)
