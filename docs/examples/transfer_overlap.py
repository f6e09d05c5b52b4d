"""Copy in, compute, copy out: in one stream, and cut into parts of a stream each, issued depth first and breadth first.

Depth first issues all three steps of a part before the next part; breadth first issues one step of all parts before the next step.
With one copy engine and one work queue the order decides whether anything overlaps; with an engine for each direction it does not.
"""
from pathlib import Path

import click
import numpy as np

from archdef import Device
from archdef.options import arch_option, architectures, set_option
from archdef.host import Host
from archdef.host.link import link_of

SOURCE = Path(__file__).with_name("transfer_overlap.cu")
N, STEPS, PARTS, BLOCK = 1 << 18, 64, 4, 256
ORDERS = ("one stream", "depth first", "breadth first")
MACHINES = ("g80", "gt200", "m2070", "k40", "h100")
SHOWN = ("gt200", "m2070")


def overlap(architecture, order: str, parts: int = PARTS):
    """Run one order on a fresh machine and host; give the timeline. Raises RuntimeError if the answer is not numpy's."""
    device = Device(architecture, host=Host())
    kernel = device.compile(SOURCE).relax
    data = np.random.default_rng(1).random(N, dtype="f4")
    source, result = device.pinned(data), device.pinned((N,))
    parts = 1 if order == "one stream" else parts
    size = N // parts
    streams, arrays = [device.stream() for _ in range(parts)], [device.empty((size,)) for _ in range(parts)]

    def copy_in(part):
        arrays[part].copy_from(source[part * size:(part + 1) * size], streams[part])

    def compute(part):
        kernel[size // BLOCK, BLOCK, 0, streams[part]](arrays[part], STEPS, size)

    def copy_out(part):
        arrays[part].copy_to(result[part * size:(part + 1) * size], streams[part])

    steps = (copy_in, compute, copy_out)
    breadth, depth = [(s, p) for s in steps for p in range(parts)], [(s, p) for p in range(parts) for s in steps]
    calls = breadth if order == "breadth first" else depth
    for step, part in calls:
        step(part)
    device.synchronize()
    expected = data.copy()
    for _ in range(STEPS):
        expected = np.float32(0.96) * expected + np.float32(0.04)
    if not np.allclose(result, expected, rtol=1e-5):
        raise RuntimeError(f"{order} on {architecture.label} is not what numpy computes")
    return device.host.timeline()


@click.command()
@arch_option
@set_option
@click.option("--trace", type=click.Path(dir_okay=False), help="Also write the last timeline as a Chrome trace.")
def main(names, settings, trace):
    """Print how long each order takes, and the timelines of two machines."""
    chosen = architectures(names or MACHINES, settings)
    click.echo(f"{'time in us':12}{'copy engines':>14}{'work queues':>13}{'one stream':>13}{'depth first':>13}{'breadth first':>15}")
    lines = {}
    for architecture in chosen:
        found = {order: overlap(architecture, order) for order in ORDERS}
        lines |= {(architecture.name, order): line for order, line in found.items()}
        link, times = link_of(architecture), [found[order].makespan_us for order in ORDERS]
        click.echo(f"{architecture.name:12}{link.copy_engines:>14}{link.work_queues:>13}"
                   f"{times[0]:>13.1f}{times[1]:>13.1f}{times[2]:>15.1f}")
    for name in [a.name for a in chosen if a.name in SHOWN or len(chosen) == 1]:
        for order in ORDERS[1:]:
            click.echo(f"\n{name}, {order}\n{lines[name, order]}")
    if trace:
        lines[chosen[-1].name, ORDERS[-1]].save(trace)


if __name__ == "__main__":
    main()
