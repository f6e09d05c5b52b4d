"""Do roots of doubles cost what the assembler makes of them, from 6.0 to 8.0?"""
import re

import pytest

import archdef
from archdef import registry

KERNEL = """.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 p) { .reg .f64 %a, %b; .reg .b64 %rd; ld.param.u64 %rd, [p]; ld.global.f64 %a, [%rd];
    rsqrt.approx.f64 %b, %a; st.global.f64 [%rd], %b; sqrt.rn.f64 %b, %a; st.global.f64 [%rd], %b; ret; }"""


@pytest.mark.parametrize("name", [name for name in ("p100", "v100", "rtx2080ti", "a100") if name in registry.names()])
def test_reciprocal_roots_of_doubles_take_five_instructions_of_doubles_and_roots_eight(name):
    """As in machine code of ptxas 11.8; what else they issue goes to other units."""
    arch = registry.get(name)
    root, reciprocal = arch.isa.operations["fp64_sqrt"], arch.isa.forms["rsqrt_approx_f64"]
    assert (root.issues, reciprocal.issues) == (18, 14)
    held = [cost.interval_cycles * cost.issues * arch.unit("dp").lanes / 32 for cost in (root, reciprocal)]
    assert 8 <= held[0] < 10 and 5 <= held[1] < 7 and held[0] - held[1] == pytest.approx(3)
    listing = archdef.Device(arch).compile(KERNEL).k.program.listing()
    assert "rsqrt_f64" in listing and [int(n) for n in re.findall(r"sqrt_f64 .* issues (\d+)", listing)] == [14, 18]
