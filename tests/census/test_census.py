"""Which rows of the census lower? Exactly those that are not listed in uncovered.txt."""
from census import PASSES, UNCOVERED, bounds, census, cost, listing, uncovered
from statements import module

from archdef.ptx import parse


def test_every_row_has_a_statement_that_parses():
    for row in census():
        if row.kind != "opcode":
            assert "k" in parse(module(row)).functions, row.name


def test_exactly_the_listed_rows_are_not_covered():
    assert UNCOVERED.read_text() == listing(), "python tests/census --write renews the list"


def test_what_is_left_out_costs_at_most_one_kernel_in_a_hundred():
    missing = [row for row, _ in uncovered().values() if row.opcode != "wmma"]
    for column in PASSES:
        assert bounds(missing, column)[1] / PASSES[column] <= 0.01, cost(missing, column)


def test_what_is_not_covered_is_refused_by_name():
    for row, why in uncovered().values():
        assert row.opcode in why or row.opcode.startswith("%"), (row.name, why)


def test_bounds_never_exceed_the_kernels():
    rows = [row for row in census() if row.kind != "opcode"]
    for column, kernels in PASSES.items():
        assert bounds([], column) == (0, 0)
        least, most = bounds([row for row in rows if row.opcode == "ret"], column)
        assert least == most == kernels
