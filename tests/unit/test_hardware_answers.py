"""What an H100 (driver 580, JIT for sm_90) gives for the questions that the manual leaves open: each was asked there, once."""
import numpy as np
import pytest
from lowering import kernel
from run_ptx import run

ANSWERS = """
neg.f16x2 d, a | 7E01FC01 | 7FFF7FFF
abs.f16x2 d, a | FE01FC01 | 7FFF7FFF
neg.bf16x2 d, a | 7FC1FF81 | 7FFF7FFF
abs.bf16x2 d, a | 7FC1FF81 | 7FFF7FFF
cvt.f32.bf16 d, h | 7FC17F81 | 7F810000
cvt.f32.f16 d, h | 7E017C01 | 7FFFFFFF
cvt.rna.tf32.f32 d, a | 7F800001 | 7F800000
cvt.rna.tf32.f32 d, a | FFC12345 | FFC12000
cvt.rna.tf32.f32 d, a | 7F7FFFFF | 7F800000
cvt.rna.tf32.f32 d, a | 7FFFFFFF | 7FFFE000
cvt.rna.satfinite.tf32.f32 d, a | 7F800000 | 7F7FE000
cvt.rna.satfinite.tf32.f32 d, a | FFC12345 | FFC10000
cvt.rn.tf32.f32 d, a | 7FC12345 | 7FFFE000
cvt.rz.tf32.f32 d, a | FFC12345 | 7FFFE000
cvt.rn.relu.tf32.f32 d, a | FFC12345 | 7FFFE000
cvt.rn.relu.tf32.f32 d, a | 80000000 | 00000000
cvt.rn.relu.f16x2.f32 d, a, b | 80000000 80000001 | 00000000
cvt.rn.relu.bf16x2.f32 d, a, b | 80000000 FFC00000 | 00007FFF
cvt.rn.bf16x2.f32 d, a, b | 00008001 7F800001 | 00017FFF
cvt.rn.satfinite.f16x2.f32 d, a, b | 7F800000 FFC00000 | 7BFF7FFF
cvt.rz.satfinite.bf16x2.f32 d, a, b | 7F800000 FF7FFFFF | 7F7FFF7F
cvt.rz.f16x2.f32 d, a, b | 477FF000 7F800000 | 7BFF7C00
fma.rn.relu.f16x2 d, a, b, c | 80008000 3C003C00 80008000 | 00000000
fma.rn.relu.bf16x2 d, a, b, c | 80008000 3F803F80 80008000 | 00000000
max.f16x2 d, a, b | 8000FE01 00007E01 | 00007FFF
min.f16x2 d, a, b | 8000FE01 00003C00 | 80003C00
max.f16x2 d, a, b | 00010001 80018002 | 00010001
max.NaN.bf16x2 d, a, b | 8000FFC1 00003C00 | 00007FFF
max.xorsign.abs.f16x2 d, a, b | FE01BC00 7E01FE00 | 7FFF3C00
max.NaN.xorsign.abs.f16x2 d, a, b | FE01BC00 3C00C000 | 7FFF4000
min.ftz.f16x2 d, a, b | 03FF8001 3C003C00 | 00008000
neg.ftz.f16x2 d, a | 03FF8001 | 80000000
fma.rn.sat.f16x2 d, a, b, c | 7E01BC00 3C003C00 3C000000 | 00000000
add.sat.f16x2 d, a, b | 80007E00 80003C00 | 00000000
mul.ftz.f16x2 d, a, b | 3BFF3BFF 04000401 | 00000400
fma.rn.ftz.f16x2 d, a, b, c | 3BFF3BFF 04000401 0 | 00000400
fma.rn.ftz.relu.f16x2 d, a, b, c | BBFF3BFF 04010400 0 | 00000000
add.ftz.f16x2 d, a, b | 83FF03FF 80000400 | 80000400
fma.rn.bf16x2 d, a, b, c | 00010003 3F803F00 0 | 00010002
mul.f16x2 t, a, b; sub.f16x2 d, c, t | 3C013C01 3C013C01 90009000 | BC03BC03
mul.bf16x2 t, a, b; sub.bf16x2 d, c, t | 3F813F81 3F813F81 BB80BB80 | BF83BF83
mul.bf16x2 t, a, b; add.bf16x2 d, t, c | 3F813F81 3F813F81 3B803B80 | 3F833F83
mul.rn.bf16x2 t, a, b; sub.rn.bf16x2 d, c, t | 3F813F81 3F813F81 BB80BB80 | BF82BF82
cvt.rn.bf16.u32 e, a | 1010001 | 00004B81
cvt.rn.bf16.s32 e, a | 80000001 | 0000CF00
mov.b64 w, {b, a}; cvt.rn.f16.f64 e, w | 3FF00200 1 | 00003C01
mov.b64 w, {b, a}; cvt.rn.bf16.f64 e, w | 3FF01000 1 | 00003F81
mov.b64 w, {b, a}; cvt.rn.bf16.u64 e, w | 80800000 1 | 00005F01
mov.b64 w, {b, a}; cvt.rn.f16.f64 e, w | FFF12345 1 | 0000FE48
mov.b64 w, {b, a}; cvt.rn.bf16.f64 e, w | FFF12345 1 | 0000FFC9
cvt.f64.bf16 w, h; mov.b64 {t, d}, w | FF81 | FFF82000
cvt.f64.f16 w, h; mov.b64 {t, d}, w | FD01 | FFFC0400
cvt.rn.f16.bf16 e, h | FF81 | 00007FFF
cvt.rn.bf16.f16 e, h | FD01 | 00007FFF
cvt.rni.f16.f16 e, h | FD01 | 00007FFF
cvt.rni.bf16.bf16 e, h | FF81 | 00007FFF
cvt.rzi.s32.bf16 d, h | FF81 | 00000000
cvt.sat.f16.f16 e, h | FD01 | 00000000
cvt.ftz.f32.f16 d, h | 0001 | 33800000
cvt.pack.sat.u8.s32.b32 d, a, b, c | 12C FFFFFFFE 12345 | 2345FF00
vabsdiff4.u32.u32.u32 d, a, b, c | 1020304 FF010907 AABBCCDD | FE010603
vabsdiff4.s32.u32.u32.sat d, a, b, c | 1020304 FF010907 AABBCCDD | 7F010603
max.s16x2.relu d, a, b | FFFF0005 80000007 | 00000007
min.xorsign.abs.f32 d, a, b | FFC12345 BF800000 | 3F800000
max.xorsign.abs.f32 d, a, b | FFC12345 FFC00001 | 7FFFFFFF
max.NaN.f32 d, a, b | 7FC12345 3F800000 | 7FFFFFFF
copysign.f32 d, a, b | 7FC12345 80000000 | 00000000
ex2.approx.ftz.bf16x2 d, a | 00010000 | 3F803F80
ex2.approx.f16x2 d, a | CC00D000 | 01000000
set.lt.u16.f16 e, h, g | 3C000000 | 0000FFFF
set.lt.u32.f16x2 d, a, b | 3C000000 00003C00 | 0000FFFF
set.lt.bf16x2.bf16x2 d, a, b | 3C000000 00003C00 | 00003F80
setp.lt.f16x2 p|q, a, b; selp.b32 d, 1, 0, p; @q add.u32 d, d, 2 | 3C000000 00003C00 | 00000001
redux.sync.min.s32 d, a, 1 | FFFFFFFF | FFFFFFFF
fns.b32 d, a, b, c | F0F0 4 FFFFFFFF | 00000004
atom.add.noftz.f16x2 t, [y], c; ld.global.b32 d, [y] | 7E010001 0 3C000001 | 7FFF0003
red.global.add.noftz.bf16x2 [y], c; ld.global.b32 d, [y] | 3F803F80 0 3F803F80 | 40404040
mov.pred p, %is_explicit_cluster; selp.b32 d, 1, 0, p | 0 | 00000000
mov.u32 d, %reserved_smem_offset_end | 0 | 00000120
mov.u32 d, %reserved_smem_offset_cap | 0 | 00000400
mov.u32 d, %clusterid.x | 0 | 00000001
mov.u32 d, %nclusterid.x | 0 | 00000002
"""
CASES = [tuple(part.strip() for part in line.split(" | ")) for line in ANSWERS.strip().split("\n")]


@pytest.mark.parametrize("body, operands, answer", CASES, ids=[" ".join(case[:2]) for case in CASES])
def test_answers_are_the_hardwares(body, operands, answer):
    """Two blocks of one thread, as there: both store to one place, and what is added is added twice."""
    widen = "cvt.u32.u16 d, e; " if " e, " in body else ""
    text = kernel(f""".reg .b32 a, b, c, d, t; .reg .b16 h, e, g; .reg .b64 w, y; .reg .pred p, q; ld.param.b64 y, [out];
    ld.global.b32 a, [y]; ld.global.b32 b, [y+4]; ld.global.b32 c, [y+8]; mov.b32 {{h, g}}, a; {body}; {widen}st.global.b32 [y+16], d;""")
    values = [int(word, 16) for word in operands.split()]
    found = run(text, np.array(values + [0] * (8 - len(values)), np.uint32), grid=2, block=1)
    assert f"{found[4]:08X}" == answer
