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
ROUNDS = 2
"""Times that a piece of code runs in a launch; the last is timed, when instructions are in their caches."""
TRIPS = 12
"""Of the loop around the piece: so many that what happens while warps get under way hardly counts."""
NO_UNROLLING = '.pragma "nounroll";'
CLOCKS = 4
"""Words of the clocks' array that each warp has: start and end."""


def module(body: str, parameters: str = ".param .u64 out", *, target: int = OLDEST, version: str = "6.0", variables: str = "") -> str:
    """Wrap a body into a module of one kernel, ``k``."""
    return f".version {version}\n.target sm_{target}\n.address_size 64\n{variables}.visible .entry k({parameters})\n{{\n{body}    ret;\n}}\n"


def slope(machine: Machine, write: Callable[[str], str], step: Callable[[int], str], lengths: tuple[int, int],
          launch: Callable[[object, Array], float], *, threads: int, blocks: int = 1, trips: int = TRIPS, results: int = 0) -> float:
    """Measure the cycles that one more step takes: from two kernels that differ only in the length of the piece of code that a loop repeats.

    write   : gives the module's text around the timed piece; its kernel's first parameter, ``out``, is an array for the clocks.
    step    : gives the text of so many steps.
    lengths : steps of the two kernels.
    launch  : runs a kernel with that array and gives the seconds it took.
    threads : of a block. A block takes from its first warp's start to its last warp's end; the median over `blocks` counts.
    trips   : of the loop. Its own instructions cost both kernels the same.
    results : words behind the clocks, for whatever the kernel stores.

    Without a cycle counter on the machine, whole launches are compared.
    """
    lanes = machine.properties.warp_lanes
    warps = -(-threads // lanes)
    cycles = []
    for length in lengths:
        clocks = machine.array(CLOCKS * blocks * warps + results, "u4")
        seconds = launch(machine.compile(write(timed(step(length), machine.features, lanes, trips))), clocks)
        if "clock" in machine.features:
            read = clocks.read()[:CLOCKS * blocks * warps].reshape(blocks, warps, CLOCKS)
            since = read[:, :1, 0]
            start, end = (read[:, :, 0] - since).astype("i4"), (read[:, :, 2] - since).astype("i4")  # counters of 32 bits wrap
            silent = read[:, :, 2] == 0  # warps that had ended before
            cycles.append(float(np.median(np.where(silent, -1, end).max(axis=1) - np.where(silent, 0, start).min(axis=1))))
        else:
            cycles.append(seconds * machine.cycles_per_second / ROUNDS)
    return (cycles[1] - cycles[0]) / (trips * (lengths[1] - lengths[0]))


def timed(piece: str, features: frozenset[str], warp_lanes: int, trips: int = TRIPS) -> str:
    """Run a loop around a piece of code ROUNDS times, each behind a barrier; every warp stores when the last began and ended, if the machine
    can tell.

    How often comes from memory, lest an assembler unroll. Declares the registers %round, %rounds, %trip, %trips, %t0, %t1, %clocks, %again.
    """
    read = "mov.u64 %t{0}, %clock64;" if "clock64" in features else "{{ .reg .u32 now; mov.u32 now, %clock; cvt.u64.u32 %t{0}, now; }}"
    start, end = (read.format(0), read.format(1)) if "clock" in features else ("", "")
    store = f"""    mov.u32 %round, %tid.x;
    rem.u32 %rounds, %round, {warp_lanes};
    setp.ne.u32 %again, %rounds, 0;
    @%again bra TIMED;
    st.global.u64 [%clocks], %t0;
    st.global.u64 [%clocks+8], %t1;
TIMED:
""" if "clock" in features else ""
    return f"""    .reg .u32 %round, %rounds, %trip, %trips; .reg .u64 %t<2>, %clocks; .reg .pred %again;
    ld.param.u64 %clocks, [out];
    mov.u32 %round, %ntid.x;
    add.u32 %round, %round, {warp_lanes - 1};
    div.u32 %round, %round, {warp_lanes};
    mov.u32 %rounds, %ctaid.x;
    mul.lo.u32 %round, %round, %rounds;
    mov.u32 %rounds, %tid.x;
    div.u32 %rounds, %rounds, {warp_lanes};
    add.u32 %round, %round, %rounds;
    mad.wide.u32 %clocks, %round, {4 * CLOCKS}, %clocks;
    ld.global.u32 %rounds, [%clocks];
    add.u32 %trips, %rounds, {trips};
    add.u32 %rounds, %rounds, {ROUNDS};
    mov.u32 %round, 0;
ROUND:
    {NO_UNROLLING}
    bar.sync 0;
    mov.u32 %trip, 0;
    {start}
TRIP:
    {NO_UNROLLING}
{piece}    add.u32 %trip, %trip, 1;
    setp.lt.u32 %again, %trip, %trips;
    @%again bra TRIP;
    {end}
    add.u32 %round, %round, 1;
    setp.lt.u32 %again, %round, %rounds;
    @%again bra ROUND;
{store}"""
