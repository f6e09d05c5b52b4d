"""Kernels that move one box by a tensor map, run on an H100."""
import functools

import numpy as np

import archdef

WINDOW = 5120
"""Bytes of shared memory that a kernel is given and gives back; its barrier lies behind them."""
BARRIER = 6144
SHARED = 8192
LOAD = "cp.async.bulk.tensor.{rank}d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.{rank}d.global.shared::cta{mode}.bulk_group"
REDUCE = "cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{op}{mode}.bulk_group"
HEAD = f"""
.version 8.6
.target sm_90a
.address_size 64
.shared .align 1024 .b8 sh[{SHARED}];
.const .align 64 .b8 kept[128];
.global .align 64 .b8 held[128];
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 start, .param .u32 bytes) {{
.reg .b64 %rd<16>; .reg .b32 %r<40>; .reg .b16 %h<8>; .reg .pred %p<8>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; mov.b64 %rd4, map; cvta.param.u64 %rd6, %rd4;
ld.param.u32 %r10, [start]; ld.param.u32 %r11, [bytes];
mov.u32 %r1, %tid.x; mov.u32 %r2, sh; mov.u32 %r3, %r1;
FILL: shl.b32 %r4, %r3, 2; cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd5, %rd1; ld.global.u32 %r5, [%rd5]; add.u32 %r6, %r2, %r4; st.shared.u32 [%r6], %r5;
add.u32 %r3, %r3, %ntid.x; setp.lt.u32 %p1, %r3, {WINDOW // 4}; @%p1 bra FILL;
add.u32 %r7, %r2, {BARRIER}; setp.ne.u32 %p2, %r1, 0; add.u32 %r12, %r2, %r10; bar.sync 0; @%p2 bra DONE;
"""
TAIL = f"""
DONE: bar.sync 0; mov.u32 %r3, %r1;
BACK: shl.b32 %r4, %r3, 2; cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd5, %rd2; add.u32 %r6, %r2, %r4; ld.shared.u32 %r5, [%r6]; st.global.u32 [%rd5], %r5;
add.u32 %r3, %r3, %ntid.x; setp.lt.u32 %p1, %r3, {WINDOW // 4}; @%p1 bra BACK;
ret; }}
"""
WAIT = "SPIN: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], 0; @!%p3 bra SPIN;"
EXPECT = "mbarrier.init.shared::cta.b64 [%r7], 1; fence.proxy.async; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], %r11;\n"
GROUP = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"


def listed(rank: int, pixels: bool) -> str:
    """Load coordinates and offsets of pixels."""
    text = "".join(f"ld.global.u32 %r{20 + k}, [%rd3+{4 * k}];\n" for k in range(rank))
    return text + "".join(f"ld.global.u16 %h{k}, [%rd3+{20 + 4 * k}];\n" for k in range(rank - 2 if pixels else 0))


def vector(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"{prefix}{first + k}" for k in range(count)) + "}"


def text(rank: int, pixels: bool, action: str, op: str = "", before: str = "", map: str = "%rd6", name: str = "") -> str:
    """Make the kernel; `before`: what the copying thread does first."""
    box, mode = f"[{map}, {vector('%r', 20, rank)}]", ".im2col" if pixels else ".tile"
    if action == "load":
        name = name or LOAD.format(rank=rank, mode=mode)
        last = f", {vector('%h', 0, rank - 2)}" if pixels else ""
        body = f"{EXPECT}{name} [%r12], {box}, [%r7]{last}{', %h7' if 'multicast' in name else ''};\n{WAIT}"
    else:
        form = name or (REDUCE if action == "reduce" else STORE).format(rank=rank, op=op, mode=".im2col_no_offs" if pixels else mode)
        body = f"fence.proxy.async; {form} {box}, [%r12]; {GROUP}"
    return HEAD + listed(rank, pixels and action == "load") + before + body + TAIL


@functools.cache
def device() -> archdef.Device:
    return archdef.Device("h100")


@functools.cache
def compiled(source: str):
    return device().compile(source)


def run(source: str, map: bytes, window: np.ndarray, coordinates, offsets=(), start: int = 0, bytes_: int = 0) -> np.ndarray:
    """Launch a kernel; give the window of shared memory afterwards."""
    d = device()
    numbers = np.zeros(16, "i4")
    numbers[:len(coordinates)], numbers[5:5 + len(offsets)] = coordinates, offsets
    given, out, listed_ = d.to_device(window), d.zeros(WINDOW, "u1"), d.to_device(numbers)
    try:
        compiled(source).k[1, 32](map, given, out, listed_, start, bytes_)
        return out.to_host()
    finally:
        for array in (given, out, listed_):
            array.free()
