"""Kernels that ask much of one part of a machine each, and every bound that a launch of them may exceed."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import archdef
from archdef.bounds import ceilings
from archdef.errors import MissingFeature
from archdef.run.result import Run

PTX = """
.version 6.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 trips, .param .u32 mask) {{
.reg .u64 %p, %q, %o; .reg .u32 %i, %n, %m, %t, %b, %w, %x, %y, %s; .reg .f32 %a<9>; .reg .f64 %d<9>; .reg .pred %c;
.shared .align 16 .b8 shared[4096];
ld.param.u64 %p, [p]; ld.param.u32 %n, [trips]; ld.param.u32 %m, [mask];
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %w, %ntid.x;
mad.lo.u32 %x, %b, %w, %t;
mul.wide.u32 %o, %x, 4; add.u64 %q, %p, %o;
mov.u32 %s, shared;
mov.f32 %a0, 0f3F800000; mov.f32 %a1, 0f3F800001; mov.f32 %a2, 0f3F800002; mov.f32 %a3, 0f3F800003;
mov.f32 %a4, 0f3F800004; mov.f32 %a5, 0f3F800005; mov.f32 %a6, 0f3F800006; mov.f32 %a7, 0f3F800007;
{setup}
mov.u32 %i, 0;
LOOP:
{body}
add.u32 %i, %i, 1;
setp.lt.u32 %c, %i, %n;
@%c bra LOOP;
{last}
ret;
}}
"""
KEEP = "add.f32 %a0, %a0, %a1; add.f32 %a2, %a2, %a3; add.f32 %a4, %a4, %a5; add.f32 %a6, %a6, %a7; " \
       "add.f32 %a0, %a0, %a2; add.f32 %a4, %a4, %a6; add.f32 %a0, %a0, %a4; st.global.f32 [%q], %a0;"
ELSEWHERE = "mad.lo.u32 %y, %i, 4099, %x; and.b32 %y, %y, %m; mul.wide.u32 %o, %y, 4; add.u64 %o, %p, %o;\n"
FAR = "mad.lo.u32 %y, %x, 37, %i; mul.lo.u32 %y, %y, 41; and.b32 %y, %y, %m; mul.wide.u32 %o, %y, 4; add.u64 %o, %p, %o;\n"
DOUBLES = "".join(f"cvt.f64.f32 %d{k}, %a{k};" for k in range(8))
KEEP_DOUBLES = "".join(f"add.f64 %d0, %d0, %d{k};" for k in range(1, 8)) + "cvt.rn.f32.f64 %a0, %d0;" + KEEP


FUSED = "mul.f32 %a8, %a{k}, %a{k}; add.f32 %a{k}, %a8, %a{k};"      # as the machine does it: some have no fma
FUSED_DOUBLES = "mul.f64 %d8, %d{k}, %d{k}; add.f64 %d{k}, %d8, %d{k};"


def _each(text: str, count: int = 8) -> str:
    return "".join(text.format(k=k) for k in range(count))


KERNELS = {     # name → body of the loop, before it, behind it
    "reads": (ELSEWHERE + "ld.global.f32 %a0, [%o]; add.f32 %a1, %a1, %a0;", "", KEEP),
    "reads past L1": (ELSEWHERE + "ld.global.cg.f32 %a0, [%o]; add.f32 %a1, %a1, %a0;", "", KEEP),
    "reads of nobody": (ELSEWHERE + "ld.volatile.global.f32 %a0, [%o];", "", ""),
    "reads apart": (FAR + "ld.global.f32 %a0, [%o]; add.f32 %a1, %a1, %a0;", "", KEEP),
    "stores": (ELSEWHERE + "st.global.f32 [%o], %a1;", "", ""),
    "stores apart": (FAR + "st.global.f32 [%o], %a1;", "", ""),
    "stores of one place": ("st.global.f32 [%q], %a1;", "", ""),
    "copy": (ELSEWHERE + "ld.global.f32 %a0, [%o]; st.global.f32 [%q], %a0;", "", ""),
    "products and sums": (_each(FUSED) * 4, "", KEEP),
    "products beside products and sums": (_each(FUSED, 4) + "".join(f"mul.rn.f32 %a{k}, %a{k}, %a{k};" for k in range(4, 8)), "", KEEP),
    "both widths": (_each(FUSED + FUSED_DOUBLES), DOUBLES, KEEP_DOUBLES),
    "both widths, one more": (_each(FUSED) * 2 + _each(FUSED_DOUBLES, 5), DOUBLES, KEEP_DOUBLES),
    "atomics on a word": ("red.global.add.u32 [%p], %x;", "", ""),
    "atomics": (ELSEWHERE + "red.global.add.u32 [%o], %x;", "", ""),
    "atomics that return": (ELSEWHERE + "atom.global.add.u32 %y, [%o], %x; xor.b32 %x, %x, %y;", "", "st.global.u32 [%q], %x;"),
    "shared memory": ("ld.volatile.shared.f32 %a0, [%y]; ld.volatile.shared.f32 %a1, [%y+4];", "and.b32 %y, %t, 127; shl.b32 %y, %y, 2; add.u32 %y, %y, %s;", KEEP),
    "conflicts": ("ld.volatile.shared.f32 %a0, [%y]; st.volatile.shared.f32 [%y], %a0;", "and.b32 %y, %t, 31; shl.b32 %y, %y, 7; add.u32 %y, %y, %s;", KEEP),
    "wide shared memory": ("ld.volatile.shared.v4.f32 {%a0, %a1, %a2, %a3}, [%y];", "and.b32 %y, %t, 127; shl.b32 %y, %y, 4; add.u32 %y, %y, %s;", KEEP),
    "barriers": ("bar.sync 0; st.volatile.shared.f32 [%y], %a0; bar.sync 0; ld.volatile.shared.f32 %a0, [%y+64];",
                 "and.b32 %y, %t, 127; shl.b32 %y, %y, 2; add.u32 %y, %y, %s;", KEEP),
    "functions": ("sin.approx.f32 %a0, %a0; ex2.approx.f32 %a1, %a1; rsqrt.approx.f32 %a2, %a2;", "", KEEP),
    "lanes apart": ("setp.lt.u32 %c, %y, %i; @%c bra ON;\nadd.f32 %a0, %a0, %a1; mul.f32 %a2, %a2, %a2; add.f32 %a0, %a0, %a2; mul.f32 %a3, %a0, %a3;\n"
                    "mul.f32 %a4, %a3, %a0; mul.f32 %a5, %a4, %a0; add.f32 %a6, %a5, %a0;\nON:", "and.b32 %y, %t, 15;", KEEP),
    "nothing": ("", "", ""),
}
"""What to launch on every machine; one that lacks the instructions refuses it."""


def launched(machine, name: str, *, blocks: int, threads: int, trips: int) -> Run | None:
    """Launch a kernel; None if the machine refuses it."""
    body, setup, last = KERNELS[name]
    device = archdef.Device(machine)
    words = 1 << max(16, (blocks * threads - 1).bit_length())
    try:
        return device.compile(PTX.format(body=body, setup=setup, last=last)).k[blocks, threads](device.to_device(np.ones(words, "f4")), trips, words - 1)
    except MissingFeature:
        return None


def exceeded(run: Run) -> Iterator[str]:
    """List every bound and ceiling beyond which a launch is said to be."""
    least = 1 - 1e-9        # of rates, which are rounded
    if (bounds := run.bounds) is not None:
        yield from (f"{run.cycles} cycles, fewer than the {b.cycles} of {b.name} ({b.about})" for b in bounds.lower if b.cycles * least > run.cycles)
        if bounds.upper and run.cycles > bounds.upper.cycles:
            yield f"{run.cycles} cycles, more than {bounds.upper.cycles} in a row"
    if (roof := run.roofline) is not None:
        yield from (f"{roof.gflop_s} GFLOP/s of {point.attainable} by {point.level}" for point in roof.points if roof.gflop_s * least > point.attainable)
        if roof.gflop_s * least > roof.peak:
            yield f"{roof.gflop_s} GFLOP/s of {roof.peak}"
    moved = _bytes(run)
    for top in ceilings(run.architecture):
        if top.name in moved and moved[top.name] / run.elapsed_s / 1e9 * least > top.rate:
            yield f"{moved[top.name] / run.elapsed_s / 1e9} {top.unit} of {top.rate} by {top.name}"


def _bytes(run: Run) -> dict[str, float]:
    c, partition, shared = run.counters, run.partition, run.architecture.shared
    level = "L2" if run.architecture.caches.l2 else "network"
    passes = c.shared_load_passes + c.shared_store_passes + c.shared_atomic_passes
    return {"DRAM": float((partition["bytes_read"] + partition["bytes_written"]).sum()), f"{level} reads": float(partition["response_bytes"].sum()),
            f"{level} writes": float(partition["request_bytes"].sum()), "shared memory": float(passes * shared.banks * shared.bank_width_bytes)}
