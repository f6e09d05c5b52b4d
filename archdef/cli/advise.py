"""``archdef advise``: what to change in kernels, and what that would gain."""
from __future__ import annotations

import click

import archdef
from archdef.cli.common import common_options, emit, show, task
from archdef.cli.data import data_option
from archdef.cli.completing import WORKLOAD_KERNEL, Workload
from archdef.options import architectures, machine_options


@click.command("advise")
@click.argument("workload", required=False, type=Workload())
@machine_options
@click.option("--size", "-n", type=int, help="Problem size; each workload has its own default.")
@click.option("--kernel", "-k", "kernels", multiple=True, type=WORKLOAD_KERNEL, help="A kernel to look at; may be repeated. All if left out.")
@click.option("--rule", "-r", "rules", multiple=True, help="A rule of --list to ask; may be repeated. All if left out.")
@click.option("--least", type=click.FloatRange(min=1), default=1.05, show_default=True, help="Leave out what makes a kernel less than so many times as fast.")
@click.option("--list", "listed", is_flag=True, help="List the rules, and run nothing.")
@data_option("archdef.advice.finding.Advices")
@common_options
def command(workload, names, size, kernels, rules, least, listed, data, settings, as_json):
    """Say what to change in the kernels of WORKLOAD, at which line, and what that would gain.

    Each kernel runs once as it is. What a rule finds there is then supposed to be different, an access in order, a bank map, more registers, and the kernel
    runs again: the gain is that of the two. WORKLOAD is as for 'archdef compare'.

    \b
    archdef advise transpose -k naive -a NAME
    """
    if listed:
        data.refuse()
        if as_json:
            emit([{"name": known.rule.name, "about": known.rule.about} for known in archdef.advice.known_rules().values()])
        else:
            show(archdef.advice.listing())
        return
    if workload is None:
        raise click.UsageError("Missing argument 'WORKLOAD'.")
    found = []
    with task(f"advise {workload}") as bar:
        for architecture in architectures(names, settings):
            found.append(archdef.advice.advise(workload, architecture, kernels, size=size, rules=rules, least_gain=least, said=bar.counted))
    data.of(*found)
    if as_json:
        emit([each.to_dict() for each in found])
        return
    for each in found:
        show(each)
