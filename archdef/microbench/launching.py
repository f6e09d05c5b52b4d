"""Launch overhead."""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.microbench.machine import Machine
from archdef.microbench.ptx import module
from archdef.microbench.suite import UnfitParameter, benchmark

SERIES = 4, 12
"""Launches of the shorter and the longer series, whose difference leaves out what the first and the last one take apart."""
MOST_BLOCKS = 65535
"""Of a row of blocks, on the oldest machines."""
WORD_BYTES = 8


def _sweep(machine: Machine) -> list[dict[str, Any]]:
    p = machine.properties
    return [{"threads": threads, "blocks": blocks} for threads in (32, 128, 256, 512, 1024) if threads <= p.threads_per_block
            for blocks in (1, p.multiprocessors, 8 * p.multiprocessors, 80 * p.multiprocessors) if blocks < 65536]


@benchmark("launch", {"us": "us"}, _sweep)
def launch(machine: Machine, *, blocks: int = 1, threads: int = 32) -> dict[str, float]:
    """Time between two events around a kernel that does nothing, in a stream that was busy before."""
    return {"us": machine.empty_launch_s(blocks, threads) * 1e6}


@benchmark("launch_series", {"us": "us"}, _sweep)
def launch_series(machine: Machine, *, blocks: int = 1, threads: int = 32) -> dict[str, float]:
    """Time that one more kernel that does nothing takes in a row of them, in a stream that was busy before."""
    return {"us": _each_s(machine, module("", ""), blocks, threads) * 1e6}


def _each_s(machine: Machine, ptx: str, blocks: int, threads: int, *arguments: Any) -> float:
    few, many = (machine.series_s(ptx, launches, blocks, threads, *arguments) for launches in SERIES)
    return (many - few) / (SERIES[1] - SERIES[0])


_SCALE = """    .reg .u64 %from, %to, %at; .reg .b32 %t, %b, %w, %n, %r<2>; .reg .pred %c;
    mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %w, %ntid.x; mad.lo.u32 %t, %b, %w, %t; ld.param.u32 %n, [elements];
    setp.ge.u32 %c, %t, %n;
    @%c bra END;
    ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; mul.wide.u32 %at, %t, 8; add.u64 %from, %from, %at; add.u64 %to, %to, %at;
    ld.global.v2.u32 {%r0, %r1}, [%from]; st.global.v2.u32 [%to], {%r0, %r1};
END:
"""


@benchmark("small_kernels", {"gb_s": "GB/s"},
           lambda machine: [{"elements": 4 ** k, "threads": t} for k in range(6, 10) for t in (128, 512) if t <= machine.properties.threads_per_block])
def small_kernels(machine: Machine, *, elements: int = 4096, threads: int = 256) -> dict[str, float]:
    """Bandwidth of one more kernel in a row of them, each of which copies so many words of 8 bytes, a thread each: small ones show what a launch costs."""
    nbytes, blocks = WORD_BYTES * elements, -(-elements // threads) if threads > 0 else 0
    if not 1 <= threads <= machine.properties.threads_per_block or not 1 <= blocks <= MOST_BLOCKS:
        raise UnfitParameter(f"threads must be 1 to {machine.properties.threads_per_block}, elements 1 to {MOST_BLOCKS} times as many")
    ptx = module(_SCALE, ".param .u64 from, .param .u64 to, .param .u32 elements")
    return {"gb_s": 2 * nbytes / _each_s(machine, ptx, blocks, threads, nbytes, nbytes, np.uint32(elements)) / 1e9}
