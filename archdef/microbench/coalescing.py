"""Coalescing: useful bandwidth of loads and stores by the distance of lanes, by where they begin, by the width of words."""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.microbench.bandwidth import VECTOR, words
from archdef.microbench.suite import benchmark
from archdef.microbench.machine import Machine
from archdef.microbench.ptx import module

_ACCESS = """    .reg .u64 %at; .reg .u32 %r<4>, %i, %k; .reg .pred %c;
    ld.param.u64 %at, [memory];
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %i, %r0, %r1, %r2;
    ld.param.u32 %k, [stride]; mul.lo.u32 %i, %i, %k; ld.param.u32 %k, [offset]; add.u32 %i, %i, %k;
    mad.wide.u32 %at, %i, {word_bytes}, %at;
    mov.u32 %r3, %i;
{access}"""
BLOCK, BLOCKS = 256, 8
"""Threads of a block, and blocks on each multiprocessor of the shorter of two launches."""


def _sweep(machine: Machine) -> list[dict[str, Any]]:
    strides = [{"kind": kind, "stride_words": s} for kind in ("load", "store") for s in (1, 2, 3, 4, 8, 16, 32)]
    offsets = [{"kind": kind, "offset_words": o} for kind in ("load", "store") for o in (1, 2, 4, 8, 16, 17)]
    widths = [{"kind": kind, "word_bytes": w} for kind in ("load", "store") for w in (8, 16)]
    return strides + offsets + widths


@benchmark("coalescing", {"gb_s": "useful GB/s"}, _sweep, choices={"kind": ("load", "store"), "word_bytes": VECTOR})
def coalescing(machine: Machine, *, kind: str = "load", word_bytes: int = 4, stride_words: int = 1, offset_words: int = 0) -> dict[str, float]:
    """Useful bytes per nanosecond of one access by each of many threads, the words of neighbours so many words apart and the first so many
    behind a boundary, from memory that no cache holds."""
    p = machine.properties
    grids = [BLOCKS * p.multiprocessors * k for k in (1, 3)]
    threads = min(BLOCK, p.threads_per_block)
    if kind == "load":
        total = "".join(f"    xor.b32 %i, %i, %r{k};\n" for k in range(word_bytes // 4))
        access = f"    ld.global{VECTOR[word_bytes]}.u32 {words('r', word_bytes)}, [%at];\n{total}" \
            "    setp.ne.u32 %c, %i, 0x12345679;\n    @%c bra END;\n    st.global.u32 [%at], %i;\nEND:\n"
    else:
        access = f"    st.global{VECTOR[word_bytes]}.u32 [%at], {words('r', word_bytes)};\n"
    kernel = machine.compile(module(_ACCESS.format(word_bytes=word_bytes, access=access),
                                    ".param .u64 memory, .param .u32 stride, .param .u32 offset"))
    memory = machine.scratch("from", (grids[1] * threads * max(1, stride_words) + offset_words + 4) * word_bytes)

    def once() -> dict[str, float]:
        seconds = []
        for blocks in grids:
            machine.flush()
            seconds.append(machine.launch(kernel, blocks, threads, memory, np.uint32(stride_words), np.uint32(offset_words)))
        return {"gb_s": (grids[1] - grids[0]) * threads * word_bytes / (seconds[1] - seconds[0]) / 1e9}
    return machine.median(once)
