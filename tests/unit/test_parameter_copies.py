"""May a device function take the address of a parameter that is passed by value?"""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.lower.parameter_copies import with_copies
from archdef.ptx import parse

MACHINES = [name for name in ("gf100", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
HEAD = ".version 7.0\n.target sm_60\n.address_size 64\n"
WORDS = HEAD + """
.func (.param .b32 r) sum(.param .align 8 .b8 s[16], .param .b32 n)
{
    .reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .pred %p<2>;
    mov.b64 %rd1, s; mov.u64 %rd2, %rd1; mov.b64 %rd4, s+8;
    ld.param.b32 %r1, [%rd2+4]; ld.local.b32 %r2, [%rd4]; cvta.local.u64 %rd3, %rd1; ld.u32 %r3, [%rd3+12];
    st.local.u32 [%rd1], %r1; ld.param.u32 %r4, [s]; ld.param.b32 %r5, [n];
    mov.u32 %r6, 0;
LOOP: add.u32 %r6, %r6, %r4; sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra LOOP;
    add.u32 %r7, %r2, %r3; add.u32 %r8, %r6, %r7;
    st.param.b32 [r], %r8; ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd<4>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 10; add.u32 %r3, %r1, 100; add.u32 %r4, %r1, 1000;
    { .param .align 8 .b8 p[16]; .param .b32 m; .param .b32 q;
      st.param.b32 [p+4], %r2; st.param.b32 [p+8], %r3; st.param.b32 [p+12], %r4; st.param.b32 [m], 3;
      call (q), sum, (p, m); ld.param.b32 %r5, [q]; }
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5; ret;
}
"""
BYTES = HEAD + """
.func (.param .b32 r) last(.param .align 1 .b8 s[7], .param .b32 depth)
{
    .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .b16 %h<9>; .reg .pred %p<2>;
    mov.b64 %rd1, s; ld.param.b32 %r1, [depth]; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
    sub.u32 %r2, %r1, 1; cvt.u64.u32 %rd2, %r1; add.u64 %rd3, %rd1, %rd2; ld.local.u8 %h1, [%rd3];
    { .param .align 1 .b8 p[7]; .param .b32 d; .param .b32 q;
      ld.local.u8 %h2, [%rd1]; st.param.b8 [p], %h2; ld.local.u8 %h3, [%rd1+1]; st.param.b8 [p+1], %h3; ld.local.u8 %h4, [%rd1+2]; st.param.b8 [p+2], %h4;
      st.param.b8 [p+3], %h1; st.param.b8 [p+6], %h1; st.param.b32 [d], %r2; call (q), last, (p, d); ld.param.b32 %r3, [q]; }
    cvt.u32.u16 %r4, %h1; mad.lo.u32 %r5, %r3, 10, %r4; st.param.b32 [r], %r5; ret;
DONE: ld.local.u8 %h1, [%rd1+6]; cvt.u32.u16 %r4, %h1; st.param.b32 [r], %r4; ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .b16 %h<4>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u16 %h1, 1; mov.u16 %h2, 2; mov.u16 %h3, 3;
    { .param .align 1 .b8 p[7]; .param .b32 d; .param .b32 q;
      st.param.b8 [p], %h1; st.param.b8 [p+1], %h2; st.param.b8 [p+2], %h3; st.param.b8 [p+6], %h3; st.param.b32 [d], 2;
      call (q), last, (p, d); ld.param.b32 %r2, [q]; }
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret;
}
"""


@pytest.mark.parametrize("functional", [False, True], ids=["timed", "executed"])
@pytest.mark.parametrize("machine", MACHINES)
def test_all_ways_to_it_see_the_callee_s_own_copy(machine, functional):
    out = np.zeros(32, "u4")
    archdef.Device(machine).compile(WORDS)["k"][1, 32].launch(out, functional=functional)
    lane = np.arange(32)
    assert out.tolist() == (3 * (lane + 10) + lane + 100 + lane + 1000).tolist()


@pytest.mark.parametrize("machine", MACHINES)
def test_each_call_of_a_function_that_calls_itself_has_a_copy(machine):
    out = np.zeros(4, "u4")
    archdef.Device(machine).compile(BYTES)["k"][1, 4](out)
    assert out.tolist() == [223] * 4        # depth 2 reads 3 and hands it on, depth 1 reads 2, depth 0 the 2 that it was given: (2 * 10 + 2) * 10 + 3


def test_what_is_said_of_places_in_the_code_moves_with_them():
    module = parse(WORDS.replace("LOOP: add", '.pragma "nounroll";\nLOOP: add'))
    before, after = (each.functions["sum"] for each in (module, with_copies(module, [module.functions["sum"]])))
    assert len(after.body) > len(before.body) and before.rolled
    assert [after.body[at].text for at in sorted(after.rolled)] == [before.body[at].text for at in sorted(before.rolled)]
