"""Bulk copies, clusters and surface accesses leave on the engine, bit for bit, the memory that they left on the hardware."""
import numpy as np
import pytest
from engine import machine
from forms import LAUNCHES
from row_launches import DATA, fingerprint, launches, rows
from outputs import known

from archdef.ptx.table import TABLE
from archdef.registry import names
from archdef.testing.compare import on_engine

pytestmark = pytest.mark.skipif("h100" not in names(), reason="the plugin of the measured machine is not installed")
MEASURED = sorted(known(DATA))


@pytest.mark.parametrize("name", MEASURED)
def test_memory_equals_the_hardwares(name):
    got = np.frombuffer(b"".join(a.tobytes() for a in on_engine(machine(), launches()[name])[0]), np.uint8)
    expected = np.frombuffer(known(DATA)[name][1], np.uint8)
    assert np.flatnonzero(got != expected).tolist() == []


def test_every_output_belongs_to_the_kernel_of_today():
    assert set(MEASURED) <= set(launches())
    assert [name for name in MEASURED if fingerprint(launches()[name]) != known(DATA)[name][0]] == [], "measure again"


def test_every_row_has_a_measured_launch():
    measured = {row for name in MEASURED for row in rows(launches()[name])}
    assert {row.form for row in TABLE if row.builder in LAUNCHES} == measured


def test_launches_that_the_hardware_cannot_run_are_known():
    assert set(launches()) - set(MEASURED) == {"mapa.u32"}, "32-bit addresses in a module of 64-bit ones"
