"""Measure loops of 64 to 32768 additions on this computer's GPU: prints data/code_loops.csv. Needs the driver and archdef, no toolkit.

A trip of a loop of n KiB has 64 n instructions of 16 bytes, eight chains of additions side by side. The first column of cycles is the first
launch of a module, the others are medians of later ones.
"""
import csv
import statistics
import sys

import numpy as np
from archdef.microbench.hardware import Hardware
from archdef.microbench.ptx import CLOCKS, module, timed

CHAINS = 8
SIZES_KIB = (1, 2, *range(4, 33, 2), 36, 40, 48, 56, 64, 80, 96, 104, 112, 120, 128, 136, 144, 160, 192, 224, 256, 384, 512)
SHAPES = ((1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (1, 132), (4, 132), (4, 264), (16, 132))
"""Warps of a block, blocks."""


def kernel(instructions: int, features: frozenset[str]) -> str:
    """Give the text of a module with such a loop."""
    start = "    .reg .f32 %x<8>, %y; .reg .u64 %o;\n    ld.param.u64 %o, [out]; ld.global.f32 %y, [%o+8];\n" + "".join(
        f"    mov.f32 %x{k}, 0f{0x3F800000 + k:08x};\n" for k in range(CHAINS))
    loop = "".join(f"    add.f32 %x{k % CHAINS}, %x{k % CHAINS}, %y;\n" for k in range(instructions))
    end = "".join(f"    add.f32 %x0, %x0, %x{k};\n" for k in range(1, CHAINS)) + "    st.global.f32 [%clocks+4], %x0;\n"
    return module(start + timed(loop, features, 32) + end)


def cycles(gpu: Hardware, code, warps: int, blocks: int, trips: int) -> float:
    """Run it; give the cycles of a block, the median over blocks."""
    counts = np.zeros(CLOCKS * blocks * warps, "u4")
    counts[::CLOCKS] = trips
    clocks = gpu.array(counts)
    gpu.launch(code, blocks, warps * 32, clocks)
    read = clocks.read().reshape(blocks, warps, CLOCKS)
    start, end = ((read[:, :, k] - read[:, :1, 0]).astype("i4") for k in (0, 2))
    return float(np.median(end.max(axis=1) - start.min(axis=1)))


def main() -> None:
    """Print the table."""
    gpu, out = Hardware(), csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("""kib warps_per_block blocks first_launch_cycles one_trip_cycles two_trip_cycles ten_trip_cycles
                    cycles_per_instruction""".split())
    for kib in SIZES_KIB:
        code = gpu.compile(kernel(64 * kib, gpu.features))
        for warps, blocks in SHAPES:
            first = f"{cycles(gpu, code, warps, blocks, 1):g}" if (warps, blocks) == (1, 1) else ""
            one, two, ten = (statistics.median(cycles(gpu, code, warps, blocks, trips) for _ in range(5)) for trips in (1, 2, 10))
            out.writerow([kib, warps, blocks, first, f"{one:g}", f"{two:g}", f"{ten:g}", f"{(ten - two) / 8 / (64 * kib):.4f}"])


if __name__ == "__main__":
    main()
