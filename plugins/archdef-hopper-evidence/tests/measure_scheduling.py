"""Measure in which order a scheduler issues: prints data/scheduling.csv. Needs this computer's GPU, its driver and archdef, no toolkit.

Warps of one block run additions, eight, two or one side by side, and read the clock after each sixteenth; a scheduler that stays with a
warp shows as clocks 16 cycles apart. The second time round counts, when the code is in the caches.
"""
import csv
import sys

import numpy as np
from archdef.microbench.hardware import Hardware
from archdef.microbench.ptx import module

SAMPLES, ROWS, CHAINS, WARPS = 16, 8, (8, 2, 1), (8, 16, 24, 32)


def kernel(chains: int) -> str:
    """Give the text of the module whose warps have so many additions side by side."""
    start = f"""    .reg .f32 %x<{ROWS}>, %y; .reg .u64 %o, %p; .reg .u32 %c<{SAMPLES + 1}>, %t, %trip; .reg .pred %again;
    ld.param.u64 %o, [out]; ld.global.f32 %y, [%o+8]; mov.u32 %t, %tid.x; shr.u32 %t, %t, 5; mul.lo.u32 %t, %t, {4 * (SAMPLES + 1)};
    cvt.u64.u32 %p, %t; add.u64 %p, %p, %o; mov.u32 %trip, 0;
""" + "".join(f"    mov.f32 %x{k}, 0f{0x3F800000 + k:08x};\n" for k in range(ROWS))
    steps = "".join("".join(f"    add.f32 %x{k % chains}, %x{k % chains}, %y;\n" for k in range(15)) + f"    mov.u32 %c{s + 1}, %clock;\n"
                    for s in range(SAMPLES))
    stores = "".join(f"    st.global.u32 [%p+{1024 + 4 * s}], %c{s};\n" for s in range(SAMPLES + 1))
    end = "".join(f"    add.f32 %x0, %x0, %x{k};\n" for k in range(1, ROWS)) + "    st.global.f32 [%o], %x0;\n"
    return module(f"""{start}AGAIN:
    .pragma "nounroll";
    bar.sync 0;
    mov.u32 %c0, %clock;
{steps}{stores}    add.u32 %trip, %trip, 1;
    setp.lt.u32 %again, %trip, 2;
    @%again bra AGAIN;
{end}""")


def clocks(read: np.ndarray, warps: int) -> np.ndarray:
    """Give the clocks of each warp since the first of all, shape (warps, samples)."""
    found = read[256:256 + warps * (SAMPLES + 1)].reshape(warps, -1).astype("i8")
    return found - found.min()


def main() -> None:
    """Print the table."""
    gpu, out = Hardware(), csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["chains", "warps", "warp", *(f"clock{k}" for k in range(SAMPLES + 1))])
    for chains in CHAINS:
        code = gpu.compile(kernel(chains))
        for warps in WARPS:
            array = gpu.array(256 + warps * (SAMPLES + 1))
            gpu.launch(code, 1, 32 * warps, array)
            for warp, row in enumerate(clocks(array.read(), warps)):
                out.writerow([chains, warps, warp, *row])


if __name__ == "__main__":
    main()
