"""Figures of the explanation pages, from what archdef itself computes. Each function gives what is plotted; `draw` plots it."""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

import archdef
from archdef import registry
from archdef.errors import LaunchError

SHOWN = ("g80", "gt200", "gf100", "v100", "h100", "c500")
"""Architectures that figures compare, as far as they are installed."""


class Plot(NamedTuple):
    """Lines over one axis."""

    x_label: str
    y_label: str
    x: list
    lines: dict[str, list]
    log_x: bool = False


def _shown():
    return [registry.get(name) for name in SHOWN if name in registry.names()]


def coalescing() -> Plot:
    """Bytes moved per byte asked for, by the stride of a warp's 4-byte words."""
    strides = list(range(1, 33))
    lines = {}
    for machine in _shown():
        lanes = machine.warp.size
        rule = machine.coalescing.load_uncached
        lines[machine.name] = [sum(t.bytes for t in rule.transactions([4 * stride * lane for lane in range(lanes)], 4)) / (4 * lanes) for stride in strides]
    return Plot("stride, words", "bytes moved per byte asked for", strides, lines)


def bank_conflicts() -> Plot:
    """Passes of one access to shared memory, by the stride of a warp's words, over those without a conflict."""
    strides = list(range(1, 65))
    lines = {}
    for machine in _shown():
        lanes = machine.warp.size
        addresses = {stride: np.arange(lanes) * 4 * stride for stride in strides}
        lines[machine.name] = [machine.shared.passes(a) / machine.shared.groups(a) for a in addresses.values()]
    return Plot("stride, words", "passes per pass without conflicts", strides, lines)


def partition_camping() -> Plot:
    """Partitions that hold a column of a matrix of floats, by the length of its rows."""
    from archdef.spec import Interleaved, XorHash

    widths = list(range(448, 577, 2))
    dram = registry.get("gt200").dram
    maps = {"gt200, in turn": Interleaved(), "gt200, hashed": XorHash()}
    lines = {name: [len({rule.partition(4 * width * row, dram.interleave_bytes, dram.partitions) for row in range(64)}) for width in widths]
             for name, rule in maps.items()}
    return Plot("row length, floats", f"partitions of {dram.partitions} that 64 rows of a column touch", widths, lines)


PATHS = """
__global__ void paths(float *x, int ways)
{
    float a = x[threadIdx.x];
    int mine = threadIdx.x % ways;
    for (int way = 0; way < ways; way++)
        if (way == mine)
            for (int i = 0; i < 64; i++)
                a = a * 0.5f + way;
    x[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
"""


def divergence() -> Plot:
    """Time of a warp whose lanes go so many ways, over that of one that stays together."""
    ways, lines = [1, 2, 4, 8, 16, 32], {}
    for machine in _shown():
        device = archdef.Device(machine.evolve({"chip.multiprocessors": 2}))
        kernel = device.compile(PATHS).paths
        array = device.zeros(4 * 256, "f4")
        cycles = [kernel[4, 256](array, n).cycles for n in ways]
        lines[machine.name] = [c / cycles[0] for c in cycles]
    return Plot("ways that the lanes of a warp go", "time over that of one way", ways, lines, log_x=True)


def occupancy() -> Plot:
    """Share of a multiprocessor's warps that are resident, by registers per thread, in blocks of 256 threads."""
    registers = list(range(8, 65, 2))

    def percent(machine, count):
        try:
            return archdef.occupancy(machine, threads=256, registers=count).occupancy * 100
        except LaunchError:         # not even one block fits
            return 0.0
    lines = {m.name: [percent(m, r) for r in registers] for m in _shown()}
    return Plot("registers per thread", "occupancy, %", registers, lines)


FIGURES = (coalescing, bank_conflicts, partition_camping, divergence, occupancy)


def draw(figure, path: Path) -> None:
    """Plot a figure into an SVG file."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot

    plot = figure()
    made, axes = pyplot.subplots(figsize=(7.5, 3.6), layout="constrained")
    for (name, values), style in zip(plot.lines.items(), ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))):
        axes.plot(plot.x, values, linestyle=style, label=name, linewidth=1.6)
    if plot.log_x:
        axes.set_xscale("log", base=2)
        axes.set_xticks(plot.x, [str(x) for x in plot.x])
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, ncols=3, fontsize=8)
    made.savefig(path, metadata={"Date": None})
    pyplot.close(made)
