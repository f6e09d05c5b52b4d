"""Guidelines for launches, each shown by a sweep: threads per block that fill warps, enough of them, and many more blocks than SMs.

The first sweep changes the size of the block while the work stays the same, the second the number of blocks of one size.
"""
from pathlib import Path

import attrs
import numpy as np

from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import count, limiter, percent, seconds, three

SOURCE = Path(__file__).with_name("occupancy.cu")
SIZES = (16, 32, 48, 64, 96, 100, 128, 192, 256, 384, 512, 1024)
"""Threads per block."""
BLOCK = 256
WAVES = (0.25, 0.5, 1, 1.25, 2, 2.25, 4, 4.25, 8, 8.25)
"""Blocks of a grid, in multiples of what the machine holds at once."""


def sizes(size, random, architecture):
    """Add two vectors of `size` floats with blocks of every size."""
    a, b = random.random(size, dtype="f4"), random.random(size, dtype="f4")
    for threads in SIZES:
        if threads <= architecture.limits.threads_per_block:
            yield Case("stream", (-(-size // threads),), (threads,), (Output(a + b), Input(a), Input(b), size), 3 * a.nbytes)


def scramble(numbers):
    """Do what ``compute`` does."""
    x = numbers.copy()
    for k in range(64):
        x = (x << np.uint32(5) ^ x) + np.uint32(k)
    return x


def grids(size, random, architecture, waves=WAVES):
    """Compute on grids of blocks of BLOCK threads; `size` blocks fit on a multiprocessor at once."""
    for wave in waves:
        blocks = max(1, round(wave * size * architecture.chip.multiprocessors))
        numbers = random.integers(0, 1 << 32, blocks * BLOCK, dtype="u4")
        yield Case("compute", (blocks,), (BLOCK,), (Output(scramble(numbers)), Input(numbers), numbers.size), 2 * numbers.nbytes)


BLOCK_SIZES = Workload("block_sizes", "vector addition with blocks of every size", SOURCE, sizes, size=1 << 17)
GRID_SIZES = Workload("grid_sizes", "computation on grids of every size", SOURCE, grids, size=1, size_means="resident blocks")


def resident_blocks(architecture) -> int:
    """Give the blocks of ``compute`` that fit on one multiprocessor."""
    one = attrs.evolve(GRID_SIZES, cases=lambda *given: grids(*given, waves=(0.25,)))
    return launches(one, architecture)[0][0].run.occupancy.active_blocks


def tables(architectures):
    """Two tables a machine."""
    for architecture in architectures:
        ran, refused = launches(BLOCK_SIZES, architecture)
        rows = [(row.case.block[0], row.run.occupancy.active_blocks, limiter(row.run.occupancy), percent(m["lane_utilization"]),
                 percent(100 * m["theoretical_occupancy"]), percent(100 * m["achieved_occupancy"]), seconds(row.run.elapsed_s),
                 three(row.bandwidth)) for row in ran for m in (row.run.metrics,)]
        yield Table(f"{architecture.name}: {BLOCK_SIZES.size:,} elements, {architecture.chip.multiprocessors} multiprocessors",
                    ("threads/block", "blocks/SM", "limit", "lanes with threads", "occupancy", "achieved", "time", "GB/s"), rows, refused)
        resident = resident_blocks(architecture)
        ran, refused = launches(GRID_SIZES, architecture, resident)
        rate = {row.case.grid[0]: row.case.grid[0] / row.run.elapsed_s for row in ran}
        rows = [(count(row.case.grid[0]), three(row.case.grid[0] / (resident * architecture.chip.multiprocessors)),
                 percent(row.run.metrics["sm_efficiency"]), percent(100 * row.run.metrics["achieved_occupancy"]),
                 seconds(row.run.elapsed_s), percent(100 * rate[row.case.grid[0]] / max(rate.values()))) for row in ran]
        yield Table(f"{architecture.name}: blocks of {BLOCK} threads that compute, {resident} at once on each multiprocessor",
                    ("blocks", "waves", "SMs busy", "achieved", "time", "of best rate"), rows, refused)


main = command(tables, machines=("g80", "gf100", "k40"))

if __name__ == "__main__":
    main()
