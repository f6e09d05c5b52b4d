"""Matrix products of a V100's tensor cores, timed as those who measured the machine did."""
from __future__ import annotations

from archdef.microbench.machine import as_machine
from archdef.microbench.ptx import module, slope

FLOPS = {"wmma": 2 * 16 * 16 * 16, "mma": 4 * 2 * 8 * 8 * 4}
"""Operations of an instruction; `mma` is m8n8k4, a product in each of four groups of lanes."""
WHOLE_LENGTHS, WARPS = (4, 12), 16


def tensor(device, *, instruction: str = "wmma", sums: str = "f32") -> dict[str, float]:
    """Time `wmma.mma` m16n16k16 or `mma` m8n8k4 with sums of one type.

    Gives ``cycles`` from one product to the next that needs all of it, and ``teraflops`` of all multiprocessors when each has 16 warps of
    products that do not need each other.
    """
    machine, architecture = as_machine(device), device.architecture
    together = _cycles(machine, instruction, sums, 32, True) - _cycles(machine, "", sums, 32, True)
    each = _cycles(machine, instruction, sums, 32 * WARPS, False)
    flops = FLOPS[instruction] * WARPS / each * architecture.chip.multiprocessors
    return {"cycles": together, "teraflops": flops * architecture.clocks.shader_mhz * 1e6 / 1e12}


def _cycles(machine, instruction: str, sums: str, threads: int, chained: bool) -> float:
    """Measure the cycles of one step; a chained one lets the first register of the next product wait for the last one of this."""
    count = 4 if sums == "f16" else 8
    c = [f"%c{k}" for k in range(count)]
    joined = f"{{{', '.join(c)}}}"
    product = {"wmma": f"wmma.mma.sync.aligned.row.col.m16n16k16.{sums}.{sums} {joined}, {{{', '.join(f'%a{k}' for k in range(8))}}}, "
                       f"{{{', '.join(f'%b{k}' for k in range(8))}}}, {joined};",
               "mma": f"mma.sync.aligned.m8n8k4.row.col.{sums}.f16.f16.{sums} {joined}, {{%a0, %a1}}, {{%b0, %b1}}, {joined};", "": ""}[instruction]
    wait = f"xor.b32 {c[0]}, {c[0]}, {c[-1]};" * chained
    operands = machine.array(1 << 14)
    loads = "".join(f"    ld.global.b32 %{x}{k}, [%in+{128 * (8 * j + k)}]; st.global.b32 [%in+{128 * (32 + 8 * j + k)}], %{x}{k};\n"
                    for j, (x, n) in enumerate((("a", 8), ("b", 8), ("c", count))) for k in range(n))
    body = "    .reg .b32 %a<8>, %b<8>, %c<8>, %lane; .reg .u64 %in;\n" \
        "    ld.param.u64 %in, [in]; mov.u32 %lane, %laneid; mad.wide.u32 %in, %lane, 4, %in;\n" + loads
    stores = "".join(f"    st.global.b32 [%in+{128 * (64 + k)}], {name};\n" for k, name in enumerate(c))

    def write(timed: str) -> str:
        return module(body + timed + stores, ".param .u64 out, .param .u64 in", target=70, version="6.4")

    return slope(machine, write, lambda n: f"    {product} {wait}\n" * n, WHOLE_LENGTHS,
                 lambda kernel, clocks: machine.launch(kernel, 1, threads, clocks, operands), threads=threads)
