"""Measure device memory under load on an H100; PTX is that of ``memory_load.cu``, by NVRTC for compute_90.

``python measure_memory_load.py loads PTX LOADS_CSV``   rates of streams, and latencies of single loads beside them: ``memory_load.csv``
``python measure_memory_load.py times PTX TIMES_CSV``   latencies of loads at random, and how they repeat: ``refresh.csv``
``python measure_memory_load.py touch PTX``             launches for Nsight Compute; this is what it runs:
``ncu --csv --page raw --print-units base --clock-control none --cache-control all --metrics LIST --log-file NCU_CSV python … > LOG``
``python measure_memory_load.py collect LOG NCU_CSV SLICES_CSV``   ``slices.csv``
``python measure_memory_load.py metrics``               print LIST
"""
from __future__ import annotations

import csv
import ctypes as c
import sys
from pathlib import Path

import numpy as np
from archdef.microbench.driver import Gpu
from counted import announce, write_table

MULTIPROCESSORS, LINE = 132, 128
WARPS = (1, 2, 4, 8, 12, 16, 24, 31, 32, 48, 64)
"""That stream, of each multiprocessor; the 32nd of a block is the one that times."""
PIECES = [(warps, shift) for warps in (8, 16, 32, 64) for shift in range(8)]
PROBES, PERCENTILES, BIN_CYCLES = 128, (5, 25, 50, 75, 90, 95, 99), 20
PERIODS_CYCLES = np.arange(1500.0, 9000.0)
SLOW_CYCLES = 840, 1500
"""Loads that waited for more than their way, and those that waited for something else."""
PLAN = [(lines, 20, 0) for lines in (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144)] + [
    (16384, low, 1) for low in range(11)] + [(16384, 0, skip) for skip in range(2, 7)] + [(16384, low, 5) for low in range(1, 6)]
COLUMNS = {f"{what}_sectors_{how}": f"{counter}.{how}" for what, counter in (("dram", "dram__sectors_read"), ("l2", "lts__t_sectors_srcunit_tex"))
           for how in ("sum", "avg", "min", "max")}


class Memory:
    """Two GiB to stream through and one behind, all zero."""

    def __init__(self, ptx: str):
        self.gpu = Gpu()
        module = self.gpu.assemble(Path(ptx).read_text(encoding="utf-8"))
        self.loads, self.times, self.touch = (self.gpu.function(module, name) for name in ("loads", "times", "touch"))
        self.memory, self.out, self.samples = (self.gpu.allocate(n) for n in (3 << 30, 4096, 1 << 22))
        self.clear(self.memory, 3 << 30)
        self.events = self.gpu.event(), self.gpu.event()

    def clear(self, what, nbytes: int) -> None:
        self.gpu("cuMemsetD8_v2", what, c.c_ubyte(0), c.c_size_t(nbytes))
        self.gpu("cuCtxSynchronize")

    def rate(self, warps: int, *, shift: int = 0, random: bool = False, probes: int = 0) -> tuple[float, np.ndarray]:
        """GB/s of streams, from two launches, of which the longer has three times as many trips; cycles of the loads beside the longer one."""
        trip = MULTIPROCESSORS * warps * 4 * LINE
        trips = [max(1, 300_000_000 // trip) * k for k in (1, 3)]
        blocks, threads = (MULTIPROCESSORS, 32 * (warps + (probes > 0))) if warps <= 32 else (2 * MULTIPROCESSORS, 16 * warps)
        found = []
        for _ in range(4):
            seconds = []
            for n in trips:
                self.gpu.record(self.events[0])
                self.gpu.start(self.loads, blocks, threads, self.memory, *map(c.c_uint32, (24, shift, random)), c.c_int(n), self.out, c.c_int(probes),
                               self.samples, c.c_uint32(22))
                self.gpu.record(self.events[1])
                seconds.append(self.gpu.seconds(*self.events))
            found.append((trips[1] - trips[0]) * trip / (seconds[1] - seconds[0]) / 1e9)
        return float(np.median(found)), self.gpu.fetch(self.samples, np.empty(MULTIPROCESSORS * probes, np.uint32))


def loads(ptx: str, table: str) -> None:
    """Write memory_load.csv."""
    memory = Memory(ptx)
    with open(table, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["warps", "piece_bytes", "gb_s", "mean_cycles", *(f"cycles_{p}" for p in PERCENTILES)])
        for warps in WARPS:
            rate, samples = memory.rate(warps, probes=PROBES if warps < 32 else 0)
            rows.writerow([warps, "", f"{rate:.0f}", *([f"{samples.mean():.0f}", *np.percentile(samples, PERCENTILES).astype(int)] if len(samples) else [])])
        for warps, shift in PIECES:
            rows.writerow([warps, LINE << shift, f"{memory.rate(warps, shift=shift, random=True)[0]:.0f}"])


def times(ptx: str, table: str) -> None:
    """Write refresh.csv."""
    memory, n = Memory(ptx), 2048
    memory.gpu.start(memory.times, 1, 1024, memory.memory, c.c_uint32(24), c.c_int(n), memory.samples)
    began, took = memory.gpu.fetch(memory.samples, np.empty((n * 32, 2), np.uint32)).astype(np.int64).T
    write_times(began, took, table)


def write_times(began: np.ndarray, took: np.ndarray, table: str) -> None:
    """Count latencies; find the periods in which the ends of long ones repeat: the length of the mean of their phases, 0 if at random."""
    slow = (took > SLOW_CYCLES[0]) & (took < SLOW_CYCLES[1])
    ends = (began + took)[slow]
    regular = np.array([abs(np.exp(2j * np.pi * ends / period).mean()) for period in PERIODS_CYCLES])
    with open(table, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["what", "cycles", "value"])
        for period in PERIODS_CYCLES[np.argsort(-regular)[:8]]:
            rows.writerow(["period", f"{period:.0f}", f"{regular[PERIODS_CYCLES == period][0]:.3f}"])
        for start, count in zip(*np.unique(took // BIN_CYCLES * BIN_CYCLES, return_counts=True)):
            rows.writerow(["loads", start, count])


def touch(ptx: str) -> None:
    """Launch what is counted."""
    memory = Memory(ptx)
    for plan in PLAN:
        memory.gpu.start(memory.touch, MULTIPROCESSORS, 1024, memory.memory, *map(c.c_uint32, plan), memory.out)
        memory.gpu("cuCtxSynchronize")
        announce(*plan)


def collect(log: str, counted: str, table: str) -> None:
    """Write slices.csv."""
    write_table(log, counted, table, ["lines", "low_bits", "skipped_bits"], COLUMNS)


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    if command == "metrics":
        print(",".join(COLUMNS.values()))
    else:
        {"loads": loads, "times": times, "touch": touch, "collect": collect}[command](*paths)
