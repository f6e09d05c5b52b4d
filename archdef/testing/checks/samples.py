"""Small kernels that need no feature: whatever is declared, they run, and the reference interpreter knows their results.

Between them they use global, shared, local and constant memory, barriers, loops that lanes leave one by one, integer and
single-precision arithmetic.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from archdef.errors import LaunchError
from archdef.occupancy import occupancy
from archdef.testing.compare import Launch

if TYPE_CHECKING:
    from archdef.spec import Architecture

_HEAD = """.version 6.0
.target sm_30
.address_size 64
{outside}
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{{
    .reg .pred %p<8>; .reg .b32 %r<24>; .reg .f32 %f<16>; .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x;
    mad.lo.u32 %r6, %r4, %r3, %r2;
{body}
    ret;
}}
"""

_STREAM = """
    mul.lo.u32 %r7, %r3, %r5;
LOOP: setp.ge.u32 %p1, %r6, %r1; @%p1 bra END;
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
    ld.global.u32 %r8, [%rd4]; add.u32 %r8, %r8, %r6; st.global.u32 [%rd5], %r8;
    add.u32 %r6, %r6, %r7; bra LOOP;
END:"""

_STRIDED = """
    mul.lo.u32 %r7, %r6, 17; rem.u32 %r7, %r7, %r1;
    mul.wide.u32 %rd3, %r7, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
    ld.global.u32 %r8, [%rd4]; xor.b32 %r8, %r8, %r6; st.global.u32 [%rd5], %r8;"""

_REVERSED = """
    .shared .align 4 .b8 part[4096];
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r7, [%rd4];
    mov.u32 %r8, part; shl.b32 %r9, %r2, 2; add.u32 %r9, %r8, %r9; st.shared.u32 [%r9], %r7;
    bar.sync 0;
    sub.u32 %r10, %r3, %r2; sub.u32 %r10, %r10, 1; shl.b32 %r10, %r10, 2; add.u32 %r10, %r8, %r10; ld.shared.u32 %r11, [%r10];
    bar.sync 0;
    mul.lo.u32 %r12, %r2, 33; rem.u32 %r12, %r12, %r3; shl.b32 %r12, %r12, 2; add.u32 %r12, %r8, %r12; ld.shared.u32 %r13, [%r12];
    add.u32 %r11, %r11, %r13; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r11;"""

_COLLATZ = """
    add.u32 %r7, %r6, 1; mov.u32 %r8, 0;
LOOP: setp.eq.u32 %p1, %r7, 1; @%p1 bra END;
    and.b32 %r9, %r7, 1; setp.eq.u32 %p2, %r9, 0; @%p2 bra EVEN;
    mad.lo.u32 %r7, %r7, 3, 1; bra NEXT;
EVEN: shr.u32 %r7, %r7, 1;
NEXT: add.u32 %r8, %r8, 1; bra LOOP;
END: mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r8;"""

_FLOATS = """
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r7, [%rd4];
    and.b32 %r8, %r7, 65535; sub.s32 %r8, %r8, 32768; cvt.rn.f32.s32 %f1, %r8; mul.rn.f32 %f1, %f1, 0f38000000;
    mov.f32 %f2, 0f3F800000; mov.u32 %r9, 0;
LOOP: mul.rn.f32 %f2, %f2, %f1; add.rn.f32 %f2, %f2, 0f3F19999A; mul.rn.f32 %f3, %f2, 0f40490FDB; sub.rn.f32 %f2, %f3, %f2;
    setp.lt.f32 %p1, %f2, 0f00000000; @%p1 neg.f32 %f2, %f2; min.f32 %f2, %f2, 0f41200000;
    add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 8; @%p2 bra LOOP;
    add.u64 %rd5, %rd1, %rd3; st.global.f32 [%rd5], %f2;"""

_TABLE = """
    and.b32 %r7, %r6, 15; mul.wide.u32 %rd6, %r7, 4; mov.u64 %rd7, table; add.u64 %rd7, %rd7, %rd6; ld.const.u32 %r8, [%rd7];
    ld.const.u32 %r9, [table+12]; add.u32 %r8, %r8, %r9;
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r8;"""
_TABLE_OUTSIDE = ".const .align 4 .u32 table[16] = {" + ", ".join(str(k * k + 3) for k in range(16)) + "};"

_LOCAL = """
    .local .align 4 .b8 own[64];
    mov.u64 %rd6, own; mov.u32 %r7, 0;
FILL: mad.lo.u32 %r8, %r7, %r6, 7; mul.wide.u32 %rd7, %r7, 4; add.u64 %rd8, %rd6, %rd7; st.local.u32 [%rd8], %r8;
    add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 16; @%p1 bra FILL;
    and.b32 %r9, %r6, 15; mul.wide.u32 %rd7, %r9, 4; add.u64 %rd8, %rd6, %rd7; ld.local.u32 %r10, [%rd8];
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r10;"""

_BODIES = {"stream": (_STREAM, "", 3), "strided": (_STRIDED, "", 1), "shared": (_REVERSED, "", 1), "divergent": (_COLLATZ, "", 1),
           "floats": (_FLOATS, "", 1), "constants": (_TABLE, _TABLE_OUTSIDE, 1), "local": (_LOCAL, "", 1)}
"""Name → body, what stands outside the kernel, elements per thread."""


def kernel(body: str, outside: str = "") -> str:
    """Wrap a body into a module: it finds out, in and n in %rd1, %rd2 and %r1, tid, ntid, ctaid, nctaid and the thread's number in
    %r2 to %r6."""
    return _HEAD.format(body=body, outside=outside)


def samples(architecture: Architecture, blocks: int = 5) -> dict[str, Launch]:
    """Make the launches: blocks of a number of threads that is no multiple of the warp's, where there is room."""
    threads = block_threads(architecture)
    made = {}
    for name, (body, outside, each) in _BODIES.items():
        if name == "local" and architecture.limits.local_bytes_per_thread < 64:
            continue
        count = blocks * threads * each
        if name == "strided":       # a stride that meets every element once
            count = next(n for n in range(count, count + 18) if math.gcd(n, 17) == 1)
        data = (np.arange(count, dtype="u4") * np.uint32(2654435761)) >> np.uint32(7)
        made[name] = Launch(kernel(body, outside), (np.zeros(count, "u4"), data.astype("u4"), count), (blocks,), (threads,))
    return made


def block_threads(architecture: Architecture, most: int = 80, registers: int = 32) -> int:
    """Choose a size of block that an architecture has room for: `most`, two warps and a half of 32 lanes, if it can be, else a half of it."""
    threads = min(most, architecture.limits.block_dimensions[0])
    while threads > 1 and not has_room(architecture, threads, registers):
        threads //= 2
    return threads


def has_room(architecture: Architecture, threads: int, registers: int) -> bool:
    """Tell whether a block of so many threads, in a line, with so many registers each can run."""
    limits = architecture.limits
    try:
        occupancy(architecture, threads=threads, registers=min(registers, limits.registers_per_thread))
    except LaunchError:
        return False
    return threads <= limits.block_dimensions[0]
