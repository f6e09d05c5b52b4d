"""Run the matrix instructions on a GPU and keep what they give: ``python tests/hardware/measure_matrix.py FILE``.

Needs what `measure.py` needs. The kernels are assembled by the driver.
"""
from __future__ import annotations

import ctypes
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
from matrix_forms import (HEAD, LOADS, PRODUCTS, ROUNDS, THREADS, TILE_BYTES, TILES, TIMED, UNROLLED, WARPS,  # noqa: E402
                          chain_kernel, kernel, load_kernel, memory, numbered, sizes, tile_kernel)
from matrix_operands import inputs, probes, tile_input, warps  # noqa: E402
from matrix_outputs import pack  # noqa: E402

from archdef.microbench.driver import Gpu  # noqa: E402

BUFFER = 8 << 20


class Runner:
    """Kernels of one module, on buffers that stay."""

    def __init__(self, gpu: Gpu):
        self.gpu, self.module = gpu, None
        self.buffers = [gpu.allocate(BUFFER) for _ in range(4)]

    def load(self, text: str) -> None:
        """Take the kernels of a module."""
        self.module = self.gpu.load(text.encode() + b"\0")

    def run(self, entry: str, blocks: int, threads: int, inputs: list[np.ndarray], nbytes: int, buffers=None) -> np.ndarray:
        """Launch a kernel; give the bytes that it leaves in its last buffer."""
        used = self.buffers if buffers is None else [self.buffers[k] for k in buffers]
        for place, data in zip(used, inputs):
            data = np.ascontiguousarray(data)
            self.gpu("cuMemcpyHtoD_v2", place, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))
        self.gpu("cuMemsetD8_v2", used[-1], ctypes.c_ubyte(0), ctypes.c_size_t(nbytes))
        self.gpu.launch(self.module, entry, blocks, threads, *used)
        return self.gpu.fetch(used[-1], np.zeros(nbytes, np.uint8))


def outputs(runner: Runner) -> dict[str, np.ndarray]:
    """Run every form."""
    got = {}
    runner.load(HEAD + "".join(kernel(p, f"k{k}") for k, p in enumerate(PRODUCTS.values())))
    for k, (name, p) in enumerate(PRODUCTS.items()):
        total = warps(p) * len(probes(p))
        got[name] = runner.run(f"k{k}", total // WARPS, THREADS, memory(p, inputs(p)), sizes(p)[3] * total)
    runner.load(HEAD + "".join(load_kernel(name, f"k{k}") for k, name in enumerate(LOADS)))
    for k, (name, form) in enumerate(LOADS.items()):
        planes = [runner.run(f"k{k}", 1, 32, [numbered(form, plane)], 256 * form.registers, (0, 3)) for plane in range(form.planes)]
        got[name] = np.concatenate(planes)
    runner.load(HEAD + "".join(tile_kernel(name, f"k{k}") for k, name in enumerate(TILES)))
    for k, name in enumerate(TILES):
        got[name] = runner.run(f"k{k}", 1, 32, [tile_input().view(np.uint8)], TILE_BYTES, (0, 3))
    return got


def cycles(runner: Runner) -> dict[str, float]:
    """Time chains of products: cycles from one step of all chains to the next, of one warp and of four on each scheduler."""
    found = {}
    runner.load(HEAD + "".join(chain_kernel(PRODUCTS[name], f"k{k}c{c}", c) for k, name in enumerate(TIMED) for c in (1, 4)))
    runner.gpu("cuMemsetD8_v2", runner.buffers[0], ctypes.c_ubyte(0), ctypes.c_size_t(BUFFER))
    for k, name in enumerate(TIMED):
        for c, w in ((1, 1), (4, 16)):
            try:
                spans = [runner.run(f"k{k}c{c}", 1, 32 * w, [], 16 * w, (0, 3)).view(np.int64).reshape(-1, 2) for _ in range(3)]
            except RuntimeError as error:  # too many registers for so many warps
                print(name, c, w, error)
                continue
            found[f"{name}|{c}|{w}"] = round(min(int(s[:, 1].max() - s[:, 0].min()) for s in spans) / (ROUNDS * UNROLLED), 2)
    return found


def main(file):
    """Measure and write."""
    gpu = Gpu()
    runner = Runner(gpu)
    got = outputs(runner)
    Path(file).write_bytes(pack(got, cycles(runner), gpu.describe()))
    print(f"{len(got)} forms on {gpu.describe()}; {Path(file).stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
