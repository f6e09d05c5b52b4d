"""Cooperative groups from CUDA's own header: sums of blocks, of tiles and of the grid, and one atomic operation for many threads.

The last launch of each machine asks for one block more than can be resident, which a grid that synchronises must not.
"""
from pathlib import Path

import attrs
import numpy as np

from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import count, seconds, three

BLOCK = 256
LANES = 32
"""The header counts on warps of 32 lanes."""
HERE = Path(__file__).parent


def cases(size, random, architecture):
    """Sum and count `size` integers."""
    if architecture.warp.size != LANES:
        return
    numbers = random.integers(0, 1000, size, dtype="i4")
    grid, block = (size // BLOCK,), (BLOCK,)
    for kernel, group in (("block_sum", BLOCK), ("tile_sum", 16), ("tile_sum_shuffled", 16)):
        sums = Output(numbers.reshape(-1, group).sum(axis=1, dtype="i4"))
        yield Case(kernel, grid, block, (sums, Input(numbers)), numbers.nbytes + sums.expected.nbytes)
    found = numbers % 3 == 0
    for kernel in ("count_each", "count_aggregated"):
        total, places = Output(np.array([found.sum()], "i4")), Output(found.astype("i4"))
        yield Case(kernel, grid, block, (total, Input(numbers), places), 2 * numbers.nbytes)
    total = Output(np.array([numbers.sum()], "i4"))
    blocks = architecture.chip.multiprocessors
    yield Case("grid_sum", (blocks,), block, (total, Input(np.zeros(blocks, "i4")), Input(numbers), size), numbers.nbytes, cooperative=True)


WORKLOAD = Workload("cooperative_groups", "sums and counts by groups of threads", HERE / "cooperative_groups.cu", cases, size=1 << 14,
                    multiple=BLOCK, options={"target": "compute_60"})
"""The header leaves grids out for targets before 6.0; PTX for 6.0 runs wherever the features that a kernel uses are declared."""


def coalesced_groups(numbers) -> int:
    """Count the warps that hold a multiple of three: the groups that come to ``take_place``."""
    return int((numbers.reshape(-1, LANES) % 3 == 0).any(axis=1).sum())


def thread_atomics(run) -> int:
    """Count atomic operations by threads: the warps' requests times the lanes that take part."""
    return run.counters.atomic_operations


def one_block_too_many(architecture, resident: int):
    """Give the workload with ``grid_sum`` on one block more than can be resident."""
    blocks = resident * architecture.chip.multiprocessors + 1

    def larger(*given):
        return (attrs.evolve(case, grid=(blocks,)) for case in cases(*given) if case.kernel == "grid_sum")
    return attrs.evolve(WORKLOAD, cases=larger)


def tables(architectures):
    """One table a machine."""
    for architecture in architectures:
        title = f"{architecture.name}: {architecture.vendor} {architecture.title}, {WORKLOAD.size:,} integers"
        if architecture.warp.size != LANES:
            yield Table(title, ("",), (), [f"CUDA's header counts on warps of {LANES} lanes; this machine has {architecture.warp.size}"])
            continue
        ran, refused = launches(WORKLOAD, architecture)
        numbers = next((a.array for row in ran for a in row.case.arguments if isinstance(a, Input)), None)
        rows = [(row.case.kernel, seconds(row.run.elapsed_s), three(m["inst_per_warp"]), count(row.run.counters.barriers),
                 count(m["shared_load_transactions"] + m["shared_store_transactions"]), count(m["global_atomic_requests"]),
                 count(thread_atomics(row.run)))
                for row in ran for m in (row.run.metrics,)]
        for row in ran:
            if row.case.kernel == "count_aggregated":
                refused.append(f"warps that hold a multiple of three: {coalesced_groups(numbers):,}")
            elif row.case.kernel == "grid_sum":
                refused += launches(one_block_too_many(architecture, row.run.occupancy.active_blocks), architecture)[1]
        yield Table(title, ("kernel", "time", "inst/warp", "barriers", "shared passes", "atomics: by warps", "by threads"), rows, refused)


main = command(tables, machines=("gf100", "p2000", "h100"))

if __name__ == "__main__":
    main()
