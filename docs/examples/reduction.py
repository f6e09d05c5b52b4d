"""A sum, nine times: from neighbours that pair up to a kernel without loops whose block size the compiler knows.

All work in place in global memory, on blocks of 512 threads, one launch each; the host adds the blocks' sums.
"""
import json
from pathlib import Path

from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import NOTHING, count, percent, seconds, three

BLOCK = 512
HARDWARE = json.loads(Path(__file__).with_name("hardware.json").read_text(encoding="utf-8"))["reduction"]
"""What hardware took: machine → ``us``, microseconds for 2^24 integers."""
KERNELS = {"neighbored": 1, "neighbored_less": 1, "interleaved": 1, "unrolled_2": 2, "unrolled_4": 4, "unrolled_8": 8,
           "unrolled_warp_8": 8, "unrolled_completely_8": 8, "unrolled_for_512": 8}
"""Kernel → blocks' worth of elements that each block takes."""


def cases(size, random, architecture):
    """Sum `size` integers."""
    numbers = random.integers(-1000, 1000, size, dtype="i4")
    for kernel, blocks in KERNELS.items():
        sums = numbers.reshape(-1, blocks * BLOCK).sum(axis=1, dtype="i4")
        yield Case(kernel, (sums.size,), (BLOCK,), (Output(sums), Input(numbers)), numbers.nbytes + sums.nbytes)


WORKLOAD = Workload("reduction_family", "sum of integers in global memory", Path(__file__).with_name("reduction.cu"), cases,
                    size=1 << 20, multiple=8 * BLOCK)


def tables(architectures):
    """One table a machine."""
    for architecture in architectures:
        ran, refused = launches(WORKLOAD, architecture)
        first = ran[0].run.cycles if ran else 0
        measured = HARDWARE.get(architecture.name, {}).get("us", {})
        hardware = {kernel: three(measured["neighbored"] / us) for kernel, us in measured.items()}
        rows = [(row.case.kernel, seconds(row.run.elapsed_s), three(first / row.run.cycles), hardware.get(row.case.kernel, NOTHING),
                 three(m["inst_per_warp"]), count(m["divergent_branch"]), percent(m["warp_execution_efficiency"]), percent(m["gld_efficiency"]),
                 three(m["gld_throughput"]), three(m["dram_read_throughput"]), percent(m["stall_sync"]))
                for row in ran for m in (row.run.metrics,)]
        yield Table(f"{architecture.name}: {architecture.vendor} {architecture.title}, {WORKLOAD.size:,} integers",
                    ("kernel", "time", "speedup", "hardware's", "inst/warp", "divergent", "lanes active", "load eff.", "load GB/s", "DRAM GB/s",
                     "at barrier"), rows, refused)


main = command(tables, machines=("g80", "m2070", "h100"))

if __name__ == "__main__":
    main()
