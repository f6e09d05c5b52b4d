"""Every measured form gives on the engine, bit for bit, what it gave on the hardware; approximations stay within their documented error."""
from pathlib import Path

import numpy as np
import pytest
from compare import KNOWN, approximate, compare, excess
from engine import machine
from forms import BEYOND, LAUNCHES, MATRICES, NO_VALUE, TEXTURES, WARPGROUPS, every_form, row_of, without_kernel
from operands import TUPLES, values
from outputs import fingerprint, known

from archdef.ptx.table import TABLE
from archdef.registry import names

FORMS = every_form()
MEASURED = [name for name in known() if name in FORMS]
GROUP = 40

pytestmark = pytest.mark.skipif("h100" not in names(), reason="the plugin of the measured machine is not installed")


@pytest.mark.parametrize("start", range(0, len(MEASURED), GROUP), ids=lambda k: MEASURED[k])
def test_outputs_equal_the_hardwares(start):
    names_here = MEASURED[start:start + GROUP]
    wrong = compare([FORMS[name] for name in names_here], machine())
    assert {n: m.text for n, m in wrong.items() if n not in KNOWN} == {}
    assert [n for n in names_here if n in KNOWN and n not in wrong] == [], "these agree now: take them off the list"


def test_every_output_belongs_to_the_kernel_of_today():
    changed = [name for name, (mark, *_) in known().items() if name in FORMS and fingerprint(FORMS[name]) != mark]
    assert changed == [], "kernel or operands changed: measure again"
    assert set(known()) <= set(FORMS), "measured forms that the table no longer has"


def test_exactly_the_listed_rows_await_a_measurement():
    """Rows that came after the last measurement need a recipe and a run on the hardware, or a reason."""
    lines = (Path(__file__).parent / "awaiting.txt").read_text().splitlines()
    listed = dict(line.split(" | ") for line in lines if line and not line.startswith("#"))
    measured = {row_of(name) for name in MEASURED}
    silent = {row.form for row in TABLE if row.builder not in {*NO_VALUE, *TEXTURES, *MATRICES, *WARPGROUPS, *LAUNCHES} and row.form not in measured}
    assert silent == set(listed) and all(listed.values())
    assert without_kernel() <= set(listed)


def test_a_form_without_a_kernel_has_a_reason():
    assert BEYOND and all(len(reason) > 10 for reason in BEYOND.values())
    assert not set(BEYOND) & set(FORMS)


def test_the_excused_are_measured():
    assert set(KNOWN) <= set(MEASURED) and all(KNOWN.values())


@pytest.mark.parametrize("name", [n for n in MEASURED if approximate(n)])
def test_hardware_itself_keeps_the_documented_error(name):
    form = FORMS[name]
    assert excess(name, form, known()[name][1]) <= 1


def test_operands_are_the_same_everywhere():
    column = FORMS["fma.rn.f32"].columns[2]
    assert [hex(int(x)) for x in values(column)[:2]] == ["0x3d800001", "0x40fa269b"] and len(values(column)) == TUPLES
    assert np.array_equal(values(FORMS["add.u32"].columns[0])[:4], [1, 0xFFFFFFFE, 0, 0xFFFFFFFF])
