"""Kernels in which a compiler can do each thing that `isa.assembler` declares: loops, divisions, constants side by side, exchanges nobody reads, and so on."""
import pytest

from archdef.testing.checks.samples import kernel

Sass = pytest.importorskip("archdef_sass", reason="needs the target that a plugin of this repository brings").Sass

_OWN = "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3; ld.global.u32 %r7, [%rd4];"
_LEAVE = "st.global.u32 [%rd5], %r7;"
_WORK = "mad.lo.s32 %r7, %r7, 5, %r6; xor.b32 %r7, %r7, %r8; "
_STEP = "add.s32 %r8, %r8, 1; setp.lt.s32 %p1, %r8, {trips}; @%p1 bra L;"


def _loop(inside, trips="%r1", before=""):
    return f"{_OWN} mov.u32 %r8, 0; {before}\nL:  {inside} {_STEP.format(trips=trips)} {_LEAVE}"


_LOADS = "ld.global.u32 %r9, [%rd4]; add.s32 %r7, %r7, %r9; add.s64 %rd4, %rd4, 4; "
_SHARED = "ld.shared.u32 %r9, [%r10]; ld.shared.u32 %r11, [%r10+4]; add.s32 %r7, %r7, %r9; xor.b32 %r7, %r7, %r11; add.s32 %r10, %r10, 8; "
_TILE = "mov.u32 %r10, tile; st.shared.u32 [%r10], %r7; bar.sync 0; "
_COPIES = "cvta.to.shared.u64 %rd6, %rd6; ld.shared.u32 %r9, [tile]; cp.async.ca.shared.global [tile+16], [%rd4], 4; cp.async.wait_all;"
BODIES = {
    "rounds": _loop(_WORK), "rounds of work": _loop(_WORK * 9), "rounds of much work": _loop(_WORK * 40), "rounds that load": _loop(_LOADS * 2),
    "rounds that load much": _loop(_LOADS * 7 + _WORK), "rounds that load shared": ".shared .align 16 .b8 tile[4096]; " + _loop(_SHARED * 3, before=_TILE),
    "rounds that load much shared": ".shared .align 16 .b8 tile[4096]; " + _loop(_SHARED * 9, before=_TILE),
    **{f"{trips} rounds of {work}": _loop(_WORK * work, trips) for trips, work in ((3, 1), (12, 2), (34, 8), (128, 12), (128, 20))},
    "divisions": f"{_OWN} div.s32 %r8, %r7, %r1; div.u32 %r9, %r6, %r1; rem.s32 %r10, %r7, %r1; rem.u32 %r11, %r9, %r7; add.s32 %r7, %r8, %r9; "
                 f"add.s32 %r7, %r7, %r10; add.s32 %r7, %r7, %r11; {_LEAVE}",
    "divisions of floats": f"{_OWN} cvt.rn.f32.s32 %f1, %r7; div.full.f32 %f2, %f1, 0f40400000; cvt.rn.f32.u32 %f3, %r6; div.full.f32 %f4, %f1, %f3; "
                           f"div.full.f32 %f5, %f2, %f3; add.f32 %f4, %f4, %f5; neg.f32 %f4, %f4; abs.f32 %f6, %f1; mul.rn.f32 %f4, %f6, %f4; add.rn.f32 %f4, %f4, %f2; "
                           f"mul.f32 %f6, %f4, %f1; add.f32 %f7, %f6, %f2; add.f32 %f8, %f6, %f3; mul.f32 %f4, %f7, %f8; cvt.rzi.s32.f32 %r7, %f4; {_LEAVE}",
    "constants": f"{_OWN} ld.const.u32 %r8, [big]; ld.const.u32 %r9, [big+4]; ld.const.u32 %r10, [big+8]; ld.const.u32 %r11, [big+12]; ld.const.v4.u32 "
                 f"{{%r12, %r13, %r14, %r15}}, [big+32]; add.s32 %r7, %r8, %r9; mad.lo.s32 %r7, %r10, %r11, %r7; mad.lo.s32 %r7, %r12, %r13, %r7; "
                 f"mad.lo.s32 %r7, %r14, %r15, %r7; and.b32 %r16, %r6, 63; mul.wide.u32 %rd6, %r16, 16; mov.u64 %rd7, big; add.u64 %rd7, %rd7, %rd6; "
                 f"ld.const.v4.u32 {{%r12, %r13, %r14, %r15}}, [%rd7]; mad.lo.s32 %r7, %r12, %r13, %r7; mad.lo.s32 %r7, %r14, %r15, %r7; {_LEAVE}",
    "exchanges": f"{_OWN} shfl.sync.idx.b32 %r8, %r7, 0, 31, -1; shfl.sync.down.b32 %r9, %r7, 1, 31, -1; shfl.sync.up.b32 %r10|%p1, %r7, 1, 0, -1; "
                 f"add.s32 %r7, %r7, %r9; setp.gt.s32 %p2, %r7, 9; @%p2 bra A; {_WORK * 30} shfl.sync.bfly.b32 %r7, %r7, 1, 31, -1; A: {_LEAVE}",
    "an access that orders": f"{_OWN} ld.acquire.gpu.global.u32 %r8, [%rd4]; st.release.gpu.global.u32 [%rd5+4], %r8; {_LEAVE}",
    "an exchange of 64 lanes": f"{_OWN} mx.shfl.idx.b32 %r8, %r7, 0, 63; {_LEAVE}",
    "atomics": f"{_OWN} setp.gt.s32 %p1, %r7, 3; @%p1 atom.global.add.u32 %r8, [%rd1], %r7; @%p1 red.global.add.u32 [%rd1+4], 1; "
               f"atom.global.max.s32 %r9, [%rd1+8], %r7; setp.gt.s32 %p2, %r7, 5; @%p2 bra A; red.global.min.s32 [%rd5], %r7; A: {_LEAVE}",
    "tests": f"{_OWN} setp.gt.s32 %p1, %r7, 3; @%p1 bra A; add.s32 %r7, %r7, 1; xor.b32 %r7, %r7, %r6; setp.gt.s32 %p2, %r7, 9; @%p2 bra A; {_WORK * 2} "
             f"setp.lt.s32 %p3, %r7, %r1; @%p3 bra B; ld.global.u32 %r9, [%rd4+64]; add.s32 %r7, %r7, %r9; B: setp.lt.s32 %p4, %r6, 77; and.pred %p5, %p3, %p4; "
             f"selp.b32 %r9, %r7, %r6, %p5; add.s32 %r7, %r9, %r7; A: {_LEAVE}",
    "loads and branches": f"{_OWN} ld.global.u32 %r9, [%rd4+4]; setp.gt.s32 %p1, %r6, 3; @%p1 bra A; ld.global.u32 %r8, [%rd4+8]; add.s32 %r8, %r8, 1; "
                          f"{_WORK * 4} add.s32 %r7, %r7, %r8; A: add.s32 %r7, %r7, %r9; {_WORK * 5} {_LEAVE}",
    **{f"load wanted behind {n} others": f"{_OWN} mov.u32 %r8, 5; mov.u32 %r11, %r6; setp.gt.s32 %p1, %r6, 3; @%p1 bra A; ld.global.u32 %r8, [%rd4+8]; "
                                         f"A: {'xor.b32 %r11, %r11, %r1; add.s32 %r11, %r11, %r6; ' * n} add.s32 %r7, %r8, %r11; {_LEAVE}" for n in (0, 1, 3)},
    **{f"load within, wanted behind {n} others": f"{_OWN} mov.u32 %r8, 5; mov.u32 %r11, %r6; setp.gt.s32 %p1, %r6, 3; @%p1 bra B; {_WORK * 12} "
                                                 f"setp.gt.s32 %p2, %r7, 9; @%p2 bra A; ld.global.u32 %r8, [%rd4+8]; "
                                                 f"A: {'xor.b32 %r11, %r11, %r1; add.s32 %r11, %r11, %r6; ' * n} add.s32 %r7, %r8, %r11; B: {_LEAVE}" for n in (0, 1, 3)},
    **{f"{n} products behind a branch": f"{_OWN} mov.u64 %rd9, %rd1; setp.gt.s32 %p1, %r6, 3; @%p1 bra A; " + "".join(
        f"add.s32 %r8, %r7, {k}; mul.wide.s32 %rd6, %r8, 12; add.s64 %rd9, %rd9, %rd6; " for k in range(n)) + f"A: cvt.u32.u64 %r7, %rd9; {_LEAVE}" for n in (1, 2, 3)},
    **{f"rounds that store what they load, {n} others": _loop(f"setp.gt.s32 %p2, %r7, 3; @%p2 bra A; ld.global.u32 %r9, [%rd4+4]; "
                                                              f"{'xor.b32 %r9, %r9, %r8; ' * n} st.global.u32 [%rd4+4], %r9; A: {_WORK}") for n in (1, 3, 5)},
    "a pair of zeros": f"{_OWN} mov.u32 %r8, 0; mov.u32 %r9, 0; setp.gt.s32 %p1, %r7, 3; @%p1 ld.global.v2.u32 {{%r8, %r9}}, [%rd2]; add.s32 %r7, %r8, %r9; {_LEAVE}",
    "signs of factors": f"{_OWN} cvt.rn.f32.u32 %f1, %r7; cvt.rn.f32.u32 %f4, %r6; neg.f32 %f2, %f1; mul.f32 %f3, %f2, %f4; mov.b32 %r7, %f3; {_LEAVE}",
    "signs of operands": f"{_OWN} cvt.rn.f32.u32 %f1, %r7; neg.f32 %f2, %f1; fma.rn.f32 %f3, %f2, %f1, %f2; mov.b32 %r7, %f3; {_LEAVE}",
    "a selected sum": f"{_OWN} add.s32 %r8, %r7, %r6; add.s32 %r9, %r8, 224; setp.gt.u32 %p1, %r7, 3; selp.b32 %r7, %r9, %r8, %p1; {_LEAVE}",
    "halves that change places": f"{_OWN} .reg .b16 %h<9>; mov.b32 {{%h1, %h2}}, %r7; mov.b32 %r7, {{%h2, %h1}}; {_LEAVE}",
    "the smallest of three": f"{_OWN} min.s32 %r8, %r7, %r6; min.s32 %r7, %r8, 9; {_LEAVE}",
    "a product in two sums": f"{_OWN} cvt.rn.f32.u32 %f1, %r7; cvt.rn.f32.u32 %f2, %r6; mul.f32 %f9, %f1, %f2; add.f32 %f10, %f9, %f1; add.f32 %f11, %f9, %f2; "
                             f"xor.b32 %r8, %r7, %r6; min.f32 %f12, %f10, %f11; mov.b32 %r7, %f12; add.s32 %r7, %r7, %r8; {_LEAVE}",
    "ways to go": f"{_OWN} setp.gt.s32 %p1, %r7, 3; @%p1 bra A; bra B; A: {_WORK * 14} bra C; B: {_WORK * 15} xor.b32 %r7, %r7, 3; "
                  f"setp.gt.s32 %p2, %r7, 4; @%p2 bra C; {_WORK * 3} C: {_LEAVE}",
    "two tests back": f"{_OWN} mov.u32 %r8, 0; L: {_WORK * 20} add.s32 %r8, %r8, 1; setp.lt.s32 %p1, %r8, %r1; setp.gt.s32 %p2, %r7, 3; and.pred %p3, %p1, %p2; "
                      f"@%p3 bra L; {_LEAVE}",
    "halves": f"{_OWN} .reg .b16 %h<9>; mov.b32 {{%h1, %h2}}, %r7; add.s16 %h3, %h1, %h2; mul.lo.s16 %h4, %h1, %h3; mov.b32 %r7, {{%h3, %h4}}; {_LEAVE}",
    "wide numbers": f"{_OWN} mul.wide.s32 %rd6, %r7, %r6; add.s64 %rd7, %rd6, %rd1; add.s64 %rd8, %rd6, %rd2; xor.b64 %rd7, %rd7, %rd8; mad.wide.s32 %rd9, %r7, 12, %rd7; "
                    f"mul.lo.u32 %r8, %r7, %r6; mul.hi.u32 %r9, %r7, %r6; shl.b32 %r10, %r8, 3; add.s32 %r10, %r10, %r9; min.s32 %r10, %r10, %r1; "
                    f"cvt.u32.u64 %r7, %rd9; add.s32 %r7, %r7, %r10; {_LEAVE}",
    "comparisons": f"{_OWN} setp.gt.s32 %p1, %r7, 3; setp.lt.s32 %p2, %r6, 9; and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p3; selp.b32 %r8, 1, 7, %p3; "
                   f"selp.b32 %r9, %r8, %r6, %p4; add.s32 %r7, %r8, %r9; {_LEAVE}",
    "orders": f"{_OWN} atom.global.gpu.acq_rel.add.u32 %r8, [%rd1], %r7; st.global.release.gpu.u32 [%rd1+8], %r8; ld.global.acquire.gpu.u32 %r9, [%rd1+16]; "
              f"add.s32 %r7, %r8, %r9; {_LEAVE}",
    "copies": f".shared .align 16 .b8 tile[4096]; {_OWN} setp.gt.s32 %p1, %r7, 9; @%p1 bra A; mov.u32 %r10, tile; cp.async.ca.shared.global [%r10], [%rd4], 4; "
              f"cp.async.ca.shared.global [%r10+16], [%rd4], 4; {_WORK * 6} A: cp.async.wait_all; bar.sync 0; ld.shared.u32 %r9, [tile]; add.s32 %r7, %r7, %r9; {_LEAVE}",
    "neighbours in shared memory": f".shared .align 16 .b8 tile[4096]; {_OWN} {_TILE} ld.shared.u32 %r11, [%r10+16]; ld.shared.u32 %r12, [%r10+20]; "
                                   f"ld.shared.u32 %r13, [%r10+24]; ld.shared.u32 %r14, [%r10+28]; mad.lo.s32 %r7, %r11, %r12, %r7; mad.lo.s32 %r7, %r13, %r14, %r7; "
                                   f"ld.shared.u32 %r15, [%r10+64]; add.s32 %r7, %r7, %r15; ld.global.u32 %r16, [%rd4+128]; st.shared.u32 [%r10+8], %r7; "
                                   f"add.s32 %r7, %r7, %r16; {_LEAVE}",
    "zeros": f"{_OWN} mov.u32 %r8, 0; mov.u32 %r9, 0; st.global.v2.u32 [%rd1], {{%r8, %r9}}; {_LEAVE}",
}
KERNELS = {name: kernel(f"    {body}", ".const .align 16 .u32 big[512];" if "[big" in body else "") for name, body in BODIES.items()}
"""Name → PTX, whose kernel is ``k``."""

DOES_MUCH = Sass(unroll_factor=4, unroll_max_instructions=24, unroll_global_load_instructions=6, unroll_shared_load_instructions=2, unroll_most_instructions=90,
                 unroll_full_instructions=60, unroll_known_instructions=120, list_scheduling=True, list_scheduling_predicates=3, operand_read_cycles=6,
                 predication_overlap_instructions=3, predication_global_load_instructions=9, loads_constants=True)
"""An assembler that does what others of its fields are numbers of."""
