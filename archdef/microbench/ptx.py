"""Text of the kernels: PTX for the oldest target that an instruction allows, timed inside by the multiprocessor's cycle counter.

Whatever an assembler could compute beforehand comes from memory, and every result is stored, so that nothing can be left out.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef.microbench.machine import Array, Machine

OLDEST = 50
"""Target that today's drivers still take, and that every instruction of old machines is valid for."""
TYPE = {"u32": ".b32", "u64": ".b64", "f32": ".f32", "f64": ".f64"}
NO_UNROLLING = '.pragma "nounroll";'
CLOCKS = 4
"""Words of the clocks' array that each warp has: start and end."""


def module(body: str, parameters: str = ".param .u64 out", *, target: int = OLDEST, version: str = "6.0", variables: str = "") -> str:
    """Wrap a body into a module of one kernel, ``k``."""
    return f".version {version}\n.target sm_{target}\n.address_size 64\n{variables}.visible .entry k({parameters})\n{{\n{body}    ret;\n}}\n"


def slope(machine: Machine, write: Callable[[str], str], step: Callable[[int], str], lengths: tuple[int, ...],
          launch: Callable[[object, Array], float], *, threads: int, blocks: int = 1, trips: tuple[int, int] = (0, 0), results: int = 0) -> float:
    """Measure the cycles that one more step takes: from two kernels that differ only in the length of the piece of code that a loop repeats.

    Each of them runs with two numbers of trips, whose difference leaves out how warps get under way: fetching instructions, warming caches.
    The difference between the two kernels leaves out the loop's own instructions.

    write   : gives the module's text around the timed piece; its kernel's first parameter, ``out``, is an array for the clocks.
    step    : gives the text of so many steps.
    lengths : steps of the two kernels; one alone, if it is so long that the loop's own instructions do not count.
    launch  : runs a kernel with that array and gives the seconds it took.
    threads : of a block. A block takes from its first warp's start to its last warp's end; the median over `blocks` counts.
    trips   : the two numbers of trips; none: those that the machine needs.
    results : words behind the clocks, for whatever the kernel stores.

    Without a cycle counter on the machine, whole launches are compared.
    """
    lanes = machine.properties.warp_lanes
    warps = -(-threads // lanes)
    few, many = trips if trips[0] else machine.trips
    costs = []
    for length in lengths:
        kernel = machine.compile(write(timed(step(length), machine.features, lanes)))
        cycles = []
        for count in (few, many):
            counts = np.zeros(CLOCKS * blocks * warps + results, "u4")
            counts[:CLOCKS * blocks * warps:CLOCKS] = count
            clocks = machine.array(counts)
            seconds = launch(kernel, clocks)
            if "clock" in machine.features:
                cycles.append(_span(clocks.read()[:CLOCKS * blocks * warps].reshape(blocks, warps, CLOCKS)))
            else:
                cycles.append(seconds * machine.cycles_per_second)
        costs.append((cycles[1] - cycles[0]) / (many - few))
    return (costs[1] - costs[0]) / (lengths[1] - lengths[0]) if len(lengths) > 1 else costs[0] / lengths[0]


def _span(read: np.ndarray) -> float:
    """Give the cycles from a block's first warp's start to its last warp's end: the median over the blocks."""
    since = read[:, :1, 0]
    start, end = (read[:, :, 0] - since).astype("i4"), (read[:, :, 2] - since).astype("i4")  # counters of 32 bits wrap
    silent = (read[:, :, 2] == 0) & (read[:, :, 3] == 0)  # warps that had ended before
    return float(np.median(np.where(silent, 0, end).max(axis=1) - np.where(silent, 0, start).min(axis=1)))


def timed(piece: str, features: frozenset[str], warp_lanes: int) -> str:
    """Run a loop around a piece of code behind a barrier; every warp stores when it began and ended, if the machine can tell.

    How many trips, each warp finds where it will store its clocks; storing it there again waits for it, before the clock is read.
    Declares the registers %trip, %trips, %t0, %t1, %clocks and %again.
    """
    read = "mov.u64 %t{0}, %clock64;" if "clock64" in features else "{{ .reg .u32 now; mov.u32 now, %clock; cvt.u64.u32 %t{0}, now; }}"
    start, end = (read.format(0), read.format(1)) if "clock" in features else ("", "")
    store = f"""    mov.u32 %trip, %tid.x;
    rem.u32 %trips, %trip, {warp_lanes};
    setp.ne.u32 %again, %trips, 0;
    @%again bra TIMED;
    st.global.u64 [%clocks], %t0;
    st.global.u64 [%clocks+8], %t1;
TIMED:
""" if "clock" in features else ""
    return f"""    .reg .u32 %trip, %trips; .reg .u64 %t<2>, %clocks; .reg .pred %again;
    ld.param.u64 %clocks, [out];
    mov.u32 %trip, %ntid.x;
    add.u32 %trip, %trip, {warp_lanes - 1};
    div.u32 %trip, %trip, {warp_lanes};
    mov.u32 %trips, %ctaid.x;
    mul.lo.u32 %trip, %trip, %trips;
    mov.u32 %trips, %tid.x;
    div.u32 %trips, %trips, {warp_lanes};
    add.u32 %trip, %trip, %trips;
    mad.wide.u32 %clocks, %trip, {4 * CLOCKS}, %clocks;
    ld.global.u32 %trips, [%clocks];
    st.global.u32 [%clocks+4], %trips;
    mov.u32 %trip, 0;
    bar.sync 0;
    {start}
TRIP:
    {NO_UNROLLING}
{piece}    add.u32 %trip, %trip, 1;
    setp.lt.u32 %again, %trip, %trips;
    @%again bra TRIP;
    {end}
{store}"""
