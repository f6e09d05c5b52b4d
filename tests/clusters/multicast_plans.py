"""Kernels in which blocks of a cluster copy to each other at random, and what they must leave."""
import numpy as np

TILE, BLOCKS, COPIES, ROUNDS, PIECE = 16384, 8, 3, 3, 128
PLAIN = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r22], [%rd10], %r23, [%r24], %h1;"
BOX = """shr.u32 %r26, %r25, 8; and.b32 %r27, %r25, 255; shr.u32 %r27, %r27, 2;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r22], [%rd6, {%r27, %r26}], [%r24], %h1;"""
SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
KERNEL = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 table, .param .u64 expected, .param .align 64 .b8 map[128], .param .u32 rounds) {
.reg .b64 %rd<20>; .reg .b32 %r<50>; .reg .b16 %h<4>; .reg .pred %p<8>; .shared .align 128 .b8 tile[{TILE}]; .shared .align 8 .b64 bar[2];
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [table]; ld.param.u64 %rd4, [expected]; mov.b64 %rd5, map;
cvta.param.u64 %rd6, %rd5; ld.param.u32 %r9, [rounds]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, bar; mov.u32 %r4, %ctaid.x;
mov.u32 %r40, %cluster_ctarank; mov.u32 %r8, %r1; mov.u32 %r5, 0;
CLEAR: add.u32 %r6, %r2, %r8; st.shared.u8 [%r6], 0; add.u32 %r8, %r8, 32; setp.lt.u32 %p1, %r8, {TILE}; @%p1 bra CLEAR;
setp.ne.u32 %p2, %r1, 0; @%p2 bra READY; mbarrier.init.shared.b64 [%r3], 1; fence.proxy.async; READY: {SYNC}
ROUND: @%p2 bra WAIT; mad.lo.u32 %r10, %r5, {BLOCKS}, %r4; mul.wide.u32 %rd7, %r10, 4; add.u64 %rd7, %rd7, %rd4; ld.global.u32 %r11, [%rd7];
mbarrier.arrive.expect_tx.shared.b64 _, [%r3], %r11; mul.wide.u32 %rd8, %r10, {ROW}; add.u64 %rd8, %rd8, %rd3; mov.u32 %r12, 0;
COPY: ld.global.u32 %r20, [%rd8]; ld.global.u32 %r21, [%rd8+4]; ld.global.u32 %r23, [%rd8+8]; ld.global.u32 %r25, [%rd8+12]; ld.global.u32 %r28, [%rd8+16]; cvt.u16.u32 %h1, %r20;
add.u32 %r22, %r2, %r21; mov.u32 %r24, %r3; setp.gt.u32 %p4, %r28, 15; @%p4 bra OWN;
mapa.shared::cluster.u32 %r22, %r22, %r28; mapa.shared::cluster.u32 %r24, %r24, %r28; OWN: cvt.u64.u32 %rd9, %r25; add.u64 %rd10, %rd9, %rd2;
{FORM}
add.u64 %rd8, %rd8, 20; add.u32 %r12, %r12, 1; setp.lt.u32 %p3, %r12, {COPIES}; @%p3 bra COPY;
WAIT: bar.warp.sync -1; and.b32 %r13, %r5, 1; SPIN: mbarrier.try_wait.parity.shared.b64 %p5, [%r3], %r13; @!%p5 bra SPIN;
{SYNC} add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r9; @%p1 bra ROUND;
mul.wide.u32 %rd11, %r4, {TILE}; add.u64 %rd11, %rd11, %rd1; mov.u32 %r8, %r1;
BACK: add.u32 %r6, %r2, %r8; ld.shared.u8 %r7, [%r6]; cvt.u64.u32 %rd12, %r8; add.u64 %rd12, %rd12, %rd11; st.global.u8 [%rd12], %r7;
add.u32 %r8, %r8, 32; setp.lt.u32 %p1, %r8, {TILE}; @%p1 bra BACK; ret; }"""


def text(form: str, copies: int = COPIES) -> str:
    numbers = {"TILE": TILE, "BLOCKS": BLOCKS, "ROW": 20 * COPIES, "COPIES": copies, "SYNC": SYNC, "FORM": form}
    source = KERNEL
    for name, value in numbers.items():
        source = source.replace(f"{{{name}}}", str(value))
    return source


def plan(n: int, form: str, seed: int):
    """Draw copies (mask, offset, bytes, source, rank in the address) of each round and block, with what each block then holds and counts."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, 1 << 16, "u1")
    table, expected = np.zeros((ROUNDS, BLOCKS, COPIES, 5), "u4"), np.zeros((ROUNDS, BLOCKS), "u4")
    held = np.zeros((BLOCKS, TILE), "u1")
    for r, b, k in np.ndindex(ROUNDS, BLOCKS, COPIES):
        mask, to = rng.integers(0, 1 << n), ((r * n + b % n) * COPIES + k) * PIECE
        size = PIECE if form == BOX else 16 * rng.integers(0, PIECE // 16 + 1)
        source = PIECE * rng.integers(0, len(data) // PIECE)
        named = rng.choice([99, *range(n)])
        table[r, b, k] = mask, to, size, source, named
        for rank in range(n):
            if mask >> rank & 1:
                held[b // n * n + rank, to:to + size] = data[source:source + size]
                expected[r, b // n * n + rank] += size
    return data, table, expected, held
