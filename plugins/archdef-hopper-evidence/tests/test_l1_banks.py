"""Do loads that hit L1 keep it busy for as many cycles as on the hardware, whatever their addresses?"""
import csv
import importlib.resources

import numpy as np
import pytest

import archdef

DATA = importlib.resources.files("archdef_hopper_evidence") / "data" / "l1_conflicts.csv"
VECTOR = {4: "", 8: ".v2", 16: ".v4"}
KERNEL = """.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 memory, .param .u64 lanes, .param .u32 trips) {{
.reg .b32 %r<9>, %x<32>; .reg .b64 %d<6>; .reg .pred %p;
ld.param.u64 %d0, [memory]; ld.param.u64 %d1, [lanes]; ld.param.u32 %r1, [trips];
mov.u32 %r2, %tid.x; and.b32 %r2, %r2, 31; mul.wide.u32 %d2, %r2, 4; add.s64 %d1, %d1, %d2; ld.global.u32 %r3, [%d1];
cvt.u64.u32 %d2, %r3; add.s64 %d0, %d0, %d2; mov.u32 %r4, 0; mov.u32 %r5, 0;
L:
{loads}
add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra L;
setp.eq.u32 %p, %r5, 1; @%p st.global.u32 [%d0], %r5;
ret;
}}"""


def loads(nbytes: int) -> str:
    """Eight loads whose results are used behind them all."""
    words = nbytes // 4
    names = [[f"%x{4 * k + j}" for j in range(words)] for k in range(8)]
    into = ["{" + ", ".join(each) + "}" if words > 1 else each[0] for each in names]
    return ("".join(f"    ld.global.ca{VECTOR[nbytes]}.u32 {each}, [%d0];\n" for each in into)
            + "".join(f"    xor.b32 %r5, %r5, {name};\n" for each in names for name in each))


def rows() -> list[dict[str, str]]:
    with DATA.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["warps"] == "32"]


@pytest.mark.parametrize("nbytes", VECTOR)
def test_every_pattern_takes_as_long_as_measured(nbytes):
    device = archdef.Device("h100")
    kernel = device.compile(KERNEL.format(loads=loads(nbytes))).k
    memory = device.zeros((1 << 18,), "u4")
    errors = {}
    for row in rows():
        if row["bytes"] == str(nbytes):
            lanes = device.to_device(np.array(row["offsets"].split(), "u4"))
            few, many = (kernel[(1,), (1024,)](memory, lanes, np.uint32(trips)).cycles for trips in (2, 6))
            cycles = (many - few) / (4 * 8 * 32)
            # what was measured has the beginning and the end of 512 accesses in it
            errors[row["pattern"]] = cycles / (float(row["cycles_per_access"]) - 0.2) - 1
    assert len(errors) > 40
    assert np.mean(np.abs(list(errors.values()))) < 0.06
    assert {name: round(error, 2) for name, error in errors.items() if abs(error) > 0.15} == {}
