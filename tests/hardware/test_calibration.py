"""The calibration kernels leave in memory, bit for bit, what they leave on the machine on which they were measured."""
import numpy as np
import pytest
from calibration import FNV_PRIME, FNV_START, WORD, cases, fnv1a64, run

import archdef
from archdef.registry import names

pytestmark = pytest.mark.skipif("h100" not in names(), reason="the plugin of the measured machine is not installed")
SMALL = 1_500_000
"""Warp instructions up to which a case is part of every test run."""


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
