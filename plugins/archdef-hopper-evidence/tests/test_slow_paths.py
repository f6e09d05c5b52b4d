"""Do quotients and roots take their slow paths for the operands, and for as long, as on the hardware?"""
import csv
from pathlib import Path

import archdef
import numpy as np
import pytest
from archdef.engine import lanes

DATA = Path(__file__).parent.parent / "src" / "archdef_hopper_evidence" / "data"


def test_the_exponents_of_quotients_in_single_precision_are_those_of_the_hardware():
    """For each numerator's exponent, the first and the last of a denominator that take the short way; fractions do not matter."""
    with open(DATA / "quotient_exponents.csv", newline="") as file:
        rows = [(int(row["first"] or 1), int(row["last"] or 0)) for row in csv.DictReader(file)]
    exponents = np.arange(256, dtype=np.uint32)
    for fraction in (0, 0x7FFFFF):
        for numerator, (first, last) in enumerate(rows):
            slow = lanes.apply_compare("uncommon_div_f32", np.full(256, numerator << 23 | fraction, np.uint32), exponents << np.uint32(23))
            np.testing.assert_array_equal(~slow, (exponents >= first) & (exponents <= last))


FORMS = {"f32 quotient": ("f32", "div.rn.f32 %a, %a, %b;"), "f32 root": ("f32", "sqrt.rn.f32 %a, %a;"), "f64 quotient": ("f64", "div.rn.f64 %a, %a, %b;"),
         "f64 root": ("f64", "sqrt.rn.f64 %a, %a;")}


@pytest.mark.parametrize("name", FORMS)
def test_a_slow_path_takes_as_long_as_measured(name):
    """What a zero takes longer than an ordinary number, one warp."""
    with open(DATA / "slow_paths.csv", newline="") as file:
        rows = {(row["operation"], float(row["first"]), row["lanes"]): int(row["cycles"]) for row in csv.DictReader(file) if row["warps"] == "1"
                if row["operation"].endswith("root") or row["second"] == "3"}
    ordinary = next(first for operation, first, _ in rows if operation == name)
    type, instruction = FORMS[name]
    text = f""".version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .{type} a, .param .{type} b) {{
.reg .{type} %a, %b; .reg .u32 %r<3>; .reg .u64 %d; .reg .pred %p;
ld.param.{type} %a, [a]; ld.param.{type} %b, [b]; ld.param.u64 %d, [out];
mov.u32 %r0, %clock; {instruction} setp.eq.{type} %p, %a, %b; @%p bra L; mov.u32 %r1, %clock; sub.u32 %r2, %r1, %r0; st.global.u32 [%d], %r2;
L: ret;
}}"""
    device, number = archdef.Device("h100"), np.float32 if type == "f32" else np.float64
    run = device.compile(text).k
    cycles = []
    for first in (ordinary, 0.0):
        buffer = device.zeros(1, "u4")
        run[1, 32].launch(buffer, number(first), number(3))
        cycles.append(int(np.asarray(buffer)[0]))
    several = 1.35 if name == "f32 root" else 1.05      # other lanes take the short way besides
    assert cycles[1] - cycles[0] == pytest.approx(rows[name, 0.0, "32"] - rows[name, ordinary, "32"], rel=several - 1)
