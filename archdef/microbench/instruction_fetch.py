"""How fast instructions come: loops of growing length against the caches of instructions."""
from __future__ import annotations

from typing import Any

from archdef.microbench.machine import Machine
from archdef.microbench.ptx import module, slope
from archdef.microbench.suite import UnfitParameter, benchmark

CHAINS = 8
"""Additions side by side, so that no instruction waits for another."""


def _loops(machine: Machine) -> list[dict[str, Any]]:
    kib = [1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 144, 160]
    return [{"instructions": 64 * size} for size in kib]


@benchmark("code", {"cycles": "cycles"}, _loops)
def code(machine: Machine, *, instructions: int = 256, warps: int = 1, blocks: int = 1) -> dict[str, float]:
    """Cycles per instruction of every warp in a loop of so many additions without a branch, once it is under way; caches of instructions
    that do not hold the loop show as steps."""
    if instructions < CHAINS:
        raise UnfitParameter(f"instructions must be at least {CHAINS}, got {instructions}")
    declared = f"    .reg .f32 %x<{CHAINS}>, %y; .reg .u64 %in;\n    ld.param.u64 %in, [in]; ld.global.f32 %y, [%in];\n" + "".join(
        f"    ld.global.f32 %x{k}, [%in+{4 * k + 4}]; st.global.f32 [%in+{4 * k + 64}], %x{k};\n" for k in range(CHAINS))
    stored = "".join(f"    st.global.f32 [%in+{4 * k + 64}], %x{k};\n" for k in range(CHAINS))
    threads, values = warps * machine.properties.warp_lanes, machine.array(64, "f4")

    def write(timed: str) -> str:
        return module(declared + timed + stored, ".param .u64 out, .param .u64 in")

    def once() -> dict[str, float]:
        return {"cycles": slope(machine, write, lambda n: "".join(f"    add.f32 %x{k % CHAINS}, %x{k % CHAINS}, %y;\n" for k in range(n)),
                                (instructions,), lambda kernel, clocks: machine.launch(kernel, blocks, threads, clocks, values),
                                threads=threads, blocks=blocks, trips=(2, 6))}
    return machine.median(once)
