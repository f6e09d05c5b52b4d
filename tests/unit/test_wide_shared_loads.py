"""May compilers widen loads beyond the end of shared memory, as hardware has it, and is all else behind the end still an error?"""
import pytest

import archdef
from archdef import registry
from archdef.errors import GuestFault

MACHINES = [name for name in ("gt200", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
KERNEL = """.version 7.8
.target sm_30
.address_size 64
.extern .shared .align 16 .b8 words[];
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<5>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out]; mov.u32 %r0, 7; mov.u32 %r1, 8; mov.u32 %r2, 9; mov.u32 %r3, 10;
    st.shared.u32 [words+16], %r0; st.shared.u32 [words+24], %r0;
    {code}
    st.global.u32 [%rd1], %r0; st.global.u32 [%rd1+4], %r1; st.global.u32 [%rd1+8], %r2; st.global.u32 [%rd1+12], %r3;
    ret;
}}
"""


def run(machine, code):
    device = archdef.Device(machine)
    out = device.zeros(4, "u4")
    device.compile(KERNEL.format(code=code)).k[1, 1, 28](out)
    return out.copy_to_host().tolist()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("code, found", [
    ("ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [words+16];", [7, 0, 7, 0]), ("ld.shared.v2.u32 {%r0, %r1}, [words+24];", [7, 0, 9, 10])])
def test_an_aligned_load_that_begins_in_shared_memory_may_end_behind_it(machine, code, found):
    assert run(machine, code) == found


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("code", [
    "ld.shared.u32 %r0, [words+28];", "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [words+32];", "st.shared.v4.u32 [words+16], {%r0, %r1, %r2, %r3};",
    "st.shared.u32 [words+28], %r0;", "atom.shared.add.u32 %r0, [words+28], 1;"])
def test_what_begins_behind_it_or_writes_there_is_an_error(machine, code):
    with pytest.raises(GuestFault, match="outside shared memory"):
        run(machine, code)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_load_that_is_not_aligned_is_one_too(machine):
    with pytest.raises(GuestFault, match="multiple of|outside shared memory"):
        run(machine, "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [words+20];")
