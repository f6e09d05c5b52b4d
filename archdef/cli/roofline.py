"""``archdef roofline``: what machines could do at most, and how much parallelism that takes."""
from __future__ import annotations

from pathlib import Path

import click

from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option
from archdef.cli.output import will_plot
from archdef.options import architectures, machine_options


@click.command("roofline")
@machine_options
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the roofs of all machines (needs archdef[docs]).")
@data_option("archdef.spec.arch.Architecture", only=("ceilings", "parallelism"))
@common_options
def command(names, settings, plot, data, as_json):
    """Read a machine's ceilings off its description: arithmetic, shared memory, L2, DRAM; and Little's law.

    Latency times throughput is what must be in flight to reach a rate: the second table gives it in warps.
    """
    will_plot(plot)
    machines = architectures(names, settings)
    if plot is not None:
        report.roofs.draw(machines, plot)
    data.of(*machines)
    if as_json:
        emit([report.roofs.to_dict(machine) for machine in machines])
    else:
        show(report.roofs.render(machines))
