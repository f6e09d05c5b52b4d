"""A stencil whose taps lie in constant memory, filled by the host before the launch, or in global memory; all lanes ask for one, or each for its own.

Four blocks of 256 threads on every multiprocessor; the tile of inputs lies in shared memory.
"""
from pathlib import Path

import numpy as np

from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import percent, seconds, three

TAPS, BLOCK = 17, 256


def cases(size, random, architecture):
    """Convolve `size` blocks a multiprocessor."""
    blocks = size * architecture.chip.multiprocessors
    data, taps = random.random(blocks * BLOCK + TAPS - 1, "f4"), random.random(TAPS, "f4")
    sums = np.convolve(data.astype("f8"), taps[::-1].astype("f8"), "valid").astype("f4")
    for kernel in ("constant_same", "global_same", "constant_apart", "global_apart"):
        yield Case(kernel, (blocks,), (BLOCK,), (Output(sums, 1e-5), Input(data), Input(taps)), data.nbytes + sums.nbytes,
                   symbols={"taps": taps})


WORKLOAD = Workload("constant_memory", "a stencil with its taps in constant memory", Path(__file__).with_name("constant_memory.cu"), cases,
                    size=4, size_means="blocks of a multiprocessor")


def tables(architectures):
    """One table a machine."""
    for architecture in architectures:
        ran, refused = launches(WORKLOAD, architecture)
        cycles = {row.case.kernel: row.run.cycles for row in ran}
        rows = [(row.case.kernel, seconds(row.run.elapsed_s), three(cycles.get("global_same", row.run.cycles) / row.run.cycles),
                 three(m["inst_per_warp"]), three(m["gld_transactions"] / row.run.counters.warps), three(m["constant_passes_per_request"]),
                 percent(m["stall_constant_memory_dependency"]), percent(m["stall_memory_dependency"]))
                for row in ran for m in (row.run.metrics,)]
        yield Table(f"{architecture.name}: {architecture.vendor} {architecture.title}, {TAPS} taps",
                    ("kernel", "time", "speedup", "inst/warp", "transactions/warp", "words/constant load", "waits for constants",
                     "waits for loads"), rows, refused)


main = command(tables, machines=("g80", "gf100", "k40", "h100"))

if __name__ == "__main__":
    main()
