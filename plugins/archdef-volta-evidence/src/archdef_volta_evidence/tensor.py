"""Matrix products of a V100's tensor cores, timed as those who measured the machine did."""
from __future__ import annotations

import numpy as np

FLOPS = {"wmma": 2 * 16 * 16 * 16, "mma": 4 * 2 * 8 * 8 * 4}
"""Operations of an instruction; `mma` is m8n8k4, a product in each of four groups of lanes."""
LENGTHS, WARPS = (8, 24), 16
STEPS = {"": "", "wmma": "wmma.mma.sync.aligned.row.col.m16n16k16.{sums}.{sums} {c}, {a8}, {b8}, {c};",
         "mma": "mma.sync.aligned.m8n8k4.row.col.{sums}.f16.f16.{sums} {c}, {a2}, {b2}, {c};"}


def tensor(device, *, instruction: str = "wmma", sums: str = "f32") -> dict[str, float]:
    """Time `wmma.mma` m16n16k16 or `mma` m8n8k4 with sums of one type.

    Gives ``cycles`` from one product to the next that needs all of it, and ``teraflops`` of all multiprocessors when each has 16 warps of
    products that need those of another warp at no time.
    """
    architecture = device.architecture
    together = _cycles(device, instruction, sums, 32, True) - _cycles(device, "", sums, 32, True)
    each = _cycles(device, instruction, sums, 32 * WARPS, False)
    flops = FLOPS[instruction] * WARPS / each * architecture.chip.multiprocessors
    return {"cycles": together, "teraflops": flops * architecture.clocks.shader_mhz * 1e6 / 1e12}


def _cycles(device, instruction: str, sums: str, threads: int, chained: bool) -> float:
    """Measure the cycles of one step of a loop: those of a longer loop, less those of a shorter one."""
    kernel = device.compile(_text(instruction, sums, chained))["k"]
    operands = device.to_device(np.zeros(1 << 14, "u4"))
    few, many = (kernel[1, threads](operands, 8 * length).cycles for length in LENGTHS)
    return (many - few) / (LENGTHS[1] - LENGTHS[0]) / 8 / LENGTHS[0]


def _text(instruction: str, sums: str, chained: bool) -> str:
    """Write the kernel; a chained step lets the first register of the next product wait for the last one of this."""
    c = [f"%c{k}" for k in range(4 if sums == "f16" else 8)]
    names = {f"{x}{n}": "{" + ", ".join(f"%{x}{k}" for k in range(n)) + "}" for x in "ab" for n in (2, 8)}
    step = STEPS[instruction].format(sums=sums, c="{" + ", ".join(c) + "}", **names) + f" xor.b32 {c[0]}, {c[0]}, {c[-1]};" * chained
    rows = [(x, k, 128 * (8 * j + k)) for j, x in enumerate("abc") for k in range(len(c) if x == "c" else 8)]
    loads = "\n".join(f"ld.global.b32 %{x}{k}, [%in+{at}];" for x, k, at in rows)
    stores = "\n".join(f"st.global.b32 [%in+{128 * (64 + k)}], {name};" for k, name in enumerate(c))
    steps = "\n".join([step] * LENGTHS[0])
    return f""".version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 trips)
{{
.reg .b32 %a<8>, %b<8>, %c<8>, %lane, %left; .reg .b64 %in; .reg .pred %again;
ld.param.u64 %in, [in]; ld.param.u32 %left, [trips]; mov.u32 %lane, %laneid; mad.wide.u32 %in, %lane, 4, %in;
{loads}
TRIP: .pragma "nounroll";
{steps}
sub.u32 %left, %left, 1; setp.ne.u32 %again, %left, 0;
@%again bra TRIP;
{stores}
ret;
}}
"""
