"""Dependent chains (latency) and independent chains (throughput) of every class of arithmetic."""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.microbench.suite import benchmark, require
from archdef.microbench.machine import Machine, of_warps
from archdef.microbench.operations import STEPS, Step
from archdef.microbench.ptx import TYPE, module, slope

HELD_BYTES = 8 * 1024
"""Between two operands of a thread in the array of operands: room for the largest block."""


def step_of(machine: Machine, operation: str) -> Step:
    """Give a step by name. Raises Unsupported, if the machine lacks a feature that it needs."""
    step = STEPS[operation]
    for feature in step.features:
        require(machine, feature, operation)
    if step.lanes and machine.properties.warp_lanes > 32:
        require(machine, "lane_masks_64", operation)
    return step


def cycles_per_step(machine: Machine, step: Step, threads: int, chains: int, lengths: tuple[int, int]) -> float:
    """Measure the cycles of one step of `chains` chains side by side, in one block of so many threads."""
    lanes = machine.properties.warp_lanes
    text = step.body(machine.features, lanes)
    names = {"all": hex((1 << lanes) - 1), "clamp": hex(lanes - 1), "y": "%y", "z": "%z"}
    one = "".join("    " + text.format(x=f"%x{k}", w=f"%w{k}", **names) + "\n" for k in range(chains))
    kind, bits = TYPE[step.type], "b" + step.type[1:]
    declared = f"""    .reg .u64 %in, %sum; .reg .u32 %thread; .reg {kind} %x<{chains}>, %w<{chains}>, %y, %z;
    ld.param.u64 %in, [in]; mov.u32 %thread, %tid.x; mad.wide.u32 %in, %thread, 8, %in;
    ld.global.{bits} %y, [%in+{2 * HELD_BYTES}]; ld.global.{bits} %z, [%in+{3 * HELD_BYTES}];
""" + "".join(f"    ld.global.{bits} %x{k}, [%in]; ld.global.{bits} %w{k}, [%in+{HELD_BYTES}];\n" for k in range(chains))
    # stores wait for what was loaded, before the clock is read
    declared += "".join(f"    st.global.{bits} [%in+{(4 + k) * HELD_BYTES}], {name};\n" for k, name in enumerate(("%x0", "%w0", "%y", "%z")))
    stored = "".join(f"    st.global.{bits} [%in+{4 * HELD_BYTES}], %x{k};\n    st.global.{bits} [%in+{5 * HELD_BYTES}], %w{k};\n"
                     f"    add.u64 %in, %in, {2 * HELD_BYTES};\n" for k in range(chains))
    held = np.zeros((8 + 2 * chains, HELD_BYTES // 8), "u8")
    held[:4] = np.array(step.words(), "u8")[:, None]
    operands = machine.array(held)

    def write(timed: str) -> str:
        return module(declared + timed + stored, ".param .u64 out, .param .u64 in", target=step.target, version=step.version)

    return slope(machine, write, lambda n: one * n, lengths, lambda kernel, clocks: machine.launch(kernel, 1, threads, clocks, operands),
                 threads=threads)


def _operations(machine: Machine) -> list[dict[str, Any]]:
    return [{"operation": name} for name in STEPS]


@benchmark("latency", {"cycles": "cycles"}, _operations, choices={"operation": STEPS})
def latency(machine: Machine, *, operation: str = "fma_f32") -> dict[str, float]:
    """Cycles from one instruction of a dependent chain to the next, in one warp; where instructions of different classes take turns,
    such as setp and selp, of all together."""
    step = step_of(machine, operation)
    share = step.operations if step.alike else 1
    return machine.median(lambda: {"cycles": cycles_per_step(machine, step, machine.properties.warp_lanes, 1, step.lengths) / share})


def throughput_lengths(step: Step, chains: int) -> tuple[int, int]:
    """Steps of the two pieces of a throughput measurement, so that the kernel stays in the instruction cache."""
    short, long = step.lengths
    return max(1, short // chains), max(2, long // chains)


@benchmark("throughput", {"per_cycle": "results/cycle/SM"}, _operations, choices={"operation": STEPS})
def throughput(machine: Machine, *, operation: str = "fma_f32", chains: int = 4, warps: int = 0) -> dict[str, float]:
    """Results of PTX instructions per cycle and multiprocessor, from independent chains of every thread of one block (0 warps: the largest)."""
    step, lanes = step_of(machine, operation), machine.properties.warp_lanes

    def once(warps: int) -> dict[str, float]:
        cycles = cycles_per_step(machine, step, warps * lanes, chains, throughput_lengths(step, chains))
        return {"per_cycle": warps * lanes * chains * step.operations / cycles}
    return of_warps(machine, warps, once)


def _hiding(machine: Machine) -> list[dict[str, Any]]:
    most = machine.properties.warps_per_block
    return [{"chains": chains, "warps": warps} for chains in (1, 2, 4) for warps in (1, 2, 4, 8, 12, 16, 24, 32) if warps <= most]


@benchmark("latency_hiding", {"per_cycle": "results/cycle/SM"}, _hiding, choices={"operation": STEPS})
def latency_hiding(machine: Machine, *, operation: str = "fma_f32", chains: int = 1, warps: int = 1) -> dict[str, float]:
    """Throughput against warps of one block and independent chains of each thread: how much parallelism hides the latency."""
    return throughput(machine, operation=operation, chains=chains, warps=warps)
