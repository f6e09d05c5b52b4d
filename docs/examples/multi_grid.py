"""One kernel on several devices at once, whose grids take turns at being slow: with and without waiting for each other in each turn.

The machines named are the devices of one host, in that order: one launch starts a grid on each (``cudaLaunchCooperativeKernelMultiDevice``).
"""
from pathlib import Path

import numpy as np

from archdef import Device
from archdef.examples.command import Table, WrongAnswer, command
from archdef.host import Host
from archdef.formatting import count, percent, seconds
from archdef.runtime import cuda

SOURCE = Path(__file__).with_name("multi_grid.cu")
BLOCKS, THREADS, STEPS, TURNS = 4, 128, 400, 12


def launched_together(architectures, wait):
    """Launch on all of them; give the runs, and when each grid ended on the host's clock, in seconds."""
    host = Host()
    devices = cuda.use(*(Device(architecture, host=host) for architecture in architectures))
    kernel, launches, arrays = devices[0].compile(SOURCE, target="compute_60").turns, [], []
    try:
        for number in range(len(devices)):
            cuda.cudaSetDevice(number)
            arrays.append(cuda.cudaMalloc(4 * BLOCKS * THREADS))
            cuda.cudaMemset(arrays[-1], 0)
            launches.append((kernel, BLOCKS, THREADS, (arrays[-1], STEPS, TURNS, wait), 0, cuda.cudaStreamCreate()))
        runs = [launched.result() for launched in cuda.cudaLaunchCooperativeKernelMultiDevice(launches)]
        for architecture, array in zip(architectures, arrays, strict=True):
            found = np.zeros(BLOCKS * THREADS, "f4")
            cuda.cudaMemcpy(found, array)
            if not np.allclose(found, 2):
                raise WrongAnswer(f"turns on {architecture.label} is wrong")
    finally:
        cuda.use()
    kernels = [span for span in host.timeline().spans if span.kind == "kernel"]
    return runs, [span.end / 1e15 for span in sorted(kernels, key=lambda span: [d.context.label for d in devices].index(span.place))]


def tables(architectures):
    """One table, of all machines together."""
    rows = []
    for wait in (False, True):
        runs, ends = launched_together(architectures, wait)
        for run, end in zip(runs, ends, strict=True):
            stalls = run.counters.stalls
            rows.append((f"{run.architecture.name}, {'waiting' if wait else 'alone'}", count(run.cycles), seconds(run.elapsed_s), seconds(end),
                         percent(100 * stalls["barrier"] / sum(stalls.values()))))
    yield Table(f"{TURNS} turns on {len(architectures)} devices, one of them slow in each",
                ("device", "cycles", "grid's time", "end", "at the barrier"), rows)


main = command(tables, machines=("p2000", "v100"))

if __name__ == "__main__":
    main()
