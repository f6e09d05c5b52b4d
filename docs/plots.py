"""Pictures of docs/howto/plots.md, from launches of an example on an installed machine. ``python docs/plots.py`` writes them anew."""
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import archdef
from archdef import LaneWindow, TimelineWindow, plot

HERE = Path(__file__).parent / "howto"
MACHINE = "gf100"
SOURCE = """
__global__ void product(float *c, const float *a, const float *b, int n)
{
    __shared__ float x[16][16], y[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        x[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += x[threadIdx.y][k] * y[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""
PATHS = """
__global__ void paths(float *x)
{
    float a = x[threadIdx.x];
    for (int i = 0; i < threadIdx.x % 4; i++)
        a = a * 0.5f + i;
    if (threadIdx.x % 8 < 3)
        a = sqrtf(a);
    x[threadIdx.x] = a;
}
"""


def launch(machine: str = MACHINE, n: int = 192):
    """Multiply two matrices, with blocks recorded."""
    device = archdef.Device(machine)
    a, b = (device.to_device(np.ones((n, n), "f4")) for _ in range(2))
    c = device.empty_like(a)
    kernel = device.compile(SOURCE).product
    return kernel[(n // 16, n // 16), (16, 16)].launch(c, a, b, n, timeline=TimelineWindow("blocks"))


def diverging(machine: str = MACHINE):
    """Let the lanes of a warp go several ways, recorded."""
    device = archdef.Device(machine)
    return device.compile(PATHS).paths[1, 32].launch(device.zeros(32, "f4"), lanes=LaneWindow(cycles=(0, 4000)))


def drawings(run, others):
    """Name → function that draws into axes."""
    return {"cpi": run.plot.cpi, "stalls": run.plot.stalls, "lines": run.plot.lines, "roofline": run.plot.roofline, "bounds": run.plot.bounds,
            "timeline": run.plot.timeline, "lanes": diverging().plot.lanes, "occupancy": lambda ax=None: run.plot.occupancy(ax, over="registers"),
            "compare": lambda ax=None: plot.compare([run, *others], ax)}


def save(draw, path: Path, width: float, height: float) -> None:
    """Draw into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    draw(ax=figure.subplots())
    figure.savefig(path, dpi=100, metadata={"Software": None})


SIZES = {"cpi": 1.7, "stalls": 2.4, "lines": 3.4, "roofline": 3.4, "bounds": 2.6, "timeline": 3.4, "lanes": 2.8, "occupancy": 2.6, "compare": 2.2}
"""Picture → inches that it is high."""


def main(folder: Path, width: float = 6.0) -> None:
    """Draw all."""
    run = launch()
    for name, draw in drawings(run, [launch("gt200"), launch("v100")]).items():
        save(draw, folder / f"plot-{name}.png", width, SIZES[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE, *map(float, sys.argv[2:]))
