"""Atomic operations on shared and global memory: latency of a chain, rate by how lanes share addresses."""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.microbench.suite import benchmark, require
from archdef.microbench.machine import Machine, of_warps
from archdef.microbench.ptx import module, slope
from archdef.microbench.shared_memory import kernel, launcher, room

OPERATIONS = {  # what follows the operand; each needs the old value that the one before it gave
    "add": "atom.{space}.add.u32 %r4, [{at}], %r4;",
    "exch": "atom.{space}.exch.b32 %r4, [{at}], %r4;",
    "cas": "atom.{space}.cas.b32 %r4, [{at}], %r4, %r4;",
    "add_f32": "{{ .reg .f32 f; mov.b32 f, %r4; atom.{space}.add.f32 f, [{at}], f; mov.b32 %r4, f; }}",
}


def checked(machine: Machine, operation: str, feature: str) -> str:
    """Give an operation's text. Raises Unsupported."""
    require(machine, feature, f"an atomic {operation}")
    if operation == "add_f32":
        require(machine, "atomics_float_add", f"an atomic {operation}")
    return OPERATIONS[operation]


# --------------------------------------------------------------------------------------------------------------- shared
SHARED_STRIDES = (0, 1, 2, 32)


def _shared(machine: Machine) -> list[dict[str, Any]]:
    return [{"operation": operation, "stride_words": stride} for operation in OPERATIONS for stride in SHARED_STRIDES]


@benchmark("shared_atomic_latency", {"cycles": "cycles"}, _shared, choices={"operation": OPERATIONS})
def shared_atomic_latency(machine: Machine, *, operation: str = "add", stride_words: int = 1) -> dict[str, float]:
    """Cycles from one atomic operation on shared memory to the next whose operand it gives, in one warp whose lanes are so many words
    apart (0: all on one word)."""
    text = checked(machine, operation, "atomics_shared").format(space="shared", at="%a")
    shared, threads = room(machine, stride_words * 4, 4), machine.properties.warp_lanes
    before = "    mov.u32 %r4, 0;\n    st.shared.u32 [%a], %r4;\n    ld.param.u64 %at, [out]; ld.global.u32 %r4, [%at];\n"
    after = "    ld.param.u64 %at, [out]; st.global.u32 [%at+16], %r4;\n"
    return machine.median(lambda: {"cycles": slope(
        machine, lambda timed: kernel(machine, before, timed, after), lambda n: f"    {text}\n" * n, (16, 48),
        launcher(machine, threads, stride_words * 4, shared), threads=threads, results=2)})


@benchmark("shared_atomic_throughput", {"cycles": "cycles/access"}, lambda machine: [{"stride_words": stride} for stride in SHARED_STRIDES],
           features=("atomics_shared",))
def shared_atomic_throughput(machine: Machine, *, stride_words: int = 1, warps: int = 0) -> dict[str, float]:
    """Cycles for which a warp's atomic add to shared memory, whose old value nobody wants, occupies a multiprocessor, from one block
    (0 warps: the largest)."""
    shared, lanes = room(machine, stride_words * 4, 4), machine.properties.warp_lanes
    before = "    mov.u32 %r4, 0;\n    st.shared.u32 [%a], %r4;\n"
    return of_warps(machine, warps, lambda warps: {"cycles": slope(
        machine, lambda timed: kernel(machine, before, timed), lambda n: "    red.shared.add.u32 [%a], %lane;\n" * n, (16, 48),
        launcher(machine, warps * lanes, stride_words * 4, shared), threads=warps * lanes) / warps})


# --------------------------------------------------------------------------------------------------------------- global
def _global(machine: Machine) -> list[dict[str, Any]]:
    return [{"operation": operation, "lanes": lanes} for operation in OPERATIONS for lanes in (1, machine.properties.warp_lanes)]


PLACES = 8
"""Words whose chains are measured: how far one is depends on its address."""


@benchmark("global_atomic_latency", {"cycles": "cycles"}, _global, choices={"operation": OPERATIONS})
def global_atomic_latency(machine: Machine, *, operation: str = "add", lanes: int = 1) -> dict[str, float]:
    """Cycles from one atomic operation on global memory to the next whose operand it gives, in one warp of so many lanes, each on a word
    of its own; the mean over places that lie in different partitions of memory."""
    text = checked(machine, operation, "atomics_global").format(space="global", at="%at")
    memory = machine.array(PLACES * 2048)
    before = "    .reg .u64 %at, %place; .reg .u32 %r<8>;\n    ld.param.u64 %at, [memory]; ld.param.u64 %place, [place]; add.u64 %at, %at, %place;\n" \
        "    mov.u32 %r4, %tid.x; mad.wide.u32 %at, %r4, 4, %at;\n    ld.global.u32 %r4, [%at];\n"
    after = "    st.global.u32 [%at+2048], %r4;\n"

    def at(place: int) -> float:
        return slope(machine, lambda timed: module(before + timed + after, ".param .u64 out, .param .u64 memory, .param .u64 place"),
                     lambda n: f"    {text}\n" * n, (8, 24), lambda kernel, clocks: machine.launch(kernel, 1, lanes, clocks, memory, np.uint64(place)),
                     threads=lanes, trips=(1, 3))
    return machine.median(lambda: {"cycles": float(np.mean([at(8192 * k) for k in range(PLACES)]))})


PATTERNS = {  # (words between neighbours, lanes that share a word, words in all; 0: as many as there are)
    "one word": (0, 1, 1), "a word for each warp": (1, 0, 0), "neighbouring words": (1, 1, 0), "a sector for each lane": (8, 1, 0),
    "256 words": (1, 1, 256)}
_ADD = """    .reg .u64 %at; .reg .u32 %r<8>; .reg .pred %c;
    ld.param.u64 %at, [memory]; ld.param.u32 %r0, [times];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u32 %r2, [share]; div.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [apart]; mul.lo.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [words]; rem.u32 %r1, %r1, %r2;
    mad.wide.u32 %at, %r1, 4, %at;
    mov.u32 %r4, 0;
AGAIN:
    .pragma "nounroll";
    red.global.add.u32 [%at], %r0;
    red.global.add.u32 [%at], %r0;
    add.u32 %r4, %r4, 2;
    setp.lt.u32 %c, %r4, %r0;
    @%c bra AGAIN;
"""


@benchmark("global_atomic_throughput", {"per_ns": "thread operations/ns"}, lambda machine: [{"pattern": name} for name in PATTERNS],
           features=("atomics_global",), choices={"pattern": PATTERNS})
def global_atomic_throughput(machine: Machine, *, pattern: str = "one word") -> dict[str, float]:
    """Atomic adds of threads to global memory in a nanosecond, on the whole device, by how threads share words; old values unwanted."""
    p = machine.properties
    apart, share, words = PATTERNS[pattern]
    threads = min(512, p.threads_per_block)
    blocks = p.multiprocessors * 2
    words = words or max(1, apart) * threads * blocks
    memory = machine.array(words)
    add = machine.compile(module(_ADD, ".param .u64 memory, .param .u32 times, .param .u32 share, .param .u32 apart, .param .u32 words"))
    how = np.uint32(share or p.warp_lanes), np.uint32(apart), np.uint32(words)
    times = [2, 6] if pattern == "one word" else [n * max(machine.effort, 4) for n in (2, 6)]     # fewer would only fill queues

    def once() -> dict[str, float]:
        seconds = [machine.launch(add, blocks, threads, memory, np.uint32(n), *how) for n in times]
        return {"per_ns": threads * blocks * (times[1] - times[0]) / (seconds[1] - seconds[0]) / 1e9}
    return machine.median(once)
