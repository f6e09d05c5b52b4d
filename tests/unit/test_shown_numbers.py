"""Numbers of descriptions as tables show them: short, and yet apart where they differ."""
import pytest
from small_machine import gizmo

from archdef.console import text
from archdef.formatting import shortest
from archdef.report import described, differing


@pytest.mark.parametrize("value, written", [(1.2222222222222223, "1.22222"), (602.0, "602.0"), (0.5, "0.5"), (2.152824, "2.15282"), (1296.25, "1296.25"), (-4 / 3, "-1.33333"),
                                            (1234567.8, "1,234,568"), (1e-9, "1e-09"), (float("inf"), "inf"), (123456.0, "123456.0")])
def test_floats_of_descriptions_have_six_digits_at_most(value, written):
    assert shortest(value) == written
    assert described.shown(value, "") == written and described.shown([value, "x"], "") == f"{written}, x"


def test_tables_of_descriptions_show_no_remainder_of_a_division_and_json_all_digits():
    machine = gizmo().evolve({"schedulers.issue_interval_cycles": 2, "dram.t_rcd_ns": 40 / 3})
    (row,) = [line for line in text(described.render_fields(machine, described.fields(machine)), 120).splitlines() if line.strip().startswith("t_rcd_ns")]
    assert "13.3333" in row.split()
    assert next(row["value"] for row in described.fields(machine) if row["path"] == "dram.t_rcd_ns") == 40 / 3


def test_numbers_that_differ_behind_the_sixth_digit_are_told_apart():
    one, other = gizmo().evolve({"dram.t_rcd_ns": 12.000000001}), gizmo().evolve({"dram.t_rcd_ns": 12.000000002})
    printed = text(differing.render(one, other, differing.differences(one, other)), 160)
    assert "12.000000001" in printed and "12.000000002" in printed
