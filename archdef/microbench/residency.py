"""Occupancy as launches show it: blocks that are on one multiprocessor at a time."""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.microbench.suite import Unsupported, benchmark
from archdef.microbench.machine import Machine
from archdef.microbench.ptx import module

LOADS = 64
"""Of each block's chain: it lasts until all that fit have begun."""
APART = 512
"""Bytes between the places that blocks read, so that they do not queue for one partition."""
_BLOCK = """    .reg .u64 %out, %p; .reg .u32 %first, %last, %where, %i; .reg .pred %c;
    mov.u32 %i, %tid.x;
    setp.ne.u32 %c, %i, 0;
    @%c bra END;
    mov.u32 %first, %clock;
    ld.param.u64 %p, [chain]; mov.u32 %i, %ctaid.x; mad.wide.u32 %p, %i, {apart}, %p;
    mov.u32 %i, 0;
AGAIN:
    ld.global{past}.u64 %p, [%p];
    add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, {loads};
    @%c bra AGAIN;
    cvt.u32.u64 %i, %p;
    mov.u32 %where, %smid;
    ld.param.u64 %out, [out]; mov.u32 %last, %ctaid.x; mad.wide.u32 %out, %last, 16, %out;
    st.global.u32 [%out], %where;
    st.global.u32 [%out+4], %first;
    st.global.u32 [%out+12], %i;
    mov.u32 %last, %clock;
    st.global.u32 [%out+8], %last;
END:
    bar.sync 0;
"""


def _sweep(machine: Machine) -> list[dict[str, Any]]:
    p = machine.properties
    sizes = [t for t in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32) if t <= p.warps_per_block]
    return [{"threads": n * p.warp_lanes} for n in sizes] + [
        {"threads": p.warp_lanes, "shared_bytes": k * 1024} for k in (1, 2, 4, 8, 12, 16, 24, 32, 48) if k * 1024 < p.shared_bytes_per_block]


@benchmark("residency", {"blocks": "blocks/SM"}, _sweep, features=("clock",))
def residency(machine: Machine, *, threads: int = 32, shared_bytes: int = 0) -> dict[str, float]:
    """Most blocks of a size that a multiprocessor holds at a time, seen by when each began and ended."""
    p = machine.properties
    if threads > p.threads_per_block:
        raise Unsupported(f"{threads} threads are more than a block of {machine.label} takes")
    grid = p.multiprocessors * (p.blocks_per_multiprocessor + 1)
    past = ".cg" if "unified_addressing" in machine.features else ""
    kernel = machine.compile(module(_BLOCK.format(loads=LOADS, past=past, apart=APART), ".param .u64 out, .param .u64 chain"))
    chain, out = machine.array((grid, APART // 8), "u8"), machine.array(4 * grid)
    links = np.zeros((grid, APART // 8), "u8")
    links[:, 0] = np.arange(grid, dtype="u8") * np.uint64(APART) + np.uint64(chain.address)
    chain.write(links)  # each place points to itself
    machine.launch(kernel, grid, threads, out, chain, shared_bytes=shared_bytes)
    seen = out.read().reshape(grid, 4)
    most = 0
    for where in np.unique(seen[:, 0]):
        rows = seen[seen[:, 0] == where]
        first, last = ((rows[:, k] - rows[0, 1]).astype("i4") for k in (1, 2))  # counters of 32 bits wrap
        most = max(most, *(int(((first <= at) & (last > at)).sum()) for at in first))
    return {"blocks": float(most)}
