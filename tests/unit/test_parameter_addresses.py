"""Generic addresses of kernel parameters, made of 64-bit and of 32-bit addresses of them, as LLVM does for Triton 3.9."""
import numpy as np
import pytest

import archdef
from archdef import registry

pytestmark = pytest.mark.skipif("h100" not in registry.names(), reason="needs a machine of compute capability 7.0 or newer")
PTX = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .align 4 .b8 values[16]) {{ .reg .b64 %rd<9>; .reg .b32 %r<9>;
ld.param.u64 %rd3, [out]; {} cvta.param.u64 %rd2, %rd1; ld.u32 %r1, [%rd2+8]; st.global.u32 [%rd3], %r1; ret; }}"""


@pytest.mark.parametrize("address", ["mov.b64 %rd1, values;", "mov.b32 %r2, values; cvt.u64.u32 %rd1, %r2;", "mov.b32 %r2, values+4; cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd1, -4;"])
def test_a_parameter_is_read_through_its_generic_address(address):
    device = archdef.Device("h100")
    out = device.zeros(1, "u4")
    device.compile(PTX.format(address)).k[1, 1](out, np.arange(4, dtype="u4").tobytes())
    assert out.to_host() == [2]
