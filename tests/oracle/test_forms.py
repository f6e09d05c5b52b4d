"""Every form of every row of the instruction table computes what the reference says: to the bit, approximations within PTX's bounds.

The forms come from the table, so a new row is tried by being there.
"""
import re
from itertools import islice
from pathlib import Path

import attrs
import pytest

from archdef.errors import ArchdefError
from archdef.ptx.table import TABLE
from archdef.testing import Mismatch, equals_reference, with_warp_size
from archdef.testing.forms import UNCOMPARED, forms

LANES_TOGETHER = ("vote", "active_mask", "shuffle", "shuffle_width", "match", "barrier", "barrier_reduce", "barrier_warp", "redux",
                  "elect", "phase_test")


def listed(file: str) -> dict[str, str]:
    """Read a list: what, two blanks, why."""
    lines = (Path(__file__).parent / file).read_text().splitlines()
    return {what: why.strip() for what, _, why in (line.partition("  ") for line in lines if line and line[0] != "#")}


MISSING = {re.compile(pattern): why for pattern, why in UNCOMPARED.items()}
AWAITING = listed("awaiting_rows.txt")
ROWS = [row for row in TABLE if row.form not in AWAITING]


def missing(form) -> bool:
    return any(pattern.fullmatch(form.name) for pattern in MISSING)


def fault(form, architecture) -> str | None:
    """What is wrong with a form, in one line."""
    try:
        launch = form.launch()
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return f"the template for the builder {form.row.builder} cannot write it: {error!r}"
    if launch is None:
        return f"no template for the builder {form.row.builder}"
    try:
        equals_reference(architecture, launch)
    except (Mismatch, ArchdefError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{TABLE.index(row)}-{row.form}")
def test_every_form_of_a_row_computes_what_the_reference_says(row, everything):
    tried = list(forms([row]))
    assert tried, "no legal form of this row is known"
    faults = {form.name: fault(form, everything) for form in tried}
    assert {form.name: faults[form.name] for form in tried if faults[form.name] and not missing(form)} == {}
    assert [form.name for form in tried if missing(form) and not faults[form.name]] == [], "listed as missing, but fine"


def test_the_lists_name_what_exists_and_say_why():
    names = [form.name for form in forms(ROWS)]
    for pattern, why in MISSING.items():
        assert why and any(pattern.fullmatch(name) for name in names), pattern.pattern
    assert set(AWAITING) <= {row.form for row in TABLE} and all(AWAITING.values())


@pytest.mark.parametrize("form", AWAITING)
def test_a_row_that_awaits_the_reference_still_does(form, everything):
    (row,) = [row for row in TABLE if row.form == form]
    tried = list(forms([row]))
    assert not tried or any(fault(f, everything) for f in tried), "take it off the list"


@pytest.mark.parametrize("size, first", [(1, 0), (64, 1)])
def test_lanes_work_together_in_warps_of_any_size(size, first, everything):
    """One form in four with each size: what they do with masks of another width is much the same."""
    architecture = with_warp_size(everything, size)
    for form in islice(forms([row for row in ROWS if row.builder in LANES_TOGETHER]), first, None, 4):
        form = attrs.evolve(form, lanes=size)
        if form.comparable:
            assert fault(form, architecture) is None, form.name
