"""Random uses of the runtime, the stack, asynchronous copies and barriers end in an answer or a named error, never worse."""
import numpy as np
import pytest
from lowering import kernel
from run_ptx import machine, run

from archdef.errors import GuestFault

HEAD = """.shared .align 16 .b8 tile[256]; .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b); .extern .func free (.param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 a);
.func (.reg .u32 r) f(.reg .u32 x) { .reg .pred %c; .reg .u32 %y; .local .align 8 .b8 mine[24]; .reg .u64 %a; mov.u64 %a, mine; st.local.u32 [%a+8], x;
  setp.eq.u32 %c, x, 0; sub.u32 %y, x, 1; @!%c call (r), f, (%y); ld.local.u32 %y, [%a+8]; add.u32 r, r, %y; ret; }
.func (.reg .u32 r) g(.reg .u32 x) { .reg .u64 %p; .reg .u32 %y; P: .callprototype (.reg .u32 _) _ (.reg .u32 _); cvt.u64.u32 %p, x; and.b64 %p, %p, 7;
  shr.u32 %y, x, 1; call (r), %p, (%y), P; ret; }"""
PIECES = (
    "cp.async.cg.shared.global [%r{a}], [%rd{b}], 16, %r{c};", "cp.async.ca.shared.global [%r{a}+4], [%rd{b}], 4;", "cp.async.commit_group;",
    "cp.async.wait_group {n};", "cp.async.wait_all;", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r{a}];", "mbarrier.init.shared.b64 [%r{a}], %r{c};",
    "mbarrier.arrive.shared.b64 %rd{b}, [%r{a}], %r{c};", "mbarrier.arrive_drop.b64 _, [%rd{b}];", "mbarrier.complete_tx.shared.b64 [%r{a}], %r{c};",
    "mbarrier.test_wait.shared.b64 %p1, [%r{a}], %rd{b};", "mbarrier.inval.shared.b64 [%r{a}];", "alloca.u64 %rd{b}, %rd{c};", "stacksave.u64 %rd{b};",
    "stackrestore.u64 %rd{b};", "mov.u32 %r{a}, {v};", "mov.u64 %rd{b}, {v};", "cvt.u64.u32 %rd{b}, %r{a};", "@%p1 mov.u32 %r{a}, tile;",
    "and.b32 %r{c}, %r{c}, 63; call (%r{a}), f, (%r{c});", "@%p1 call (%r{a}), g, (%r{c});", "setp.lt.u32 %p1, %r{a}, %r{c};",
    "st.local.u32 [%rd{b}], %r{a};", "ld.u32 %r{a}, [%rd{b}];", "mov.u64 %rd{b}, g;",
    "{{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd{b}; call (r), malloc, (a); ld.param.b64 %rd{c}, [r]; }}",
    "{{ .param .b64 a; st.param.b64 [a], %rd{b}; call free, (a); }}",
    "{{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd{b}; st.param.b64 [b], %rd{c}; call (r), vprintf, (a, b); }}")
VALUES = (0, 1, 2, 3, 8, 16, 40, 255, 256, 1 << 20, 0x01000000, 0x01000010, 0x02000000, 0x02000018, (1 << 32) - 16, 1 << 32, (1 << 32) + 64)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed):
    rng = np.random.default_rng(seed)
    ended = 0
    for _ in range(40):
        body = "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3; mov.u32 %r3, tile; ld.param.u64 %rd1, [out]; mov.u64 %rd2, 24; mov.u64 %rd3, 0;"
        for _ in range(int(rng.integers(1, 14))):
            a, b, c = rng.integers(1, 5, 3)
            body += PIECES[rng.integers(len(PIECES))].format(a=a, b=b, c=c, n=rng.integers(0, 4), v=VALUES[rng.integers(len(VALUES))]) + "\n"
        try:
            run(kernel(body, head=HEAD), np.zeros(64, np.uint32), arch=machine(warp__size=(32, 8, 64)[seed % 3]))
            ended += 1
        except GuestFault:
            pass
    assert ended
