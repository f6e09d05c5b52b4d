"""Measure what scattered accesses cost: ``python tests/measure_scatter.py SCATTER_CUBIN SCATTER_CSV PIECES_CSV`` on an H100.

Builds on ``tests/hardware/gpu.py`` of the repository. The cubin is ``nvcc -arch=sm_90 -cubin scatter.cu``. Each line of the first table is
the median, over multiprocessors, of the cycles from the first to the last clock read of a block, per request; one block of `warps` warps on
each of 1 to 132 multiprocessors, after a launch that brings the footprint into the L2.
"""
import csv
import ctypes as c
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "hardware"))

import numpy as np
from gpu import Gpu

LINE, MIB = 128, 1 << 20
WORDS = {   # pattern → byte offset of a lane that accesses four bytes, bytes from one request to the next
    "1 line, full": (lambda k: 4 * k, LINE), "1 sector, full": (lambda k: k % 8 * 4, 32), "2 lines, half sectors": (lambda k: 8 * k, 2 * LINE),
    "4 lines, 1 full sector each": (lambda k: k // 8 * LINE + k % 8 * 4, 4 * LINE),
    "8 lines, 1 half sector each": (lambda k: k // 4 * LINE + k % 4 * 4, 8 * LINE),
    "8 lines, 4 partial sectors each": (lambda k: 32 * k, 8 * LINE),
    "16 lines, 2 partial sectors each": (lambda k: k // 2 * LINE + k % 2 * 32, 16 * LINE),
    "32 lines, 1 partial sector each": (lambda k: LINE * k, 32 * LINE), "32 lines 4 KiB apart": (lambda k: 4096 * k, 4),
    "32 lines 16 KiB apart": (lambda k: 16384 * k, 4), "32 lines 4128 apart": (lambda k: 4128 * k, 4), "1 word": (lambda k: 0, LINE)}
FOUR_WORDS = {"4 lines, 16 full sectors": (lambda k: 16 * k, 4 * LINE), "16 lines, 1 full sector each": (lambda k: k // 2 * LINE + k % 2 * 16, 16 * LINE),
              "32 lines, 1 half sector each": (lambda k: LINE * k, 32 * LINE)}


class Bench:
    """Buffers and launches."""

    def __init__(self, cubin: str):
        self.gpu = Gpu()
        self.module = self.gpu.load(Path(cubin).read_bytes())
        self.memory, self.times, self.lanes, self.out = (self.gpu.allocate(n) for n in (1024 * MIB, MIB, LINE, 64))
        self.gpu("cuMemsetD8_v2", self.memory, c.c_ubyte(1), c.c_size_t(1024 * MIB))
        self.gpu("cuMemsetD8_v2", self.out, c.c_ubyte(0), c.c_size_t(64))
        self.events = [c.c_void_p(), c.c_void_p()]
        for event in self.events:
            self.gpu("cuEventCreate", c.byref(event), 0)

    def scattered(self, kernel: str, offset, step: int, blocks: int, warps: int, requests: int, footprint: int) -> float:
        """Cycles per request, the better of two warm launches."""
        lanes = np.array([offset(k) for k in range(32)], np.uint32)
        self.gpu("cuMemcpyHtoD_v2", self.lanes, lanes.ctypes.data_as(c.c_void_p), c.c_size_t(lanes.nbytes))
        found = []
        for _ in range(3):
            self.gpu.launch(self.module, kernel, blocks, 32 * warps, self.times, self.memory, self.lanes, c.c_uint32(step),
                            c.c_uint32(footprint - 1), c.c_int(requests))
            times = self.gpu.fetch(self.times, np.zeros(2 * blocks * warps, np.uint64)).astype(np.int64).reshape(blocks, warps, 2)
            found.append(float(np.median(times[:, :, 1].max(1) - times[:, :, 0].min(1))) / (warps * requests))
        return min(found[1:])

    def pieces(self, shift: int, bits: int, accesses: int, write: bool) -> float:
        """Microseconds for random pieces of 2^shift bytes out of 2^bits."""
        found = []
        for _ in range(6):
            self.gpu("cuEventRecord", self.events[0], None)
            self.gpu.launch(self.module, "rnd", 132 * 8, 256, self.memory, c.c_uint32(shift), c.c_uint32(bits), c.c_int(accesses), self.out,
                            c.c_uint32(write))
            self.gpu("cuEventRecord", self.events[1], None)
            self.gpu("cuEventSynchronize", self.events[1])
            ms = c.c_float()
            self.gpu("cuEventElapsedTime", c.byref(ms), *self.events)
            found.append(1000 * ms.value)
        return sorted(found[1:])[2]


def main(cubin: str, scatter: str, pieces: str) -> None:
    """Measure and write."""
    bench = Bench(cubin)
    with open(scatter, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["operation", "pattern", "multiprocessors", "warps", "requests_per_warp", "footprint_bytes", "cycles_per_request"])
        for kernel in ("st4", "st16", "ld", "la", "red"):
            for pattern, (offset, step) in (FOUR_WORDS if kernel == "st16" else WORDS).items():
                for blocks in (1, 8, 33, 66, 132):
                    rows.writerow([kernel, pattern, blocks, 32, 64, 16 * MIB, round(bench.scattered(kernel, offset, step, blocks, 32, 64, 16 * MIB), 3)])
    with open(pieces, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["operation", "piece_bytes", "footprint_bytes", "accesses_per_thread", "time_us"])
        for write in (False, True):
            for shift in (2, 5, 6, 7):
                for bits in (23, 24, 25, 29):
                    accesses = 64 if shift == 7 else 32
                    rows.writerow(["st" if write else "ld", 1 << shift, 1 << bits, accesses, round(bench.pieces(shift, bits, accesses, write), 2)])


if __name__ == "__main__":
    main(*sys.argv[1:])
