"""Shared memory: latency and rate of accesses whose lanes are some words apart, and so meet in banks."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from archdef.microbench.suite import Unsupported, benchmark
from archdef.microbench.machine import Array, Machine, of_warps
from archdef.microbench.ptx import module, slope

STRIDES = (0, 1, 2, 3, 4, 8, 16, 32, 33, 64)
VECTOR = {4: "", 8: ".v2", 16: ".v4"}
CHAINS = 4
"""Of each thread, where the rate is measured."""

PLACE = """    .reg .u32 %a, %lane; .reg .u64 %at; .reg .u32 %r<40>;
    mov.u32 %lane, %tid.x;
    rem.u32 %lane, %lane, {lanes};
    ld.param.u32 %r0, [apart];
    mul.lo.u32 %a, %lane, %r0;
    mov.u64 %at, memory;
    cvt.u32.u64 %r0, %at;
    add.u32 %a, %a, %r0;
"""
"""Points %a of each lane some bytes behind the lane before; how many, an assembler must not know, or it would add up for all lanes what they
add to one word."""
COLLECT = "".join(f"    xor.b32 %r0, %r0, %r{k};\n" for k in (1, 2, 3))


def kernel(machine: Machine, before: str, timed: str, after: str = "") -> str:
    """Wrap the pieces of a kernel whose lanes have their places in dynamic shared memory."""
    return module(PLACE.format(lanes=machine.properties.warp_lanes) + before + timed + after, ".param .u64 out, .param .u32 apart",
                  variables=".extern .shared .align 16 .b8 memory[];\n")


def launcher(machine: Machine, threads: int, apart_bytes: int, shared_bytes: int) -> Callable[[Any, Array], float]:
    """Give the function that launches such a kernel."""
    return lambda kernel, clocks: machine.launch(kernel, 1, threads, clocks, np.uint32(apart_bytes), shared_bytes=shared_bytes)


def names(first: int, word_bytes: int) -> str:
    """Name the registers of a word."""
    registers = [f"%r{first + k}" for k in range(word_bytes // 4)]
    return registers[0] if len(registers) == 1 else "{" + ", ".join(registers) + "}"


def chain(word_bytes: int, number: int = 0) -> tuple[str, str]:
    """Give the text of two steps of a chain of loads, each from where the first register of the one before points to.

    The other registers of a word are used too, when the next load is under way, so that they cannot be left out.
    """
    here, there = 4 + 8 * number, 8 + 8 * number

    def step(to: int, of: int) -> str:
        return f"    ld.shared{VECTOR[word_bytes]}.u32 {names(to, word_bytes)}, [%r{of}];\n" \
            + "".join(f"    xor.b32 %r{k}, %r{k}, %r{of + k};\n" for k in range(1, word_bytes // 4))
    return step(there, here), step(here, there)


def following(number: int = 0) -> str:
    """Begin such a chain at %a; %r0 … %r3 collect what `chain` uses."""
    return "".join(f"    mov.u32 %r{4 + 8 * number + k}, %a;\n" for k in range(8))


def room(machine: Machine, apart_bytes: int, word_bytes: int) -> int:
    """Give the bytes that all lanes of a warp need. Raises Unsupported."""
    needed = (machine.properties.warp_lanes - 1) * apart_bytes + word_bytes
    if needed > machine.properties.shared_bytes_per_block:
        raise Unsupported(f"{needed} bytes of shared memory are more than the {machine.properties.shared_bytes_per_block} of {machine.label}")
    return -(-needed // 16) * 16


def _patterns(machine: Machine) -> list[dict[str, Any]]:
    return [{"stride_words": stride, "word_bytes": width} for width in VECTOR for stride in STRIDES
            if ((machine.properties.warp_lanes - 1) * stride + 1) * width <= machine.properties.shared_bytes_per_block - 256]


@benchmark("shared_latency", {"cycles": "cycles"}, _patterns, choices={"word_bytes": VECTOR})
def shared_latency(machine: Machine, *, stride_words: int = 1, word_bytes: int = 4) -> dict[str, float]:
    """Cycles from one load of shared memory to the next whose address depends on it, in one warp whose lanes are so many words apart."""
    shared, threads = room(machine, stride_words * word_bytes, word_bytes), machine.properties.warp_lanes
    before = "".join(f"    mov.u32 %r{k}, %a;\n" for k in range(4)) + following() \
        + f"    st.shared{VECTOR[word_bytes]}.u32 [%a], {names(4, word_bytes)};\n"
    after = COLLECT + "    xor.b32 %r0, %r0, %r4;\n    ld.param.u64 %at, [out]; st.global.u32 [%at+16], %r0;\n"
    steps = chain(word_bytes)
    return machine.median(lambda: {"cycles": slope(
        machine, lambda timed: kernel(machine, before, timed, after), lambda n: "".join(steps) * (n // 2), (32, 96),
        launcher(machine, threads, stride_words * word_bytes, shared), threads=threads, results=2)})


def _rates(machine: Machine) -> list[dict[str, Any]]:
    return [{**pattern, "kind": kind} for kind in ("load", "store") for pattern in _patterns(machine)]


@benchmark("shared_throughput", {"cycles": "cycles/access"}, _rates, choices={"kind": ("load", "store"), "word_bytes": VECTOR})
def shared_throughput(machine: Machine, *, kind: str = "load", stride_words: int = 1, word_bytes: int = 4, warps: int = 0) -> dict[str, float]:
    """Cycles for which an access of a warp to shared memory occupies a multiprocessor, from independent accesses of one block (0 warps: the
    largest)."""
    shared = room(machine, stride_words * word_bytes, word_bytes)
    if kind == "load":
        pieces = [chain(word_bytes, number) for number in range(CHAINS)]
        steps = [piece[turn] for turn in (0, 1) for piece in pieces]
    else:
        steps = [f"    st.volatile.shared{VECTOR[word_bytes]}.u32 [%a], {names(4, word_bytes)};\n"]
    before = "".join(f"    mov.u32 %r{k}, %a;\n" for k in range(4)) + "".join(following(c) for c in range(CHAINS)) \
        + f"    st.shared{VECTOR[word_bytes]}.u32 [%a], {names(4, word_bytes)};\n"
    lanes = machine.properties.warp_lanes

    def once(warps: int) -> dict[str, float]:
        after = COLLECT + "".join(f"    xor.b32 %r0, %r0, %r{4 + 8 * c};\n" for c in range(CHAINS)) \
            + f"    ld.param.u64 %at, [out]; st.global.u32 [%at+{16 * warps}], %r0;\n"
        return {"cycles": slope(
            machine, lambda timed: kernel(machine, before, timed, after), lambda n: "".join(steps[k % len(steps)] for k in range(n)), (16, 48),
            launcher(machine, warps * lanes, stride_words * word_bytes, shared), threads=warps * lanes, results=2) / warps}
    return of_warps(machine, warps, once)
