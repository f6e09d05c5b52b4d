"""Measure starts and ends of blocks, streams and stores on an H100; PTX is that of ``streams.cu``, by NVRTC for compute_90.

``python measure_streams.py times PTX STREAMS_CSV``   when blocks begin and end, cycles of trips: ``streams.csv``
``python measure_streams.py launches PTX``            launches for Nsight Compute; this is what it runs:
``ncu --csv --page raw --print-units base --clock-control none --cache-control all --metrics LIST --log-file NCU_CSV python … > LOG``
``python measure_streams.py collect LOG NCU_CSV WRITES_CSV``   ``written_back.csv``
``python measure_streams.py metrics``                 print LIST
"""
from __future__ import annotations

import csv
import ctypes as c
import sys
from pathlib import Path

import numpy as np
from archdef.microbench.driver import Gpu
from counted import announce, write_table

MULTIPROCESSORS = 132
LIVES = [(threads, cycles, 8448) for cycles in (0, 3000) for threads in (32, 64, 128, 256, 512, 1024)]
"""Threads of a block, cycles for which it lives, blocks."""
STREAMS = [(kernel, million << 20, blocks) for kernel in ("read_one", "read_two", "update", "combine", "scale", "copy") for million in (1, 2, 4, 8)
           for blocks in (528, 1056)]
"""Kernel, elements, blocks of 256 threads."""
TRIPS = [(what, warps, blocks, 32) for what in range(4) for warps in (1, 4, 8, 16, 32, 64) for blocks in (16, MULTIPROCESSORS)]
"""0: load, 1: load and store in place, 2: load, store elsewhere, 3: store; warps of a multiprocessor, multiprocessors, trips."""
FILLS = [("scale", million << 20, 1056) for million in (4, 6, 8, 12, 16)] + [("copy", million << 20, 1056) for million in (4, 8, 16)]
COUNTERS = {"dram_sectors_read": "dram__sectors_read.sum", "dram_sectors_written": "dram__sectors_write.sum", "cycles": "gpc__cycles_elapsed.max"}
QUANTILES = (0, 0.1, 0.5, 0.9, 1)
COLUMNS = ["what", "size", "blocks", "threads", *(f"{end}_{q:g}" for end in ("start", "end") for q in QUANTILES), "cycles"]


class Card:
    """Arrays of 64 MiB to stream through, and one that takes their place in the caches."""

    def __init__(self, ptx: str):
        self.gpu = Gpu()
        module = self.gpu.assemble(Path(ptx).read_text(encoding="utf-8"))
        self.kernel = {name: self.gpu.function(module, name) for name in ("live", "trips", *{stream[0] for stream in STREAMS})}
        self.arrays = [self.gpu.allocate(64 << 20) for _ in range(3)]
        self.other, self.log = self.gpu.allocate(256 << 20), self.gpu.allocate(1 << 20)
        for array in self.arrays:
            self.gpu("cuMemsetD8_v2", array, c.c_ubyte(0), c.c_size_t(64 << 20))
        self.gpu("cuMemsetD8_v2", self.other, c.c_ubyte(0), c.c_size_t(256 << 20))

    def start(self, name: str, blocks: int, threads: int, *arguments) -> None:
        self.gpu.start(self.kernel[name], blocks, threads, *arguments)
        self.gpu("cuCtxSynchronize")

    def stream(self, kernel: str, n: int, blocks: int) -> None:
        self.start(kernel, blocks, 256, *self.arrays, self.log, c.c_int(n), c.c_float(2))

    def flush(self) -> None:
        """Read other data, written long before."""
        self.start("read_one", 1056, 256, self.other, *self.arrays[1:], self.log, c.c_int(64 << 20), c.c_float(2))

    def row(self, what: str, size: int, blocks: int, threads: int) -> list:
        began, ended, cycles, _ = self.gpu.fetch(self.log, np.empty((blocks, 4), np.uint32)).astype(np.int64).T
        return [what, size, blocks, threads, *(int(np.quantile(times - began.min(), q)) for times in (began, ended) for q in QUANTILES),
                f"{np.median(cycles):.0f}"]


def times(ptx: str, table: str) -> None:
    """Write streams.csv: each launch the third of three, caches emptied before all but those that only live."""
    card = Card(ptx)
    with open(table, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for threads, cycles, blocks in LIVES:
            for _ in range(3):
                card.start("live", blocks, threads, card.log, c.c_uint32(cycles))
            rows.writerow(card.row("live", cycles, blocks, threads))
        for stream in STREAMS:
            for _ in range(3):
                card.flush()
                card.stream(*stream)
            rows.writerow(card.row(*stream, 256))
        for what, warps, multiprocessors, count in TRIPS:
            blocks, threads = (multiprocessors, 32 * warps) if warps <= 32 else (2 * multiprocessors, 16 * warps)
            for _ in range(3):
                card.flush()
                card.start("trips", blocks, threads, *card.arrays[:2], card.log, c.c_int(count), c.c_int(what))
            cycles = card.gpu.fetch(card.log, np.empty(blocks, np.uint32))
            rows.writerow([f"trips {what}", count, blocks, threads, *[""] * (2 * len(QUANTILES)), f"{cycles.mean() / count:.1f}"])


def launches(ptx: str) -> None:
    """Launch what is counted."""
    card = Card(ptx)
    for stream in FILLS:
        card.stream(*stream)
        announce(*stream)


def collect(log: str, counted: str, table: str) -> None:
    """Write written_back.csv."""
    write_table(log, counted, table, ["kernel", "elements", "blocks"], COUNTERS)


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    if command == "metrics":
        print(",".join(COUNTERS.values()))
    else:
        {"times": times, "launches": launches, "collect": collect}[command](*paths)
