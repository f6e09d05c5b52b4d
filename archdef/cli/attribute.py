"""``archdef attribute``: where the speed-up of one architecture over another comes from."""
from __future__ import annotations

import os

import click

import archdef
from archdef.cli.common import common_options, emit, show, task
from archdef.cli.completing import WORKLOAD_KERNEL, Workload
from archdef.cli.data import data_option
from archdef.options import architectures, machine_options


def _names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


@click.command("attribute")
@click.argument("workload", required=False, type=Workload())
@machine_options
@click.option("--size", "-n", type=int, help="Problem size; each workload has its own default.")
@click.option("--kernel", "-k", type=WORKLOAD_KERNEL, help="Which kernel; may be left out if there is but one.")
@click.option("--groups", callback=_names, metavar="NAME[,NAME…]",
              help="Tell only these groups of rules apart: names of --list or paths, with + to join some, such as caches+coalescing,dram,caches.l1.")
@click.option("--orders", type=click.IntRange(min=2), default=8, show_default=True, help="Orders in which groups move, drawn in pairs with their reverse.")
@click.option("--runs", type=click.IntRange(min=1), default=256, show_default=True, help="Most machines to run it on; fewer orders are drawn for it.")
@click.option("--seed", type=int, default=2009, show_default=True, help="By which orders are drawn.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="one per processor", help="Processes to run in.")
@click.option("--list", "listed", is_flag=True, help="List the groups of rules, and run nothing.")
@data_option("archdef.attribution.result.Attribution")
@common_options
def command(workload, names, size, kernel, groups, orders, runs, seed, jobs, listed, data, settings, as_json):
    """Say by which of their rules two architectures take different times for WORKLOAD: a factor for each group of rules.

    From the first --arch to the second, a group of declared rules moves at a time, in several orders, and the kernel runs on every machine between
    the two. The factors multiply to the whole speed-up. WORKLOAD is as for 'archdef compare'; wrong results are an error.

    \b
    archdef attribute transpose -k naive -a NAME -a OTHER
    """
    if listed:
        data.refuse()
        if as_json:
            emit([{"name": name, "about": about, "paths": archdef.attribution.RULES.get(name, ())} for name, about in archdef.attribution.MEANINGS.items()])
        else:
            show(archdef.attribution.table.listing())
        return
    if workload is None:
        raise click.UsageError("Missing argument 'WORKLOAD'.")
    if len(names) != 2:
        raise click.UsageError(f"two architectures must be given, from the one to the other; {len(names)} given")
    first, second = architectures(names, settings)
    with task(f"attribute {workload}") as bar:
        found = archdef.attribute(workload, first, second, kernel=kernel, size=size, groups=groups, orders=orders, runs=runs, seed=seed, jobs=jobs,
                                  said=bar.counted)
    data.of(found)
    if as_json:
        emit(found.to_dict())
    else:
        show(archdef.attribution.table.render(found))

