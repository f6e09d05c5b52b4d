"""A buffer for a launch's arguments lies in the heap, which is the kernel's: freed, and allocated again for less, it is no buffer any more."""
import numpy as np
import pytest

import archdef
from archdef import registry

ABLE = [name for name in registry.names() if registry.get(name).device_launches is not None and registry.get(name).device_launches.pool == "virtualised"]
BUFFER_HEAD, INVALID_VALUE = 64, 1
TEXT = """.version 6.0
.target sm_35
.address_size 64
.extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);
.extern .func free (.param .b64 a); .extern .func (.param .b64 r) malloc (.param .b64 a);
.visible .entry child(.param .align 8 .b8 many[2048])
{{ .reg .b64 %rd<4>; ld.param.u64 %rd1, [many]; ld.param.u64 %rd2, [many+2040]; st.global.u64 [%rd1], %rd2; ret; }}
.visible .entry k(.param .u64 out, .param .u64 answer)
{{ .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<12>; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [answer]; mov.u64 %rd3, child; mov.u32 %r1, 0;
AGAIN:
  {{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r; st.param.b64 [f], %rd3;
    st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd4, [r]; }}
  add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, {buffers}; @%p1 bra AGAIN;
  {between}
  st.u64 [%rd4], %rd1;
  {{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd4; st.param.b64 [b], 0; call (r), cudaLaunchDeviceV2, (a, b); ld.param.b32 %r2, [r]; }}
  st.global.u32 [%rd2], %r2; ret; }}
"""
AGAIN = f"""sub.u64 %rd5, %rd4, {BUFFER_HEAD}; {{ .param .b64 a; st.param.b64 [a], %rd5; call free, (a); }}
  {{ .param .b64 a; .param .b64 r; st.param.b64 [a], %BYTES%; call (r), malloc, (a); ld.param.b64 %rd6, [r]; }} sub.u64 %rd6, %rd6, %rd5; st.global.u64 [%rd2+8], %rd6;"""
"""Free it, and allocate in its place; how far from there the new block lies is stored."""


def launched(machine, between):
    """What a launch of a buffer in the heap answers, how far off the block lies, and whether the child ran."""
    device = archdef.Device(registry.get(machine).evolve({"device_launches.pending": 4}))
    out, answer = device.to_device(np.full(1, 7, "u8")), device.to_device(np.zeros(2, "u8"))
    device.compile(TEXT.format(buffers=5, between=between)).k[1, 1](out, answer)
    return (*answer.to_host().tolist(), out.to_host()[0] == 0)


@pytest.mark.parametrize("machine", ABLE)
def test_a_buffer_that_a_kernel_has_replaced_by_less_is_refused(machine):
    assert launched(machine, "") == (0, 0, True)
    assert launched(machine, AGAIN.replace("%BYTES%", "80")) == (INVALID_VALUE, 0, False)
    assert launched(machine, AGAIN.replace("%BYTES%", "2111"))[0] == INVALID_VALUE
