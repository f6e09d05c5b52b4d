"""Where PTX leaves a result open, or says less than hardware does, reference and engine give what an H100 gave.

The H100 ran these kernels (CUDA 13.0 driver, PTX assembled by it); tests/hardware compares many more operands, but not these.
"""
import attrs
import numpy as np
import pytest

from archdef.testing.compare import in_reference, on_engine
from archdef.testing.forms import forms

FORMS = {form.name: form for form in forms()}
QUIET_1, QUIET_2, QUIET_3 = 0x7FF8000000000022, 0xFFF8000000000333, 0xFFFFFFFFFFFFFFFF
SIGNALLING = 0xFFF0000000004444
ONE = 0x3FF0000000000000

H100 = [
    # the payload of a NaN: the second operand's, else the third's, else the first's
    ("fma.rn.f64", (QUIET_1, QUIET_2, ONE), QUIET_2), ("fma.rn.f64", (QUIET_1, ONE, QUIET_2), QUIET_2),
    ("fma.rz.f64", (ONE, QUIET_1, QUIET_2), QUIET_1), ("fma.rm.f64", (0xFFF0000000000001, 0xC3EFFFFFFFFFFFFF, QUIET_3), QUIET_3),
    ("add.f64", (QUIET_1, QUIET_2), QUIET_2), ("mul.f64", (SIGNALLING, QUIET_2), QUIET_2), ("neg.f64", (SIGNALLING,), 0xFFF8000000004444),
    # .ftz: what rounds to the least normal number only because subnormal numbers are coarse is flushed
    ("mul.rn.ftz.f32", (0x15128B2F, 0x2ADF9B0D), 0), ("mul.rn.ftz.f32", (0x937FFFFF, 0x2C800000), 0x80000000),
    ("mul.rp.ftz.f32", (0x2FFFFFF, 0x3CFFFFFF), 0), ("mul.rm.ftz.f32", (0x847FFFFF, 0x3B7FFFFF), 0x80000000),
    ("fma.rp.ftz.f32", (0x147FFFFB, 0x2B800002, 0), 0), ("div.rp.ftz.f32", (0x3FFFFFFF, 0x7F000000), 0),
    ("mul.rn.ftz.f16", (0x3BFE, 0x401), 0x400), ("mul.rn.ftz.f16", (0xB3FE, 0xC01), 0x8400), ("mul.rn.ftz.f16", (0x1894, 0x26FD), 0x400),
    ("fma.rn.ftz.f16", (0x8FFE, 0x3001, 0), 0x8400), ("fma.rn.ftz.relu.f16", (0x23F8, 0x1C04, 0), 0x400),
    # NaNs in conversions
    ("cvt.rn.tf32.f32", (0xFF800001,), 0x7FFFE000), ("cvt.rna.tf32.f32", (0x7F800001,), 0x7F800000),
    ("cvt.rna.tf32.f32", (0x7FFFFFFF,), 0x7FFFE000), ("cvt.rna.satfinite.tf32.f32", (0x7FC00000,), 0x7FBFE000),
    ("cvt.rna.satfinite.tf32.f32", (0xFF800001,), 0xFF7FE000), ("cvt.rna.satfinite.tf32.f32", (0x7F800000,), 0x7F7FE000),
    ("cvt.ftz.f32.bf16", (0xFFC0,), 0x7FFFFFFF), ("cvt.f32.bf16", (0xFFC0,), 0xFFC00000), ("cvt.bf16.bf16", (0xFFC0,), 0x7FFF)]


@pytest.mark.parametrize("name, operands, result", H100, ids=lambda x: x if isinstance(x, str) else "")
def test_open_results_are_those_of_hardware(name, operands, result, everything):
    made = FORMS[name].launch()
    data = np.zeros_like(made.arguments[0])
    data[:, :len(operands)] = operands
    launch = attrs.evolve(made, arguments=(data, *made.arguments[1:]))
    for found in (in_reference(32, launch), on_engine(everything, launch)[0]):
        assert {hex(int(x)) for x in found[1][:, 0]} == {hex(result)}


@pytest.mark.parametrize("name, quiet", [("atom.shared.add.f64", True), ("atom.global.add.f64", False)])
@pytest.mark.parametrize("cell, operand", [(SIGNALLING, ONE), (ONE, SIGNALLING)])
def test_only_global_memory_keeps_a_signalling_nan(name, quiet, cell, operand, everything):
    made = FORMS[name].launch()
    data = np.zeros_like(made.arguments[0])
    data[:, 0], data[:, 1] = cell, operand
    launch = attrs.evolve(made, arguments=(data, *made.arguments[1:]))
    for found in (in_reference(32, launch), on_engine(everything, launch)[0]):
        assert {hex(int(x)) for x in found[1][:, 1]} == {hex(SIGNALLING | quiet << 51)}
