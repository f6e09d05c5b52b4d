"""Golden listing: a tiled transpose, lowered whole. A change of it is a change of every instruction count; look before updating."""
from lowering import lowered

TRANSPOSE = """.version 7.5
.target sm_75
.address_size 64
.visible .entry transpose(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<24>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<12>;
    .shared .align 4 .b8 tile[1088];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    shl.b32 %r3, %r2, 4;
    mov.u32 %r4, %tid.x;
    add.s32 %r5, %r3, %r4;
    mov.u32 %r6, %ctaid.y;
    shl.b32 %r7, %r6, 4;
    mov.u32 %r8, %tid.y;
    add.s32 %r9, %r7, %r8;
    max.s32 %r10, %r5, %r9;
    setp.ge.s32 %p1, %r10, %r1;
    @%p1 bra SKIP;
    cvta.to.global.u64 %rd3, %rd1;
    mad.lo.s32 %r11, %r9, %r1, %r5;
    mul.wide.s32 %rd4, %r11, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    mov.u32 %r12, tile;
    mad.lo.s32 %r13, %r8, 68, %r12;
    shl.b32 %r14, %r4, 2;
    add.s32 %r15, %r13, %r14;
    st.shared.f32 [%r15], %f1;
SKIP:
    bar.sync 0;
    add.s32 %r16, %r7, %r4;
    add.s32 %r17, %r3, %r8;
    max.s32 %r18, %r16, %r17;
    setp.ge.s32 %p2, %r18, %r1;
    @%p2 bra END;
    cvta.to.global.u64 %rd6, %rd2;
    mov.u32 %r19, tile;
    mad.lo.s32 %r20, %r4, 68, %r19;
    shl.b32 %r21, %r8, 2;
    add.s32 %r22, %r20, %r21;
    ld.shared.f32 %f2, [%r22];
    mad.lo.s32 %r23, %r17, %r1, %r16;
    mul.wide.s32 %rd7, %r23, 4;
    add.s64 %rd8, %rd6, %rd7;
    st.global.f32 [%rd8], %f2;
END:
    ret;
}
"""

GOLDEN = """\
transpose for standin: 29 micro-ops, 29 instructions, 9 registers, 10 rows, 1088 B shared, 0 B local
      r0 = %ctaid_x
      r1 = %tid_x
      r2 = %ctaid_y
      r3 = %tid_y
    0    14  mov_b32 r0, r0                                                   unit 0 issues 1 interval 1 latency 10
    1    15  shl_b32 r0, r0, 4                                                unit 0 issues 1 interval 1 latency 10
    2    16  mov_b32 r1, r1                                                   unit 0 issues 1 interval 1 latency 10
    3    17  add_b32 r4, r0, r1                                               unit 0 issues 1 interval 1 latency 10
    4    18  mov_b32 r2, r2                                                   unit 0 issues 1 interval 1 latency 10
    5    19  shl_b32 r2, r2, 4                                                unit 0 issues 1 interval 1 latency 10
    6    20  mov_b32 r3, r3                                                   unit 0 issues 1 interval 1 latency 10
    7    21  add_b32 r5, r2, r3                                               unit 0 issues 1 interval 1 latency 10
    8    22  max_s32 r6, r4, r5                                               unit 0 issues 1 interval 1 latency 10
    9    23  set_ge_s32 p2, r6, param[16]                                     unit 0 issues 1 interval 1 latency 10
   10    26  %!p2 mad_lo_b32 r4, r5, param[16], r4                            unit 0 issues 1 interval 1 latency 10
   11    28  %!p2 mad_wide_s32 r8:9, r4, 4, param[0]                          unit 0 issues 1 interval 1 latency 10
   12    29  %!p2 load.global.b32 r4, [r8]                                    unit 2 issues 1 interval 2 latency 4
   13    32  %!p2 shl_b32 r5, r1, 2                                           unit 0 issues 1 interval 1 latency 10
   14    33  %!p2 mad_lo_b32 r5, r3, 68, r5                                   unit 0 issues 1 interval 1 latency 10
   15    34  %!p2 store.shared.b32 [r5], r4                                   unit 2 issues 1 interval 2 latency 4
   16    36  barrier.sync 0                                                   unit 0 issues 1 interval 1 latency 10
   17    37  add_b32 r2, r2, r1                                               unit 0 issues 1 interval 1 latency 10
   18    38  add_b32 r0, r0, r3                                               unit 0 issues 1 interval 1 latency 10
   19    39  max_s32 r4, r2, r0                                               unit 0 issues 1 interval 1 latency 10
   20    40  set_ge_s32 p2, r4, param[16]                                     unit 0 issues 1 interval 1 latency 10
   21    41  @p2 exit                                                         unit 0 issues 1 interval 1 latency 10
   22    45  shl_b32 r3, r3, 2                                                unit 0 issues 1 interval 1 latency 10
   23    46  mad_lo_b32 r1, r1, 68, r3                                        unit 0 issues 1 interval 1 latency 10
   24    47  load.shared.b32 r3, [r1]                                         unit 2 issues 1 interval 2 latency 4
   25    48  mad_lo_b32 r0, r0, param[16], r2                                 unit 0 issues 1 interval 1 latency 10
   26    50  mad_wide_s32 r8:9, r0, 4, param[8]                               unit 0 issues 1 interval 1 latency 10
   27    51  store.global.b32 [r8], r3                                        unit 2 issues 1 interval 2 latency 4
   28    53  exit                                                             unit 0 issues 1 interval 1 latency 10
"""


def test_the_transpose_listing_is_as_before():
    found = lowered(TRANSPOSE, entry="transpose").listing()
    assert [line.rstrip() for line in found.splitlines()] == GOLDEN.splitlines()
