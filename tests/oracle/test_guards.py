"""An instruction may overwrite the predicate that guards it: all of it is done under the old value."""
import numpy as np
import pytest

from archdef.lower import Options
from archdef.testing import Launch, equals_reference
from archdef.testing.templates import HEAD

BOTH = ("setp.lt.f16x2 {g}|{o}, %r1, %r2", "setp.lt.f16x2 {o}|{g}, %r1, %r2", "setp.ge.or.bf16x2 {g}|{o}, %r1, %r2, {o}",
        "setp.lt.s32 {g}|{o}, %r1, %r2", "setp.gt.and.u32 {o}|{g}, %r1, %r2, {g}", "elect.sync %r3|{g}, %r9", "vote.sync.any.pred {g}, {o}, %r9",
        "match.all.sync.b32 %r3|{g}, %r1, %r9", "shfl.sync.idx.b32 %r3|{g}, %r1, %r4, 31, %r9", "xor.pred {g}, {o}, {g}",
        "testp.normal.f32 {g}, %f1", "isspacep.global {g}, %rd1", "mbarrier.test_wait.shared.b64 {g}, [cell], 0")


@pytest.mark.parametrize("passes", [Options(), Options(**{name: False for name, kind in Options.__annotations__.items() if kind == "bool"})], ids=["all passes", "no passes"])
@pytest.mark.parametrize("negated", ["", "!"])
@pytest.mark.parametrize("text", BOTH)
def test_a_guard_that_is_overwritten(text, negated, passes, everything):
    kernel = HEAD + f""".visible .entry k(.param .u64 out)
{{ .reg .pred %p<4>; .reg .b32 %r<10>; .reg .f32 %f<2>; .reg .b64 %rd<4>; .shared .align 8 .b64 cell;
    ld.param.u64 %rd1, [out]; mov.u32 %r4, %tid.x; mul.wide.u32 %rd2, %r4, 12; add.s64 %rd1, %rd1, %rd2;
    mul.lo.u32 %r1, %r4, 0x3c413c47; mul.lo.u32 %r2, %r4, 0x12345677; mov.b32 %f1, %r1; mov.u32 %r3, 77;
    mbarrier.init.shared.b64 [cell], 1; and.b32 %r5, %r4, 3; setp.lt.u32 %p1, %r5, 2; setp.eq.u32 %p2, %r5, 1;
    vote.sync.ballot.b32 %r9, {negated}%p1, -1;
    @{negated}%p1 {text.format(g='%p1', o='%p2')};
    selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 1, 0, %p2;
    st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r5; st.global.u32 [%rd1+8], %r6; ret; }}"""
    equals_reference(everything, Launch(kernel, (np.zeros(96, "u4"),)), options=passes)
