"""The calibration kernels leave in memory, bit for bit, what they leave on the machine on which they were measured."""
import math

import numpy as np
import pytest

import archdef

pytest.importorskip("archdef_hopper_evidence", reason="the evidence of the measured machine is not installed")
from calibration import FNV_PRIME, FNV_START, WORD, cases, fnv1a64, run

SMALL = 1_500_000
"""Warp instructions up to which a case is part of every test run."""
OVERHEAD = 4700
"""Cycles that the hardware counts beside a kernel's own."""


@pytest.fixture(scope="module")
def device():
    return archdef.Device("h100")


def test_the_hash_is_the_plain_one_byte_after_the_other():
    data = np.frombuffer(np.random.default_rng(1).bytes(1000), np.uint8)
    h = FNV_START
    for byte in data:
        h = (h ^ int(byte)) * FNV_PRIME & WORD
    assert fnv1a64(data) == h


def test_all_cases_are_listed():
    assert len(cases()) == 73 and len({c.name for c in cases()}) == 73


@pytest.mark.parametrize("version", ["ptx75", "ptx90"])
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name, marks=[pytest.mark.long] * (c.instructions > SMALL)) for c in cases()])
def test_output_has_the_hash_that_the_hardware_gave(case, version, device):
    assert run(case, version, device)[0] == case.hash


def test_simulated_cycles_are_near_the_hardwares(device):
    """Launches long enough to tell and short enough to simulate; the hardware's cycles hold some 5000 of launch overhead."""
    errors = {}
    for case in cases():
        if case.instructions < 700_000 and case.cycles > 6000:
            errors[case.name] = math.log((run(case, "ptx90", device)[1].cycles + OVERHEAD) / case.cycles)
    assert len(errors) > 25
    assert sum(map(abs, errors.values())) / len(errors) < 0.13, errors
    assert abs(errors["matmul_naive-n64"]) < 0.5, "a loop of independent loads: they must be on their way together"
