"""Every form of every row of the instruction table computes what the reference says: to the bit, approximations within PTX's bounds.

The forms come from the table, so a new row is tried by being there.
"""
import re
from pathlib import Path

import pytest

from archdef.errors import UnsupportedInstruction
from archdef.ptx.table import TABLE
from archdef.testing import Mismatch, equals_reference, reference, with_warp_size
from archdef.testing.forms import forms

MASKED = {"vote", "active_mask", "match", "shuffle"}
"""Builders whose 32-bit lane masks are refused on wider machines; tests/unit/test_lower_warp.py has the 64-bit forms."""
LANES_TOGETHER = ("vote", "active_mask", "shuffle", "shuffle_width", "match", "barrier", "barrier_reduce", "barrier_warp")
MISSING = {}
for line in (Path(__file__).parent / "missing_forms.txt").read_text().splitlines():
    if line and line[0] != "#":
        pattern, _, reason = line.partition(" ")
        MISSING[re.compile(pattern)] = reason.strip()


AWAITING = frozenset(line for line in (Path(__file__).parent / "awaiting_rows.txt").read_text().splitlines() if line[:1] != "#")
"""Rows that the reference interpreter or its form generator does not know yet."""
ROWS = [row for row in TABLE if row.form not in AWAITING]


def test_every_row_that_awaits_the_reference_exists():
    assert AWAITING <= {row.form for row in TABLE}


def missing(form) -> bool:
    return any(pattern.fullmatch(form.name) for pattern in MISSING)


def fault(form, architecture) -> str | None:
    """What is wrong with a form, in one line."""
    try:
        launch = form.launch()
    except (KeyError, IndexError, TypeError, ValueError):      # operands that the templates cannot write yet
        launch = None
    if launch is None:
        return f"no template for the builder {form.row.builder}"
    try:
        equals_reference(architecture, launch)
    except (Mismatch, UnsupportedInstruction, reference.OracleError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{TABLE.index(row)}-{row.form}")
def test_every_form_of_a_row_computes_what_the_reference_says(row, everything):
    tried = list(forms([row]))
    assert tried, "no legal form of this row is known"
    faults = {form.name: fault(form, everything) for form in tried}
    wrong = {name: why for name, why in faults.items() if why and not any(p.fullmatch(name) for p in MISSING)}
    assert not wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items())
    works = [name for name, why in faults.items() if why is None and any(p.fullmatch(name) for p in MISSING)]
    assert not works, f"listed as missing, but fine: {works}"


def test_the_list_of_missing_forms_names_forms_that_exist():
    names = [form.name for form in forms(ROWS)]
    for pattern in MISSING:
        assert any(pattern.fullmatch(name) for name in names), pattern.pattern


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 64])
def test_lanes_work_together_in_warps_of_any_size(size, everything):
    architecture = with_warp_size(everything, size)
    for form in forms([row for row in ROWS if row.builder in LANES_TOGETHER]):
        if "arrive" in form.modifiers or missing(form) or (size > 32 and form.row.builder in MASKED):
            continue  # a counted barrier counts whole warps: the kernel is written for 32 lanes
        assert fault(form, architecture) is None, form.name
