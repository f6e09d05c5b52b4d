"""Does an instruction that none of the warp's lanes takes hold its unit, as it is issued all the same?"""
import numpy as np
import pytest

import archdef
from archdef import registry

KINDS = {"ld.global": "ld.volatile.global.u32 %r3, [%rd1];", "st.global": "st.global.u32 [%rd1], %r3;", "ld.shared": "ld.volatile.shared.u32 %r3, [tile];",
         "atom.shared": "atom.shared.add.u32 %r3, [tile], 1;", "cp.async": "cp.async.ca.shared.global [tile], [%rd1], 4;"}
TEXT = """.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p1; .shared .align 16 .b8 tile[16];
    ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 5000; mov.u32 %r3, 0;
    {body}
    ret;
}}
"""


def cycles(architecture, instruction):
    device = archdef.Device(architecture)
    text = TEXT.format(body="\n    ".join(f"@%p1 {instruction}" for _ in range(60)))
    return device.compile(text).k[1, 512](device.to_device(np.zeros(4, "u4"))).cycles


@pytest.mark.skipif("a100" not in registry.names(), reason="needs the Ampere plugin")
@pytest.mark.parametrize("kind", KINDS)
def test_an_instruction_that_no_lane_takes_holds_its_unit(kind):
    machine = registry.get("a100").evolve({"isa.assembler.branches_around_atomics": False})      # or no warp would issue them
    narrow = machine.evolve({"units.lsu.lanes": machine["units.lsu.lanes"] // 8})
    assert cycles(narrow, KINDS[kind]) > 2 * cycles(machine, KINDS[kind])
