"""Kernels around one access each, whose address is a parameter, and addresses that no kernel may touch."""
from __future__ import annotations

import attrs

BYTES = 1024
"""Of the array that a kernel may use, and of its variables in shared and local memory."""
TRIPS = 2
"""The first accesses what the kernel may use, the second what it may not."""

_PTX = """.version 8.5
.target sm_90a
.address_size 64
{head}
.visible .entry k(.param .u64 good, .param .u64 bad, .param .u64 step, .param .u32 who)
{{ .reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<24>; .reg .f32 %f<8>;
    .shared .align 128 .b8 near[{bytes}]; .shared .align 8 .b64 bar; .local .align 16 .b8 own[{bytes}];
    ld.param.u64 %rd1, [good]; ld.param.u64 %rd2, [bad]; ld.param.u64 %rd3, [step]; ld.param.u32 %r1, [who];
    mov.u32 %r3, %tid.x; cvt.u64.u32 %rd4, %r3; mul.lo.u64 %rd3, %rd4, %rd3; add.u64 %rd2, %rd2, %rd3; mul.lo.u64 %rd4, %rd4, 16;
    mov.u32 %r10, 1; mov.u32 %r11, 2; mov.u32 %r12, 3; mov.u32 %r13, 4; mov.u64 %rd10, 1; mov.u64 %rd11, 2; setp.eq.u32 %p3, %r3, 0; cvt.rn.f32.u32 %f1, %r11; mov.f32 %f2, %f1;
    mov.f32 %f3, %f1; mov.f32 %f4, %f1; and.b32 %r5, %r3, 31; shr.u32 %r6, %r1, %r5; and.b32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0;
    st.shared.u32 [near], %r10; st.local.u32 [own], %r10;
    {before}
    add.u64 %rd6, %rd1, %rd4; mov.u32 %r4, 0;
LOOP:
    {access}
    @%p1 mov.u64 %rd6, %rd2;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, {trips}; @%p2 bra LOOP;
    xor.b32 %r10, %r10, %r11; xor.b32 %r10, %r10, %r12; xor.b32 %r10, %r10, %r13; xor.b64 %rd10, %rd10, %rd11; add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3;
    mov.b32 %r11, %f1; xor.b32 %r10, %r10, %r11; selp.b32 %r11, 1, 0, %p3; xor.b32 %r10, %r10, %r11; cvt.u64.u32 %rd11, %r10; xor.b64 %rd10, %rd10, %rd11;
    st.shared.u64 [near], %rd10;
    ret; }}
"""
"""Each thread accesses 16 bytes of its own at `good`; then those that `who` names access `bad`, `step` bytes apart."""
_PLACES = {"global": "", "param": "mov.u64 %rd1, good; mov.u64 %rd4, 0;", "shared": "mov.u64 %rd1, near;", "local": "mov.u64 %rd1, own;",
           "generic shared": "mov.u64 %rd1, near; cvta.shared.u64 %rd1, %rd1;", "generic local": "mov.u64 %rd1, own; cvta.local.u64 %rd1, %rd1;"}
_CALLS = """.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b); .extern .func free (.param .b64 a); .extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func (.param .b32 r) cudaMemcpyAsync (.param .b64 a, .param .b64 b, .param .b64 c, .param .b32 d, .param .b64 e);
.extern .func (.param .b32 r) cudaMemsetAsync (.param .b64 a, .param .b32 b, .param .b64 c, .param .b64 d);
.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);
.global .align 8 .b8 text[16] = {37, 115, 32, 37, 100, 10, 0};"""
"""The text is "%s %d" and a new line."""


@attrs.frozen
class Form:
    """One access of `bytes` bytes at %rd6, which begins in `space`."""

    name: str
    access: str
    bytes: int = 4
    space: str = "global"
    before: str = ""
    head: str = ""
    offset: int = 0
    """What the instruction adds to the address."""

    @property
    def text(self) -> str:
        """The PTX of a kernel."""
        return _PTX.format(head=self.head, bytes=BYTES, before=_PLACES.get(self.space, "") + self.before, access=self.access, trips=TRIPS)


def _plain(space: str, where: str = "") -> list[Form]:
    """Loads and stores of every width, `space` as instructions name it."""
    dot, where = "." + space if space else "", where or space
    return [Form(f"ld{dot}.u8 {where}", f"ld{dot}.u8 %r10, [%rd6];", 1, where), Form(f"ld{dot}.s16 {where}", f"ld{dot}.s16 %r10, [%rd6];", 2, where),
            Form(f"ld{dot}.u32 {where}", f"ld{dot}.u32 %r10, [%rd6];", 4, where), Form(f"ld{dot}.u64 {where}", f"ld{dot}.u64 %rd10, [%rd6];", 8, where),
            Form(f"ld{dot}.u32 {where}, 12 further", f"ld{dot}.u32 %r10, [%rd6+12];", 4, where, offset=12),
            Form(f"ld{dot}.u32 {where}, 16 before", f"ld{dot}.u32 %r10, [%rd6+-16];", 4, where, "add.u64 %rd1, %rd1, 16; and.b64 %rd4, %rd4, 255;", offset=-16),
            Form(f"ld{dot}.v2.u32 {where}", f"ld{dot}.v2.u32 {{%r10, %r11}}, [%rd6];", 8, where),
            Form(f"ld{dot}.v4.u32 {where}", f"ld{dot}.v4.u32 {{%r10, %r11, %r12, %r13}}, [%rd6];", 16, where),
            Form(f"st{dot}.u8 {where}", f"st{dot}.u8 [%rd6], %r10;", 1, where), Form(f"st{dot}.u16 {where}", f"st{dot}.u16 [%rd6], %r10;", 2, where),
            Form(f"st{dot}.u32 {where}", f"st{dot}.u32 [%rd6], %r10;", 4, where), Form(f"st{dot}.u64 {where}", f"st{dot}.u64 [%rd6], %rd10;", 8, where),
            Form(f"st{dot}.v2.u64 {where}", f"st{dot}.v2.u64 [%rd6], {{%rd10, %rd11}};", 16, where)]


def _atomics(space: str, where: str = "") -> list[Form]:
    dot, where = "." + space if space else "", where or space
    return [Form(f"atom{dot}.add.u32 {where}", f"atom{dot}.add.u32 %r10, [%rd6], 1;", 4, where), Form(f"atom{dot}.cas.b64 {where}", f"atom{dot}.cas.b64 %rd10, [%rd6], %rd11, %rd10;", 8, where),
            Form(f"red{dot}.max.s32 {where}", f"red{dot}.max.s32 [%rd6], %r10;", 4, where), Form(f"red{dot}.add.f32 {where}", f"red{dot}.add.f32 [%rd6], %f1;", 4, where)]


_MINE = "mul.lo.u32 %r15, %r3, 16;"
_TILES = "and.b64 %rd4, %rd4, 511;"
_LOADS = [
    Form("ld.global.nc.u32", "ld.global.nc.u32 %r10, [%rd6];"), Form("ld.global.nc.v4.u32", "ld.global.nc.v4.u32 {%r10, %r11, %r12, %r13}, [%rd6];", 16),
    Form("ld.volatile.global.u32", "ld.volatile.global.u32 %r10, [%rd6];"), Form("ldu.global.u32", "ldu.global.u32 %r10, [%rd6];"),
    Form("ld.param.u32", "ld.param.u32 %r10, [%rd6];", space="param"), Form("ld.param.v2.u32", "ld.param.v2.u32 {%r10, %r11}, [%rd6];", 8, "param"),
    Form("ld.const.u32", "ld.const.u32 %r10, [%rd6];"), Form("ld.const.v4.u32", "ld.const.v4.u32 {%r10, %r11, %r12, %r13}, [%rd6];", 16),
    Form("red.global.add.v2.f32", "red.global.add.v2.f32 [%rd6], {%f1, %f2};", 8)]
_COPIES = [
    Form("cp.async.ca", "cp.async.ca.shared.global [%r15], [%rd6], 4;", 4, before=_MINE), Form("cp.async.cg", "cp.async.cg.shared.global [%r15], [%rd6], 16;", 16, before=_MINE),
    Form("cp.async to shared memory", "cp.async.ca.shared.global [%rd6], [%rd15], 16;", 16, "shared", "ld.param.u64 %rd15, [good];"),
    Form("cp.async.bulk, in", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r15], [%rd6], 16, [bar];", 16, before=_MINE + "mbarrier.init.shared.b64 [bar], 1;"),
    Form("cp.async.bulk, out", "cp.async.bulk.global.shared::cta.bulk_group [%rd6], [%r15], 16; cp.async.bulk.commit_group;", 16, before=_MINE),
    Form("cp.reduce.async.bulk", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd6], [%r15], 16; cp.async.bulk.commit_group;", 16, before=_MINE),
    Form("cp.async.bulk to shared memory", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd6], [%rd15], 16, [bar];", 16, "shared",
         "ld.param.u64 %rd15, [good]; mbarrier.init.shared.b64 [bar], 1;")]
_NEAR = [
    Form("ldmatrix.x1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%rd6];", 16, "shared", _TILES),
    Form("ldmatrix.x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%rd6];", 16, "shared", _TILES),
    Form("ldmatrix.x4, generic", "ldmatrix.sync.aligned.m8n8.x4.b16 {%r10, %r11, %r12, %r13}, [%rd6];", 16, "generic shared", _TILES),
    Form("stmatrix.x4", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%rd6], {%r10, %r11, %r12, %r13};", 16, "shared", _TILES),
    Form("mbarrier.init", "mbarrier.init.shared.b64 [%rd6], 4;", 8, "shared"), Form("mbarrier.init, generic", "mbarrier.init.b64 [%rd6], 4;", 8, "generic shared"),
    Form("mbarrier.test_wait", "mbarrier.test_wait.parity.shared.b64 %p3, [%rd6], 0;", 8, "shared"),
    Form("st.async", "cvt.u32.u64 %r16, %rd6; st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r16], %r10, [%r15];", 4, "shared",
         "mov.u32 %r15, bar; mbarrier.init.shared.b64 [bar], 1;")]
CALLS = tuple(Form(name, access, 1, space, head=_CALLS) for name, space, access in (
    ("printf of a format", "call", "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd6; st.param.b64 [b], %rd1; call (r), vprintf, (a, b); }"),
    ("printf of values", "call", "{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd12, text; st.param.b64 [a], %rd12; st.param.b64 [b], %rd6; call (r), vprintf, (a, b); }"),
    ("printf of a string", "call", "st.local.u64 [own], %rd6; { .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd12, text; mov.u64 %rd13, own; cvta.local.u64 %rd13, %rd13; "
     "st.param.b64 [a], %rd12; st.param.b64 [b], %rd13; call (r), vprintf, (a, b); }"),
    ("free", "call", "{ .param .b64 a; st.param.b64 [a], %rd6; call free, (a); }"),
    ("malloc", "call", "{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd6; call (r), malloc, (a); ld.param.b64 %rd12, [r]; }"),
    ("cudaMemcpyAsync to", "call", "{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; .param .b64 e; .param .b32 r; st.param.b64 [a], %rd6; st.param.b64 [b], %rd1; "
     "st.param.b64 [c], 16; st.param.b32 [d], 3; st.param.b64 [e], 0; call (r), cudaMemcpyAsync, (a, b, c, d, e); }"),
    ("cudaMemcpyAsync of so many bytes", "call", "{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; .param .b64 e; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; "
     "st.param.b64 [c], %rd6; st.param.b32 [d], 3; st.param.b64 [e], 0; call (r), cudaMemcpyAsync, (a, b, c, d, e); }"),
    ("cudaMemsetAsync", "call", "{ .param .b64 a; .param .b32 b; .param .b64 c; .param .b64 d; .param .b32 r; st.param.b64 [a], %rd6; st.param.b32 [b], 255; st.param.b64 [c], 16; "
     "st.param.b64 [d], 0; call (r), cudaMemsetAsync, (a, b, c, d); }"),
    ("cudaLaunchDeviceV2", "call", "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd6; st.param.b64 [b], 0; call (r), cudaLaunchDeviceV2, (a, b); }")))
"""What a kernel hands to its runtime: it may be refused with a number instead of a fault."""
OTHERS = (
    Form("tex.2d", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd6, {%f1, %f2}];", 1, "call"), Form("suld.b.2d.trap", "suld.b.2d.b32.trap {%r10}, [%rd6, {%r11, %r12}];", 1, "call"),
    Form("sust.b.1d.zero", "sust.b.1d.b32.zero [%rd6, {%r11}], %r10;", 1, "call"), Form("txq", "txq.width.b32 %r10, [%rd6];", 1, "call"),
    Form("wgmma", "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd6, %rd6, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; "
         "wgmma.wait_group.sync.aligned 0;", 1, "call"),
    Form("indirect call", "{ P: .callprototype _ (); call %rd6, (), P; }", 1, "call", head=".func f() { ret; } .global .u64 where = f;"))
"""Handles, descriptors and numbers of functions."""
FORMS = (*_plain("global"), *_plain("", "global"), *_plain("", "generic shared"), *_plain("", "generic local"), *_plain("shared"), *_plain("local"),
         *_atomics("global"), *_atomics("", "global"), *_atomics("shared"), *_atomics("", "generic shared"), *_LOADS, *_COPIES, *_NEAR)

AROUND = (0, 4, -1, -4, -16, -32, 1 << 31, (1 << 31) - 4, (1 << 32) - 16, (1 << 32) - 4, (1 << 32) + (1 << 31), 1 << 40, (1 << 47) - 16, 1 << 47, (1 << 63) - 16, 1 << 63,
          (1 << 63) + 4, (1 << 64) - (1 << 32), (1 << 64) - (1 << 31), 0x00FFFFF0, 0x01000000 + 0x00FFFFF0, 0x03000000)
"""Addresses of nothing: none of any array, and in the windows of shared and local memory behind what a kernel has there."""


def edges(start: int, size: int) -> tuple[int, ...]:
    """Addresses beside `size` bytes that start there, and such that a difference of addresses, or a sum with a size, wraps."""
    return (start - 16, start - 4, start - 1, start + size, start + size - 1 + 16, start + size + 1024, start + (1 << 63), start + (1 << 63) - 16, start - 4400000000,
            start + 4400000000, start + (1 << 63) + size)
