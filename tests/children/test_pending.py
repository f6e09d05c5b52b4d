"""What kernels put into streams waits in bounded room: launches, copies, fills and events count alike, and one more is answered with error 69."""
import numpy as np
import pytest

import archdef
from archdef import registry

MOST, ASKED = 8, 12
HEAD = """.version 8.5
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) cudaMemsetAsync (.param .b64 a, .param .b32 b, .param .b64 c, .param .b64 d);
.extern .func (.param .b32 r) cudaMemcpyAsync (.param .b64 a, .param .b64 b, .param .b64 c, .param .b32 d, .param .b64 e);
.extern .func (.param .b32 r) cudaEventRecord (.param .b64 e, .param .b64 s);
.extern .func (.param .b32 r) cudaEventCreateWithFlags (.param .b64 e, .param .b32 f);
.visible .entry k(.param .u64 out, .param .u64 other)
{ .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<8>; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [other]; mov.u32 %r1, 0; mov.u64 %rd3, 0;
  { .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %rd2; st.param.b32 [b], 2; call (r), cudaEventCreateWithFlags, (a, b); } ld.global.u64 %rd4, [%rd2];
"""
CALLS = {
    "fill": "{ .param .b64 a; .param .b32 b; .param .b64 c; .param .b64 d; .param .b32 r; st.param.b64 [a], %rd2; st.param.b32 [b], 0; st.param.b64 [c], 4; st.param.b64 [d], 0; "
            "call (r), cudaMemsetAsync, (a, b, c, d); ld.param.b32 %r2, [r]; }",
    "copy": "{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; .param .b64 e; .param .b32 r; add.u64 %rd5, %rd2, 8; st.param.b64 [a], %rd2; st.param.b64 [b], %rd5; "
            "st.param.b64 [c], 4; st.param.b32 [d], 3; st.param.b64 [e], 0; call (r), cudaMemcpyAsync, (a, b, c, d, e); ld.param.b32 %r2, [r]; }",
    "event": "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd4; st.param.b64 [b], 0; call (r), cudaEventRecord, (a, b); ld.param.b32 %r2, [r]; }",
}


@pytest.mark.skipif("h100" not in registry.names(), reason="h100 is not installed")
@pytest.mark.parametrize("what", CALLS)
def test_what_waits_is_bounded(what):
    machine = registry.get("h100").evolve({"device_launches.pending": MOST, "device_launches.start_us": 1000.0})
    device = archdef.Device(machine)
    out, other = device.to_device(np.full(ASKED, -1, "i4")), device.to_device(np.zeros(4, "u8"))
    body = f"AGAIN: {CALLS[what]} st.global.u32 [%rd1], %r2; add.u64 %rd1, %rd1, 4; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, {ASKED}; @%p1 bra AGAIN; ret; }}"
    device.compile(HEAD + body).k[1, 1](out, other)
    assert out.to_host().tolist() == [0] * MOST + [69] * (ASKED - MOST)
