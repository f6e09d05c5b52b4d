"""``archdef lower``: the micro-ops that a machine issues for the kernels in a file, and which pass made them so."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.compiler import compiler_options
from archdef.cli.completing import KERNEL
from archdef.cli.data import data_option
from archdef.options import architectures, machine_options


@click.command("lower")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--kernel", "-k", "kernels", multiple=True, metavar="NAME", type=KERNEL, help="Kernel of the file; may be repeated. All of them if left out.")
@click.option("--passes", is_flag=True, help="Print what each pass did instead: whether it ran, micro-ops before and after, those that it changed.")
@machine_options
@compiler_options
@data_option("archdef.report.lowered.Lowered")
@common_options
@click.pass_context
def command(context, file, kernels, passes, names, options, data, settings, as_json):
    """Print what each kernel of FILE (.cu or .ptx) becomes on a machine: its micro-ops, one a line, with their PTX line and their cost.

    A kernel that a machine refuses says why; exit code 2 if there is no other.
    """
    answers = [answer for machine in architectures(names, settings)
               for answer in report.lowered.lowered(archdef.Device(machine).compile(file, options), kernels)]
    data.of(*answers)
    if as_json:
        emit([answer.to_dict(passes) for answer in answers])
    elif passes:
        show(report.lowered.render_passes(answers))
    else:
        show(report.lowered.render_program(answers))
    context.exit(2 if answers and all(answer.program is None for answer in answers) else 0)
