"""``archdef roofline``: what machines could do at most, and how much parallelism that takes."""
from __future__ import annotations

from pathlib import Path

import click

from archdef.cli.common import arch_option, architectures, emit, json_option, set_option, show, will_plot


@click.command("roofline")
@arch_option
@set_option
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the roofs of all machines (needs archdef[docs]).")
@json_option
def command(names, settings, plot, as_json):
    """Read a machine's ceilings off its description: arithmetic, shared memory, L2, DRAM; and Little's law.

    Latency times throughput is what must be in flight to reach a rate: the second table gives it in warps.
    """
    import attrs

    from archdef.bounds import ceilings, needed

    will_plot(plot)
    machines = architectures(names, settings)
    if plot is not None:
        from archdef.report.roofs import draw

        draw(machines, plot)
    if as_json:
        emit([{"architecture": machine.label, "ceilings": [attrs.asdict(c) for c in ceilings(machine)],
               "needed": [attrs.asdict(n) for n in needed(machine)]} for machine in machines])
    else:
        from archdef.report.roofs import render

        show(render(machines))
