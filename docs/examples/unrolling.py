"""A loop that adds up 64 numbers a thread, unrolled 1, 2, 4 and 8 times: instructions saved, and loads on their way together.

Two blocks of 128 threads on every multiprocessor: few enough that a warp's own loads have to hide their latency.
"""
import json
from pathlib import Path

from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import NOTHING, count, percent, seconds, three

BLOCK = 128
HARDWARE = json.loads(Path(__file__).with_name("hardware.json").read_text(encoding="utf-8"))["unrolling"]
"""What hardware took: machine → ``us``, microseconds for 1024 elements a thread."""


def cases(size, random, architecture):
    """Add up `size` integers a thread."""
    blocks = 2 * architecture.chip.multiprocessors
    numbers = random.integers(-1000, 1000, (size, blocks * BLOCK), dtype="i4")
    sums = numbers.sum(axis=0, dtype="i4")
    for kernel in ("by_1", "by_2", "by_4", "by_8"):
        yield Case(kernel, (blocks,), (BLOCK,), (Output(sums), Input(numbers), size, sums.size), numbers.nbytes + sums.nbytes)


WORKLOAD = Workload("unrolling", "loop unrolling", Path(__file__).with_name("unrolling.cu"), cases, size=64, multiple=8,
                    size_means="elements of a thread")


def tables(architectures):
    """One table a machine."""
    for architecture in architectures:
        ran, refused = launches(WORKLOAD, architecture)
        measured = HARDWARE.get(architecture.name, {}).get("us", {})
        hardware = {kernel: three(measured["by_1"] / us) for kernel, us in measured.items()}
        first = ran[0].run.cycles if ran else 0
        rows = [(row.case.kernel, seconds(row.run.elapsed_s), three(first / row.run.cycles), hardware.get(row.case.kernel, NOTHING),
                 three(m["inst_per_warp"]), count(m["branch"] / row.run.counters.warps),
                 row.run.registers, three(m["ipc"]), three(m["gld_requested_throughput"]), percent(m["stall_memory_dependency"]),
                 percent(m["stall_memory_throttle"]))
                for row in ran for m in (row.run.metrics,)]
        yield Table(f"{architecture.name}: {architecture.vendor} {architecture.title}, {WORKLOAD.size} elements a thread",
                    ("kernel", "time", "speedup", "hardware's", "inst/warp", "branches/warp", "registers", "IPC", "load GB/s", "waits for loads",
                     "waits for queues"), rows, refused)


main = command(tables, machines=("g80", "gf100", "h100"))

if __name__ == "__main__":
    main()
