"""Of a 64-bit address of shared or local memory the lower half counts, whether lowering has halved the register or not (PTX ISA, Addresses as Operands)."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import GuestFault

TEXT = """.version 8.5
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 upper)
{{ .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .shared .align 16 .b8 near[512]; .local .align 16 .b8 own[512];
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [upper]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3;
  mov.u64 %rd4, {variable}; add.u64 %rd4, %rd4, %rd3; {generic} add.u64 %rd5, %rd4, %rd2; {keep}
  add.u32 %r2, %r1, 100; st{space}.u32 [%rd5], %r2; bar.sync 0; setp.lt.u32 %p1, %r1, {lanes}; @%p1 ld{space}.u32 %r3, [%rd4]; @%p1 st.global.u32 [%rd1], %r3; ret; }}
"""
KEEP = "shr.u64 %rd6, %rd5, 40; cvt.u32.u64 %r4, %rd6; st.global.u32 [%rd1+1024], %r4;"
"""A use of the upper half: the register stays as it is."""


def left(machine, space, upper, keep, lanes=32, generic=False):
    """What 32 threads read back of what they stored at an address with other upper bits."""
    device = archdef.Device(machine)
    out = device.to_device(np.zeros(512, "u4"))
    text = TEXT.format(variable={"shared": "near", "local": "own"}[space], space="" if generic else "." + space, keep=KEEP if keep else "", lanes=lanes,
                       generic=f"cvta.{space}.u64 %rd4, %rd4;" if generic else "")
    device.compile(text).k[1, 32](out, upper)
    return out.to_host()[:32].tolist()


@pytest.mark.parametrize("machine", [m for m in ("gt200", "k40", "h100", "c500") if m in registry.names()])
@pytest.mark.parametrize("space", ["shared", "local"])
@pytest.mark.parametrize("keep", [False, True])
def test_the_lower_half_counts(machine, space, keep):
    for upper in (0, 1 << 32, 1 << 47, 3 << 60):
        assert left(machine, space, upper, keep) == list(range(100, 132))
    assert left(machine, space, 1 << 63, keep, lanes=5) == [100, 101, 102, 103, 104] + [0] * 27       # some of the lanes only
    with pytest.raises(GuestFault, match="outside"):
        left(machine, space, 0xFFFF0000, keep)


@pytest.mark.parametrize("space", ["shared", "local"])
@pytest.mark.skipif("h100" not in registry.names(), reason="h100 is not installed")
def test_all_of_a_generic_address_counts(space):
    assert left("h100", space, 0, False, generic=True) == list(range(100, 132))
    for upper in (1 << 32, 1 << 47, 1 << 63):
        with pytest.raises(GuestFault, match="outside"):
            left("h100", space, upper, False, generic=True)
