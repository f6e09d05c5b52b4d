"""Run the kernels of `multicast_plans` on a GPU: ``python tests/clusters/measure_multicast.py``.

Needs an sm_90 GPU with its driver, ptxas, numpy, attrs and pluggy. Prints how many launches left what `plan` says.
"""
from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1]), str(HERE.parent / "hardware")]

from assemble import ptxas  # noqa: E402
from multicast_plans import BLOCKS, BOX, PIECE, PLAIN, ROUNDS, plan, text  # noqa: E402

from archdef.microbench.driver import Gpu  # noqa: E402


def assemble(ptx: str, n: int) -> bytes:
    """Give a cubin for clusters of n blocks."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "k.ptx"), Path(folder, "k.cubin")
        source.write_text(ptx.replace(".param .u32 rounds) {", f".param .u32 rounds)\n.explicitcluster .reqnctapercluster {n}, 1, 1\n{{"))
        subprocess.run([ptxas(), "-arch=sm_90a", "-o", cubin, source], check=True)
        return cubin.read_bytes()


def encode(gpu: Gpu, array, rows: int, width: int) -> ctypes.Array:
    """Make the map of rows of 64 floats, and of boxes of one row."""
    room = (ctypes.c_uint8 * 192)()
    at = (ctypes.addressof(room) + 63) // 64 * 64
    sizes, strides = (ctypes.c_uint64 * 2)(64, rows), (ctypes.c_uint64 * 1)(256)
    box, steps = (ctypes.c_uint32 * 2)(width, 1), (ctypes.c_uint32 * 2)(1, 1)
    gpu("cuTensorMapEncodeTiled", ctypes.c_void_p(at), 7, 2, array, sizes, strides, box, steps, 0, 0, 0, 0)
    return (ctypes.c_uint8 * 128).from_buffer_copy(bytes((ctypes.c_uint8 * 128).from_address(at)))


def main() -> None:
    """Run every form, cluster size and seed."""
    gpu, equal, tried = Gpu(), 0, 0
    for form in (PLAIN, BOX):
        for n in (1, 2, 4, 8):
            module = gpu.load(assemble(text(form), n))
            for seed in range(1, 26):
                data, table, expected, held = plan(n, form, seed)
                out = gpu.send(np.zeros_like(held))
                array, moves, counts = (gpu.send(a) for a in (data, table, expected))
                gpu.launch(module, "k", BLOCKS, 32, out, array, moves, counts, encode(gpu, array, data.size // 256, PIECE // 4),
                           ctypes.c_uint32(ROUNDS))
                tried += 1
                equal += np.array_equal(gpu.fetch(out, np.zeros_like(held)), held)
    print(f"{equal} of {tried} launches as planned, on {gpu.describe()}")


if __name__ == "__main__":
    main()
