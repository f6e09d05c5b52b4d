"""Bandwidth of memory and caches: by what runs at a time, what is under way, how wide words are."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from archdef.microbench.suite import UnfitParameter, Unsupported, benchmark
from archdef.microbench.machine import Machine, of_warps
from archdef.microbench.ptx import module, slope

MIB = 1024 * 1024
VECTOR = {4: "", 8: ".v2", 16: ".v4"}


def words(prefix: str, word_bytes: int, number: int = 0) -> str:
    """Name the registers of a word."""
    registers = [f"%{prefix}{4 * number + k}" for k in range(word_bytes // 4)]
    return registers[0] if len(registers) == 1 else "{" + ", ".join(registers) + "}"


def used(word_bytes: int, number: int = 0) -> str:
    """Use all that a load gave."""
    return "".join(f"    xor.b32 %sum, %sum, %r{4 * number + k};\n" for k in range(word_bytes // 4))


# ------------------------------------------------------------------------------------------------------------------- L1
@benchmark("l1_throughput", {"bytes_per_cycle": "bytes/cycle/SM"},
           lambda machine: [{"word_bytes": width, "warps": warps} for width in VECTOR for warps in (1, 4, 8, 16, 32)
                            if warps <= machine.properties.warps_per_block], choices={"word_bytes": VECTOR})
def l1_throughput(machine: Machine, *, word_bytes: int = 4, warps: int = 0) -> dict[str, float]:
    """Bytes per cycle and multiprocessor of coalesced loads that hit the L1 data cache, if there is one, from one block (0 warps: the
    largest)."""
    lanes = machine.properties.warp_lanes
    memory = machine.array(16384)
    modern = ".ca" if "unified_addressing" in machine.features else ""
    before = f"""    .reg .u64 %at, %zero; .reg .u32 %r<16>, %sum, %lane;
    ld.param.u64 %at, [memory]; ld.global.u64 %zero, [%at];
    ld.param.u64 %at, [memory]; mov.u32 %lane, %tid.x; rem.u32 %lane, %lane, {4 * lanes}; mad.wide.u32 %at, %lane, {word_bytes}, %at;
    mov.u32 %sum, %lane;
"""
    after = "    st.global.u32 [%at+32768], %sum;\n"

    def step(n: int) -> str:
        return "".join(f"    ld.global{modern}{VECTOR[word_bytes]}.u32 {words('r', word_bytes, k % 4)}, [%at+{128 * k}];\n{used(word_bytes, k % 4)}"
                       for k in range(n)) + "    add.u64 %at, %at, %zero;\n"  # nothing, but an assembler must not take the loads out of the loop

    return of_warps(machine, warps, lambda warps: {"bytes_per_cycle": word_bytes * warps * lanes / slope(
        machine, lambda timed: module(before + timed + after, ".param .u64 out, .param .u64 memory"), step, (16, 40),
        lambda kernel, clocks: machine.launch(kernel, 1, warps * lanes, clocks, memory), threads=warps * lanes, trips=(16, 64))})


STRIDED_LANES = 64
"""Threads after which addresses repeat, so that the widest stride keeps within what L1 holds."""
_STRIDED_BYTES = 128 * 8 * STRIDED_LANES + 128


@benchmark("l1_strides", {"cycles": "cycles/load"}, lambda machine: [{"stride_words": s} for s in (*range(18), 24, 31, 32, 33)],
           choices={"word_bytes": (4, 8)})
def l1_strides(machine: Machine, *, stride_words: int = 1, word_bytes: int = 4) -> dict[str, float]:
    """Cycles of a multiprocessor per load of a warp whose lanes' words lie `stride_words` words apart, all of which hit the L1 data cache, if there
    is one: banks of words and of tags. One block of the most warps; each thread reads eight words 16 bytes apart."""
    if stride_words > 128:
        raise UnfitParameter(f"stride_words of l1_strides must be a whole number from 0 to 128, got {stride_words}")
    p = machine.properties
    threads = p.warps_per_block * p.warp_lanes
    memory = machine.array(2 * _STRIDED_BYTES // 4)
    modern = ".ca" if "unified_addressing" in machine.features else ""
    before = f"""    .reg .u64 %at, %zero; .reg .u32 %r<8>, %sum, %lane;
    ld.param.u64 %at, [memory]; ld.global.u64 %zero, [%at];
    ld.param.u64 %at, [memory]; mov.u32 %lane, %tid.x; rem.u32 %lane, %lane, {STRIDED_LANES}; mad.wide.u32 %at, %lane, {stride_words * word_bytes}, %at;
    mov.u32 %sum, %lane;
"""
    after = f"    st.global.u32 [%at+{_STRIDED_BYTES}], %sum;\n"

    def step(n: int) -> str:
        return "".join(f"    ld.global{modern}{VECTOR[word_bytes]}.u32 {words('r', word_bytes, k % 2)}, [%at+{16 * (k % 8)}];\n"
                       f"{used(word_bytes, k % 2)}" for k in range(n)) + "    add.u64 %at, %at, %zero;\n"

    return {"cycles": slope(
        machine, lambda timed: module(before + timed + after, ".param .u64 out, .param .u64 memory"), step, (16, 40),
        lambda kernel, clocks: machine.launch(kernel, 1, threads, clocks, memory), threads=threads, trips=(16, 64)) / p.warps_per_block}


# --------------------------------------------------------------------------------------------------------- whole device
_STREAM = """    .reg .u64 %from, %to, %place, %at, %step, %within; .reg .u32 %r<{registers}>, %sum, %i, %n; .reg .pred %c;
    ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; ld.param.u32 %n, [trips]; ld.param.u64 %within, [within];
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %i, %r0, %r1, %r2;
    mov.u32 %r2, %nctaid.x; mul.lo.u32 %r2, %r1, %r2; mul.wide.u32 %step, %r2, {word_bytes};
    mul.wide.u32 %place, %i, {word_bytes};
    mov.u32 %sum, %i;
{fill}    mov.u32 %i, 0;
AGAIN:
    .pragma "nounroll";
{body}    add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, %n;
    @%c bra AGAIN;
    setp.ne.u32 %c, %sum, 0x12345679;
    @%c bra END;
    st.global.u32 [%to], %sum;
END:
"""


def stream(kind: str, word_bytes: int, loads: int, past: str) -> str:
    """Give a kernel whose threads walk through memory side by side, `loads` words each trip, round and round within a power of two of bytes."""
    body = ""
    reads, writes = kind in ("read", "copy"), kind in ("write", "copy")
    places = "".join(f"    and.b64 %at, %place, %within; add.u64 %at, %at, {{base}}; add.u64 %place, %place, %step;\n{{access{k}}}" for k in range(loads))
    load = {f"access{k}": f"    ld.global{past}{VECTOR[word_bytes]}.u32 {words('r', word_bytes, k)}, [%at];\n" for k in range(loads)}
    store = {f"access{k}": f"    st.global{VECTOR[word_bytes]}.u32 [%at], {words('r', word_bytes, k)};\n" for k in range(loads)}
    if reads:
        body += places.format(base="%from", **load)
    if kind == "read":
        body += "".join(used(word_bytes, k) for k in range(loads))
    if kind == "copy":
        body += f"    mul.lo.u64 %at, %step, {loads}; sub.u64 %place, %place, %at;\n"
    if writes:
        body += places.format(base="%to", **store)
    fill = "".join(f"    mov.u32 %r{k}, %sum;\n" for k in range(4 * loads))
    return module(_STREAM.format(body=body, fill=fill, word_bytes=word_bytes, registers=max(4, 4 * loads)),
                  ".param .u64 from, .param .u64 to, .param .u64 within, .param .u32 trips")


def shape(machine: Machine, warps: int) -> tuple[int, int]:
    """Give blocks and threads so that every multiprocessor has so many warps (0: all that it takes)."""
    p = machine.properties
    warps = min(warps or p.warps_per_multiprocessor, p.warps_per_multiprocessor)
    blocks = -(-warps // p.warps_per_block)
    if warps > 8 * p.blocks_per_multiprocessor or warps % blocks:
        blocks = next(n for n in range(blocks, warps + 1) if warps % n == 0)
    elif not warps % 8:
        blocks = max(blocks, warps // 8)
    return blocks * p.multiprocessors, warps // blocks * p.warp_lanes


def power_of_two(n: int) -> int:
    """Give the least power of two that is not below n."""
    return 1 << (n - 1).bit_length()


def gb_s(machine: Machine, kind: str, word_bytes: int, warps: int, loads: int, footprint: int, least_bytes: int) -> float:
    """Measure 10⁹ bytes per second: from two launches, the longer of which reads three times as much, or writes twice as much.

    footprint   : bytes that are gone round; 0: every byte is touched once.
    least_bytes : moved by the shorter launch, per direction.
    """
    blocks, threads = shape(machine, warps)
    trip = blocks * threads * word_bytes * loads
    trips = [max(1, math.ceil(least_bytes / trip)) * k for k in (1, 3 if kind == "read" else 2)]
    nbytes = power_of_two(footprint or trips[1] * trip)
    if footprint and footprint != nbytes:
        raise UnfitParameter(f"a footprint must be a power of two of bytes, got {footprint}")
    if 2 * nbytes > machine.properties.dram_bytes:
        raise Unsupported(f"two arrays of {nbytes} bytes do not fit the memory of {machine.label}")
    past = ".cg" if "unified_addressing" in machine.features else ""
    kernel = machine.compile(stream(kind, word_bytes, loads, past))
    source = machine.scratch("from", nbytes)
    target = machine.scratch("to", nbytes if kind != "read" else 16)

    def once() -> dict[str, float]:
        seconds = []
        for n in trips:
            if not footprint:
                machine.flush()
            seconds.append(machine.launch(kernel, blocks, threads, source, target, np.uint64(nbytes - 1), np.uint32(n)))
        return {"": (2 if kind == "copy" else 1) * (trips[1] - trips[0]) * trip / (seconds[1] - seconds[0]) / 1e9}
    return machine.median(once)[""]


def _warps(machine: Machine) -> list[int]:
    return [w for w in (1, 2, 4, 8, 16, 24, 32, 48, 64) if w <= machine.properties.warps_per_multiprocessor]


def _dram(machine: Machine) -> list[dict[str, Any]]:
    return [{"kind": kind} for kind in ("read", "write", "copy")] + [
        {"kind": "read", "word_bytes": 4, "warps": warps, "loads": loads} for loads in (1, 4) for warps in _warps(machine)]


@benchmark("dram_bandwidth", {"gb_s": "GB/s"}, _dram, choices={"kind": ("read", "write", "copy"), "word_bytes": VECTOR, "loads": range(1, 9)})
def dram_bandwidth(machine: Machine, *, kind: str = "read", word_bytes: int = 16, warps: int = 0, loads: int = 1) -> dict[str, float]:
    """Bandwidth of device memory: coalesced words, each touched once; so many resident warps on each multiprocessor (0: all), so many
    independent words under way in each thread. A copy counts what it reads and what it writes."""
    least = machine.stream_bytes
    if kind != "read":  # what is written must be more than the L2 could keep
        least = max(least, int(1.05 * machine.properties.l2_bytes))
    elif warps and warps * loads < 16:
        least //= 4
    return {"gb_s": gb_s(machine, kind, word_bytes, warps, loads, 0, least)}


@benchmark("l2_bandwidth", {"gb_s": "GB/s"},
           lambda machine: [{"footprint_bytes": kib * 1024} for kib in (256, 512, 1024, 2048, 8192, 32768)
                            if kib * 1024 <= machine.properties.l2_bytes] or [{}], choices={"word_bytes": VECTOR})
def l2_bandwidth(machine: Machine, *, footprint_bytes: int = 512 * 1024, word_bytes: int = 16, warps: int = 0) -> dict[str, float]:
    """Bandwidth of reads that miss L1 and hit L2, where there is one: the same footprint again and again, by so many resident warps on each
    multiprocessor (0: all)."""
    if not machine.properties.l2_bytes:
        raise Unsupported(f"{machine.label} has no L2")
    if footprint_bytes > machine.properties.l2_bytes:
        raise Unsupported(f"{footprint_bytes} bytes are more than the L2 of {machine.label}")
    least = max(machine.stream_bytes, footprint_bytes)
    return {"gb_s": gb_s(machine, "read", word_bytes, warps, 1, footprint_bytes, least)}


_ROUNDS = """    .reg .u64 %first, %at, %zero; .reg .u32 %r<{unroll}>, %sum, %i, %n, %k, %steps; .reg .pred %c;
    ld.param.u64 %at, [memory]; ld.global.u64 %zero, [%at]; ld.param.u32 %n, [rounds]; ld.param.u32 %steps, [steps];
    mov.u32 %sum, %tid.x; mul.wide.u32 %first, %sum, 4; add.u64 %first, %first, %at;
    mov.u32 %i, 0;
ROUND:
    .pragma "nounroll";
    mov.u64 %at, %first; mov.u32 %k, 0;
STEP:
    .pragma "nounroll";
{loads}    add.u64 %at, %at, {step_bytes}; add.u32 %k, %k, 1;
    setp.lt.u32 %c, %k, %steps;
    @%c bra STEP;
    add.u64 %first, %first, %zero; add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, %n;
    @%c bra ROUND;
    setp.ne.u32 %c, %sum, 0x12345679;
    @%c bra END;
    st.global.u32 [%first], %sum;
END:
"""
UNDER_WAY = 32
"""Loads that a thread makes before it uses what they give, if its part of the footprint allows it."""


def _rounds(machine: Machine) -> list[dict[str, Any]]:
    most = max(256, 2 * machine.properties.l2_bytes // 1024)
    return [{"footprint_bytes": kib * 1024} for kib in (8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 4096) if kib <= most]


@benchmark("round_bandwidth", {"gb_s": "GB/s"}, _rounds)
def round_bandwidth(machine: Machine, *, footprint_bytes: int = 8192, threads: int = 256) -> dict[str, float]:
    """Bandwidth of reads of words of 4 bytes where one block of so many threads on every multiprocessor goes round the same footprint again and again,
    up to 32 loads of a thread under way: that of L1 as far as it holds the footprint, then of what all multiprocessors get of it from L2."""
    if threads < 1 or footprint_bytes < 4 * threads or footprint_bytes % (4 * threads):
        raise UnfitParameter(f"a footprint is a multiple of 4 bytes a thread; got {footprint_bytes} bytes for {threads} threads")
    p = machine.properties
    of_thread = footprint_bytes // (4 * threads)
    step = max(n for n in range(1, UNDER_WAY + 1) if of_thread % n == 0)
    inner = UNDER_WAY // step if step == of_thread else 1          # rounds of a trip, where a round is short
    modern = ".ca" if "unified_addressing" in machine.features else ""
    loads = "".join(f"    ld.global{modern}.u32 %r{k}, [%at+{4 * threads * (k % step)}];\n"
                    + ("    add.u64 %at, %at, %zero;\n" if (k + 1) % step == 0 else "")        # nothing, but an assembler must not merge the rounds
                    for k in range(inner * step)) + "".join(f"    xor.b32 %sum, %sum, %r{k};\n" for k in range(inner * step))
    kernel = machine.compile(module(_ROUNDS.format(unroll=UNDER_WAY, loads=loads, step_bytes=4 * threads * step),
                                    ".param .u64 memory, .param .u32 rounds, .param .u32 steps"))
    memory = machine.array(footprint_bytes // 4)
    least = max(1, (1 << 18) // (inner * footprint_bytes))
    trips = [1 + least * k for k in (1, 3)]      # the first round, which finds nothing in L1, is in both

    def once() -> dict[str, float]:
        seconds = [machine.launch(kernel, p.multiprocessors, threads, memory, np.uint32(n), np.uint32(of_thread // step)) for n in trips]
        return {"": p.multiprocessors * inner * footprint_bytes * (trips[1] - trips[0]) / (seconds[1] - seconds[0]) / 1e9}
    return {"gb_s": machine.median(once)[""]}


_ELEMENT = """    .reg .u64 %from, %to, %at; .reg .u32 %r<4>, %i; .reg .pred %c;
    ld.param.u64 %from, [from]; ld.param.u64 %to, [to];
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %i, %r0, %r1, %r2;
    mov.u32 %r0, %i; mov.u32 %r1, 0; mul.wide.u32 %at, %i, 8;
{access}END:
"""
_ELEMENT_ACCESS = {
    "fill": "    add.u64 %to, %to, %at; st.global.v2.u32 [%to], {%r0, %r1};\n",
    "sum": "    add.u64 %from, %from, %at; ld.global.v2.u32 {%r0, %r1}, [%from]; xor.b32 %r0, %r0, %r1; setp.ne.u32 %c, %r0, 0x12345679;\n"
           "    @%c bra END;\n    st.global.u32 [%to], %r0;\n",
    "scale": "    add.u64 %from, %from, %at; ld.global.v2.u32 {%r0, %r1}, [%from]; add.u64 %to, %to, %at; st.global.v2.u32 [%to], {%r0, %r1};\n",
    "add": "    add.u64 %from, %from, %at; ld.global.v2.u32 {%r0, %r1}, [%from]; ld.param.u64 %from, [other]; add.u64 %from, %from, %at;\n"
           "    ld.global.v2.u32 {%r2, %r3}, [%from]; xor.b32 %r0, %r0, %r2; xor.b32 %r1, %r1, %r3; add.u64 %to, %to, %at;\n"
           "    st.global.v2.u32 [%to], {%r0, %r1};\n"}
_ELEMENT_WORDS = {"fill": 1, "sum": 1, "scale": 2, "add": 3}
"""That each thread reads and writes."""


@benchmark("element_stream", {"gb_s": "GB/s"},
           lambda machine: [{"kind": kind, "threads": t} for kind in _ELEMENT_ACCESS for t in (64, 128, 256, 512, 1024)
                            if t <= machine.properties.threads_per_block], choices={"kind": _ELEMENT_ACCESS})
def element_stream(machine: Machine, *, kind: str = "sum", threads: int = 0, blocks: int = 2) -> dict[str, float]:
    """Bandwidth of device memory where each thread touches one word of 8 bytes of each array and ends, with so many blocks of so many threads (0: the largest)
    resident on each multiprocessor, bounded by shared memory: what resident warps hide, and what the turnover of blocks costs. Of one array (fill, sum),
    from one to another (scale), or from two to a third (add)."""
    p = machine.properties
    threads = threads or p.threads_per_block
    if threads > p.threads_per_block:
        raise Unsupported(f"{threads} threads are more than a block of {machine.label} takes")
    shared_bytes = p.shared_bytes_per_multiprocessor // blocks // 1024 * 1024 - 1024
    if shared_bytes > p.shared_bytes_per_block or shared_bytes * (blocks + 1) <= p.shared_bytes_per_multiprocessor:
        raise Unsupported(f"shared memory of {machine.label} cannot bound residency to {blocks} blocks")
    waves = max(1, -(-max(machine.stream_bytes, p.l2_bytes) // (8 * threads * blocks * p.multiprocessors)))
    grids = [blocks * p.multiprocessors * waves * k for k in (1, 3)]
    nbytes = 8 * threads * grids[1]
    if 3 * nbytes > p.dram_bytes:
        raise Unsupported(f"three arrays of {nbytes} bytes do not fit the memory of {machine.label}")
    kernel = machine.compile(module(_ELEMENT.format(access=_ELEMENT_ACCESS[kind]), ".param .u64 from, .param .u64 to, .param .u64 other"))
    source, target, other = machine.scratch("from", nbytes), machine.scratch("to", nbytes), machine.scratch("other", nbytes if kind == "add" else 16)

    def once() -> dict[str, float]:
        seconds = []
        for grid in grids:
            machine.flush()
            seconds.append(machine.launch(kernel, grid, threads, source, target, other, shared_bytes=shared_bytes))
        return {"": _ELEMENT_WORDS[kind] * 8 * threads * (grids[1] - grids[0]) / (seconds[1] - seconds[0]) / 1e9}
    return {"gb_s": machine.median(once)[""]}
