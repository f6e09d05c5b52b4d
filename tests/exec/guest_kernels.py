"""Kernels of the test programs, packed as a compiler of CUDA packs them, and the C compiler that makes the programs."""
import shutil

from fat import HEAD, binary, entry


KERNELS = HEAD + """
.global .align 4 .s32 factor = 1;
.global .align 1 .b8 format[] = {119, 105, 116, 104, 105, 110, 44, 32, 0};
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);
.visible .entry vector_add(.param .u64 sum, .param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<12>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n]; setp.ge.s32 %p1, %r4, %r5; @%p1 bra DONE;
    ld.param.u64 %rd1, [sum]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b]; mul.wide.s32 %rd4, %r4, 4;
    add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd3, %rd4; add.s64 %rd7, %rd1, %rd4;
    ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd7], %f3;
DONE: ret;
}
.visible .entry scale(.param .u64 data)
{
    .reg .b32 %r<8>; .reg .b64 %rd<6>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u64 %rd1, [data]; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3]; ld.global.u32 %r6, [factor]; mul.lo.s32 %r7, %r5, %r6; st.global.u32 [%rd3], %r7;
    ret;
}
.visible .entry says()
{
    .reg .b32 %r<3>; .reg .b64 %rd<3>; .param .b64 p0; .param .b64 p1; .param .b32 q;
    mov.u64 %rd1, format; cvta.global.u64 %rd2, %rd1; st.param.b64 [p0], %rd2; mov.u64 %rd1, 0; st.param.b64 [p1], %rd1;
    call.uni (q), vprintf, (p0, p1);
    ret;
}
.visible .entry waits(.param .u64 p)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.volatile.global.u32 [%rd1], %r1;
LOOP: ld.volatile.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;
    add.u32 %r3, %r2, 1; st.volatile.global.u32 [%rd1+8], %r3;
    ret;
}
.visible .entry faults(.param .u64 p)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;
    ret;
}
"""
CODE = binary(entry(KERNELS.encode()))
COMPILER = shutil.which("cc") or shutil.which("gcc")
